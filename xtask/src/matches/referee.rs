//! The referee: decides about every answer of an engine by the rules, without trusting either
//! engine.
//!
//! Repetition is counted here from scratch, whole positions over the whole game, rather than by
//! [`shogi_core::Game`]: that one looks back a limited number of plies and answers a question of
//! search; and a referee that shares its book-keeping with a player sees no error of that player.

use std::collections::HashMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use shogi_core::{ByColor, Color, Declaration, EnteringKingRule, Game, Move, Position};

use super::player::{Answer, Limit};

/// End reason of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reason {
    /// The loser has no legal move.
    Mate,
    /// The loser resigned.
    Resign,
    /// The winner declared (27-point rule).
    Declaration,
    /// The same position for the fourth time.
    Repetition,
    /// The same position for the fourth time, the loser having given check all the while.
    PerpetualCheck,
    /// The game has reached the greatest number of plies.
    MaxPlies,
    /// Both engines have long seen the loser far behind.
    AgreedWin,
    /// Both engines have long seen nobody ahead.
    AgreedDraw,
    /// The loser answered something that is no legal move, or declared without having the points.
    IllegalMove,
    /// The loser thought for too long.
    TimeForfeit,
    /// The loser's process died or its answer could not be read.
    Crash,
}

impl Reason {
    /// Returns whether the game ended because an engine misbehaved.
    pub(crate) const fn is_violation(self) -> bool {
        matches!(self, Self::IllegalMove | Self::TimeForfeit | Self::Crash)
    }
}

/// The end of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// `None`: a draw.
    pub(crate) winner: Option<Color>,
    pub(crate) reason: Reason,
}

impl Verdict {
    pub(crate) const fn draw(reason: Reason) -> Self {
        Self {
            winner: None,
            reason,
        }
    }

    pub(crate) const fn won_by(winner: Color, reason: Reason) -> Self {
        Self {
            winner: Some(winner),
            reason,
        }
    }
}

/// Follows one game.
#[derive(Debug)]
pub(crate) struct Referee {
    position: Position,
    /// A game that has this many plies is drawn.
    max_plies: usize,
    /// For each ply played: who moved, and whether the move gave check.
    plies: Vec<(Color, bool)>,
    /// For each position, after how many plies it stood on the board.
    seen: HashMap<u128, Vec<usize>>,
}

impl Referee {
    /// A referee for a game that goes on from `opening`, whose moves count as moves of the game.
    pub(crate) fn new(opening: &Game, max_plies: usize) -> Self {
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

    /// The current position.
    pub(crate) const fn position(&self) -> &Position {
        &self.position
    }

    /// Number of plies played, those of the opening included.
    pub(crate) fn plies(&self) -> usize {
        self.plies.len()
    }

    /// Takes the answer of the side to move, the word after `bestmove`, and plays it if it is a
    /// legal move. Gives the verdict if that ends the game.
    pub(crate) fn answer(&mut self, text: &str) -> Option<Verdict> {
        let us = self.position.side_to_move();
        match text {
            "resign" => return Some(Verdict::won_by(us.flip(), Reason::Resign)),
            "win" => return Some(self.declared(us)),
            _ => {}
        }
        match self.position.move_from_usi(text) {
            Ok(m) => {
                self.play(m);
                self.verdict()
            }
            Err(_) => Some(Verdict::won_by(us.flip(), Reason::IllegalMove)),
        }
    }

    fn declared(&self, us: Color) -> Verdict {
        match self.position.declaration(EnteringKingRule::CsaRule27) {
            Some(Declaration::Win) => Verdict::won_by(us, Reason::Declaration),
            _ => Verdict::won_by(us.flip(), Reason::IllegalMove),
        }
    }

    fn play(&mut self, m: Move) {
        let us = self.position.side_to_move();
        // Games only go forward: the undo record is not needed.
        let _ = self.position.do_move(m);
        self.plies.push((us, self.position.in_check()));
        self.seen
            .entry(self.position.key128())
            .or_default()
            .push(self.plies.len());
    }

    /// The end of the game by the current position, if it ends it.
    pub(crate) fn verdict(&self) -> Option<Verdict> {
        let us = self.position.side_to_move();
        if self.position.has_no_legal_move() {
            return Some(Verdict::won_by(us.flip(), Reason::Mate));
        }
        if let [first, _, _, _, ..] = self.seen[&self.position.key128()][..] {
            return Some(self.fourth_occurrence(first));
        }
        (self.plies.len() >= self.max_plies).then_some(Verdict::draw(Reason::MaxPlies))
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
            [true, false] => Verdict::won_by(Color::White, Reason::PerpetualCheck),
            [false, true] => Verdict::won_by(Color::Black, Reason::PerpetualCheck),
            _ => Verdict::draw(Reason::Repetition),
        }
    }
}

