//! `openings`, `opening`: names of openings and castles.

use page_messages::PageFailure;
use serde::Serialize;
use serde_json::{Value, json};
use shogi_core::{Color, Game, Move, Position};
use shogi_openings::{OPENINGS, castle, castle_names, opening_of, openings_along};

use crate::fields::BothSides;
use crate::line::LineFields;

/// A name in each language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct NameFields {
    ja: &'static str,
    en: &'static str,
}

/// A ply at which the name changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct PlyFields {
    ply: usize,
    opening: Option<NameFields>,
}

/// The names along a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct OpeningFields {
    plies: Vec<PlyFields>,
    castles: BothSides<Option<NameFields>>,
}

/// The opening of a game, as far as it is known.
pub(crate) fn opening(game: &Game) -> Option<NameFields> {
    let (start, moves) = line_of(game);
    let name = opening_of(&start, moves)?.name;
    Some(NameFields {
        ja: name.ja,
        en: name.en,
    })
}

/// The start and the moves of a game.
fn line_of(game: &Game) -> (Position, Vec<Move>) {
    let moves = game.moves().collect();
    let mut start = game.clone();
    while start.undo().is_some() {}
    (start.position().clone(), moves)
}

/// The castles of a position.
pub(crate) fn castles(position: &Position) -> BothSides<Option<NameFields>> {
    let of = |color| {
        let name = castle(position, color)?;
        Some(NameFields {
            ja: name.ja,
            en: name.en,
        })
    };
    BothSides {
        black: of(Color::Black),
        white: of(Color::White),
    }
}

/// Answers `openings`: all names.
pub(crate) fn openings() -> Value {
    let openings: Vec<_> = OPENINGS
        .iter()
        .map(|one| NameFields {
            ja: one.ja,
            en: one.en,
        })
        .collect();
    let castles: Vec<_> = castle_names()
        .map(|one| NameFields {
            ja: one.ja,
            en: one.en,
        })
        .collect();
    json!({ "openings": openings, "castles": castles })
}

/// Answers `opening`: the names along a line.
pub(crate) fn along(line: &LineFields) -> Result<OpeningFields, PageFailure> {
    let game = line.game()?;
    let (start, moves) = line_of(&game);
    let mut plies: Vec<PlyFields> = Vec::new();
    for (ply, found) in openings_along(&start, moves).into_iter().enumerate() {
        let opening = found.map(|found| NameFields {
            ja: found.name.ja,
            en: found.name.en,
        });
        if plies.last().is_none_or(|last| last.opening != opening) {
            plies.push(PlyFields { ply, opening });
        }
    }
    Ok(OpeningFields {
        plies,
        castles: castles(game.position()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_change_along_a_line() {
        let moves = ["7g7f", "3c3d", "2g2f", "8b4b"].map(ToOwned::to_owned);
        let line = LineFields {
            sfen: None,
            moves: moves.to_vec(),
        };
        let told = along(&line).unwrap();
        assert_eq!((told.plies[0].ply, told.plies[0].opening), (0, None));
        let last = told.plies.last().unwrap();
        assert_eq!(last.opening.unwrap().ja, "四間飛車");
        assert_eq!(opening(&line.game().unwrap()), last.opening);
        let all = openings();
        assert!(all["openings"].as_array().unwrap().len() > 20);
        assert!(all["castles"].as_array().unwrap().len() > 10);
    }
}
