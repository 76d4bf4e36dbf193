//! SFEN text straight into a key or a set-up board.
//!
//! Only the plain form is read here (single blanks, nothing after the ply); any other text is left to
//! [`Position::from_sfen`], which also says what is wrong with it. Linking a book reads every position
//! twice, so this is several times quicker than building a position each time.

use memchr::memchr;
use shogi_core::{
    ByColor, Color, Hand, HandKind, KeyBuilder, Piece, PlayerKey, Position, Setup, SfenError,
    Square,
};

/// How to look at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// As it is written.
    AsWritten,
    /// Turned by 180 degrees, players exchanged, if white is to move: black is to move then.
    BlackToMove,
    /// Turned if black is to move.
    WhiteToMove,
}

impl View {
    /// Whether a position with `side` to move is turned.
    pub const fn turns(self, side: Color) -> bool {
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
    if let Some(head) = Head::read(text, view) {
        let mut keys = KeyBuilder::default();
        let put = |piece, square| keys.put(piece, square);
        if let Some((hands, ply)) = head.read_rest(put) {
            keys.set_hands(hands);
            let side = head.side_in_view();
            return Ok(Keys {
                position: keys.position_key(side),
                mover: keys.player_key(side),
                ply,
            });
        }
    }
    Ok(Keys::of(&slow_position(text, view)?))
}

/// The position, with its ply, and whether it was turned.
///
/// # Errors
/// When the text is no position.
#[inline]
pub(crate) fn sfen_position(text: &[u8], view: View) -> Result<(Position, bool), SfenError> {
    if let Some(head) = Head::read(text, view) {
        let mut setup = Setup {
            side: head.side_in_view(),
            ..Setup::default()
        };
        let put = |piece, square: Square| setup.board[square.index()] = Some(piece);
        if let Some((hands, ply)) = head.read_rest(put) {
            (setup.hands, setup.ply) = (hands, ply);
            return Ok((Position::from_setup(&setup)?, head.turned));
        }
    }
    let turned = |position: &Position| position.side_to_move();
    let written = slow_position(text, View::AsWritten)?;
    let turn = view.turns(turned(&written));
    Ok((if turn { written.flip() } else { written }, turn))
}

#[cold]
fn slow_position(text: &[u8], view: View) -> Result<Position, SfenError> {
    let position = Position::from_sfen(&String::from_utf8_lossy(text))?;
    Ok(if view.turns(position.side_to_move()) {
        position.flip()
    } else {
        position
    })
}

/// The fields of an SFEN, told apart but not read yet.
struct Head<'a> {
    board: &'a [u8],
    /// Hands and ply.
    rest: &'a [u8],
    side: Color,
    turned: bool,
}

impl<'a> Head<'a> {
    #[inline(always)]
    fn read(text: &'a [u8], view: View) -> Option<Self> {
        let (board, rest) = text.split_at(memchr(b' ', text)?);
        let (side, rest) = match rest {
            [b' ', b'b', b' ', rest @ ..] => (Color::Black, rest),
            [b' ', b'w', b' ', rest @ ..] => (Color::White, rest),
            _ => return None,
        };
        Some(Self {
            board,
            rest,
            side,
            turned: view.turns(side),
        })
    }

    fn side_in_view(&self) -> Color {
        if self.turned {
            self.side.flip()
        } else {
            self.side
        }
    }

    /// Hands in view and ply; the pieces on the board go to `put`.
    #[inline(always)]
    fn read_rest(&self, put: impl FnMut(Piece, Square)) -> Option<(ByColor<Hand>, u32)> {
        if self.turned {
            read_board::<true>(self.board, put)?;
        } else {
            read_board::<false>(self.board, put)?;
        }
        let (hands, ply) = self.rest.split_at(memchr(b' ', self.rest)?);
        let mut hands = read_hands(hands)?;
        if self.turned {
            hands.0.swap(0, 1);
        }
        Some((hands, read_ply(&ply[1..])?))
    }
}

/// Pieces by letter.
static PIECES: [Option<Piece>; 256] = {
    let mut table = [None; 256];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = Piece::from_sfen(byte as u8 as char);
        byte += 1;
    }
    table
};

#[inline(always)]
fn read_board<const TURNED: bool>(board: &[u8], mut put: impl FnMut(Piece, Square)) -> Option<()> {
    // Squares go down a file, files to the left: a rank is written from index 72 + rank in steps
    // of -9.
    let mut rank = 0;
    let mut index = 72;
    let mut bytes = board.iter();
    while let Some(&byte) = bytes.next() {
        let piece = match byte {
            b'1'..=b'9' => {
                index -= 9 * i32::from(byte - b'0');
                continue;
            }
            b'/' => {
                rank += 1;
                if index != rank - 1 - 9 || rank > 8 {
                    return None;
                }
                index = 72 + rank;
                continue;
            }
            b'+' => PIECES[*bytes.next()? as usize]?.promote()?,
            _ => PIECES[byte as usize]?,
        };
        let square = Square::from_index(usize::try_from(index).ok()?)?;
        if TURNED {
            put(piece.flip_color(), square.rotate());
        } else {
            put(piece, square);
        }
        index -= 9;
    }
    (rank == 8 && index == 8 - 9).then_some(())
}

#[inline(always)]
fn read_hands(field: &[u8]) -> Option<ByColor<Hand>> {
    let mut hands = ByColor([Hand::EMPTY; 2]);
    if field == b"-" {
        return Some(hands);
    }
    let mut count = 0;
    for &byte in field {
        if byte.is_ascii_digit() {
            count = count * 10 + (byte - b'0');
            if count == 0 || count > 18 {
                return None;
            }
            continue;
        }
        let piece = PIECES[byte as usize]?;
        let kind = HandKind::from_piece_kind(piece.kind())?;
        let hand = &mut hands[piece.color()];
        if hand.has(kind) {
            return None;
        }
        *hand = hand.with_count(kind, count.max(1))?;
        count = 0;
    }
    (count == 0 && !field.is_empty()).then_some(hands)
}

#[inline(always)]
fn read_ply(field: &[u8]) -> Option<u32> {
    if field.is_empty() || field.len() > 9 {
        return None;
    }
    field.iter().try_fold(0, |ply, &byte| {
        byte.is_ascii_digit()
            .then(|| ply * 10 + u32::from(byte - b'0'))
    })
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
                let turn = view.turns(written.side_to_move());
                let expected = if turn {
                    written.flip()
                } else {
                    written.clone()
                };
                let (position, turned) = sfen_position(text.as_bytes(), view).unwrap();
                assert_eq!((&position, turned), (&expected, turn));
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
