//! One game between two players, under the eyes of the referee.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use shogi_core::Color;
use shogi_usi::GameResult;

use super::adjudication::{Adjudication, Adjudicator};
use super::openings::Opening;
use super::player::{Fault, Limit, Player, Question};
use super::referee::{Clocks, Reason, Referee, Usage, Verdict};

/// The rules of every game of a match.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    pub(crate) limit: Limit,
    /// The time that a player may take longer than allowed before it loses on time.
    pub(crate) margin: Duration,
    /// The silence after which a player without a time limit counts as hanging.
    pub(crate) hang: Duration,
    /// A game that has this many plies is drawn.
    pub(crate) max_plies: usize,
    /// Rules for ending games by agreement.
    pub(crate) adjudication: Adjudication,
}

/// The time that a player is waited for after its limit, so that the log tells how late it
/// was and it can go on playing. One that takes longer is restarted.
const LATENESS: Duration = Duration::from_secs(2);

/// The record of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Played {
    /// `None`: a draw.
    pub(crate) winner: Option<Side>,
    pub(crate) reason: Reason,
    /// The game as a USI position line, without the word `position`.
    pub(crate) position: String,
    /// Number of plies, those of the opening included.
    pub(crate) plies: usize,
    /// The times used by black and white.
    pub(crate) usage: [Usage; 2],
    /// The error, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) detail: Option<String>,
}

/// A colour as the log has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Side {
    Black,
    White,
}

impl From<Color> for Side {
    fn from(color: Color) -> Self {
        match color {
            Color::Black => Self::Black,
            Color::White => Self::White,
        }
    }
}

/// A game in progress.
struct RunningGame<'a> {
    rules: &'a Rules,
    referee: Referee,
    /// The game so far as a USI position line.
    line: String,
    clocks: Clocks,
    adjudicator: Adjudicator,
    detail: Option<String>,
}

/// Plays a game from `opening` to its end. Black is `players[0]`.
pub(crate) fn play(mut players: [&mut dyn Player; 2], opening: &Opening, rules: &Rules) -> Played {
    let mut running = RunningGame {
        rules,
        referee: Referee::new(&opening.game, rules.max_plies),
        line: opening.line.clone(),
        clocks: Clocks::new(rules.limit),
        adjudicator: Adjudicator::new(rules.adjudication),
        detail: None,
    };
    let verdict = running.run(&mut players);
    for color in Color::ALL {
        players[color.index()].game_over(match verdict.winner {
            None => GameResult::Draw,
            Some(winner) if winner == color => GameResult::Win,
            Some(_) => GameResult::Lose,
        });
    }
    Played {
        winner: verdict.winner.map(Side::from),
        reason: verdict.reason,
        position: running.line,
        plies: running.referee.plies(),
        usage: running.clocks.usage.0,
        detail: running.detail,
    }
}

