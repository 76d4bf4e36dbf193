//! Start positions: handicaps by name, and boards as text (BOD).

use std::fmt::Write as _;

use shogi_core::{ByColor, Color, Hand, HandKind, Piece, PieceKind, Position, Setup, Square};

use crate::error::StartProblem;
use crate::words::{digit, is_blank, kanji_number, square, take_kind, to_kanji_number};

/// The even game and the handicaps that have names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum Handicap {
    Even,
    Lance,
    RightLance,
    Bishop,
    Rook,
    RookLance,
    TwoPieces,
    ThreePieces,
    FourPieces,
    FivePieces,
    LeftFivePieces,
    SixPieces,
    LeftSevenPieces,
    RightSevenPieces,
    EightPieces,
    TenPieces,
}

/// A handicap's names: in KIF, in JKF, and its first rank and second rank of white's pieces in SFEN.
struct Names(
    Handicap,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
);

const NAMES: [Names; 16] = [
    Names(Handicap::Even, "平手", "HIRATE", "lnsgkgsnl", "1r5b1"),
    Names(Handicap::Lance, "香落ち", "KY", "lnsgkgsn1", "1r5b1"),
    Names(
        Handicap::RightLance,
        "右香落ち",
        "KY_R",
        "1nsgkgsnl",
        "1r5b1",
    ),
    Names(Handicap::Bishop, "角落ち", "KA", "lnsgkgsnl", "1r7"),
    Names(Handicap::Rook, "飛車落ち", "HI", "lnsgkgsnl", "7b1"),
    Names(Handicap::RookLance, "飛香落ち", "HIKY", "lnsgkgsn1", "7b1"),
    Names(Handicap::TwoPieces, "二枚落ち", "2", "lnsgkgsnl", "9"),
    Names(Handicap::ThreePieces, "三枚落ち", "3", "lnsgkgsn1", "9"),
    Names(Handicap::FourPieces, "四枚落ち", "4", "1nsgkgsn1", "9"),
    Names(Handicap::FivePieces, "五枚落ち", "5", "2sgkgsn1", "9"),
    Names(
        Handicap::LeftFivePieces,
        "左五枚落ち",
        "5_L",
        "1nsgkgs2",
        "9",
    ),
    Names(Handicap::SixPieces, "六枚落ち", "6", "2sgkgs2", "9"),
    Names(
        Handicap::LeftSevenPieces,
        "左七枚落ち",
        "7_L",
        "2sgkg3",
        "9",
    ),
    Names(
        Handicap::RightSevenPieces,
        "右七枚落ち",
        "7_R",
        "3gkgs2",
        "9",
    ),
    Names(Handicap::EightPieces, "八枚落ち", "8", "3gkg3", "9"),
    Names(Handicap::TenPieces, "十枚落ち", "10", "4k4", "9"),
];

impl Handicap {
    /// All of them.
    pub const ALL: [Self; 16] = [
        Self::Even,
        Self::Lance,
        Self::RightLance,
        Self::Bishop,
        Self::Rook,
        Self::RookLance,
        Self::TwoPieces,
        Self::ThreePieces,
        Self::FourPieces,
        Self::FivePieces,
        Self::LeftFivePieces,
        Self::SixPieces,
        Self::LeftSevenPieces,
        Self::RightSevenPieces,
        Self::EightPieces,
        Self::TenPieces,
    ];

