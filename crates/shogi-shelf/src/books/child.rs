//! What a book says of the position behind a move.

use serde::Serialize;
use shogi_core::{Move, Position};
use yane_book::Result;
use yane_book::edit::{EntryMatching, OverlaidBook};

use crate::fields::{behind, legal};

/// What a book says of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ChildState {
    /// It is there, and so is a position behind it.
    In,
    /// It is there, and none of its moves leads to a position of the book.
    Leaf,
    /// It is not there.
    Missing,
}

impl ChildState {
    /// The state of a position.
    pub(super) fn of(
        book: &OverlaidBook,
        position: &Position,
        finding: EntryMatching,
    ) -> Result<Self> {
        let Some(found) = book.find(position, finding)? else {
            return Ok(Self::Missing);
        };
        for known in found.into_moves() {
            let m = known.mv.and_then(|mv| legal(position, mv));
            if let Some(m) = m
                && book.contains(&behind(position, m), finding)?
            {
                return Ok(Self::In);
            }
        }
        Ok(Self::Leaf)
    }

    /// The state of the position behind a move, if it is legal.
    pub(super) fn behind(
        book: &OverlaidBook,
        position: &Position,
        m: Option<Move>,
        finding: EntryMatching,
    ) -> Result<Self> {
        match m {
            Some(m) => Self::of(book, &behind(position, m), finding),
            None => Ok(Self::Missing),
        }
    }
}
