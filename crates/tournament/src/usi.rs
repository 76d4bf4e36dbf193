//! USI, the protocol of shogi engines: getting an engine ready, what it says of itself, asking it for moves.

use std::time::Duration;

use shogi_usi::client::{EngineError, EngineProcess, ReadyReport};
use shogi_usi::{ClockTimes, GameResult, GoCommand, OptionKind, Score};

use crate::engine::{EngineCommand, EngineIdentity, EngineProtocol, ProtocolName};
use crate::error::{PlayerError, Result};
use crate::player::{MATE_CP, MatchPlayer, MoveLimit, PlayerAnswer, PlayerFault, Question};
use crate::score::GamePoints;

/// The protocol of shogi engines.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usi;

impl Usi {
    /// Starts an engine and sets its options.
    pub(crate) fn open(engine: &EngineCommand) -> Result<EngineProcess, EngineError> {
        let mut process = EngineProcess::spawn_command(&mut engine.command())?;
        process.handshake(engine.patience)?;
        for (name, value) in &engine.options {
            process.set_user_option(name, value)?;
        }
        Ok(process)
    }

    /// Gets an engine ready; what it said for people.
    fn get_ready(
        process: &mut EngineProcess,
        engine: &EngineCommand,
    ) -> Result<ReadyReport, EngineError> {
        let report = process.get_ready(engine.patience)?;
        if !engine.allow_errors {
            report.check(process.name())?;
        }
        Ok(report)
    }

    /// Gets an engine ready with each set of further options, or without any; the evaluations that it names.
    fn evaluations(
        process: &mut EngineProcess,
        engine: &EngineCommand,
        in_turn: &[Vec<(String, String)>],
    ) -> Result<Vec<String>, EngineError> {
        let none = [Vec::new()];
        let mut evaluations = Vec::new();
        for options in if in_turn.is_empty() { &none } else { in_turn } {
            for (name, value) in options {
                process.set_user_option(name, value)?;
            }
            let report = Self::get_ready(process, engine)?;
            evaluations.extend(report.evaluation());
        }
        evaluations.dedup();
        Ok(evaluations)
    }
}

/// The value of the first of the options `names` that the engine has: the one that it is given, or else the default.
fn number_of_option(
    process: &EngineProcess,
    engine: &EngineCommand,
    names: &[&str],
) -> Option<u64> {
    let named = |name: &&str| {
        let given = engine.options.iter().rev();
        let mut given = given.filter(|(other, _)| other.eq_ignore_ascii_case(name));
        if let Some((_, value)) = given.next() {
            return value.trim().parse().ok();
        }
        let mut options = process.options().iter();
        let option = options.find(|option| option.name.eq_ignore_ascii_case(name))?;
        match option.kind {
            OptionKind::Spin { default, .. } => u64::try_from(default).ok(),
            _ => None,
        }
    };
    names.iter().find_map(named)
}

impl EngineProtocol for Usi {
    fn check(
        &self,
        engine: &EngineCommand,
        in_turn: &[Vec<(String, String)>],
    ) -> Result<EngineIdentity, PlayerError> {
        if !matches!(engine.protocol, None | Some(ProtocolName::Usi)) {
            return Err(PlayerError::OtherGame {
                game: "shogi",
                protocols: "usi",
            });
        }
        let mut process = Self::open(engine).map_err(told)?;
        let name = process.name().to_owned();
        let mut options = engine.options.iter().chain(in_turn.iter().flatten());
        let unknown = options.find(|(option, _)| !process.has_option(option));
        if let Some((option, _)) = unknown {
            return Err(PlayerError::NoOption {
                engine: name,
                option: option.clone(),
            });
        }
        let evaluations = Self::evaluations(&mut process, engine, in_turn).map_err(told)?;
        let identity = EngineIdentity {
            name,
            evaluations,
            threads: number_of_option(&process, engine, &["Threads", "UCT_Threads"]),
            hash_mib: number_of_option(&process, engine, &["USI_Hash", "Hash"]),
        };
        process.quit(engine.patience).map_err(told)?;
        Ok(identity)
    }

    fn check_limit(&self, _: &EngineCommand, limit: MoveLimit) -> Result<(), PlayerError> {
        match limit {
            MoveLimit::Own => Err(PlayerError::Limit(
                "USI engines think until they are told a limit",
            )),
            _ => Ok(()),
        }
    }