    const fn names(self) -> &'static Names {
        &NAMES[self as usize]
    }

    /// The name in KIF files: `二枚落ち`.
    pub const fn kif(self) -> &'static str {
        self.names().1
    }

    /// The name in JKF: `2`.
    pub const fn jkf(self) -> &'static str {
        self.names().2
    }

    /// The handicap with this name in KIF files.
    pub fn from_kif(name: &str) -> Option<Self> {
        // Numbers in any digits, with or without okurigana, in brackets or not.
        let bare: String = name
            .chars()
            .filter(|&c| !is_blank(c) && !matches!(c, '（' | '）' | '(' | ')' | '「' | '」' | '戦'))
            .collect();
        let split = bare.find(|c| !matches!(c, '0'..='9' | '０'..='９'));
        let (number, rest) = bare.split_at(split.unwrap_or(bare.len()));
        let number = kanji_number(number).filter(|&number| number > 0 && number < 100);
        let name = match number {
            Some(number) => format!("{}{rest}", to_kanji_number(number)),
            None => bare.clone(),
        };
        let name = name
            .trim_end_matches(['し', 'ち', 'と'])
            .trim_end_matches('落');
        let usual = |names: &&Names| names.1.trim_end_matches("落ち") == name;
        let other = match name {
            "" | "平" | "互先" | "先手" | "なし" | "ハンデなし" => Some(Self::Even),
            "香車" | "左香" | "左香車" => Some(Self::Lance),
            "右香車" => Some(Self::RightLance),
            "角行" => Some(Self::Bishop),
            "飛" => Some(Self::Rook),
            "飛車香" | "飛香車" | "飛車香車" => Some(Self::RookLance),
            "飛角" | "飛車角" | "飛車角行" | "両" => Some(Self::TwoPieces),
            "右五枚" => Some(Self::FivePieces),
            _ => None,
        };
        NAMES.iter().find(usual).map(|names| names.0).or(other)
    }

    /// Returns whether readers that know the older names only need its board.
    pub(crate) const fn is_newer(self) -> bool {
        matches!(
            self,
            Self::ThreePieces
                | Self::FivePieces
                | Self::LeftFivePieces
                | Self::LeftSevenPieces
                | Self::RightSevenPieces
        )
    }

    /// The handicap with this name in JKF.
    pub fn from_jkf(name: &str) -> Option<Self> {
        NAMES
            .iter()
            .find(|names| names.2 == name)
            .map(|names| names.0)
    }

    /// The start position: black to move in the even game, else white.
    ///
    /// # Panics
    /// Never: the tests read all.
    pub fn position(self) -> Position {
        let Names(_, _, _, first, second) = self.names();
        let side = if self == Self::Even { 'b' } else { 'w' };
        let sfen = format!("{first}/{second}/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL {side} - 1");
        Position::from_sfen(&sfen).expect("a handicap is a position")
    }

    /// The handicap whose start `position` is, with move number 1.
    pub fn of(position: &Position) -> Option<Self> {
        if position.ply() != 1 {
            return None;
        }
        Self::ALL
            .into_iter()
            .find(|handicap| handicap.position() == *position)
    }
}

/// A board being read line by line, as BOD files and the headers of KIF files have it.
#[derive(Clone, Debug)]
pub(crate) struct BoardLines {
    rank: usize,
    board: [Option<Piece>; 81],
    hands: ByColor<Hand>,
    pub(crate) side: Option<Color>,
    /// Number of moves made.
    pub(crate) moves: Option<u32>,
}

impl Default for BoardLines {
    fn default() -> Self {
        Self {
            rank: 0,
            board: [None; 81],
            hands: ByColor::default(),
            side: None,
            moves: None,
        }
    }
}

impl BoardLines {
    /// Returns whether a rank was read.
    pub(crate) const fn has_ranks(&self) -> bool {
        self.rank > 0
    }

    /// Reads the line of a rank: `|v香v桂 ・ … |一`.
    pub(crate) fn read_rank(&mut self, line: &str) -> Result<(), StartProblem> {
        if self.rank == 9 {
            return Err(StartProblem::Ranks(10));
        }
        self.rank += 1;
        let mut rest = line
            .trim_start_matches(is_blank)
            .trim_start_matches(['|', '｜']);
        let width = rank_width(rest);
        for file in (1..=9).rev() {
            match take_square(&mut rest) {
                Some(piece) => {
                    let square = square(file, self.rank).expect("files and ranks go from 1 to 9");
                    self.board[square.index()] = piece;
                }
                None if width == Some(9) || width.is_none() => {
                    let found: String = rest.chars().take(3).collect();
                    return Err(StartProblem::Square {
                        rank: self.rank,
                        file,
                        found,
                    });
                }
                None => return Err(self.other_rank(width.unwrap_or(0))),
            }
        }
        let behind = rest.trim_start_matches(is_blank);
        if !behind.is_empty()
            && !behind.starts_with(['|', '｜'])
            && take_square(&mut rest).is_some()
        {
            return Err(self.other_rank(width.unwrap_or(10).max(10)));
        }
        Ok(())
    }

