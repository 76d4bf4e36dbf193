//! Evaluation by relations of three pieces, as Bonanza began it: KPPT and `KPP_KKPT`.
//!
//! Every pair of kings (KK), both kings with a piece (KKP), and each king with a pair of pieces
//! (KPP) has a value; the sum and material are the evaluation. The values come in three files
//! ([`KpptLayout`], [`KpptTable`]) of up to 780 MB, which are mapped, never loaded ([`FileTables`]).
//!
//! * [`KpptEvaluator`] is the [`crate::Evaluator`], over anything that is [`Tables`].
//! * [`convert`] changes files of one kind into another.
//!
//! ```no_run
//! use std::{path::Path, sync::Arc};
//! use shogi_core::Position;
//! use shogi_eval::Evaluator;
//! use shogi_eval::kppt::{FileTables, KpptEvaluator};
//!
//! let tables = Arc::new(FileTables::open(Path::new("eval"))?);
//! // As many evaluators as there are threads, one copy of the tables.
//! let mut evaluator = KpptEvaluator::new(Arc::clone(&tables));
//! let position = Position::startpos();
//! evaluator.reset(&position);
//! println!("{}", evaluator.evaluate(&position));
//! # Ok::<(), shogi_eval::kppt::KpptError>(())
//! ```

mod evaluator;
mod tables;

use std::path::{Path, PathBuf};

use crate::BonaPiece;

pub use crate::files::convert;
pub use crate::files::tables::{FileTables, KpptError};
pub use evaluator::{KpptEvaluator, evaluate};
pub use tables::{ByteTables, KpptValue, Tables};

// The files of a KPPT or `KPP_KKPT` evaluation: names, sizes, kinds.
//
// The files have no header; their sizes tell the kinds apart.

const KINGS: u64 = 81;
const PIECES: u64 = BonaPiece::PIECE_END as u64;

/// One of the three files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KpptTable {
    /// Both kings: `[black king][white king]`.
    Kk,
    /// Both kings and a piece, as black sees them: `[black king][white king][piece]`.
    Kkp,
    /// A king and two pieces, as the king's owner sees them: `[king][piece][piece]`.
    Kpp,
}

impl KpptTable {
    /// All three tables.
    pub const ALL: [Self; 3] = [Self::Kk, Self::Kkp, Self::Kpp];

    /// The name that the file has in every evaluation folder.
    pub const fn file_name(self) -> &'static str {
        match self {
            Self::Kk => "KK_synthesized.bin",
            Self::Kkp => "KKP_synthesized.bin",
            Self::Kpp => "KPP_synthesized.bin",
        }
    }

    /// The file in `folder`.
    pub fn path(self, folder: &Path) -> PathBuf {
        folder.join(self.file_name())
    }

    /// Entries of the table; each has one or two values.
    pub(crate) const fn entries(self) -> u64 {
        match self {
            Self::Kk => KINGS * KINGS,
            Self::Kkp => KINGS * KINGS * PIECES,
            Self::Kpp => KINGS * PIECES * PIECES,
        }
    }
}

/// A kind of evaluation files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KpptLayout {
    /// KPPT: every entry has a value for the board and one for the turn. KK and KKP in 32 bits, KPP
    /// in 16 (YaneuraOu from 2016, Apery until 2016).
    Kppt,
    /// The same with 16 bits in every file (Apery of 2017). Can be converted, not evaluated with.
    Kppt16,
    /// `KPP_KKPT`: as KPPT, but KPP has values for the board only.
    KppKkpt,
}

impl KpptLayout {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Kppt, Self::Kppt16, Self::KppKkpt];

    /// The name by which YaneuraOu's conversion command knows it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kppt => "kppt32",
            Self::Kppt16 => "kppt16",
            Self::KppKkpt => "kpp_kkpt32",
        }
    }

    /// The kind of a [`Self::name`].
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|layout| layout.name() == name)
    }

    /// Bytes of each value of `table`.
    pub(crate) const fn width(self, table: KpptTable) -> Width {
        match (self, table) {
            (Self::Kppt | Self::KppKkpt, KpptTable::Kk | KpptTable::Kkp) => Width::I32,
            _ => Width::I16,
        }
    }

    /// Values of each entry of `table`: 2 (board, turn) or 1 (board).
    pub(crate) const fn values(self, table: KpptTable) -> usize {
        match (self, table) {
            (Self::KppKkpt, KpptTable::Kpp) => 1,
            _ => 2,
        }
    }

    /// Size of the file of `table` in bytes.
    pub const fn file_len(self, table: KpptTable) -> u64 {
        table.entries() * (self.values(table) * self.width(table).bytes()) as u64
    }
}

/// The sizes that `table` has in `layouts`, for people.
pub(crate) fn expected(table: KpptTable, layouts: &[KpptLayout]) -> String {
    let mut sizes: Vec<_> = layouts.iter().map(|l| l.file_len(table)).collect();
    sizes.dedup();
    let choices = sizes.into_iter().map(|size| {
        let same = layouts.iter().filter(|l| l.file_len(table) == size);
        let names: Vec<_> = same.map(|l| l.name()).collect();
        format!("{size} ({})", names.join(", "))
    });
    choices.collect::<Vec<_>>().join(" or ")
}

/// The size of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    /// 16 bits.
    I16,
    /// 32 bits.
    I32,
}

impl Width {
    pub(crate) const fn bytes(self) -> usize {
        match self {
            Self::I16 => 2,
            Self::I32 => 4,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_the_files_in_use() {
        let sizes = |layout: KpptLayout| KpptTable::ALL.map(|table| layout.file_len(table));
        assert_eq!(sizes(KpptLayout::Kppt), [52_488, 81_251_424, 776_402_496]);
        assert_eq!(
            sizes(KpptLayout::KppKkpt),
            [52_488, 81_251_424, 388_201_248]
        );
        assert_eq!(sizes(KpptLayout::Kppt16), [26_244, 40_625_712, 776_402_496]);
    }

    #[test]
    fn names_lead_back() {
        for layout in KpptLayout::ALL {
            assert_eq!(KpptLayout::from_name(layout.name()), Some(layout));
        }
        assert_eq!(KpptLayout::from_name("kppt"), None);
    }
}
