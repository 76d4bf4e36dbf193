//! One game between two players, under the eyes of the referee.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::adjudication::{Adjudicator, MatchAdjudication};
use crate::player::{
    Clocks, MatchPlayer, MoveLimit, MoveThought, PlayerFault, Question, TimeUsage,
};
use crate::rules::{EndOfGame, PlayerColor, Referee, RuleBook, Verdict};
use crate::score::GamePoints;

/// What all games of a match have in common, besides the rules of the game itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conditions {
    /// The time that a player may take longer than allowed before it loses on time.
    pub margin: Duration,
    /// The silence after which a player without a time limit counts as hanging.
    pub hang: Duration,
    /// A game that has this many plies is drawn.
    pub max_plies: usize,
    /// Rules for ending games by agreement.
    pub adjudication: MatchAdjudication,
}

impl Conditions {
    /// A silence ([`hang`](Self::hang)) that is no limit: a year.
    pub const ANY_SILENCE: Duration = Duration::from_secs(365 * 86_400);
}

/// The time that a player is waited for after its limit, so that the log tells how late it
/// was and it can go on playing. One that takes longer is restarted.
pub(crate) const LATENESS: Duration = Duration::from_secs(2);

/// The record of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayedGame {
    /// `None`: a draw.
    pub winner: Option<PlayerColor>,
    /// The reason why it ended.
    pub reason: EndOfGame,
    /// The game as a line of the rule book: of shogi a USI position line, without the word `position`.
    pub position: String,
    /// Number of plies, those of the opening included.
    pub plies: usize,
    /// The points that black was ahead of white, in a game that ended by counting them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lead: Option<i32>,
    /// The times used by black and white.
    pub usage: [TimeUsage; 2],
    /// The error, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// What the players said about their moves, those after the opening, in order; empty in old logs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub thoughts: Vec<MoveThought>,
}

impl PlayedGame {
    /// A game for tests, of which nothing but the winner is known.
    #[cfg(test)]
    pub(crate) fn won_by(winner: Option<PlayerColor>) -> Self {
        Self {
            winner,
            reason: EndOfGame::Mate,
            position: String::new(),
            plies: 1,
            lead: None,
            usage: [TimeUsage::default(); 2],
            detail: None,
            thoughts: Vec::new(),
        }
    }

    /// The points of a player.
    pub fn points(&self, color: PlayerColor) -> GamePoints {
        match self.winner {
            None => GamePoints::Draw,
            Some(winner) if winner == color => GamePoints::Win,
            Some(_) => GamePoints::Loss,
        }
    }
}

/// The reason why there is no record of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoGame {
    /// The run is to end.
    Quit,
    /// The opening is none.
    BadOpening(String),
    /// A player did not get ready: the game has not begun, and nobody has lost it.
    NotReady {
        /// The colour of the player.
        color: PlayerColor,
        /// Its fault.
        fault: PlayerFault,
    },
}

/// The time that a run may take to learn that it ends, after a player is gone: whoever ends all processes ends players too, maybe
/// first.
const LAST_WORD: Duration = Duration::from_millis(500);

/// Returns whether the run ends, now or within [`LAST_WORD`].
pub(crate) fn ends_soon(is_quitting: &dyn Fn() -> bool) -> bool {
    let end = Instant::now() + LAST_WORD;
    while !is_quitting() {
        if Instant::now() >= end {
            return false;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    true
}

/// A game to be played.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting<'a> {
    pub(crate) rules: &'a dyn RuleBook,
    pub(crate) conditions: &'a Conditions,
    pub(crate) opening: &'a str,
    /// The limits of black and white.
    pub(crate) limits: [MoveLimit; 2],
}

/// A game in progress.
struct RunningGame<'a> {
    setting: Setting<'a>,
    referee: Box<dyn Referee>,
    /// The game so far.
    line: String,
    clocks: Clocks,
    adjudicator: Adjudicator,
    detail: Option<String>,
    thoughts: Vec<MoveThought>,
}

