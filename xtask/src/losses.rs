//! `cargo xtask losses`: what the moves of two engines cost, as a third engine judges them.
//!
//! Games tell little about an engine until there are hundreds of them; a single position tells how good a single move
//! is. Each position is judged by the judge's own search, and the moves of the two engines by its search of what comes
//! after them. A move's loss is how much less of a winning chance it leaves than the judge's own move. The judge has its
//! own taste, so a judge that is neither of the two, or each of them in turn, is fairer than one.

use std::fmt;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, bail, ensure};
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::SliceRandom;
use shogi_core::ByColor;

use crate::Outcome;
use crate::matches::player::{Engine, Fault, Limit, MATE_CP, Player, Question, UsiPlayer};
use crate::matches::{EngineArgs, log, pool};

/// The longest silence of an engine.
const PATIENCE: Duration = Duration::from_secs(120);

const EXAMPLES: &str = "\
Examples:
  cargo xtask match A B --nodes 20000 --games 80 --log games.jsonl
  cargo xtask losses games.jsonl A B --judge B --nodes 100000 --concurrency 2 --option Threads=1";

/// Tell what the moves of two engines cost, as a third one judges them.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Log of a match: positions are from its games.
    log: PathBuf,
    /// Engine A: a program.
    a: PathBuf,
    /// Engine B.
    b: PathBuf,
    /// The engine that judges.
    #[arg(long, value_name = "PROGRAM")]
    judge: PathBuf,
    /// Nodes for each move of A and B.
    #[arg(long, default_value_t = 100_000)]
    nodes: u64,
    /// Nodes for each search of the judge.
    #[arg(long, default_value_t = 600_000)]
    judge_nodes: u64,
    #[command(flatten)]
    sampling: Sampling,
    /// Positions that the judge finds further from even are left out.
    #[arg(long, default_value_t = 900, value_name = "CP")]
    max_cp: i64,
    /// Number of positions at a time, each with engine processes of its own.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    concurrency: u32,
    #[command(flatten)]
    engines: EngineArgs,
    /// An option of the judge.
    #[arg(long, value_name = "NAME=VALUE")]
    option_judge: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let positions = args.sampling.positions(&args.log)?;
    ensure!(!positions.is_empty(), "the games are too short");
    let [a, b] = args.engines.setups(&args.a, &args.b);
    let judge = args.engines.setup(&args.judge, &args.option_judge, None);
    let engines = [
        Engine::new(judge, PATIENCE)?,
        Engine::new(a, PATIENCE)?,
        Engine::new(b, PATIENCE)?,
    ];
    let mut table = LossTable::default();
    pool::run(
        positions.iter(),
        args.concurrency as usize,
        || Court::assemble(&engines, args),
        |court, position| match court {
            Ok(court) => court.try_position(position).map_err(Some),
            // The first position tells why.
            Err(fault) => Err(fault.take()),
        },
        |verdict| match verdict {
            Ok(verdict) => {
                table.add(verdict);
                eprintln!("{}/{}  {table}", table.seen(), positions.len());
                Ok(ControlFlow::Continue(()))
            }
            Err(Some(fault)) => bail!(fault),
            Err(None) => Ok(ControlFlow::Break(())),
        },
    )?;
    let [judge, a, b] = engines.each_ref().map(Engine::name);
    println!("A: {a}\nB: {b}\njudge: {judge}\n{table}");
    Ok(Outcome::Clean)
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
    args: &'a Args,
    judge: UsiPlayer,
    players: [UsiPlayer; 2],
}

/// An engine that did not answer, with its last output.
#[derive(Debug)]
struct Silence {
    who: &'static str,
    fault: Fault,
}

impl fmt::Display for Silence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.fault {
            Fault::Silent => write!(f, "{} does not answer", self.who),
            Fault::Broken(reason) => write!(f, "{}: {reason}", self.who),
        }
    }
}

impl std::error::Error for Silence {}

/// A move with the score that its engine gives the position, in centipawns, if it tells one.
struct Opinion {
    best: String,
    score: Option<i64>,
}

