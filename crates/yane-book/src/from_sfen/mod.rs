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
mod options;

use std::path::Path;

use shogi_core::{Color, Move, Move16, MoveText, Position};
use yane_io::AtomicFile;
use yane_io::external::Sorter;

use crate::db::{HEADER, LineProblem};
use crate::records::{
    FileProblems, MoveScore, PendingProblems, RecordPiece, Replay, Variations,
    for_each_record_piece,
};
use crate::{BookError, Job, Result, Unit};
use collected::Collected;
use collected::CollectedEntry;
use collected::Occurrence;
pub use options::{FromSfen, FromSfenReport, RecordInput, RecordScores};

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