impl RunningGame<'_> {
    fn run(&mut self, players: &mut [&mut dyn Player; 2]) -> Verdict {
        for color in Color::ALL {
            if let Err(fault) = players[color.index()].new_game() {
                return self.violation(color, fault);
            }
        }
        if let Some(verdict) = self.referee.verdict() {
            return verdict;
        }
        loop {
            let us = self.referee.position().side_to_move();
            if let Some(verdict) = self.ply(&mut *players[us.index()], us) {
                return verdict;
            }
        }
    }

    /// Asks `player`, who is to move, and plays its answer.
    fn ply(&mut self, player: &mut dyn Player, us: Color) -> Option<Verdict> {
        let allowed = self.clocks.allowed(us);
        let deadline = allowed.map(|allowed| allowed + self.rules.margin);
        let question = Question {
            position: &self.line,
            limit: self.rules.limit,
            clocks: self.clocks.left,
            patience: deadline.map_or(self.rules.hang, |deadline| deadline + LATENESS),
        };
        let answer = match player.best_move(&question) {
            Ok(answer) => answer,
            Err(fault) => return Some(self.violation(us, fault)),
        };
        self.clocks.press(us, &answer);
        if let Some(deadline) = deadline.filter(|&deadline| answer.elapsed > deadline) {
            let late = answer.elapsed.saturating_sub(deadline);
            self.detail = Some(format!("{:.1} ms late", late.as_secs_f64() * 1000.0));
            return Some(Verdict::won_by(us.flip(), Reason::TimeForfeit));
        }
        let verdict = self.referee.answer(&answer.text);
        match verdict.map(|verdict| verdict.reason) {
            Some(Reason::IllegalMove) => {
                self.detail = Some(format!("answered {:?}", answer.text));
            }
            Some(Reason::Resign | Reason::Declaration) => {}
            _ => self.write_move(&answer.text),
        }
        let plies = self.referee.plies();
        verdict.or_else(|| self.adjudicator.moved(us, answer.score_cp, plies))
    }

    fn write_move(&mut self, m: &str) {
        if !self.line.contains(" moves") {
            self.line.push_str(" moves");
        }
        self.line.push(' ');
        self.line.push_str(m);
    }

    /// `loser` loses by `fault`.
    fn violation(&mut self, loser: Color, fault: Fault) -> Verdict {
        let (reason, detail) = match fault {
            Fault::Silent => (Reason::TimeForfeit, "no answer in time".to_owned()),
            Fault::Broken(detail) => (Reason::Crash, detail),
        };
        self.detail = Some(detail);
        Verdict::won_by(loser.flip(), reason)
    }
}

#[cfg(test)]
mod tests {
    use super::super::adjudication::ResignRule;
    use super::super::openings::Openings;
    use super::super::player::Answer;
    use super::*;

    /// Answers from a list, then breaks. No time passes.
    struct Scripted {
        /// The next is the last.
        answers: Vec<String>,
        asked: Vec<String>,
        /// The time that it claims to need for each answer.
        elapsed: Duration,
        /// The score that it claims for every position.
        score_cp: Option<i64>,
        result: Option<GameResult>,
    }

    impl Scripted {
        fn new(answers: &str, elapsed_ms: u64) -> Self {
            Self {
                answers: answers
                    .split_whitespace()
                    .rev()
                    .map(str::to_owned)
                    .collect(),
                asked: Vec::new(),
                elapsed: Duration::from_millis(elapsed_ms),
                score_cp: None,
                result: None,
            }
        }
    }

    impl Player for Scripted {
        fn new_game(&mut self) -> Result<(), Fault> {
            Ok(())
        }

        fn best_move(&mut self, question: &Question<'_>) -> Result<Answer, Fault> {
            self.asked
                .push(format!("{} / {}", question.position, question.go()));
            let text = self
                .answers
                .pop()
                .ok_or_else(|| Fault::Broken("gone".to_owned()))?;
            Ok(Answer {
                text,
                elapsed: self.elapsed,
                score_cp: self.score_cp,
                depth: None,
                nodes: None,
            })
        }

        fn game_over(&mut self, result: GameResult) {
            self.result = Some(result);
        }
    }

    fn rules(limit: Limit) -> Rules {
        Rules {
            limit,
            margin: Duration::from_millis(20),
            hang: Duration::from_secs(1),
            max_plies: 512,
            adjudication: Adjudication::default(),
        }
    }

    fn game(black: &mut Scripted, white: &mut Scripted, limit: Limit) -> Played {
        let opening = Openings::Random { seed: 0, plies: 0 }.get(0);
        play([black, white], &opening, &rules(limit))
    }

    #[test]
    fn players_are_asked_in_turn_with_the_whole_game() {
        let (mut black, mut white) = (Scripted::new("7g7f resign", 0), Scripted::new("3c3d", 0));
        let played = game(&mut black, &mut white, Limit::Nodes(100));
        assert_eq!(
            black.asked,
            [
                "startpos / go nodes 100",
                "startpos moves 7g7f 3c3d / go nodes 100"
            ]
        );
        assert_eq!(white.asked, ["startpos moves 7g7f / go nodes 100"]);
        assert_eq!(
            (played.winner, played.reason),
            (Some(Side::White), Reason::Resign)
        );
        assert_eq!(
            (played.plies, played.position.as_str()),
            (2, "startpos moves 7g7f 3c3d")
        );
        assert_eq!(black.result, Some(GameResult::Lose));
        assert_eq!(white.result, Some(GameResult::Win));
    }

