//! Encodes how a block is packed: the first byte of each block of a small file.

/// How a block is packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Method {
    /// One Zstandard frame: quick.
    Zstandard,
    /// Bits with the modelled probabilities of versions 5 and 6: read, and not written any more.
    EarlyModelled,
    /// Bits with modelled probabilities: small.
    Modelled,
}

impl Method {
    const ALL: [Method; 3] = [Method::Zstandard, Method::EarlyModelled, Method::Modelled];

    /// The byte for it.
    pub(crate) fn byte(self) -> u8 {
        match self {
            Method::Zstandard => 0,
            Method::EarlyModelled => 1,
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
