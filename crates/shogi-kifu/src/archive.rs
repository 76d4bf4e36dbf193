//! Files with any number of games, read in pieces on many threads.
//!
//! Where games begin is found in [`crate::borders`]. Memory is bounded by the pieces in flight, whatever the length of the file.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use yane_io::sniff::Head;
use yane_io::{Chunk, ChunkReader, Error, OrderedParallelMap, TextFile};

use crate::borders::{Lines, count_lines, game_starts, game_text, last_start};
use crate::error::{KifuError, KifuProblem};
use crate::format::KifuFormat;
use crate::record::GameRecord;
use crate::text::decode_record;

/// A game of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchiveGame {
    /// The game.
    pub record: GameRecord,
    /// Number of the line of the file where it begins, from 1.
    pub line: u64,
    /// The byte of the text where that line begins (as UTF-8 when the file is UTF-16, without a byte order mark).
    pub offset: u64,
}

/// What was made of the games of a piece of a file.
#[derive(Clone, Debug)]
pub struct GameBatch<T> {
    /// The file, by its number among those that are read.
    pub file: usize,
    /// Length of the piece in bytes.
    pub bytes: u64,
    /// What the work made of the piece.
    pub items: T,
}

/// A piece of a file, with whole games.
#[derive(Debug)]
pub struct GamePiece<'a> {
    path: &'a Path,
    /// `None`: the file is none of the formats.
    kind: Option<TextKind>,
    chunk: Chunk,
    /// Number of the first line.
    line: u64,
}

/// A format, and whether the text is UTF-8 (or UTF-16, which is read as such).
type TextKind = (KifuFormat, bool);

impl GamePiece<'_> {
    /// The file.
    pub const fn path(&self) -> &Path {
        self.path
    }

    /// The format of the file; `None` when it is none of them.
    pub fn format(&self) -> Option<KifuFormat> {
        self.kind.map(|(format, _)| format)
    }

    /// Returns whether games of the piece may have variations: by a word that stands where one begins. What is read with
    /// [`Self::for_each_opening`] may lack them.
    pub fn may_have_variations(&self) -> bool {
        let has = |word: &[u8]| memchr::memmem::find(&self.chunk.bytes, word).is_some();
        // The word in UTF-8 and in Shift_JIS.
        match self.format() {
            Some(KifuFormat::Kif | KifuFormat::Ki2) => {
                has("変化".as_bytes()) || has(b"\x95\xcf\x89\xbb")
            }
            Some(KifuFormat::Jkf) => has(b"\"forks\""),
            _ => false,
        }
    }

    /// Calls `take` with every game, or the reason why it is none, in order. A file that is none of the formats is one game that
    /// cannot be read.
    pub fn for_each_game(&self, take: impl FnMut(Result<ArchiveGame, KifuError>)) {
        self.for_each_opening(usize::MAX, take);
    }

    /// The same when only the first `plies` moves of each game are wanted; what is behind them may not be looked at.
    pub fn for_each_opening(
        &self,
        plies: usize,
        mut take: impl FnMut(Result<ArchiveGame, KifuError>),
    ) {
        let mut take = |game: Result<ArchiveGame, KifuError>| {
            take(game.map_err(|error| error.in_file(self.path)));
        };
        match self.kind {
            Some(kind) => for_each_game(kind, &self.chunk, self.line, plies, &mut take),
            None if self.line == 1 => take(Err(KifuError::new(1, KifuProblem::Nothing))),
            None => {}
        }
    }
}

/// Reads the games of files on several threads: an iterator over [`GameBatch`]es in the order of the files and their games.
pub struct ArchiveReader<T> {
    len: u64,
    batches: OrderedParallelMap<Vec<GameBatch<T>>, Error>,
    ready: std::vec::IntoIter<GameBatch<T>>,
}

/// Length of a piece in bytes. Smaller files are pieces, and as many of them as this are read at once.
const CHUNK: usize = 1 << 20;

