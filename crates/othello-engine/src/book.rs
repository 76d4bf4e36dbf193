//! The opening book in play: its moves with their values, and which of them is played.

use std::fmt;
use std::sync::Arc;

use othello_book::store::{GameCounts, PositionData, PositionLookup};
use othello_core::{Board, Move, State};
use yane_base::random::SplitMix64;

/// A move of the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookCandidate {
    /// The move.
    pub mv: Move,
    /// Value in discs for the player who makes it.
    pub score: i32,
    /// Level of the search behind the value; `None`: unknown.
    pub level: Option<u8>,
    /// Games of the book behind it, for the player who makes it.
    pub games: GameCounts,
    /// True if the position behind it is not in the book.
    pub is_leaf: bool,
}

/// The choice among the moves of a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BookChoice {
    /// Egaroucid's book variation level from 0, which plays only the best moves, to 10. Only moves to positions of the book
    /// are drawn; its leaf is played at level 0 alone, where it is better than all of them. Of the moves that lose at most
    /// twice as many discs, one of value v has the weight ((e^(v - best) + 1.5) / 3)^(10 - level) in its program, and
    /// (e^((v - best + 1.5) / 3))^(10 - level) in its manual, which is what counts here.
    Variation(u32),
    /// Edax's book randomness: any of the moves that lose at most so many discs.
    Randomness(u32),
}

impl BookChoice {
    /// The highest level of variation.
    pub const MOST: u32 = 10;

    /// The greatest loss of a move, and the weight of a move by its loss.
    fn weight(self, loss: i32) -> Option<f64> {
        match self {
            Self::Variation(level) => {
                let level = level.min(Self::MOST);
                let power = f64::from(Self::MOST - level);
                let weight = ((1.5 - f64::from(loss)) / 3.0).exp().powf(power);
                (loss <= 2 * level as i32).then_some(weight)
            }
            Self::Randomness(most) => (loss <= most.min(128) as i32).then_some(1.0),
        }
    }
}

impl Default for BookChoice {
    fn default() -> Self {
        Self::Variation(0)
    }
}

/// Answers for a board; hides the kind of store.
trait Probe: Send + Sync {
    fn data(&self, board: Board) -> Option<PositionData>;
    fn value_to(&self, child: Board) -> Option<i8>;
}

impl<P: PositionLookup + Send + Sync> Probe for P {
    fn data(&self, board: Board) -> Option<PositionData> {
        self.look_up(board)
    }

    fn value_to(&self, child: Board) -> Option<i8> {
        self.value_of_move(child)
    }
}

/// Several books, of which the first that knows something counts.
struct FirstOf(Vec<PlayBook>);

impl Probe for FirstOf {
    fn data(&self, board: Board) -> Option<PositionData> {
        self.0.iter().find_map(|book| book.0.data(board))
    }

    fn value_to(&self, child: Board) -> Option<i8> {
        self.0.iter().find_map(|book| book.0.value_to(child))
    }
}

/// A book to play from. Cheap to clone.
#[derive(Clone)]
pub struct PlayBook(Arc<dyn Probe>);

impl fmt::Debug for PlayBook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PlayBook")
    }
}

impl PlayBook {
    /// A book of any format that is open for lookups.
    pub fn new(book: impl PositionLookup + Send + Sync + 'static) -> Self {
        Self(Arc::new(book))
    }

    /// Several books as one: of each position the first that knows it counts.
    pub fn first_of(books: Vec<Self>) -> Self {
        Self(Arc::new(FirstOf(books)))
    }

    /// The moves of a board that the book knows, best first: those to positions of the book, and the leaf. None if the
    /// game is over or a pass is forced.
    pub fn moves(&self, board: Board) -> Vec<BookCandidate> {
        let links = board.legal_moves().iter().filter_map(|square| {
            let child = board.play_unchecked(square);
            let value = self.0.value_to(child)?;
            let (data, games) = self.behind(child);
            Some(BookCandidate {
                mv: Move::Place(square),
                score: i32::from(value),
                level: data.and_then(|data| level_of(data.level)),
                games,
                is_leaf: false,
            })
        });
        let mut moves: Vec<_> = links.collect();
        moves.extend(self.leaf(board, &moves));
        moves.sort_by_key(|mv| -mv.score);
        moves
    }

    /// The data of the position that a move leads to, after a forced pass if the book has it so; its games are those of the
    /// player who makes the move.
    fn behind(&self, child: Board) -> (Option<PositionData>, GameCounts) {
        let is_pass = child.state() == State::Pass;
        let passed = is_pass.then(|| self.0.data(child.passed())).flatten();
        if let Some(data) = passed {
            return (Some(data), data.games);
        }
        let data = self.0.data(child);
        let games = data.map_or_else(GameCounts::default, |data| data.games.for_opponent());
        (data, games)
    }

