//! CSA, the format of the Computer Shogi Association, versions 2.2 (<http://www2.computer-shogi.org/protocol/record_v22.html>)
//! and 3.0.
//!
//! `'*` is a comment, any other line after `'` a remark. Floodgate's `'** 123 +7776FU …` is the comment `* 123 +7776FU …`.

use std::fmt::Write as _;

use shogi_core::{
    Color, Hand, HandKind, Move, MoveText, Origin, Piece, PieceKind, Position, Setup, Square,
};

use crate::ending::GameEnding;
use crate::error::{KifuError, KifuProblem, LossKind, Losses};
use crate::record::{GameRecord, Headers, RecordBuilder, Step};
use crate::start::Handicap;
use crate::text::{milliseconds, one_line, read_lines};
use crate::words::square;

/// The version of CSA files that are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CsaVersion {
    /// 2.2: whole seconds.
    #[default]
    V22,
    /// 3.0: UTF-8, fractions of a second, more headers.
    V3,
}

/// CSA's names of the kinds.
const KINDS: [(&str, PieceKind); 14] = [
    ("FU", PieceKind::Pawn),
    ("KY", PieceKind::Lance),
    ("KE", PieceKind::Knight),
    ("GI", PieceKind::Silver),
    ("KI", PieceKind::Gold),
    ("KA", PieceKind::Bishop),
    ("HI", PieceKind::Rook),
    ("OU", PieceKind::King),
    ("TO", PieceKind::ProPawn),
    ("NY", PieceKind::ProLance),
    ("NK", PieceKind::ProKnight),
    ("NG", PieceKind::ProSilver),
    ("UM", PieceKind::Horse),
    ("RY", PieceKind::Dragon),
];

/// CSA's name of a kind: `FU`.
pub(crate) fn csa_kind(kind: PieceKind) -> &'static str {
    let found = KINDS.iter().find(|(_, other)| *other == kind);
    found.map_or("", |(name, _)| name)
}

/// The kind with this name of CSA's.
pub(crate) fn kind_from_csa(name: &str) -> Option<PieceKind> {
    let &[a, b] = name.as_bytes() else {
        return None;
    };
    let found = KINDS.iter().find(|(other, _)| other.as_bytes() == [a, b]);
    found.map(|(_, kind)| *kind)
}

/// CSA's keywords of headers and the names that the headers have in KIF; whether 2.2 has them.
const KEYS: [(&str, &str, bool); 12] = [
    ("EVENT", "棋戦", true),
    ("SITE", "場所", true),
    ("START_TIME", "開始日時", true),
    ("END_TIME", "終了日時", true),
    ("TIME_LIMIT", "持ち時間", true),
    ("TIME", "持ち時間", false),
    ("TIME+", "先手持ち時間", false),
    ("TIME-", "後手持ち時間", false),
    ("OPENING", "戦型", true),
    ("MAX_MOVES", "最大手数", false),
    ("JISHOGI", "持将棋", false),
    ("NOTE", "備考", false),
];

/// A move in CSA's form: `+7776FU`.
///
/// ```
/// use shogi_core::Position;
/// let m = Position::startpos().move_from_usi("7g7f")?;
/// assert_eq!(shogi_kifu::csa_move(m), "+7776FU");
/// # Ok::<(), shogi_core::MoveError>(())
/// ```
pub fn csa_move(m: Move) -> String {
    let digits = |square: Square| (square.file().index() + 1) * 10 + square.rank().index() + 1;
    let sign = if m.color() == Color::Black { '+' } else { '-' };
    let from = m.from().map_or(0, digits);
    format!(
        "{sign}{from:02}{}{}",
        digits(m.to()),
        csa_kind(m.kind_after())
    )
}

