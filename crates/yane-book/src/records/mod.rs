//! Record files: games in any format that [`shogi_kifu`] reads (KIF, KI2, CSA, JKF), by content; mostly `.sfen`, one game a
//! line.
//!
//! A line is what follows the word `position` of USI:
//!
//! ```text
//! startpos moves 7g7f 3c3d resign
//! sfen <board> <side> <hands> <ply> moves 8c8d
//! ```
//!
//! Also accepted: the word `position` itself in front; an SFEN without the word `sfen`; moves without a
//! start (even game) or without the word `moves`; an SFEN without its move number (1); words and moves in
//! capitals (`STARTPOS MOVES 7G7F`); wide blanks (U+3000); UTF-8 and UTF-16, with or without a byte order
//! mark; lines that end with LF, CR LF or CR; blanks at both ends; comments (`#`, `//`) and empty lines.
//! `win` and `resign` end a game. A move that cannot be played ends the game too, and is kept as a
//! [`RecordProblem`].

mod replay;
mod scores;

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};

use shogi_core::{Game, Move, Position};
use shogi_kifu::{
    ArchiveGame, GamePiece, GameRecord, KifuError, KifuFormat, read_archives, record_files,
};
use yane_io::sniff::{Expected, Head};
use yane_io::{Chunk, ChunkReader, ReadLimit, TextFile, read_text};

use crate::db::{BadLines, LineProblem, Lines, line_error, lines_at, map_chunks, open_chunks};
use crate::sniff::RECORDS;
use crate::{BookError, Job, Result, Unit};

pub use replay::Replay;
pub(crate) use replay::legal_move;
pub(crate) use scores::MoveScore;

/// Length of a piece in bytes: thousands of games, so that handing it over costs nothing.
const CHUNK: usize = 256 << 10;

/// Calls `work` on every piece of the file at `path` (whole lines of what is `expected` there) on the job's
/// threads, and `take` on the results in the order of the file.
pub(crate) fn for_each_chunk<T: Send + 'static>(
    path: &Path,
    expected: &Expected<'_>,
    job: &Job,
    work: impl Fn(&Chunk) -> Result<T> + Send + Sync + 'static,
    take: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    let text = TextFile::open(path, expected)?;
    run(path, job, ChunkReader::lines(text, CHUNK), work, take)
}

/// A piece of a record file.
pub(crate) enum RecordPiece<'a> {
    /// Lines, a game each.
    Lines(&'a Chunk),
    /// Games in another format.
    Games(&'a GamePiece<'a>),
}

/// Where a game stands, for telling what is wrong with it.
pub(crate) struct RecordPlace<'a> {
    /// The byte of the file where it begins.
    offset: u64,
    text: RecordText<'a>,
}

/// A game as it stands in its file.
enum RecordText<'a> {
    Line(&'a [u8]),
    Record(&'a GameRecord),
    Unreadable,
}

impl<'a> RecordPlace<'a> {
    /// The line that begins at byte `offset`.
    pub(crate) const fn of_line(offset: u64, line: &'a [u8]) -> Self {
        let text = RecordText::Line(line);
        Self { offset, text }
    }

    /// The game as a line, or nothing when it cannot be read.
    fn line(&self) -> Cow<'_, [u8]> {
        match self.text {
            RecordText::Line(line) => line.into(),
            RecordText::Record(record) => {
                let (line, _) = shogi_kifu::write_usi(record);
                line.trim_end().as_bytes().to_vec().into()
            }
            RecordText::Unreadable => Cow::default(),
        }
    }
}

/// Choice of the lines of a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Variations {
    /// The game as it was played; variations are counted.
    #[default]
    LeaveOut,
    /// The game, then its variations from where each begins: every move of the record once.
    Take,
}

