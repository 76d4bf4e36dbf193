//! Files with any number of records, read in pieces on many threads by [`yane_io::archive`]. What a file is, its content says, not
//! its name.

use std::path::{Path, PathBuf};

use yane_io::Error;
use yane_io::archive::{
    ArchiveFormats, ArchivePiece, ArchiveReader, Extent, PIECE, Take, files_below, read_bytes,
};
use yane_io::sniff::Head;

use crate::WthorNames;
use crate::archive::{ArchiveError, ArchivedRecord, Division, RecordPiece, edax, line_ends, wthor};
use crate::edx;
use crate::wthor::WthorFile;
use crate::wthor_names::WthorNameFiles;

/// The formats of othello's records, as [`yane_io::archive`] reads them.
#[derive(Clone, Debug)]
pub struct OthelloFormats<'a>(NameSource<'a>);

impl OthelloFormats<'_> {
    /// The formats, with the names that were found for games of WTHOR.
    pub const fn new(names: WthorNameFiles) -> Self {
        Self(NameSource::Files(names))
    }
}

/// Where the names for games of WTHOR come from.
#[derive(Clone, Debug)]
enum NameSource<'a> {
    /// These.
    Given(&'a WthorNames),
    /// Those that were found for each file.
    Files(WthorNameFiles),
}

/// What a file is by its content.
#[derive(Clone, Copy, Debug)]
pub struct OthelloFileKind(Contents);

#[derive(Clone, Copy, Debug)]
enum Contents {
    Wthor,
    /// Edax's binary games.
    Edax,
    Text(Division),
}

impl ArchiveFormats for OthelloFormats<'_> {
    type Kind = OthelloFileKind;
    type Record = ArchivedRecord;
    type Error = ArchiveError;

    fn detect(&self, path: Option<&Path>, head: &Head) -> yane_io::Result<OthelloFileKind> {
        let length = head.file_len().unwrap_or(0);
        if WthorFile::new(head.bytes()).is_some() {
            return Ok(OthelloFileKind(Contents::Wthor));
        }
        if edx::begins(head.bytes(), length) {
            return Ok(OthelloFileKind(Contents::Edax));
        }
        if let Some(path) = path {
            crate::input::check_kind(path, head)?;
        }
        let division = Division::of(&head.text());
        Ok(OthelloFileKind(Contents::Text(division)))
    }

    fn is_text(&self, kind: OthelloFileKind) -> bool {
        matches!(kind.0, Contents::Text(_))
    }

    fn last_border(&self, kind: OthelloFileKind, bytes: &[u8]) -> Option<usize> {
        match kind.0 {
            Contents::Text(division) => division.last_border(bytes),
            Contents::Wthor | Contents::Edax => None,
        }
    }

    fn count_lines(&self, bytes: &[u8]) -> u64 {
        line_ends(bytes)
    }

    fn read(
        &self,
        piece: &ArchivePiece<'_, OthelloFileKind>,
        take: Take<'_, ArchivedRecord, ArchiveError>,
    ) {
        let path = piece.path;
        let mut take = |record: Result<ArchivedRecord, ArchiveError>| {
            take(record.map_err(|error| ArchiveError {
                path: path.map(Path::to_owned),
                ..error
            }));
        };
        match piece.kind.0 {
            Contents::Wthor => {
                let Some(file) = WthorFile::new(piece.bytes) else {
                    return;
                };
                match &self.0 {
                    NameSource::Given(names) => wthor(&file, names, &mut take),
                    NameSource::Files(names) => wthor(&file, &names.of(path), &mut take),
                }
            }
            Contents::Edax => edax(piece.bytes, &mut take),
            Contents::Text(division) => RecordPiece {
                division,
                is_whole: piece.extent == Extent::Whole,
                line: piece.line,
                bytes: piece.bytes,
            }
            .read(&mut take),
        }
    }
}

