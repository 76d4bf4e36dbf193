//! Consoles: engines that are used by typing, with the commands and tables of Egaroucid and of Edax.

mod edax;
mod edax_tables;
mod egaroucid;
mod egaroucid_tables;
mod egaroucid_tasks;
mod error;
mod saving;
mod suggest;

use std::fmt;
use std::time::Duration;

use othello_core::{Game, ImpossibleBoard, Move, Position, Side, State};
use othello_search::{Control, Observer, PlayLevel, SearchLine};

use crate::openings::OpeningNamer;
use crate::ponder::Ponder;
use crate::session::Session;

pub use edax::EdaxConsole;
pub use egaroucid::EgaroucidConsole;
pub use egaroucid_tables::MoveOutput;
pub use error::ConsoleTaskError;
use error::MoveError;
pub use suggest::did_you_mean;

/// The sides that the engine plays by itself; the numbers are those of both programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ConsoleMode {
    /// 0: white.
    White,
    /// 1: black.
    Black,
    /// 2: both.
    Both,
    /// 3: neither.
    #[default]
    Neither,
}

impl ConsoleMode {
    /// The mode of a number from 0 to 3.
    pub fn of_number(number: u32) -> Option<Self> {
        [Self::White, Self::Black, Self::Both, Self::Neither]
            .get(number as usize)
            .copied()
    }

    const fn plays(self, side: Side) -> bool {
        match self {
            Self::White => matches!(side, Side::White),
            Self::Black => matches!(side, Side::Black),
            Self::Both => true,
            Self::Neither => false,
        }
    }
}

/// A game at a console: what is played, and what can be played again.
#[derive(Debug)]
struct ConsoleGame {
    session: Session,
    /// The position that a new game begins with.
    start: Position,
    /// Moves that were taken back, the last one first.
    undone: Vec<Move>,
    mode: ConsoleMode,
    control: Control,
    ponder: Option<Ponder>,
    /// Names of openings, if they are shown.
    openings: Option<OpeningNamer>,
    /// True if a new game keeps what searches found out.
    keeps_cache: bool,
}

/// Tells the lines of searches as text, if anyone wants to hear them.
#[derive(Default)]
struct SearchLog(Option<Listener>);

/// Receives lines of text.
type Listener = Box<dyn FnMut(&str) + Send>;

impl fmt::Debug for SearchLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SearchLog").field(&self.0.is_some()).finish()
    }
}

impl Observer for SearchLog {
    fn line(&mut self, index: usize, line: &SearchLine, nodes: u64, elapsed: Duration) {
        if let Some(log) = &mut self.0 {
            let (depth, selectivity) = (line.depth, line.selectivity);
            let pv: String = line.squares().map(|square| square.to_string()).collect();
            log(&format!(
                "depth {depth}@{selectivity} line {} value {:+} nodes {nodes} time {} ms pv {pv}",
                index + 1,
                line.score,
                elapsed.as_millis()
            ));
        }
    }
}

impl ConsoleGame {
    fn new(session: Session, control: Control) -> Self {
        Self {
            start: session.game().start(),
            session,
            undone: Vec::new(),
            mode: ConsoleMode::default(),
            control,
            ponder: None,
            openings: None,
            keeps_cache: false,
        }
    }

    /// The name of the game's opening, if names are shown and it has one.
    fn opening(&self) -> Option<&str> {
        let openings = self.openings.as_ref()?;
        openings.name(self.session.game())
    }

    fn position(&self) -> Position {
        self.session.position()
    }

    fn level(&self) -> u32 {
        self.session.level.number()
    }

    /// Sets the level, of the same program; returns `false` if there is none of this number.
    fn set_level(&mut self, level: Option<u32>, least: u32) -> bool {
        let level = level.filter(|level| (least..=PlayLevel::MOST).contains(level));
        if let Some(level) = level {
            self.session.level = self.session.level.with_number(level);
        }
        level.is_some()
    }

    /// Begins a game from a position.
    fn begin(&mut self, start: Position) -> Result<(), ImpossibleBoard> {
        self.set_game(Game::new(start))?;
        if !self.keeps_cache {
            self.session.clear();
        }
        Ok(())
    }

    /// Goes on with a game; a new one begins as it does.
    fn set_game(&mut self, game: Game) -> Result<(), ImpossibleBoard> {
        let start = game.start();
        self.session.set_game(game)?;
        self.start = start;
        self.undone.clear();
        Ok(())
    }

    /// Plays moves such as `f5d6`, with forced passes; all of them or none.
    fn play(&mut self, text: &str) -> Result<(), MoveError> {
        let mut game = self.session.game().clone();
        let signs: Vec<char> = text.chars().filter(|sign| !sign.is_whitespace()).collect();
        for pair in signs.chunks(2) {
            let name: String = pair.iter().collect();
            let is_pass = ["pa", "ps", "--", "@@"].contains(&name.to_ascii_lowercase().as_str());
            let played = if is_pass {
                game.try_play(Move::Pass)
            } else {
                match name.parse() {
                    Ok(square) => game.try_play_square(square),
                    Err(_) => return Err(MoveError::NoSquare(name)),
                }
            };
            if played.is_err() {
                return Err(MoveError::Illegal(name));
            }
        }
        self.session.go_on_with(game);
        self.undone.clear();
        Ok(())
    }

    /// Takes back moves, with the passes before them; returns how many.
    fn undo(&mut self, count: usize) -> usize {
        for done in 0..count {
            loop {
                let Some(mv) = self.session.undo() else {
                    return done;
                };
                self.undone.push(mv);
                if mv != Move::Pass {
                    break;
                }
            }
            // A pass that was forced goes with the move that answered it.
            while self.session.game().moves().last() == Some(&Move::Pass) {
                self.undone.extend(self.session.undo());
            }
        }
        count
    }

    /// Plays moves again that were taken back; returns how many.
    fn redo(&mut self, count: usize) -> usize {
        for done in 0..count {
            loop {
                let Some(mv) = self.undone.pop() else {
                    return done;
                };
                self.session.play_unchecked(mv);
                if mv != Move::Pass {
                    break;
                }
            }
        }
        count
    }

    /// Passes where that is forced.
    fn pass(&mut self) {
        if self.position().board().state() == State::Pass {
            self.session.play_unchecked(Move::Pass);
        }
    }

    /// Returns whether it is the engine's turn.
    fn is_engines_turn(&self) -> bool {
        let position = self.position();
        self.mode.plays(position.side()) && !position.board().is_over()
    }

    /// Thinks ahead if the other side is to move in a game with the engine.
    fn think_ahead(&mut self) {
        if self.mode != ConsoleMode::Neither {
            self.ponder = Ponder::start(&self.session);
        }
    }
}
