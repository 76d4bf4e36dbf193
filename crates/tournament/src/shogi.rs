//! The rules of shogi: the referee decides about every answer of an engine by the rules, without trusting either
//! engine; and balanced random openings.
//!
//! Repetition is counted here from scratch, whole positions over the whole game, rather than by
//! [`shogi_core::Game`]: that one looks back a limited number of plies and answers a question of
//! search; and a referee that shares its book-keeping with a player sees no error of that player.

use std::collections::HashMap;
use std::path::Path;

use shogi_core::movegen::{Captures, Legal};
use shogi_core::{
    Color, Declaration, EnteringKingRule, Game, Move, PieceKind, Position, parse_position_line,
};
use yane_base::random::{IndexedRandom, Stream};

use crate::error::{OpeningLineError, Result};
use crate::rules::{EndOfGame, PlayerColor, Referee, RuleBook, Verdict};

/// The rules of shogi. Openings are USI position lines, with or without the word `position`, or bare SFENs.
#[derive(Clone, Copy, Debug, Default)]
pub struct ShogiRules;

impl RuleBook for ShogiRules {
    fn opening(&self, line: &str) -> Result<String, OpeningLineError> {
        let line = line.strip_prefix("position ").unwrap_or(line).trim();
        let line = without_ending(line);
        parse_position_line(line).map_err(OpeningLineError::new)?;
        let word = line.split_whitespace().next();
        let prefix = if matches!(word, Some("startpos" | "sfen")) {
            ""
        } else {
            "sfen "
        };
        Ok(format!("{prefix}{line}"))
    }

    fn openings_of_records(&self, path: &Path, plies: usize) -> Result<Option<Vec<String>>> {
        crate::record::openings_of_records(path, plies)
    }

    fn random_opening(&self, random: &mut Stream, plies: u32) -> String {
        loop {
            if let Some(line) = try_random_opening(random, plies) {
                return line;
            }
        }
    }

    fn referee(
        &self,
        opening: &str,
        max_plies: usize,
    ) -> Result<Box<dyn Referee>, OpeningLineError> {
        let game = parse_position_line(opening).map_err(OpeningLineError::new)?;
        Ok(Box::new(ShogiReferee::new(&game, max_plies)))
    }
}

/// A position line without the words at its end that say how a game ended (`break`, `rep_draw`, `resign` …).
fn without_ending(line: &str) -> &str {
    let mut line = line;
    while let Some((before, word)) = line.rsplit_once([' ', '\t']) {
        if shogi_kifu::GameEnding::from_usi(word).is_none() {
            break;
        }
        line = before.trim_end();
    }
    line
}

/// The colour as matches have it.
const fn player(color: Color) -> PlayerColor {
    match color {
        Color::Black => PlayerColor::Black,
        Color::White => PlayerColor::White,
    }
}

/// Follows one game.
#[derive(Debug)]
struct ShogiReferee {
    position: Position,
    /// A game that has this many plies is drawn.
    max_plies: usize,
    /// For each ply played: who moved, and whether the move gave check.
    plies: Vec<(Color, bool)>,
    /// For each position, after how many plies it stood on the board.
    seen: HashMap<u128, Vec<usize>>,
}

impl ShogiReferee {
    /// A referee for a game that continues from `opening`, whose moves count as moves of the game.
    fn new(opening: &Game, max_plies: usize) -> Self {
        let mut start = opening.clone();
        while start.undo().is_some() {}
        let position = start.position().clone();
        let seen = HashMap::from([(position.key128(), vec![0])]);
        let mut referee = Self {
            position,
            max_plies,
            plies: Vec::new(),
            seen,
        };
        for m in opening.moves() {
            referee.play(m);
        }
        referee
    }

    fn declared(&self, us: Color) -> Verdict {
        match self.position.declaration(EnteringKingRule::CsaRule27) {
            Some(Declaration::Win) => Verdict::won_by(player(us), EndOfGame::Declaration),
            _ => Verdict::won_by(player(us.flip()), EndOfGame::IllegalMove),
        }
    }