    fn start(&self, engine: &EngineCommand) -> Result<Box<dyn MatchPlayer>, PlayerFault> {
        Ok(Box::new(UsiPlayer {
            process: Self::open(engine)?,
            engine: engine.clone(),
        }))
    }
}

/// A running USI engine.
#[derive(Debug)]
struct UsiPlayer {
    process: EngineProcess,
    engine: EngineCommand,
}

/// The error of an engine, with how to play all the same.
fn told(error: EngineError) -> PlayerError {
    match error {
        EngineError::Reported { .. } => PlayerError::Reported(error),
        _ => PlayerError::Process(error),
    }
}

impl From<EngineError> for PlayerFault {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Timeout { .. } => Self::Silent,
            EngineError::Reported { .. } => Self::Refused(told(error).to_string()),
            other => Self::Broken(other.to_string()),
        }
    }
}

impl MatchPlayer for UsiPlayer {
    fn set_options(&mut self, options: &[(String, String)]) -> Result<(), PlayerFault> {
        for (name, value) in options {
            self.process.set_user_option(name, value)?;
        }
        Ok(())
    }

    fn new_game(&mut self) -> Result<(), PlayerFault> {
        Usi::get_ready(&mut self.process, &self.engine)?;
        Ok(self.process.new_game()?)
    }

    fn best_move(&mut self, question: &Question<'_>) -> Result<PlayerAnswer, PlayerFault> {
        self.process
            .send_line(&format!("position {}", question.position))?;
        match self.process.go(&go_command(question), question.patience) {
            Ok(result) => {
                // The word after `bestmove` alone: the rest is about pondering.
                let text = result.best.to_string();
                let text = text.split(' ').next().unwrap_or_default().to_owned();
                let info = result.info.unwrap_or_default();
                Ok(PlayerAnswer {
                    text,
                    elapsed: result.elapsed,
                    score_cp: info.score.map(centipawns),
                    depth: info.depth,
                    nodes: info.nodes,
                })
            }
            // No move at all is for the referee to judge.
            Err(EngineError::BadMove { line, .. }) => Ok(PlayerAnswer {
                text: line,
                elapsed: Duration::ZERO,
                score_cp: None,
                depth: None,
                nodes: None,
            }),
            Err(error) => Err(error.into()),
        }
    }

    fn game_over(&mut self, result: GamePoints) {
        let result = match result {
            GamePoints::Win => GameResult::Win,
            GamePoints::Draw => GameResult::Draw,
            GamePoints::Loss => GameResult::Lose,
        };
        // An engine that is gone is found out in the next game.
        drop(self.process.game_over(result));
    }
}

/// The `go` command. Clocks in the forms that a GUI sends: byoyomi or increments, never both.
pub(crate) fn go_command(question: &Question<'_>) -> GoCommand {
    let mut go = GoCommand::default();
    match question.limits[question.color.index()] {
        MoveLimit::MoveTime(ms) => go.movetime = Some(Duration::from_millis(ms)),
        MoveLimit::Nodes(nodes) => go.nodes = Some(nodes),
        MoveLimit::Depth(plies) => go.depth = Some(plies),
        // Refused before the first game.
        MoveLimit::Own => {}
        MoveLimit::Clock { byoyomi, .. } => {
            let [black, white] = question.clocks.map(|ms| Some(Duration::from_millis(ms)));
            let increments = question.limits.map(|limit| match limit {
                MoveLimit::Clock { increment, .. } => increment,
                _ => 0,
            });
            let has_increment = increments.iter().any(|&ms| ms > 0);
            let increment = |ms| has_increment.then(|| Duration::from_millis(ms));
            go.clock = ClockTimes {
                btime: black,
                wtime: white,
                byoyomi: (!has_increment).then(|| Duration::from_millis(byoyomi)),
                binc: increment(increments[0]),
                winc: increment(increments[1]),
            };
        }
    }
    go
}

/// A score as a number of centipawns.
pub(crate) fn centipawns(score: Score) -> i64 {
    match score {
        Score::Cp(cp) => i64::from(cp).clamp(1 - MATE_CP, MATE_CP - 1),
        Score::Mate(plies) if plies.get() < 0 => -MATE_CP,
        Score::Mate(_) | Score::MateUnknown => MATE_CP,
        Score::MatedUnknown => -MATE_CP,
    }
}
