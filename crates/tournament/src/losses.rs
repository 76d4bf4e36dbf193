//! The loss of winning chances by the moves of two engines, as a third engine judges them.
//!
//! Games tell little about an engine until there are hundreds of them; a single position tells how good a single move
//! is. Each position is judged by the judge's own search, and the moves of the two engines by its search of what comes
//! after them. A move's loss is how much less of a winning chance it leaves than the judge's own move. The judge has its
//! own taste, so a judge that is neither of the two, or each of them in turn, is fairer than one.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use farm::{Finished, RetryPolicy, RunControl, Stop, WorkError, Worker, Workers, map_in_order};
use serde::Serialize;
use yane_base::random::SliceRandom as _;
use yane_io::Error;

use crate::engine::Contestant;
use crate::error::{Result, TournamentError};
use crate::log::read_log;
use crate::player::{MATE_CP, MatchPlayer, MoveLimit, PlayerFault, Question};
use crate::rules::{PlayerColor, random};
use crate::team::Refusal;

/// The longest silence of an engine.
const PATIENCE: Duration = Duration::from_secs(120);

/// The searches by which moves are made and judged.
#[derive(Clone, Copy, Debug)]
pub struct LossPlan {
    /// Nodes for each move of A and B.
    pub nodes: u64,
    /// Nodes for each search of the judge.
    pub judge_nodes: u64,
    /// Positions that the judge finds further from even, in centipawns, are left out.
    pub max_cp: i64,
    /// Number of positions at a time, each with engine processes of its own.
    pub workers: usize,
}

/// Judges the moves of A and B in `positions`. `engines` are the judge, A and B; `on_position` is called after each
/// position with the table so far, in their order, and `on_note` with sentences about workers that failed. Returns the table, and true
/// if it is of all positions.
///
/// # Errors
/// When an engine does not answer, or the judge tells no score.
pub fn judge_moves(
    plan: &LossPlan,
    engines: &[Contestant; 3],
    positions: &[String],
    control: &RunControl,
    on_note: &dyn Fn(&str),
    mut on_position: impl FnMut(&LossTable),
) -> Result<(LossTable, bool)> {
    let mut table = LossTable::default();
    let courts = Courts {
        plan,
        engines,
        refusal: Refusal::default(),
    };
    let jobs = positions.iter().cloned().map(Ok);
    let policy = RetryPolicy::default();
    let judged = map_in_order(&courts, jobs, control, policy, on_note, |judgement| {
        table.add(judgement);
        on_position(&table);
        Ok(())
    });
    let is_complete = courts.refusal.told(judged)?;
    Ok((table, is_complete))
}

/// Courts as workers of a farm, each with engine processes of its own.
struct Courts<'a> {
    plan: &'a LossPlan,
    engines: &'a [Contestant; 3],
    refusal: Refusal,
}

impl Courts<'_> {
    /// Ends the work with the engine's fault: the first position tells why.
    fn refuse(&self, silence: Silence) -> WorkError {
        self.refusal.refuse(silence.error(self.engines))
    }
}

impl<'a> Workers for Courts<'a> {
    type Worker = Court<'a>;

    fn count(&self) -> usize {
        self.plan.workers
    }

    fn name(&self, _: usize) -> &'static str {
        "positions"
    }

    fn start(&self, _: usize) -> Result<Court<'a>, WorkError> {
        Court::assemble(self.engines, self.plan, &self.refusal)
            .map_err(|silence| self.refuse(silence))
    }
}

/// The judge's result for a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Judgement {
    /// The position is decided already.
    Decided,
    /// Centipawns for the mover after the judge's own move, and after the moves of A and B.
    Judged { best: i64, moves: [i64; 2] },
}

/// The judge and those who are judged.
struct Court<'a> {
    plan: &'a LossPlan,
    engines: &'a [Contestant; 3],
    players: [Box<dyn MatchPlayer>; 3],
    refusal: Refusal,
}

impl Worker for Court<'_> {
    type Item = String;
    type Output = Judgement;

    fn work(&mut self, position: &String, stop: &Stop) -> Result<Finished<Judgement>, WorkError> {
        stop.wait_if_paused();
        match self.try_position(position) {
            Ok(judgement) => Ok(judgement.into()),
            Err(silence) => Err(self.refusal.refuse(silence.error(self.engines))),
        }
    }
}

/// An engine that did not answer, by its number.
#[derive(Debug)]
struct Silence {
    who: usize,
    fault: PlayerFault,
}

