//! Books made of games: positions with how often they occurred and how the games ended.

use std::collections::HashMap;

use othello_core::{Board, Game, Position, Side, State};

use crate::convert::HeaderBuilder;
use crate::store::{GameCounts, MemoryBook, PositionData};

/// The end of a game, for black.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameEnd {
    /// The difference of discs.
    Score(i32),
    /// A win of a side by an unknown number of discs.
    Win(Side),
    /// Nobody knows.
    Unknown,
}

/// The positions of games, symmetric ones being one.
#[derive(Clone, Debug)]
pub struct GamePositions {
    plies: u32,
    games: u64,
    counts: HashMap<Board, Occurrences>,
}

/// How often a position occurred, and the ends of its games for the player to move.
#[derive(Clone, Copy, Debug, Default)]
struct Occurrences {
    games: u32,
    results: GameCounts,
    /// Games with a score, and the sum of the scores.
    scored: u32,
    sum: i64,
}

impl GamePositions {
    /// Positions of at most so many plies (discs less 4).
    pub fn new(plies: u32) -> Self {
        Self {
            plies,
            games: 0,
            counts: HashMap::new(),
        }
    }

    /// The number of games that were added.
    pub const fn games(&self) -> u64 {
        self.games
    }

    /// Adds the positions of a game in which a player can move. A position that occurs twice, in two orientations, counts once.
    pub fn add(&mut self, game: &Game, end: GameEnd) {
        self.games += 1;
        let most = self.plies + 4;
        let positions = game.positions();
        for position in positions.take_while(|position| position.board().discs() <= most) {
            self.add_position(position, end);
        }
    }

    fn add_position(&mut self, position: Position, end: GameEnd) {
        let board = position.board();
        if board.state() != State::Moves || board.discs() > self.plies + 4 {
            return;
        }
        let known = self.counts.entry(board.canonical().board).or_default();
        known.games = known.games.saturating_add(1);
        let sign = if position.side() == Side::Black {
            1
        } else {
            -1
        };
        let score = match end {
            GameEnd::Score(score) => {
                known.scored += 1;
                known.sum += i64::from(sign * score);
                sign * score
            }
            GameEnd::Win(side) if side == position.side() => 1,
            GameEnd::Win(_) => -1,
            GameEnd::Unknown => return,
        };
        let count = match score {
            0 => &mut known.results.draws,
            1.. => &mut known.results.wins,
            _ => &mut known.results.losses,
        };
        *count = count.saturating_add(1);
    }

    /// The book of the positions that occurred in at least so many games, and of the start position. Values are the mean scores of
    /// the games, 0 where none is known, with level 1; lines are counted.
    pub fn into_book(self, least: u32) -> MemoryBook {
        let mut book = MemoryBook::default();
        let mut boards: Vec<(Board, Occurrences)> = self.counts.into_iter().collect();
        boards.retain(|(board, known)| {
            known.games >= least || *board == Board::START.canonical().board
        });
        boards.sort_by_key(|(board, _)| (board.mover(), board.opponent()));
        if boards
            .iter()
            .all(|(board, _)| *board != Board::START.canonical().board)
        {
            boards.push((Board::START.canonical().board, Occurrences::default()));
        }
        let mut header = HeaderBuilder::default();
        for (board, known) in boards {
            let mean = if known.scored > 0 {
                known.sum as f64 / f64::from(known.scored)
            } else {
                0.0
            };
            let data = PositionData {
                value: mean.round() as i8,
                level: 1,
                lines: 1,
                games: known.results,
                is_of_edax: true,
                ..PositionData::default()
            };
            header.add(board, 1);
            book.insert(board, data);
        }
        // Only a book of Edax has games: one that is written for Egaroucid keeps them in its side-car.
        book.header = Some(header.build(None));
        super::count_lines(&mut book, Board::START);
        book
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_counted_with_the_ends_of_their_games() {
        let mut positions = GamePositions::new(4);
        let game = |moves: &str| moves.parse::<Game>().unwrap();
        positions.add(&game("f5d6c3d3c4f4"), GameEnd::Score(10));
        // The same game, turned.
        positions.add(&game("c4e3f6e6f5"), GameEnd::Score(-4));
        positions.add(&game("f5f6"), GameEnd::Win(Side::White));
        positions.add(&game("f5f4"), GameEnd::Unknown);
        assert_eq!(positions.games(), 4);
        let all = positions.clone().into_book(1);
        // The start, one move, three positions of two, one each of three and four.
        assert_eq!(all.len(), 7);
        let tiger = all.get(game("f5d6c3").position().board()).unwrap();
        assert_eq!(
            (tiger.value, tiger.games),
            (
                -3,
                GameCounts {
                    wins: 1,
                    draws: 0,
                    losses: 1
                }
            )
        );
        let start = all.get(Board::START).unwrap();
        assert_eq!(
            (start.value, start.games),
            (
                3,
                GameCounts {
                    wins: 1,
                    draws: 0,
                    losses: 2
                }
            )
        );
        // All four first moves lead to one position of six lines.
        assert_eq!(start.lines, 25);
        assert!(all.get(game("f5d6c3d3c4").position().board()).is_none());
        let twice = positions.into_book(2);
        assert_eq!(twice.len(), 5);
        assert_eq!(GamePositions::new(10).into_book(1).len(), 1);
    }
}
