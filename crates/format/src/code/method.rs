//! Encodes how a block is packed: the first byte of each block of a small file.

/// How a block is packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Method {
    /// One Zstandard frame: quick.
    Zstandard,
    /// Bits with modelled probabilities: small.
    Modelled,
}

impl Method {
    const ALL: [Method; 2] = [Method::Zstandard, Method::Modelled];

    /// The byte for it.
    pub(crate) fn byte(self) -> u8 {
        match self {
            Method::Zstandard => 0,
            Method::Modelled => 2,
        }
    }

    /// The method and the rest of a block that begins with its byte; none if there is no such method.
    pub(crate) fn split(block: &[u8]) -> Option<(Method, &[u8])> {
        let (&byte, rest) = block.split_first()?;
        let method = Method::ALL.into_iter().find(|method| method.byte() == byte)?;
        Some((method, rest))
    }
}
