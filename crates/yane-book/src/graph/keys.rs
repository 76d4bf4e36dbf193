//! The keys of positions, straight from SFEN text where it is canonical.
//!
//! Linking a book reads every position twice, so this is several times quicker than building a position each time.

use shogi_core::{
    ByColor, Color, Hand, KeyBuilder, Piece, PlayerKey, Position, Setup, SfenError, Square,
};

use crate::db::Fields;

/// The side from which a position is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// As it is written.
    AsWritten,
    /// Flipped (turned by 180 degrees, players exchanged) if white is to move: black is to move then.
    BlackToMove,
    /// Flipped if black is to move.
    WhiteToMove,
}

impl View {
    /// Returns whether a position with `side` to move is flipped.
    pub const fn flips(self, side: Color) -> bool {
        match self {
            Self::AsWritten => false,
            Self::BlackToMove => matches!(side, Color::White),
            Self::WhiteToMove => matches!(side, Color::Black),
        }
    }
}

/// What identifies a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keys {
    /// The whole position: [`Position::key128`].
    pub position: u128,
    /// What the side to move has: [`Position::player_key`].
    pub mover: PlayerKey,
    /// Number of the move to be played.
    pub ply: u32,
}

impl Keys {
    pub(super) fn of(position: &Position) -> Self {
        Self {
            position: position.key128(),
            mover: position.player_key(position.side_to_move()),
            ply: position.ply(),
        }
    }
}

/// The keys of a position.
///
/// # Errors
/// When the text is no position. Counts of pieces and checks are not looked at.
#[inline]
pub(crate) fn sfen_keys(text: &[u8], view: View) -> Result<Keys, SfenError> {
    if let Some(fields) = Fields::split(text) {
        let mut keys = KeyBuilder::default();
        let put = |piece, square| keys.put(piece, square);
        if let Some((hands, ply)) = read_in_view(fields, view, put) {
            keys.set_hands(hands);
            let side = side_in_view(fields, view);
            return Ok(Keys {
                position: keys.position_key(side),
                mover: keys.player_key(side),
                ply,
            });
        }
    }
    Ok(Keys::of(&in_view(parse(text)?, view).0))
}

/// The position in `view`, with its ply, and whether it is flipped there.
///
/// # Errors
/// When the text is no position.
#[inline]
pub(crate) fn sfen_position(text: &[u8], view: View) -> Result<(Position, bool), SfenError> {
    if let Some(fields) = Fields::split(text) {
        let mut setup = Setup {
            side: side_in_view(fields, view),
            ..Setup::default()
        };
        let put = |piece, square: Square| setup.board[square.index()] = Some(piece);
        if let Some((hands, ply)) = read_in_view(fields, view, put) {
            (setup.hands, setup.ply) = (hands, ply);
            return Ok((Position::from_setup(&setup)?, view.flips(fields.side)));
        }
    }
    Ok(in_view(parse(text)?, view))
}

#[cold]
fn parse(text: &[u8]) -> Result<Position, SfenError> {
    Position::from_sfen(&String::from_utf8_lossy(text))
}

/// A position in `view`, and whether it is flipped there.
pub(super) fn in_view(position: Position, view: View) -> (Position, bool) {
    let flips = view.flips(position.side_to_move());
    (if flips { position.flip() } else { position }, flips)
}

const fn side_in_view(fields: Fields<'_>, view: View) -> Color {
    if view.flips(fields.side) {
        fields.side.flip()
    } else {
        fields.side
    }
}

/// Hands in view and ply; the pieces on the board, as the view shows them, go to `put`.
#[inline(always)]
fn read_in_view(
    fields: Fields<'_>,
    view: View,
    mut put: impl FnMut(Piece, Square),
) -> Option<(ByColor<Hand>, u32)> {
    if !view.flips(fields.side) {
        return fields.read(put);
    }
    let (mut hands, ply) = fields.read(|piece, square| put(piece.flip_color(), square.rotate()))?;
    hands.0.swap(0, 1);
    Some((hands, ply))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXTS: [&str; 6] = [
        Position::STARTPOS_SFEN,
        "4k4/9/9/9/9/9/9/9/4K4 b G3Prb2p 77",
        "ln1g5/1r2S1k2/p2pppn2/2ps2p2/1p7/2P6/PPSPPP2P/2G2K1pr/LN4G1b w BL2Plp 60",
        "9/9/9/9/9/9/9/9/9 b - 1",
        "8k/9/9/9/4+R4/9/9/9/K8 w 2B17P 300",
        "8k/9/9/9/4+R4/9/9/9/K8  w 17P2B",
    ];

    #[test]
    fn agrees_with_the_rules_crate() {
        for text in TEXTS {
            let written = Position::from_sfen(text).unwrap();
            for view in [View::AsWritten, View::BlackToMove, View::WhiteToMove] {
                let flips = view.flips(written.side_to_move());
                let expected = if flips {
                    written.flip()
                } else {
                    written.clone()
                };
                let (position, flipped) = sfen_position(text.as_bytes(), view).unwrap();
                assert_eq!((&position, flipped), (&expected, flips));
                let keys = sfen_keys(text.as_bytes(), view).unwrap();
                assert_eq!(keys, Keys::of(&expected));
            }
        }
    }

    #[test]
    fn is_as_strict_as_the_rules_crate() {
        for text in TEXTS {
            for at in 0..text.len() {
                for byte in b"+-/ 0123456789PLNSBRGKplnsbrgkbwx\xff" {
                    let mut changed = text.as_bytes().to_vec();
                    changed[at] = *byte;
                    check(&changed);
                    changed.insert(at, text.as_bytes()[at]);
                    check(&changed);
                }
                check(&text.as_bytes()[..at]);
            }
        }
    }

    fn check(text: &[u8]) {
        let expected = Position::from_sfen(&String::from_utf8_lossy(text));
        let found = sfen_position(text, View::AsWritten).map(|(position, _)| position);
        match (&expected, &found) {
            (Err(_), Err(_)) => {}
            _ => assert_eq!(expected, found, "{}", String::from_utf8_lossy(text)),
        }
        if let Ok(position) = expected {
            let keys = sfen_keys(text, View::AsWritten).unwrap();
            assert_eq!(keys, Keys::of(&position));
        }
    }
}