/// Reads the records of bytes in any format.
pub fn read_records(bytes: &[u8], names: &WthorNames) -> Vec<Result<ArchivedRecord, ArchiveError>> {
    let mut records = Vec::new();
    let formats = OthelloFormats(NameSource::Given(names));
    let read = read_bytes(&formats, bytes, &mut |record| records.push(record));
    debug_assert!(read.is_ok(), "what is no file is not refused");
    records
}

/// Reads files, one after the other; `work` is called once for each record, on `threads` threads. Games of WTHOR have the
/// names that `names` found for their file. Files of names are passed over.
pub fn read_archives<T: Send + 'static>(
    files: Vec<PathBuf>,
    names: WthorNameFiles,
    threads: usize,
    work: impl Fn(ArchivedRecord) -> T + Send + Sync + 'static,
) -> ArchiveReader<Vec<Result<T, ArchiveError>>> {
    read_pieces(files, names, threads, PIECE, work)
}

fn read_pieces<T: Send + 'static>(
    files: Vec<PathBuf>,
    names: WthorNameFiles,
    threads: usize,
    size: usize,
    work: impl Fn(ArchivedRecord) -> T + Send + Sync + 'static,
) -> ArchiveReader<Vec<Result<T, ArchiveError>>> {
    let formats = OthelloFormats(NameSource::Files(names));
    ArchiveReader::new(formats, files, threads, size, move |formats, piece| {
        let mut items = Vec::new();
        formats.read(piece, &mut |record| items.push(record.map(&work)));
        items
    })
}

/// The extensions of files that have records, in lower case.
pub const RECORD_EXTENSIONS: [&str; 15] = [
    "txt",
    "ggf",
    "ggs",
    "sgf",
    "pgn",
    "wtb",
    "edx",
    "json",
    "jsonl",
    "obf",
    "board",
    "bitboards",
    "base81",
    "diagram",
    "csv",
];