impl<T: Send + 'static> ArchiveReader<Vec<T>> {
    /// Opens the file at `path`; `work` is called on `threads` threads, once for each game.
    ///
    /// # Errors
    /// When the file cannot be opened, or is none of the formats.
    pub fn open(
        path: &Path,
        threads: usize,
        work: impl Fn(Result<ArchiveGame, KifuError>) -> T + Send + Sync + 'static,
    ) -> yane_io::Result<Self> {
        if detect_file(path)?.is_none() {
            return Err(Error::file(path, KifuProblem::Nothing.to_string()));
        }
        Ok(ArchiveReader::open_all(
            vec![path.to_owned()],
            threads,
            move |piece| {
                let mut made = Vec::new();
                piece.for_each_game(|game| made.push(work(game)));
                made
            },
        ))
    }
}

impl<T: Send + 'static> ArchiveReader<T> {
    /// Reads `files`, one after the other; `work` is called on `threads` threads, once for each piece of a file. Errors in reading
    /// come in their place.
    pub fn open_all(
        files: Vec<PathBuf>,
        threads: usize,
        work: impl Fn(&GamePiece<'_>) -> T + Send + Sync + 'static,
    ) -> Self {
        Self::with_chunks(files, threads, CHUNK, work)
    }

    fn with_chunks(
        files: Vec<PathBuf>,
        threads: usize,
        size: usize,
        work: impl Fn(&GamePiece<'_>) -> T + Send + Sync + 'static,
    ) -> Self {
        let lens = files.iter().filter_map(|path| path.metadata().ok());
        let len = lens.map(|data| data.len()).sum::<u64>();
        let count = files.len();
        let files: Arc<[PathBuf]> = files.into();
        let mut pieces = Pieces {
            files: Arc::clone(&files),
            next: 0,
            size,
            open: None,
        };
        let source = move || pieces.next_pieces();
        let work = move |pieces: Vec<FilePiece>| {
            let batch = |piece: FilePiece| {
                let file = piece.file();
                let piece = piece.read(&files[file])?;
                let bytes = piece.chunk.bytes.len() as u64;
                let items = work(&piece);
                Ok(GameBatch { file, bytes, items })
            };
            pieces.into_iter().map(batch).collect()
        };
        // One small file is not worth a thread.
        let batches = if threads <= 1 || (count == 1 && len < size as u64) {
            OrderedParallelMap::in_place(source, work)
        } else {
            OrderedParallelMap::new(threads, source, work)
        };
        Self {
            len,
            batches,
            ready: Vec::new().into_iter(),
        }
    }

    /// Length of all files in bytes, as far as the system knows.
    pub const fn total_len(&self) -> u64 {
        self.len
    }
}

impl<T: Send + 'static> Iterator for ArchiveReader<T> {
    type Item = yane_io::Result<GameBatch<T>>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(batch) = self.ready.next() {
                return Some(Ok(batch));
            }
            match self.batches.next()? {
                Ok(batches) => self.ready = batches.into_iter(),
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

/// A piece that a worker gets: a file by its number, or a part of one.
enum FilePiece {
    /// A small file, which the worker reads.
    Whole(usize),
    /// A part of a large file.
    Part {
        file: usize,
        kind: Option<TextKind>,
        chunk: Chunk,
        line: u64,
    },
}

impl FilePiece {
    const fn file(&self) -> usize {
        match self {
            Self::Whole(file) | Self::Part { file, .. } => *file,
        }
    }

    fn read(self, path: &Path) -> yane_io::Result<GamePiece<'_>> {
        match self {
            Self::Whole(_) => {
                let bytes = std::fs::read(path).map_err(Error::io(path))?;
                let kind = detect_head(&Head::of(&bytes));
                let chunk = Chunk {
                    bytes: yane_io::decode_text(&bytes),
                    offset: 0,
                };
                Ok(GamePiece {
                    path,
                    kind,
                    chunk,
                    line: 1,
                })
            }
            Self::Part {
                kind, chunk, line, ..
            } => Ok(GamePiece {
                path,
                kind,
                chunk,
                line,
            }),
        }
    }
}

/// Cuts files into pieces.
struct Pieces {
    files: Arc<[PathBuf]>,
    /// The next file.
    next: usize,
    /// Length of a piece in bytes.
    size: usize,
    open: Option<OpenArchive>,
}

struct OpenArchive {
    file: usize,
    kind: Option<TextKind>,
    reader: ChunkReader,
    line: u64,
}

impl Pieces {
    fn next_pieces(&mut self) -> yane_io::Result<Option<Vec<FilePiece>>> {
        // What opening a file costs, in bytes of text.
        const OPENING: usize = 2 << 10;
        let (mut pieces, mut bytes) = (Vec::new(), 0);
        while bytes < self.size {
            if let Some(open) = &mut self.open {
                let Some(chunk) = open.reader.next_chunk()? else {
                    self.open = None;
                    continue;
                };
                bytes += chunk.bytes.len();
                let line = open.line;
                open.line += count_lines(&chunk.bytes);
                let (file, kind) = (open.file, open.kind);
                pieces.push(FilePiece::Part {
                    file,
                    kind,
                    chunk,
                    line,
                });
                continue;
            }
            let Some(path) = self.files.get(self.next) else {
                break;
            };
            let data = path.metadata().map_err(Error::io(path))?;
            let file = self.next;
            self.next += 1;
            if data.is_file() && data.len() < self.size as u64 {
                bytes += data.len() as usize + OPENING;
                pieces.push(FilePiece::Whole(file));
            } else {
                self.open = Some(OpenArchive::new(file, path, self.size)?);
            }
        }
        Ok((!pieces.is_empty()).then_some(pieces))
    }
}

impl OpenArchive {
    fn new(file: usize, path: &Path, size: usize) -> yane_io::Result<Self> {
        let text = TextFile::open_any(path)?;
        let kind = detect_head(text.head());
        let border = move |bytes: &[u8]| match kind {
            Some(kind) => last_start(kind, bytes),
            None => Some(bytes.len()),
        };
        let reader = ChunkReader::text(text, size, border);
        Ok(Self {
            file,
            kind,
            reader,
            line: 1,
        })
    }
}

/// The files of game records at `path`: itself, or, when it is a folder, all in it and below whose extensions are those of
/// records, in the order of their names. A `.json` that is no JKF is none of them.
///
/// # Errors
/// When a folder cannot be read or has no such file.
pub fn record_files(path: &Path) -> yane_io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    walk(path, &mut found)?;
    if found.is_empty() {
        let reason = "has no game records (.kif, .kifu, .ki2, .csa, .jkf, .sfen, .usi …)";
        return Err(Error::file(path, reason));
    }
    Ok(found)
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) -> yane_io::Result<()> {
    let mut entries = std::fs::read_dir(folder)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(Error::io(folder))?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        if path.is_dir() {
            walk(&path, found)?;
        } else if is_record(&path) {
            found.push(path);
        }
    }
    Ok(())
}

