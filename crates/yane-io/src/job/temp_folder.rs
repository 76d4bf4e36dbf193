//! Folders for temporary files, and the outputs that they serve.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::{Error, Result};

/// A folder for temporary files without names, which vanish with the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TempFolder {
    folder: PathBuf,
    /// The output that the files are for.
    output: Option<PathBuf>,
}

impl TempFolder {
    /// The folder `folder` for files on the way to `output`, which errors name.
    pub fn new(folder: impl Into<PathBuf>, output: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            output: Some(output.into()),
        }
    }

    /// The system's folder for temporary files; on systems without files one in which none can be made.
    pub fn of_system() -> Self {
        let has_files = !cfg!(all(target_family = "wasm", target_os = "unknown"));
        let folder = if has_files {
            std::env::temp_dir()
        } else {
            PathBuf::new()
        };
        Self {
            folder,
            output: None,
        }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// Makes a file.
    ///
    /// # Errors
    /// [`Error::Write`] when the folder cannot be written to.
    pub fn file(&self) -> Result<File> {
        tempfile::tempfile_in(&self.folder).map_err(self.error(0))
    }

    /// A maker of the error that a file of this folder could not be written, or read back; it had `written` bytes.
    pub fn error(&self, written: u64) -> impl FnOnce(io::Error) -> Error + use<> {
        let (folder, output) = (self.folder.clone(), self.output.clone());
        move |reason| Error::Write {
            path: output.unwrap_or_else(|| folder.clone()),
            folder: Some(folder),
            written,
            reason,
        }
    }
}

impl AsRef<Path> for TempFolder {
    fn as_ref(&self) -> &Path {
        &self.folder
    }
}

/// A folder for the files of an output that is not known.
impl From<&Path> for TempFolder {
    fn from(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            output: None,
        }
    }
}

impl From<&PathBuf> for TempFolder {
    fn from(folder: &PathBuf) -> Self {
        folder.as_path().into()
    }
}

impl From<&Self> for TempFolder {
    fn from(folder: &Self) -> Self {
        folder.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_output_and_the_folder() {
        let folder = TempFolder::new("/absent/folder", "out.db");
        let error = folder.file().unwrap_err().to_string();
        let told = "out.db: cannot write a temporary file in /absent/folder: ";
        assert!(error.starts_with(told), "{error}");
        let error = TempFolder::from(Path::new("/absent")).file().unwrap_err();
        let told = "cannot write a temporary file in /absent: ";
        assert!(error.to_string().starts_with(told), "{error}");
    }
}
