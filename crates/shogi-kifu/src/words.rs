//! Moves in Japanese words: squares, pieces, and the official rules that tell one of several pieces from the others.
//!
//! The rules are those of the Japan Shogi Association (<https://www.shogi.or.jp/faq/kihuhyouki.html>): 上, 寄 and 引 name
//! the direction of the move, 左 and 右 the place that the piece comes from as its player sees it, 直 a gold or silver
//! that goes straight up.

use std::fmt::Write as _;

use shogi_core::{
    Color, File, HandKind, Move, MoveText, Origin, Piece, PieceKind, Position, Rank, Square,
};

/// Names of the kinds as records write them; the first of a kind is the one written.
const KINDS: [(&str, PieceKind); 25] = [
    ("歩", PieceKind::Pawn),
    ("香", PieceKind::Lance),
    ("桂", PieceKind::Knight),
    ("銀", PieceKind::Silver),
    ("金", PieceKind::Gold),
    ("角", PieceKind::Bishop),
    ("飛", PieceKind::Rook),
    ("玉", PieceKind::King),
    ("と", PieceKind::ProPawn),
    ("成香", PieceKind::ProLance),
    ("成桂", PieceKind::ProKnight),
    ("成銀", PieceKind::ProSilver),
    ("馬", PieceKind::Horse),
    ("龍", PieceKind::Dragon),
    ("王", PieceKind::King),
    ("竜", PieceKind::Dragon),
    ("成歩", PieceKind::ProPawn),
    ("杏", PieceKind::ProLance),
    ("仝", PieceKind::ProLance),
    ("圭", PieceKind::ProKnight),
    ("今", PieceKind::ProKnight),
    ("全", PieceKind::ProSilver),
    ("成角", PieceKind::Horse),
    ("成飛", PieceKind::Dragon),
    ("个", PieceKind::ProPawn),
];

/// The name of a kind in moves: `歩`, `成香`.
pub(crate) fn kind_name(kind: PieceKind) -> &'static str {
    KINDS
        .iter()
        .find(|(_, other)| *other == kind)
        .map_or("", |(name, _)| name)
}

/// Takes the name of a kind off the front of `text`.
pub(crate) fn take_kind(text: &mut &str) -> Option<PieceKind> {
    let found = KINDS.iter().find(|(name, _)| text.starts_with(name));
    let (name, kind) = found?;
    *text = &text[name.len()..];
    Some(*kind)
}

/// A digit from 1 to 9 in any script.
pub(crate) fn digit(c: char) -> Option<usize> {
    const KANJI: [char; 9] = ['一', '二', '三', '四', '五', '六', '七', '八', '九'];
    match c {
        '1'..='9' => Some(c as usize - '0' as usize),
        '１'..='９' => Some(c as usize - '０' as usize),
        _ => KANJI.iter().position(|&kanji| kanji == c).map(|i| i + 1),
    }
}

/// A number in kanji up to 99 (`十八`, `二十`), as hands have it.
pub(crate) fn kanji_number(text: &str) -> Option<u8> {
    if text
        .chars()
        .all(|c| c.is_ascii_digit() || ('０'..='９').contains(&c))
        && !text.is_empty()
    {
        let value = |c: char| c.to_digit(10).or_else(|| Some(c as u32 - '０' as u32));
        let sum = text
            .chars()
            .try_fold(0u32, |sum, c| Some((sum * 10 + value(c)?).min(999)));
        return u8::try_from(sum?).ok();
    }
    let (tens, ones) = match text.split_once('十') {
        None => (0, text),
        Some(("", ones)) => (1, ones),
        Some((tens, ones)) => (one_digit(tens)?, ones),
    };
    let ones = if ones.is_empty() { 0 } else { one_digit(ones)? };
    u8::try_from(tens * 10 + ones)
        .ok()
        .filter(|&number| number > 0)
}

fn one_digit(text: &str) -> Option<usize> {
    let mut chars = text.chars();
    let found = digit(chars.next()?)?;
    chars.next().is_none().then_some(found)
}

