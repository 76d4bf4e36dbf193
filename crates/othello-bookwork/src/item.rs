//! Searches as work items: what is asked, what is answered, and how one thread does it.
//!
//! An answer depends on the item alone: one thread, an empty transposition table whose size follows from the level. So a
//! book is the same whoever searched, however often, and in whatever order.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use farm::queue::RemoteItem;
use othello_core::{Board, Move, Square, Squares};
use othello_eval::Weights;
use othello_search::{Control, Limits, PlayLevel, SearchSettings, Searcher};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::error::BookTextError;
use crate::links::after_pass;

/// A level of the searches of a book, as text: `21` of Egaroucid, `edax21` of Edax. Books hold its number, which other programs read
/// as one of theirs; so the engine's own levels are none of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "LevelText", into = "String")]
pub enum BookLevel {
    /// Levels 1 to 60 of Egaroucid.
    Egaroucid(u32),
    /// Levels 1 to 60 of Edax.
    Edax(u32),
}

/// A level in a recipe: a number, or text.
#[derive(Deserialize)]
#[serde(untagged)]
enum LevelText {
    Number(u32),
    Text(String),
}

impl BookLevel {
    /// The number, at least 1.
    pub fn number(self) -> i8 {
        let (Self::Egaroucid(number) | Self::Edax(number)) = self;
        number.clamp(1, PlayLevel::MOST) as i8
    }

    /// Another number of the same program.
    #[must_use]
    pub const fn with_number(self, number: i8) -> Self {
        let number = number.unsigned_abs() as u32;
        match self {
            Self::Egaroucid(_) => Self::Egaroucid(number),
            Self::Edax(_) => Self::Edax(number),
        }
    }

    /// What the level searches.
    pub const fn play_level(self) -> PlayLevel {
        match self {
            Self::Egaroucid(number) => PlayLevel::Egaroucid(number),
            Self::Edax(number) => PlayLevel::Edax(number),
        }
    }

    /// The level at which Egaroucid recalculates illegal leaves while it learns at this one.
    #[must_use]
    pub fn for_leaves(self) -> Self {
        let level = self.number();
        self.with_number((20 + (level & 1)).min((level - 2).max(1)))
    }
}

impl fmt::Display for BookLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Egaroucid(number) => write!(f, "{number}"),
            Self::Edax(number) => write!(f, "edax{number}"),
        }
    }
}

impl FromStr for BookLevel {
    type Err = BookTextError;

    fn from_str(text: &str) -> Result<Self, BookTextError> {
        let (of_edax, digits) = match text.strip_prefix("edax") {
            Some(digits) => (true, digits),
            None => (false, text),
        };
        let number = digits.parse().ok();
        let number: Option<u32> = number.filter(|number| (1..=PlayLevel::MOST).contains(number));
        let level = number.map(|number| {
            if of_edax {
                Self::Edax(number)
            } else {
                Self::Egaroucid(number)
            }
        });
        level.ok_or_else(|| BookTextError::Level(text.to_owned()))
    }
}

impl From<BookLevel> for String {
    fn from(level: BookLevel) -> Self {
        level.to_string()
    }
}

impl TryFrom<LevelText> for BookLevel {
    type Error = BookTextError;

    fn try_from(text: LevelText) -> Result<Self, BookTextError> {
        match text {
            LevelText::Number(number) => number.to_string().parse(),
            LevelText::Text(text) => text.parse(),
        }
    }
}

/// A search: the best of some moves of a board, at a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SearchItem {
    board: Board,
    moves: u64,
    level: BookLevel,
}

impl SearchItem {
    /// The search of all moves of a board; `None` if it has none.
    pub fn new(board: Board, level: BookLevel) -> Option<Self> {
        Self::of_moves(board, board.legal_moves(), level)
    }

    /// The search of some moves of a board; `None` without any, or with an illegal one.
    pub fn of_moves(board: Board, moves: Squares, level: BookLevel) -> Option<Self> {
        let are_legal = moves.0 & !board.legal_moves().0 == 0;
        (!moves.is_empty() && are_legal).then_some(Self {
            board,
            moves: moves.0,
            level,
        })
    }

    /// The board.
    pub const fn board(&self) -> Board {
        self.board
    }
}

/// Writes the board, the moves as bits, and the level: `0000000810000000 0000001008000000 0000102004080000 10`.
impl fmt::Display for SearchItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mover, opponent) = (self.board.mover(), self.board.opponent());
        write!(
            f,
            "{mover:016x} {opponent:016x} {:016x} {}",
            self.moves, self.level
        )
    }
}

impl FromStr for SearchItem {
    type Err = BookTextError;

    fn from_str(text: &str) -> Result<Self, BookTextError> {
        let words: Vec<_> = text.split_ascii_whitespace().collect();
        let wrong = || BookTextError::Item(text.to_owned());
        let &[mover, opponent, moves, level] = words.as_slice() else {
            return Err(wrong());
        };
        let bits = |text: &str| u64::from_str_radix(text, 16).map_err(|_| wrong());
        let board = Board::new(bits(mover)?, bits(opponent)?).map_err(|_| wrong())?;
        Self::of_moves(board, Squares(bits(moves)?), level.parse()?).ok_or_else(wrong)
    }
}

