//! JKF, the JSON of Kifu for JS (<https://github.com/na2hiro/json-kifu-format>).
//!
//! Variations stand in variations, as deep as a record has them. Neither reading nor writing calls itself for them, so that
//! depth costs no stack: a fork is kept as its text until its turn comes.

mod write;

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use shogi_core::{Color, HandKind, Move, MoveText, Origin, Piece, Position, Setup, Square};

use crate::csa::{csa_kind, kind_from_csa};
use crate::ending::GameEnding;
use crate::error::{KifuError, KifuProblem, StartProblem};
use crate::record::{GameNodeId, GameRecord, RecordBuilder};
use crate::start::Handicap;
use crate::words::{relative_words, square};

pub use write::write_jkf;

/// Headers with their order.
#[derive(Default)]
struct OrderedHeaders(Vec<(String, String)>);

impl Serialize for OrderedHeaders {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for OrderedHeaders {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = OrderedHeaders;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of headers, each a string")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut headers = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    headers.push(entry);
                }
                Ok(OrderedHeaders(headers))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

#[derive(Deserialize)]
struct Jkf<'a> {
    #[serde(default)]
    header: OrderedHeaders,
    #[serde(default)]
    initial: Option<Initial>,
    #[serde(borrow)]
    moves: Vec<Entry<'a>>,
}

/// A record without its moves, which are written by themselves.
#[derive(Serialize)]
struct Head {
    header: OrderedHeaders,
    initial: Initial,
}

#[derive(Serialize, Deserialize)]
struct Initial {
    preset: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    data: Option<Data>,
}

#[derive(Serialize, Deserialize)]
struct Data {
    #[serde(default)]
    color: u8,
    #[serde(default)]
    board: Vec<Vec<Cell>>,
    #[serde(default)]
    hands: Vec<HandCounts>,
}

#[derive(Serialize, Deserialize, Default)]
struct Cell {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    color: Option<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
}

/// Pieces in hand by CSA's names, pawns first.
#[derive(Serialize, Deserialize, Default)]
#[serde(rename_all = "UPPERCASE", default)]
struct HandCounts {
    fu: u8,
    ky: u8,
    ke: u8,
    gi: u8,
    ki: u8,
    ka: u8,
    hi: u8,
}

impl HandCounts {
    fn count(&mut self, kind: HandKind) -> &mut u8 {
        match kind {
            HandKind::Pawn => &mut self.fu,
            HandKind::Lance => &mut self.ky,
            HandKind::Knight => &mut self.ke,
            HandKind::Silver => &mut self.gi,
            HandKind::Gold => &mut self.ki,
            HandKind::Bishop => &mut self.ka,
            HandKind::Rook => &mut self.hi,
        }
    }
}

/// An entry of a line of moves. The forks are the last of it in writing, too, which adds them itself.
#[derive(Serialize, Deserialize, Default)]
struct Entry<'a> {
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "or_default"
    )]
    comments: Vec<String>,
    #[serde(default, rename = "move", skip_serializing_if = "Option::is_none")]
    mv: Option<JsonMove>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    time: Option<Times>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    special: Option<String>,
    /// Each is an array of entries.
    #[serde(borrow, default, skip_serializing)]
    forks: Option<Vec<&'a RawValue>>,
}

#[derive(Serialize, Deserialize)]
struct JsonMove {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    color: Option<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from: Option<Place>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    to: Option<Place>,
    piece: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    same: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    promote: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    capture: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    relative: Option<String>,
}

#[derive(Serialize, Deserialize, Clone, Copy)]
struct Place {
    x: u8,
    y: u8,
}

impl Place {
    fn of(square: Square) -> Self {
        Self {
            x: square.file().index() as u8 + 1,
            y: square.rank().index() as u8 + 1,
        }
    }

    fn square(self) -> Option<Square> {
        square(self.x.into(), self.y.into())
    }
}

#[derive(Serialize, Deserialize)]
struct Times {
    now: Time,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    total: Option<Time>,
}

#[derive(Serialize, Deserialize)]
struct Time {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    h: Option<u64>,
    #[serde(default)]
    m: u64,
    #[serde(default, deserialize_with = "seconds")]
    s: u64,
}

/// Reads one game in JKF.
///
/// # Errors
/// With the line of JSON that is wrong; line 1 and the number of the move when it is JSON but no game.
pub fn read_jkf(text: &str) -> Result<GameRecord, KifuError> {
    let jkf: Jkf<'_> = serde_json::from_str(text).map_err(|error| {
        let line = error.line().max(1) as u64;
        KifuError::new(line, KifuProblem::Json(format!("no game in JKF: {error}")))
    })?;
    build(jkf).map_err(|problem| KifuError::new(1, problem))
}

