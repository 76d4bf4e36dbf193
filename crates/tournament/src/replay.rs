//! Results of other machines, replayed: the referee of this one follows every move, and believes no end, clock or count that
//! does not follow from the game.
//!
//! What an engine did in a process elsewhere cannot be seen from here: that it resigned, crashed, was late or answered
//! nonsense is believed of the side to move, and of no other.

use std::time::Duration;

use thiserror::Error;

use crate::adjudication::Adjudicator;
use crate::error::OpeningLineError;
use crate::game::{Conditions, LATENESS, PlayedGame};
use crate::player::{Clocks, MATE_CP, MoveThought, PlayerAnswer, TimeUsage};
use crate::rules::{EndOfGame, PlayerColor, Referee, RuleBook, Verdict};
use crate::task::GameSetup;

/// Bytes of the text about an error: the end of an engine's standard error, and more.
const LONGEST_DETAIL: usize = 64 << 10;

/// The reason why a game cannot have been played so.
#[derive(Debug, Error)]
pub(crate) enum ReplayError {
    /// The opening of this machine is none.
    #[error(transparent)]
    Opening(#[from] OpeningLineError),
    /// The game begins otherwise.
    #[error("the game does not continue its opening {0:?}")]
    OtherOpening(String),
    /// There is not a thought for each move.
    #[error("{thoughts} thoughts about {moves} moves")]
    Thoughts {
        /// Number of thoughts.
        thoughts: usize,
        /// Number of moves behind the opening.
        moves: usize,
    },
    /// A move is illegal, or none.
    #[error("ply {ply}: {text:?} is no legal move")]
    IllegalMove {
        /// The ply, counted from 1.
        ply: usize,
        /// The move.
        text: String,
    },
    /// There are moves behind the end.
    #[error("the game was over after {0} plies")]
    Over(usize),
    /// It did not end so.
    #[error("it ended by {found:?}, won by {winner:?}, where {expected}")]
    End {
        /// The reason that is told.
        found: EndOfGame,
        /// The winner that is told.
        winner: Option<PlayerColor>,
        /// What the game says.
        expected: &'static str,
    },
    /// A number does not follow from the game.
    #[error("{0} do not follow from the game")]
    Numbers(&'static str),
    /// A move took longer than is possible.
    #[error("ply {ply}: {ms} ms where {limit_ms} were possible")]
    Time {
        /// The ply, counted from 1.
        ply: usize,
        /// The time that is told.
        ms: u64,
        /// The longest possible one.
        limit_ms: u64,
    },
    /// A score is greater than that of a mate.
    #[error("ply {ply}: a score of {score}")]
    Score {
        /// The ply, counted from 1.
        ply: usize,
        /// The score in centipawns.
        score: i64,
    },
    /// There is an error without a text, a text without an error, or a text that is too long.
    #[error("the text about its error does not fit")]
    Detail,
}

/// Checks that a game can have been played so: legal moves behind its opening, the end that the rules and conditions say,
/// times that were allowed, and counts that follow.
///
/// # Errors
/// Names what cannot be.
pub(crate) fn check_game(
    played: &PlayedGame,
    setup: &GameSetup,
    rules: &dyn RuleBook,
    conditions: &Conditions,
) -> Result<(), ReplayError> {
    let moves = moves_of(&played.position, &setup.opening)?;
    if moves.len() != played.thoughts.len() {
        return Err(ReplayError::Thoughts {
            thoughts: played.thoughts.len(),
            moves: moves.len(),
        });
    }
    let mut replay = Replay {
        conditions,
        referee: rules.referee(&setup.opening, conditions.max_plies)?,
        clocks: Clocks::new(setup.limits),
        adjudicator: Adjudicator::new(conditions.adjudication),
        verdict: None,
    };
    replay.verdict = replay.referee.verdict();
    for (text, thought) in moves.iter().zip(&played.thoughts) {
        replay.play(text, *thought)?;
    }
    if replay.referee.plies() != played.plies {
        return Err(ReplayError::Numbers("plies"));
    }
    let last = replay.last_answer(played)?;
    replay.check_usage(&played.usage, last)?;
    let counted = played.reason == EndOfGame::Counted;
    if played.lead != counted.then(|| replay.referee.lead()).flatten() {
        return Err(ReplayError::Numbers("points"));
    }
    let detail = played.detail.as_ref();
    if detail.is_some() != played.reason.is_violation()
        || detail.is_some_and(|text| text.len() > LONGEST_DETAIL)
    {
        return Err(ReplayError::Detail);
    }
    Ok(())
}

/// The moves of a line behind its opening.
fn moves_of<'a>(line: &'a str, opening: &str) -> Result<Vec<&'a str>, ReplayError> {
    let other = || ReplayError::OtherOpening(opening.to_owned());
    let rest = line.strip_prefix(opening).ok_or_else(other)?;
    if rest.is_empty() {
        return Ok(Vec::new());
    }
    // As games are written: the word stands before the first move, whoever made it.
    let rest = if opening.contains(" moves") {
        Some(rest)
    } else {
        rest.strip_prefix(" moves")
    };
    let moves = rest.and_then(|rest| rest.strip_prefix(' '));
    Ok(moves.ok_or_else(other)?.split(' ').collect())
}

