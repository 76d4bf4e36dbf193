//! One test program for the crate.
