//! The place of a unit in the file of a journal.

/// The place of the bytes of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) offset: u64,
    pub(super) len: u32,
}