/// What the side to move did at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LastAnswer {
    /// Nothing: its opponent's move ended the game, or it did not answer.
    None,
    /// It answered in time, with something that is no move.
    InTime,
    /// It answered too late.
    Late,
}

/// A game that is replayed.
struct Replay<'a> {
    conditions: &'a Conditions,
    referee: Box<dyn Referee>,
    clocks: Clocks,
    adjudicator: Adjudicator,
    /// The verdict after the moves so far.
    verdict: Option<Verdict>,
}

impl Replay<'_> {
    fn play(&mut self, text: &str, thought: MoveThought) -> Result<(), ReplayError> {
        let ply = self.referee.plies() + 1;
        if self.verdict.is_some() {
            return Err(ReplayError::Over(ply - 1));
        }
        let us = self.referee.side_to_move();
        let limit = self.deadline(us).unwrap_or(self.conditions.hang + LATENESS);
        let (ms, limit_ms) = (thought.ms, limit.as_millis() as u64);
        if ms > limit_ms {
            return Err(ReplayError::Time { ply, ms, limit_ms });
        }
        let score = thought
            .score_cp
            .filter(|cp| !(-MATE_CP..=MATE_CP).contains(cp));
        if let Some(score) = score {
            return Err(ReplayError::Score { ply, score });
        }
        self.press(us, ms);
        let verdict = self.referee.answer(text);
        let no_move = [
            EndOfGame::IllegalMove,
            EndOfGame::Resign,
            EndOfGame::Declaration,
        ];
        if verdict.is_some_and(|verdict| no_move.contains(&verdict.reason)) {
            let text = text.to_owned();
            return Err(ReplayError::IllegalMove { ply, text });
        }
        let plies = self.referee.plies();
        self.verdict = verdict.or_else(|| self.adjudicator.moved(us, thought.score_cp, plies));
        Ok(())
    }

    /// The time after which a move is late; `None` where time is not limited.
    fn deadline(&self, us: PlayerColor) -> Option<Duration> {
        let allowed = self.clocks.allowed(us);
        allowed.map(|allowed| allowed + self.conditions.margin)
    }

    /// `us` answered after `ms` milliseconds.
    fn press(&mut self, us: PlayerColor, ms: u64) {
        let answer = PlayerAnswer {
            text: String::new(),
            elapsed: Duration::from_millis(ms),
            score_cp: None,
            depth: None,
            nodes: None,
        };
        self.clocks.press(us, &answer);
    }

    /// Checks the end of the game.
    fn last_answer(&mut self, played: &PlayedGame) -> Result<LastAnswer, ReplayError> {
        let told = Verdict {
            winner: played.winner,
            reason: played.reason,
        };
        let wrong = |expected| {
            Err(ReplayError::End {
                found: told.reason,
                winner: told.winner,
                expected,
            })
        };
        if let Some(verdict) = self.verdict {
            return if verdict == told {
                Ok(LastAnswer::None)
            } else {
                wrong("the rules and conditions say another end")
            };
        }
        let us = self.referee.side_to_move();
        let lost = told.winner == Some(us.opponent());
        let moves = self.clocks.usage[us.index()].moves;
        match told.reason {
            EndOfGame::Resign | EndOfGame::IllegalMove if lost => Ok(LastAnswer::InTime),
            EndOfGame::Crash if lost => Ok(LastAnswer::None),
            EndOfGame::TimeForfeit if lost => Ok(if played.usage[us.index()].moves == moves {
                LastAnswer::None
            } else {
                LastAnswer::Late
            }),
            EndOfGame::Declaration if self.referee.answer("win") == Some(told) => {
                Ok(LastAnswer::InTime)
            }
            _ => wrong("it is not over, or the side to move has not lost it"),
        }
    }

    /// Checks the times and counts of the players.
    fn check_usage(&mut self, told: &[TimeUsage; 2], last: LastAnswer) -> Result<(), ReplayError> {
        let us = self.referee.side_to_move();
        if last != LastAnswer::None {
            let before = self.clocks.usage[us.index()].total_ms;
            let ms = told[us.index()].total_ms.checked_sub(before);
            let ms = ms.ok_or(ReplayError::Numbers("times"))?;
            self.check_last_time(us, ms, last)?;
            self.press(us, ms);
        }
        for (told, found) in told.iter().zip(&self.clocks.usage) {
            let of = |usage: &TimeUsage| (usage.moves, usage.total_ms, usage.slowest_ms);
            // What is left is told in whole milliseconds below the true number.
            let is_least = match (told.least_left_ms, found.least_left_ms) {
                (Some(told), Some(found)) => (found - 1..=found).contains(&told),
                (told, found) => told == found,
            };
            if of(told) != of(found) || !is_least {
                return Err(ReplayError::Numbers("times"));
            }
            let most_depths = u64::from(told.moves) * u64::from(u32::MAX);
            if told.depths > most_depths || (told.moves == 0 && told.nodes > 0) {
                return Err(ReplayError::Numbers("nodes and depths"));
            }
        }
        Ok(())
    }

    /// Checks the time of an answer that is no move.
    fn check_last_time(
        &self,
        us: PlayerColor,
        ms: u64,
        last: LastAnswer,
    ) -> Result<(), ReplayError> {
        let deadline = self.deadline(us).map(|time| time.as_millis() as u64);
        let longest = deadline.unwrap_or(self.conditions.hang.as_millis() as u64);
        let latest = longest.saturating_add(2 * LATENESS.as_millis() as u64);
        let is_possible = match (last, deadline) {
            (LastAnswer::Late, Some(deadline)) => (deadline..=latest).contains(&ms),
            (LastAnswer::Late, None) => false,
            (_, Some(deadline)) => ms <= deadline,
            (_, None) => ms <= latest,
        };
        if is_possible {
            return Ok(());
        }
        Err(ReplayError::Time {
            ply: self.referee.plies() + 1,
            ms,
            limit_ms: longest,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adjudication::{AgreedWinRule, MatchAdjudication};
    use crate::player::MoveLimit;
    use crate::{OthelloRules, ShogiRules};

    fn conditions() -> Conditions {
        Conditions {
            margin: Duration::from_millis(20),
            hang: Duration::from_secs(1),
            max_plies: 6,
            adjudication: MatchAdjudication {
                resign: Some(AgreedWinRule {
                    score_cp: 600,
                    moves: 2,
                }),
                draw: None,
            },
        }
    }

    fn setup(opening: &str) -> GameSetup {
        GameSetup {
            players: [0, 1],
            opening: opening.to_owned(),
            limits: [MoveLimit::Clock {
                time: 100,
                increment: 0,
                byoyomi: 50,
            }; 2],
            options: [Vec::new(), Vec::new()],
        }
    }

    fn usage(moves: u32, total_ms: u64, slowest_ms: u64, least: Option<i64>) -> TimeUsage {
        TimeUsage {
            moves,
            total_ms,
            slowest_ms,
            least_left_ms: least,
            nodes: 10,
            depths: 3,
        }
    }

    fn thought(ms: u64, score_cp: i64) -> MoveThought {
        MoveThought {
            ms,
            score_cp: Some(score_cp),
        }
    }

    /// Two moves behind the opening of one; white resigns after 30 ms.
    fn resigned() -> PlayedGame {
        PlayedGame {
            winner: Some(PlayerColor::Black),
            reason: EndOfGame::Resign,
            position: "startpos moves 7g7f 3c3d 2g2f".to_owned(),
            plies: 3,
            lead: None,
            usage: [usage(1, 80, 80, Some(69)), usage(2, 70, 40, Some(80))],
            detail: None,
            thoughts: vec![thought(40, 0), thought(80, 5)],
        }
    }

    fn check(played: &PlayedGame) -> Result<(), String> {
        let setup = setup("startpos moves 7g7f");
        let checked = check_game(played, &setup, &ShogiRules, &conditions());
        checked.map_err(|error| error.to_string())
    }

    /// What is wrong after a change of a good game.
    fn wrong(change: impl FnOnce(&mut PlayedGame)) -> String {
        let mut played = resigned();
        change(&mut played);
        check(&played).unwrap_err()
    }

    #[test]
    fn a_game_as_it_was_played_is_believed() {
        check(&resigned()).unwrap();
        let mut late = resigned();
        late.reason = EndOfGame::TimeForfeit;
        late.detail = Some("30.0 ms late".to_owned());
        // 60 on the clock and the byoyomi and the margin are 130.
        late.usage[1] = usage(2, 200, 160, Some(-50));
        check(&late).unwrap();
        let mut silent = resigned();
        silent.reason = EndOfGame::TimeForfeit;
        silent.detail = Some("no answer in time".to_owned());
        silent.usage[1] = usage(1, 40, 40, Some(110));
        check(&silent).unwrap();
        silent.reason = EndOfGame::Crash;
        check(&silent).unwrap();
    }

    #[test]
    fn moves_that_cannot_be_are_refused() {
        let position = |text: &str| wrong(|game| game.position = text.to_owned());
        for (line, expected) in [
            ("startpos moves 7g7f 3c3d 2g2e", "ply 3: \"2g2e\""),
            ("startpos moves 7g7f 3c3d resign", "ply 3: \"resign\""),
            ("startpos moves 7g7f 3c3d win", "ply 3: \"win\""),
            ("startpos moves 7g7f 3c3d  ", "3 moves"),
            ("startpos moves 2g2f 3c3d 7g7f", "its opening"),
            ("startpos moves 7g7f3c3d 2g2f", "its opening"),
            ("", "its opening"),
            ("startpos moves 7g7f 3c3d\n2g2f", "2 thoughts about 1"),
            ("startpos moves 7g7f 3c3d 2g2f\nquit", "is no legal move"),
        ] {
            let error = position(line);
            assert!(error.contains(expected), "{line:?}: {error}");
        }
    }

    #[test]
    fn ends_that_do_not_follow_are_refused() {
        use EndOfGame as End;
        use PlayerColor::{Black, White};

        let end = |reason, winner| {
            wrong(|game| {
                (game.reason, game.winner) = (reason, winner);
                game.detail = reason.is_violation().then(String::new);
            })
        };
        for (reason, winner) in [
            (End::Resign, Some(White)),
            (End::Resign, None),
            (End::Mate, Some(Black)),
            (End::Repetition, None),
            (End::PerpetualCheck, Some(Black)),
            (End::Declaration, Some(White)),
            (End::Declaration, Some(Black)),
            (End::MaxPlies, None),
            (End::AgreedWin, Some(Black)),
            (End::AgreedDraw, None),
            (End::Counted, Some(Black)),
            (End::Crash, Some(White)),
            (End::IllegalMove, None),
        ] {
            let error = end(reason, winner);
            assert!(error.contains("it is not over"), "{reason:?}: {error}");
        }
    }

    #[test]
    fn what_ends_a_game_ends_it() {
        let line = "startpos moves 7g7f 3c3d 2g2f 8c8d 2f2e";
        let scores = [0, 0, 0, 0].map(|score| thought(1, score));
        let mut long = PlayedGame {
            position: format!("{line} 8d8e"),
            plies: 6,
            reason: EndOfGame::MaxPlies,
            winner: None,
            usage: [usage(2, 2, 1, Some(148)), usage(3, 3, 1, Some(147))],
            thoughts: [scores.to_vec(), vec![thought(1, 0)]].concat(),
            ..resigned()
        };
        check(&long).unwrap();
        long.position += " 7f7e";
        long.thoughts.push(thought(1, 0));
        assert_eq!(check(&long).unwrap_err(), "the game was over after 6 plies");
        // Both see black far ahead for two moves each: not a move more.
        let agreed = [-700, 700, -700, 700].map(|score| thought(1, score));
        let mut agreed = PlayedGame {
            position: line.to_owned(),
            plies: 5,
            reason: EndOfGame::AgreedWin,
            usage: [usage(2, 2, 1, Some(148)), usage(2, 2, 1, Some(148))],
            thoughts: agreed.to_vec(),
            ..resigned()
        };
        check(&agreed).unwrap();
        agreed.reason = EndOfGame::Resign;
        let error = check(&agreed).unwrap_err();
        assert!(error.contains("another end"), "{error}");
        agreed.thoughts[1].score_cp = Some(0);
        agreed.reason = EndOfGame::AgreedWin;
        let error = check(&agreed).unwrap_err();
        assert!(error.contains("it is not over"), "{error}");
    }

    #[test]
    fn times_and_counts_that_cannot_be_are_refused() {
        type Change<'a> = &'a dyn Fn(&mut PlayedGame);
        let changes: [(&str, Change<'_>); 14] = [
            ("plies", &|game| game.plies = 4),
            ("times", &|game| game.usage[0].moves = 2),
            ("times", &|game| game.usage[0].total_ms = 81),
            ("times", &|game| game.usage[0].slowest_ms = 79),
            ("times", &|game| game.usage[0].least_left_ms = Some(71)),
            ("times", &|game| game.usage[0].least_left_ms = None),
            ("times", &|game| game.usage[1].total_ms = 39),
            ("ply 4: 200 ms where 130", &|game| {
                game.usage[1].total_ms = 240;
            }),
            ("ply 3: 171 ms where 170", &|game| game.thoughts[1].ms = 171),
            ("ply 3: 18446744073709551615", &|game| {
                game.thoughts[1].ms = u64::MAX;
            }),
            ("a score of -9223372036854775808", &|game| {
                game.thoughts[0].score_cp = Some(i64::MIN);
            }),
            ("nodes and depths", &|game| game.usage[1].depths = u64::MAX),
            ("points", &|game| game.lead = Some(3)),
            ("text about its error", &|game| {
                game.detail = Some(String::new());
            }),
        ];
        for (expected, change) in changes {
            let error = wrong(change);
            assert!(error.contains(expected), "{expected}: {error}");
        }
        let error = wrong(|game| {
            game.reason = EndOfGame::Crash;
            game.usage[1] = usage(1, 40, 40, Some(110));
            game.detail = Some("x".repeat(LONGEST_DETAIL + 1));
        });
        assert!(error.contains("text about its error"), "{error}");
    }

    #[test]
    fn games_of_othello_are_counted_again() {
        let moves = "d6 c5 f4 e7 f6 g5 e6 e3";
        let played = |lead| PlayedGame {
            winner: Some(PlayerColor::Black),
            reason: EndOfGame::Counted,
            position: format!("startpos moves f5 {moves}"),
            plies: 9,
            lead,
            usage: [usage(4, 4, 1, Some(146)), usage(4, 4, 1, Some(146))],
            detail: None,
            thoughts: vec![thought(1, 0); 8],
        };
        let conditions = Conditions {
            max_plies: 100,
            adjudication: MatchAdjudication::default(),
            ..conditions()
        };
        let setup = setup("startpos moves f5");
        let check = |lead| check_game(&played(lead), &setup, &OthelloRules, &conditions);
        check(Some(64)).unwrap();
        for lead in [Some(62), None] {
            let error = check(lead).unwrap_err().to_string();
            assert!(error.contains("points"), "{error}");
        }
    }
}