/// The number in kanji, 1 to 99.
pub(crate) fn to_kanji_number(number: u8) -> String {
    const KANJI: [&str; 10] = ["", "一", "二", "三", "四", "五", "六", "七", "八", "九"];
    let (tens, ones) = (usize::from(number / 10), KANJI[usize::from(number % 10)]);
    match tens {
        0 => ones.to_owned(),
        1 => format!("十{ones}"),
        _ => format!("{}十{ones}", KANJI[tens % 10]),
    }
}

/// The number of a file as a full-width digit.
pub(crate) const fn file_digit(file: File) -> char {
    ['１', '２', '３', '４', '５', '６', '７', '８', '９'][file.index()]
}

/// `７六`.
pub(crate) fn square_name(square: Square) -> String {
    let file = file_digit(square.file());
    format!("{file}{}", to_kanji_number(square.rank().index() as u8 + 1))
}

/// The square with this file and rank, both from 1.
pub(crate) fn square(file: usize, rank: usize) -> Option<Square> {
    let file = File::from_index(file.checked_sub(1)?)?;
    Some(Square::new(file, Rank::from_index(rank.checked_sub(1)?)?))
}

/// Blanks of Japanese text.
pub(crate) fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{200b}' || c == '\u{feff}'
}

/// The mark of a player in front of a move.
pub(crate) fn player_of_mark(c: char) -> Option<Color> {
    match c {
        '▲' | '☗' | '▼' | '⛊' => Some(Color::Black),
        '△' | '☖' | '▽' | '⛉' => Some(Color::White),
        _ => None,
    }
}

/// A move as it is written: `７六歩(77)`, `同　銀左成`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WrittenMove {
    /// The destination; `None`: where the move before went.
    pub(crate) to: Option<Square>,
    pub(crate) kind: PieceKind,
    pub(crate) from: Option<Square>,
    pub(crate) drop: bool,
    /// 成 or 不成.
    pub(crate) promote: Option<bool>,
    /// Letters among 上寄引直左右.
    pub(crate) relative: Vec<char>,
}

/// Takes a move off the front of `text`; `None` and `text` as it was when there is none.
pub(crate) fn take_move(text: &mut &str) -> Option<WrittenMove> {
    let mut rest = text.trim_start_matches(is_blank);
    let mut to = None;
    let first = rest.chars().next()?;
    if first == '同' {
        rest = rest[first.len_utf8()..].trim_start_matches(is_blank);
    }
    // `同` may be followed by the square all the same.
    let mut chars = rest.chars();
    let pair = (chars.next().and_then(digit), chars.next().and_then(digit));
    if let (Some(file), Some(rank)) = pair {
        to = square(file, rank);
        rest = chars.as_str();
    } else if first != '同' {
        return None;
    }
    if to.is_some() {
        rest = rest.strip_prefix('同').unwrap_or(rest);
    }
    rest = rest.trim_start_matches(is_blank);
    let kind = take_kind(&mut rest)?;
    let mut m = WrittenMove {
        to,
        kind,
        from: None,
        drop: false,
        promote: None,
        relative: Vec::new(),
    };
    take_modifiers(&mut rest, &mut m);
    // Blanks fill the place of 成 in some files; `打(00)` has an origin that is none.
    let mut origin = rest.trim_start_matches(is_blank);
    let before = origin.len();
    m.from = take_origin(&mut origin);
    if origin.len() < before {
        rest = origin;
    }
    *text = rest;
    Some(m)
}

fn take_modifiers(rest: &mut &str, m: &mut WrittenMove) {
    const PROMOTIONS: [(&str, bool); 6] = [
        ("不成", false),
        ("生", false),
        ("成ず", false),
        ("成らず", false),
        ("成り", true),
        ("成", true),
    ];
    loop {
        if let Some((word, promotes)) = PROMOTIONS.iter().find(|(word, _)| rest.starts_with(word)) {
            m.promote = Some(*promotes);
            *rest = &rest[word.len()..];
            continue;
        }
        let Some(letter) = rest.chars().next() else {
            return;
        };
        match letter {
            '打' => m.drop = true,
            '上' | '行' | '入' | '立' => m.relative.push('上'),
            '引' | '下' => m.relative.push('引'),
            '寄' | '直' | '左' | '右' => m.relative.push(letter),
            _ => return,
        }
        *rest = &rest[letter.len_utf8()..];
    }
}

