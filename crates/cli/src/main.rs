//! The installed binary.
fn main() {}
