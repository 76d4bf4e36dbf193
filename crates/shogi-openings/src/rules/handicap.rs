//! Games with handicaps: named by the pieces that are missing, and by what black does with the large pieces.

use shogi_core::{Bitboard, Square};

use super::view::View;
use crate::names::Opening;

/// The handicap of the pieces that are missing, or an opening of it.
pub(super) fn opening(lacking: Bitboard, black: &View<'_>) -> Opening {
    let handicap = handicap(lacking);
    let us = black.us;
    match handicap {
        Opening::BishopHandicap if us.rook_file == 5 => Opening::BishopHandicapCentral,
        Opening::BishopHandicap if us.rook_file == 7 => Opening::BishopHandicapThird,
        Opening::BishopHandicap if us.silver(7, 7) && us.gold(7, 8) => {
            Opening::BishopHandicapYagura
        }
        Opening::RookHandicap if us.rook_file == 4 => Opening::RookHandicapRightFourth,
        Opening::RookHandicap if us.rook_file == 5 => Opening::RookHandicapCentral,
        Opening::TwoPieces if us.rook_file == 5 && (us.silver(5, 6) || us.silver(6, 6)) => {
            Opening::TwoPiecesSilvers
        }
        Opening::TwoPieces if us.pawn(4, 5) && us.pawn(3, 5) => Opening::TwoPiecesTwoPawns,
        Opening::SixPieces if us.pawn(9, 5) => Opening::SixPiecesEdge,
        other => other,
    }
}

fn handicap(lacking: Bitboard) -> Opening {
    const BISHOP: Square = Square::S2B;
    const ROOK: Square = Square::S8B;
    const LEFT_LANCE: Square = Square::S1A;
    const RIGHT_LANCE: Square = Square::S9A;
    const LEFT_KNIGHT: Square = Square::S2A;
    const RIGHT_KNIGHT: Square = Square::S8A;
    const LEFT_SILVER: Square = Square::S3A;
    const RIGHT_SILVER: Square = Square::S7A;
    const GOLDS: [Square; 2] = [Square::S4A, Square::S6A];
    let large = [BISHOP, ROOK];
    let lances = [BISHOP, ROOK, LEFT_LANCE, RIGHT_LANCE];
    let left_six = [BISHOP, ROOK, LEFT_LANCE, RIGHT_LANCE, LEFT_KNIGHT];
    let right_six = [BISHOP, ROOK, LEFT_LANCE, RIGHT_LANCE, RIGHT_KNIGHT];
    let six = [
        BISHOP,
        ROOK,
        LEFT_LANCE,
        RIGHT_LANCE,
        LEFT_KNIGHT,
        RIGHT_KNIGHT,
    ];
    let with = |more: &[Square]| set(&six) | set(more);
    let named = [
        (set(&[LEFT_LANCE]), Opening::LanceHandicap),
        (set(&[RIGHT_LANCE]), Opening::RightLanceHandicap),
        (set(&[BISHOP]), Opening::BishopHandicap),
        (set(&[ROOK]), Opening::RookHandicap),
        (set(&[ROOK, LEFT_LANCE]), Opening::RookLanceHandicap),
        (set(&large), Opening::TwoPieces),
        (set(&[BISHOP, ROOK, LEFT_LANCE]), Opening::ThreePieces),
        (set(&lances), Opening::FourPieces),
        (set(&right_six), Opening::FivePieces),
        (set(&left_six), Opening::LeftFivePieces),
        (set(&six), Opening::SixPieces),
        (with(&[LEFT_SILVER]), Opening::LeftSevenPieces),
        (with(&[RIGHT_SILVER]), Opening::RightSevenPieces),
        (with(&[LEFT_SILVER, RIGHT_SILVER]), Opening::EightPieces),
        (
            with(&[LEFT_SILVER, RIGHT_SILVER]) | set(&GOLDS),
            Opening::TenPieces,
        ),
    ];
    let found = named.into_iter().find(|(pieces, _)| *pieces == lacking);
    found.map_or(Opening::Handicap, |(_, opening)| opening)
}

fn set(squares: &[Square]) -> Bitboard {
    squares.iter().fold(Bitboard::EMPTY, |set, &square| {
        set | Bitboard::from_square(square)
    })
}
