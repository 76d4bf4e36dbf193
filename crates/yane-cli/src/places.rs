//! The folders in which a program finds its own files.

use std::path::{Path, PathBuf};

/// The folder of the program's own file, against which the names of its files (evaluations, settings) are
/// resolved, as the working directory may be anywhere; empty, which means that directory, where the system does
/// not tell.
pub fn program_folder() -> PathBuf {
    std::env::current_exe()
        .ok()
        .and_then(|program| program.parent().map(Path::to_owned))
        .unwrap_or_default()
}

/// The folders that may hold evaluation files: beside the program, and in the working directory.
pub fn evaluation_folders() -> [PathBuf; 2] {
    [program_folder(), PathBuf::new()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_is_that_of_the_program() {
        let program = std::env::current_exe().unwrap();
        assert!(program.starts_with(program_folder()));
        assert_eq!(program_folder().join(program.file_name().unwrap()), program);
    }
}
