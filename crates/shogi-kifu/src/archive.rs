//! Files with any number of games, read in pieces on many threads by [`yane_io::archive`].
//!
//! Where games begin is found in [`crate::borders`].

use std::path::{Path, PathBuf};

use yane_io::Error;
use yane_io::archive::{
    ArchiveFormats, ArchivePiece, ArchiveReader, PIECE, count_lines, files_below, read_bytes,
};
use yane_io::sniff::Head;

use crate::borders::{Lines, game_starts, game_text, last_start};
use crate::error::{KifuError, KifuProblem};
use crate::format::KifuFormat;
use crate::record::GameRecord;
use crate::text::decode_record;

/// A game of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchiveGame {
    /// The game.
    pub record: GameRecord,
    /// The format that it is written in.
    pub format: KifuFormat,
    /// Number of the line of the file where it begins, from 1.
    pub line: u64,
    /// The byte of the text where that line begins (as UTF-8 when the file is UTF-16, without a byte order mark).
    pub offset: u64,
}

/// The formats of shogi's game records, as [`yane_io::archive`] reads them.
#[derive(Clone, Copy, Debug, Default)]
pub struct KifuFormats;

/// A format, and whether the text is UTF-8 (or UTF-16, which is read as such).
type TextKind = (KifuFormat, bool);

impl ArchiveFormats for KifuFormats {
    /// `None`: the file is none of the formats.
    type Kind = Option<TextKind>;
    type Record = ArchiveGame;
    type Error = KifuError;

    /// A file that is none of the formats is one game that cannot be read; what is no file is refused.
    fn detect(&self, path: Option<&Path>, head: &Head) -> yane_io::Result<Self::Kind> {
        let kind = detect_head(head);
        if kind.is_none() && path.is_none() {
            let reason = KifuError::new(1, KifuProblem::Nothing);
            return Err(Error::file("standard input", reason.to_string()));
        }
        Ok(kind)
    }

    fn is_text(&self, _: Self::Kind) -> bool {
        true
    }

    fn last_border(&self, kind: Self::Kind, bytes: &[u8]) -> Option<usize> {
        match kind {
            Some(kind) => last_start(kind, bytes),
            None => Some(bytes.len()),
        }
    }

    fn read(
        &self,
        piece: &ArchivePiece<'_, Self::Kind>,
        take: &mut dyn FnMut(Result<ArchiveGame, KifuError>),
    ) {
        GamePiece(*piece).for_each_opening(usize::MAX, take);
    }
}

/// A piece of a file, with whole games.
#[derive(Clone, Copy, Debug)]
pub struct GamePiece<'a>(ArchivePiece<'a, Option<TextKind>>);

impl GamePiece<'_> {
    /// The file; empty when the piece is of none.
    pub fn path(&self) -> &Path {
        self.0.path.unwrap_or(Path::new(""))
    }

    /// The format of the file; `None` when it is none of them.
    pub fn format(&self) -> Option<KifuFormat> {
        self.0.kind.map(|(format, _)| format)
    }

    /// Returns whether games of the piece may have variations: by a word that stands where one begins. What is read with
    /// [`Self::for_each_opening`] may lack them.
    pub fn may_have_variations(&self) -> bool {
        let has = |word: &[u8]| memchr::memmem::find(self.0.bytes, word).is_some();
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
            take(game.map_err(|error| match self.0.path {
                Some(path) => error.in_file(path),
                None => error,
            }));
        };
        match self.0.kind {
            Some(kind) => for_each_game(kind, &self.0, plies, &mut take),
            None if self.0.line == 1 => take(Err(KifuError::new(1, KifuProblem::Nothing))),
            None => {}
        }
    }
}