    /// The error of a rank that was just begun and has so many squares.
    const fn other_rank(&self, squares: usize) -> StartProblem {
        StartProblem::OtherRank {
            rank: self.rank,
            squares,
        }
    }

    /// Reads a hand: `飛　角二　歩十八`, `なし`.
    pub(crate) fn read_hand(&mut self, color: Color, text: &str) -> Result<(), StartProblem> {
        let text = text.trim_matches(is_blank);
        if text.is_empty() || text == "なし" {
            return Ok(());
        }
        let mut rest = text;
        while !rest.is_empty() {
            let here: String = rest.chars().take(4).collect();
            let bad = || StartProblem::Expected {
                expected: "pieces in hand such as 歩十八",
                found: here.clone(),
            };
            let kind = take_kind(&mut rest).ok_or_else(bad)?;
            let kind = HandKind::from_piece_kind(kind).ok_or_else(bad)?;
            let other = |c: char| c != '十' && c != '0' && c != '０' && digit(c).is_none();
            let (number, next) = rest.split_at(rest.find(other).unwrap_or(rest.len()));
            let count = if number.is_empty() {
                1
            } else {
                kanji_number(number).ok_or_else(bad)?
            };
            rest = next.trim_start_matches(is_blank);
            let sum = self.hands[color].count(kind).saturating_add(count);
            self.hands[color] = self.hands[color].with_count(kind, sum).ok_or_else(bad)?;
        }
        Ok(())
    }

    /// The position.
    pub(crate) fn position(&self, side: Color) -> Result<Position, StartProblem> {
        if self.rank != 9 {
            return Err(StartProblem::Ranks(self.rank));
        }
        let setup = Setup {
            board: self.board,
            hands: self.hands,
            side: self.side.unwrap_or(side),
            ply: self.moves.map_or(1, |moves| moves.saturating_add(1)),
        };
        Ok(Position::from_setup(&setup)?)
    }
}

/// The number of squares up to the bar that ends a rank, at two characters each; `None`: no bar ends it.
fn rank_width(text: &str) -> Option<usize> {
    let end = text.find(['|', '｜'])?;
    Some(text[..end].chars().count().div_ceil(2))
}

/// Takes a square off the front of a rank: a piece, or none.
#[expect(
    clippy::option_option,
    reason = "no square, an empty one, or one with a piece"
)]
fn take_square(text: &mut &str) -> Option<Option<Piece>> {
    let mut rest = *text;
    let mark = rest.chars().next()?;
    let white = matches!(mark, 'v' | 'V' | 'ｖ' | 'Ｖ' | '^' | '＾');
    if white || matches!(mark, ' ' | '+' | '\u{3000}') {
        rest = &rest[mark.len_utf8()..];
    }
    let dots = ['・', '･', '.', '*', '．', '＊'];
    if let Some(after) = rest.strip_prefix(dots) {
        *text = after;
        return Some(None);
    }
    let kind = take_kind(&mut rest)?;
    *text = rest;
    let color = if white { Color::White } else { Color::Black };
    Some(Some(Piece::new(color, kind)))
}

