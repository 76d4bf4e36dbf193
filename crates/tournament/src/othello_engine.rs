//! What engines for othello speak: the Go Text Protocol (GTP) or the protocol of NBoard.
//!
//! A GTP engine has a board of its own; it is told the moves that it does not know. NBoard's engines get the whole game before
//! each move.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use othello_core::{Game, Move, Position, Side};
use shogi_usi::client::{EngineError, EngineProcess};

use crate::engine::{EngineCommand, EngineIdentity, EngineProtocol, ProtocolName};
use crate::error::{PlayerError, Result};
use crate::othello::parse_line;
use crate::player::{MATE_CP, MatchPlayer, MoveLimit, PlayerAnswer, PlayerFault, Question};
use crate::score::GamePoints;

/// The protocols of othello engines: each speaks what its description says, GTP if it says nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct OthelloProtocols;

impl EngineProtocol for OthelloProtocols {
    fn check(
        &self,
        engine: &EngineCommand,
        in_turn: &[Vec<(String, String)>],
    ) -> Result<EngineIdentity, PlayerError> {
        let name = match engine.protocol {
            None | Some(ProtocolName::Gtp) => {
                let mut gtp = Gtp::open(engine)?;
                let name = gtp.introduce(engine)?;
                for (name, value) in in_turn.iter().flatten() {
                    gtp.set(name, value, engine.patience)?;
                }
                name
            }
            Some(ProtocolName::NBoard) => NBoard::open(engine)?.name,
            Some(ProtocolName::Usi) => {
                return Err(PlayerError::OtherGame {
                    game: "othello",
                    protocols: "gtp or nboard",
                });
            }
        };
        // Neither protocol has words for the rest.
        Ok(EngineIdentity {
            name,
            ..EngineIdentity::default()
        })
    }

    fn check_limit(&self, engine: &EngineCommand, limit: MoveLimit) -> Result<(), PlayerError> {
        match (engine.protocol, limit) {
            (_, MoveLimit::Own) | (Some(ProtocolName::NBoard), MoveLimit::Depth(_)) => Ok(()),
            (Some(ProtocolName::NBoard), _) => Err(PlayerError::Limit(
                "NBoard knows a depth (--depth) and no other limit; --own-limits leaves it to the engine",
            )),
            (_, MoveLimit::MoveTime(_) | MoveLimit::Clock { increment: 0, .. }) => Ok(()),
            _ => Err(PlayerError::Limit(
                "GTP knows clocks (--time, --byoyomi, --movetime) without increments, and no other limit; \
                 --own-limits leaves it to the engine",
            )),
        }
    }

    fn start(&self, engine: &EngineCommand) -> Result<Box<dyn MatchPlayer>, PlayerFault> {
        Ok(match engine.protocol {
            Some(ProtocolName::NBoard) => Box::new(NBoard::open(engine)?),
            _ => {
                Box::new(Gtp::open(engine).map_err(|error| PlayerFault::Broken(error.to_string()))?)
            }
        })
    }
}

const fn color(side: Side) -> &'static str {
    match side {
        Side::Black => "black",
        Side::White => "white",
    }
}

/// A running engine that speaks GTP.
#[derive(Debug)]
struct Gtp {
    process: EngineProcess,
    patience: Duration,
    /// The game that the engine's board has; `None` if that is not known.
    game: Option<Game>,
    /// The limit that it was told.
    limit: Option<MoveLimit>,
}

/// The error that an engine told instead of a reply, in its words.
#[derive(Debug)]
struct GtpError(String);

/// The reply to a command, or the error that the engine told.
type Reply = Result<String, GtpError>;

impl Gtp {
    fn open(engine: &EngineCommand) -> Result<Self, PlayerError> {
        let mut gtp = Self {
            process: EngineProcess::spawn_command(&mut engine.command())?,
            patience: engine.patience,
            game: None,
            limit: None,
        };
        for (name, value) in &engine.options {
            gtp.set(name, value, engine.patience)?;
        }
        Ok(gtp)
    }

    /// Sets an option: a command of the engine.
    fn set(&mut self, name: &str, value: &str, patience: Duration) -> Result<(), PlayerError> {
        let command = format!("{name} {value}");
        match self.ask(&command, patience)? {
            Ok(_) => Ok(()),
            Err(GtpError(answer)) => Err(PlayerError::Option { command, answer }),
        }
    }