    fn play(&mut self, m: Move) {
        let us = self.position.side_to_move();
        // Games only go forward: the undo record is not needed.
        let _ = self.position.do_move_unchecked(m);
        self.plies.push((us, self.position.in_check()));
        self.seen
            .entry(self.position.key128())
            .or_default()
            .push(self.plies.len());
    }

    /// A draw, unless one side has done nothing but check since the position first stood on the
    /// board after `first` plies.
    fn fourth_occurrence(&self, first: usize) -> Verdict {
        let only_checks = |color| {
            self.plies[first..]
                .iter()
                .all(|&(mover, check)| mover != color || check)
        };
        match Color::ALL.map(only_checks) {
            [true, false] => Verdict::won_by(PlayerColor::White, EndOfGame::PerpetualCheck),
            [false, true] => Verdict::won_by(PlayerColor::Black, EndOfGame::PerpetualCheck),
            _ => Verdict::draw(EndOfGame::Repetition),
        }
    }
}

impl Referee for ShogiReferee {
    fn side_to_move(&self) -> PlayerColor {
        player(self.position.side_to_move())
    }

    fn plies(&self) -> usize {
        self.plies.len()
    }

    fn answer(&mut self, text: &str) -> Option<Verdict> {
        let us = self.position.side_to_move();
        match text {
            "resign" => return Some(Verdict::won_by(player(us.flip()), EndOfGame::Resign)),
            "win" => return Some(self.declared(us)),
            _ => {}
        }
        match self.position.move_from_usi(text) {
            Ok(m) => {
                self.play(m);
                self.verdict()
            }
            Err(_) => Some(Verdict::won_by(player(us.flip()), EndOfGame::IllegalMove)),
        }
    }

    fn verdict(&self) -> Option<Verdict> {
        let us = self.position.side_to_move();
        if self.position.has_no_legal_move() {
            return Some(Verdict::won_by(player(us.flip()), EndOfGame::Mate));
        }
        if let [first, _, _, _, ..] = self.seen[&self.position.key128()][..] {
            return Some(self.fourth_occurrence(first));
        }
        (self.plies.len() >= self.max_plies).then_some(Verdict::draw(EndOfGame::MaxPlies))
    }
}

// Random openings.

/// Plays `plies` random moves; `None` when they do not lead to a balanced position.
fn try_random_opening(random: &mut Stream, plies: u32) -> Option<String> {
    let mut game = Game::new(Position::startpos());
    let mut line = String::from(if plies == 0 {
        "startpos"
    } else {
        "startpos moves"
    });
    for _ in 0..plies {
        let moves = game.position().moves::<Legal>();
        let &m = moves.choose(random)?;
        line.push(' ');
        line.push_str(&m.to_string());
        game.play_unchecked(m);
    }
    is_balanced(game.position()).then_some(line)
}

/// Returns whether neither side is ahead as far as one can see without searching: no check, equal material,
/// no mate in one, and nothing to be won by a capture.
fn is_balanced(position: &Position) -> bool {
    !position.in_check()
        && position.material() == 0
        && position.mate_in_one().is_none()
        && !wins_material(position)
}

/// Returns whether the side to move wins more than a pawn by a capture.
fn wins_material(position: &Position) -> bool {
    let pawn = PieceKind::Pawn.exchange_value();
    position
        .moves::<Captures>()
        .iter()
        .any(|&m| position.see_ge(m, pawn + 1))
}

#[cfg(test)]
mod tests {
    use test_support::TestFolder;

    use crate::Openings;

    use super::*;

    fn referee(line: &str, max_plies: usize) -> ShogiReferee {
        ShogiReferee::new(&parse_position_line(line).expect(line), max_plies)
    }

