//! Files with any number of games, read in pieces on many threads.
//!
//! CSA has `/` between games; a KIF or KI2 begins where a header follows moves; JKF comes as objects one after the other or
//! in an array; USI as lines. Memory is bounded by the pieces in flight, whatever the length of the file.

use std::path::{Path, PathBuf};

use yane_io::sniff::Head;
use yane_io::{Chunk, ChunkReader, Error, OrderedParallelMap, TextFile};

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

/// A piece of a file: what was made of its games, in order.
#[derive(Clone, Debug)]
pub struct GameBatch<T> {
    /// Length of the piece in bytes.
    pub bytes: u64,
    /// What the work made of each game, or of the reason why it is none.
    pub items: Vec<T>,
}

/// Reads the games of a file on several threads: an iterator over [`GameBatch`]es in the order of the file.
pub struct ArchiveReader<T> {
    format: KifuFormat,
    len: u64,
    batches: OrderedParallelMap<GameBatch<T>, Error>,
}

/// Length of a piece in bytes.
const CHUNK: usize = 1 << 20;

impl<T: Send + 'static> ArchiveReader<T> {
    /// Opens the file at `path`; `work` is called on `threads` threads, once for each game.
    ///
    /// # Errors
    /// When the file cannot be opened, or is none of the formats.
    pub fn open(
        path: &Path,
        threads: usize,
        work: impl Fn(Result<ArchiveGame, KifuError>) -> T + Send + Sync + 'static,
    ) -> yane_io::Result<Self> {
        Self::with_chunks(path, threads, CHUNK, work)
    }

    fn with_chunks(
        path: &Path,
        threads: usize,
        size: usize,
        work: impl Fn(Result<ArchiveGame, KifuError>) -> T + Send + Sync + 'static,
    ) -> yane_io::Result<Self> {
        let (format, is_utf8) = detect_head(&Head::read(path)?).ok_or_else(|| unknown(path))?;
        let text = TextFile::open_any(path)?;
        let border = move |bytes: &[u8]| last_start(format, is_utf8, bytes);
        let mut reader = ChunkReader::text(text, size, border);
        let len = reader.file_len();
        let mut next_line = 1;
        let source = move || {
            let chunk = reader.next_chunk()?;
            Ok(chunk.map(|chunk: Chunk| {
                let line = next_line;
                next_line += count_lines(&chunk.bytes);
                (chunk, line)
            }))
        };
        let path = path.to_owned();
        let work = move |(chunk, line): (Chunk, u64)| {
            let mut items = Vec::new();
            for_each_game(format, is_utf8, &chunk, line, &mut |game| {
                items.push(work(game.map_err(|error| error.in_file(&path))));
            });
            let bytes = chunk.bytes.len() as u64;
            Ok(GameBatch { bytes, items })
        };
        let batches = if threads <= 1 {
            OrderedParallelMap::in_place(source, work)
        } else {
            OrderedParallelMap::new(threads, source, work)
        };
        Ok(Self {
            format,
            len,
            batches,
        })
    }

    /// The format of the file.
    pub const fn format(&self) -> KifuFormat {
        self.format
    }

    /// Length of the file in bytes; 0 when the system does not know.
    pub const fn file_len(&self) -> u64 {
        self.len
    }
}

impl<T: Send + 'static> Iterator for ArchiveReader<T> {
    type Item = yane_io::Result<GameBatch<T>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.batches.next()
    }
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
    for_each_game(format, is_utf8, &whole, 1, &mut |game| games.push(game));
    Ok((format, games))
}

fn unknown(path: &Path) -> Error {
    let path: PathBuf = path.to_owned();
    Error::file(
        path,
        "is no game record (expected KIF, KI2, CSA, JKF or USI lines)",
    )
}

/// The format, and whether the text is UTF-8 (or UTF-16, which is read as such).
fn detect_head(head: &Head) -> Option<(KifuFormat, bool)> {
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
    format: KifuFormat,
    is_utf8: bool,
    chunk: &Chunk,
    first_line: u64,
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
            let read = decode_record(game).and_then(|text| format.read(&text));
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

/// The game in a piece between two borders, and the bytes before it; `None` when there is none.
fn game_text(format: KifuFormat, slice: &[u8]) -> Option<(usize, &[u8])> {
    let is_gap = |byte: &u8| match format {
        KifuFormat::Jkf => byte.is_ascii_whitespace() || matches!(byte, b',' | b'[' | b']'),
        _ => byte.is_ascii_whitespace() || *byte == 0x1a,
    };
    let first = slice.iter().position(|byte| !is_gap(byte))?;
    let last = slice.iter().rposition(|byte| !is_gap(byte))?;
    let end = slice
        .iter()
        .rposition(|byte| !matches!(byte, b'\n' | b'\r' | 0x1a))?;
    // Blanks at the end of a line may belong to a comment.
    let text = &slice[..=end];
    match format {
        KifuFormat::Jkf => Some((first, &slice[first..=last])),
        KifuFormat::Usi => {
            let line = &slice[first..=last];
            (!line.starts_with(b"#") && !line.starts_with(b"//")).then_some((first, line))
        }
        KifuFormat::Csa => {
            // The separator belongs to the game before it.
            let line = memchr::memrchr2(b'\n', b'\r', text).map_or(0, |at| at + 1);
            let text = match text[line..].trim_ascii() {
                b"/" => &text[..line],
                _ => text,
            };
            text.iter().any(|byte| !is_gap(byte)).then_some((0, text))
        }
        KifuFormat::Kif | KifuFormat::Ki2 => Some((0, text)),
    }
}

/// The last place where a piece may begin.
fn last_start(format: KifuFormat, is_utf8: bool, bytes: &[u8]) -> Option<usize> {
    match format {
        KifuFormat::Usi => {
            let text = bytes.strip_suffix(b"\r").unwrap_or(bytes);
            Some(memchr::memrchr2(b'\n', b'\r', text)? + 1)
        }
        // Here the last piece begins behind the last whole object.
        _ => game_starts(format, is_utf8, bytes).last().copied(),
    }
}

/// The places where games begin; the first is 0.
fn game_starts(format: KifuFormat, is_utf8: bool, bytes: &[u8]) -> Vec<usize> {
    match format {
        KifuFormat::Jkf => json_starts(bytes),
        KifuFormat::Usi => Lines(bytes, 0).map(|(start, _)| start).collect(),
        KifuFormat::Csa => csa_starts(bytes),
        KifuFormat::Kif | KifuFormat::Ki2 => kif_starts(bytes, is_utf8),
    }
}

/// Lines with the place where they begin.
struct Lines<'a>(&'a [u8], usize);

