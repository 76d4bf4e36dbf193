//! The position that commands are about, and what becomes of them when there is none.

use std::path::Path;

use shogi_core::{Correction, Diagram, Game, LenientPosition, Position, Shown};
use shogi_usi::CommandError;

use super::UsiLoop;
use crate::error::{LineError, shortened};
use crate::picture::{self, BestLine};
use crate::script::Query;

/// What commands about the position are about. Never an earlier position than that of the last `position`.
pub(super) enum Subject {
    /// The game of the session.
    Game,
    /// Pieces that nobody can play from, because whoever is to move could take the king: they can be
    /// evaluated, and the mate be solved all the same.
    Diagram(Box<Diagram>),
    /// Nothing: the last `position` could not be read, for this reason.
    Unreadable(String),
}

impl UsiLoop {
    /// `position`, of which `text` follows the word. Forms that programs of the field write are read too,
    /// and told.
    pub(super) fn set_position(&mut self, text: &str) -> Result<(), LineError> {
        self.best_line = BestLine::default();
        let line = LenientPosition::parse(text).map_err(|error| {
            self.subject = Subject::Unreadable(error.to_string());
            CommandError::Position(error)
        })?;
        self.tell_corrections(&line.corrections);
        match line.shown {
            Shown::Game(game) => self.set_game(game),
            Shown::Diagram(diagram) => {
                let side = crate::queries::side(diagram.pieces());
                self.output.say(&format!(
                    "position: {side} is to move and could take the king: nobody can play from here, but \
                     go mate looks for a mate"
                ));
                self.subject = Subject::Diagram(Box::new(diagram));
            }
        }
        Ok(())
    }

    fn tell_corrections(&self, corrections: &[Correction]) {
        if !corrections.is_empty() {
            let told: Vec<_> = corrections.iter().map(ToString::to_string).collect();
            let text = format!("position: {}", told.join("; "));
            self.output.say(&shortened(&text));
        }
    }

    pub(super) fn set_game(&mut self, game: Game) {
        self.best_line = BestLine::default();
        self.subject = Subject::Game;
        self.session.set_game(game);
    }

    /// The position of the session's game.
    pub(super) fn position(&self) -> &Position {
        self.session.game().position()
    }

    /// The pieces to show, which may not be a position of a game.
    pub(super) fn pieces(&self) -> &Position {
        match &self.subject {
            Subject::Diagram(diagram) => diagram.pieces(),
            _ => self.position(),
        }
    }

    /// `d svg FILE`: writes the board as a picture.
    pub(super) fn draw(&self, file: &Path, overwrite: bool) -> Result<(), LineError> {
        let svg = match &self.subject {
            Subject::Diagram(diagram) => picture::of_diagram(diagram),
            _ => picture::of_game(self.session.game(), &self.best_line),
        };
        picture::save(&svg, file, overwrite)?;
        self.output.line(format!("wrote {}", file.display()));
        Ok(())
    }

    /// Why nobody can play from the position, if it is so.
    pub(super) fn unplayable(&self) -> Option<LineError> {
        match &self.subject {
            Subject::Game => None,
            Subject::Diagram(_) => Some(LineError::Diagram),
            Subject::Unreadable(reason) => Some(LineError::NoPosition(reason.clone())),
        }
    }

    /// Whether there is what a query asks about; else an error, and nothing about an earlier position.
    pub(super) fn can_answer(&self, query: &Query) -> Result<(), LineError> {
        let needed = match self.subject {
            Subject::Unreadable(_) => query.needs_pieces(),
            _ => query.needs_game(),
        };
        match self.unplayable() {
            Some(error) if needed => Err(error),
            _ => Ok(()),
        }
    }
}
