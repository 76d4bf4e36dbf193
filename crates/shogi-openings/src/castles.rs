//! Castles: where the king stands with which pieces around it.

use shogi_core::{ByColor, Color, PieceKind, Position};

use crate::facts::{at, seen_by};

/// The name of a castle, in Japanese and in English.
#[derive(Debug, PartialEq, Eq)]
pub struct CastleName {
    /// The Japanese name.
    pub ja: &'static str,
    /// The English name.
    pub en: &'static str,
}

/// Which rook goes with a castle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rook {
    /// Any.
    Any,
    /// One that stays on its side.
    Static,
    /// One that went over.
    Ranging,
}

/// A castle: its pieces as letters with squares, the king first (`K28 S38 G49 G58`). `*` is a gold or a silver.
struct Shape {
    name: CastleName,
    rook: Rook,
    pieces: &'static [(Wanted, u8, u8)],
}

/// A piece of a castle.
#[derive(Clone, Copy, Debug)]
enum Wanted {
    Is(PieceKind),
    /// A gold or a silver.
    General,
}

const K: Wanted = Wanted::Is(PieceKind::King);
const G: Wanted = Wanted::Is(PieceKind::Gold);
const S: Wanted = Wanted::Is(PieceKind::Silver);
const N: Wanted = Wanted::Is(PieceKind::Knight);
const L: Wanted = Wanted::Is(PieceKind::Lance);
const R: Wanted = Wanted::Is(PieceKind::Rook);
const X: Wanted = Wanted::General;

const fn shape(
    ja: &'static str,
    en: &'static str,
    rook: Rook,
    pieces: &'static [(Wanted, u8, u8)],
) -> Shape {
    Shape {
        name: CastleName { ja, en },
        rook,
        pieces,
    }
}

use Rook::{Any, Ranging, Static};

/// The castles, exact ones before those that they grow from.
#[rustfmt::skip]
static SHAPES: &[Shape] = &[
    // On the right, of ranging rooks.
    shape("ダイヤモンド美濃", "Diamond Mino", Any, &[(K, 2, 8), (S, 3, 8), (S, 4, 7), (G, 4, 9), (G, 5, 8)]),
    shape("四枚美濃", "Four-Piece Mino", Any, &[(K, 2, 8), (S, 3, 8), (G, 4, 8), (G, 4, 7), (S, 5, 7)]),
    shape("高美濃囲い", "High Mino", Any, &[(K, 2, 8), (S, 3, 8), (G, 4, 9), (G, 4, 7)]),
    shape("美濃囲い", "Mino", Any, &[(K, 2, 8), (S, 3, 8), (G, 4, 9), (G, 5, 8)]),
    shape("木村美濃", "Kimura Mino", Any, &[(K, 2, 8), (S, 4, 7), (G, 3, 8)]),
    shape("銀冠", "Silver Crown", Any, &[(K, 2, 8), (S, 2, 7), (G, 3, 8)]),
    shape("右矢倉", "Right Yagura", Any, &[(K, 2, 8), (S, 3, 7), (G, 3, 8), (G, 4, 7)]),
    shape("片美濃囲い", "Half Mino", Any, &[(K, 2, 8), (S, 3, 8), (G, 4, 9)]),
    shape("振り飛車穴熊", "Ranging Rook Anaguma", Any, &[(K, 1, 9), (L, 1, 8), (S, 2, 8)]),
    shape("振り飛車穴熊", "Ranging Rook Anaguma", Any, &[(K, 1, 9), (L, 1, 8)]),
    shape("金無双", "Two-Gold Fortress", Ranging, &[(K, 3, 8), (G, 4, 8), (G, 5, 8), (S, 2, 8)]),
    shape("右玉", "Right King", Static, &[(K, 3, 8), (S, 4, 7), (N, 3, 7)]),
    shape("右玉", "Right King", Static, &[(K, 4, 8), (S, 4, 7), (N, 3, 7), (R, 2, 9)]),
    // On the left, of static rooks: anaguma.
    shape("松尾流穴熊", "Matsuo Anaguma", Any, &[(K, 9, 9), (L, 9, 8), (S, 8, 8), (S, 7, 9)]),
    shape("ビッグ４", "Big Four", Any, &[(K, 9, 9), (X, 8, 8), (X, 7, 8), (X, 8, 7), (X, 7, 7)]),
    shape("銀冠穴熊", "Silver Crown Anaguma", Any, &[(K, 9, 9), (S, 8, 7), (G, 7, 8)]),
    shape("居飛車穴熊", "Static Rook Anaguma", Any, &[(K, 9, 9), (L, 9, 8), (S, 8, 8)]),
    shape("居飛車穴熊", "Static Rook Anaguma", Any, &[(K, 9, 9), (L, 9, 8)]),
    shape("串カツ囲い", "Kushikatsu", Any, &[(K, 9, 8), (S, 8, 8), (G, 7, 8)]),
    // The Yagura family.
    shape("総矢倉", "Complete Yagura", Any, &[(K, 8, 8), (G, 7, 8), (S, 7, 7), (G, 6, 7), (S, 5, 7)]),
    shape("菱矢倉", "Diamond Yagura", Any, &[(K, 8, 8), (G, 7, 8), (S, 7, 7), (G, 6, 7), (S, 6, 6)]),
    shape("金矢倉", "Gold Yagura", Any, &[(K, 8, 8), (G, 7, 8), (S, 7, 7), (G, 6, 7)]),
    shape("銀矢倉", "Silver Yagura", Any, &[(K, 8, 8), (G, 7, 8), (S, 7, 7), (S, 6, 7)]),
    shape("菊水矢倉", "Kikusui Yagura", Any, &[(K, 8, 9), (G, 7, 8), (S, 8, 8), (N, 7, 7)]),
    shape("片矢倉", "Half Yagura", Any, &[(K, 7, 8), (G, 6, 8), (S, 7, 7), (G, 6, 7)]),
    shape("早囲い", "Quick Yagura", Any, &[(K, 7, 8), (S, 7, 7), (G, 6, 8)]),
    shape("早囲い", "Quick Yagura", Any, &[(K, 7, 8), (S, 7, 7), (G, 5, 8), (G, 6, 9)]),
    shape("矢倉囲い", "Yagura", Any, &[(K, 8, 8), (G, 7, 8), (S, 7, 7)]),
    shape("矢倉囲い", "Yagura", Any, &[(K, 7, 9), (G, 7, 8), (S, 7, 7), (G, 6, 7)]),
    shape("ミレニアム", "Millennium", Static, &[(K, 8, 9), (N, 7, 7), (S, 8, 8)]),
    shape("雁木囲い", "Gangi", Any, &[(G, 7, 8), (G, 5, 8), (S, 6, 7), (S, 5, 7)]),
    shape("雁木囲い", "Gangi", Any, &[(G, 7, 8), (G, 5, 8), (S, 6, 7), (S, 4, 7)]),
    shape("雁木囲い", "Gangi", Static, &[(K, 6, 9), (G, 7, 8), (S, 6, 7)]),
    // The Mino family on the left.
    shape("天守閣美濃", "Castle-Keep Mino", Any, &[(K, 8, 7), (S, 7, 8), (G, 6, 9)]),
    shape("銀冠", "Silver Crown", Any, &[(K, 8, 8), (S, 8, 7), (G, 7, 8)]),
    shape("左高美濃", "Left High Mino", Any, &[(K, 8, 8), (S, 7, 8), (G, 6, 9), (G, 6, 7)]),
    shape("左美濃", "Left Mino", Any, &[(K, 8, 8), (S, 7, 8), (G, 6, 9)]),
    // Quick castles.
    shape("エルモ囲い", "Elmo", Any, &[(K, 7, 8), (S, 6, 8), (G, 7, 9)]),
    shape("箱入り娘", "Girl in a Box", Static, &[(K, 7, 8), (G, 6, 8), (G, 6, 9), (S, 7, 9)]),
    shape("船囲い", "Boat", Static, &[(K, 7, 8), (G, 6, 9), (G, 5, 8)]),
    shape("船囲い", "Boat", Static, &[(K, 7, 8), (G, 6, 9), (S, 7, 9)]),
    shape("カニ囲い", "Crab", Any, &[(K, 6, 9), (G, 7, 8), (G, 5, 8), (S, 6, 8)]),
    shape("中住まい", "Central House", Any, &[(K, 5, 8), (G, 7, 8), (G, 3, 8)]),
    shape("中住まい", "Central House", Any, &[(K, 5, 8), (G, 7, 8), (S, 3, 8)]),
    shape("中原囲い", "Nakahara", Static, &[(K, 6, 9), (G, 5, 9), (G, 7, 8)]),
    shape("アヒル囲い", "Duck", Any, &[(K, 5, 8), (G, 7, 9), (G, 3, 9), (S, 6, 8), (S, 4, 8)]),
    shape("無敵囲い", "Invincible", Any, &[(K, 5, 9), (R, 5, 8), (S, 6, 8), (S, 4, 8)]),
];

