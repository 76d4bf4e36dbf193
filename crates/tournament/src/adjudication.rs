//! Ending games that both engines agree about. Off unless asked for.

use std::fmt;

use crate::rules::{EndOfGame, PlayerColor, Verdict};

/// Rules for ending games before they are over on the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MatchAdjudication {
    /// When a game is won.
    pub resign: Option<AgreedWinRule>,
    /// When a game is drawn.
    pub draw: Option<AgreedDrawRule>,
}

/// Won when both engines see one side that far ahead for that many moves each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgreedWinRule {
    /// Score in centipawns, positive.
    pub score_cp: i64,
    /// Moves of each side.
    pub moves: u32,
}

/// Drawn when neither engine sees anybody further ahead for that many moves each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgreedDrawRule {
    /// Score in centipawns.
    pub score_cp: i64,
    /// Moves of each side.
    pub moves: u32,
    /// Number of plies before which the rule does not apply.
    pub after_plies: usize,
}

impl fmt::Display for MatchAdjudication {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.resign {
            Some(AgreedWinRule { score_cp, moves }) => {
                write!(f, "resign at {score_cp} for {moves} moves")?;
            }
            None => f.write_str("no resigning")?,
        }
        match self.draw {
            Some(AgreedDrawRule {
                score_cp,
                moves,
                after_plies,
            }) => write!(
                f,
                ", draw at {score_cp} for {moves} moves after {after_plies} plies"
            ),
            None => f.write_str(", no draws"),
        }
    }
}

/// Number of a side's last moves for which its engine has given the same judgement.
#[derive(Clone, Copy, Debug, Default)]
struct Streak {
    winning: u32,
    losing: u32,
    level: u32,
}

/// Listens to the scores of one game.
#[derive(Debug)]
pub(crate) struct Adjudicator {
    rules: MatchAdjudication,
    streaks: [Streak; 2],
}

impl Adjudicator {
    pub(crate) fn new(rules: MatchAdjudication) -> Self {
        Self {
            rules,
            streaks: [Streak::default(); 2],
        }
    }

    /// `us` moved and gave itself a score in centipawns, or none, as with a move from a book. The
    /// game has `plies` plies now. Gives a verdict when both sides agree for long enough.
    pub(crate) fn moved(
        &mut self,
        us: PlayerColor,
        score_cp: Option<i64>,
        plies: usize,
    ) -> Option<Verdict> {
        let extend = |streak: &mut u32, holds: bool| *streak = if holds { *streak + 1 } else { 0 };
        let streak = &mut self.streaks[us.index()];
        if let Some(rule) = self.rules.resign {
            let ahead = |sign: i64| score_cp.is_some_and(|score| sign * score >= rule.score_cp);
            extend(&mut streak.winning, ahead(1));
            extend(&mut streak.losing, ahead(-1));
        }
        if let Some(rule) = self.rules.draw {
            let level = score_cp.is_some_and(|score| score.abs() <= rule.score_cp);
            extend(&mut streak.level, level);
        }
        self.verdict(plies)
    }

    fn verdict(&self, plies: usize) -> Option<Verdict> {
        if let Some(rule) = self.rules.resign {
            for color in PlayerColor::ALL {
                let agreed = self.streaks[color.index()].winning >= rule.moves
                    && self.streaks[color.opponent().index()].losing >= rule.moves;
                if agreed {
                    return Some(Verdict::won_by(color, EndOfGame::AgreedWin));
                }
            }
        }
        let rule = self.rules.draw?;
        let level = |color: PlayerColor| self.streaks[color.index()].level >= rule.moves;
        (plies >= rule.after_plies && PlayerColor::ALL.into_iter().all(level))
            .then_some(Verdict::draw(EndOfGame::AgreedDraw))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adjudicator() -> Adjudicator {
        Adjudicator::new(MatchAdjudication {
            resign: Some(AgreedWinRule {
                score_cp: 1000,
                moves: 2,
            }),
            draw: Some(AgreedDrawRule {
                score_cp: 10,
                moves: 2,
                after_plies: 8,
            }),
        })
    }

    /// Scores of black and white in turn; the verdict after the last and how many were heard.
    fn listen(scores: &[Option<i64>]) -> (usize, Option<Verdict>) {
        let mut adjudicator = adjudicator();
        for (index, &score) in scores.iter().enumerate() {
            let us = PlayerColor::ALL[index % 2];
            if let Some(verdict) = adjudicator.moved(us, score, index + 1) {
                return (index + 1, Some(verdict));
            }
        }
        (scores.len(), None)
    }

    #[test]
    fn both_must_see_the_win_for_long_enough() {
        let won = Verdict::won_by(PlayerColor::White, EndOfGame::AgreedWin);
        let scores = [-999, 1000, -1000, 1000, -1200, 1000].map(Some);
        assert_eq!(listen(&scores), (5, Some(won)));
        // One of them does not believe it.
        let scores = [-900, 3000, -900, 3000, -900, 3000].map(Some);
        assert_eq!(listen(&scores), (6, None));
        // Both think that they win.
        let scores = [3000; 6].map(Some);
        assert_eq!(listen(&scores), (6, None));
    }

    #[test]
    fn a_move_without_a_score_begins_anew() {
        let scores = [
            Some(-2000),
            Some(2000),
            None,
            Some(2000),
            Some(-2000),
            Some(2000),
        ];
        assert_eq!(listen(&scores), (6, None));
    }

    #[test]
    fn level_games_are_drawn_but_not_early() {
        let drawn = Verdict::draw(EndOfGame::AgreedDraw);
        assert_eq!(listen(&[Some(-10); 12]), (8, Some(drawn)));
        assert_eq!(listen(&[Some(11); 12]), (12, None));
    }

    #[test]
    fn nothing_ends_unless_asked_for() {
        let mut adjudicator = Adjudicator::new(MatchAdjudication::default());
        for ply in 1..100 {
            assert_eq!(
                adjudicator.moved(PlayerColor::Black, Some(-9999), ply),
                None
            );
            assert_eq!(adjudicator.moved(PlayerColor::White, Some(9999), ply), None);
        }
    }
}