impl Silence {
    fn error(self, engines: &[Contestant; 3]) -> TournamentError {
        TournamentError::Engine {
            name: engines[self.who].label.clone(),
            reason: self.fault.to_string(),
        }
    }
}

/// A move with the score that its engine gives the position, in centipawns, if it tells one.
struct Opinion {
    best: String,
    score: Option<i64>,
}

/// The number of the judge among the engines.
const JUDGE: usize = 0;

impl<'a> Court<'a> {
    fn assemble(
        engines: &'a [Contestant; 3],
        plan: &'a LossPlan,
        refusal: &Refusal,
    ) -> Result<Self, Silence> {
        let start = |who: usize| {
            let player = engines[who].start();
            player.map_err(|fault| Silence { who, fault })
        };
        Ok(Self {
            plan,
            engines,
            players: [start(JUDGE)?, start(1)?, start(2)?],
            refusal: refusal.clone(),
        })
    }

    fn try_position(&mut self, position: &str) -> Result<Judgement, Silence> {
        let (best_move, best) = self.judge(position)?;
        if best.abs() > self.plan.max_cp {
            return Ok(Judgement::Decided);
        }
        let mut moves = [best; 2];
        for (index, value) in moves.iter_mut().enumerate() {
            let answer = self.ask(index + 1, position, self.plan.nodes)?;
            *value = match answer.best.as_str() {
                "resign" => -MATE_CP,
                "win" => MATE_CP,
                same if same == best_move => continue,
                other => {
                    let join = if position.contains(" moves ") {
                        ""
                    } else {
                        " moves"
                    };
                    -self.judge(&format!("{position}{join} {other}"))?.1
                }
            };
        }
        Ok(Judgement::Judged { best, moves })
    }

    /// The judge's move and score.
    fn judge(&mut self, position: &str) -> Result<(String, i64), Silence> {
        let opinion = self.ask(JUDGE, position, self.plan.judge_nodes)?;
        match opinion.score {
            Some(score) => Ok((opinion.best, score)),
            None => Err(Silence {
                who: JUDGE,
                fault: PlayerFault::Broken(format!("tells no score for `{position}`")),
            }),
        }
    }

    /// Asks an engine that has forgotten what it was asked before.
    fn ask(&mut self, who: usize, position: &str, nodes: u64) -> Result<Opinion, Silence> {
        let question = Question {
            position,
            color: PlayerColor::Black,
            limits: [MoveLimit::Nodes(nodes); 2],
            clocks: [0, 0],
            patience: PATIENCE,
        };
        let player = &mut self.players[who];
        let answer = player
            .new_game()
            .and_then(|()| player.best_move(&question))
            .map_err(|fault| Silence { who, fault })?;
        let score = match answer.text.as_str() {
            "resign" => Some(-MATE_CP),
            "win" => Some(MATE_CP),
            _ => answer.score_cp,
        };
        Ok(Opinion {
            best: answer.text,
            score,
        })
    }
}

// Positions from the games of a match.

/// The choice of positions from games.
#[derive(Clone, Copy, Debug)]
pub struct PositionChoice {
    /// Most positions, chosen by chance.
    pub positions: usize,
    /// Plies from one position of a game to the next.
    pub every: usize,
    /// Plies at the beginning of a game that are left out.
    pub from: usize,
    /// Plies at the end of a game that are left out.
    pub tail: usize,
    /// Seed of the choice.
    pub seed: u64,
}

impl PositionChoice {
    /// The positions that are wanted of the games in the log at `path`, as USI position lines without the first word.
    /// `note` gets a sentence about what is left out of a damaged one.
    ///
    /// # Errors
    /// When the log cannot be read, or its games are too short.
    pub fn of_log(&self, path: &Path, note: &mut dyn FnMut(&str)) -> Result<Vec<String>> {
        let (_, games) = read_log(path, note)?;
        let mut positions: Vec<_> = games
            .iter()
            .flat_map(|game| self.of_game(&game.played.position))
            .collect();
        if positions.is_empty() {
            let reason = "the games in it are too short for a position";
            return Err(Error::file(path, reason).into());
        }
        positions.shuffle(&mut random(self.seed, 0));
        positions.truncate(self.positions);
        Ok(positions)
    }

    fn of_game(&self, game: &str) -> Vec<String> {
        let Some((start, moves)) = game.split_once(" moves ") else {
            return Vec::new();
        };
        let moves: Vec<_> = moves.split(' ').collect();
        let end = (moves.len() + 1).saturating_sub(self.tail);
        (self.from.max(1)..end)
            .step_by(self.every.max(1))
            .map(|plies| format!("{start} moves {}", moves[..plies].join(" ")))
            .collect()
    }
}