impl RemoteItem for SearchItem {
    /// The number of the search in a journal, too.
    fn number(&self) -> u64 {
        xxh3_64(self.to_string().as_bytes())
    }

    fn payload(&self) -> Vec<u8> {
        self.to_string().into_bytes()
    }

    fn from_message(_: u64, payload: &[u8]) -> Option<Self> {
        std::str::from_utf8(payload).ok()?.parse().ok()
    }
}

/// The answer of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchAnswer {
    /// Value in discs for the player to move, −64 to 64.
    pub score: i8,
    /// The best move; if the value is exact, followed by the moves of best play as far as the search knows them, without
    /// passes.
    pub line: Vec<Square>,
    /// True if the value is that of perfect play.
    pub is_exact: bool,
}

impl SearchAnswer {
    /// The answer for the position after the best move, where that is exact and the line goes on: so much less is to be
    /// searched. `next` is the board behind the best move; the answer is for the board behind the pass if one is forced there.
    pub(crate) fn of_child(&self, next: Board) -> Option<Self> {
        let child = after_pass(next);
        let is_after_pass = child != next;
        let line = self.line.get(1..).filter(|line| !line.is_empty())?;
        let is_known = self.is_exact && child.legal_moves().contains(line[0]);
        is_known.then(|| Self {
            score: if is_after_pass {
                self.score
            } else {
                -self.score
            },
            line: line.to_vec(),
            is_exact: true,
        })
    }

    /// The answer as it is on another image of the board.
    fn map(mut self, image: impl Fn(Square) -> Square) -> Self {
        self.line
            .iter_mut()
            .for_each(|square| *square = image(*square));
        self
    }

    /// Returns whether this can be the answer of an item: every move is legal in turn, and the first is one of those
    /// asked for.
    pub fn fits(&self, item: &SearchItem) -> bool {
        let mut board = Some(item.board);
        let is_asked = self
            .line
            .first()
            .is_some_and(|best| item.moves & best.bit() != 0);
        let are_legal = self.line.iter().all(|&square| {
            board = board.and_then(|board| after_pass(board).try_play(square).ok());
            board.is_some()
        });
        is_asked && are_legal && self.score.unsigned_abs() <= 64
    }
}

/// Writes `+4 f5`, or with an exact value `=4 f5f6e6`.
impl fmt::Display for SearchAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{} ", if self.is_exact { "=" } else { "" }, self.score)?;
        self.line
            .iter()
            .try_for_each(|square| write!(f, "{square}"))
    }
}

impl FromStr for SearchAnswer {
    type Err = BookTextError;

    fn from_str(text: &str) -> Result<Self, BookTextError> {
        let wrong = || BookTextError::Answer(text.to_owned());
        let (score, moves) = text.trim_end().split_once(' ').ok_or_else(wrong)?;
        let (is_exact, score) = match score.strip_prefix('=') {
            Some(score) => (true, score),
            None => (false, score),
        };
        let line = moves.as_bytes().chunks(2).map(|square| {
            let square = std::str::from_utf8(square).ok()?;
            square.parse().ok()
        });
        Ok(Self {
            score: score.parse().map_err(|_| wrong())?,
            line: line.collect::<Option<_>>().ok_or_else(wrong)?,
            is_exact,
        })
    }
}

/// What a search found. Written and read as a line, `NODES ANSWER`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundAnswer {
    /// The answer.
    pub answer: SearchAnswer,
    /// Boards that were visited.
    pub nodes: u64,
}

impl FoundAnswer {
    /// That of a line, if it is one for the item.
    pub fn parse(line: &str, item: &SearchItem) -> Option<Self> {
        let (nodes, answer) = line.split_once(' ')?;
        let answer: SearchAnswer = answer.parse().ok()?;
        let nodes = nodes.parse().ok()?;
        answer.fits(item).then_some(Self { answer, nodes })
    }
}

impl fmt::Display for FoundAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.nodes, self.answer)
    }
}

/// Searches items, one after the other, on the calling thread.
#[derive(Debug)]
pub struct BookSearcher {
    searcher: Searcher,
}

impl BookSearcher {
    /// A searcher with an evaluation.
    pub fn new(weights: Arc<Weights>) -> Self {
        let settings = SearchSettings {
            hash_bytes: table_bytes(1),
            threads: 1,
        };
        Self {
            searcher: Searcher::new(settings, weights),
        }
    }