/// The one character of a kind on a board.
const fn board_letter(kind: PieceKind) -> &'static str {
    match kind {
        PieceKind::Pawn => "歩",
        PieceKind::Lance => "香",
        PieceKind::Knight => "桂",
        PieceKind::Silver => "銀",
        PieceKind::Bishop => "角",
        PieceKind::Rook => "飛",
        PieceKind::Gold => "金",
        PieceKind::King => "玉",
        PieceKind::ProPawn => "と",
        PieceKind::ProLance => "杏",
        PieceKind::ProKnight => "圭",
        PieceKind::ProSilver => "全",
        PieceKind::Horse => "馬",
        PieceKind::Dragon => "龍",
    }
}

/// The order in which hands are written.
const HAND_ORDER: [HandKind; 7] = [
    HandKind::Rook,
    HandKind::Bishop,
    HandKind::Gold,
    HandKind::Silver,
    HandKind::Knight,
    HandKind::Lance,
    HandKind::Pawn,
];

/// The board as BOD text: hands, nine ranks, the side to move when it is white, and the number of moves made when
/// the position has one.
///
/// ```
/// let text = shogi_kifu::write_bod(&shogi_core::Position::startpos());
/// assert!(text.starts_with("後手の持駒：なし\n  ９ ８ ７"));
/// ```
pub fn write_bod(position: &Position) -> String {
    let mut text = String::with_capacity(1200);
    write_hand(&mut text, position, Color::White);
    text.push_str("  ９ ８ ７ ６ ５ ４ ３ ２ １\n+---------------------------+\n");
    for rank in 1..=9 {
        text.push('|');
        for file in (1..=9).rev() {
            let piece = square(file, rank).and_then(|square: Square| position.piece_on(square));
            match piece {
                None => text.push_str(" ・"),
                Some(piece) => {
                    text.push(if piece.color() == Color::White {
                        'v'
                    } else {
                        ' '
                    });
                    text.push_str(board_letter(piece.kind()));
                }
            }
        }
        let _ = writeln!(text, "|{}", to_kanji_number(rank as u8));
    }
    text.push_str("+---------------------------+\n");
    write_hand(&mut text, position, Color::Black);
    if position.side_to_move() == Color::White {
        text.push_str("後手番\n");
    }
    if position.ply() != 1 {
        let _ = writeln!(text, "手数＝{}", i64::from(position.ply()) - 1);
    }
    text
}

fn write_hand(text: &mut String, position: &Position, color: Color) {
    let hand = position.hand(color);
    let owner = if color == Color::Black {
        "先手"
    } else {
        "後手"
    };
    let _ = write!(text, "{owner}の持駒：");
    if hand.is_empty() {
        text.push_str("なし");
    }
    let mut first = true;
    for kind in HAND_ORDER {
        let count = hand.count(kind);
        if count == 0 {
            continue;
        }
        if !first {
            text.push('　');
        }
        first = false;
        text.push_str(board_letter(kind.piece_kind()));
        if count > 1 {
            text.push_str(&to_kanji_number(count));
        }
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handicaps_are_found_by_name_and_position() {
        for handicap in Handicap::ALL {
            assert_eq!(Handicap::from_kif(handicap.kif()), Some(handicap));
            assert_eq!(Handicap::from_jkf(handicap.jkf()), Some(handicap));
            assert_eq!(Handicap::of(&handicap.position()), Some(handicap));
            assert_eq!(handicap.names().0, handicap);
        }
        assert_eq!(Handicap::from_kif("その他"), None);
        let later = Handicap::Even.position().with_ply(5);
        assert_eq!(Handicap::of(&later), None);
    }

    #[test]
    fn counts_are_read_in_every_script() {
        for (text, number) in [
            ("十八", 18),
            ("二", 2),
            ("二十", 20),
            ("１８", 18),
            ("4", 4),
            ("十", 10),
        ] {
            assert_eq!(kanji_number(text), Some(number), "{text}");
        }
        for text in ["", "十八八", "x", "二三"] {
            assert_eq!(kanji_number(text), None, "{text}");
        }
        for number in 1..=99 {
            assert_eq!(kanji_number(&to_kanji_number(number)), Some(number));
        }
    }
}