/// Returns whether a file in a folder is one of game records by its extension. Of JSON, which may be anything, the content says it.
fn is_record(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    let Some(format) = extension.and_then(KifuFormat::of_extension) else {
        return false;
    };
    let is_any = format == KifuFormat::Jkf
        && extension.is_some_and(|extension| !extension.eq_ignore_ascii_case("jkf"));
    if !is_any {
        return true;
    }
    // What cannot be read is told when it is read.
    Head::read(path).map_or(true, |head| {
        let text = head.text();
        let moves = memchr::memmem::find_iter(&text, b"\"moves\"");
        let mut behind = moves.map(|at| text[at + 7..].trim_ascii_start());
        behind.any(|rest| {
            let value = rest.strip_prefix(b":").map(<[u8]>::trim_ascii_start);
            value.is_some_and(|value| value.starts_with(b"["))
        })
    })
}

/// The format of the file at `path`; `None` when it is none of them.
///
/// # Errors
/// When the file cannot be read.
pub fn detect_file(path: &Path) -> yane_io::Result<Option<KifuFormat>> {
    Ok(detect_head(&Head::read(path)?).map(|(format, _)| format))
}

/// The format of the text in `bytes`, and its games or the reasons why they are none.
///
/// # Errors
/// When the text is none of the formats.
pub fn read_games(
    bytes: &[u8],
) -> Result<(KifuFormat, Vec<Result<ArchiveGame, KifuError>>), KifuError> {
    let text = yane_io::decode_text(bytes);
    let (format, is_utf8) =
        detect_head(&Head::of(bytes)).ok_or_else(|| KifuError::new(1, KifuProblem::Nothing))?;
    let mut games = Vec::new();
    let whole = Chunk {
        bytes: text,
        offset: 0,
    };
    for_each_game((format, is_utf8), &whole, 1, usize::MAX, &mut |game| {
        games.push(game);
    });
    Ok((format, games))
}