/// Takes `(77)` off the front.
fn take_origin(rest: &mut &str) -> Option<Square> {
    let inner = rest.strip_prefix(['(', '（', '<', '[', '〔'])?;
    let mut chars = inner.chars();
    // `(00)` stands behind drops.
    let number = |c: char| digit(c).or_else(|| matches!(c, '0' | '０').then_some(0));
    let file = number(chars.next()?)?;
    let rank = number(chars.next()?)?;
    let close = chars.next()?;
    if !matches!(close, ')' | '）' | '>' | ']' | '〕') {
        return None;
    }
    *rest = chars.as_str();
    square(file, rank)
}

/// Reason why a written move is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoSuchMove {
    /// 同 without a move before.
    NothingBefore,
    /// No piece can make it.
    NoPiece,
    /// Several pieces can make it.
    Ambiguous,
    /// The piece on the origin is another one.
    OtherPiece,
}

impl WrittenMove {
    /// The move in `position`, legal or not, after a move that went to `last_to`.
    pub(crate) fn resolve(
        &self,
        position: &Position,
        last_to: Option<Square>,
    ) -> Result<Move, NoSuchMove> {
        let to = self.to.or(last_to).ok_or(NoSuchMove::NothingBefore)?;
        if let Some(from) = self.from {
            return self.with_origin(position, from, to);
        }
        let drop = self
            .kind
            .hand_kind()
            .filter(|hand| hand.piece_kind() == self.kind);
        let has = |kind: HandKind| position.hand(position.side_to_move()).has(kind);
        if self.drop {
            let kind = drop.filter(|&kind| has(kind)).ok_or(NoSuchMove::NoPiece)?;
            return Ok(Move::drop(position.side_to_move(), kind, to));
        }
        match self.candidates(position, to)[..] {
            [from] => self.with_origin(position, from, to),
            [] => {
                let kind = drop.filter(|&kind| has(kind) && self.relative.is_empty());
                let kind = kind.ok_or(NoSuchMove::NoPiece)?;
                Ok(Move::drop(position.side_to_move(), kind, to))
            }
            _ => Err(NoSuchMove::Ambiguous),
        }
    }

    fn with_origin(
        &self,
        position: &Position,
        from: Square,
        to: Square,
    ) -> Result<Move, NoSuchMove> {
        let promote = self.promote == Some(true);
        let text = MoveText {
            origin: Origin::Board(from),
            to,
            promote,
        };
        let m = position.complete(text).ok_or(NoSuchMove::NoPiece)?;
        // `成銀` may be a silver that promotes, in files of careless programs.
        if m.piece_before().kind() == self.kind || (promote && m.kind_after() == self.kind) {
            Ok(m)
        } else {
            Err(NoSuchMove::OtherPiece)
        }
    }

    /// The origins that the words fit.
    fn candidates(&self, position: &Position, to: Square) -> Vec<Square> {
        let us = position.side_to_move();
        let all = reaching(position, Piece::new(us, self.kind), to);
        let legal = |from: &Square| {
            let text = |promote| MoveText {
                origin: Origin::Board(*from),
                to,
                promote,
            };
            [false, true]
                .into_iter()
                .any(|promote| position.move_from_text(text(promote)).is_some())
        };
        let mut found: Vec<Square> = all.iter().copied().filter(legal).collect();
        if found.is_empty() {
            found.clone_from(&all);
        }
        for letter in &self.relative {
            match letter {
                '直' => {
                    found.retain(|&from| from.file() == to.file() && motion(us, from, to) == '上');
                }
                '左' | '右' => {}
                _ => found.retain(|&from| motion(us, from, to) == *letter),
            }
        }
        for letter in &self.relative {
            let leftmost = |from: &Square| {
                let place = left_to_right(us, *from);
                if *letter == '左' { place } else { -place }
            };
            if matches!(letter, '左' | '右') {
                let most = found.iter().map(leftmost).min();
                found.retain(|from| Some(leftmost(from)) == most);
            }
        }
        found
    }
}

