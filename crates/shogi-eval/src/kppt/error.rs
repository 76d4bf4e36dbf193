//! What can be wrong with evaluation files.

use std::path::PathBuf;

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