impl RecordPiece<'_> {
    /// Calls `take` with each game, of which the first `plies` moves are to be played, and with its variations if they are
    /// wanted, until that fails. Returns how many variations were left out.
    pub(crate) fn for_each_game(
        &self,
        plies: usize,
        variations: Variations,
        mut take: impl FnMut(
            RecordPlace<'_>,
            std::result::Result<Replay<'_>, LineProblem>,
        ) -> Result<()>,
    ) -> Result<u64> {
        match self {
            Self::Lines(chunk) => {
                for (offset, line) in Lines::new(&chunk.bytes, chunk.offset) {
                    take(RecordPlace::of_line(offset, line), Replay::new(line))?;
                }
                Ok(0)
            }
            Self::Games(piece) => {
                let mut done = Ok(());
                let mut left_out = 0;
                let plies = if piece.may_have_variations() {
                    usize::MAX
                } else {
                    plies
                };
                piece.for_each_opening(plies, |game| {
                    if done.is_err() {
                        return;
                    }
                    done = match game {
                        Ok(ArchiveGame { record, offset, .. }) => {
                            let mut take = |line| {
                                let text = RecordText::Record(&record);
                                take(RecordPlace { offset, text }, Ok(line))
                            };
                            let played = take(Replay::of_record(&record));
                            match variations {
                                Variations::Take => played.and_then(|()| {
                                    Replay::variations_of(&record).try_for_each(take)
                                }),
                                Variations::LeaveOut => {
                                    left_out += record.variations() as u64;
                                    played
                                }
                            }
                        }
                        Err(KifuError {
                            problem, offset, ..
                        }) => {
                            let problem = LineProblem::Record(problem.to_string());
                            let text = RecordText::Unreadable;
                            take(RecordPlace { offset, text }, Err(problem))
                        }
                    };
                });
                done.map(|()| left_out)
            }
        }
    }
}

/// Calls `work` on the pieces of the record file at `path`, or of all record files in that folder, and `take` on the files and
/// results in their order.
pub(crate) fn for_each_record_piece<T: Send + 'static>(
    path: &Path,
    job: &Job,
    work: impl Fn(&RecordPiece<'_>, &Path) -> Result<T> + Send + Sync + 'static,
    mut take: impl FnMut(&Path, T) -> Result<()>,
) -> Result<()> {
    if !path.is_dir() && !is_archive(path)? {
        let owned = path.to_owned();
        let work = move |chunk: &Chunk| work(&RecordPiece::Lines(chunk), &owned);
        return for_each_chunk(path, &RECORDS, job, work, |result| take(path, result));
    }
    let files = record_files(path)?;
    let reader = read_archives(files.clone(), job.threads, move |piece| {
        work(&RecordPiece::Games(piece), piece.path())
    });
    let stage = format!("reading {}", path.display());
    reader.for_each_batch(&stage, job, |batch| take(&files[batch.file], batch.items?))
}

/// Returns whether `path` is a folder or a file of game records, and no book: one in which a line begins with `sfen` has moves
/// behind it there.
pub(crate) fn has_records(path: &Path) -> Result<bool> {
    if path.is_dir() {
        return Ok(true);
    }
    let head = Head::read(path)?;
    let is_comment = |line: &[u8]| line.starts_with(b"#") || line.starts_with(b"//");
    Ok(match shogi_kifu::detect_file(path)? {
        None => false,
        Some(KifuFormat::Usi) => Lines::new(&head.text(), 0)
            .find(|(_, line)| !is_comment(line))
            .is_some_and(|(_, line)| {
                let has = |word| memchr::memmem::find(line, word).is_some();
                has(b"moves") || has(b"startpos")
            }),
        Some(_) => true,
    })
}

/// Returns whether the file at `path` has games in another format than one a line.
fn is_archive(path: &Path) -> Result<bool> {
    let format = shogi_kifu::detect_file(path)?;
    Ok(format.is_some_and(|format| format != KifuFormat::Usi))
}

