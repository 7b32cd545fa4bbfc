//! Encodes the order in which the codes of a tile stand in the file.
//!
//! A compressor finds what repeats near by, so that neighbours in the file should be placements of like
//! value. Which neighbours are alike depends on the table: with White to move it is mostly the squares of
//! White's own men that matter little, and a bishop's neighbours are the squares of its own colour. So the
//! numbering is cut into *tiles*, and in each tile the axes may stand in any order, and the squares of an
//! axis with the dark ones first.
//!
//! ```text
//!   number of a placement:   outer × n × n × n  +  man 1 × n × n  +  man 2 × n  +  man 3
//!                            axis 0                 axis 1            axis 2       axis 3
//!   in the file, order 0 3 1 2:                      outermost 0, then 3, then 1, and 2 goes fastest
//! ```
//!
//! `tiling.rs` says which axes there are, and how many values each has.

/// The most axes of a tile.
pub(crate) const MAX_AXES: usize = 4;

/// How one side's codes stand in each tile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Order {
    axes: [u8; MAX_AXES],
    n_axes: usize,
    /// Bit `a`: the squares of axis `a` stand with their colours apart; bit 0: the frame men are exchanged.
    apart: u8,
}

impl Order {
    /// What an unused entry holds where an order is written down.
    const NO_AXIS: u16 = 8;

    /// These axes, the outermost first.
    ///
    /// # Panics
    /// With more axes than there can be.
    pub(crate) fn new(order: &[u8], apart: u8) -> Self {
        let mut axes = [0; MAX_AXES];
        axes[..order.len()].copy_from_slice(order);
        Order { axes, n_axes: order.len(), apart }
    }

    /// The axes, the outermost first.
    pub(crate) fn axes(&self) -> &[u8] {
        &self.axes[..self.n_axes]
    }

    /// Whether the squares of an axis stand with their colours apart.
    pub(crate) fn is_apart(&self, axis: u8) -> bool {
        self.apart >> axis & 1 == 1
    }

    /// Whether the values of axis 0 stand with the frame men exchanged.
    pub(crate) fn is_turned(&self) -> bool {
        self.is_apart(0)
    }

    /// Whether the codes stand as they are numbered.
    pub(crate) fn is_natural(&self) -> bool {
        self.apart == 0 && self.axes().iter().enumerate().all(|(level, &axis)| level == axis as usize)
    }

    /// Four bits for each level, the outermost lowest: the axis, plus 4 if its colours are apart or, of axis
    /// 0, the frame men exchanged; 8 for none.
    pub(crate) fn encode(&self) -> u16 {
        (0..MAX_AXES).fold(0, |bits, level| {
            let entry = match self.axes().get(level) {
                Some(&axis) => u16::from(axis) | u16::from(self.is_apart(axis)) << 2,
                None => Self::NO_AXIS,
            };
            bits | entry << (4 * level)
        })
    }

    /// The order written down so; none if it is no order. Only some tiles can be turned.
    pub(crate) fn decode(bits: u16, may_turn: bool) -> Option<Order> {
        let entries: [u16; MAX_AXES] = std::array::from_fn(|level| bits >> (4 * level) & 15);
        let n_axes = entries.iter().take_while(|&&entry| entry < Self::NO_AXIS).count();
        let mut order = Order { axes: [0; MAX_AXES], n_axes, apart: 0 };
        for (level, &entry) in entries[..n_axes].iter().enumerate() {
            order.axes[level] = entry as u8 & 3;
            order.apart |= (entry as u8 >> 2) << order.axes[level];
        }
        let has_all = (0..n_axes as u8).all(|axis| order.axes().contains(&axis));
        let is_turn_right = may_turn || !order.is_turned();
        let is_order = n_axes > 0 && has_all && is_turn_right && order.encode() == bits;
        is_order.then_some(order)
    }

    /// All orders of these many axes, the natural one first.
    pub(crate) fn all(n_axes: usize, apart: u8) -> Vec<Order> {
        let mut all = vec![vec![]];
        for _ in 0..n_axes {
            let longer = |order: &Vec<u8>| {
                let rest = (0..n_axes as u8).filter(|axis| !order.contains(axis)).collect::<Vec<_>>();
                rest.into_iter().map(|axis| [order.as_slice(), &[axis]].concat()).collect::<Vec<_>>()
            };
            all = all.iter().flat_map(longer).collect();
        }
        all.iter().map(|axes| Order::new(axes, apart)).collect()
    }
}
