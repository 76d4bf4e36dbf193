//! How books are read, as arguments say it.

use std::path::{Path, PathBuf};

use clap::Args;
use othello_book::convert::LeafImport;
use othello_book::files::{BookInput, BookReadOptions};
use othello_book::store::OnDamage;

#[derive(Args, Debug)]
pub(crate) struct BookArgs {
    /// The book
    pub(crate) book: PathBuf,
    #[command(flatten)]
    pub(crate) reading: ReadArgs,
}

/// Options of reading books.
#[derive(Args, Debug)]
pub(crate) struct ReadArgs {
    /// Level of the positions of an .egbk, which has none: 1 to 60; 70 edited by hand, -1 undefined
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = egbk_level, allow_negative_numbers = true)]
    pub(crate) egbk_level: i8,
    /// Turn the leaves of an Edax book into positions, as Egaroucid's import does
    #[arg(long)]
    pub(crate) leaf_positions: bool,
    /// Skip damaged records, side-cars included, instead of stopping at the first
    #[arg(long)]
    pub(crate) skip_damaged: bool,
    /// Neither read nor write a side-car, the file beside a book with the data that its format cannot hold
    #[arg(long)]
    pub(crate) no_side_car: bool,
}

impl ReadArgs {
    pub(crate) const fn on_damage(&self) -> OnDamage {
        if self.skip_damaged {
            OnDamage::Skip
        } else {
            OnDamage::Stop
        }
    }

    pub(crate) const fn options(&self) -> BookReadOptions {
        BookReadOptions {
            egbk_level: self.egbk_level,
            leaf_import: if self.leaf_positions {
                LeafImport::AsPosition
            } else {
                LeafImport::Keep
            },
            damage: self.on_damage(),
        }
    }

    /// Opens a book, with its side-car unless that is not wanted.
    pub(crate) fn open(&self, path: &Path) -> yane_io::Result<BookInput> {
        let input = BookInput::open(path)?;
        Ok(if self.no_side_car {
            input.alone()
        } else {
            input
        })
    }
}

/// Parses a level of Egaroucid.
pub(super) fn egbk_level(text: &str) -> Result<i8, String> {
    let level = text.parse().ok();
    let known = level.filter(|level| matches!(level, -1 | 1..=60 | 70));
    known.ok_or_else(|| "1 to 60, 70 or -1 was expected".to_owned())
}