    /// Answers one after the other; all but the last must let the game go on.
    fn play(referee: &mut ShogiReferee, answers: &str) -> Option<Verdict> {
        let mut verdict = None;
        for answer in answers.split_whitespace() {
            assert_eq!(verdict, None, "the game ended before {answer}");
            verdict = referee.answer(answer);
        }
        verdict
    }

    #[test]
    fn the_fourth_occurrence_is_a_draw() {
        let mut game = referee("startpos", 512);
        let cycle = "2h3h 8b7b 3h2h 7b8b ";
        assert_eq!(play(&mut game, &cycle.repeat(2)), None);
        assert_eq!(
            play(&mut game, cycle),
            Some(Verdict::draw(EndOfGame::Repetition))
        );
    }

    #[test]
    fn openings_may_end_with_the_word_of_an_ending() {
        for word in ["break", "rep_draw", "timeout", "resign", "resign break"] {
            let line = format!("position startpos moves 7g7f 3c3d {word}");
            let opening = ShogiRules.opening(&line).unwrap();
            assert_eq!(opening, "startpos moves 7g7f 3c3d", "{word}");
        }
        assert!(ShogiRules.opening("startpos moves 7g7f hello").is_err());
    }

    #[test]
    fn moves_of_the_opening_count_for_repetition() {
        let mut game = referee(
            "startpos moves 2h3h 8b7b 3h2h 7b8b 2h3h 8b7b 3h2h 7b8b",
            512,
        );
        assert_eq!(game.plies(), 8);
        let verdict = play(&mut game, "2h3h 8b7b 3h2h 7b8b");
        assert_eq!(verdict, Some(Verdict::draw(EndOfGame::Repetition)));
    }

    #[test]
    fn whoever_gives_perpetual_check_loses() {
        // The rook checks from 5e and 4e, the king steps to and fro.
        let mut game = referee("sfen 4k4/9/9/9/4R4/9/9/9/4K4 w - 1", 512);
        let cycle = "5a4a 5e4e 4a5a 4e5e ";
        assert_eq!(play(&mut game, &cycle.repeat(2)), None);
        let verdict = play(&mut game, cycle);
        assert_eq!(
            verdict,
            Some(Verdict::won_by(
                PlayerColor::White,
                EndOfGame::PerpetualCheck
            ))
        );
    }

    #[test]
    fn one_quiet_move_in_the_cycle_makes_it_a_draw() {
        let mut game = referee("sfen 4k4/9/9/9/4R4/9/9/9/4K4 w - 1", 512);
        let checks = "5a4a 5e4e 4a5a 4e5e ";
        let quiet = "5a4a 5e6e 4a5a 6e5e ";
        let verdict = play(&mut game, &format!("{checks}{quiet}{checks}"));
        assert_eq!(verdict, Some(Verdict::draw(EndOfGame::Repetition)));
    }

    #[test]
    fn hands_make_positions_different() {
        // Black gives away a pawn every time: the board repeats, the hands do not.
        let mut game = referee("sfen 4k4/9/9/9/9/9/9/9/K8 b 6P 1", 512);
        let cycle = "P*5b 5a5b 9i9h 5b5a P*5b 5a5b 9h9i 5b5a ";
        assert_eq!(play(&mut game, &cycle.repeat(3)), None);
        assert!(game.seen.values().all(|plies| plies.len() == 1));
    }

    #[test]
    fn mate_wins() {
        let mut game = referee("sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1", 512);
        assert_eq!(
            game.answer("G*5b"),
            Some(Verdict::won_by(PlayerColor::Black, EndOfGame::Mate))
        );
    }

    #[test]
    fn illegal_and_unreadable_answers_lose() {
        for answer in ["7g7e", "P*5e", "8c8d", "", "0000", "(none)", "７七歩"] {
            let verdict = referee("startpos", 512).answer(answer);
            let lost = Verdict::won_by(PlayerColor::White, EndOfGame::IllegalMove);
            assert_eq!(verdict, Some(lost), "{answer:?}");
        }
    }

