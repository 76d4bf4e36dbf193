//! JKF, the JSON of Kifu for JS (<https://github.com/na2hiro/json-kifu-format>).

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use shogi_core::{Color, HandKind, Move, MoveText, Origin, Piece, Position, Setup, Square};

use crate::csa::{csa_kind, kind_from_csa};
use crate::ending::GameEnding;
use crate::error::{KifuError, KifuProblem, LossKind, Losses};
use crate::record::{GameNodeId, GameRecord, RecordBuilder, Step};
use crate::start::Handicap;
use crate::text::one_line;
use crate::words::{relative_words, square};

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

#[derive(Serialize, Deserialize)]
struct Jkf {
    #[serde(default)]
    header: OrderedHeaders,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    initial: Option<Initial>,
    moves: Vec<Entry>,
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

#[derive(Serialize, Deserialize, Default)]
struct Entry {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    comments: Vec<String>,
    #[serde(default, rename = "move", skip_serializing_if = "Option::is_none")]
    mv: Option<JsonMove>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    time: Option<Times>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    special: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    forks: Option<Vec<Vec<Entry>>>,
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
    let jkf: Jkf = serde_json::from_str(text).map_err(|error| {
        let line = error.line().max(1) as u64;
        KifuError::new(line, KifuProblem::Json(format!("no game in JKF: {error}")))
    })?;
    build(&jkf).map_err(|problem| KifuError::new(1, problem))
}

fn build(jkf: &Jkf) -> Result<GameRecord, KifuProblem> {
    let start = match &jkf.initial {
        None => Handicap::Even.position(),
        Some(initial) => start_of(initial).map_err(KifuProblem::Start)?,
    };
    let mut builder = RecordBuilder::new(start);
    for (key, value) in &jkf.header.0 {
        builder.headers().set(key.as_str(), value.as_str());
    }
    let Some((root, moves)) = jkf.moves.split_first() else {
        return Ok(builder.finish());
    };
    // The entry of the start may be missing in files of careless programs.
    let has_root = root.mv.is_none() && root.special.is_none();
    let moves = if has_root { moves } else { &jkf.moves };
    if has_root {
        push_comments(&mut builder, root);
    }
    read_line(&mut builder, moves, 0)?;
    Ok(builder.finish())
}

/// Reads a line whose first entry follows the first `depth` moves of the current line, and its forks.
fn read_line(builder: &mut RecordBuilder, line: &[Entry], depth: usize) -> Result<(), KifuProblem> {
    builder.back_to(depth);
    let mut depths = Vec::with_capacity(line.len());
    for entry in line {
        depths.push(builder.depth());
        read_entry(builder, entry)?;
    }
    // From the end, so that the moves before a fork are still those of this line.
    for (entry, &depth) in line.iter().zip(&depths).rev() {
        for fork in entry.forks.iter().flatten() {
            read_line(builder, fork, depth)?;
        }
    }
    Ok(())
}

fn read_entry(builder: &mut RecordBuilder, entry: &Entry) -> Result<(), KifuProblem> {
    let number = builder.depth() + 1;
    if let Some(mv) = &entry.mv {
        let name = format!("move {number} ({})", mv.name());
        if builder.is_ended() || builder.is_illegal() {
            let after = "the end of the game";
            return Err(KifuProblem::AfterEnd { found: name, after });
        }
        let m = mv.resolve(builder).map_err(|reason| KifuProblem::Move {
            found: name,
            reason: reason.to_owned(),
        })?;
        builder.play(m);
    } else if let Some(word) = &entry.special {
        let ending = GameEnding::of_word(word, builder.side());
        if !builder.end(ending) {
            let after = "the end of the game";
            return Err(KifuProblem::AfterEnd {
                found: word.clone(),
                after,
            });
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

fn push_comments(builder: &mut RecordBuilder, entry: &Entry) {
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
        let side = position.side_to_move();
        if self
            .color
            .is_some_and(|color| usize::from(color) != side.index())
        {
            return Err("it is the other player's turn");
        }
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

fn start_of(initial: &Initial) -> Result<Position, String> {
    if let Some(handicap) = Handicap::from_jkf(&initial.preset) {
        return Ok(handicap.position());
    }
    if initial.preset != "OTHER" {
        return Err(format!("preset {:?} is unknown", initial.preset));
    }
    let data = initial.data.as_ref().ok_or("preset OTHER needs data")?;
    let mut setup = Setup::default();
    let color = |number: u8| match number {
        0 => Ok(Color::Black),
        1 => Ok(Color::White),
        _ => Err(format!("color {number} is neither 0 nor 1")),
    };
    setup.side = color(data.color)?;
    for (x, file) in data.board.iter().enumerate() {
        for (y, cell) in file.iter().enumerate() {
            let at = square(x + 1, y + 1).ok_or("the board has more than 9 files or ranks")?;
            if let Some(name) = &cell.kind {
                let kind = kind_from_csa(name).ok_or_else(|| format!("{name:?} is no piece"))?;
                setup.board[at.index()] = Some(Piece::new(color(cell.color.unwrap_or(0))?, kind));
            }
        }
    }
    for (hand, side) in data.hands.iter().zip(Color::ALL) {
        let mut counts = HandCounts { ..*hand };
        for kind in HandKind::ALL {
            let count = *counts.count(kind);
            let with = setup.hands[side].with_count(kind, count);
            setup.hands[side] = with.ok_or("more pieces in hand than a set has")?;
        }
    }
    Position::from_setup(&setup).map_err(|error| error.to_string())
}

/// The levels of forks in forks that are written; readers of JSON have a limit too.
const DEEPEST: usize = 30;

/// Writes a game as JKF, in one line with its end.
///
/// # Panics
/// Never: strings and numbers always become JSON.
pub fn write_jkf(record: &GameRecord) -> (String, Losses) {
    let mut losses = Losses::default();
    let start = record.start();
    if start.ply() != 1 {
        losses.add(LossKind::MoveNumber, 1);
    }
    let initial = match Handicap::of(&start.clone().with_ply(1)) {
        Some(handicap) => Initial {
            preset: handicap.jkf().to_owned(),
            data: None,
        },
        None => Initial {
            preset: "OTHER".to_owned(),
            data: Some(data_of(start)),
        },
    };
    let owned = |(key, value): (&str, &str)| (key.to_owned(), value.to_owned());
    let mut root = Entry::default();
    beside(record, GameRecord::ROOT, &mut root, &mut losses);
    let mut moves = vec![root];
    if let Some(&first) = record.node(GameRecord::ROOT).children().first() {
        let writer = &mut JkfWriter {
            record,
            losses: &mut losses,
        };
        moves.extend(writer.line(first, start.clone(), None, [0; 2], 0));
    }
    let jkf = Jkf {
        header: OrderedHeaders(record.headers.iter().map(owned).collect()),
        initial: Some(initial),
        moves,
    };
    let mut text = serde_json::to_string(&jkf).expect("strings and numbers become JSON");
    text.push('\n');
    (text, losses)
}

struct JkfWriter<'a> {
    record: &'a GameRecord,
    losses: &'a mut Losses,
}

impl JkfWriter<'_> {
    /// The line that begins with `first`, played in `position`; `totals` are the times of both players so far.
    fn line(
        &mut self,
        first: GameNodeId,
        mut position: Position,
        mut last_to: Option<Square>,
        mut totals: [u64; 2],
        level: usize,
    ) -> Vec<Entry> {
        let record = self.record;
        let mut entries = Vec::new();
        for (depth, id) in (record.depth(first)..).zip(record.line_from(first)) {
            let node = record.node(id);
            let mut entry = Entry::default();
            let parent = record.node(id).parent().unwrap_or(GameRecord::ROOT);
            let siblings = record.node(parent).children();
            if siblings.first() == Some(&id) && siblings.len() > 1 {
                if level < DEEPEST {
                    let fork = |&other: &GameNodeId| {
                        self.line(other, position.clone(), last_to, totals, level + 1)
                    };
                    entry.forks = Some(siblings[1..].iter().map(fork).collect());
                } else {
                    self.losses.add(LossKind::Variations, siblings.len() - 1);
                }
            }
            let side = record.side_at(depth - 1);
            match node.step() {
                Some(Step::Move(m) | Step::Illegal(m)) => {
                    entry.mv = Some(JsonMove::of(&position, *m, last_to));
                    last_to = Some(m.to());
                }
                Some(Step::End(ending)) => {
                    let word = ending.csa(side).unwrap_or(ending.kif());
                    let back =
                        GameEnding::from_csa(word, side).or_else(|| GameEnding::from_kif(word));
                    if back.is_some_and(|back| back != *ending) {
                        self.losses.add(LossKind::Endings, 1);
                    }
                    entry.special = Some(word.to_owned());
                }
                None => {}
            }
            if let Some(m) = node.legal_move() {
                let _ = position.do_move(m);
            }
            if let Some(time) = node.time {
                totals[side.index()] += time;
                self.losses
                    .add(LossKind::Fractions, usize::from(!time.is_multiple_of(1000)));
                let total = totals[side.index()] / 1000;
                entry.time = Some(Times {
                    now: Time::of(time / 1000, false),
                    total: Some(Time::of(total, true)),
                });
            }
            beside(record, id, &mut entry, self.losses);
            entries.push(entry);
        }
        entries
    }
}

impl Time {
    /// A time with hours always, or only when there are some.
    fn of(seconds: u64, with_hours: bool) -> Self {
        let hours = seconds / 3600;
        Self {
            h: (with_hours || hours > 0).then_some(hours),
            m: seconds / 60 % 60,
            s: seconds % 60,
        }
    }
}

fn beside(record: &GameRecord, id: GameNodeId, entry: &mut Entry, losses: &mut Losses) {
    let node = record.node(id);
    let comments = node.comments.iter();
    entry.comments = comments
        .map(|comment| one_line(comment, LossKind::Comments, losses).into_owned())
        .collect();
    losses.add(LossKind::Remarks, node.remarks.len());
    losses.add(LossKind::Bookmarks, usize::from(node.bookmark.is_some()));
}

fn data_of(position: &Position) -> Data {
    let cell = |file: usize, rank: usize| {
        let piece = square(file, rank).and_then(|square| position.piece_on(square));
        piece.map_or_else(Cell::default, |piece| Cell {
            color: Some(piece.color() as u8),
            kind: Some(csa_kind(piece.kind()).to_owned()),
        })
    };
    let hands = Color::ALL.into_iter().map(|color| {
        let mut counts = HandCounts::default();
        for (kind, count) in position.hand(color).iter() {
            *counts.count(kind) = count;
        }
        counts
    });
    Data {
        color: position.side_to_move() as u8,
        board: (1..=9)
            .map(|file| (1..=9).map(|rank| cell(file, rank)).collect())
            .collect(),
        hands: hands.collect(),
    }
}

/// Seconds, cut to a whole number.
fn seconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let seconds = f64::deserialize(deserializer)?;
    Ok(seconds.max(0.0) as u64)
}