/// The squares with a piece like `piece` that reaches `to`, checks and pins left out of account.
pub(crate) fn reaching(position: &Position, piece: Piece, to: Square) -> Vec<Square> {
    let us = piece.color();
    if position
        .piece_on(to)
        .is_some_and(|piece| piece.color() == us)
    {
        return Vec::new();
    }
    let pieces = position.pieces(us, piece.kind());
    let reach = |from: &Square| position.attacks_from(*from).contains(to);
    pieces.into_iter().filter(reach).collect()
}

/// The place of a square from left to right as `us` sees it.
fn left_to_right(us: Color, square: Square) -> i32 {
    let file = square.file().index() as i32;
    if us == Color::Black { -file } else { file }
}

/// 上, 寄 or 引.
fn motion(us: Color, from: Square, to: Square) -> char {
    let up = from.rank().index() as i32 - to.rank().index() as i32;
    match if us == Color::Black { up } else { -up } {
        0 => '寄',
        1.. => '上',
        _ => '引',
    }
}

/// The words that tell a legal move from those of other pieces of its kind: `左上`, `打`, or nothing.
pub(crate) fn relative_words(position: &Position, m: Move) -> String {
    let (us, to, piece) = (m.color(), m.to(), m.piece_before());
    let all = reaching(position, piece, to);
    let Some(from) = m.from() else {
        return if all.is_empty() {
            String::new()
        } else {
            "打".to_owned()
        };
    };
    let others: Vec<Square> = all.into_iter().filter(|&other| other != from).collect();
    if others.is_empty() {
        return String::new();
    }
    let direction = motion(us, from, to);
    let same: Vec<Square> = others
        .iter()
        .copied()
        .filter(|&other| motion(us, other, to) == direction)
        .collect();
    if same.is_empty() {
        return direction.to_string();
    }
    let straight = from.file() == to.file() && direction == '上';
    if straight
        && !matches!(
            piece.kind(),
            PieceKind::Horse | PieceKind::Dragon | PieceKind::Rook | PieceKind::Bishop
        )
    {
        return "直".to_owned();
    }
    let place = left_to_right(us, from);
    let left_of = |squares: &[Square]| {
        squares
            .iter()
            .all(|&other| place < left_to_right(us, other))
    };
    let right_of = |squares: &[Square]| {
        squares
            .iter()
            .all(|&other| place > left_to_right(us, other))
    };
    if left_of(&others) {
        "左".to_owned()
    } else if right_of(&others) {
        "右".to_owned()
    } else if left_of(&same) {
        format!("左{direction}")
    } else {
        format!("右{direction}")
    }
}

/// A legal move in KI2's form without its mark: `７六歩`, `同　銀左上成`.
pub(crate) fn ki2_move(position: &Position, m: Move, last_to: Option<Square>) -> String {
    let mut text = if last_to == Some(m.to()) {
        "同　".to_owned()
    } else {
        square_name(m.to())
    };
    let kind = m.piece_before().kind();
    text.push_str(kind_name(kind));
    text.push_str(&relative_words(position, m));
    if m.is_promotion() {
        text.push('成');
    } else if let Some(from) = m.from() {
        let zone = |square: Square| square.is_promotion_zone(m.color());
        if kind.can_promote() && (zone(from) || zone(m.to())) {
            text.push_str("不成");
        }
    }
    text
}

/// A move in KIF's form: `７六歩(77)`, `同　銀(31)`, `４五角打`.
pub(crate) fn kif_move(m: Move, last_to: Option<Square>) -> String {
    let mut text = if last_to == Some(m.to()) {
        "同　".to_owned()
    } else {
        square_name(m.to())
    };
    text.push_str(kind_name(m.piece_before().kind()));
    if m.is_promotion() {
        text.push('成');
    }
    match m.from() {
        None => text.push('打'),
        Some(from) => {
            let (file, rank) = (from.file().index() + 1, from.rank().index() + 1);
            let _ = write!(text, "({file}{rank})");
        }
    }
    text
}