/// Plays a game to its end, unless `is_quitting` between two moves. Black is `players[0]`.
pub(crate) fn play(
    mut players: [&mut dyn MatchPlayer; 2],
    setting: Setting<'_>,
    is_quitting: &dyn Fn() -> bool,
) -> Result<PlayedGame, NoGame> {
    let conditions = setting.conditions;
    let referee = setting
        .rules
        .referee(setting.opening, conditions.max_plies)
        .map_err(|error| NoGame::BadOpening(error.to_string()))?;
    let mut running = RunningGame {
        setting,
        referee,
        line: setting.opening.to_owned(),
        clocks: Clocks::new(setting.limits),
        adjudicator: Adjudicator::new(conditions.adjudication),
        detail: None,
        thoughts: Vec::new(),
    };
    let verdict = running.run(&mut players, is_quitting)?;
    let played = PlayedGame {
        winner: verdict.winner,
        reason: verdict.reason,
        position: running.line,
        plies: running.referee.plies(),
        lead: (verdict.reason == EndOfGame::Counted)
            .then(|| running.referee.lead())
            .flatten(),
        usage: running.clocks.usage,
        detail: running.detail,
        thoughts: running.thoughts,
    };
    for color in PlayerColor::ALL {
        players[color.index()].game_over(played.points(color));
    }
    Ok(played)
}

