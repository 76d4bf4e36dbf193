//! Games that are broken off by a lost connection and go on over the next one: the server offers the same game again, or takes the
//! player back at the login.

use std::time::Instant;

use super::{Client, ClientEvent, Link, LinkEnd};
use crate::client::state::Playing;
use crate::client::state::SuspendedGame;
use crate::game::{CsaGame, GameOver};
use crate::session::CsaSession;
use crate::summary::CsaSummary;

impl Client<'_, '_> {
    /// The connection was lost in a game: it may go on, or is over.
    pub(super) fn broken_off(&mut self, mut playing: Playing, game: CsaGame, over: GameOver) {
        match self.settings.reconnect {
            // The server has told of no end.
            Some(time) if game.is_open() && !self.is_interrupted() => {
                self.stop_thinking(&mut playing);
                // The server may not have taken the move.
                playing.sent = (None, None);
                let until = Instant::now() + time;
                self.suspended = Some(SuspendedGame {
                    game,
                    playing,
                    over,
                    until,
                });
            }
            _ => self.finish_game(playing, &game, over),
        }
    }

    /// Counts the game that was broken off as over, if there is one.
    pub(super) fn give_up_suspended(&mut self) {
        if let Some(suspended) = self.suspended.take() {
            let id = &suspended.game.summary().game_id;
            let text = format!("the game {id} does not go on");
            self.report(&ClientEvent::Note(&text));
            self.finish_game(suspended.playing, &suspended.game, suspended.over);
        }
    }

    /// Returns whether the time is over in which a game that was broken off may go on.
    pub(super) fn is_too_late(&self) -> bool {
        let until = self.suspended.as_ref().map(|game| game.until);
        until.is_some_and(|until| Instant::now() >= until)
    }

    /// Ends the wait for a game that does not go on.
    pub(super) fn check_suspended(&mut self, link: &mut Link) -> Option<LinkEnd> {
        if !self.is_too_late() || link.session.is_agreed() {
            return None;
        }
        self.give_up_suspended();
        if self.is_done() {
            return self.leave(link);
        }
        // A login for that game is none for another.
        let text = "logging in for the next game".to_owned();
        link.asks_for_game.then_some(LinkEnd::Lost(text))
    }

    /// The line that logs in: for the game that was broken off where the server has given a token for that.
    pub(super) fn login(&self, link: &mut Link, password: &str) -> String {
        let name = &self.settings.name;
        let suspended = self.suspended.as_ref().map(|game| game.game.summary());
        let again = suspended.and_then(|summary| Some((summary, summary.reconnect_token()?)));
        link.asks_for_game = again.is_some();
        match again {
            Some((summary, token)) => {
                // Secrets are not shown.
                let token = if password == "*" { "*" } else { token };
                CsaSession::login_again(name, password, &summary.game_id, token)
            }
            None => CsaSession::login(name, password),
        }
    }

    /// Returns whether `summary` offers to go on with the game that was broken off.
    pub(super) fn is_suspended_game(&self, summary: &CsaSummary) -> bool {
        let suspended = self.suspended.as_ref();
        suspended.is_some_and(|game| summary.goes_on(game.game.summary()))
    }

    /// Answers the offer to go on; the player is ready. After a login for the game the server expects no answer.
    pub(super) fn agree_to_go_on(&mut self, link: &mut Link) -> Option<LinkEnd> {
        if link.asks_for_game {
            return None;
        }
        let answer = link.session.agree();
        answer.and_then(|answer| self.send(link, &answer))
    }

    /// The game that was broken off, if it is the one that has begun.
    pub(super) fn take_suspended(&mut self, link: &Link) -> Option<SuspendedGame> {
        let begun = link.session.game()?.summary();
        if self.is_suspended_game(begun) {
            return self.suspended.take();
        }
        self.give_up_suspended();
        None
    }

    /// Goes on with a game.
    pub(super) fn go_on(&mut self, link: &mut Link, suspended: SuspendedGame) -> Option<LinkEnd> {
        let game = link.session.game_mut()?;
        game.go_on_from(&suspended.game);
        link.playing = suspended.playing;
        (self.observer)(&ClientEvent::Resumed(game));
        if game.is_our_turn() {
            return self.think(link);
        }
        None
    }
}
