//! CSA, the format of the Computer Shogi Association, versions 2.2 (<http://www2.computer-shogi.org/protocol/record_v22.html>)
//! and 3.0.
//!
//! `'*` is a comment, any other line after `'` a remark. Floodgate's `'** 123 +7776FU …` is the comment `* 123 +7776FU …`.
//! Behind a comma in a line a `'` takes what is left of it. Lines that are none of CSA's become remarks.

use shogi_core::{
    Color, HandKind, Move, MoveText, Origin, Piece, PieceKind, Position, Setup, Square,
};

use crate::ending::GameEnding;
use crate::error::{KifuError, KifuProblem, StartProblem};
use crate::record::{GameRecord, Headers, RecordBuilder};
use crate::start::Handicap;
use crate::text::{milliseconds, read_lines};
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
pub(crate) const KEYS: [(&str, &str, bool); 12] = [
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
            [b'\'', ..] => {
                self.note(&line[1..]);
                Ok(())
            }
            [b'$', ..] => {
                self.header(&line[1..]);
                Ok(())
            }
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
            [b'+' | b'-' | b'T', .., b'0'..=b'9' | b'A'..=b'Z']
                if line.len() <= 7 && !line.contains([',', ' ', '\t']) =>
            {
                self.statement(line).map(|_| ())
            }
            _ => self.statements(line),
        }
    }

    /// The statements of a line, with commas between them; the first `'` behind one begins a comment.
    fn statements(&mut self, line: &str) -> Result<(), KifuProblem> {
        let mut rest = line;
        loop {
            let here = rest.trim_start_matches(is_filler);
            if let Some(note) = here.strip_prefix('\'') {
                self.note(note);
                return Ok(());
            }
            // AobaZero writes its values with and without the mark of a comment.
            if here.starts_with("v=") && self.builder.is_some() {
                self.note(here);
                return Ok(());
            }
            let (part, next) = match rest.split_once(',') {
                Some((part, next)) => (part, Some(next)),
                None => (rest, None),
            };
            let mut left = part.trim_matches(is_filler);
            while !left.is_empty() {
                left = self.statement(left)?.trim_matches(is_filler);
            }
            match next {
                Some(next) => rest = next,
                None => return Ok(()),
            }
        }
    }

    /// A comment (behind `*`) or a remark beside the last move.
    fn note(&mut self, text: &str) {
        let (comments, remarks) = match &mut self.builder {
            Some(builder) => {
                let node = builder.node_mut();
                (&mut node.comments, &mut node.remarks)
            }
            None => (&mut self.comments, &mut self.remarks),
        };
        if let Some(comment) = text.strip_prefix('*') {
            comments.push(comment.to_owned());
        } else if !text.starts_with("CSA encoding=") {
            remarks.push(text.to_owned());
        }
    }

    fn all_headers(&mut self) -> &mut Headers {
        match &mut self.builder {
            Some(builder) => builder.headers(),
            None => &mut self.headers,
        }
    }

    fn header(&mut self, text: &str) {
        let Some((key, value)) = text.split_once(':') else {
            self.note(&format!("${text}"));
            return;
        };
        self.has_other = true;
        let known = KEYS.iter().find(|(csa, _, _)| *csa == key);
        let key = known.map_or_else(|| format!("${key}"), |(_, name, _)| (*name).to_owned());
        self.all_headers().set(key, value.trim_end());
    }

    /// A statement; several can stand in a line. Returns what stands behind a blank in it.
    fn statement<'t>(&mut self, text: &'t str) -> Result<&'t str, KifuProblem> {
        match text.as_bytes() {
            [] => {}
            [b'V', version @ ..] if self.builder.is_none() && !version.is_empty() => {
                self.has_other = true;
            }
            [b'P', ..] if self.builder.is_none() => {
                self.has_start = true;
                self.start_line(text).map_err(KifuProblem::Start)?;
            }
            [sign @ (b'+' | b'-')] if self.builder.is_none() => {
                let color = if *sign == b'+' {
                    Color::Black
                } else {
                    Color::White
                };
                self.begin(color)?;
            }
            [b'+' | b'-', ..] => {
                // Some programs write the time behind a blank.
                let (text, behind) = text.split_once(is_filler).unwrap_or((text, ""));
                let builder = self.begun(text)?;
                let _ = builder.reopen();
                let m = move_from_csa(builder.position(), text)?;
                builder.play_on(m);
                return Ok(behind);
            }
            [b'%', ..] => {
                let (text, behind) = text.split_once(is_filler).unwrap_or((text, ""));
                self.end(text)?;
                return Ok(behind);
            }
            [b'T', ..] if self.builder.is_some() => self.time(text),
            // These begin lines of the start, which are not passed over.
            [b'P', ..] => {
                return Err(KifuProblem::expected(
                    "a line of CSA (a move such as +7776FU, T12, %TORYO, P1…, N+…, $EVENT:…, '…)",
                    text,
                ));
            }
            _ => self.note(text),
        }
        Ok("")
    }

    /// `%TORYO`.
    fn end(&mut self, text: &str) -> Result<(), KifuProblem> {
        let builder = self.begun(text)?;
        let side = builder.side();
        if let Some(ended) = builder.ending() {
            // shogi-server writes a declaration twice: as it was sent, and as the end. Any other ending is a remark.
            if GameEnding::of_word(&text[1..], side.flip()).0 != *ended {
                self.note(text);
            }
            return Ok(());
        }
        let (ending, word) = GameEnding::of_word(&text[1..], side);
        builder.end(ending);
        builder.node_mut().word = word;
        Ok(())
    }

    /// `T12`. The first time of an ending is its own.
    fn time(&mut self, text: &str) {
        let Some(time) = time_of(&text[1..]) else {
            self.note(text);
            return;
        };
        if let Some(builder) = &mut self.builder {
            let ended = builder.is_ended();
            let node = builder.node_mut();
            if !ended || node.time.is_none() {
                node.time = Some(time);
            }
        }
    }

    fn start_line(&mut self, text: &str) -> Result<(), StartProblem> {
        let expected = |expected, found: &str| StartProblem::Expected {
            expected,
            found: found.to_owned(),
        };
        let rest = text.get(2..).unwrap_or("");
        match text.as_bytes().get(1) {
            Some(b'I') => {
                self.setup = Handicap::Even.position().to_setup();
                for piece in pieces(rest) {
                    let (square, kind) = piece
                        .and_then(|(place, kind)| Some((place?, kind)))
                        .ok_or_else(|| expected("pieces such as 82HI", rest))?;
                    let stands = &mut self.setup.board[square.index()];
                    if stands.is_none_or(|stands| stands.kind() != kind) {
                        return Err(StartProblem::NotThere(rest.to_owned()));
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
            _ => Err(expected("PI, P1 to P9, P+ or P-", text)),
        }
    }

    /// `P1-KY-KE-GI … `: nine pieces or ` * ` of three characters each. Blanks may have been lost at the end and between
    /// empty squares, as in mail.
    fn rank(&mut self, rank: usize, text: &str) -> Result<(), StartProblem> {
        let bad = |expected, found: &str| StartProblem::Rank {
            rank,
            expected,
            found: found.to_owned(),
        };
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
                _ => return Err(bad("pieces such as +FU or *", piece)),
            };
            let kind = piece.get(1..3).and_then(kind_from_csa);
            let kind = kind.ok_or_else(|| bad("a piece such as +FU", piece))?;
            self.setup.board[square.index()] = Some(Piece::new(color, kind));
            rest = &piece[3..];
        }
        if rest.trim_matches(' ').is_empty() {
            Ok(())
        } else {
            Err(StartProblem::LongRank {
                rank,
                found: rest.to_owned(),
            })
        }
    }

    /// `63OU00FU`: pieces on squares and in hand.
    fn place(&mut self, color: Color, text: &str) -> Result<(), StartProblem> {
        let bad = || StartProblem::Expected {
            expected: "pieces such as 63OU00FU",
            found: text.to_owned(),
        };
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
    fn give_all(&mut self, color: Color) -> Result<(), StartProblem> {
        for kind in HandKind::ALL {
            let on_board = self.setup.board.iter().flatten();
            let on_board = on_board
                .filter(|piece| piece.kind().unpromote() == kind.piece_kind())
                .count() as u8;
            let other = self.setup.hands[color.flip()].count(kind);
            let rest = kind.piece_kind().set_count().checked_sub(on_board + other);
            let rest = rest.ok_or(StartProblem::Set)?;
            let hand = &mut self.setup.hands[color];
            *hand = hand.with_count(kind, rest).ok_or(StartProblem::Set)?;
        }
        Ok(())
    }

    fn begin(&mut self, side: Color) -> Result<(), KifuProblem> {
        let start = if self.has_start {
            let setup = Setup {
                side,
                ..std::mem::take(&mut self.setup)
            };
            Position::from_setup(&setup).map_err(|error| KifuProblem::Start(error.into()))?
        } else if side == Color::Black {
            Handicap::Even.position()
        } else {
            return Err(KifuProblem::Start(StartProblem::NoBoard));
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

/// Characters around statements that mean nothing.
fn is_filler(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\u{3000}' | '\u{1a}')
}

/// Milliseconds of `12` or `12.345`.
fn time_of(text: &str) -> Option<u64> {
    let (whole, rest) = text.split_once('.').unwrap_or((text, ""));
    let digits = !whole.is_empty() && whole.bytes().all(|b| b.is_ascii_digit());
    let seconds: u64 = whole.parse().ok().filter(|_| digits)?;
    seconds.checked_mul(1000)?.checked_add(milliseconds(rest)?)
}
