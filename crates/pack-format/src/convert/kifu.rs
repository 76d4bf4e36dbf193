//! Game records (KIF, KI2, CSA, JKF, USI lines) into teacher data, and whole games into records.
//!
//! The evaluations of a record stand in the comments of its moves, as floodgate, `ShogiHome` and others write them: in centipawns,
//! positive when black is better ([`GameNode::player_score`](shogi_kifu::GameNode::player_score)). hcpe3 takes the visits of
//! `AobaZero`'s games as candidates. A move without one may take
//! that of an analysis of the position before it. Only the game as it was played is read, variations are not.

use std::path::{Path, PathBuf};

use shogi_core::{Color, Move, Position};
use shogi_kifu::{
    ArchiveGame, GameEnding, GameNodeId, GameOutcome, GameRecord, KifuError, Step, read_archives,
    read_games, record_files,
};
use yane_io::Job;

use super::cross;
use super::drive::Part;
use super::generic::{Place, Scribe};
use super::unrepresentable::Unrepresentable;
use super::{Lost, Recover, TeacherConvertOptions, TeacherConvertReport};
use crate::convert::options::holds_positions;
use crate::convert::options::{Undecided, Unscored};
use crate::hcpe3::Hcpe3Candidate;
use crate::pack::{Game, GameBuilder};
use crate::stream::Input;
use crate::text::TextLine;
use crate::{
    DataPlace, EndReason, InvalidData, Result, Sample, TeacherError, TeacherFormat, TeacherResult,
    TeacherScore,
};

// Records into games.

/// What a record is.
enum Found {
    /// A game, with the plies that have a score of their own, and the visits of each ply where the record tells them.
    Game {
        game: Box<Game>,
        scored: Vec<bool>,
        visits: Option<Vec<Vec<Hcpe3Candidate>>>,
    },
    /// A game without a result.
    Undecided,
}

/// What was read of a record, or is wrong with it, and where.
struct ReadRecord {
    file: PathBuf,
    line: u64,
    offset: u64,
    found: std::result::Result<Found, InvalidData>,
}

/// Reads the records of `input`, a file or a folder, and gives what `scribe` makes of them to `output`.
pub(super) fn from_kifu(
    input: &Input,
    options: &TeacherConvertOptions,
    scribe: &Scribe,
    job: &Job,
    output: &mut dyn FnMut(&[u8]) -> Result<()>,
    report: &mut TeacherConvertReport,
) -> Result<()> {
    let mut writer = GameSink {
        options,
        scribe,
        report,
        games: 0,
    };
    let undecided = options.undecided;
    let Input::File(path) = input else {
        let (stream, _) = input.open()?;
        let bytes = yane_io::ReadLimit::Records.read_source(input.path(), stream)?;
        let (_, games) = read_games(&bytes)
            .map_err(|error| yane_io::Error::file(input.path(), error.problem.to_string()))?;
        for game in games {
            writer.take(found(game, input.path(), undecided), output)?;
        }
        writer.report.bytes_read += bytes.len() as u64;
        return Ok(());
    };
    let files = record_files(path)?;
    let reader = read_archives(files, job.threads, move |piece| {
        let mut games = Vec::new();
        piece.for_each_game(|game| games.push(found(game, piece.path(), undecided)));
        games
    });
    reader.for_each_batch(&format!("reading {input}"), job, |batch| {
        for game in batch.items {
            writer.take(game, output)?;
        }
        writer.report.bytes_read += batch.bytes;
        Ok(())
    })
}

fn found(
    game: std::result::Result<ArchiveGame, KifuError>,
    file: &Path,
    undecided: Undecided,
) -> ReadRecord {
    let file = file.to_owned();
    match game {
        Ok(game) => {
            let place = DataPlace::Line(game.line);
            let found = game_of(&game.record, undecided)
                .map_err(|reason| InvalidData::unrepresentable(place, reason));
            let ArchiveGame { line, offset, .. } = game;
            ReadRecord {
                file,
                line,
                offset,
                found,
            }
        }
        Err(KifuError {
            line,
            offset,
            problem,
            ..
        }) => {
            let found = Err(InvalidData::new(DataPlace::Line(line), problem));
            ReadRecord {
                file,
                line,
                offset,
                found,
            }
        }
    }
}