// The table of losses.

/// Centipawns that make a winning chance of 73 %: the field's usual scale.
const SCALE: f64 = 600.0;

/// The losses so far, in per cent of winning chances.
#[derive(Debug, Default)]
pub struct LossTable {
    /// Losses of A and B, by position.
    losses: Vec<[f64; 2]>,
    decided: usize,
    /// Positions in which one move was better than the other.
    different: usize,
}

impl LossTable {
    fn add(&mut self, verdict: Judgement) {
        match verdict {
            Judgement::Decided => self.decided += 1,
            Judgement::Judged { best, moves } => {
                let loss = |score| 100.0 * (chance(best) - chance(score));
                self.losses.push(moves.map(loss));
                self.different += usize::from(moves[0] != moves[1]);
            }
        }
    }

    /// The numbers of the table.
    pub fn summary(&self) -> LossSummary {
        let losses = self.losses.iter();
        let (a, _) = mean(losses.clone().map(|[a, _]| *a));
        let (b, _) = mean(losses.clone().map(|[_, b]| *b));
        let (difference, error) = mean(losses.map(|[a, b]| a - b));
        LossSummary {
            a,
            b,
            difference,
            error,
            positions: self.losses.len(),
            different: self.different,
            decided: self.decided,
        }
    }

    /// Positions so far.
    pub fn seen(&self) -> usize {
        self.losses.len() + self.decided
    }
}

/// Mean losses of two engines, in per cent of winning chances.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LossSummary {
    /// A move of A.
    pub a: f64,
    /// A move of B.
    pub b: f64,
    /// A less B.
    pub difference: f64,
    /// Standard error of the difference.
    pub error: f64,
    /// Positions that were judged.
    pub positions: usize,
    /// Positions in which one move was better than the other.
    pub different: usize,
    /// Positions that were left out, as they are decided.
    pub decided: usize,
}

/// The winning chance that a score in centipawns stands for.
fn chance(cp: i64) -> f64 {
    1.0 / (1.0 + (-cp as f64 / SCALE).exp())
}

/// The mean of `values` and its standard error; zeros without values.
fn mean(values: impl ExactSizeIterator<Item = f64> + Clone) -> (f64, f64) {
    if values.len() == 0 {
        return (0.0, 0.0);
    }
    let count = values.len() as f64;
    let mean = values.clone().sum::<f64>() / count;
    let variance = values.map(|value| (value - mean).powi(2)).sum::<f64>() / count;
    (mean, (variance / count).sqrt())
}

impl fmt::Display for LossTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LossSummary {
            a,
            b,
            difference,
            error,
            ..
        } = self.summary();
        write!(
            f,
            "A loses {a:.3} % a move, B {b:.3} %, difference {difference:+.3} ± {error:.3}; {} positions, of which {} tell \
             them apart; {} were decided",
            self.losses.len(),
            self.different,
            self.decided
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_from_the_middle_of_games() {
        let sampling = PositionChoice {
            positions: 10,
            every: 2,
            from: 1,
            tail: 1,
            seed: 1,
        };
        let game = "startpos moves 7g7f 3c3d 2g2f 8c8d 2f2e";
        let expected = ["startpos moves 7g7f", "startpos moves 7g7f 3c3d 2g2f"];
        assert_eq!(sampling.of_game(game), expected);
        let late = PositionChoice {
            from: 5,
            ..sampling
        };
        assert_eq!(late.of_game(game), [""; 0]);
        assert_eq!(PositionChoice { tail: 0, ..late }.of_game(game), [game]);
        assert_eq!(sampling.of_game("startpos"), [""; 0]);
    }

    #[test]
    fn losses_are_of_winning_chances() {
        let mut table = LossTable::default();
        assert!(table.to_string().starts_with("A loses 0.000 %"), "{table}");
        let judged = |best, a, b| Judgement::Judged {
            best,
            moves: [a, b],
        };
        table.add(judged(0, 0, -600));
        table.add(judged(0, 0, 0));
        table.add(Judgement::Decided);
        assert_eq!(table.seen(), 3);
        // 50 - 26.894 once in two positions.
        let expected = "A loses 0.000 % a move, B 11.553 %, difference -11.553 ± 8.169; 2 positions, of which 1 tell them \
                    apart; 1 were decided";
        assert_eq!(table.to_string(), expected);
    }
}
