//! A book from game records (`makebook from_sfen`).
//!
//! Every position of the first moves of every game becomes an entry: the move that was played, the
//! reply as its ponder move, value 0, depth 32, and as count how often it was played there. The last
//! move of a game, or the one after the limit, is only a reply. Of a position that was reached at
//! several move numbers only the smallest one and its moves are kept, as in every book that the
//! field's tools write.
//!
//! With [`Variations::Take`] all moves of a record become entries, those of variations and the last ones of lines too, as
//! `ShogiHome` has it. With [`FromSfen::scores`] evaluations in the comments of records become value and depth.

mod collected;

use std::path::{Path, PathBuf};

use shogi_core::{Color, Move, Move16, MoveText, Position};
use yane_io::external::Sorter;
use yane_io::{AtomicFile, Overwrite};

use crate::db::BadLines;
use crate::db::{HEADER, LineEnd, LineProblem};
use crate::records::{
    FileProblems, MoveScore, PendingProblems, Problems, RecordPiece, Replay, Variations,
    for_each_record_piece,
};
use crate::{BookError, Job, Result, Unit};
use collected::Collected;
use collected::CollectedEntry;
use collected::Occurrence;

/// The word that stands for a file that is not there.
const NO_FILE: &str = "no_file";

/// A record file and the selection of its positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordInput {
    /// The file, or a folder with files.
    pub path: PathBuf,
    /// Take only positions with this side to move; `None`: all.
    pub side: Option<Color>,
}

impl RecordInput {
    /// Selects all positions of a file.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            side: None,
        }
    }

    /// Positions with black to move of one file, with white to move of another (`from_sfen bw`). A
    /// file named `no_file` is left out.
    pub fn black_white(black: impl Into<PathBuf>, white: impl Into<PathBuf>) -> Vec<Self> {
        let inputs = [(black.into(), Color::Black), (white.into(), Color::White)];
        inputs
            .into_iter()
            .filter(|(path, _)| path != Path::new(NO_FILE))
            .map(|(path, side)| Self {
                path,
                side: Some(side),
            })
            .collect()
    }
}

/// Options: how to make a book from records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FromSfen {
    /// Largest number of moves of every game that become entries, counted from the start of its
    /// line.
    pub moves: usize,
    /// Choice of the lines of records. With variations the last move of a line is an entry, too.
    pub variations: Variations,
    /// Choice whether evaluations in comments become value and depth of their moves: of a move that was played several
    /// times the deepest. Moves without one have depth 0 then.
    pub scores: RecordScores,
    /// Policy for lines that are no games and for moves that cannot be played. The moves
    /// before such a move are used in either case.
    pub bad_lines: BadLines,
    /// Line ends of the book.
    pub line_end: LineEnd,
    /// Overwriting: whether the book may be one of the inputs.
    pub overwrite: Overwrite,
}

impl Default for FromSfen {
    fn default() -> Self {
        Self {
            moves: 16,
            variations: Variations::default(),
            scores: RecordScores::default(),
            bad_lines: BadLines::Skip,
            line_end: LineEnd::default(),
            overwrite: Overwrite::default(),
        }
    }
}

/// Choice what becomes of evaluations in the comments of records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RecordScores {
    /// Moves have value 0 and depth 32.
    #[default]
    Ignore,
    /// Moves have the value and depth that their record says.
    Take,
}

/// Summary of the records and the book.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FromSfenReport {
    /// Games read: lines with content.
    pub games: u64,
    /// Positions written.
    pub positions: u64,
    /// Moves written.
    pub moves: u64,
    /// Moves with a value, with [`RecordScores::Take`].
    pub scored: u64,
    /// Variations left out.
    pub variations_left_out: u64,
    /// Lines that are no games, and games with a move that cannot be played.
    pub problems: Problems,
}

/// Creates the book `output` from the games in `inputs`. Memory is bounded by [`Job::memory`]: data
/// that does not fit is sorted in parts and merged from temporary files.
///
/// # Errors
/// When a file cannot be read or written, when `output` is an input, when no game gives a move, or at the
/// first problem if that is the policy. The output is untouched then.
pub fn from_sfen(
    inputs: &[RecordInput],
    output: &Path,
    options: &FromSfen,
    job: &Job,
) -> Result<FromSfenReport> {
    let paths: Vec<_> = inputs.iter().map(|input| &input.path).collect();
    let _claim = options.overwrite.claim(output, &paths)?;
    let mut report = FromSfenReport::default();
    let mut collected = Collected::default();
    let mut sorter = Sorter::new(job, job.temp_for(output));
    for input in inputs {
        let mut problems = FileProblems::new(&mut report.problems);
        let games = &mut report.games;
        let variations = &mut report.variations_left_out;
        let take = |file: &Path, part: GamesChunk| {
            problems.append(file, part.problems, *games)?;
            *games += part.games;
            *variations += part.variations;
            collected.absorb(&part.collected);
            if collected.is_full(job.memory / 2) {
                std::mem::take(&mut collected).spill(&mut sorter)?;
            }
            Ok(())
        };
        let (side, options) = (input.side, *options);
        let work = move |piece: &RecordPiece<'_>, file: &Path| {
            GamesChunk::read(piece, file, side, &options)
        };
        for_each_record_piece(&input.path, job, work, take)?;
        problems.flush()?;
    }
    if collected.is_empty() && sorter.is_empty() {
        let names: Vec<String> = paths
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        let (names, summary) = (names.join(", "), report.problems.summary());
        let reason = match report.games {
            0 => format!(
                "no game is in {names} (expected lines such as startpos moves 7g7f 3c3d, or KIF, KI2, CSA, JKF)"
            ),
            games => format!(
                "no move for a book is in {names} (games: {games}; a game needs two moves){summary}"
            ),
        };
        return Err(BookError::nothing(output, reason));
    }
    collected.spill(&mut sorter)?;
    write(sorter, output, options, job, &mut report)?;
    Ok(report)
}