    #[test]
    fn a_player_that_breaks_loses() {
        let (mut black, mut white) = (Scripted::new("7g7f", 0), Scripted::new("", 0));
        let played = game(&mut black, &mut white, Limit::Depth(1));
        assert_eq!(
            (played.winner, played.reason),
            (Some(Side::Black), Reason::Crash)
        );
        assert_eq!(played.detail.as_deref(), Some("gone"));
    }

    #[test]
    fn an_illegal_move_is_not_part_of_the_game() {
        let (mut black, mut white) = (Scripted::new("7g7f", 0), Scripted::new("7g7f", 0));
        let played = game(&mut black, &mut white, Limit::Depth(1));
        assert_eq!(
            (played.winner, played.reason),
            (Some(Side::Black), Reason::IllegalMove)
        );
        assert_eq!(played.position, "startpos moves 7g7f");
        assert_eq!(played.detail.as_deref(), Some("answered \"7g7f\""));
    }

    #[test]
    fn a_late_answer_loses() {
        let (mut black, mut white) = (Scripted::new("7g7f", 31), Scripted::new("3c3d", 0));
        let played = game(&mut black, &mut white, Limit::MoveTime(10));
        assert_eq!(
            (played.winner, played.reason),
            (Some(Side::White), Reason::TimeForfeit)
        );
        assert_eq!(played.usage[0].least_left_ms, Some(-21));
        assert_eq!(played.detail.as_deref(), Some("1.0 ms late"));
        let (mut black, mut white) = (Scripted::new("7g7f resign", 30), Scripted::new("3c3d", 0));
        let played = game(&mut black, &mut white, Limit::MoveTime(10));
        assert_eq!(played.reason, Reason::Resign);
    }

    #[test]
    fn the_clock_runs_down_and_increments_come_back() {
        let (mut black, mut white) = (Scripted::new("7g7f resign", 40), Scripted::new("3c3d", 0));
        let limit = Limit::Clock {
            time: 5000,
            increment: 1000,
            byoyomi: 0,
        };
        game(&mut black, &mut white, limit);
        assert!(black.asked[0].ends_with("btime 5000 wtime 5000 binc 1000 winc 1000"));
        assert!(black.asked[1].ends_with("btime 5960 wtime 6000 binc 1000 winc 1000"));
    }

    #[test]
    fn byoyomi_is_sent_in_the_gui_form() {
        let (mut black, mut white) = (Scripted::new("resign", 0), Scripted::new("", 0));
        let limit = Limit::Clock {
            time: 0,
            increment: 0,
            byoyomi: 1000,
        };
        game(&mut black, &mut white, limit);
        assert_eq!(black.asked, ["startpos / go btime 0 wtime 0 byoyomi 1000"]);
    }

    #[test]
    fn games_end_when_both_agree_for_long_enough() {
        let (mut black, mut white) = (
            Scripted::new("2h3h 3h2h 2h3h 3h2h", 0),
            Scripted::new("8b7b 7b8b 8b7b", 0),
        );
        (black.score_cp, white.score_cp) = (Some(700), Some(-600));
        let opening = Openings::Random { seed: 0, plies: 0 }.get(0);
        let resign = ResignRule {
            score_cp: 600,
            moves: 2,
        };
        let rules = Rules {
            adjudication: Adjudication {
                resign: Some(resign),
                draw: None,
            },
            ..rules(Limit::Nodes(1))
        };
        let played = play([&mut black, &mut white], &opening, &rules);
        assert_eq!(
            (played.winner, played.reason, played.plies),
            (Some(Side::Black), Reason::AgreedWin, 4)
        );
        assert_eq!(black.result, Some(GameResult::Win));
    }
}