/// The games of the record file at `path`, or of all record files in that folder, as lines of text.
///
/// # Errors
/// When it cannot be read, is no record file, or (in another format than one game a line) a game cannot be read.
pub fn read_record_lines(path: &Path) -> Result<Vec<u8>> {
    if !path.is_dir() && !is_archive(path)? {
        return Ok(read_text(path, &RECORDS, ReadLimit::Records)?);
    }
    let files = record_files(path)?;
    let reader = read_archives(files.clone(), 1, |piece| {
        let mut games = Vec::new();
        piece.for_each_game(|game| games.push(game));
        games
    });
    let mut lines = Vec::new();
    for batch in reader {
        let batch = batch?;
        for game in batch.items {
            let game = game.map_err(|error| BookError::Line {
                path: files[batch.file].clone(),
                line: error.line,
                problem: LineProblem::Record(error.problem.to_string()),
            })?;
            lines.extend(shogi_kifu::write_usi(&game.record).0.bytes());
        }
    }
    Ok(lines)
}

/// The same for a book: pieces are whole positions with their moves.
pub(crate) fn for_each_position_chunk<T: Send + 'static>(
    path: &Path,
    job: &Job,
    work: impl Fn(&Chunk) -> Result<T> + Send + Sync + 'static,
    take: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    run(path, job, open_chunks(path, CHUNK)?, work, take)
}

fn run<T: Send + 'static>(
    path: &Path,
    job: &Job,
    reader: ChunkReader,
    work: impl Fn(&Chunk) -> Result<T> + Send + Sync + 'static,
    mut take: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    let name = format!("reading {}", path.display());
    job.progress
        .stage(&name, Some(reader.file_len()), Unit::Bytes);
    let work = move |chunk: &Chunk| {
        let bytes = chunk.bytes.len() as u64;
        work(chunk).map(|result| (bytes, result))
    };
    for result in map_chunks(reader, job, work) {
        job.check()?;
        let (bytes, result) = result?;
        take(result)?;
        job.progress.advance(bytes);
    }
    Ok(())
}

// Positions from which a walk over a book begins.

/// A position from which a walk begins, with the moves that led to it.
#[derive(Clone, Debug)]
pub struct Root {
    /// Start of the game: `startpos` or `sfen …`.
    start: String,
    game: Game,
}

impl Root {
    /// The even game.
    pub fn startpos() -> Self {
        Self {
            start: "startpos".to_owned(),
            game: Game::new(Position::startpos()).with_look_back(u32::MAX),
        }
    }

    /// Reads a line of a record file.
    ///
    /// # Errors
    /// When the line is no game, or one of its moves cannot be played.
    pub fn parse(line: &[u8]) -> std::result::Result<Self, LineProblem> {
        let mut replay = Replay::new(line)?;
        let start = if line.contains(&b'/') {
            format!("sfen {}", replay.position().to_sfen())
        } else {
            "startpos".to_owned()
        };
        let mut game = Game::new(replay.position().clone()).with_look_back(u32::MAX);
        while let Some(m) = replay.play_next()? {
            game.play_unchecked(m);
        }
        Ok(Self { start, game })
    }

    /// The game up to the root; it looks back without limit for repetitions.
    pub const fn game(&self) -> &Game {
        &self.game
    }

    /// The line of a record file for the root's game with `moves` after it. The word `moves` is
    /// there only when a move is.
    pub fn line(&self, moves: impl IntoIterator<Item = Move>) -> String {
        let mut line = self.start.clone();
        for (index, m) in self.game.moves().chain(moves).enumerate() {
            line.push_str(if index == 0 { " moves " } else { " " });
            line.push_str(&m.to_string());
        }
        line
    }
}

/// Reads the roots in the record file at `path`.
///
/// # Errors
/// When the file cannot be read, or a line is no game or has a move that cannot be played.
pub fn read_roots(path: &Path) -> Result<Vec<Root>> {
    let text = read_record_lines(path)?;
    Lines::new(&text, 0)
        .map(|(offset, line)| {
            Root::parse(line).map_err(|problem| line_error(path, offset, problem))
        })
        .collect()
}

// Lines that could not be used: collected by their offset while several threads read, told by
// their line in the end.

/// A line that could not be used, or not beyond some move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordProblem {
    /// The file.
    pub path: PathBuf,
    /// Number of the line in the file, from 1.
    pub line: u64,
    /// Number of the line from 1 when only lines that say something are counted, over all inputs.
    /// Other tools number games in this way.
    pub game: u64,
    /// The line, at most its first 4,000 characters.
    pub text: String,
    /// The problem of the line.
    pub problem: LineProblem,
}

