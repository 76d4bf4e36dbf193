//! How books are read.

use crate::BookFormat;
use crate::convert::LeafImport;
use crate::convert::LeafPolicy;
use crate::store::OnDamage;

/// Options of reading books.
#[derive(Clone, Copy, Debug)]
pub struct BookReadOptions {
    /// The level of the positions of an `.egbk`, which has none.
    pub egbk_level: i8,
    /// The treatment of Edax's leaves.
    pub leaf_import: LeafImport,
    /// The treatment of damaged records, side-cars included.
    pub damage: OnDamage,
}

/// Level 1, leaves as they are, and an error at damage.
impl Default for BookReadOptions {
    fn default() -> Self {
        Self {
            egbk_level: 1,
            leaf_import: LeafImport::Keep,
            damage: OnDamage::Stop,
        }
    }
}

/// Whether work on a book writes its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BookOutputMode {
    /// It does.
    Write,
    /// Everything but writing is done.
    DryRun,
}

impl BookOutputMode {
    pub(super) const fn writes(self) -> bool {
        matches!(self, Self::Write)
    }
}

/// Options of writing a book.
#[derive(Clone, Copy, Debug)]
pub struct BookWriteOptions {
    /// The format.
    pub format: BookFormat,
    /// The level of all positions; `None` keeps each position's. Books of Edax have levels from 1 to 60.
    pub level: Option<u8>,
    /// The treatment of missing leaves in books for Edax.
    pub leaves: LeafPolicy,
    /// True if data that the format cannot hold goes to a side-car.
    pub side_car: bool,
}

impl BookWriteOptions {
    /// The defaults: each position with its level, complete leaves, and a side-car.
    pub const fn new(format: BookFormat) -> Self {
        Self {
            format,
            level: None,
            leaves: LeafPolicy::Complete,
            side_car: true,
        }
    }
}
