#![doc = include_str!("../README.md")]
#![deny(unsafe_code)]

pub mod lanes;
#[cfg(feature = "memory")]
pub mod memory;
pub mod random;
