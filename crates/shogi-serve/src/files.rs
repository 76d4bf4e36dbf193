//! The files that stand on the command line: games, which the page shows at its start, and books.

use std::path::{Path, PathBuf};

use shogi_page::OpenedGames;
use yane_cli::UsageError;
use yane_io::Error;

/// Ends of the names of books.
pub(crate) const BOOKS: [&str; 4] = ["db", "ybb", "bin", "sbk"];

/// Ends of the names of records.
pub(crate) const RECORDS: [&str; 12] = [
    "kif", "kifu", "ki2", "ki2u", "csa", "jkf", "json", "jsonl", "usi", "sfen", "bod", "txt",
];

/// Bytes of a file of games at most.
const MOST_BYTES: u64 = 10 << 20;

/// Returns whether a name is that of a book.
pub(crate) fn is_book(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    BOOKS.iter().any(|one| extension.eq_ignore_ascii_case(one))
}

/// Reads the files of games.
///
/// # Errors
///
/// A file that cannot be read, or is too large to be looked at.
pub(crate) fn games(paths: &[PathBuf]) -> anyhow::Result<Vec<OpenedGames>> {
    let read = |path: &PathBuf| {
        let size = std::fs::metadata(path).map_err(Error::io(path))?.len();
        if size > MOST_BYTES {
            let text =
                "is too large for the page at its start: open it there, from a folder of --root";
            return Err(UsageError(format!("{} {text}", path.display())).into());
        }
        let name = path.file_name().unwrap_or(path.as_os_str());
        Ok(OpenedGames {
            name: name.to_string_lossy().into_owned(),
            bytes: std::fs::read(path).map_err(Error::io(path))?,
        })
    };
    paths.iter().map(read).collect()
}

#[cfg(test)]
mod tests {
    use test_support::TestFolder;

    use super::*;

    #[test]
    fn books_are_told_by_their_names() {
        for (name, expected) in [
            ("a.db", true),
            ("A.YBB", true),
            ("a.kif", false),
            ("db", false),
            ("a.db.kif", false),
        ] {
            assert_eq!(is_book(Path::new(name)), expected, "{name}");
        }
    }

    #[test]
    fn games_are_read_whole() {
        let folder = TestFolder::new();
        folder.write("a.kif", "x");
        let found = games(&[folder.path("a.kif")]).unwrap();
        assert_eq!(
            (found[0].name.as_str(), &found[0].bytes[..]),
            ("a.kif", &b"x"[..])
        );
        assert!(games(&[folder.path("none.kif")]).is_err());
        folder.write("large.csa", vec![b' '; (10 << 20) + 1]);
        let error = games(&[folder.path("large.csa")]).unwrap_err();
        assert!(error.to_string().contains("too large"), "{error}");
    }
}
