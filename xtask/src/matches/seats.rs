//! The two engine processes of a worker.

use shogi_core::Color;

use super::game::{self, Played, Rules};
use super::openings::Opening;
use super::player::{Answer, Fault, Player, Question};
use super::usi_player::{Engine, UsiPlayer};
use shogi_usi::GameResult;

/// An engine's process, started when it is needed: before the first game and after a foul.
#[derive(Debug)]
struct Seat<'a> {
    engine: &'a Engine,
    /// Options beside those that the engine always gets, set before every game.
    options: Vec<(String, String)>,
    player: Option<UsiPlayer>,
}

impl Player for Seat<'_> {
    fn new_game(&mut self) -> Result<(), Fault> {
        let player = match &mut self.player {
            Some(player) => player,
            empty => empty.insert(UsiPlayer::start(self.engine)?),
        };
        player
            .set_options(&self.options)
            .and_then(|()| player.new_game())
            .inspect_err(|_| self.player = None)
    }

    fn best_move(&mut self, question: &Question<'_>) -> Result<Answer, Fault> {
        let gone = || Fault::Broken("the engine was not started".to_owned());
        let player = self.player.as_mut().ok_or_else(gone)?;
        // Whatever state the process is in after a fault, the next game starts with a fresh one.
        player
            .best_move(question)
            .inspect_err(|_| self.player = None)
    }

    fn game_over(&mut self, result: GameResult) {
        if let Some(player) = &mut self.player {
            player.game_over(result);
        }
    }
}

/// Engines A and B of a worker.
#[derive(Debug)]
pub(crate) struct Seats<'a> {
    seats: [Seat<'a>; 2],
}

impl<'a> Seats<'a> {
    pub(crate) fn new(engines: &'a [Engine; 2]) -> Self {
        Self {
            seats: engines.each_ref().map(|engine| Seat {
                engine,
                options: Vec::new(),
                player: None,
            }),
        }
    }

    /// Sets options of A and B for the games to come, beside those that the engines always get.
    pub(crate) fn set_options(&mut self, options: [Vec<(String, String)>; 2]) {
        for (seat, options) in self.seats.iter_mut().zip(options) {
            seat.options = options;
        }
    }

    /// Plays the game with the given number.
    pub(crate) fn play(&mut self, game: usize, opening: &Opening, rules: &Rules) -> Played {
        let [a, b] = &mut self.seats;
        match color_of_a(game) {
            Color::Black => game::play([a, b], opening, rules),
            Color::White => game::play([b, a], opening, rules),
        }
    }
}

/// Which side engine A has in the game with the given number: black in the first of a pair.
pub(crate) const fn color_of_a(game: usize) -> Color {
    if game.is_multiple_of(2) {
        Color::Black
    } else {
        Color::White
    }
}
