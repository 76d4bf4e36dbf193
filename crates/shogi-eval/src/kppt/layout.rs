//! The files of a KPPT or `KPP_KKPT` evaluation: names, sizes, which kind a folder holds, and what can be wrong with them.
//!
//! The files have no header; their sizes tell the kinds apart.

use std::path::{Path, PathBuf};

use crate::BonaPiece;

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
    /// All three.
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

    /// The kind of the files in `folder`.
    ///
    /// # Errors
    /// When a file is missing, or its size is not that of any kind or not that which the other
    /// files ask for.
    pub fn of(folder: &Path) -> Result<Self, KpptError> {
        let kpp = file_len(folder, KpptTable::Kpp)?;
        let kk = file_len(folder, KpptTable::Kk)?;
        let kkp = file_len(folder, KpptTable::Kkp)?;
        let fitting = |table, found, candidates: &[Self]| {
            let fits = |layout: &&Self| layout.file_len(table) == found;
            let kinds: Vec<_> = candidates.iter().filter(fits).copied().collect();
            if kinds.is_empty() {
                Err(KpptError::Size {
                    path: table.path(folder),
                    found,
                    expected: expected(table, candidates),
                })
            } else {
                Ok(kinds)
            }
        };
        let kinds = fitting(KpptTable::Kpp, kpp, &Self::ALL)?;
        let kinds = fitting(KpptTable::Kk, kk, &kinds)?;
        let kinds = fitting(KpptTable::Kkp, kkp, &kinds)?;
        // The sizes of KPP and KK differ between any two kinds.
        Ok(kinds[0])
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

fn file_len(folder: &Path, table: KpptTable) -> Result<u64, KpptError> {
    let path = table.path(folder);
    match std::fs::metadata(&path) {
        Ok(data) => Ok(data.len()),
        Err(source) if source.kind() == std::io::ErrorKind::NotFound => {
            Err(KpptError::Missing { path })
        }
        Err(source) => Err(yane_io::Error::io(&path)(source).into()),
    }
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

/// Why evaluation files cannot be used or made. No output file was changed then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KpptError {
    /// One of the three files is not there.
    #[error(
        "{}: not there; an evaluation is a folder with KK_synthesized.bin, KKP_synthesized.bin and \
         KPP_synthesized.bin",
        path.display()
    )]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// A file has the wrong size.
    #[error(
        "{}: {found} bytes, expected {expected}; the file is cut short, or belongs to another kind of \
         evaluation than the files beside it",
        path.display()
    )]
    Size {
        /// The file.
        path: PathBuf,
        /// Its size.
        found: u64,
        /// Sizes that are right, with the kinds of evaluation they belong to.
        expected: String,
    },
    /// The files are of Apery's 16-bit kind.
    #[error("{}: 16-bit files (kppt16); convert them to kppt32 first", folder.display())]
    Needs32Bits {
        /// The folder.
        folder: PathBuf,
    },
    /// The system refused to read or write, a value cannot be converted, or the work was interrupted.
    #[error(transparent)]
    File(#[from] yane_io::Error),
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

    #[test]
    fn wrong_files_are_named_with_what_was_expected() {
        let folder = tempfile::tempdir().unwrap();
        let problem = || KpptLayout::of(folder.path()).unwrap_err().to_string();
        let put = |table: KpptTable, bytes: usize| {
            std::fs::write(table.path(folder.path()), vec![0; bytes]).unwrap();
        };
        assert!(problem().contains("KPP_synthesized.bin: not there"));
        put(KpptTable::Kk, 52_488);
        put(KpptTable::Kpp, 100);
        assert!(problem().contains("KKP_synthesized.bin: not there"));
        put(KpptTable::Kkp, 3);
        let text = problem();
        assert!(text.contains("KPP_synthesized.bin: 100 bytes"), "{text}");
        assert!(
            text.contains("776402496 (kppt32, kppt16) or 388201248 (kpp_kkpt32)"),
            "{text}"
        );
    }
}
