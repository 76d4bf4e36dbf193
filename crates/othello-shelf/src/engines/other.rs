//! An engine that is another program.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use othello_core::{Game, Move, Position, Side, State};
use page_messages::{PageFailure, StopFlag};
use tournament::{
    Contestant, EngineChecks, EngineProtocol, EngineSpec, MatchPlayer, MoveLimit, OthelloProtocols,
    PlayerAnswer, PlayerColor, PlayerFault, Question,
};

/// The time to wait for anything but a move.
const PATIENCE: Duration = Duration::from_secs(20);

/// The time to wait for a move beyond the one that it may take.
const LATE: Duration = Duration::from_secs(600);

/// The time between two looks at whether the move is still wanted.
const LOOK: Duration = Duration::from_millis(20);

/// A program that plays, started when it is first asked, and again after it has failed.
#[derive(Debug)]
pub struct OtherEngine {
    contestant: Contestant,
    /// The process, while nobody asks it.
    waiting: Arc<Mutex<Option<Box<dyn MatchPlayer>>>>,
}

/// An engine that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OtherEngineError {
    /// Its description is none.
    #[error("{text}: {reason}")]
    Description {
        /// The description.
        text: String,
        /// What was expected.
        reason: String,
    },
    /// It does not start, or does not speak as it should.
    #[error(transparent)]
    Engine(#[from] Box<tournament::TournamentError>),
}

/// A move of another engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OtherMove {
    pub(super) mv: Move,
    pub(super) answer: PlayerAnswer,
}

impl OtherEngine {
    /// Describes engines (`PROGRAM`, or `PROGRAM,KEY=VALUE,…` with the keys `name`, `dir` and `protocol`: `gtp` or `nboard`), and starts
    /// each once to see that it is one.
    ///
    /// # Errors
    ///
    /// A description that is none; an engine that does not start or does not answer.
    pub fn open_all(descriptions: &[String]) -> Result<Vec<Self>, OtherEngineError> {
        let specs = descriptions.iter().map(|text| {
            let spec: Result<EngineSpec, _> = text.parse();
            spec.map_err(|error| OtherEngineError::Description {
                text: text.clone(),
                reason: error.to_string(),
            })
        });
        let specs = specs.collect::<Result<Vec<_>, _>>()?;
        let protocol: Arc<dyn EngineProtocol> = Arc::new(OthelloProtocols);
        let checks = EngineChecks::new(PATIENCE);
        let all = Contestant::open_all(&specs, &protocol, &checks).map_err(Box::new)?;
        let engines = all.into_iter().map(|contestant| Self {
            contestant,
            waiting: Arc::default(),
        });
        Ok(engines.collect())
    }

    /// The name by which requests choose it.
    pub fn label(&self) -> &str {
        &self.contestant.label
    }

    /// What it calls itself.
    pub fn name(&self) -> &str {
        match self.contestant.identity.name.as_str() {
            "" => self.label(),
            name => name,
        }
    }

    /// Its move; `None` if the request was stopped first. A process that fails is ended, and the next request starts another.
    ///
    /// # Errors
    ///
    /// A game that is over; an engine that does not start, ends, is silent or makes no legal move.
    pub(super) fn play(
        &self,
        game: &Game,
        limits: &[MoveLimit],
        stop: &StopFlag,
    ) -> Result<Option<OtherMove>, PageFailure> {
        if game.position().board().state() == State::Over {
            return Err(PageFailure::new("the game is over"));
        }
        let failed = |fault: PlayerFault| PageFailure::new(format!("{}: {fault}", self.label()));
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let known = waiting.take();
        drop(waiting);
        let mut player = match known {
            Some(player) => player,
            None => OthelloProtocols
                .start(&self.contestant.command)
                .map_err(failed)?,
        };
        let is_known = |limit: &&MoveLimit| self.contestant.check_limit(**limit).is_ok();
        let limit = limits.iter().find(is_known);
        let limit = limit.copied().unwrap_or(MoveLimit::Own);
        let (send, answers) = channel();
        let asked = game.clone();
        let thread = std::thread::Builder::new().name("engine".to_owned());
        let begun = thread.spawn(move || {
            let answer = ask(&mut *player, &asked, limit);
            // Nobody waits any more: the process ends here.
            let _unwanted = send.send((player, answer));
        });
        begun.map_err(|error| PageFailure::of(&error))?;
        let (player, answer) = loop {
            match answers.recv_timeout(LOOK) {
                Ok(answered) => break answered,
                Err(RecvTimeoutError::Timeout) if !stop.is_stopped() => {}
                Err(RecvTimeoutError::Timeout) => return Ok(None),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(PageFailure::new("this is an error of the program itself"));
                }
            }
        };
        let answer = answer.map_err(failed)?;
        let mv = legal(game, &answer.text).ok_or_else(|| {
            let (label, text) = (self.label(), answer.text.escape_debug());
            PageFailure::new(format!("{label}: its answer '{text}' is no legal move"))
        })?;
        *self.waiting.lock().unwrap_or_else(PoisonError::into_inner) = Some(player);
        Ok(Some(OtherMove { mv, answer }))
    }
}

/// Asks for a move.
fn ask(
    player: &mut dyn MatchPlayer,
    game: &Game,
    limit: MoveLimit,
) -> Result<PlayerAnswer, PlayerFault> {
    let own = match limit {
        MoveLimit::MoveTime(ms) => Duration::from_millis(ms),
        _ => Duration::ZERO,
    };
    player.best_move(&Question {
        position: &line(game),
        color: match game.position().after_forced_pass().side() {
            Side::Black => PlayerColor::Black,
            Side::White => PlayerColor::White,
        },
        limits: [limit; 2],
        clocks: [0; 2],
        patience: own + LATE,
    })
}

/// A game as matches write it.
fn line(game: &Game) -> String {
    let start = match game.start() {
        Position::START => "startpos".to_owned(),
        start => start.to_string(),
    };
    let squares = game.moves().iter().filter_map(|mv| match mv {
        Move::Place(square) => Some(square.to_string()),
        Move::Pass => None,
    });
    let squares: Vec<_> = squares.collect();
    if squares.is_empty() {
        return start;
    }
    format!("{start} moves {}", squares.join(" "))
}

/// The legal move of a name; the engine moves behind a forced pass.
fn legal(game: &Game, name: &str) -> Option<Move> {
    let board = game.position().after_forced_pass().board();
    let square = name.parse().ok()?;
    board.try_play(square).ok()?;
    Some(Move::Place(square))
}