impl<'a> Iterator for Lines<'a> {
    type Item = (usize, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let Self(bytes, start) = *self;
        let rest = &bytes[start..];
        if rest.is_empty() {
            return None;
        }
        let end = memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        let after = if rest[end..].starts_with(b"\r\n") {
            2
        } else {
            1
        };
        self.1 = (start + end + after).min(bytes.len());
        Some((start, &rest[..end]))
    }
}

fn count_lines(bytes: &[u8]) -> u64 {
    let mut count = 0;
    for at in memchr::memchr2_iter(b'\n', b'\r', bytes) {
        let second = bytes[at] == b'\n' && at > 0 && bytes[at - 1] == b'\r';
        count += u64::from(!second);
    }
    count
}

fn csa_starts(bytes: &[u8]) -> Vec<usize> {
    let mut starts = vec![0];
    let mut has_moves = false;
    let mut separated = false;
    for (start, line) in Lines(bytes, 0) {
        let is_version = matches!(line, [b'V', b'1'..=b'9', ..]);
        if separated || (is_version && has_moves) {
            starts.push(start);
            (separated, has_moves) = (false, false);
        }
        match line {
            [b'/', rest @ ..] if rest.iter().all(u8::is_ascii_whitespace) => separated = true,
            [b'+' | b'-' | b'%', ..] => has_moves = true,
            _ => {}
        }
    }
    starts
}

fn kif_starts(bytes: &[u8], is_utf8: bool) -> Vec<usize> {
    let variation: &[u8] = if is_utf8 {
        "変化".as_bytes()
    } else {
        b"\x95\xcf\x89\xbb"
    };
    let sentence: &[u8] = if is_utf8 {
        "まで".as_bytes()
    } else {
        b"\x82\xdc\x82\xc5"
    };
    let colon: &[u8] = if is_utf8 {
        "：".as_bytes()
    } else {
        b"\x81\x46"
    };
    let mut starts = vec![0];
    let mut has_moves = false;
    for (start, line) in Lines(bytes, 0) {
        let mut bare = line;
        while let Some(rest) = bare.strip_prefix(b" ").or_else(|| bare.strip_prefix(b"\t")) {
            bare = rest;
        }
        let is_head = match bare.first() {
            None | Some(b'*' | b'&') => continue,
            Some(b'#') => {
                line.starts_with(b"#KIF")
                    || line.starts_with(b"# KIF")
                    || line.starts_with(b"# ----")
            }
            Some(b'0'..=b'9') => {
                has_moves = true;
                continue;
            }
            Some(_) if bare.starts_with(variation) => continue,
            Some(_) if bare.starts_with(sentence) || is_mark(bare, is_utf8) => {
                has_moves = true;
                continue;
            }
            Some(_) => memchr::memmem::find(bare, colon).is_some(),
        };
        if is_head && has_moves {
            starts.push(start);
            has_moves = false;
        }
    }
    starts
}

/// Returns whether a line begins with the mark of a player.
fn is_mark(line: &[u8], is_utf8: bool) -> bool {
    if is_utf8 {
        matches!(
            line,
            [0xE2, 0x96, 0xB2 | 0xB3 | 0xBC | 0xBD, ..] | [0xE2, 0x98, 0x96 | 0x97, ..]
        )
    } else {
        matches!(line, [0x81, 0xA2..=0xA5, ..])
    }
}

/// 0, and the places behind objects that are not in another one.
fn json_starts(bytes: &[u8]) -> Vec<usize> {
    let mut starts = vec![0];
    let (mut depth, mut in_string, mut escaped) = (0usize, false, false);
    for (at, &byte) in bytes.iter().enumerate() {
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'{' => depth += 1,
            b'}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    starts.push(at + 1);
                }
            }
            _ => {}
        }
    }
    starts
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
                    let reader = ArchiveReader::with_chunks(&path, threads, size, told).unwrap();
                    let games: Vec<String> =
                        reader.flat_map(|batch| batch.unwrap().items).collect();
                    assert_eq!(games, expected, "{name} {size}");
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
        }
    }
}
