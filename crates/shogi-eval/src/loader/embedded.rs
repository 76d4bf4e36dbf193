//! The network that was put into the library when it was built, if any.

/// The bytes of its file.
pub(super) const NETWORK: Option<&[u8]> = include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// The file of the network that was embedded when the library was built, if any.
pub const fn embedded_network() -> Option<&'static [u8]> {
    NETWORK
}