impl RunningGame<'_> {
    fn run(
        &mut self,
        players: &mut [&mut dyn MatchPlayer; 2],
        is_quitting: &dyn Fn() -> bool,
    ) -> Result<Verdict, NoGame> {
        for color in PlayerColor::ALL {
            let ready = players[color.index()].new_game();
            if is_quitting() {
                return Err(NoGame::Quit);
            }
            ready.map_err(|fault| NoGame::NotReady { color, fault })?;
        }
        if let Some(verdict) = self.referee.verdict() {
            return Ok(verdict);
        }
        loop {
            let us = self.referee.side_to_move();
            let verdict = self.ply(&mut *players[us.index()], us);
            // What players do when all processes are ended counts for nothing.
            let is_crash = verdict.is_some_and(|verdict| verdict.reason == EndOfGame::Crash);
            if is_quitting() || (is_crash && ends_soon(is_quitting)) {
                return Err(NoGame::Quit);
            }
            if let Some(verdict) = verdict {
                return Ok(verdict);
            }
        }
    }

    /// Asks `player`, who is to move, and plays its answer.
    fn ply(&mut self, player: &mut dyn MatchPlayer, us: PlayerColor) -> Option<Verdict> {
        let conditions = self.setting.conditions;
        let allowed = self.clocks.allowed(us);
        let deadline = allowed.map(|allowed| allowed + conditions.margin);
        let question = Question {
            position: &self.line,
            color: us,
            limits: self.setting.limits,
            clocks: self.clocks.left,
            patience: deadline.map_or(conditions.hang, |deadline| deadline + LATENESS),
        };
        let answer = match player.best_move(&question) {
            Ok(answer) => answer,
            Err(fault) => return Some(self.violation(us, fault)),
        };
        self.clocks.press(us, &answer);
        if let Some(deadline) = deadline.filter(|&deadline| answer.elapsed > deadline) {
            let late = answer.elapsed.saturating_sub(deadline);
            self.detail = Some(format!("{:.1} ms late", late.as_secs_f64() * 1000.0));
            return Some(Verdict::won_by(us.opponent(), EndOfGame::TimeForfeit));
        }
        let verdict = self.referee.answer(&answer.text);
        match verdict.map(|verdict| verdict.reason) {
            Some(EndOfGame::IllegalMove) => {
                self.detail = Some(format!("answered {:?}", answer.text));
            }
            Some(EndOfGame::Resign | EndOfGame::Declaration) => {}
            _ => {
                self.write_move(&answer.text);
                self.thoughts.push(MoveThought {
                    ms: answer.elapsed.as_millis() as u64,
                    score_cp: answer.score_cp,
                });
            }
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
    fn violation(&mut self, loser: PlayerColor, fault: PlayerFault) -> Verdict {
        let (reason, detail) = match fault {
            PlayerFault::Silent => (EndOfGame::TimeForfeit, "no answer in time".to_owned()),
            PlayerFault::Broken(detail) | PlayerFault::Refused(detail) => {
                (EndOfGame::Crash, detail)
            }
        };
        self.detail = Some(detail);
        Verdict::won_by(loser.opponent(), reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ShogiRules;
    use crate::adjudication::AgreedWinRule;
    use crate::player::PlayerAnswer;
    use crate::usi::go_command;

    /// Answers from a list, then breaks. No time passes.
    #[derive(Debug)]
    struct Scripted {
        /// The next is the last.
        answers: Vec<String>,
        asked: Vec<String>,
        /// The time that it claims to need for each answer.
        elapsed: Duration,
        /// The score that it claims for every position.
        score_cp: Option<i64>,
        /// True if it does not get ready.
        is_lazy: bool,
        result: Option<GamePoints>,
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
                is_lazy: false,
                result: None,
            }
        }
    }

    impl MatchPlayer for Scripted {
        fn set_options(&mut self, _: &[(String, String)]) -> Result<(), PlayerFault> {
            Ok(())
        }

        fn new_game(&mut self) -> Result<(), PlayerFault> {
            if self.is_lazy {
                return Err(PlayerFault::Silent);
            }
            Ok(())
        }

        fn best_move(&mut self, question: &Question<'_>) -> Result<PlayerAnswer, PlayerFault> {
            self.asked
                .push(format!("{} / {}", question.position, go_command(question)));
            let text = self
                .answers
                .pop()
                .ok_or_else(|| PlayerFault::Broken("gone".to_owned()))?;
            Ok(PlayerAnswer {
                text,
                elapsed: self.elapsed,
                score_cp: self.score_cp,
                depth: None,
                nodes: None,
            })
        }

        fn game_over(&mut self, result: GamePoints) {
            self.result = Some(result);
        }
    }

    fn conditions() -> Conditions {
        Conditions {
            margin: Duration::from_millis(20),
            hang: Duration::from_secs(1),
            max_plies: 512,
            adjudication: MatchAdjudication::default(),
        }
    }

    fn game_under(
        black: &mut Scripted,
        white: &mut Scripted,
        limit: MoveLimit,
        conditions: &Conditions,
    ) -> PlayedGame {
        let setting = Setting {
            rules: &ShogiRules,
            conditions,
            opening: "startpos",
            limits: [limit; 2],
        };
        play([black, white], setting, &|| false).expect("a game")
    }

    fn game(black: &mut Scripted, white: &mut Scripted, limit: MoveLimit) -> PlayedGame {
        game_under(black, white, limit, &conditions())
    }

    #[test]
    fn a_run_that_ends_leaves_no_game() {
        let (mut black, mut white) = (Scripted::new("7g7f", 0), Scripted::new("", 0));
        let conditions = conditions();
        let setting = Setting {
            rules: &ShogiRules,
            conditions: &conditions,
            opening: "startpos",
            limits: [MoveLimit::Nodes(1); 2],
        };
        let played = play([&mut black, &mut white], setting, &|| true);
        assert_eq!(played, Err(NoGame::Quit));
        let setting = Setting {
            opening: "startpos moves 7g7e",
            ..setting
        };
        let played = play([&mut black, &mut white], setting, &|| false);
        assert!(matches!(played, Err(NoGame::BadOpening(_))), "{played:?}");
    }

    #[test]
    fn a_game_that_has_not_begun_is_nobodys_loss() {
        let (mut black, mut white) = (Scripted::new("7g7f", 0), Scripted::new("3c3d", 0));
        white.is_lazy = true;
        let conditions = conditions();
        let setting = Setting {
            rules: &ShogiRules,
            conditions: &conditions,
            opening: "startpos",
            limits: [MoveLimit::Nodes(1); 2],
        };
        let played = play([&mut black, &mut white], setting, &|| false);
        let not_ready = NoGame::NotReady {
            color: PlayerColor::White,
            fault: PlayerFault::Silent,
        };
        assert_eq!(played, Err(not_ready));
        // While the run ends nobody has to get ready.
        let played = play([&mut black, &mut white], setting, &|| true);
        assert_eq!(played, Err(NoGame::Quit));
        assert_eq!(black.result, None);
    }

    #[test]
    fn a_player_that_is_gone_when_the_run_ends_has_lost_nothing() {
        let (mut black, mut white) = (Scripted::new("7g7f", 0), Scripted::new("", 0));
        let conditions = conditions();
        let setting = Setting {
            rules: &ShogiRules,
            conditions: &conditions,
            opening: "startpos",
            limits: [MoveLimit::Nodes(1); 2],
        };
        // The player knows before the run does.
        let begin = Instant::now();
        let is_quitting = || begin.elapsed() > LAST_WORD / 4;
        let played = play([&mut black, &mut white], setting, &is_quitting);
        assert_eq!(played, Err(NoGame::Quit));
        assert_eq!(white.result, None);
    }

    #[test]
    fn players_are_asked_in_turn_with_the_whole_game() {
        let (mut black, mut white) = (Scripted::new("7g7f resign", 0), Scripted::new("3c3d", 0));
        let played = game(&mut black, &mut white, MoveLimit::Nodes(100));
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
            (Some(PlayerColor::White), EndOfGame::Resign)
        );
        assert_eq!(
            (played.plies, played.position.as_str()),
            (2, "startpos moves 7g7f 3c3d")
        );
        assert_eq!(black.result, Some(GamePoints::Loss));
        assert_eq!(white.result, Some(GamePoints::Win));
    }

    #[test]
    fn a_player_that_breaks_loses() {
        let (mut black, mut white) = (Scripted::new("7g7f", 0), Scripted::new("", 0));
        let played = game(&mut black, &mut white, MoveLimit::Depth(1));
        assert_eq!(
            (played.winner, played.reason),
            (Some(PlayerColor::Black), EndOfGame::Crash)
        );
        assert_eq!(played.detail.as_deref(), Some("gone"));
    }

    #[test]
    fn an_illegal_move_is_not_part_of_the_game() {
        let (mut black, mut white) = (Scripted::new("7g7f", 0), Scripted::new("7g7f", 0));
        let played = game(&mut black, &mut white, MoveLimit::Depth(1));
        assert_eq!(
            (played.winner, played.reason),
            (Some(PlayerColor::Black), EndOfGame::IllegalMove)
        );
        assert_eq!(played.position, "startpos moves 7g7f");
        assert_eq!(played.detail.as_deref(), Some("answered \"7g7f\""));
    }

    #[test]
    fn a_late_answer_loses() {
        let (mut black, mut white) = (Scripted::new("7g7f", 31), Scripted::new("3c3d", 0));
        let played = game(&mut black, &mut white, MoveLimit::MoveTime(10));
        assert_eq!(
            (played.winner, played.reason),
            (Some(PlayerColor::White), EndOfGame::TimeForfeit)
        );
        assert_eq!(played.usage[0].least_left_ms, Some(-21));
        assert_eq!(played.detail.as_deref(), Some("1.0 ms late"));
        let (mut black, mut white) = (Scripted::new("7g7f resign", 30), Scripted::new("3c3d", 0));
        let played = game(&mut black, &mut white, MoveLimit::MoveTime(10));
        assert_eq!(played.reason, EndOfGame::Resign);
    }

    #[test]
    fn the_clock_runs_down_and_increments_come_back() {
        let (mut black, mut white) = (Scripted::new("7g7f resign", 40), Scripted::new("3c3d", 0));
        let limit = MoveLimit::Clock {
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
        let limit = MoveLimit::Clock {
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
        let resign = AgreedWinRule {
            score_cp: 600,
            moves: 2,
        };
        let conditions = Conditions {
            adjudication: MatchAdjudication {
                resign: Some(resign),
                draw: None,
            },
            ..conditions()
        };
        let played = game_under(&mut black, &mut white, MoveLimit::Nodes(1), &conditions);
        assert_eq!(
            (played.winner, played.reason, played.plies),
            (Some(PlayerColor::Black), EndOfGame::AgreedWin, 4)
        );
        assert_eq!(black.result, Some(GamePoints::Win));
    }
}