    #[test]
    fn resigning_loses() {
        let mut game = referee("startpos moves 7g7f", 512);
        assert_eq!(
            game.answer("resign"),
            Some(Verdict::won_by(PlayerColor::Black, EndOfGame::Resign))
        );
    }

    #[test]
    fn a_declaration_needs_the_points() {
        // Ten pieces besides the king in the camp: 5 for each rook and bishop, 1 for each other.
        let enough = "sfen +R+R+B+BGGGGK/SSSS5/9/9/9/9/9/9/k8 b 2P 1";
        let verdict = referee(enough, 512).answer("win");
        assert_eq!(
            verdict,
            Some(Verdict::won_by(PlayerColor::Black, EndOfGame::Declaration))
        );
        let verdict = referee("startpos", 512).answer("win");
        assert_eq!(
            verdict,
            Some(Verdict::won_by(PlayerColor::White, EndOfGame::IllegalMove))
        );
    }

    #[test]
    fn a_long_game_is_a_draw_but_mate_goes_first() {
        let mut game = referee("startpos", 2);
        assert_eq!(
            play(&mut game, "7g7f 3c3d"),
            Some(Verdict::draw(EndOfGame::MaxPlies))
        );
        let mut game = referee("sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1", 1);
        assert_eq!(
            game.answer("G*5b"),
            Some(Verdict::won_by(PlayerColor::Black, EndOfGame::Mate))
        );
    }

    #[test]
    fn random_openings_are_balanced_and_repeatable() {
        let openings = Openings::Random { seed: 7, plies: 10 };
        let lines: Vec<String> = (0..20)
            .map(|number| openings.get(number, &ShogiRules))
            .collect();
        for (number, line) in lines.iter().enumerate() {
            assert_eq!(*line, openings.get(number, &ShogiRules));
            let game = parse_position_line(line).expect(line);
            assert_eq!(game.len(), 10);
            assert_eq!(game.position().material(), 0);
            assert!(!game.position().in_check());
        }
        let mut distinct = lines.clone();
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), lines.len());
        let other = Openings::Random { seed: 8, plies: 10 };
        assert_ne!(other.get(0, &ShogiRules), lines[0]);
    }

    #[test]
    fn no_random_plies_give_the_initial_position() {
        assert_eq!(
            Openings::Random { seed: 1, plies: 0 }.get(3, &ShogiRules),
            "startpos"
        );
    }

    #[test]
    fn a_position_where_a_rook_hangs_is_not_balanced() {
        let hanging = Position::from_sfen("4k4/9/9/9/4r4/4P4/9/9/4K4 b - 1").expect("a position");
        assert!(wins_material(&hanging));
        assert!(!wins_material(&Position::startpos()));
    }

    #[test]
    fn a_file_may_hold_all_forms() {
        let folder = TestFolder::new();
        let path = folder.path("openings");
        let sfen = Position::STARTPOS_SFEN;
        let text = format!(
            "# openings\n\nstartpos moves 7g7f\nposition startpos\n{sfen}\nsfen {sfen} moves 2g2f\n"
        );
        folder.write("openings", text);
        let openings = Openings::read(&path, &ShogiRules, None).expect("openings");
        let lines: Vec<String> = (0..5)
            .map(|number| openings.get(number, &ShogiRules))
            .collect();
        let expected = [
            "startpos moves 7g7f".to_owned(),
            "startpos".to_owned(),
            format!("sfen {sfen}"),
            format!("sfen {sfen} moves 2g2f"),
            "startpos moves 7g7f".to_owned(),
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn a_wrong_line_is_reported_with_its_number() {
        let folder = TestFolder::new();
        let path = folder.path("openings");
        folder.write("openings", "startpos\nstartpos moves 7g7e\n");
        let error = Openings::read(&path, &ShogiRules, None).expect_err("an illegal move");
        assert!(error.to_string().contains("line 2"), "{error}");
    }
}