/// All castles, each once.
pub fn castle_names() -> impl Iterator<Item = &'static CastleName> {
    let is_first = |&(index, shape): &(usize, &Shape)| {
        SHAPES[..index].iter().all(|other| other.name != shape.name)
    };
    SHAPES
        .iter()
        .enumerate()
        .filter(is_first)
        .map(|(_, shape)| &shape.name)
}

/// The castle of a player on a board.
///
/// ```
/// use shogi_core::{Color, Position};
/// let position = Position::from_sfen("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B1R1GSK1/LNSG1G1NL b - 1");
/// # let position = Position::from_sfen("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B2G1SK1/LNS2G1NL b - 1").or(position);
/// assert_eq!(shogi_openings::castle(&position.unwrap(), Color::Black).unwrap().ja, "美濃囲い");
/// ```
pub fn castle(position: &Position, color: Color) -> Option<&'static CastleName> {
    let king = seen_by(color, position.king(color)?);
    let rooks = position.pieces(color, PieceKind::Rook);
    let is_over = rooks
        .into_iter()
        .any(|square| seen_by(color, square).file().index() >= 4);
    let found = SHAPES.iter().find(|shape| {
        let rook_fits = match shape.rook {
            Any => true,
            Static => !is_over,
            Ranging => is_over,
        };
        rook_fits
            && shape.pieces.iter().all(|&(wanted, file, rank)| {
                let square = at(file, rank);
                if matches!(wanted, Wanted::Is(PieceKind::King)) {
                    return square == king;
                }
                let piece = position.piece_on(seen_by(color, square));
                piece.is_some_and(|piece| piece.color() == color && wanted.is(piece.kind()))
            })
    });
    found.map(|shape| &shape.name)
}

impl Wanted {
    fn is(self, kind: PieceKind) -> bool {
        match self {
            Self::Is(wanted) => wanted == kind,
            Self::General => matches!(kind, PieceKind::Gold | PieceKind::Silver),
        }
    }
}

/// A castle that a player had in a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundCastle {
    /// Its name.
    pub name: &'static CastleName,
    /// The number of moves after which it stood.
    pub ply: usize,
}

/// The castles of both players in a game, in their order.
pub type Castles = ByColor<Vec<FoundCastle>>;
