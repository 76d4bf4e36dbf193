//! Openings of a few exact moves, whatever the rooks do.

use shogi_core::{Color, PieceKind};

use super::view::Rule;
use crate::facts::at;
use crate::names::Opening;

pub(super) const RULES: &[Rule] = &[
    (Opening::WrongDiagonalBishop, |view| {
        let exchange = view.facts.exchanged_by(8);
        let drops_early = (1..4).any(|number| view.us.made(number, PieceKind::Bishop, 4, 5));
        exchange.is_some_and(|exchange| exchange.by == view.side)
            && drops_early
            && view.us.dropped_bishop.contains(at(4, 5))
    }),
    (Opening::DemonSlayer, |view| {
        view.us.ranged.is_none()
            && view.us.made(0, PieceKind::Pawn, 7, 6)
            && view.us.made(1, PieceKind::Knight, 7, 7)
    }),
    (Opening::BishopHeadPawn, |view| {
        view.us.ranged.is_none()
            && view.us.made(0, PieceKind::Pawn, 7, 6)
            && view.us.made(1, PieceKind::Pawn, 8, 6)
    }),
    (Opening::PacMan, |view| {
        // White closes its diagonal before it was open: 4四歩 at once.
        view.side == Color::White
            && view.us.made(0, PieceKind::Pawn, 6, 6)
            && view.them.made(0, PieceKind::Pawn, 7, 6)
            && view.us.ranged.is_none()
            && view.ply() <= 12
    }),
    (Opening::NewYonenagaKing, |view| {
        view.side == Color::White && view.us.made(0, PieceKind::King, 4, 8)
    }),
    (Opening::Ureshino, |view| {
        let silver_first = view.us.made(0, PieceKind::Silver, 6, 8);
        silver_first && view.us.ranged.is_none() && !view.us.pawn(7, 6)
    }),
];
