//! The numbering against plain enumeration.
