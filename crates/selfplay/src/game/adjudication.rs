//! Ends of games: resignation and draws by score, fourfold repetition (千日手) and perpetual check.

use pack_format::{EndReason, TeacherScore};
use shogi_core::{ByColor, Color, Game};
use yane_base::random::RngExt;

use super::{Random, Verdict};
use crate::{Adjudication, DrawRule, ResignRule};

/// Adjudicates a game by its scores.
#[derive(Debug)]
pub(super) struct Adjudicator {
    resign: Option<ResignRule>,
    draw: Option<DrawRule>,
    /// Number of moves in a row for which each player has been far behind.
    behind: ByColor<u32>,
    /// Number of plies in a row for which neither side was ahead.
    level: u32,
}

impl Adjudicator {
    /// Creates the adjudicator of a new game. Some games are played to the end whatever the scores.
    pub(super) fn new(rules: &Adjudication, random: &mut Random) -> Self {
        let spared = rules
            .resign
            .filter(|rule| rule.never <= random.random::<f64>());
        Self {
            resign: spared,
            draw: rules.draw,
            behind: ByColor([0; 2]),
            level: 0,
        }
    }

    /// The verdict now that `us`, to move at `ply`, evaluates the position with `score`.
    pub(super) fn verdict(&mut self, us: Color, score: TeacherScore, ply: u32) -> Option<Verdict> {
        if let Some(rule) = self.resign {
            let behind = &mut self.behind[us];
            *behind = if score.0 <= -rule.value {
                *behind + 1
            } else {
                0
            };
            if *behind >= rule.moves {
                return Some(Verdict::loss(us, EndReason::RESIGN));
            }
        }
        if let Some(rule) = self.draw {
            let is_level = score.0.unsigned_abs() <= rule.value.unsigned_abs();
            self.level = if is_level { self.level + 1 } else { 0 };
            if self.level >= rule.plies && ply >= rule.min_ply {
                // The format's reason for a draw that was not reached on the board.
                return Some(Verdict::draw(EndReason::INTERRUPT));
            }
        }
        None
    }
}

// Fourfold repetition (千日手) and perpetual check.

/// The number of occurrences of a position that end the game.
const TIMES: usize = 4;

/// The number of counters.
const COUNTS: usize = 1 << 10;

/// A position of a game.
#[derive(Clone, Copy, Debug)]
struct Seen {
    /// Key of board, hands and side to move.
    key: u64,
    /// True if the side to move is in check.
    in_check: bool,
}

/// The positions of a game so far, to find the fourth occurrence of one, however long ago the others were.
#[derive(Clone, Debug)]
pub(super) struct Repetitions {
    seen: Vec<Seen>,
    /// The number of positions with each low part of a key, so that the history is searched only when a
    /// fourth occurrence is possible.
    counts: Box<[u16; COUNTS]>,
}

impl Repetitions {
    /// Collects the positions of `game` so far.
    pub(super) fn of(game: &Game) -> Self {
        let moves: Vec<_> = game.moves().collect();
        let mut start = game.clone();
        while start.undo().is_some() {}
        let mut replay = Game::new(start.position().clone());
        let mut seen = Self {
            seen: Vec::with_capacity(moves.len() + 256),
            counts: Box::new([0; COUNTS]),
        };
        seen.push(&replay);
        for m in moves {
            replay.play_unchecked(m);
            seen.push(&replay);
        }
        seen
    }

    /// Adds the position after a move.
    pub(super) fn push(&mut self, game: &Game) {
        let position = game.position();
        let key = position.key();
        self.seen.push(Seen {
            key,
            in_check: position.in_check(),
        });
        let count = &mut self.counts[key as usize % COUNTS];
        *count = count.saturating_add(1);
    }

    /// The verdict if the last position, with `us` to move, occurs for the fourth time: a draw, or the loss of
    /// the side that gave check with each move since the first occurrence.
    pub(super) fn verdict(&self, us: Color) -> Option<Verdict> {
        let (last, before) = self.seen.split_last()?;
        if usize::from(self.counts[last.key as usize % COUNTS]) < TIMES {
            return None;
        }
        // Only the last four occurrences count.
        let earlier = before.iter().enumerate().rev();
        let mut earlier = earlier.filter(|(_, seen)| seen.key == last.key);
        let (first, _) = earlier.nth(TIMES - 2)?;
        let since = &self.seen[first + 1..];
        // Each second position is after a move of the same player, the last after one of `them`.
        let all_checks = |skip: usize| {
            since
                .iter()
                .rev()
                .skip(skip)
                .step_by(2)
                .all(|seen| seen.in_check)
        };
        Some(if all_checks(0) {
            Verdict::loss(us.flip(), EndReason::PERPETUAL_CHECK)
        } else if all_checks(1) {
            Verdict::loss(us, EndReason::PERPETUAL_CHECK)
        } else {
            Verdict::draw(EndReason::REPETITION)
        })
    }
}