/// Opens the file at `path`; `work` is called on `threads` threads, once for each game.
///
/// # Errors
/// When the file cannot be opened, or is none of the formats.
pub fn open_archive<T: Send + 'static>(
    path: &Path,
    threads: usize,
    work: impl Fn(Result<ArchiveGame, KifuError>) -> T + Send + Sync + 'static,
) -> yane_io::Result<ArchiveReader<Vec<T>>> {
    if detect_file(path)?.is_none() {
        return Err(Error::file(path, KifuProblem::Nothing.to_string()));
    }
    Ok(read_archives(
        vec![path.to_owned()],
        threads,
        move |piece| {
            let mut made = Vec::new();
            piece.for_each_game(|game| made.push(work(game)));
            made
        },
    ))
}

/// Reads `files`, one after the other; `work` is called on `threads` threads, once for each piece of a file. Errors in reading
/// come in their place.
pub fn read_archives<T: Send + 'static>(
    files: Vec<PathBuf>,
    threads: usize,
    work: impl Fn(&GamePiece<'_>) -> T + Send + Sync + 'static,
) -> ArchiveReader<T> {
    read_pieces(files, threads, PIECE, work)
}

fn read_pieces<T: Send + 'static>(
    files: Vec<PathBuf>,
    threads: usize,
    size: usize,
    work: impl Fn(&GamePiece<'_>) -> T + Send + Sync + 'static,
) -> ArchiveReader<T> {
    ArchiveReader::new(KifuFormats, files, threads, size, move |_, piece| {
        work(&GamePiece(*piece))
    })
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
    let found = files_below(path, &is_record)?;
    if found.is_empty() {
        let reason = "has no game records (.kif, .kifu, .ki2, .csa, .jkf, .sfen, .usi …)";
        return Err(Error::file(path, reason));
    }
    Ok(found)
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
    let mut games = Vec::new();
    let kind = read_bytes(&KifuFormats, bytes, &mut |game| games.push(game));
    match kind {
        Ok(Some((format, _))) => Ok((format, games)),
        _ => Err(KifuError::new(1, KifuProblem::Nothing)),
    }
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
    piece: &ArchivePiece<'_, Option<TextKind>>,
    plies: usize,
    take: &mut dyn FnMut(Result<ArchiveGame, KifuError>),
) {
    let bytes = piece.bytes;
    let starts = game_starts(format, is_utf8, bytes);
    let mut line = piece.line;
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
                    format,
                    line,
                    offset: piece.offset + (start + skipped) as u64,
                }),
                Err(mut error) => {
                    let lines = Lines(slice, skipped).map(|(start, _)| start);
                    let within = lines.take(error.line as usize).last().unwrap_or(0);
                    error.offset = piece.offset + (start + within) as u64;
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
        let (shift_jis, _) = yane_io::encode_shift_jis(&with);
        let jkf = r#"{"moves":[{},{"forks":[[]]}]}"#;
        for (text, expected) in [
            (main.as_bytes(), false),
            (with.as_bytes(), true),
            (&shift_jis, true),
            (jkf.as_bytes(), true),
            (b"PI\n+\n+7776FU\n'\x95\xcf\x89\xbb\n", false),
        ] {
            folder.write("games", text);
            let found = read_archives(vec![folder.path("games")], 1, |piece| {
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
                for (threads, size) in [(1, 64), (2, 64), (2, 100), (3, PIECE)] {
                    let files = vec![path.clone(); 3];
                    let reader = read_pieces(files, threads, size, |piece| {
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
            assert!(open_archive(&path, 1, told).is_err(), "{text}");
            assert!(read_games(text.as_bytes()).is_err());
            let reader = read_archives(vec![path], 2, |piece| {
                let mut bad = 0;
                piece.for_each_game(|game| bad += u32::from(game.is_err()));
                bad
            });
            let bad: Vec<u32> = reader.map(|batch| batch.unwrap().items).collect();
            assert_eq!(bad, [1], "{text}");
        }
        let missing = read_archives(vec![folder.path("y")], 1, |_| ()).next();
        assert!(missing.unwrap().is_err());
    }
}