    /// The name of the engine; errors if it does not play.
    fn introduce(&mut self, engine: &EngineCommand) -> Result<String, PlayerError> {
        let patience = engine.patience;
        let told = |GtpError(words)| PlayerError::Answered(words);
        let name = self.ask("name", patience)?.map_err(told)?;
        let version = self.ask("version", patience)?.unwrap_or_default();
        self.ask("clear_board", patience)?.map_err(told)?;
        Ok(format!("{name} {version}").trim().to_owned())
    }

    /// Sends a command and waits for its reply.
    fn ask(&mut self, command: &str, patience: Duration) -> Result<Reply, EngineError> {
        self.process.send_line(command)?;
        let deadline = Instant::now() + patience;
        let mut reply: Option<(char, String)> = None;
        loop {
            let line = self
                .process
                .next_line(deadline.saturating_duration_since(Instant::now()))?;
            match &mut reply {
                Some((sign, text)) if line.is_empty() => {
                    let text = text.trim().to_owned();
                    return Ok(if *sign == '=' {
                        Ok(text)
                    } else {
                        Err(GtpError(text))
                    });
                }
                Some((_, text)) => {
                    text.push('\n');
                    text.push_str(&line);
                }
                // Whatever stands before a reply is none.
                None => {
                    let sign = line.chars().next().filter(|sign| "=?".contains(*sign));
                    reply = sign.map(|sign| (sign, line[1..].to_owned()));
                }
            }
        }
    }

    /// Sends a command that must not fail.
    fn tell(&mut self, command: &str) -> Result<(), PlayerFault> {
        let reply = self.ask(command, self.patience)?;
        reply.map(drop).map_err(|GtpError(words)| {
            PlayerFault::Broken(format!("answered {words:?} to {command:?}"))
        })
    }

    /// Brings the engine's board to the end of a game.
    fn bring_to(&mut self, game: &Game) -> Result<(), PlayerFault> {
        if game.start() != Position::START {
            let reason = "GTP has no command for a board: openings must be moves from the start";
            return Err(PlayerFault::Broken(reason.to_owned()));
        }
        let known = self
            .game
            .take()
            .filter(|known| game.moves().starts_with(known.moves()));
        let mut known = if let Some(known) = known {
            known
        } else {
            self.tell("clear_board")?;
            Game::default()
        };
        for &mv in &game.moves()[known.moves().len()..] {
            let side = color(known.position().side());
            match mv {
                Move::Place(square) => self.tell(&format!("play {side} {square}"))?,
                // Some engines pass by themselves, and call this an error.
                Move::Pass => drop(self.ask(&format!("play {side} pass"), self.patience)?),
            }
            known.play_unchecked(mv);
        }
        self.game = Some(known);
        Ok(())
    }

    /// Tells the limit and what the clocks show.
    fn tell_time(&mut self, question: &Question<'_>) -> Result<(), PlayerFault> {
        let limit = question.limits[question.color.index()];
        if self.limit != Some(limit) {
            let settings = match limit {
                MoveLimit::MoveTime(ms) => Some([0, seconds(ms), 1]),
                MoveLimit::Clock { time, byoyomi, .. } if byoyomi > 0 => {
                    Some([time / 1000, seconds(byoyomi), 1])
                }
                MoveLimit::Clock { time, .. } => Some([seconds(time), 0, 0]),
                MoveLimit::Own | MoveLimit::Nodes(_) | MoveLimit::Depth(_) => None,
            };
            if let Some([main, period, stones]) = settings {
                self.tell(&format!("time_settings {main} {period} {stones}"))?;
            }
            self.limit = Some(limit);
        }
        if let MoveLimit::Clock { byoyomi, .. } = limit {
            let left = question.clocks[question.color.index()];
            let color = ["black", "white"][question.color.index()];
            let (time, stones) = if left < 1000 && byoyomi > 0 {
                (seconds(byoyomi), 1)
            } else {
                (left / 1000, 0)
            };
            self.tell(&format!("time_left {color} {time} {stones}"))?;
        }
        Ok(())
    }
}

/// Whole seconds, as GTP counts: at least 1.
fn seconds(ms: u64) -> u64 {
    (ms / 1000).max(1)
}