    /// The answer; `None` if `control` stopped the search.
    pub fn search(&mut self, item: &SearchItem, control: &Control) -> Option<FoundAnswer> {
        // Every image of a board has the same answer.
        let canonical = item.board.canonical();
        let board = canonical.board;
        let moves = canonical.symmetry.squares(Squares(item.moves));
        self.searcher.set(SearchSettings {
            hash_bytes: table_bytes(item.level.number()),
            threads: 1,
        });
        self.searcher.clear();
        let goal = item.level.play_level().goal(board.empty().len(), 1);
        let is_all = moves == board.legal_moves();
        let moves: Vec<_> = moves.iter().collect();
        let only = (!is_all).then_some(moves.as_slice());
        let limits = Limits::default();
        let result = self
            .searcher
            .search_moves(board, only, goal, limits, control, &mut ());
        let best = result.lines.first().filter(|_| !result.is_interrupted)?;
        let mut line: Vec<_> = best.squares().collect();
        if !best.is_exact {
            line.truncate(1);
        }
        let answer = SearchAnswer {
            score: best.score.clamp(-64, 64) as i8,
            line,
            is_exact: best.is_exact,
        };
        let back = canonical.back();
        let image = |square| match back.apply(Move::Place(square)) {
            Move::Place(square) => square,
            Move::Pass => square,
        };
        Some(FoundAnswer {
            answer: answer.map(image),
            nodes: result.nodes,
        })
    }
}

/// The bytes of the transposition table of a level: enough for its searches, and no more than is quickly emptied.
const fn table_bytes(level: i8) -> usize {
    match level {
        ..=4 => 1 << 16,
        5..=7 => 1 << 19,
        8..=10 => 1 << 22,
        11..=14 => 1 << 24,
        15..=20 => 1 << 26,
        _ => 1 << 27,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(text: &str) -> BookLevel {
        text.parse().unwrap()
    }

    #[test]
    fn levels_are_text() {
        for text in ["1", "21", "edax60"] {
            assert_eq!(level(text).to_string(), text);
        }
        for text in ["0", "61", "edax", "x", ""] {
            assert!(text.parse::<BookLevel>().is_err(), "{text}");
        }
        let leaves = [
            ("60", "20"),
            ("21", "19"),
            ("25", "21"),
            ("1", "1"),
            ("2", "1"),
        ];
        for (text, leaf) in leaves {
            assert_eq!(level(text).for_leaves(), level(leaf), "{text}");
        }
    }

    #[test]
    fn items_and_answers_round_trip() {
        let item = SearchItem::new(Board::START, level("edax10")).unwrap();
        assert_eq!(item.to_string().parse(), Ok(item));
        assert_eq!(SearchItem::from_message(0, &item.payload()), Some(item));
        assert!("1 2 3".parse::<SearchItem>().is_err());
        // An illegal move.
        assert!(
            "0000000810000000 0000001008000000 0000000000000001 10"
                .parse::<SearchItem>()
                .is_err()
        );
        let mut searcher = BookSearcher::new(Arc::new(Weights::built_in()));
        let found = searcher.search(&item, &Control::default()).unwrap();
        let answer = &found.answer;
        assert_eq!(answer.to_string().parse().as_ref(), Ok(answer));
        assert!(answer.fits(&item) && found.nodes > 0 && !answer.is_exact);
        let line = found.to_string();
        assert_eq!(FoundAnswer::parse(&line, &item).as_ref(), Some(&found));
        assert_eq!(searcher.search(&item, &Control::default()), Some(found));
        assert!(
            !SearchAnswer {
                score: 1,
                line: vec![],
                is_exact: false
            }
            .fits(&item)
        );
    }

    #[test]
    fn replies_are_checked() {
        let item = SearchItem::new(Board::START, level("3")).unwrap();
        let best = item.board().legal_moves().iter().next().unwrap();
        let found = FoundAnswer::parse(&format!("77 -3 {best}"), &item).unwrap();
        let FoundAnswer { answer, nodes } = found;
        assert_eq!((answer.score, answer.line, nodes), (-3, vec![best], 77));
        for wrong in [
            "",
            "77",
            "77 3",
            "77 3 a1",
            "x 3 f5",
            "77 99 f5",
            "3 d3",
            "77 3 f5f5",
        ] {
            assert!(FoundAnswer::parse(wrong, &item).is_none(), "{wrong}");
        }
    }

    #[test]
    fn answers_turn_with_the_board_and_lines_are_exact() {
        let text = "X-OOOOO-XXOOOOOOXOOOOOOOXOXOOXOXXXOXOOXXXXX-XXXXX-OXXXXX--XXXO-- X";
        let position: othello_core::Position = text.parse().unwrap();
        let mut searcher = BookSearcher::new(Arc::new(Weights::built_in()));
        let mut scores = Vec::new();
        for symmetry in othello_core::Symmetry::ALL {
            let board = symmetry.board(position.board());
            let item = SearchItem::new(board, level("10")).unwrap();
            let answer = searcher.search(&item, &Control::default()).unwrap().answer;
            assert!(answer.fits(&item) && answer.is_exact);
            scores.push(answer.score);
            // Each position of the line has the value that follows from that of the first.
            let (mut board, mut answer) = (board, answer);
            loop {
                assert_eq!(
                    i32::from(answer.score),
                    othello_search::negamax(board),
                    "{answer}"
                );
                let next = board.play_unchecked(answer.line[0]);
                board = after_pass(next);
                let Some(known) = answer.of_child(next) else {
                    break;
                };
                answer = known;
            }
        }
        assert_eq!(scores, [8; 8]);
    }
}