impl fmt::Display for RecordProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, line) = (self.path.display(), self.line);
        write!(f, "{path}: line {line}: {}", self.problem)
    }
}

/// Lines that could not be used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problems {
    /// The number of entries.
    pub count: u64,
    /// The first ones, at most [`Self::LISTED`].
    pub first: Vec<RecordProblem>,
}

impl Problems {
    /// Number of problems that are kept with their details.
    pub const LISTED: usize = 1000;

    /// Returns what they are, for an error: how many, and the first three.
    pub fn summary(&self) -> String {
        let lines = match self.count {
            0 => return String::new(),
            1 => "1 line cannot be used".to_owned(),
            count => format!("{count} lines cannot be used"),
        };
        let told: Vec<String> = self.first.iter().take(3).map(ToString::to_string).collect();
        let more = if self.count > 3 { "; ..." } else { "" };
        format!("; {lines}: {}{more}", told.join("; "))
    }

    /// Takes over the problems of the file at `path`, finding out their lines.
    pub(crate) fn add_file(&mut self, path: &Path, pending: &PendingProblems) -> Result<()> {
        self.count += pending.count;
        let room = Self::LISTED.saturating_sub(self.first.len());
        let listed = &pending.first[..room.min(pending.first.len())];
        let offsets: Vec<u64> = listed.iter().map(|problem| problem.offset).collect();
        let lines = lines_at(path, &offsets)?;
        for (problem, line) in listed.iter().zip(lines) {
            self.first.push(RecordProblem {
                path: path.to_owned(),
                line,
                game: problem.game,
                text: problem.text.clone(),
                problem: problem.problem.clone(),
            });
        }
        Ok(())
    }
}

/// Problems of the files that are read one after the other.
pub(crate) struct FileProblems<'a> {
    all: &'a mut Problems,
    /// The file that is being read.
    file: Option<PathBuf>,
    pending: PendingProblems,
}

impl<'a> FileProblems<'a> {
    /// Adds problems to `all`.
    pub(crate) fn new(all: &'a mut Problems) -> Self {
        Self {
            all,
            file: None,
            pending: PendingProblems::default(),
        }
    }

    /// Appends the problems of the next piece of `file`, before which `games` lines or games said something.
    pub(crate) fn append(&mut self, file: &Path, next: PendingProblems, games: u64) -> Result<()> {
        if self.file.as_deref() != Some(file) {
            self.flush()?;
            self.file = Some(file.to_owned());
        }
        self.pending.append(next, games);
        Ok(())
    }

    /// Takes over the problems of the last file.
    pub(crate) fn flush(&mut self) -> Result<()> {
        let pending = std::mem::take(&mut self.pending);
        match &self.file {
            Some(file) if pending.count > 0 => self.all.add_file(file, &pending),
            _ => Ok(()),
        }
    }
}

/// Problems of one file, in rising order, that know their offset but not their line.
#[derive(Clone, Debug, Default)]
pub(crate) struct PendingProblems {
    count: u64,
    first: Vec<Pending>,
}

#[derive(Clone, Debug)]
struct Pending {
    offset: u64,
    game: u64,
    text: String,
    problem: LineProblem,
}

impl PendingProblems {
    /// Notes a problem of the game at `place`, which is the `game`th.
    ///
    /// # Errors
    /// The problem itself if that is the policy.
    pub(crate) fn note(
        &mut self,
        policy: BadLines,
        path: &Path,
        place: &RecordPlace<'_>,
        game: u64,
        problem: LineProblem,
    ) -> Result<()> {
        let offset = place.offset;
        if policy == BadLines::Fail {
            return Err(line_error(path, offset, problem));
        }
        self.count += 1;
        if self.first.len() < Problems::LISTED {
            let line = place.line();
            let text = String::from_utf8_lossy(&line).chars().take(4000).collect();
            self.first.push(Pending {
                offset,
                game,
                text,
                problem,
            });
        }
        Ok(())
    }

