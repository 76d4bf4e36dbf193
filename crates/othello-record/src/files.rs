//! Files with any number of records, read in pieces on many threads. What a file is, its content says, not its name.
//!
//! Memory is bounded by the pieces in flight, whatever the length of a file of text.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use yane_io::{Chunk, ChunkReader, Error, Map, OrderedParallelMap, TextFile};

use crate::archive::{ArchiveError, ArchivedRecord, Division, RecordPiece, edax, line_ends, wthor};
use crate::edx;
use crate::wthor::WthorFile;
use crate::wthor_names::WthorNameFiles;

/// The records of a piece of a file, or what was made of them.
#[derive(Clone, Debug)]
pub struct RecordBatch<T> {
    /// The file, by its number among those that are read.
    pub file: usize,
    /// The length of the piece in bytes.
    pub bytes: u64,
    /// What the work made of the records, or why they cannot be read.
    pub items: Vec<Result<T, ArchiveError>>,
}

/// Reads the records of files on several threads: an iterator over [`RecordBatch`]es in the order of files and records.
pub struct OthelloArchive<T> {
    total: u64,
    batches: OrderedParallelMap<RecordBatch<T>, Error>,
}

/// The length of a piece in bytes.
const CHUNK: usize = 1 << 20;

/// What a worker gets.
enum Work {
    Binary(usize),
    Text {
        file: usize,
        division: Division,
        is_whole: bool,
        line: u64,
        chunk: Chunk,
    },
}

impl<T: Send + 'static> OthelloArchive<T> {
    /// Reads files, one after the other; `work` is called once for each record, on `threads` threads. Games of WTHOR have the
    /// names that `names` found for their file. Files of names are passed over.
    pub fn new(
        files: Vec<PathBuf>,
        names: WthorNameFiles,
        threads: usize,
        work: impl Fn(ArchivedRecord) -> T + Send + Sync + 'static,
    ) -> Self {
        Self::with_chunks(files, names, threads, CHUNK, work)
    }

    fn with_chunks(
        files: Vec<PathBuf>,
        names: WthorNameFiles,
        threads: usize,
        size: usize,
        work: impl Fn(ArchivedRecord) -> T + Send + Sync + 'static,
    ) -> Self {
        let lengths = files.iter().filter_map(|path| path.metadata().ok());
        let total = lengths.map(|data| data.len()).sum();
        let files: Arc<[PathBuf]> = files.into();
        let mut source = Source {
            files: Arc::clone(&files),
            next: 0,
            size,
            open: None,
        };
        let read = move |piece: Work| {
            let mut items = Vec::new();
            let file = piece.file();
            let path = &files[file];
            let mut take = |record: Result<ArchivedRecord, ArchiveError>| {
                let in_file = |error: ArchiveError| ArchiveError {
                    path: Some(path.clone()),
                    ..error
                };
                items.push(record.map(&work).map_err(in_file));
            };
            let bytes = match piece {
                Work::Binary(_) => {
                    let map = Map::open(path)?;
                    match WthorFile::new(&map) {
                        Some(file) => wthor(&file, &names.of(Some(path)), &mut take),
                        None => edax(&map, &mut take),
                    }
                    map.len() as u64
                }
                Work::Text {
                    division,
                    is_whole,
                    line,
                    chunk,
                    ..
                } => {
                    let bytes = &chunk.bytes[..];
                    let piece = RecordPiece {
                        division,
                        is_whole,
                        line,
                        bytes,
                    };
                    piece.read(&mut take);
                    bytes.len() as u64
                }
            };
            Ok(RecordBatch { file, bytes, items })
        };
        let pieces = move || source.next_piece();
        let batches = if threads <= 1 {
            OrderedParallelMap::in_place(pieces, read)
        } else {
            OrderedParallelMap::new(threads, pieces, read)
        };
        Self { total, batches }
    }

    /// The length of all files in bytes, as far as the system knows.
    pub const fn total_len(&self) -> u64 {
        self.total
    }
}