/// The game of a record.
fn game_of(
    record: &GameRecord,
    undecided: Undecided,
) -> std::result::Result<Found, Unrepresentable> {
    let mut builder = GameBuilder::new(record.start().clone())?;
    let mut scored = Vec::new();
    let mut visits = Vec::new();
    let mut has_visits = false;
    let mut analysed = record.node(GameRecord::ROOT).analysis_score();
    for id in record.main_line() {
        let node = record.node(id);
        let Some(mv) = node.legal_move() else { break };
        let score = node.player_score().or(analysed);
        scored.push(score.is_some());
        builder.play(mv, mover_score(score.unwrap_or(0), mv.color()))?;
        analysed = node.analysis_score();
        let candidates = candidates_of(record, id);
        has_visits |= !candidates.is_empty();
        visits.push(candidates);
    }
    let end = end_of(record, builder.position()).or_else(|| {
        let draw = (TeacherResult::Draw, EndReason::INTERRUPT);
        (undecided == Undecided::Draw).then_some(draw)
    });
    match end {
        Some((result, reason)) => Ok(Found::Game {
            game: Box::new(builder.finish(result, reason)?),
            scored,
            visits: has_visits.then_some(visits),
        }),
        None if undecided == Undecided::Refuse => Err(Unrepresentable::Undecided),
        None => Ok(Found::Undecided),
    }
}

/// The visits that stand beside a move, as candidates; none when there are none. Visits over 65,535 make all of them smaller.
fn candidates_of(record: &GameRecord, id: GameNodeId) -> Vec<Hcpe3Candidate> {
    let Some(visits) = record.search_visits(id) else {
        return Vec::new();
    };
    let most = visits.moves.iter().map(|(_, visits)| *visits).max();
    let divisor = most.unwrap_or(0).div_ceil(u32::from(u16::MAX)).max(1);
    let candidate = |&(mv, visits): &(Move, u32)| Hcpe3Candidate {
        mv,
        visits: u16::try_from(visits / divisor).unwrap_or(u16::MAX),
    };
    visits.moves.iter().map(candidate).collect()
}

/// A score from black's side as that of the player to move.
fn mover_score(black: i32, side: Color) -> TeacherScore {
    let most = i32::from(i16::MAX);
    let score = TeacherScore(black.clamp(-most, most) as i16);
    match side {
        Color::Black => score,
        Color::White => score.flip(),
    }
}

/// How a game came out and why, if its record says so: by the server's summary, its ending, or a mate on the board.
fn end_of(record: &GameRecord, last: &Position) -> Option<(TeacherResult, EndReason)> {
    let result = match record.outcome() {
        GameOutcome::Win(color) => TeacherResult::win_of(color),
        GameOutcome::Draw => TeacherResult::Draw,
        GameOutcome::Undecided => {
            let moves = last.moves::<shogi_core::movegen::LegalAll>();
            let is_mate = record.ending().is_none() && moves.is_empty();
            let winner = last.side_to_move().flip();
            return is_mate.then(|| (TeacherResult::win_of(winner), EndReason::RESIGN));
        }
    };
    let summary = record.server_summary().map(|summary| summary.reason);
    let told = summary.and_then(reason_of_summary);
    let reason = told.unwrap_or_else(|| match record.ending() {
        Some(GameEnding::Repetition) => EndReason::REPETITION,
        Some(GameEnding::Impasse) => EndReason::DRAW_CSA24,
        Some(GameEnding::TimeUp) => EndReason::TIME_UP,
        Some(GameEnding::FoulWin | GameEnding::FoulLoss) => EndReason::ILLEGAL_MOVE,
        Some(GameEnding::EnteringKing) => EndReason::WIN_CSA27,
        Some(GameEnding::TryWin) => EndReason::WIN_TRY,
        _ => {
            let last = record.main_line().last();
            let step = last.and_then(|id| record.node(id).step());
            match step {
                Some(Step::Illegal(_)) => EndReason::ILLEGAL_MOVE,
                _ if result == TeacherResult::Draw => EndReason::MAX_MOVES,
                _ => EndReason::RESIGN,
            }
        }
    });
    // A server that knows better than the last move.
    let reason = match (reason.allows(result), result) {
        (true, _) => reason,
        (false, TeacherResult::Draw) => EndReason::MAX_MOVES,
        (false, _) => EndReason::ILLEGAL_MOVE,
    };
    Some((result, reason))
}

