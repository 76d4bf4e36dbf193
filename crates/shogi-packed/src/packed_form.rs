//! The two packed forms.

/// The packed forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackedForm {
    /// Apery's: [`Hcp`](crate::Hcp).
    Hcp,
    /// YaneuraOu's: [`PackedSfen`](crate::PackedSfen).
    PackedSfen,
}