// The clocks of a game and what the players did with their time.

/// The times used by a player in a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Usage {
    /// Answers.
    pub(crate) moves: u32,
    /// All answers together, in milliseconds.
    pub(crate) total_ms: u64,
    /// The slowest answer, in milliseconds.
    pub(crate) slowest_ms: u64,
    /// The least that was left of the time allowed for a move, in milliseconds: negative when it was
    /// overstepped. `None` where time is not limited.
    pub(crate) least_left_ms: Option<i64>,
    /// Sum of the nodes that the engine reported.
    pub(crate) nodes: u64,
    /// Sum of the depths that the engine reported.
    pub(crate) depths: u64,
}

impl Usage {
    /// Counts an answer for which `allowed` was given.
    fn add(&mut self, answer: &Answer, allowed: Option<Duration>) {
        let ms = answer.elapsed.as_millis() as u64;
        self.moves += 1;
        self.total_ms += ms;
        self.slowest_ms = self.slowest_ms.max(ms);
        if let Some(allowed) = allowed {
            let left =
                (allowed.as_micros() as i64 - answer.elapsed.as_micros() as i64).div_euclid(1000);
            self.least_left_ms = Some(self.least_left_ms.map_or(left, |least| least.min(left)));
        }
        self.nodes += answer.nodes.unwrap_or(0);
        self.depths += u64::from(answer.depth.unwrap_or(0));
    }

    /// Returns the sum of both usages.
    pub(crate) fn joined(self, other: Self) -> Self {
        let least_left_ms = match (self.least_left_ms, other.least_left_ms) {
            (Some(one), Some(two)) => Some(one.min(two)),
            (one, two) => one.or(two),
        };
        Self {
            moves: self.moves + other.moves,
            total_ms: self.total_ms + other.total_ms,
            slowest_ms: self.slowest_ms.max(other.slowest_ms),
            least_left_ms,
            nodes: self.nodes + other.nodes,
            depths: self.depths + other.depths,
        }
    }
}

/// The clocks of a game.
#[derive(Debug)]
pub(crate) struct Clocks {
    limit: Limit,
    /// The time left in milliseconds.
    pub(crate) left: ByColor<u64>,
    pub(crate) usage: ByColor<Usage>,
}

impl Clocks {
    pub(crate) fn new(limit: Limit) -> Self {
        let time = match limit {
            Limit::Clock { time, .. } => time,
            _ => 0,
        };
        Self {
            limit,
            left: ByColor([time; 2]),
            usage: ByColor([Usage::default(); 2]),
        }
    }

    /// The time that `us` may think about this move; `None` where nodes or depth are limited.
    pub(crate) fn allowed(&self, us: Color) -> Option<Duration> {
        match self.limit {
            Limit::MoveTime(ms) => Some(Duration::from_millis(ms)),
            Limit::Nodes(_) | Limit::Depth(_) => None,
            Limit::Clock {
                increment, byoyomi, ..
            } => Some(Duration::from_millis(self.left[us] + increment + byoyomi)),
        }
    }

    /// `us` has answered.
    pub(crate) fn press(&mut self, us: Color, answer: &Answer) {
        let allowed = self.allowed(us);
        self.usage[us].add(answer, allowed);
        if let Limit::Clock { increment, .. } = self.limit {
            let used = answer.elapsed.as_millis() as u64;
            self.left[us] = (self.left[us] + increment).saturating_sub(used);
        }
    }
}

#[cfg(test)]
mod tests {
    use shogi_core::parse_position_line;

    use super::*;

    fn referee(line: &str, max_plies: usize) -> Referee {
        Referee::new(&parse_position_line(line).expect(line), max_plies)
    }

