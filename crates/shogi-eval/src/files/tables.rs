//! Three-piece tables in files: the kind that a folder holds, mapping them, and their errors.

use std::path::{Path, PathBuf};

use yane_io::{FileState, Map};

use crate::kppt::{ByteTables, KpptLayout, KpptTable, expected};

/// The three files of a folder, mapped: read when looked at, shared with every other process that
/// maps them, never copied.
pub type FileTables = ByteTables<Map>;

impl FileTables {
    /// Maps the files of `folder`, KPPT or `KPP_KKPT` according to their sizes.
    ///
    /// While the tables are in use, other programs may replace the files but not write into them (see
    /// [`Map`]).
    ///
    /// # Errors
    /// When a file is missing or cannot be read, the sizes are wrong, or the files are of
    /// [`KpptLayout::Kppt16`].
    pub fn open(folder: &Path) -> Result<Self, KpptError> {
        let layout = KpptLayout::of(folder)?;
        if layout == KpptLayout::Kppt16 {
            return Err(KpptError::Needs32Bits {
                folder: folder.to_owned(),
            });
        }
        let open = |table: KpptTable| {
            let map = Map::open(&table.path(folder))?;
            let (found, expected) = (map.len() as u64, layout.file_len(table));
            if found == expected {
                return Ok(map);
            }
            // Replaced since its size was looked at.
            Err(KpptError::Size {
                path: table.path(folder),
                found,
                expected: format!("{expected} ({})", layout.name()),
            })
        };
        let maps = [
            open(KpptTable::Kk)?,
            open(KpptTable::Kkp)?,
            open(KpptTable::Kpp)?,
        ];
        Ok(Self::new(layout, maps))
    }
}

impl KpptLayout {
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

fn file_len(folder: &Path, table: KpptTable) -> Result<u64, KpptError> {
    let path = table.path(folder);
    match FileState::of(&path) {
        Ok(state) => Ok(state.len),
        Err(source) if source.kind() == std::io::ErrorKind::NotFound => {
            Err(KpptError::Missing { path })
        }
        Err(source) => Err(yane_io::Error::io(&path)(source).into()),
    }
}

/// The error of evaluation files that cannot be used or made. No output file was changed then.
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
    #[error("{0}")]
    File(#[from] yane_io::Error),
}

#[cfg(test)]
mod tests {
    use super::*;

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
