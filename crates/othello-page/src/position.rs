//! `position`: everything that the rules say about a position.

use othello_core::{Board, Game, Move, Position, Side, State};
use othello_record::OpeningNames;
use othello_search::stable_squares;
use page_messages::PageFailure;
use serde::Serialize;

use crate::fields::{BitboardFields, OpeningFields, SideName, move_name, move_names, square_names};
use crate::line::{LineFields, state_name};

/// What the rules say about a position.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct PositionFields {
    board: String,
    side: SideName,
    state: &'static str,
    moves: Vec<String>,
    last: Option<String>,
    flipped: Vec<String>,
    ply: u32,
    empties: u32,
    black: u32,
    white: u32,
    legal: Vec<LegalFields>,
    stable: Vec<String>,
    opening: Option<OpeningFields>,
    key: String,
    bitboards: BitboardFields,
    black_score: Option<i32>,
}

/// A legal move.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct LegalFields {
    #[serde(rename = "move")]
    mv: String,
    flips: Vec<String>,
    opening: Option<OpeningFields>,
}

/// Answers `position`.
pub(crate) fn position(
    line: &LineFields,
    names: &OpeningNames,
) -> Result<PositionFields, PageFailure> {
    Ok(PositionFields::of(&line.game()?, names))
}

impl PositionFields {
    fn of(game: &Game, names: &OpeningNames) -> Self {
        let position = game.position();
        let board = position.board();
        let state = board.state();
        let (last, flipped) = last_disc(game);
        Self {
            board: position.to_string(),
            side: position.side().into(),
            state: state_name(state),
            moves: move_names(game.moves()),
            last,
            flipped,
            ply: board.discs().saturating_sub(4),
            empties: board.empty().len(),
            black: position.black().count_ones(),
            white: position.white().count_ones(),
            legal: legal(position, names),
            stable: square_names(stable_squares(board)),
            opening: OpeningFields::along(names, game),
            key: key(board),
            bitboards: BitboardFields::of(position),
            black_score: (state == State::Over).then(|| match position.side() {
                Side::Black => board.score(),
                Side::White => -board.score(),
            }),
        }
    }
}

/// The last disc that was placed, and the discs that it flipped.
fn last_disc(game: &Game) -> (Option<String>, Vec<String>) {
    let placed: Vec<_> = game.moves().iter().zip(game.positions()).collect();
    let placed = placed.into_iter().rev();
    let mut placed = placed.filter_map(|(&mv, before)| match mv {
        Move::Place(square) => Some((square, before.board().flips(square))),
        Move::Pass => None,
    });
    match placed.next() {
        Some((square, flips)) => (Some(square.to_string()), square_names(flips)),
        None => (None, Vec::new()),
    }
}

fn legal(position: Position, names: &OpeningNames) -> Vec<LegalFields> {
    let board = position.board();
    let moves: Vec<Move> = match board.state() {
        State::Moves => board.legal_moves().iter().map(Move::Place).collect(),
        State::Pass => vec![Move::Pass],
        State::Over => Vec::new(),
    };
    let fields = |mv: Move| {
        let next = Position::new(board.after(mv)?, position.side().other());
        Some(LegalFields {
            mv: move_name(mv),
            flips: match mv {
                Move::Place(square) => square_names(board.flips(square)),
                Move::Pass => Vec::new(),
            },
            opening: names.at(next).map(OpeningFields::of),
        })
    };
    moves.into_iter().filter_map(fields).collect()
}

/// The form under which books keep a board: 64 squares, `X` is the mover.
pub(crate) fn key(board: Board) -> String {
    let canonical = Position::new(board.canonical().board, Side::Black);
    canonical.to_string().chars().take(64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(moves: &str) -> PositionFields {
        let game = moves.parse().unwrap();
        PositionFields::of(&game, OpeningNames::built_in())
    }

    #[test]
    fn a_position_is_told_whole() {
        let tiger = fields("f5d6c3d3c4");
        let json = serde_json::to_value(&tiger).unwrap();
        assert_eq!(json["opening"]["en"], "Tiger");
        assert_eq!(json["side"], "white");
        assert_eq!(
            (tiger.ply, tiger.black, tiger.white, tiger.empties),
            (5, 6, 3, 55)
        );
        assert_eq!(
            (tiger.last.as_deref(), tiger.flipped.len()),
            (Some("c4"), 1)
        );
        assert_eq!(tiger.legal.len(), 6);
        assert!(tiger.legal.iter().any(|legal| legal.opening.is_some()));
        assert_eq!(tiger.black_score, None);
        assert_eq!(json["bitboards"]["mover"], json["bitboards"]["white"]);
        // h8 is bit 0, and so c4 bit 37.
        let black = json["bitboards"]["black"].as_str().unwrap();
        let black = u64::from_str_radix(&black[2..], 16).unwrap();
        assert!(black & 1 << 37 != 0 && black.count_ones() == 6, "{black:x}");
    }

    #[test]
    fn symmetric_boards_have_one_key() {
        assert_eq!(fields("f5d6").key, fields("d3c5").key);
        assert_ne!(fields("f5d6").key, fields("f5f6").key);
    }

    #[test]
    fn the_end_has_a_score_with_the_empty_squares() {
        let over = fields("e6f4e3f6g5d6e7f5c5");
        assert_eq!((over.state, over.black_score), ("over", Some(64)));
        assert!(over.legal.is_empty());
    }

    #[test]
    fn a_forced_pass_is_a_move() {
        let board = "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX-OXXXXXXX- X";
        let game = Game::new(board.parse::<Position>().unwrap().passed());
        let pass = PositionFields::of(&game, OpeningNames::built_in());
        assert_eq!(pass.state, "pass");
        assert_eq!((pass.legal.len(), pass.legal[0].mv.as_str()), (1, "pass"));
    }
}