fn build(jkf: Jkf<'_>) -> Result<GameRecord, KifuProblem> {
    let start = match &jkf.initial {
        None => Handicap::Even.position(),
        Some(initial) => start_of(initial).map_err(KifuProblem::Start)?,
    };
    let mut builder = RecordBuilder::new(start);
    for (key, value) in &jkf.header.0 {
        builder.headers().set(key.as_str(), value.as_str());
    }
    let mut moves = jkf.moves;
    // The entry of the start may be missing in files of careless programs.
    if moves
        .first()
        .is_some_and(|root| root.mv.is_none() && root.special.is_none())
    {
        push_comments(&mut builder, &moves.remove(0));
    }
    let mut forks = Vec::new();
    read_line(&mut builder, &moves, 1, &mut forks)?;
    while let Some(fork) = forks.pop() {
        if fork.level > DEEPEST {
            let text = format!("variations stand in variations deeper than {DEEPEST} times");
            return Err(KifuProblem::Json(text));
        }
        let entries: Vec<Entry<'_>> = serde_json::from_str(fork.text.get())
            .map_err(|error| KifuProblem::Json(format!("no line of moves: {error}")))?;
        // The line that the fork leaves is gone from the builder: it is gone to by its node.
        builder.go_to(fork.after);
        read_line(&mut builder, &entries, fork.level + 1, &mut forks)?;
    }
    Ok(builder.finish())
}

/// The levels of forks in forks that are read and written: each level is looked through once more for every one above it.
const DEEPEST: usize = 4096;

/// A fork that is still to be read.
struct Fork<'a> {
    /// The node that it follows.
    after: GameNodeId,
    /// Forks that it stands in, itself among them.
    level: usize,
    text: &'a RawValue,
}

/// Reads a line whose first entry follows the current node. Its forks, of this level, come on the stack `forks`, the first of the
/// last entry on top: those of a node are read in their order.
fn read_line<'a>(
    builder: &mut RecordBuilder,
    line: &[Entry<'a>],
    level: usize,
    forks: &mut Vec<Fork<'a>>,
) -> Result<(), KifuProblem> {
    for entry in line {
        // What follows an ending is played beside it.
        let here = builder.node();
        let parent = builder.record().node(here).parent();
        let after = parent.filter(|_| builder.is_ended()).unwrap_or(here);
        if let Some(found) = &entry.forks {
            forks.extend(found.iter().rev().map(|text| Fork { after, level, text }));
        }
        read_entry(builder, entry)?;
    }
    Ok(())
}

fn read_entry(builder: &mut RecordBuilder, entry: &Entry<'_>) -> Result<(), KifuProblem> {
    let number = builder.depth() + 1;
    if let Some(mv) = &entry.mv {
        let _ = builder.reopen();
        let m = mv.resolve(builder).map_err(|reason| KifuProblem::Move {
            found: format!("move {number} ({})", mv.name()),
            reason: reason.to_owned(),
        })?;
        builder.play_on(m);
    }
    if let Some(word) = &entry.special {
        if builder.is_ended() {
            // The game has its ending; this one is a remark.
            builder.node_mut().remarks.push(word.clone());
        } else {
            let (ending, own) = GameEnding::of_word(word, builder.side());
            builder.end(ending);
            builder.node_mut().word = own;
        }
    }
    // The time of a move that is not there is none.
    let has_step = entry.mv.is_some() || entry.special.is_some();
    if let Some(Times { now, .. }) = entry.time.as_ref().filter(|_| has_step) {
        let minutes = now.h.unwrap_or(0).saturating_mul(60).saturating_add(now.m);
        let seconds = minutes.saturating_mul(60).saturating_add(now.s);
        builder.node_mut().time = seconds.checked_mul(1000);
    }
    push_comments(builder, entry);
    Ok(())
}

fn push_comments(builder: &mut RecordBuilder, entry: &Entry<'_>) {
    let comments = &mut builder.node_mut().comments;
    for comment in &entry.comments {
        comments.extend(
            comment
                .split('\n')
                .map(|line| line.trim_end_matches('\r').replace('\r', " ")),
        );
    }
}

/// JKF's letters for the words that tell pieces apart.
const RELATIVE: [(char, char); 7] = [
    ('左', 'L'),
    ('直', 'C'),
    ('右', 'R'),
    ('上', 'U'),
    ('寄', 'M'),
    ('引', 'D'),
    ('打', 'H'),
];

impl JsonMove {
    fn name(&self) -> String {
        let place =
            |place: Option<Place>| place.map_or_else(String::new, |at| format!("{}{}", at.x, at.y));
        format!("{}{}{}", place(self.from), place(self.to), self.piece)
    }

