//! Unmoves of frame men: neighbour blocks, turned by the symmetry that they are kept under.
//!
//! A frame man's move leads from one block to another. If that one is kept as it stands, its rows are added as they
//! are, all such neighbours in one go; if it is kept under a symmetry, rows, words and bits change places alike:
//! `dst[row][x][y] |= src[σ(row)][σ(x)][σ(y)]`.

use crate::dispatch::Level;
use crate::permute::{LanePermutation, permute_word, staged};
use crate::{Pack, Word};

/// A symmetry undone: how to read a block as it stands, that is kept under the symmetry.
#[derive(Clone, Debug)]
pub struct Image<W> {
    /// Nothing changes place.
    pub is_identity: bool,
    /// For each row of a block the row that it is kept in.
    pub rows: Vec<u32>,
    /// For each word of a row the word that it is kept in: where the symmetry takes a square.
    pub words: Vec<u8>,
    /// What becomes of the bits.
    pub lane: LanePermutation<W>,
}

/// A block that a move leads to, and how it is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Neighbour {
    /// The block.
    pub block: u32,
    /// The place of its [`Image`] in a list.
    pub image: u8,
}

/// Where neighbours are read.
#[derive(Clone, Copy, Debug)]
pub struct Plane<'a, W> {
    /// Blocks of rows of `row_len` words.
    pub words: &'a [W],
    /// By row of the plane: whether it may have any bits; none if all may.
    pub live: Option<&'a [bool]>,
    /// Words in a row.
    pub row_len: usize,
    /// What neighbours' `image` refers to.
    pub images: &'a [Image<W>],
}

/// `dst |= ` the neighbours' rows, as they stand; only into wanted rows, if wanted rows are given. Rows that may have
/// got some are marked in `touched`.
///
/// Shape: `dst` is a block: rows of `plane.row_len` words, one for each entry of `touched` and of `wanted`.
pub fn neighbour_moves<W: Word>(
    dst: &mut [W],
    touched: &mut [bool],
    wanted: Option<&[bool]>,
    plane: Plane<'_, W>,
    neighbours: &[Neighbour],
) {
    neighbour_moves_at(Level::detected(), dst, touched, wanted, plane, neighbours);
}

pub(crate) fn neighbour_moves_at<W: Word>(
    level: Level,
    dst: &mut [W],
    touched: &mut [bool],
    wanted: Option<&[bool]>,
    plane: Plane<'_, W>,
    neighbours: &[Neighbour],
) {
    assert!(level <= Level::detected(), "{level:?} is not to be had here");
    #[cfg(target_arch = "x86_64")]
    {
        match level {
            Level::Gfni => {
                #[expect(unsafe_code, reason = "the processor has the instructions")]
                // SAFETY: the level is not above `Level::detected`, which is `Gfni` only where gfni, avx512f, avx512vl and
                // avx512bw were found.
                return unsafe { vector::moves_gfni(dst, touched, wanted, plane, neighbours) };
            }
            Level::Avx512 => {
                #[expect(unsafe_code, reason = "the processor has the instructions")]
                // SAFETY: the level is not above `Level::detected`, which is `Avx512` or more only where avx512f, avx512vl
                // and avx512bw were found.
                return unsafe { vector::moves_avx512(dst, touched, wanted, plane, neighbours) };
            }
            Level::Avx2 => {
                #[expect(unsafe_code, reason = "the processor has the instructions")]
                // SAFETY: the level is not above `Level::detected`, which is `Avx2` or more only where avx2 was found.
                return unsafe { vector::moves_avx2(dst, touched, wanted, plane, neighbours) };
            }
            Level::Portable => {}
        }
    }
    body(dst, touched, wanted, plane, neighbours, or_image);
}

/// How many rows are added in one go.
const AT_ONCE: usize = 8;

#[inline(always)]
fn body<W: Word>(
    dst: &mut [W],
    touched: &mut [bool],
    wanted: Option<&[bool]>,
    plane: Plane<'_, W>,
    neighbours: &[Neighbour],
    or_image: impl Fn(&mut [W], &[W], &Image<W>),
) {
    let (n_rows, row_len) = (touched.len(), plane.row_len);
    assert_eq!(dst.len(), n_rows * row_len, "rows");
    for (row, (dst, touched)) in dst.chunks_exact_mut(row_len).zip(touched).enumerate() {
        if wanted.is_some_and(|wanted| !wanted[row]) {
            continue;
        }
        let mut same: [&[W]; AT_ONCE] = [&[]; AT_ONCE];
        let mut n_same = 0;
        for neighbour in neighbours {
            let image = &plane.images[neighbour.image as usize];
            let kept = if image.is_identity { row } else { image.rows[row] as usize };
            let place = neighbour.block as usize * n_rows + kept;
            if plane.live.is_some_and(|live| !live[place]) {
                continue;
            }
            *touched = true;
            let src = &plane.words[place * row_len..(place + 1) * row_len];
            if !image.is_identity {
                or_image(dst, src, image);
                continue;
            }
            same[n_same] = src;
            n_same += 1;
            if n_same == AT_ONCE {
                or_rows(dst, &same);
                n_same = 0;
            }
        }
        or_rows(dst, &same[..n_same]);
    }
}