impl MatchPlayer for Gtp {
    fn set_options(&mut self, options: &[(String, String)]) -> Result<(), PlayerFault> {
        options
            .iter()
            .try_for_each(|(name, value)| self.tell(&format!("{name} {value}")))
    }

    fn new_game(&mut self) -> Result<(), PlayerFault> {
        self.tell("clear_board")?;
        self.game = Some(Game::default());
        self.limit = None;
        Ok(())
    }

    fn best_move(&mut self, question: &Question<'_>) -> Result<PlayerAnswer, PlayerFault> {
        let mut game = to_move(question.position)?;
        self.bring_to(&game)?;
        self.tell_time(question)?;
        let side = color(game.position().side());
        let asked = Instant::now();
        let reply = self.ask(&format!("genmove {side}"), question.patience)?;
        let elapsed = asked.elapsed();
        // A number of the command may stand before the move. What is no move is for the referee to judge.
        let text = reply.unwrap_or_else(|GtpError(words)| format!("? {words}"));
        let word = text.split_whitespace().next_back().unwrap_or_default();
        let text = if text.starts_with('?') {
            text
        } else {
            word.to_ascii_lowercase()
        };
        let is_played = text
            .parse()
            .is_ok_and(|square| game.try_play_square(square).is_ok());
        self.game = is_played.then_some(game);
        Ok(PlayerAnswer {
            text,
            elapsed,
            score_cp: None,
            depth: None,
            nodes: None,
        })
    }

    fn game_over(&mut self, _: GamePoints) {}
}

/// The game of a question, with the pass that brings it to the side that is asked.
fn to_move(position: &str) -> Result<Game, PlayerFault> {
    let game = parse_line(position);
    let mut game = game.map_err(|error| PlayerFault::Broken(error.to_string()))?;
    if game.position().board().state() == othello_core::State::Pass {
        game.play_unchecked(Move::Pass);
    }
    Ok(game)
}

/// A running engine that speaks the protocol of NBoard, version 2.
#[derive(Debug)]
struct NBoard {
    process: EngineProcess,
    patience: Duration,
    /// The name that it gave itself, or the program.
    name: String,
    /// The last ping.
    pings: u32,
    depth: Option<u32>,
}

impl NBoard {
    fn open(engine: &EngineCommand) -> Result<Self, EngineError> {
        let process = EngineProcess::spawn_command(&mut engine.command())?;
        let mut nboard = Self {
            name: process.name().to_owned(),
            process,
            patience: engine.patience,
            pings: 0,
            depth: None,
        };
        nboard.process.send_line("nboard 2")?;
        for (name, value) in &engine.options {
            nboard.process.send_line(&format!("set {name} {value}"))?;
        }
        nboard.synchronise()?;
        Ok(nboard)
    }

    /// Waits until the engine has done what it was told.
    fn synchronise(&mut self) -> Result<(), EngineError> {
        self.pings += 1;
        let pong = format!("pong {}", self.pings);
        self.process.send_line(&format!("ping {}", self.pings))?;
        let deadline = Instant::now() + self.patience;
        loop {
            let line = self
                .process
                .next_line(deadline.saturating_duration_since(Instant::now()))?;
            if line == pong {
                return Ok(());
            }
            if let Some(name) = line.strip_prefix("set myname ") {
                name.trim().clone_into(&mut self.name);
            }
        }
    }
}

impl MatchPlayer for NBoard {
    fn set_options(&mut self, options: &[(String, String)]) -> Result<(), PlayerFault> {
        for (name, value) in options {
            self.process.send_line(&format!("set {name} {value}"))?;
        }
        Ok(())
    }

    fn new_game(&mut self) -> Result<(), PlayerFault> {
        Ok(self.synchronise()?)
    }