/// The move, legal or not, that `text` is in `position`: `+7776FU`, with or without its sign.
///
/// # Errors
/// With the reason, when it is no move, or no such piece is there.
pub fn move_from_csa(position: &Position, text: &str) -> Result<Move, KifuProblem> {
    let bad = || KifuProblem::expected("a move such as +7776FU", text);
    let reason = |reason: &str| KifuProblem::Move {
        found: text.to_owned(),
        reason: reason.to_owned(),
    };
    let side = position.side_to_move();
    let rest = match text.as_bytes().first() {
        Some(b'+' | b'-') if text.starts_with('+') != (side == Color::Black) => {
            return Err(reason("it is the other player's turn"));
        }
        Some(b'+' | b'-') => &text[1..],
        _ => text,
    };
    if rest.len() != 6 || !rest.is_ascii() {
        return Err(bad());
    }
    let number = |at: usize| usize::from(rest.as_bytes()[at].wrapping_sub(b'0'));
    let to = square(number(2), number(3)).ok_or_else(bad)?;
    let kind = kind_from_csa(&rest[4..]).ok_or_else(bad)?;
    if rest.starts_with("00") {
        let hand = HandKind::from_piece_kind(kind).ok_or_else(bad)?;
        if !position.hand(side).has(hand) {
            return Err(reason("no such piece is in hand"));
        }
        return Ok(Move::drop(side, hand, to));
    }
    let from = square(number(0), number(1)).ok_or_else(bad)?;
    let stands = position
        .piece_on(from)
        .filter(|piece| piece.color() == side);
    let stands = stands.ok_or_else(|| reason("no own piece is on its origin"))?;
    let promote = stands.kind() != kind;
    if promote && stands.kind().promote() != Some(kind) {
        return Err(reason("another piece is on its origin"));
    }
    let text = MoveText {
        origin: Origin::Board(from),
        to,
        promote,
    };
    position.complete(text).ok_or_else(bad)
}

/// Reads one game in CSA, of any version.
///
/// # Errors
/// With the line, and what was expected there.
pub fn read_csa(text: &str) -> Result<GameRecord, KifuError> {
    read_csa_opening(text, usize::MAX)
}

/// Reads one game up to the line behind its first `plies` moves.
pub(crate) fn read_csa_opening(text: &str, plies: usize) -> Result<GameRecord, KifuError> {
    // Bytes of a move with its time, and more moves than most games have.
    const MOVE: usize = 10;
    const MOST: usize = 512;
    let room = (text.len() / MOVE).min(MOST).min(plies);
    let reader = CsaReader {
        room,
        ..CsaReader::default()
    };
    let depth = |reader: &CsaReader| reader.builder.as_ref().map(RecordBuilder::depth);
    read_lines(
        text,
        plies,
        reader,
        depth,
        CsaReader::line,
        CsaReader::finish,
    )
}

#[derive(Default)]
struct CsaReader {
    headers: Headers,
    comments: Vec<String>,
    remarks: Vec<String>,
    setup: Setup,
    /// A line of the start position was read.
    has_start: bool,
    has_other: bool,
    builder: Option<RecordBuilder>,
    /// Moves to make room for.
    room: usize,
}

impl CsaReader {
    fn line(&mut self, line: &str) -> Result<(), KifuProblem> {
        match line.as_bytes() {
            [] => Ok(()),
            [b'\'', b'*', ..] => {
                let comment = line[2..].to_owned();
                match &mut self.builder {
                    Some(builder) => builder.node_mut().comments.push(comment),
                    None => self.comments.push(comment),
                }
                Ok(())
            }
            [b'\'', ..] => {
                let remark = &line[1..];
                if !remark.starts_with("CSA encoding=") {
                    match &mut self.builder {
                        Some(builder) => builder.node_mut().remarks.push(remark.to_owned()),
                        None => self.remarks.push(remark.to_owned()),
                    }
                }
                Ok(())
            }
            [b'$', ..] => self.header(&line[1..]),
            [b'N', sign @ (b'+' | b'-'), ..] => {
                self.has_other = true;
                let key = if *sign == b'+' {
                    Headers::BLACK[0]
                } else {
                    Headers::WHITE[0]
                };
                let name = line[2..].trim_end();
                if !name.is_empty() {
                    self.all_headers().set(key, name);
                }
                Ok(())
            }
            // Most lines are one move or time and nothing else.
            [b'+' | b'-' | b'T', .., b'0'..=b'9' | b'A'..=b'Z'] if !line.contains(',') => {
                self.statement(line)
            }
            _ => {
                let mut parts = line
                    .split(',')
                    .map(|part| part.trim_matches([' ', '\t', '\u{3000}', '\u{1a}']));
                parts.try_for_each(|part| self.statement(part))
            }
        }
    }