#[cfg(test)]
mod tests {
    use pack_format::TeacherResult;
    use shogi_core::parse_position_line;
    use yane_base::random::stream;

    use super::*;

    fn adjudicator(resign: Option<ResignRule>, draw: Option<DrawRule>) -> Adjudicator {
        Adjudicator::new(&Adjudication { resign, draw }, &mut stream(1))
    }

    #[test]
    fn a_long_disadvantage_is_lost() {
        let rule = ResignRule {
            value: 1000,
            moves: 2,
            never: 0.0,
        };
        let mut adjudicator = adjudicator(Some(rule), None);
        for (color, score, lost) in [
            (Color::Black, -1500, false),
            (Color::White, 1500, false),
            (Color::Black, -999, false),
            (Color::White, -1000, false),
            (Color::Black, -1000, false),
            (Color::White, -1000, true),
        ] {
            let verdict = adjudicator.verdict(color, TeacherScore(score), 50);
            assert_eq!(verdict.is_some(), lost, "{color:?} {score}");
        }
    }

    #[test]
    fn some_games_are_played_without_resignation() {
        let rule = ResignRule {
            value: 1,
            moves: 1,
            never: 0.25,
        };
        let mut random = stream(7);
        let rules = Adjudication {
            resign: Some(rule),
            draw: None,
        };
        let spared = (0..1000)
            .filter(|_| Adjudicator::new(&rules, &mut random).resign.is_none())
            .count();
        assert!((200..300).contains(&spared), "{spared}");
    }

    #[test]
    fn a_long_balance_is_a_draw() {
        let rule = DrawRule {
            value: 10,
            plies: 3,
            min_ply: 100,
        };
        let mut adjudicator = adjudicator(None, Some(rule));
        let mut verdict = |score, ply| adjudicator.verdict(Color::Black, TeacherScore(score), ply);
        assert_eq!(verdict(0, 97), None);
        assert_eq!(verdict(-10, 98), None);
        assert_eq!(verdict(10, 99), None);
        assert_eq!(verdict(11, 100), None);
        assert_eq!(verdict(1, 101), None);
        assert_eq!(verdict(i16::MIN, 102), None);
        assert_eq!((verdict(0, 103), verdict(0, 104)), (None, None));
        assert_eq!(verdict(0, 105), Some(Verdict::draw(EndReason::INTERRUPT)));
    }

    fn verdict(line: &str) -> Option<Verdict> {
        let game = parse_position_line(line).unwrap();
        Repetitions::of(&game).verdict(game.position().side_to_move())
    }

    #[test]
    fn the_fourth_occurrence_ends_the_game() {
        let once = " 2h3h 8b7b 3h2h 7b8b";
        let line = |times| format!("startpos moves{}", once.repeat(times));
        for times in 1..3 {
            assert_eq!(verdict(&line(times)), None);
        }
        assert_eq!(
            verdict(&line(3)),
            Some(Verdict::draw(EndReason::REPETITION))
        );
        // Other positions come up four times on the way.
        assert!(verdict(&format!("{} 2h3h", line(3))).is_some());
        assert_eq!(verdict(&format!("{} 7g7f", line(3))), None);
    }

    #[test]
    fn perpetual_check_loses() {
        let once = " 5a4a 5h4h 4a5a 4h5h";
        let line = |times: usize| {
            format!(
                "sfen 4k4/9/9/9/9/9/9/4R4/K8 w - 1 moves{}",
                once.repeat(times)
            )
        };
        assert_eq!(verdict(&line(2)), None);
        let lost = Verdict::loss(Color::Black, EndReason::PERPETUAL_CHECK);
        assert_eq!(verdict(&line(3)), Some(lost));
        assert_eq!(lost.result, TeacherResult::WhiteWin);
        // The same with the other player to move.
        let evaded = verdict(&format!("{} 5a4a", line(3)));
        assert_eq!(evaded, Some(lost));
    }
}