    fn best_move(&mut self, question: &Question<'_>) -> Result<PlayerAnswer, PlayerFault> {
        if let MoveLimit::Depth(depth) = question.limits[question.color.index()]
            && self.depth != Some(depth)
        {
            self.process.send_line(&format!("set depth {depth}"))?;
            self.depth = Some(depth);
        }
        let game = to_move(question.position)?;
        self.process
            .send_line(&format!("set game {}", ggf(&game)))?;
        self.synchronise()?;
        let asked = Instant::now();
        self.process.send_line("go")?;
        let deadline = asked + question.patience;
        let mut nodes = None;
        loop {
            let line = self
                .process
                .next_line(deadline.saturating_duration_since(Instant::now()))?;
            if let Some(stats) = line.strip_prefix("nodestats ") {
                nodes = stats
                    .split_whitespace()
                    .next()
                    .and_then(|nodes| nodes.parse().ok())
                    .or(nodes);
            }
            let Some(answer) = line.strip_prefix("===") else {
                continue;
            };
            let elapsed = asked.elapsed();
            // The move, the value in discs and the time, with strokes between them, or blanks.
            let mut words = answer.split(['/', ' ']).filter(|word| !word.is_empty());
            let text = words.next().unwrap_or_default().to_ascii_lowercase();
            let value: Option<f64> = words.next().and_then(|value| value.parse().ok());
            return Ok(PlayerAnswer {
                text,
                elapsed,
                score_cp: value.map(centipawns),
                depth: self.depth,
                nodes,
            });
        }
    }

    fn game_over(&mut self, _: GamePoints) {}
}

/// A number of discs in hundredths, no further from even than a mate.
fn centipawns(discs: f64) -> i64 {
    ((discs * 100.0).round() as i64).clamp(-MATE_CP, MATE_CP)
}

/// A game in the General Game Format, as NBoard sends it.
fn ggf(game: &Game) -> String {
    let board: String = game.start().to_string().replace('X', "*");
    let mut text =
        format!("(;GM[Othello]PC[NBoard]PB[black]PW[white]RE[?]TI[15:00]TY[8]BO[8 {board}]");
    let mut side = game.start().side();
    for mv in game.moves() {
        let name = match mv {
            Move::Place(square) => square.to_string().to_ascii_uppercase(),
            Move::Pass => "PA".to_owned(),
        };
        let color = match side {
            Side::Black => 'B',
            Side::White => 'W',
        };
        // Writing to a string does not fail.
        write!(text, "{color}[{name}]").ok();
        side = side.other();
    }
    text.push_str(";)");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EngineChecks, EngineSpec};

    #[test]
    fn games_are_written_as_nboard_does() {
        let game = parse_line("startpos moves f5 f6").unwrap();
        assert_eq!(
            ggf(&game),
            "(;GM[Othello]PC[NBoard]PB[black]PW[white]RE[?]TI[15:00]TY[8]\
             BO[8 ---------------------------O*------*O--------------------------- *]B[F5]W[F6];)"
        );
        let record = othello_record::parse(&ggf(&game)).unwrap();
        assert_eq!(record.game, game);
    }

    #[cfg(unix)]
    #[test]
    fn no_line_hides_behind_an_option() {
        let checks = EngineChecks::new(Duration::from_secs(10));
        let hidden = |engine: &str, protocol| {
            let mut spec = EngineSpec::new(engine);
            spec.options = vec![("level".to_owned(), "1\nquit".to_owned())];
            spec.protocol = protocol;
            let engine = EngineCommand::new(&spec, &checks);
            OthelloProtocols.start(&engine).unwrap_err().to_string()
        };
        for protocol in [None, Some(ProtocolName::Gtp), Some(ProtocolName::NBoard)] {
            let error = hidden("cat", protocol);
            assert!(error.contains("has a control character"), "{error}");
        }
    }

    #[test]
    fn limits_are_those_of_the_protocols() {
        let checks = EngineChecks::new(Duration::from_secs(1));
        let mut engine = EngineCommand::new(&EngineSpec::new("engine"), &checks);
        let clock = |increment| MoveLimit::Clock {
            time: 1000,
            increment,
            byoyomi: 0,
        };
        let is_known =
            |engine: &EngineCommand, limit| OthelloProtocols.check_limit(engine, limit).is_ok();
        for (protocol, known) in [
            (None, [true, true, true, false, false, false]),
            (
                Some(ProtocolName::NBoard),
                [true, false, false, false, true, false],
            ),
        ] {
            engine.protocol = protocol;
            let limits = [
                MoveLimit::Own,
                MoveLimit::MoveTime(1000),
                clock(0),
                clock(10),
                MoveLimit::Depth(4),
                MoveLimit::Nodes(9),
            ];
            assert_eq!(
                limits.map(|limit| is_known(&engine, limit)),
                known,
                "{protocol:?}"
            );
        }
    }
}