    fn resolve(&self, builder: &RecordBuilder) -> Result<Move, &'static str> {
        let position = builder.position();
        let kind = kind_from_csa(&self.piece).ok_or("expected a piece such as FU")?;
        let to = match self.to {
            Some(to) => to.square().ok_or("its destination is no square")?,
            None => builder.last_to().ok_or("it has no destination")?,
        };
        let letters = self.relative.as_deref().unwrap_or("");
        let relative: Vec<char> = letters
            .chars()
            .filter_map(|letter| RELATIVE.iter().find(|row| row.1 == letter).map(|row| row.0))
            .collect();
        if let Some(from) = self.from {
            let from = from.square().ok_or("its origin is no square")?;
            let promote = self.promote == Some(true);
            let text = MoveText {
                origin: Origin::Board(from),
                to,
                promote,
            };
            let m = position
                .complete(text)
                .ok_or("no own piece is on its origin")?;
            return if m.piece_before().kind() == kind {
                Ok(m)
            } else {
                Err("another piece is on its origin")
            };
        }
        let written = crate::words::WrittenMove {
            to: Some(to),
            kind,
            from: None,
            // Without an origin it is a drop, unless words tell where the piece comes from.
            drop: relative.is_empty() || relative.contains(&'打'),
            promote: self.promote,
            relative,
        };
        written
            .resolve(position, None)
            .map_err(|_| "no piece can make it, or several can")
    }

    fn of(position: &Position, m: Move, last_to: Option<Square>) -> Self {
        let kind = m.piece_before().kind();
        let zone = |square: Square| square.is_promotion_zone(m.color());
        let could = m
            .from()
            .is_some_and(|from| kind.can_promote() && (zone(from) || zone(m.to())));
        let captured = position
            .piece_on(m.to())
            .filter(|piece| piece.color() != m.color());
        let words = relative_words(position, m);
        let relative: String = words
            .chars()
            .filter_map(|word| RELATIVE.iter().find(|row| row.0 == word).map(|row| row.1))
            .collect();
        Self {
            color: Some(m.color() as u8),
            from: m.from().map(Place::of),
            to: Some(Place::of(m.to())),
            piece: csa_kind(kind).to_owned(),
            same: (last_to == Some(m.to())).then_some(true),
            promote: (could || m.is_promotion()).then_some(m.is_promotion()),
            capture: captured.map(|piece| csa_kind(piece.kind()).to_owned()),
            relative: (!relative.is_empty()).then_some(relative),
        }
    }
}

fn start_of(initial: &Initial) -> Result<Position, StartProblem> {
    if let Some(handicap) = Handicap::from_jkf(&initial.preset) {
        return Ok(handicap.position());
    }
    if initial.preset != "OTHER" {
        return Err(StartProblem::Preset(initial.preset.clone()));
    }
    let data = initial.data.as_ref().ok_or(StartProblem::NoData)?;
    let mut setup = Setup::default();
    let color = |number: u8| match number {
        0 => Ok(Color::Black),
        1 => Ok(Color::White),
        _ => Err(StartProblem::Color(number)),
    };
    setup.side = color(data.color)?;
    check_size(&data.board)?;
    for (x, file) in data.board.iter().enumerate() {
        for (y, cell) in file.iter().enumerate() {
            let at = square(x + 1, y + 1).ok_or(StartProblem::LargeBoard)?;
            if let Some(name) = &cell.kind {
                let kind = kind_from_csa(name).ok_or_else(|| StartProblem::Piece(name.clone()))?;
                setup.board[at.index()] = Some(Piece::new(color(cell.color.unwrap_or(0))?, kind));
            }
        }
    }
    for (hand, side) in data.hands.iter().zip(Color::ALL) {
        let mut counts = HandCounts { ..*hand };
        for kind in HandKind::ALL {
            let count = *counts.count(kind);
            let with = setup.hands[side].with_count(kind, count);
            setup.hands[side] = with.ok_or(StartProblem::Hand)?;
        }
    }
    Ok(Position::from_setup(&setup)?)
}

/// Refuses the boards of other games. Empty squares may be left out at the ends of files.
fn check_size(board: &[Vec<Cell>]) -> Result<(), StartProblem> {
    let longest = board.iter().map(Vec::len).max().unwrap_or(0);
    let is_even = board.iter().all(|file| file.len() == longest);
    if !board.is_empty() && board.len() < 9 {
        return Err(StartProblem::Files(board.len()));
    }
    if longest > 9 || (is_even && (1..9).contains(&longest)) {
        return Err(StartProblem::Ranks(longest));
    }
    Ok(())
}

/// Seconds, cut to a whole number.
fn seconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let seconds = f64::deserialize(deserializer)?;
    Ok(seconds.max(0.0) as u64)
}

/// A value, or the default for `null`.
fn or_default<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: Default + Deserialize<'de>,
    D: Deserializer<'de>,
{
    Ok(Option::<T>::deserialize(deserializer)?.unwrap_or_default())
}