fn detect_head(head: &Head) -> Option<TextKind> {
    let bytes = head.text();
    let (text, is_utf8) = match std::str::from_utf8(&bytes) {
        Ok(text) => (text.into(), true),
        // A character may be cut in two at the end.
        Err(error) if error.error_len().is_none() => {
            (String::from_utf8_lossy(&bytes[..error.valid_up_to()]), true)
        }
        Err(_) => {
            let whole = &bytes[..bytes
                .iter()
                .rposition(u8::is_ascii_whitespace)
                .unwrap_or(bytes.len())];
            (decode_record(whole).ok()?, false)
        }
    };
    Some((KifuFormat::detect(&text)?, is_utf8))
}

fn for_each_game(
    (format, is_utf8): TextKind,
    chunk: &Chunk,
    first_line: u64,
    plies: usize,
    take: &mut dyn FnMut(Result<ArchiveGame, KifuError>),
) {
    let bytes = &chunk.bytes[..];
    let starts = game_starts(format, is_utf8, bytes);
    let mut line = first_line;
    for (index, &start) in starts.iter().enumerate() {
        let end = starts.get(index + 1).copied().unwrap_or(bytes.len());
        let slice = &bytes[start..end];
        let lines = count_lines(slice);
        if let Some((skipped, game)) = game_text(format, slice) {
            let line = line + count_lines(&slice[..skipped]);
            let read = decode_record(game).and_then(|text| format.read_opening(&text, plies));
            take(match read {
                Ok(record) => Ok(ArchiveGame {
                    record,
                    line,
                    offset: chunk.offset + (start + skipped) as u64,
                }),
                Err(mut error) => {
                    let lines = Lines(slice, skipped).map(|(start, _)| start);
                    let within = lines.take(error.line as usize).last().unwrap_or(0);
                    error.offset = chunk.offset + (start + within) as u64;
                    error.line += line - 1;
                    Err(error)
                }
            });
        }
        line += lines;
    }
}

#[cfg(test)]
mod tests {
    use test_support::TestFolder;

    use super::*;

    /// What was read of each game: moves, or the error.
    fn told(game: Result<ArchiveGame, KifuError>) -> String {
        match game {
            Ok(game) => format!("{}: {}", game.line, game.record.moves().count()),
            Err(error) => format!("error in {}", error.line),
        }
    }

    #[test]
    fn variations_are_seen_before_they_are_read() {
        let folder = TestFolder::new();
        let main = "手合割：平手\n   1 ７六歩(77)\n";
        let with = format!("{main}変化：1手\n   1 ２六歩(27)\n");
        let (shift_jis, _, _) = encoding_rs::SHIFT_JIS.encode(&with);
        let jkf = r#"{"moves":[{},{"forks":[[]]}]}"#;
        for (text, expected) in [
            (main.as_bytes(), false),
            (with.as_bytes(), true),
            (&shift_jis, true),
            (jkf.as_bytes(), true),
            (b"PI\n+\n+7776FU\n'\x95\xcf\x89\xbb\n", false),
        ] {
            folder.write("games", text);
            let found = ArchiveReader::open_all(vec![folder.path("games")], 1, |piece| {
                piece.may_have_variations()
            });
            let found: Vec<bool> = found.map(|batch| batch.unwrap().items).collect();
            assert_eq!(found, [expected]);
        }
    }

