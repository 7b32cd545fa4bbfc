//! Table of contents of the tests that cross crates.