    /// Appends the problems of the next piece of the file, before which `games` lines said something.
    pub(crate) fn append(&mut self, mut next: Self, games: u64) {
        self.count += next.count;
        next.first
            .truncate(Problems::LISTED.saturating_sub(self.first.len()));
        for problem in &mut next.first {
            problem.game += games;
        }
        self.first.append(&mut next.first);
    }
}

#[cfg(test)]
mod tests {
    use test_support::TestFolder;

    use super::*;

    #[test]
    fn lines_are_rewritten_in_one_form() {
        let even = Position::STARTPOS_SFEN;
        for (line, expected) in [
            ("startpos", "startpos"),
            ("position startpos moves", "startpos"),
            ("7g7f 3c3d resign", "startpos moves 7g7f 3c3d"),
            (even, &format!("sfen {even}")),
            (
                &format!("sfen {even} 7g7f"),
                &format!("sfen {even} moves 7g7f"),
            ),
        ] {
            let root = Root::parse(line.as_bytes()).unwrap();
            assert_eq!(root.line([]), expected);
        }
        let root = Root::parse(b"startpos moves 7g7f").unwrap();
        let m = root.game().position().move_from_usi("3c3d").unwrap();
        assert_eq!(root.line([m]), "startpos moves 7g7f 3c3d");
    }

    #[test]
    fn a_bad_root_is_an_error_with_its_line() {
        let folder = TestFolder::new();
        let path = folder.path("roots.txt");
        std::fs::write(&path, "# roots\n\nstartpos\nstartpos moves 7g7e\n").unwrap();
        let error = read_roots(&path).unwrap_err();
        assert!(
            error.to_string().ends_with("line 4: illegal move 7g7e"),
            "{error}"
        );
    }

    #[test]
    fn lines_are_found_in_one_pass() {
        let folder = TestFolder::new();
        let path = folder.path("games.sfen");
        let text = b"a\nb\r\nc\rd\n\ne";
        std::fs::write(&path, text).unwrap();
        let mut pending = PendingProblems::default();
        for letter in [b'a', b'c', b'c', b'e'] {
            let offset = text.iter().position(|&byte| byte == letter).unwrap() as u64;
            let problem = LineProblem::Move(char::from(letter).to_string());
            pending
                .note(
                    BadLines::Skip,
                    &path,
                    &RecordPlace::of_line(offset, &[letter]),
                    1,
                    problem,
                )
                .unwrap();
        }
        let mut problems = Problems::default();
        problems.add_file(&path, &pending).unwrap();
        let lines: Vec<_> = problems.first.iter().map(|problem| problem.line).collect();
        assert_eq!(lines, [1, 3, 3, 6]);
        assert!(problems.first[3].to_string().contains("line 6: "));
    }

    #[test]
    fn roots_may_be_in_any_format() {
        let folder = TestFolder::new();
        let path = folder.path("roots");
        std::fs::write(&path, "手合割：平手\n▲７六歩△３四歩\n").unwrap();
        let lines: Vec<String> = read_roots(&path)
            .unwrap()
            .iter()
            .map(|root| root.line([]))
            .collect();
        assert_eq!(lines, ["startpos moves 7g7f 3c3d"]);
        std::fs::write(&path, "V2.2\n+\n+7776FU\n-7776FU\n").unwrap();
        let error = read_roots(&path).unwrap_err().to_string();
        assert!(error.contains("line 4: "), "{error}");
    }

    #[test]
    fn a_strict_reader_stops() {
        let folder = TestFolder::new();
        let path = folder.path("games.sfen");
        std::fs::write(&path, "x\ny\n").unwrap();
        let problem = LineProblem::Move("y".to_owned());
        let error = PendingProblems::default()
            .note(
                BadLines::Fail,
                &path,
                &RecordPlace::of_line(2, b"y"),
                1,
                problem.clone(),
            )
            .unwrap_err();
        assert!(matches!(error, BookError::Line { line: 2, problem: f, .. } if f == problem));
    }
}