    /// Answers one after the other; all but the last must let the game go on.
    fn play(referee: &mut Referee, answers: &str) -> Option<Verdict> {
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
            Some(Verdict::draw(Reason::Repetition))
        );
    }

    #[test]
    fn moves_of_the_opening_count_for_repetition() {
        let mut game = referee(
            "startpos moves 2h3h 8b7b 3h2h 7b8b 2h3h 8b7b 3h2h 7b8b",
            512,
        );
        assert_eq!(game.plies(), 8);
        let verdict = play(&mut game, "2h3h 8b7b 3h2h 7b8b");
        assert_eq!(verdict, Some(Verdict::draw(Reason::Repetition)));
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
            Some(Verdict::won_by(Color::White, Reason::PerpetualCheck))
        );
    }

    #[test]
    fn one_quiet_move_in_the_cycle_makes_it_a_draw() {
        let mut game = referee("sfen 4k4/9/9/9/4R4/9/9/9/4K4 w - 1", 512);
        let checks = "5a4a 5e4e 4a5a 4e5e ";
        let quiet = "5a4a 5e6e 4a5a 6e5e ";
        let verdict = play(&mut game, &format!("{checks}{quiet}{checks}"));
        assert_eq!(verdict, Some(Verdict::draw(Reason::Repetition)));
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
            Some(Verdict::won_by(Color::Black, Reason::Mate))
        );
    }

    #[test]
    fn illegal_and_unreadable_answers_lose() {
        for answer in ["7g7e", "P*5e", "8c8d", "", "0000", "(none)", "７七歩"] {
            let verdict = referee("startpos", 512).answer(answer);
            let lost = Verdict::won_by(Color::White, Reason::IllegalMove);
            assert_eq!(verdict, Some(lost), "{answer:?}");
        }
    }

    #[test]
    fn resigning_loses() {
        let mut game = referee("startpos moves 7g7f", 512);
        assert_eq!(
            game.answer("resign"),
            Some(Verdict::won_by(Color::Black, Reason::Resign))
        );
    }

    #[test]
    fn a_declaration_needs_the_points() {
        // Ten pieces besides the king in the camp: 5 for each rook and bishop, 1 for each other.
        let enough = "sfen +R+R+B+BGGGGK/SSSS5/9/9/9/9/9/9/k8 b 2P 1";
        let verdict = referee(enough, 512).answer("win");
        assert_eq!(
            verdict,
            Some(Verdict::won_by(Color::Black, Reason::Declaration))
        );
        let verdict = referee("startpos", 512).answer("win");
        assert_eq!(
            verdict,
            Some(Verdict::won_by(Color::White, Reason::IllegalMove))
        );
    }

    #[test]
    fn a_long_game_is_a_draw_but_mate_goes_first() {
        let mut game = referee("startpos", 2);
        assert_eq!(
            play(&mut game, "7g7f 3c3d"),
            Some(Verdict::draw(Reason::MaxPlies))
        );
        let mut game = referee("sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1", 1);
        assert_eq!(
            game.answer("G*5b"),
            Some(Verdict::won_by(Color::Black, Reason::Mate))
        );
    }

    fn answer(elapsed_us: u64, nodes: u64) -> Answer {
        Answer {
            text: "7g7f".to_owned(),
            elapsed: Duration::from_micros(elapsed_us),
            score_cp: None,
            depth: Some(7),
            nodes: Some(nodes),
        }
    }

    #[test]
    fn what_is_left_is_what_the_move_was_allowed_to_take() {
        let mut clocks = Clocks::new(Limit::Clock {
            time: 100,
            increment: 0,
            byoyomi: 50,
        });
        clocks.press(Color::Black, &answer(80_000, 5));
        clocks.press(Color::Black, &answer(60_500, 5));
        // 20 ms on the clock and the byoyomi, of which 60.5 are used: 9.5 are left.
        let usage = clocks.usage[Color::Black];
        assert_eq!(usage.least_left_ms, Some(9));
        assert_eq!(
            (usage.moves, usage.total_ms, usage.slowest_ms),
            (2, 140, 80)
        );
        assert_eq!((usage.nodes, usage.depths), (10, 14));
        clocks.press(Color::Black, &answer(50_001, 0));
        assert_eq!(clocks.usage[Color::Black].least_left_ms, Some(-1));
        assert_eq!(clocks.usage[Color::White], Usage::default());
    }

    #[test]
    fn without_a_limit_nothing_is_left() {
        let mut clocks = Clocks::new(Limit::Nodes(10));
        clocks.press(Color::White, &answer(5_000_000, 10));
        assert_eq!(clocks.usage[Color::White].least_left_ms, None);
        assert_eq!(clocks.allowed(Color::White), None);
    }

    #[test]
    fn usage_of_games_adds_up() {
        let one = Usage {
            moves: 1,
            total_ms: 10,
            slowest_ms: 10,
            least_left_ms: Some(3),
            nodes: 7,
            depths: 2,
        };
        let two = Usage {
            least_left_ms: None,
            slowest_ms: 4,
            ..one
        };
        let sum = one.joined(two);
        assert_eq!((sum.moves, sum.total_ms, sum.slowest_ms), (2, 20, 10));
        assert_eq!(sum.least_left_ms, Some(3));
        assert_eq!(
            sum.joined(Usage {
                least_left_ms: Some(-5),
                ..one
            })
            .least_left_ms,
            Some(-5)
        );
    }
}
