//! The network that was put into the library when it was built, if any.

/// The bytes of its file.
pub(super) const NETWORK: Option<&[u8]> = include!(concat!(env!("OUT_DIR"), "/embedded.rs"));