    fn all_headers(&mut self) -> &mut Headers {
        match &mut self.builder {
            Some(builder) => builder.headers(),
            None => &mut self.headers,
        }
    }

    fn header(&mut self, text: &str) -> Result<(), KifuProblem> {
        let (key, value) = text
            .split_once(':')
            .ok_or_else(|| KifuProblem::expected("$KEYWORD:value", text))?;
        self.has_other = true;
        let known = KEYS.iter().find(|(csa, _, _)| *csa == key);
        let key = known.map_or_else(|| format!("${key}"), |(_, name, _)| (*name).to_owned());
        self.all_headers().set(key, value.trim_end());
        Ok(())
    }

    /// A statement; several can stand in a line.
    fn statement(&mut self, text: &str) -> Result<(), KifuProblem> {
        match text.as_bytes() {
            [] => Ok(()),
            [b'V', version @ ..] if self.builder.is_none() && !version.is_empty() => {
                self.has_other = true;
                Ok(())
            }
            [b'P', ..] if self.builder.is_none() => {
                self.has_start = true;
                self.start_line(text).map_err(KifuProblem::Start)
            }
            [sign @ (b'+' | b'-')] if self.builder.is_none() => {
                let color = if *sign == b'+' {
                    Color::Black
                } else {
                    Color::White
                };
                self.begin(color)
            }
            [b'+' | b'-', ..] => {
                let builder = self.begun(text)?;
                if builder.is_ended() || builder.is_illegal() {
                    return Err(after_end(builder, text));
                }
                let m = move_from_csa(builder.position(), text)?;
                builder.play(m);
                Ok(())
            }
            [b'%', ..] => {
                let builder = self.begun(text)?;
                let side = builder.side();
                let word = &text[1..];
                let ending = GameEnding::of_word(word, side);
                let last = builder.record().node(builder.node()).step();
                // shogi-server writes a declaration twice: as it was sent, and as the end.
                if last == Some(&Step::End(ending.clone())) || builder.end(ending) {
                    Ok(())
                } else {
                    Err(after_end(builder, text))
                }
            }
            [b'T', ..] if self.builder.is_some() => {
                let (whole, rest) = text[1..].split_once('.').unwrap_or((&text[1..], ""));
                let seconds: Option<u64> = whole
                    .parse()
                    .ok()
                    .filter(|_| whole.bytes().all(|b| b.is_ascii_digit()));
                let time = seconds
                    .zip(milliseconds(rest))
                    .and_then(|(s, ms)| s.checked_mul(1000)?.checked_add(ms));
                let time = time
                    .ok_or_else(|| KifuProblem::expected("a time in seconds such as T12", text))?;
                if let Some(builder) = &mut self.builder {
                    builder.node_mut().time = Some(time);
                }
                Ok(())
            }
            _ => Err(KifuProblem::expected(
                "a line of CSA (a move such as +7776FU, T12, %TORYO, P1…, N+…, $EVENT:…, '…)",
                text,
            )),
        }
    }

    fn start_line(&mut self, text: &str) -> Result<(), String> {
        let bad = |found: &str| format!("expected pieces such as 82HI, found {found:?}");
        let rest = text.get(2..).unwrap_or("");
        match text.as_bytes().get(1) {
            Some(b'I') => {
                self.setup = Handicap::Even.position().to_setup();
                for piece in pieces(rest) {
                    let (square, kind) = piece
                        .and_then(|(place, kind)| Some((place?, kind)))
                        .ok_or_else(|| bad(rest))?;
                    let stands = &mut self.setup.board[square.index()];
                    if stands.is_none_or(|stands| stands.kind() != kind) {
                        return Err(format!("{rest} is not there to be taken away"));
                    }
                    *stands = None;
                }
                Ok(())
            }
            Some(rank @ b'1'..=b'9') => self.rank(usize::from(rank - b'0'), rest),
            Some(sign @ (b'+' | b'-')) => {
                let color = if *sign == b'+' {
                    Color::Black
                } else {
                    Color::White
                };
                if let Some(before) = rest.strip_suffix("00AL") {
                    self.place(color, before)?;
                    return self.give_all(color);
                }
                self.place(color, rest)
            }
            _ => Err(format!("expected PI, P1 to P9, P+ or P-, found {text:?}")),
        }
    }