#[inline(always)]
fn or_rows<W: Word>(dst: &mut [W], sources: &[&[W]]) {
    if sources.is_empty() {
        return;
    }
    let dst = W::halves_mut(dst);
    let n = dst.len();
    let (eights, rest) = dst.as_chunks_mut::<8>();
    for (place, dst) in eights.iter_mut().enumerate() {
        let mut sum = *dst;
        for src in sources {
            let src: &[u64; 8] = W::halves(src)[place * 8..].first_chunk().expect("as long as the row");
            (0..8).for_each(|i| sum[i] |= src[i]);
        }
        *dst = sum;
    }
    let first = n - rest.len();
    for (i, dst) in rest.iter_mut().enumerate() {
        *dst = sources.iter().fold(*dst, |sum, src| sum | W::halves(src)[first + i]);
    }
}

#[inline(always)]
fn or_image<W: Word>(dst: &mut [W], src: &[W], image: &Image<W>) {
    assert!(dst.len() == src.len() && dst.len() == image.words.len());
    match &image.lane {
        // The flags are resolved outside the loop, so that each loop is straight line code.
        LanePermutation::Square8 { transpose, mirror_files, mirror_ranks } => {
            macro_rules! run {
                ($t:expr, $f:expr, $r:expr) => {{
                    let fixed =
                        LanePermutation::Square8 { transpose: $t, mirror_files: $f, mirror_ranks: $r };
                    for (d, &word) in dst.iter_mut().zip(&image.words) {
                        *d |= permute_word(src[word as usize], &fixed);
                    }
                }};
            }
            match (transpose, mirror_files, mirror_ranks) {
                (false, false, false) => run!(false, false, false),
                (false, true, false) => run!(false, true, false),
                (false, false, true) => run!(false, false, true),
                (false, true, true) => run!(false, true, true),
                (true, false, false) => run!(true, false, false),
                (true, true, false) => run!(true, true, false),
                (true, false, true) => run!(true, false, true),
                (true, true, true) => run!(true, true, true),
            }
        }
        LanePermutation::Stages(stages) => {
            let (eights, rest) = dst.as_chunks_mut::<8>();
            let (words, words_rest) = image.words.as_chunks::<8>();
            for (d, words) in eights.iter_mut().zip(words) {
                let mut kept = [W::ZERO; 8];
                for (kept, &word) in kept.iter_mut().zip(words) {
                    *kept = src[word as usize];
                }
                *d = W::unpack(W::pack(d).or(staged(W::pack(&kept), stages)));
            }
            for (d, &word) in rest.iter_mut().zip(words_rest) {
                *d |= staged(src[word as usize], stages);
            }
        }
        LanePermutation::Identity => {
            for (d, &word) in dst.iter_mut().zip(&image.words) {
                *d |= src[word as usize];
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod vector {
    //! The body once for each instruction set; with products of bit matrices a word is turned in two instructions.
    //!
    //! The product takes a constant whose byte `i` has one bit to a word whose byte `i` is a column of the matrix, so
    //! the word as the matrix comes out transposed; its rows count from the last.

    use super::{Image, Neighbour, Plane, body, or_image};
    use crate::Word;
    use crate::permute::LanePermutation;
    use std::arch::x86_64::{
        __m512i, _mm512_gf2p8affine_epi64_epi8, _mm512_loadu_si512, _mm512_or_si512,
        _mm512_permutexvar_epi64, _mm512_set_epi64, _mm512_set1_epi64, _mm512_shuffle_epi8,
        _mm512_storeu_si512,
    };

    /// Byte `i` has bit `i`.
    const DIAGONAL: i64 = 0x8040_2010_0804_0201_u64.cast_signed();
    /// Byte `i` has bit `7 − i`.
    const OTHER_DIAGONAL: i64 = 0x0102_0408_1020_4080;

    #[target_feature(enable = "avx2")]
    pub(super) fn moves_avx2<W: Word>(
        dst: &mut [W],
        touched: &mut [bool],
        wanted: Option<&[bool]>,
        plane: Plane<'_, W>,
        neighbours: &[Neighbour],
    ) {
        body(dst, touched, wanted, plane, neighbours, or_image);
    }

    #[target_feature(enable = "avx512f,avx512vl,avx512bw")]
    pub(super) fn moves_avx512<W: Word>(
        dst: &mut [W],
        touched: &mut [bool],
        wanted: Option<&[bool]>,
        plane: Plane<'_, W>,
        neighbours: &[Neighbour],
    ) {
        body(dst, touched, wanted, plane, neighbours, or_image);
    }

    #[target_feature(enable = "avx512f,avx512vl,avx512bw,gfni")]
    pub(super) fn moves_gfni<W: Word>(
        dst: &mut [W],
        touched: &mut [bool],
        wanted: Option<&[bool]>,
        plane: Plane<'_, W>,
        neighbours: &[Neighbour],
    ) {
        let or_image = |dst: &mut [W], src: &[W], image: &Image<W>| {
            let halves = (W::halves_mut(dst), W::halves(src));
            let rows = (<&mut [u64; 64]>::try_from(halves.0), <&[u64; 64]>::try_from(halves.1));
            match (rows, &image.lane) {
                ((Ok(dst), Ok(src)), &LanePermutation::Square8 { transpose, mirror_files, mirror_ranks }) => {
                    or_square8(dst, src, transpose, mirror_files, mirror_ranks);
                }
                _ => or_image(dst, src, image),
            }
        };
        body(dst, touched, wanted, plane, neighbours, or_image);
    }

    /// A row of 64 words of 64 bits, both the squares of a board of 8 × 8.
    #[target_feature(enable = "avx512f,avx512vl,avx512bw,gfni")]
    fn or_square8(
        dst: &mut [u64; 64],
        src: &[u64; 64],
        transpose: bool,
        mirror_files: bool,
        mirror_ranks: bool,
    ) {
        let backwards = _mm512_set_epi64(0, 1, 2, 3, 4, 5, 6, 7);
        let bytes_backwards = {
            let (low, high) = (0x0001_0203_0405_0607, 0x0809_0A0B_0C0D_0E0F);
            _mm512_set_epi64(high, low, high, low, high, low, high, low)
        };
        let turned: [u64; 64];
        let src = if transpose {
            turned = transposed(src);
            &turned
        } else {
            src
        };
        let diagonal = _mm512_set1_epi64(if mirror_ranks { OTHER_DIAGONAL } else { DIAGONAL });
        let reversal = _mm512_set1_epi64(DIAGONAL);
        let (dst, _) = dst.as_chunks_mut::<8>();
        let (src, _) = src.as_chunks::<8>();
        for (rank, dst) in dst.iter_mut().enumerate() {
            let mut words = load(&src[if mirror_ranks { 7 - rank } else { rank }]);
            if mirror_files {
                words = _mm512_permutexvar_epi64(backwards, words);
            }
            if transpose {
                if !mirror_files {
                    words = _mm512_shuffle_epi8(words, bytes_backwards);
                }
                words = _mm512_gf2p8affine_epi64_epi8::<0>(diagonal, words);
            } else {
                if mirror_ranks {
                    words = _mm512_shuffle_epi8(words, bytes_backwards);
                }
                if mirror_files {
                    words = _mm512_gf2p8affine_epi64_epi8::<0>(words, reversal);
                }
            }
            store(dst, _mm512_or_si512(load(dst), words));
        }
    }

    fn transposed(src: &[u64; 64]) -> [u64; 64] {
        std::array::from_fn(|x| src[x % 8 * 8 + x / 8])
    }

    #[target_feature(enable = "avx512f")]
    fn load(words: &[u64; 8]) -> __m512i {
        #[expect(unsafe_code, reason = "a load through a pointer")]
        // SAFETY: the pointer is to 64 bytes that are borrowed; the load is unaligned and reads no others.
        unsafe {
            _mm512_loadu_si512(words.as_ptr().cast())
        }
    }

    #[target_feature(enable = "avx512f")]
    fn store(words: &mut [u64; 8], vector: __m512i) {
        #[expect(unsafe_code, reason = "a store through a pointer")]
        // SAFETY: the pointer is to 64 bytes that are borrowed mutably; the store is unaligned and writes no others.
        unsafe {
            _mm512_storeu_si512(words.as_mut_ptr().cast(), vector);
        }
    }
}