    #[test]
    fn games_are_found_in_every_format() {
        let csa = "V2.2\r\nPI\r\n+\r\n+7776FU\r\n%TORYO\r\n/\r\nPI\r\n+\r\n+7776FU\r\n-7776FU\r\n/\r\nV2.2\nPI\n+\n+2726FU\n-8384FU\nV2.2\nPI\n+\n";
        let kif = "#KIF version=2.0 encoding=UTF-8\n先手：あ\n   1 ７六歩(77)\n*先手：い\n\n手合割：平手\n   1 ２六歩(27)\n   2 ８四歩(83)\n変化：1手\n   1 ７六歩(77)\n# ---- Kifu\n先手：う\n   1 ９七歩(98)\n";
        let ki2 = "手合割：平手\n▲７六歩△３四歩\nまで2手で中断\n先手：え\n▲２六歩\n";
        let jkf = "[{\"header\":{\"a\":\"}{\"},\"moves\":[{}]},\n{\"header\":{},\"moves\":[{},{\"move\":{\"piece\":\"FU\",\"from\":{\"x\":7,\"y\":7},\"to\":{\"x\":7,\"y\":6}}}]}, {\"moves\":3}]\n";
        let usi = "# games\nstartpos moves 7g7f\n\n7g7f 3c3d\nstartpos moves 7g7z\n";
        let cases: [(&str, KifuFormat, &[&str]); 5] = [
            (
                csa,
                KifuFormat::Csa,
                &["1: 1", "error in 10", "12: 2", "17: 0"],
            ),
            (kif, KifuFormat::Kif, &["1: 1", "6: 2", "error in 13"]),
            (ki2, KifuFormat::Ki2, &["1: 2", "4: 1"]),
            (jkf, KifuFormat::Jkf, &["1: 0", "2: 1", "error in 2"]),
            (usi, KifuFormat::Usi, &["2: 1", "4: 2", "error in 5"]),
        ];
        let folder = TestFolder::new();
        for (text, format, expected) in cases {
            let (found, games) = read_games(text.as_bytes()).unwrap();
            assert_eq!(found, format);
            assert_eq!(games.into_iter().map(told).collect::<Vec<_>>(), expected);
            let (bytes, _) =
                crate::encode_record(text, crate::Charset::ShiftJis, crate::LineEnds::Lf);
            for (name, bytes) in [("utf8", text.as_bytes()), ("sjis", &bytes)] {
                let path = folder.path(name);
                std::fs::write(&path, bytes).unwrap();
                for (threads, size) in [(1, 64), (2, 64), (2, 100), (3, CHUNK)] {
                    let files = vec![path.clone(); 3];
                    let reader = ArchiveReader::with_chunks(files, threads, size, |piece| {
                        let mut games = Vec::new();
                        piece.for_each_game(|game| games.push(told(game)));
                        games
                    });
                    let mut games = [const { Vec::new() }; 3];
                    for batch in reader {
                        let batch = batch.unwrap();
                        games[batch.file].extend(batch.items);
                    }
                    assert_eq!(games, [expected; 3], "{name} {size}");
                }
            }
        }
    }

    #[test]
    fn other_files_are_refused() {
        let folder = TestFolder::new();
        for text in ["dear reader\n", "", "{\"a\": 1}"] {
            let path = folder.path("x");
            std::fs::write(&path, text).unwrap();
            assert!(ArchiveReader::open(&path, 1, told).is_err(), "{text}");
            assert!(read_games(text.as_bytes()).is_err());
            let reader = ArchiveReader::open_all(vec![path], 2, |piece| {
                let mut bad = 0;
                piece.for_each_game(|game| bad += u32::from(game.is_err()));
                bad
            });
            let bad: Vec<u32> = reader.map(|batch| batch.unwrap().items).collect();
            assert_eq!(bad, [1], "{text}");
        }
        let missing = ArchiveReader::open_all(vec![folder.path("y")], 1, |_| ()).next();
        assert!(missing.unwrap().is_err());
    }
}