    /// `P1-KY-KE-GI … `: nine pieces or ` * ` of three characters each. Blanks may have been lost at the end and between
    /// empty squares, as in mail.
    fn rank(&mut self, rank: usize, text: &str) -> Result<(), String> {
        let mut rest = text;
        for file in (1..=9).rev() {
            let square = square(file, rank).expect("files and ranks go from 1 to 9");
            let piece = rest.trim_start_matches(' ');
            if let Some(next) = piece.strip_prefix('*') {
                self.setup.board[square.index()] = None;
                rest = next;
                continue;
            }
            if piece.is_empty() {
                self.setup.board[square.index()] = None;
                continue;
            }
            let color = match piece.as_bytes()[0] {
                b'+' => Color::Black,
                b'-' => Color::White,
                _ => {
                    return Err(format!(
                        "rank {rank}: expected pieces such as +FU or *, found {piece:?}"
                    ));
                }
            };
            let kind = piece.get(1..3).and_then(kind_from_csa);
            let kind = kind.ok_or_else(|| {
                format!("rank {rank}: expected a piece such as +FU, found {piece:?}")
            })?;
            self.setup.board[square.index()] = Some(Piece::new(color, kind));
            rest = &piece[3..];
        }
        if rest.trim_matches(' ').is_empty() {
            Ok(())
        } else {
            Err(format!("rank {rank}: {rest:?} follows nine squares"))
        }
    }

    /// `63OU00FU`: pieces on squares and in hand.
    fn place(&mut self, color: Color, text: &str) -> Result<(), String> {
        let bad = || format!("expected pieces such as 63OU00FU, found {text:?}");
        for piece in pieces(text) {
            let (place, kind) = piece.ok_or_else(bad)?;
            if let Some(square) = place {
                self.setup.board[square.index()] = Some(Piece::new(color, kind));
                continue;
            }
            let kind = HandKind::from_piece_kind(kind).ok_or_else(bad)?;
            let hand = &mut self.setup.hands[color];
            *hand = hand
                .with_count(kind, hand.count(kind) + 1)
                .ok_or_else(bad)?;
        }
        Ok(())
    }

    /// All pieces that are nowhere else go into a hand.
    fn give_all(&mut self, color: Color) -> Result<(), String> {
        for kind in HandKind::ALL {
            let on_board = self.setup.board.iter().flatten();
            let on_board = on_board
                .filter(|piece| piece.kind().unpromote() == kind.piece_kind())
                .count() as u8;
            let other = self.setup.hands[color.flip()].count(kind);
            let rest = kind.piece_kind().set_count().checked_sub(on_board + other);
            let rest = rest.ok_or("there are more pieces of a kind than a set has")?;
            let hand = &mut self.setup.hands[color];
            *hand = hand
                .with_count(kind, rest)
                .ok_or("there are more pieces of a kind than a set has")?;
        }
        Ok(())
    }

    fn begin(&mut self, side: Color) -> Result<(), KifuProblem> {
        let start = if self.has_start {
            let setup = Setup {
                side,
                ..std::mem::take(&mut self.setup)
            };
            Position::from_setup(&setup).map_err(|error| KifuProblem::Start(error.to_string()))?
        } else if side == Color::Black {
            Handicap::Even.position()
        } else {
            let text = "white moves first, but no board is given (PI or P1 to P9)";
            return Err(KifuProblem::Start(text.to_owned()));
        };
        let mut builder = RecordBuilder::new(start);
        builder.reserve(self.room);
        *builder.headers() = std::mem::take(&mut self.headers);
        let root = builder.node_mut();
        root.comments = std::mem::take(&mut self.comments);
        root.remarks = std::mem::take(&mut self.remarks);
        self.builder = Some(builder);
        Ok(())
    }

