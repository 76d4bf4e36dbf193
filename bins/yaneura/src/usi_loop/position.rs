//! The position that commands are about, and what becomes of them when there is none.

use std::path::Path;

use shogi_core::{Correction, Diagram, Game, LenientPosition, Position, Shown};
use shogi_usi::CommandError;

use super::UsiLoop;
use crate::error::{LineError, shortened};
use crate::picture::{self, BestLine};

/// The object of commands about the position. Never an earlier position than that of the last `position`.
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
            let texts: Vec<_> = corrections.iter().map(ToString::to_string).collect();
            let text = format!("position: {}", texts.join("; "));
            self.output.say(&shortened(&text));
        }
    }

    pub(crate) fn set_game(&mut self, game: Game) {
        self.best_line = BestLine::default();
        self.subject = Subject::Game;
        self.session.set_game(game);
    }

    /// The position of the session's game.
    pub(super) fn position(&self) -> &Position {
        self.session.game().position()
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

    /// The position of a game that a command asks about.
    pub(crate) fn playable_position(&self) -> Result<&Position, LineError> {
        match self.unplayable() {
            Some(error) => Err(error),
            None => Ok(self.position()),
        }
    }

    /// The pieces that a command asks about, which need not be a position of a game.
    pub(crate) fn shown_pieces(&self) -> Result<&Position, LineError> {
        match &self.subject {
            Subject::Game => Ok(self.position()),
            Subject::Diagram(diagram) => Ok(diagram.pieces()),
            Subject::Unreadable(reason) => Err(LineError::NoPosition(reason.clone())),
        }
    }
}
