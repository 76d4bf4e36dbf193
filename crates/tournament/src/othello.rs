//! The rules of othello: the referee counts the discs, and random openings are balanced as far as one sees without search.
//!
//! Positions are written as `startpos`, or 64 squares and a side; behind `moves` come the moves without passes, which follow
//! from the rules.

use othello_core::{Board, Game, Move, Position, Side, Square, State};
use yane_base::random::{IteratorRandom, Stream};

use crate::error::{OpeningLineError, Result};
use crate::rules::{EndOfGame, PlayerColor, Referee, RuleBook, Verdict};

/// The rules of othello. Openings are transcripts (`f5d6c3`), boards, problems of `.obf` files, and other spellings of the
/// field.
#[derive(Clone, Copy, Debug, Default)]
pub struct OthelloRules;

impl RuleBook for OthelloRules {
    fn opening(&self, line: &str) -> Result<String, OpeningLineError> {
        if let Ok(game) = parse_line(line) {
            return Ok(line_of(&game));
        }
        let record = othello_record::parse(line).map_err(OpeningLineError::new)?;
        Ok(line_of(&record.game))
    }

    fn random_opening(&self, random: &mut Stream, plies: u32) -> String {
        loop {
            if let Some(game) = try_random_opening(random, plies) {
                return line_of(&game);
            }
        }
    }

    fn referee(
        &self,
        opening: &str,
        max_plies: usize,
    ) -> Result<Box<dyn Referee>, OpeningLineError> {
        let game = parse_line(opening)?;
        let plies = game.moves().iter().filter(|mv| **mv != Move::Pass).count();
        Ok(Box::new(OthelloReferee {
            position: game.position().after_forced_pass(),
            plies,
            max_plies,
        }))
    }
}

/// The game that a line describes: `startpos` or a board, and moves.
pub(crate) fn parse_line(line: &str) -> Result<Game, OpeningLineError> {
    let (start, moves) = match line.split_once(" moves") {
        Some((start, moves)) => (start, moves),
        None => (line, ""),
    };
    let start = match start.trim() {
        "startpos" => Position::START,
        board => {
            let position = board.parse::<Position>();
            position.map_err(OpeningLineError::new)?
        }
    };
    Game::from_transcript(start, moves).map_err(OpeningLineError::new)
}

/// A game as a line.
fn line_of(game: &Game) -> String {
    let mut line = if game.start() == Position::START {
        "startpos".to_owned()
    } else {
        game.start().to_string()
    };
    let mut before = " moves ";
    for mv in game.moves() {
        if let Move::Place(square) = mv {
            line.push_str(before);
            line.push_str(&square.to_string());
            before = " ";
        }
    }
    line
}

/// The colour as matches have it.
pub(crate) const fn player(side: Side) -> PlayerColor {
    match side {
        Side::Black => PlayerColor::Black,
        Side::White => PlayerColor::White,
    }
}

/// Follows one game.
#[derive(Debug)]
struct OthelloReferee {
    /// The position; the side to move has a move unless the game is over.
    position: Position,
    plies: usize,
    max_plies: usize,
}

impl Referee for OthelloReferee {
    fn side_to_move(&self) -> PlayerColor {
        player(self.position.side())
    }

    fn plies(&self) -> usize {
        self.plies
    }

    fn answer(&mut self, text: &str) -> Option<Verdict> {
        let us = self.side_to_move();
        if text.eq_ignore_ascii_case("resign") {
            return Some(Verdict::won_by(us.opponent(), EndOfGame::Resign));
        }
        let square: Option<Square> = text.parse().ok();
        match square.and_then(|square| self.position.try_play(square).ok()) {
            Some(next) => {
                self.position = next.after_forced_pass();
                self.plies += 1;
                self.verdict()
            }
            None => Some(Verdict::won_by(us.opponent(), EndOfGame::IllegalMove)),
        }
    }

    fn verdict(&self) -> Option<Verdict> {
        if self.position.board().is_over() {
            let lead = self.lead().unwrap_or_default();
            let winner = match lead {
                0 => None,
                1.. => Some(PlayerColor::Black),
                _ => Some(PlayerColor::White),
            };
            return Some(Verdict {
                winner,
                reason: EndOfGame::Counted,
            });
        }
        (self.plies >= self.max_plies).then_some(Verdict::draw(EndOfGame::MaxPlies))
    }

    /// The discs that black has more than white, empty squares counted for the winner.
    fn lead(&self) -> Option<i32> {
        let board = self.position.board();
        let score = match self.position.side() {
            Side::Black => board.score(),
            Side::White => -board.score(),
        };
        board.is_over().then_some(score)
    }
}

// Random openings.

/// Plays random moves; `None` when they do not lead to a balanced position.
fn try_random_opening(random: &mut Stream, plies: u32) -> Option<Game> {
    let mut game = Game::default();
    for _ in 0..plies {
        let square = game
            .position()
            .board()
            .legal_moves()
            .iter()
            .choose(random)?;
        game.play_unchecked(Move::Place(square));
    }
    let board = game.position().board();
    let is_opening = plies < 20;
    (!is_opening || plies < 2 || is_balanced(board)).then_some(game)
}