impl<'a> Court<'a> {
    fn assemble(engines: &[Engine; 3], args: &'a Args) -> Result<Self, Option<Silence>> {
        let start = |who, engine| UsiPlayer::start(engine).map_err(|fault| Silence { who, fault });
        let [judge, a, b] = engines;
        Ok(Self {
            args,
            judge: start("the judge", judge)?,
            players: [start("A", a)?, start("B", b)?],
        })
    }

    fn try_position(&mut self, position: &str) -> Result<Judgement, Silence> {
        let (best_move, best) = self.judge(position)?;
        if best.abs() > self.args.max_cp {
            return Ok(Judgement::Decided);
        }
        let mut moves = [best; 2];
        for (index, who) in ["A", "B"].into_iter().enumerate() {
            let player = &mut self.players[index];
            let answer = ask(who, player, position, self.args.nodes)?;
            moves[index] = match answer.best.as_str() {
                "resign" => -MATE_CP,
                "win" => MATE_CP,
                same if same == best_move => continue,
                other => -self.judge(&format!("{position} {other}"))?.1,
            };
        }
        Ok(Judgement::Judged { best, moves })
    }

    /// The judge's move and score.
    fn judge(&mut self, position: &str) -> Result<(String, i64), Silence> {
        const WHO: &str = "the judge";
        let opinion = ask(WHO, &mut self.judge, position, self.args.judge_nodes)?;
        match opinion.score {
            Some(score) => Ok((opinion.best, score)),
            None => Err(Silence {
                who: WHO,
                fault: Fault::Broken(format!("tells no score for `{position}`")),
            }),
        }
    }
}

/// Asks an engine that has forgotten what it was asked before.
fn ask(
    who: &'static str,
    player: &mut UsiPlayer,
    position: &str,
    nodes: u64,
) -> Result<Opinion, Silence> {
    let question = Question {
        position,
        limit: Limit::Nodes(nodes),
        clocks: ByColor([0, 0]),
        patience: PATIENCE,
    };
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

// Positions from the games of a match.

/// The positions.
#[derive(Clone, Debug, clap::Args)]
struct Sampling {
    /// Most positions, chosen by chance.
    #[arg(long, default_value_t = 500)]
    positions: usize,
    /// Plies from one position of a game to the next.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..))]
    every: u32,
    /// Plies at the beginning of a game that are left out.
    #[arg(long, default_value_t = 20)]
    from: usize,
    /// Plies at the end of a game that are left out.
    #[arg(long, default_value_t = 14)]
    tail: usize,
    /// Seed of the choice.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

impl Sampling {
    /// The positions that are wanted of the games in the log at `path`, as USI position lines without the first word.
    fn positions(&self, path: &Path) -> Result<Vec<String>> {
        let mut positions: Vec<_> = log::games(path)?
            .iter()
            .flat_map(|entry| self.of_game(&entry.played.position))
            .collect();
        positions.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(self.seed));
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
            .step_by(self.every as usize)
            .map(|plies| format!("{start} moves {}", moves[..plies].join(" ")))
            .collect()
    }
}

// The table of losses.

/// Centipawns that make a winning chance of 73 %: the field's usual scale.
const SCALE: f64 = 600.0;

/// The losses so far, in per cent of winning chances.
#[derive(Debug, Default)]
struct LossTable {
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

    /// Positions so far.
    fn seen(&self) -> usize {
        self.losses.len() + self.decided
    }
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
        let losses = self.losses.iter();
        let (a, _) = mean(losses.clone().map(|[a, _]| *a));
        let (b, _) = mean(losses.clone().map(|[_, b]| *b));
        let (difference, error) = mean(losses.map(|[a, b]| a - b));
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
        let sampling = Sampling {
            positions: 10,
            every: 2,
            from: 1,
            tail: 1,
            seed: 1,
        };
        let game = "startpos moves 7g7f 3c3d 2g2f 8c8d 2f2e";
        let expected = ["startpos moves 7g7f", "startpos moves 7g7f 3c3d 2g2f"];
        assert_eq!(sampling.of_game(game), expected);
        let late = Sampling {
            from: 5,
            ..sampling.clone()
        };
        assert_eq!(late.of_game(game), [""; 0]);
        assert_eq!(Sampling { tail: 0, ..late }.of_game(game), [game]);
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