/// The files of a folder and below whose extensions are those of records, in the order of their names, without Egaroucid's tables
/// of games (`summary.csv`).
///
/// # Errors
///
/// A folder that cannot be read, or that has no such file.
pub fn othello_record_files(folder: &Path) -> yane_io::Result<Vec<PathBuf>> {
    let is_record = |path: &Path| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        let extension = extension.map(str::to_ascii_lowercase).unwrap_or_default();
        let name = path.file_name().and_then(|name| name.to_str());
        let name = name.unwrap_or_default().to_ascii_lowercase();
        // What stands beside games of Egaroucid's: the table of a folder, the variations of a game.
        let is_beside = name == "summary.csv" || name.ends_with(".tree.json");
        RECORD_EXTENSIONS.contains(&&extension[..]) && !is_beside
    };
    let found = files_below(folder, &is_record)?;
    if found.is_empty() {
        let reason = "has no game records (.txt, .ggf, .sgf, .pgn, .wtb, .json, .obf …)";
        return Err(Error::file(folder, reason));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use test_support::TestFolder;

    use super::*;
    use crate::OthelloRecord;

    /// The place, and the moves or the reason.
    fn told(record: &Result<ArchivedRecord, ArchiveError>) -> String {
        match record {
            Ok(read) => format!("{}: {}", read.place, read.record.game()),
            Err(error) => format!("{}: error", error.place),
        }
    }

    #[test]
    fn what_stands_beside_games_is_no_record() {
        let folder = TestFolder::new();
        for name in ["a.json", "a.tree.json", "summary.csv", "b.txt"] {
            folder.write(name, "f5\n");
        }
        let files = othello_record_files(&folder.path("")).unwrap();
        let names = files.iter().map(|path| path.file_name().unwrap());
        assert_eq!(names.collect::<Vec<_>>(), ["a.json", "b.txt"]);
    }

    #[test]
    fn files_of_all_divisions_are_read_in_pieces_of_any_size() {
        let ggf = "(;GM[Othello]PB[太郎]B[f5];)\n2 (;GM[Othello]B[f5]W[d6]\n;)(;GM[Othello]B[f5]W[f5];)\n(;GM[2];B[f5](;W[d6])\n(;W[f6]))\n";
        let json = "[{\"position\":{\"moves\":[{\"m\":\"f5\"}]}},\n{\"moves\":[\"f5\",\"d6\"]}, {\"x\": \"}{\"}]\n{\"transcript\":\"f5\"}\n";
        let pgn = "[Event \"a\"]\n[Black \"b\"]\n\n1. f5 {[x\n} d6\n\n[Event \"b\"]\n\n1. f5 f5\n[Event \"c\"]\n\nd3\n";
        let lines = "# games\nf5d6c3\nf5f5\n\nd3 c3\n--------/--------/--------/---OX---/---XO---/--------/--------/--------/ X\n";
        let cases: [(&str, &[&str]); 4] = [
            (
                ggf,
                &[
                    "line 1: f5",
                    "line 2: f5d6",
                    "line 3: error",
                    "line 4: f5d6",
                ],
            ),
            (
                json,
                &["line 1: f5", "line 2: f5d6", "line 2: error", "line 3: f5"],
            ),
            (pgn, &["line 1: f5d6", "line 7: error", "line 10: d3"]),
            (
                lines,
                &[
                    "line 2: f5d6c3",
                    "line 3: error",
                    "line 5: d3c3",
                    "line 6: ",
                ],
            ),
        ];
        let folder = TestFolder::new();
        for (text, expected) in cases {
            let read: Vec<_> = read_records(text.as_bytes(), &WthorNames::default())
                .iter()
                .map(told)
                .collect();
            assert_eq!(read, expected);
            let path = folder.path("x");
            std::fs::write(&path, text).unwrap();
            for (threads, size) in [(1, 64), (2, 64), (2, 100), (3, PIECE)] {
                let files = vec![path.clone(), path.clone()];
                let reader =
                    read_pieces(files, WthorNameFiles::default(), threads, size, |read| read);
                let mut read = [Vec::new(), Vec::new()];
                for batch in reader {
                    let batch = batch.unwrap();
                    read[batch.file].extend(batch.items.iter().map(told));
                }
                assert_eq!(read, [expected; 2], "{size}");
            }
        }
    }

    #[test]
    fn several_years_of_wthor_share_their_names() {
        let folder = TestFolder::new();
        let mut years = Vec::new();
        for year in ["1998", "1999"] {
            let mut writer = crate::WthorWriter::default();
            let mut record =
                OthelloRecord::from(&"e6f4e3f6g5d6e7f5c5".parse::<othello_core::Game>().unwrap());
            record.info.black.name = "Ada".to_owned();
            record.info.event = "Cup".to_owned();
            record.info.date = year.to_owned();
            writer
                .add(&record, &mut crate::RecordLosses::default())
                .unwrap();
            let files = writer.finish([2026, 1, 1]);
            for (name, bytes) in [
                (format!("WTH_{year}.wtb"), files.games),
                ("WTHOR.JOU".to_owned(), files.players),
                ("WTHOR.TRN".to_owned(), files.tournaments),
            ] {
                std::fs::write(folder.path(&name), bytes).unwrap();
            }
            years.push(folder.path(format!("WTH_{year}.wtb")));
        }
        assert_eq!(
            othello_record_files(folder.path(".").as_path())
                .unwrap()
                .len(),
            2
        );
        let names = WthorNameFiles::find(&years, &[]).unwrap();
        let reader = read_archives(years.clone(), names, 2, |read| read.record.info);
        let all: Vec<_> = reader
            .flat_map(|batch| batch.unwrap().items)
            .map(Result::unwrap)
            .collect();
        let told: Vec<_> = all
            .iter()
            .map(|info| (&info.black.name[..], &info.event[..], &info.date[..]))
            .collect();
        assert_eq!(told, [("Ada", "Cup", "1998"), ("Ada", "Cup", "1999")]);
    }
}