    /// A forced pass with the value of the position behind it; `None` if the book lacks that.
    pub fn pass(&self, board: Board) -> Option<BookCandidate> {
        let value = self.value(board.passed())?;
        let (data, games) = self.behind(board.passed());
        Some(BookCandidate {
            mv: Move::Pass,
            score: -value,
            level: data.and_then(|data| level_of(data.level)),
            games,
            is_leaf: false,
        })
    }

    /// The value of a board for the player to move; `None` if the book lacks it.
    pub fn value(&self, board: Board) -> Option<i32> {
        let data = self.0.data(board)?;
        let value = i32::from(data.value);
        (-64..=64).contains(&value).then_some(value)
    }

    /// The move that leads out of the book, unless it is one of `moves`.
    fn leaf(&self, board: Board, moves: &[BookCandidate]) -> Option<BookCandidate> {
        let data = self.0.data(board)?;
        let edge = data.leaf.edge;
        let canonical = board.canonical();
        let mv = canonical.back().apply(edge.legal_on(canonical.board)?);
        let is_new = moves.iter().all(|link| link.mv != mv) && board.after(mv).is_some();
        (data.leaf.is_known() && is_new && mv != Move::Pass).then(|| BookCandidate {
            mv,
            score: i32::from(edge.score),
            level: level_of(data.leaf.level),
            games: GameCounts::default(),
            is_leaf: true,
        })
    }

    /// The move to play; `None` if the book knows none that may be drawn, or if the best of those is more than 8 discs below
    /// the value of the position, so that the best move is not in the book.
    pub fn choose(
        &self,
        board: Board,
        choice: BookChoice,
        random: &mut SplitMix64,
    ) -> Option<BookCandidate> {
        let mut moves = self.moves(board);
        match choice {
            // What is not registered is a way out of the book.
            BookChoice::Variation(0) if !is_leaf_alone_best(&moves) => {
                moves.retain(|mv| !mv.is_leaf);
            }
            BookChoice::Variation(1..) => moves.retain(|mv| !mv.is_leaf),
            BookChoice::Variation(_) | BookChoice::Randomness(_) => {}
        }
        let best = moves.first()?.score;
        if self.value(board).is_some_and(|value| best < value - 8) {
            return None;
        }
        let weighted = moves.iter().filter_map(|mv| {
            let weight = choice.weight(best - mv.score)?;
            Some((mv, weight))
        });
        let weighted: Vec<_> = weighted.collect();
        let sum: f64 = weighted.iter().map(|(_, weight)| weight).sum();
        let mut point = unit(random) * sum;
        for &(mv, weight) in &weighted {
            point -= weight;
            if point < 0.0 {
                return Some(*mv);
            }
        }
        weighted.last().map(|&(mv, _)| *mv)
    }

    /// The best moves of the book from a move on, that move first, passes included.
    pub fn line(&self, board: Board, first: Move) -> Vec<Move> {
        let mut line = vec![first];
        let mut next = board.after(first);
        while let Some(board) = next.filter(|_| line.len() < 60) {
            let mv = match board.state() {
                State::Over => break,
                State::Pass => Move::Pass,
                State::Moves => match self.moves(board).first() {
                    Some(best) => best.mv,
                    None => break,
                },
            };
            line.push(mv);
            next = board.after(mv);
        }
        while line.len() > 1 && line.last() == Some(&Move::Pass) {
            line.pop();
        }
        line
    }
}

/// Returns whether the leaf is better than every other move.
fn is_leaf_alone_best(moves: &[BookCandidate]) -> bool {
    match moves {
        [first, second, ..] => first.is_leaf && first.score > second.score,
        [only] => only.is_leaf,
        [] => false,
    }
}

fn level_of(level: i8) -> Option<u8> {
    u8::try_from(level).ok().filter(|&level| level > 0)
}

/// A number from 0 up to 1, without 1.
pub(crate) fn unit(random: &mut SplitMix64) -> f64 {
    (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variation_weighs_as_the_manual_says() {
        let weight = |level, loss| BookChoice::Variation(level).weight(loss);
        assert_eq!(weight(0, 1), None);
        assert!(weight(0, 0).is_some());
        // Level 10: all moves that lose at most 20 discs alike.
        assert_eq!(weight(10, 20), Some(1.0));
        assert_eq!(weight(10, 21), None);
        let ratio = weight(7, 3).unwrap() / weight(7, 0).unwrap();
        assert!((ratio - (-3.0f64).exp()).abs() < 1e-9, "{ratio}");
        assert_eq!(BookChoice::Randomness(2).weight(2), Some(1.0));
        assert_eq!(BookChoice::Randomness(2).weight(3), None);
    }
}