/// Returns whether nobody is far ahead as far as one sees: no disc in or next to a corner, and about as many moves for both.
fn is_balanced(board: Board) -> bool {
    const NEAR_CORNERS: u64 = 0xc3c3_0000_0000_c3c3;
    let moves = [board, board.passed()].map(|board| board.legal_moves().len());
    let discs = [board.mover(), board.opponent()];
    board.state() == State::Moves
        && (discs[0] | discs[1]) & NEAR_CORNERS == 0
        && moves[0].abs_diff(moves[1]) <= 2
        && discs.iter().all(|discs| discs.count_ones() >= 2)
}

#[cfg(test)]
mod tests {
    use test_support::TestFolder;

    use super::*;
    use crate::Openings;

    fn referee(line: &str) -> Box<dyn Referee> {
        OthelloRules.referee(line, 100).expect(line)
    }

    /// The shortest game in which black takes everything.
    const WIPE_OUT: &str = "f5 d6 c5 f4 e7 f6 g5 e6 e3";

    #[test]
    fn the_winner_has_the_empty_squares() {
        let mut game = referee("startpos");
        let mut verdict = None;
        for mv in WIPE_OUT.split(' ') {
            assert_eq!((verdict, game.lead()), (None, None), "{mv}");
            verdict = game.answer(mv);
        }
        let won = Verdict::won_by(PlayerColor::Black, EndOfGame::Counted);
        assert_eq!(
            (verdict, game.lead(), game.plies()),
            (Some(won), Some(64), 9)
        );
    }

    #[test]
    fn passes_follow_from_the_rules() {
        let mut random = crate::rules::random(5, 0);
        let mut passes = 0;
        for _ in 0..60 {
            let mut referee = referee("startpos");
            let mut game = Game::default();
            let mut verdict = None;
            while !game.position().board().is_over() {
                assert_eq!(verdict, None);
                let board = game.position().board();
                if board.state() == State::Pass {
                    game.play_unchecked(Move::Pass);
                    passes += 1;
                    continue;
                }
                assert_eq!(referee.side_to_move(), player(game.position().side()));
                let square = board
                    .legal_moves()
                    .iter()
                    .choose(&mut random)
                    .expect("a move");
                game.play_unchecked(Move::Place(square));
                verdict = referee.answer(&square.to_string());
            }
            let [black, white] = [game.position().black(), game.position().white()];
            let lead = black.count_ones() as i32 - white.count_ones() as i32;
            assert_eq!(referee.lead().map(i32::signum), Some(lead.signum()));
            assert_eq!(
                verdict.map(|verdict| verdict.reason),
                Some(EndOfGame::Counted)
            );
        }
        assert!(passes > 5, "{passes}");
    }

    #[test]
    fn illegal_answers_lose() {
        for answer in ["a1", "d4", "pass", "", "f55", "=", "F9"] {
            let lost = Verdict::won_by(PlayerColor::White, EndOfGame::IllegalMove);
            assert_eq!(referee("startpos").answer(answer), Some(lost), "{answer:?}");
        }
        let resigned = Verdict::won_by(PlayerColor::White, EndOfGame::Resign);
        assert_eq!(referee("startpos").answer("resign"), Some(resigned));
        assert_eq!(referee("startpos").answer("F5"), None);
    }

    #[test]
    fn openings_have_many_spellings() {
        let folder = TestFolder::new();
        let start = Position::START;
        let text = format!("# openings\nf5d6c3\nF5 D6 C3\nstartpos moves f5 d6 c3\n{start}\n");
        folder.write("openings", text);
        let openings =
            Openings::read(&folder.path("openings"), &OthelloRules, None).expect("openings");
        let lines: Vec<_> = (0..4).map(|n| openings.get(n, &OthelloRules)).collect();
        let moves = "startpos moves f5 d6 c3";
        assert_eq!(lines, [moves, moves, moves, "startpos"]);
        let problem = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X";
        assert_eq!(
            OthelloRules
                .opening(&format!("{problem}; g8:+18;"))
                .unwrap(),
            problem
        );
        assert!(OthelloRules.opening("f5f5").is_err());
        folder.write("openings", "f5\nf5d6\nf5a1\n");
        let error =
            Openings::read(&folder.path("openings"), &OthelloRules, None).expect_err("illegal");
        assert!(error.to_string().contains("line 3"), "{error}");
    }

    #[test]
    fn random_openings_are_different_and_repeatable() {
        let openings = Openings::Random { seed: 3, plies: 8 };
        let lines: Vec<_> = (0..40).map(|n| openings.get(n, &OthelloRules)).collect();
        for (n, line) in lines.iter().enumerate() {
            assert_eq!(*line, openings.get(n, &OthelloRules));
            assert_eq!(referee(line).plies(), 8);
        }
        let distinct: std::collections::HashSet<_> = lines.iter().collect();
        assert!(distinct.len() > 35, "{}", distinct.len());
        assert_eq!(
            Openings::Random { seed: 3, plies: 0 }.get(0, &OthelloRules),
            "startpos"
        );
        let long = Openings::Random { seed: 3, plies: 60 }.get(0, &OthelloRules);
        assert!(referee(&long).plies() <= 60);
    }
}
