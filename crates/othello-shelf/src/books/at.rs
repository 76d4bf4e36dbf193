//! `book.at`: what books say of positions.

use othello_book::ops::{Accuracies, Umigame, UmigameRule, book_steps_and_leaf};
use othello_book::store::{GameCounts, PositionData, PositionLookup};
use othello_core::{Board, Position, State};
use page_messages::{PageFailure, StopFlag};
use serde::{Deserialize, Serialize};

use super::file::BookView;
use crate::fields::{GameFields, position_of};

/// Boards of a request at most.
const MOST_BOARDS: usize = 200;

/// The fields of the request.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct AtRequest {
    boards: Vec<String>,
    /// The books that are asked; all if there are none.
    #[serde(default)]
    pub(super) books: Option<Vec<String>>,
    /// Whether values are graded, which looks at all lines behind them.
    #[serde(default)]
    accuracy: bool,
    /// The ply from which on Umigame's numbers do not ask the book; without it there are none.
    #[serde(default)]
    umigame: Option<u32>,
}

/// What the books say of one position.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct PositionFields {
    board: String,
    books: Vec<EntryFields>,
}

/// What one book says of a position, for its side to move.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct EntryFields {
    book: String,
    value: Option<i8>,
    level: Option<i8>,
    lines: u32,
    accuracy: Option<String>,
    games: Option<GameFields>,
    leaf: Option<LeafFields>,
    moves: Vec<MoveFields>,
    #[serde(skip_serializing_if = "Option::is_none")]
    umigame: Option<UmigameFields>,
}

/// The best move that leads out of a book.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct LeafFields {
    #[serde(rename = "move")]
    mv: String,
    v: i32,
}

/// A move that a book knows, for who makes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct MoveFields {
    #[serde(rename = "move")]
    mv: String,
    v: i32,
    /// Discs less than the best move of the book.
    loss: i32,
    level: Option<i8>,
    leaf: bool,
    accuracy: Option<String>,
    lines: u32,
    games: Option<GameFields>,
}

/// Lines that each player has to know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct UmigameFields {
    black: String,
    white: String,
}

/// Answers `book.at` by some books.
pub(super) fn at(
    request: &AtRequest,
    books: &[(String, std::sync::Arc<BookView>)],
    stop: &StopFlag,
) -> Result<Vec<PositionFields>, PageFailure> {
    if request.boards.len() > MOST_BOARDS {
        let text = format!("boards: at most {MOST_BOARDS} were expected");
        return Err(PageFailure::new(text));
    }
    let boards = request.boards.iter().map(|board| position_of(board));
    let positions = boards.collect::<Result<Vec<_>, _>>()?;
    let mut answers: Vec<_> = request
        .boards
        .iter()
        .map(|board| PositionFields::of(board))
        .collect();
    let stop = stop.shared();
    for (name, view) in books {
        let mut teller = Teller {
            view,
            grades: request.accuracy.then(|| Accuracies::of_few(&**view, &stop)),
            umigame: request.umigame.map(|depth| {
                let rule = UmigameRule {
                    depth,
                    ..UmigameRule::default()
                };
                Umigame::new(&**view, rule).stopped_by(&stop)
            }),
        };
        for (answer, position) in answers.iter_mut().zip(&positions) {
            answer.books.extend(teller.entry(name, *position));
        }
    }
    Ok(answers)
}

impl PositionFields {
    fn of(board: &str) -> Self {
        Self {
            board: board.to_owned(),
            books: Vec::new(),
        }
    }
}

/// Asks one book.
struct Teller<'a> {
    view: &'a BookView,
    grades: Option<Accuracies<'a, BookView>>,
    umigame: Option<Umigame<'a, BookView>>,
}

impl Teller<'_> {
    /// `None` if the book knows neither the position nor any that follows it.
    fn entry(&mut self, book: &str, position: Position) -> Option<EntryFields> {
        let board = position.board();
        let (known, passes) = behind(self.view, board);
        let moves = match board.state() {
            State::Moves => self.moves(position),
            State::Pass => self.pass(board).into_iter().collect(),
            State::Over => Vec::new(),
        };
        if known.is_none() && moves.is_empty() {
            return None;
        }
        let value = known.filter(PositionData::has_value);
        let leaf = moves.iter().find(|mv| mv.leaf).map(|leaf| LeafFields {
            mv: leaf.mv.clone(),
            v: leaf.v,
        });
        let numbers = self.umigame.as_mut().filter(|_| known.is_some());
        let numbers = numbers.map(|umigame| umigame.of(position));
        Some(EntryFields {
            book: book.to_owned(),
            value: value.map(|known| if passes { -known.value } else { known.value }),
            level: known.map(|known| known.level),
            lines: known.map_or(0, |known| known.lines),
            accuracy: self.grade(board),
            games: known.and_then(|known| GameFields::of(games(&known, passes))),
            leaf,
            moves,
            umigame: numbers.map(|numbers| UmigameFields {
                black: numbers.black.to_string(),
                white: numbers.white.to_string(),
            }),
        })
    }

    fn grade(&mut self, board: Board) -> Option<String> {
        let grade = self.grades.as_mut()?.of(board)?;
        Some(grade.to_string())
    }

    /// The moves that the book knows, best first.
    fn moves(&mut self, position: Position) -> Vec<MoveFields> {
        let steps = book_steps_and_leaf(self.view, position);
        let best = steps.first().map_or(0, |step| step.value);
        let own = self.view.look_up(position.board());
        let fields = |step: &othello_book::ops::BookStep| {
            let board = step.position.board();
            let (known, passes) = behind(self.view, board);
            let known = known.filter(|_| !step.is_leaf);
            // For who moved: it is the other one's turn, unless that one has to pass.
            let is_other = step.position.side() != position.side();
            let leaf_level = own.filter(|_| step.is_leaf).map(|own| own.leaf.level);
            MoveFields {
                mv: step.square.to_string(),
                v: step.value,
                loss: best - step.value,
                level: leaf_level.or(known.map(|known| known.level)),
                leaf: step.is_leaf,
                accuracy: if step.is_leaf {
                    None
                } else {
                    self.grade(board)
                },
                lines: known.map_or(0, |known| known.lines),
                games: known.and_then(|known| GameFields::of(games(&known, is_other != passes))),
            }
        };
        steps.iter().map(fields).collect()
    }

    /// The forced pass, if the book knows what is behind it.
    fn pass(&mut self, board: Board) -> Option<MoveFields> {
        let known = self.view.look_up(board.passed())?;
        let v = known.has_value().then_some(-i32::from(known.value))?;
        Some(MoveFields {
            mv: "pass".to_owned(),
            v,
            loss: 0,
            level: Some(known.level),
            leaf: false,
            accuracy: self.grade(board.passed()),
            lines: known.lines,
            games: GameFields::of(known.games.for_opponent()),
        })
    }
}

/// What a book knows of a board, or of the same discs with the other player to move: before a forced pass, and when the game is
/// over; and whether it is that of the other one.
fn behind(book: &impl PositionLookup, board: Board) -> (Option<PositionData>, bool) {
    let own = book.look_up(board);
    if own.is_some() || board.state() == State::Moves {
        return (own, false);
    }
    (book.look_up(board.passed()), true)
}

/// Games for the player to move, or for the other one.
const fn games(known: &PositionData, is_other: bool) -> GameCounts {
    if is_other {
        known.games.for_opponent()
    } else {
        known.games
    }
}