/// The end reason of shogi-server's words.
fn reason_of_summary(reason: &str) -> Option<EndReason> {
    Some(match reason {
        "toryo" => EndReason::RESIGN,
        "time up" => EndReason::TIME_UP,
        "sennichite" => EndReason::REPETITION,
        "oute_sennichite" => EndReason::PERPETUAL_CHECK,
        "max_moves" => EndReason::MAX_MOVES,
        "kachi" | "jishogi" => EndReason::WIN_CSA27,
        "illegal move" | "illegal kachi" | "uchifuzume" | "oute_kaihimore" => {
            EndReason::ILLEGAL_MOVE
        }
        _ => return None,
    })
}

/// Writes games in the order of the files.
struct GameSink<'a> {
    options: &'a TeacherConvertOptions,
    scribe: &'a Scribe,
    report: &'a mut TeacherConvertReport,
    games: u64,
}

impl GameSink<'_> {
    fn take(
        &mut self,
        read: ReadRecord,
        output: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let ReadRecord {
            file,
            line,
            offset,
            found,
        } = read;
        let (game, scored, visits) = match found {
            Ok(Found::Game {
                game,
                scored,
                visits,
            }) => (*game, scored, visits),
            Ok(Found::Undecided) => {
                self.report.undecided += 1;
                return Ok(());
            }
            Err(invalid) => return self.lose(&file, invalid),
        };
        let place = Place {
            number: self.games,
            offset,
        };
        let mut part = Part::default();
        // Only hcpe3 holds visits.
        let visits = visits.filter(|_| self.options.to.is(TeacherFormat::Hcpe3));
        if let Err(reason) = self.write(game, &scored, visits.as_deref(), place, &mut part) {
            let invalid = InvalidData::unrepresentable(DataPlace::Line(line), reason);
            return self.lose(&file, invalid);
        }
        self.games += part.games;
        output(&part.output)?;
        self.report.add(&part);
        Ok(())
    }

    fn write(
        &mut self,
        game: Game,
        scored: &[bool],
        visits: Option<&[Vec<Hcpe3Candidate>]>,
        place: Place,
        part: &mut Part,
    ) -> std::result::Result<(), Unrepresentable> {
        if game.reason() == EndReason::INTERRUPT {
            self.report.undecided += 1;
        }
        let line = |game: Game| match visits {
            Some(visits) => cross::to_hcpe3_with(&game, visits).map(TextLine::Hcpe3),
            None => Ok(TextLine::Game(game)),
        };
        let Some(first) = scored.iter().position(|&scored| !scored) else {
            return self.scribe.write(&line(game)?, place, part);
        };
        let missing = scored.iter().filter(|&&scored| !scored).count() as u64;
        match self.options.unscored {
            Unscored::Refuse => {
                return Err(Unrepresentable::Unscored(first + 1));
            }
            Unscored::Zero => self.scribe.write(&line(game)?, place, part)?,
            Unscored::Skip => {
                if self.options.to.teacher().is_some_and(holds_positions) {
                    let plies = game.positions().zip(scored);
                    for ((position, ply), _) in plies.filter(|&(_, &scored)| scored) {
                        let ply_number = position.ply();
                        let sample = Sample {
                            position,
                            mv: Some(ply.mv),
                            score: ply.score,
                            result: game.result(),
                            ply: Some(ply_number),
                        };
                        self.scribe.write(&TextLine::Sample(sample), place, part)?;
                    }
                    part.games += 1;
                }
            }
        }
        self.report.unscored += missing;
        Ok(())
    }

    fn lose(&mut self, file: &Path, invalid: InvalidData) -> Result<()> {
        if self.options.recover == Recover::No {
            return Err(TeacherError::invalid(file, invalid));
        }
        self.report.lose(Lost {
            input: file.display().to_string(),
            invalid,
            from: 0,
            to: None,
        });
        Ok(())
    }
}