    /// The game; it begins with its first move when the line with the side to move is missing.
    fn begun(&mut self, text: &str) -> Result<&mut RecordBuilder, KifuProblem> {
        if self.builder.is_none() {
            let side = if text.starts_with('-') {
                Color::White
            } else {
                Color::Black
            };
            self.begin(side)?;
        }
        Ok(self.builder.as_mut().expect("it has just begun"))
    }

    fn finish(mut self) -> Result<GameRecord, KifuProblem> {
        if self.builder.is_none() {
            if !self.has_start && !self.has_other {
                return Err(KifuProblem::Nothing);
            }
            self.begin(Color::Black)?;
        }
        Ok(self.builder.expect("it has begun").finish())
    }
}

/// Places (`None`: in hand) and kinds, four characters each; `None` for what is none.
fn pieces(text: &str) -> impl Iterator<Item = Option<(Option<Square>, PieceKind)>> {
    let text = text.trim_matches(' ');
    text.as_bytes().chunks(4).map(|piece| {
        let [file, rank, name @ ..] = piece else {
            return None;
        };
        let kind = kind_from_csa(std::str::from_utf8(name).ok()?)?;
        if (*file, *rank) == (b'0', b'0') {
            return Some((None, kind));
        }
        let number = |digit: u8| usize::from(digit.wrapping_sub(b'0'));
        Some((Some(square(number(*file), number(*rank))?), kind))
    })
}

fn after_end(builder: &RecordBuilder, found: &str) -> KifuProblem {
    KifuProblem::AfterEnd {
        found: found.to_owned(),
        after: if builder.is_ended() {
            "the end of the game"
        } else {
            "an illegal move"
        },
    }
}

/// Writes the game as it was played, as CSA in UTF-8 with LF line ends.
pub fn write_csa(record: &GameRecord, version: CsaVersion) -> (String, Losses) {
    let mut losses = Losses::default();
    let mut text = String::with_capacity(500 + record.node_count() * 14);
    text.push_str(match version {
        CsaVersion::V22 => "V2.2\n",
        CsaVersion::V3 => "'CSA encoding=UTF-8\nV3.0\n",
    });
    write_headers(&mut text, record, version, &mut losses);
    write_start(&mut text, record.start());
    if record.start().ply() != 1 {
        losses.add(LossKind::MoveNumber, 1);
    }
    losses.add(LossKind::Variations, record.variations());
    for (depth, id) in record.line_from(GameRecord::ROOT).enumerate() {
        let node = record.node(id);
        match node.step() {
            None => {}
            Some(Step::Move(m) | Step::Illegal(m)) => {
                let _ = writeln!(text, "{}", csa_move(*m));
            }
            Some(Step::End(ending)) => {
                let side = record.side_at(depth - 1);
                let other = match ending {
                    GameEnding::Other(word) => {
                        let is_word = word.bytes().all(|b| b.is_ascii_graphic() && b != b',')
                            && !word.is_empty();
                        let same = GameEnding::from_csa(word, side).is_none();
                        (is_word && same).then_some(word.as_str())
                    }
                    _ => None,
                };
                if let Some(word) = ending.csa(side).or(other) {
                    let _ = writeln!(text, "%{word}");
                } else {
                    losses.add(LossKind::Endings, 1);
                    text.push_str("%CHUDAN\n");
                }
            }
        }
        if let Some(time) = node.time {
            let (seconds, rest) = (time / 1000, time % 1000);
            match version {
                CsaVersion::V3 if rest != 0 => {
                    let _ = writeln!(text, "T{seconds}.{rest:03}");
                }
                _ => {
                    let _ = writeln!(text, "T{seconds}");
                    losses.add(LossKind::Fractions, usize::from(rest != 0));
                }
            }
        }
        for comment in &node.comments {
            let comment = one_line(comment, LossKind::Comments, &mut losses);
            let _ = writeln!(text, "'*{comment}");
        }
        for remark in &node.remarks {
            if remark.starts_with('*') || remark.starts_with("CSA encoding=") {
                losses.add(LossKind::Remarks, 1);
            } else {
                let remark = one_line(remark, LossKind::Remarks, &mut losses);
                let _ = writeln!(text, "'{remark}");
            }
        }
        losses.add(LossKind::Bookmarks, usize::from(node.bookmark.is_some()));
    }
    (text, losses)
}