impl<T: Send + 'static> Iterator for OthelloArchive<T> {
    type Item = yane_io::Result<RecordBatch<T>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.batches.next()
    }
}

impl Work {
    const fn file(&self) -> usize {
        match self {
            Self::Binary(file) | Self::Text { file, .. } => *file,
        }
    }
}

/// Cuts files into pieces.
struct Source {
    files: Arc<[PathBuf]>,
    next: usize,
    size: usize,
    open: Option<OpenText>,
}

struct OpenText {
    file: usize,
    division: Division,
    reader: ChunkReader,
    line: u64,
    is_small: bool,
}

impl Source {
    fn next_piece(&mut self) -> yane_io::Result<Option<Work>> {
        loop {
            if let Some(open) = &mut self.open {
                let Some(chunk) = open.reader.next_chunk()? else {
                    self.open = None;
                    continue;
                };
                let line = open.line;
                open.line += line_ends(&chunk.bytes);
                return Ok(Some(Work::Text {
                    file: open.file,
                    division: open.division,
                    is_whole: open.is_small,
                    line,
                    chunk,
                }));
            }
            let Some(path) = self.files.get(self.next).cloned() else {
                return Ok(None);
            };
            let file = self.next;
            self.next += 1;
            if let Some(work) = self.open_file(file, &path)? {
                return Ok(Some(work));
            }
        }
    }

    /// Opens a file of text, or gives the piece that a file of WTHOR is.
    fn open_file(&mut self, file: usize, path: &Path) -> yane_io::Result<Option<Work>> {
        let text = TextFile::open_any(path)?;
        let head = text.head();
        let length = path.metadata().map_or(0, |data| data.len());
        if WthorFile::new(head.bytes()).is_some() || edx::begins(head.bytes(), length) {
            return Ok(Some(Work::Binary(file)));
        }
        crate::input::check_kind(path, head)?;
        let division = Division::of(&head.text());
        let reader = ChunkReader::text(text, self.size, move |bytes| division.last_border(bytes));
        // The length is not known of pipes: they are read by lines.
        let is_small = (1..self.size as u64).contains(&reader.file_len());
        self.open = Some(OpenText {
            file,
            division,
            reader,
            line: 1,
            is_small,
        });
        Ok(None)
    }
}

/// The extensions of files that have records, in lower case.
const EXTENSIONS: [&str; 15] = [
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
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let entries = std::fs::read_dir(&folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        for entry in entries.map_err(Error::io(&folder))? {
            let path = entry.path();
            let extension = path.extension().and_then(|extension| extension.to_str());
            let extension = extension.map(str::to_ascii_lowercase).unwrap_or_default();
            let is_table = path.file_name().is_some_and(|name| name == "summary.csv");
            if path.is_dir() {
                open.push(path);
            } else if EXTENSIONS.contains(&&extension[..]) && !is_table {
                found.push(path);
            }
        }
    }
    if found.is_empty() {
        let reason = "has no game records (.txt, .ggf, .sgf, .pgn, .wtb, .json, .obf …)";
        return Err(Error::file(folder, reason));
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use test_support::TestFolder;

    use super::*;
    use crate::{OthelloRecord, WthorNames, read_records};

    /// The place, and the moves or the reason.
    fn told(record: &Result<ArchivedRecord, ArchiveError>) -> String {
        match record {
            Ok(read) => format!("{}: {}", read.place, read.record.game()),
            Err(error) => format!("{}: error", error.place),
        }
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
            for (threads, size) in [(1, 64), (2, 64), (2, 100), (3, CHUNK)] {
                let files = vec![path.clone(), path.clone()];
                let reader = OthelloArchive::with_chunks(
                    files,
                    WthorNameFiles::default(),
                    threads,
                    size,
                    |read| read,
                );
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
        let reader = OthelloArchive::new(years.clone(), names, 2, |read| read.record.info);
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
