//! One rook goes over to its king's side, or both do.

use shogi_core::{Color, PieceKind};

use super::view::{Rule, View};
use crate::names::Opening;

/// Asked from the side whose rook went over.
pub(super) const ONE: &[Rule] = &[
    (Opening::YaguraCentral, |view| {
        on(view, 5)
            && view.us.pushed_rook_pawn_first
            && view.them.silver(7, 7)
            && view.them.gold(7, 8)
    }),
    (Opening::Decoy, |view| {
        view.us.pushed_rook_pawn_first && view.us.ranged.is_some_and(|ply| ply > 6)
    }),
    (Opening::JumpingKnight, |view| {
        view.them.has(PieceKind::Knight, 4, 5) && view.them.moves <= 16
    }),
    // The eighth file.
    (Opening::Sakata, |view| on(view, 8) && view.us.gold(7, 7)),
    (Opening::DirectOpposite, |view| {
        on(view, 8) && view.has_exchange() && view.us.ranged_at_once && is_first_file(view, 8)
    }),
    (Opening::ExchangeOpposite, |view| {
        on(view, 8) && view.has_exchange()
    }),
    (Opening::OppositeRook, |view| on(view, 8)),
    // The seventh file.
    (Opening::MasudaIshida, |view| {
        on(view, 7) && view.us.pawn(7, 5) && view.has_exchange()
    }),
    (Opening::FullIshida, |view| {
        on(view, 7)
            && view.us.pawn(7, 5)
            && view.us.has(PieceKind::Rook, 7, 6)
            && view.us.has(PieceKind::Knight, 7, 7)
    }),
    (Opening::QuickIshida, |view| {
        on(view, 7) && view.us.made(1, PieceKind::Pawn, 7, 5) && view.us.has_open_diagonal()
    }),
    (Opening::Ishida, |view| on(view, 7) && view.us.pawn(7, 5)),
    (Opening::Tomahawk, |view| {
        on(view, 7) && view.us.has(PieceKind::Knight, 1, 7)
    }),
    (Opening::ThirdFileAnaguma, |view| {
        on(view, 7) && view.us.king(1, 9)
    }),
    (Opening::ThirdFileExchange, |view| {
        on(view, 7) && view.has_exchange()
    }),
    (Opening::ThirdFile, |view| on(view, 7)),
    // The sixth file.
    (Opening::Tateishi, |view| {
        on(view, 6) && view.us.pawn(6, 5) && view.us.has(PieceKind::Rook, 7, 6)
    }),
    (Opening::LegSpe, |view| {
        on(view, 6) && view.has_exchange() && view.us.king(1, 9)
    }),
    (Opening::FourthFileExchange, |view| {
        on(view, 6) && view.has_exchange()
    }),
    (Opening::Fujii, |view| {
        let prepares =
            view.us.silver(3, 8) && (view.us.pawn(1, 5) || view.us.has(PieceKind::Knight, 3, 7));
        on(view, 6) && prepares && view.us.is_king_at_home() && view.us.moves >= 9
    }),
    (Opening::FourthFileAnaguma, |view| {
        on(view, 6) && view.us.king(1, 9)
    }),
    (Opening::FourthVsRight, |view| {
        on(view, 6) && view.them.rook_file == 4
    }),
    (Opening::FourthVsAnaguma, |view| {
        on(view, 6) && view.them.king(9, 9)
    }),
    (Opening::FourthVsClimbing, |view| {
        on(view, 6) && (view.them.silver(2, 6) || view.them.silver(2, 7))
    }),
    (Opening::FourthVsLeftMino, |view| {
        on(view, 6) && view.them.silver(7, 8) && (view.them.king(8, 8) || view.them.king(8, 7))
    }),
    (Opening::FourthVsDiagonal, |view| {
        on(view, 6) && view.them.silver(4, 6)
    }),
    (Opening::FourthVsPawn45, |view| {
        on(view, 6) && view.them.pawn(4, 5) && view.them.silver(5, 7)
    }),
    (Opening::FourthFile, |view| on(view, 6)),
    // The fifth file.
    (Opening::Windmill, |view| {
        has_horns(view) && view.us.has(PieceKind::Rook, 5, 9)
    }),
    (Opening::HornSilvers, has_horns),
    (Opening::EdgeBishopCentral, |view| {
        on(view, 5) && view.us.has(PieceKind::Bishop, 9, 7)
    }),
    (Opening::Primitive, |view| {
        on(view, 5) && view.us.silver(5, 7) && view.us.pawn(5, 5) && !view.us.pawn(7, 6)
    }),
    (Opening::CentralAnaguma, |view| {
        on(view, 5) && view.us.king(1, 9)
    }),
    (Opening::GokigenVaccine, |view| {
        let by_them = view
            .facts
            .exchanged_by(16)
            .is_some_and(|exchange| exchange.by != view.side);
        is_open_central(view) && view.side == Color::White && by_them
    }),
    (Opening::GokigenSuperRapid, |view| {
        is_open_central(view)
            && view.side == Color::White
            && view.them.silver(3, 7)
            && (view.them.silver(4, 6) || view.them.moves <= 10)
    }),
    (Opening::GokigenGold58, |view| {
        is_open_central(view)
            && view.side == Color::White
            && view.them.gold(5, 8)
            && view.them.is_king_at_home()
    }),
    (Opening::Gokigen, |view| {
        is_open_central(view) && view.side == Color::White
    }),
    (Opening::BlackCentral, is_open_central),
    (Opening::Central, |view| on(view, 5)),
    (Opening::RangingRook, |_| true),
];

/// Asked from both sides.
pub(super) const BOTH: &[Rule] = &[
    (Opening::DoubleCentral, |view| {
        on(view, 5) && view.them.ranging_file == 5
    }),
    (Opening::DoubleFourth, |view| {
        on(view, 6) && view.them.ranging_file == 6
    }),
    (Opening::DoubleThird, |view| {
        on(view, 7) && view.them.ranging_file == 7
    }),
    (Opening::DoubleOpposite, |view| {
        on(view, 8) && view.them.ranging_file == 8
    }),
    (Opening::DoubleRanging, |_| true),
];

/// Returns whether the rook went over to this file.
const fn on(view: &View<'_>, file: u8) -> bool {
    view.us.ranging_file == file
}

/// Returns whether the rook has been on no other file of its king's side.
fn is_first_file(view: &View<'_>, file: u8) -> bool {
    (5..=8)
        .filter(|&other| other != file)
        .all(|other| !view.us.has(PieceKind::Rook, other, 8))
}

fn has_horns(view: &View<'_>) -> bool {
    on(view, 5) && view.us.silver(6, 7) && view.us.silver(4, 7)
}

fn is_open_central(view: &View<'_>) -> bool {
    on(view, 5) && view.us.has_open_diagonal() && (view.us.pawn(5, 6) || view.us.pawn(5, 5))
}