fn write_headers(text: &mut String, record: &GameRecord, version: CsaVersion, losses: &mut Losses) {
    let plain = |value: &str| !value.contains(char::is_control) && value.trim_end() == value;
    let mut named = [false; 2];
    for (key, value) in record.headers.iter() {
        let color = Color::ALL.into_iter().find(|color| match color {
            Color::Black => Headers::BLACK.contains(&key),
            Color::White => Headers::WHITE.contains(&key),
        });
        if let Some(color) = color {
            if !plain(value)
                || value.is_empty()
                || std::mem::replace(&mut named[color.index()], true)
            {
                losses.add(LossKind::Headers, 1);
            } else {
                let _ = writeln!(text, "{}{value}", ["N+", "N-"][color.index()]);
            }
            continue;
        }
        let known = KEYS.iter().find(|(csa, name, old)| {
            let newer_time = version == CsaVersion::V3 && *csa == "TIME_LIMIT";
            *name == key && (*old || version == CsaVersion::V3) && !newer_time
        });
        let own = key
            .strip_prefix('$')
            .filter(|own| !own.is_empty() && !own.contains(':') && plain(own))
            // A keyword that has a name of its own is read as that.
            .filter(|own| KEYS.iter().all(|(csa, _, _)| csa != own));
        let word = known.map(|(csa, _, _)| *csa).or(own);
        match word {
            Some(word) if plain(value) => {
                let _ = writeln!(text, "${word}:{value}");
            }
            _ => losses.add(LossKind::Headers, 1),
        }
    }
}

/// The start position and the side to move.
fn write_start(text: &mut String, position: &Position) {
    let sign = if position.side_to_move() == Color::Black {
        '+'
    } else {
        '-'
    };
    if let Some(handicap) = Handicap::of(&position.clone().with_ply(1)) {
        text.push_str("PI");
        let even = Handicap::Even.position();
        for number in [82, 22, 11, 91, 21, 81, 31, 71, 41, 61] {
            let at = square(number / 10, number % 10).expect("a square");
            if let Some(piece) = even
                .piece_on(at)
                .filter(|_| position.piece_on(at).is_none())
            {
                let _ = write!(text, "{number}{}", csa_kind(piece.kind()));
            }
        }
        debug_assert!(handicap != Handicap::Even || text.ends_with("PI"));
    } else {
        for rank in 1..=9 {
            let _ = write!(text, "P{rank}");
            for file in (1..=9).rev() {
                let piece = square(file, rank).and_then(|square| position.piece_on(square));
                match piece {
                    None => text.push_str(" * "),
                    Some(piece) => {
                        text.push(if piece.color() == Color::Black {
                            '+'
                        } else {
                            '-'
                        });
                        text.push_str(csa_kind(piece.kind()));
                    }
                }
            }
            if rank < 9 {
                text.push('\n');
            }
        }
        for color in Color::ALL {
            write_hand(text, color, position.hand(color));
        }
    }
    let _ = writeln!(text, "\n{sign}");
}

fn write_hand(text: &mut String, color: Color, hand: Hand) {
    if hand.is_empty() {
        return;
    }
    text.push_str(if color == Color::Black {
        "\nP+"
    } else {
        "\nP-"
    });
    for (kind, count) in hand.iter() {
        for _ in 0..count {
            let _ = write!(text, "00{}", csa_kind(kind.piece_kind()));
        }
    }
}