/// Writes the positions in order, each once.
fn write(
    sorter: Sorter,
    output: &Path,
    options: &FromSfen,
    job: &Job,
    report: &mut FromSfenReport,
) -> Result<()> {
    let line_end = options.line_end;
    let mut file = AtomicFile::create(output)?;
    file.put(HEADER.as_bytes())?;
    file.put(line_end.bytes())?;
    job.progress.stage("writing", None, Unit::Positions);
    let mut lines = Vec::new();
    let mut put = |entry: CollectedEntry| {
        lines.clear();
        entry.push_lines(options.scores, &mut lines, line_end);
        report.scored += entry.scored();
        report.positions += 1;
        report.moves += entry.moves.len() as u64;
        if report.positions.is_multiple_of(1 << 16) {
            job.check()?;
            job.progress.advance(1 << 16);
        }
        file.put(&lines)
    };
    let mut sorted = sorter.finish()?;
    let mut waiting: Option<CollectedEntry> = None;
    while let Some((_, key, body)) = sorted.current() {
        let entry = CollectedEntry::from_bytes(key, body);
        match &mut waiting {
            Some(earlier) if earlier.position == entry.position => earlier.join(entry),
            _ => waiting.replace(entry).map_or(Ok(()), &mut put)?,
        }
        sorted.advance()?;
    }
    waiting.map_or(Ok(()), &mut put)?;
    job.check()?;
    Ok(file.commit()?)
}

/// The data of a piece of a record file.
struct GamesChunk {
    collected: Collected,
    games: u64,
    /// Variations left out.
    variations: u64,
    problems: PendingProblems,
}

impl GamesChunk {
    fn read(
        piece: &RecordPiece<'_>,
        file: &Path,
        side: Option<Color>,
        options: &FromSfen,
    ) -> Result<Self> {
        let mut part = Self {
            collected: Collected::default(),
            games: 0,
            variations: 0,
            problems: PendingProblems::default(),
        };
        let plies = options.moves.saturating_add(1);
        let left_out = piece.for_each_game(plies, options.variations, |place, game| {
            part.games += u64::from(!game.as_ref().is_ok_and(Replay::is_variation));
            let played = game.and_then(|game| part.game(game, side, options));
            played.or_else(|problem| {
                let policy = options.bad_lines;
                part.problems
                    .note(policy, file, &place, part.games, problem)
            })
        })?;
        part.variations = left_out;
        Ok(part)
    }

    fn game(
        &mut self,
        mut game: Replay<'_>,
        side: Option<Color>,
        options: &FromSfen,
    ) -> std::result::Result<(), LineProblem> {
        // The move before the one that is played, and the position it was played in.
        let mut waiting: Option<PlayedMove> = None;
        let mut before = game.position().clone();
        let mut add = |before: &Position, played: PlayedMove, reply| {
            if side.is_none_or(|side| side == before.side_to_move()) {
                let [mv, reply] = [Some(played.mv), reply]
                    .map(|m: Option<Move>| m.map(|m| Move16::encode(MoveText::from(m))));
                if let Some(mv) = mv {
                    let occurrence = Occurrence::new(mv, reply).with_score(played.score);
                    self.collected.add(before, occurrence);
                }
            }
        };
        let mut problem = Ok(());
        while game.depth() <= options.moves {
            let m = match game.play_next() {
                Ok(Some(m)) => m,
                Ok(None) => break,
                Err(error) => {
                    problem = Err(error);
                    break;
                }
            };
            let score = match options.scores {
                RecordScores::Take => game.score(),
                RecordScores::Ignore => None,
            };
            if let Some(earlier) = waiting.replace(PlayedMove { mv: m, score }) {
                add(&before, earlier, Some(m));
                let _ = before.do_move_unchecked(earlier.mv);
            }
        }
        let is_wanted = options.variations == Variations::Take && game.depth() <= options.moves;
        if let Some(last) = waiting.filter(|_| is_wanted) {
            add(&before, last, None);
        }
        problem
    }
}

/// A move of a game with what its record says about it.
#[derive(Clone, Copy)]
struct PlayedMove {
    mv: Move,
    score: Option<MoveScore>,
}
