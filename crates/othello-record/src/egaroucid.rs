//! JSON of Egaroucid's game library: an object for each position, under the number of its discs.
//!
//! Values are those of black; 100000000 is none. Boards are those of the player to move, h8 = bit 0. A forced pass has no object
//! of its own: the board is that behind it. Members that are not known here are kept.

use othello_core::{Board, BoardError, Move, Position, Side, Square, State};

use crate::OthelloFormat;
use crate::losses::{RecordLoss, RecordLosses};
use crate::properties::Fault;
use crate::raw_json::{JsonWriter, RawObject};
use crate::result::OthelloResult;
use crate::tree::{DiscValue, MoveNote, OthelloNodeId, OthelloRecord, RecordExtra, iso_date};

/// The value that stands for none.
const NO_VALUE: i64 = 100_000_000;

/// The level of the end of the game.
const END: i64 = 100;

/// The members of a position that must be there.
const NEEDED: [&str; 7] = [
    "board_player",
    "board_opponent",
    "player",
    "value",
    "level",
    "policy",
    "next_policy",
];

/// Returns whether an object is a game of Egaroucid: a position under a number of discs.
pub(crate) fn is_game(object: &RawObject) -> bool {
    object
        .0
        .iter()
        .any(|(key, value)| is_discs(key) && value.get().contains("board_player"))
}

fn is_discs(key: &str) -> bool {
    let discs = key.parse::<u32>().is_ok_and(|discs| discs <= 64);
    discs && (key == "0" || !key.starts_with(['0', '+']))
}

fn extra(key: &str, value: &str) -> RecordExtra {
    RecordExtra {
        format: OthelloFormat::Egaroucid,
        key: key.to_owned(),
        value: value.to_owned(),
    }
}

/// What is wrong with a position of the file.
#[derive(Debug, thiserror::Error)]
enum StoredProblem {
    #[error("an object was expected")]
    NoObject,
    #[error("{key}: {text} is no number of 64 bits")]
    Bits { key: String, text: String },
    #[error(transparent)]
    Board(#[from] BoardError),
    #[error("player: 0 (black) or 1 (white) was expected")]
    Player,
    #[error("{0}: a whole number was expected")]
    Number(String),
    #[error("{key}: {number} is no square")]
    Square { key: String, number: i64 },
    #[error("value: {0} is neither from -64 to 64 nor {NO_VALUE}")]
    Value(i64),
    #[error("level: {0}")]
    Level(i64),
    #[error("the board has {0} discs")]
    Discs(u32),
    #[error("its board is not that of the position before and one more disc")]
    NoMove,
    #[error("policy is {said}, but the disc that was placed is on {placed}")]
    Policy { said: Square, placed: Square },
    #[error("{0} is not legal")]
    Illegal(Square),
    #[error("the other side is to move")]
    Side,
    #[error("the board is not what the move {0} leads to")]
    Reached(Square),
    #[error("the pass is not legal")]
    Pass,
}

/// A position of the file.
struct Stored {
    position: Position,
    members: RawObject,
}

impl Stored {
    /// Reads a position; `None` if it is not complete, as Egaroucid leaves it out then.
    fn read(members: RawObject) -> Result<Option<Self>, StoredProblem> {
        if NEEDED.iter().any(|key| members.get(key).is_none()) {
            return Ok(None);
        }
        let bits = |key: &str| -> Result<u64, StoredProblem> {
            let text = members.get(key).unwrap_or_default();
            let bits: u64 = text.parse().map_err(|_| StoredProblem::Bits {
                key: key.to_owned(),
                text: text.to_owned(),
            })?;
            Ok(bits.reverse_bits())
        };
        let board = Board::new(bits("board_player")?, bits("board_opponent")?)?;
        let side = match members.number("player") {
            Some(0) => Side::Black,
            Some(1) => Side::White,
            _ => return Err(StoredProblem::Player),
        };
        Ok(Some(Self {
            position: Position::new(board, side),
            members,
        }))
    }

    fn number(&self, key: &str) -> Result<i64, StoredProblem> {
        let number = self.members.number(key);
        number.ok_or_else(|| StoredProblem::Number(key.to_owned()))
    }

    /// The square of a member; `None` for none.
    fn square(&self, key: &str) -> Result<Option<Square>, StoredProblem> {
        match self.number(key)? {
            -1 => Ok(None),
            number @ 0..=63 => Ok(Square::new(63 - number as u8)),
            number => Err(StoredProblem::Square {
                key: key.to_owned(),
                number,
            }),
        }
    }

    /// What the position says beside its board. `is_last` and the score of a finished game tell what need not be kept.
    fn note(&self, next: Option<Square>, score: Option<i32>) -> Result<MoveNote, StoredProblem> {
        let (value, level) = (self.number("value")?, self.number("level")?);
        let mut note = MoveNote::default();
        let is_end = level == END && score.is_some_and(|score| i64::from(score) == value);
        if !is_end {
            note.value = match value {
                NO_VALUE => None,
                value if value.abs() <= 64 => Some(DiscValue::discs(value as i32)),
                value => return Err(StoredProblem::Value(value)),
            };
            note.level = (level != -1)
                .then_some(i32::try_from(level).map_err(|_| StoredProblem::Level(level))?);
        }
        // The last position may name a move that was taken back.
        if next.is_none() && self.number("next_policy")? != -1 {
            note.extras.push(extra(
                "next_policy",
                self.members.get("next_policy").unwrap_or_default(),
            ));
        }
        let others = self
            .members
            .0
            .iter()
            .filter(|(key, _)| !NEEDED.contains(&key.as_str()));
        note.extras
            .extend(others.map(|(key, value)| extra(key, value.get())));
        Ok(note)
    }
}

/// Reads a game.
pub(crate) fn read(object: &RawObject) -> Result<OthelloRecord, Fault> {
    let mut stored: Vec<(u32, Stored)> = Vec::new();
    let mut others = Vec::new();
    for (key, value) in &object.0 {
        let wrong = |problem: StoredProblem| Fault::new(0, format!("position {key}: {problem}"));
        let known = [
            "date",
            "black_player",
            "white_player",
            "memo",
            "black_discs",
            "white_discs",
        ];
        if is_discs(key) {
            let members =
                serde_json::from_str(value.get()).map_err(|_| wrong(StoredProblem::NoObject))?;
            if let Some(position) = Stored::read(members).map_err(wrong)? {
                stored.push((key.parse().unwrap_or_default(), position));
                continue;
            }
        } else if known.contains(&key.as_str()) {
            continue;
        }
        others.push(extra(key, value.get()));
    }
    stored.sort_by_key(|(discs, _)| *discs);
    let Some((_, first)) = stored.first() else {
        return Err(Fault::new(0, "no position of the game is complete"));
    };
    let mut record = OthelloRecord::new(first.position);
    let mut at = OthelloRecord::ROOT;
    for (n, (discs, here)) in stored.iter().enumerate() {
        let wrong = |problem: StoredProblem| Fault::new(0, format!("position {discs}: {problem}"));
        if here.position.board().discs() != *discs {
            return Err(wrong(StoredProblem::Discs(here.position.board().discs())));
        }
        if n > 0 {
            at = step(&mut record, at, here).map_err(wrong)?;
        }
        let next = stored.get(n + 1).map(|(_, next)| next);
        let next = next
            .map(|next| next.square("policy"))
            .transpose()
            .map_err(wrong)?;
        let is_last = n + 1 == stored.len();
        let score = is_last
            .then(|| black_score(record.node(at).position()))
            .flatten();
        let note = here
            .note(next.map(|_| Square::ALL[0]), score)
            .map_err(wrong)?;
        *record.note_mut(at) = note;
    }
    header(&mut record, object)?;
    record.info.extras = others;
    Ok(record)
}

/// The final score for black; `None` before the end.
fn black_score(position: Position) -> Option<i32> {
    let board = position.board();
    let score = board.is_over().then(|| board.score())?;
    Some(if position.side() == Side::Black {
        score
    } else {
        -score
    })
}

/// Plays the move that leads to a position.
fn step(
    record: &mut OthelloRecord,
    at: OthelloNodeId,
    here: &Stored,
) -> Result<OthelloNodeId, StoredProblem> {
    let before = record.node(at).position();
    let after = here.position;
    let new = (after.black() | after.white()) & !(before.black() | before.white());
    let square = Square::new(new.trailing_zeros().min(63) as u8).filter(|_| new.is_power_of_two());
    let said = here.square("policy")?;
    let square = square.ok_or(StoredProblem::NoMove)?;
    if let Some(said) = said.filter(|said| *said != square) {
        return Err(StoredProblem::Policy {
            said,
            placed: square,
        });
    }
    let next = record
        .add_square(at, square)
        .ok_or(StoredProblem::Illegal(square))?;
    let reached = record.node(next).position();
    let is_over = reached.board().is_over();
    if !is_over && reached.side() != after.side() && reached.board() == after.board() {
        return Err(StoredProblem::Side);
    }
    let is_same =
        |position: Position| (position.black(), position.white()) == (after.black(), after.white());
    if !is_same(reached) {
        return Err(StoredProblem::Reached(square));
    }
    match reached.board().state() {
        // Nobody moves: either side may stand there.
        State::Over => Ok(next),
        State::Pass if after.side() != reached.side() => {
            record.add(next, Move::Pass).ok_or(StoredProblem::Pass)
        }
        _ if after.side() == reached.side() => Ok(next),
        _ => Err(StoredProblem::Side),
    }
}

fn header(record: &mut OthelloRecord, object: &RawObject) -> Result<(), Fault> {
    let text = |key: &str| match (object.get(key), object.text(key)) {
        (Some(_), None) => Err(Fault::new(0, format!("{key}: a text was expected"))),
        (_, text) => Ok(text.unwrap_or_default()),
    };
    record.info.date = text("date")?;
    record.info.black.name = text("black_player")?;
    record.info.white.name = text("white_player")?;
    record.info.comment = text("memo")?;
    let discs = |key: &str| match object.number(key) {
        Some(number @ 0..=64) => Ok(Some(number as u32)),
        Some(-1) => Ok(None),
        None if object.get(key).is_none() => Ok(None),
        _ => Err(Fault::new(
            0,
            format!("{key}: a number of discs, or -1, was expected"),
        )),
    };
    if let (Some(black), Some(white)) = (discs("black_discs")?, discs("white_discs")?) {
        let result = OthelloResult::of_discs(black, white);
        let result = result
            .ok_or_else(|| Fault::new(0, format!("{black} and {white} discs are too many")))?;
        record.set_result(Some(result));
    }
    Ok(())
}

/// Writes the line that is played.
pub(crate) fn write(record: &OthelloRecord, losses: &mut RecordLosses) -> String {
    let info = &record.info;
    let mut text = JsonWriter::default();
    let date = iso_date(&info.date).unwrap_or_else(|| info.date.clone());
    losses.add(
        RecordLoss::Dates,
        usize::from(date.len() < info.date.trim().len()),
    );
    text.text("date", &date);
    text.text("black_player", &info.black.name);
    text.text("white_player", &info.white.name);
    text.text("memo", &info.comment);
    let discs = final_discs(record, losses);
    text.raw("black_discs", discs[0].to_string());
    text.raw("white_discs", discs[1].to_string());
    for name in [&info.event, &info.round, &info.place] {
        losses.text(RecordLoss::Names, name);
    }
    losses.text(RecordLoss::Ratings, &info.black.rating);
    losses.text(RecordLoss::Ratings, &info.white.rating);
    losses.text(RecordLoss::TimeControls, &info.time_control);
    losses.variant(info);
    losses.foreign(&info.extras, OthelloFormat::Egaroucid);
    losses.variations(record);
    let line: Vec<_> = record.main_line().collect();
    let mut policy = None;
    for (n, &id) in line.iter().enumerate() {
        let node = record.node(id);
        let next = line.get(n + 1).and_then(|&next| record.node(next).mv());
        if let Some(Move::Place(square)) = node.mv() {
            policy = Some(square);
        }
        // A forced pass has no object of its own, unless the game begins with it.
        let is_behind_start = n == 1 && node.mv() == Some(Move::Pass);
        if next == Some(Move::Pass) && n > 0 || is_behind_start {
            losses.whole_note(&node.note);
            continue;
        }
        count_note(&node.note, losses);
        let next = line[n + 1..]
            .iter()
            .find_map(|&next| match record.node(next).mv() {
                Some(Move::Place(square)) => Some(square),
                _ => None,
            });
        let discs = node.position().board().discs().to_string();
        text.raw(&discs, object(node.position(), &node.note, policy, next));
    }
    for id in record.ids().filter(|id| !line.contains(id)) {
        losses.whole_note(&record.node(id).note);
    }
    for extra in info
        .extras
        .iter()
        .filter(|extra| extra.format == OthelloFormat::Egaroucid)
    {
        text.raw(&extra.key, extra.value.clone());
    }
    format!("{}\n", text.finish(Some(0)))
}

/// The value of a position, if it is within ±64 discs.
fn discs_of(note: &MoveNote) -> Option<DiscValue> {
    note.value.filter(|value| value.0.abs() <= 6400)
}

/// Counts what a position of Egaroucid cannot hold.
fn count_note(note: &MoveNote, losses: &mut RecordLosses) {
    losses.add(RecordLoss::Times, usize::from(note.time.is_some()));
    losses.add(
        RecordLoss::Values,
        usize::from(note.value != discs_of(note)),
    );
    losses.text(RecordLoss::Comments, &note.comment);
    losses.foreign(&note.extras, OthelloFormat::Egaroucid);
    losses.add(
        RecordLoss::Fractions,
        usize::from(note.value.is_some_and(|value| value.0 % 100 != 0)),
    );
}

/// The discs at the end, -1 if they are not known.
pub(crate) fn final_discs(record: &OthelloRecord, losses: &mut RecordLosses) -> [i32; 2] {
    let position = record.node(record.last()).position();
    let is_over = position.board().is_over();
    let on_board = [
        position.black().count_ones() as i32,
        position.white().count_ones() as i32,
    ];
    let result = record.info.result;
    if is_over && result.is_none() {
        return on_board;
    }
    let discs = result.and_then(OthelloResult::discs);
    let is_told = result
        .is_none_or(|result| discs.is_some() && result == OthelloResult::played(result.outcome));
    losses.add(RecordLoss::Results, usize::from(!is_told));
    let unknown = if is_over { on_board } else { [-1, -1] };
    discs.map_or(unknown, |[black, white]| [black as i32, white as i32])
}

/// The object of a position.
fn object(
    position: Position,
    note: &MoveNote,
    policy: Option<Square>,
    next: Option<Square>,
) -> String {
    let [mover, opponent] = position.board().h8_first();
    let number =
        |square: Option<Square>| square.map_or(-1, |square| i32::from(63 - square.number()));
    let (value, level) = match black_score(position) {
        Some(score) if note.value.is_none() && note.level.is_none() => (i64::from(score), END),
        _ => (
            // Rounded to whole discs, away from zero at the half.
            discs_of(note).map_or(NO_VALUE, |value| {
                (f64::from(value.0) / 100.0).round() as i64
            }),
            note.level.map_or(-1, i64::from),
        ),
    };
    let own = |key: &str| {
        let mut extras = note
            .extras
            .iter()
            .filter(|extra| extra.format == OthelloFormat::Egaroucid);
        extras
            .find(|extra| extra.key == key)
            .map(|extra| extra.value.clone())
    };
    let mut text = JsonWriter::default();
    text.raw("board_player", mover.to_string());
    text.raw("board_opponent", opponent.to_string());
    text.raw(
        "player",
        if position.side() == Side::Black {
            "0"
        } else {
            "1"
        },
    );
    text.raw("value", value.to_string());
    text.raw("level", level.to_string());
    text.raw("policy", number(policy).to_string());
    let next = if next.is_none() {
        own("next_policy")
    } else {
        None
    }
    .unwrap_or_else(|| number(next).to_string());
    text.raw("next_policy", next);
    for extra in note
        .extras
        .iter()
        .filter(|extra| extra.format == OthelloFormat::Egaroucid)
    {
        text.raw(&extra.key, extra.value.clone());
    }
    text.finish(Some(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(moves: &str) -> OthelloRecord {
        let mut record = OthelloRecord::from(&moves.parse::<othello_core::Game>().unwrap());
        record.info.black.name = "Björk \"b\"".to_owned();
        record.info.date = "2026-01-31".to_owned();
        record
    }

    fn read_text(text: &str) -> Result<OthelloRecord, Fault> {
        read(&RawObject::read(text)?)
    }

    #[test]
    fn games_are_read_as_they_are_written_with_passes_and_unknown_members() {
        let moves = "d3e3f4g5f5f6g6c3f7g7d2c4h6e6c5g4b3e2h5a3a2h4f3h7a4b2d1e8c1b5d6e1d7a1g8e7b1h3f2a5f1c6b4g3c7b7f8h8c8c2a6b6h2a8a7g1h1g2b8d8";
        for moves in ["", "f5d6c3", moves] {
            let mut record = game(moves);
            let second = record.main_line().nth(1);
            if let Some(id) = second {
                let note = record.note_mut(id);
                (note.value, note.level) = (Some(DiscValue::discs(-3)), Some(21));
                note.extras
                    .push(extra("black_time_msec", "12345678901234567890"));
            }
            record
                .info
                .extras
                .push(extra("tags", "[1.50, {\"a\": null}]"));
            let mut losses = RecordLosses::default();
            let written = write(&record, &mut losses);
            assert!(losses.is_empty(), "{losses}");
            assert_eq!(read_text(&written).as_ref(), Ok(&record), "{written}");
            assert_eq!(write(&read_text(&written).unwrap(), &mut losses), written);
        }
        let mut unfinished = game("f5d6c3");
        unfinished.set_result(Some(OthelloResult::played(crate::OthelloOutcome::Score(
            12,
        ))));
        let written = write(&unfinished, &mut RecordLosses::default());
        assert!(written.contains("\"black_discs\": 38"), "{written}");
        assert_eq!(read_text(&written), Ok(unfinished.clone()));
        assert_eq!(
            crate::EgaroucidRow::of("x", &unfinished).to_string(),
            "x,\"Björk \"\"b\"\"\",,,38,26,2026-01-31"
        );
    }

    #[test]
    fn numbers_of_64_bits_are_exact() {
        // All discs are white's but one: a number beyond 2^63.
        let board = Board::new(u64::MAX << 1 & !2, 1).unwrap();
        let record = OthelloRecord::new(Position::new(board, Side::White));
        let written = write(&record, &mut RecordLosses::default());
        assert!(written.contains("9223372036854775808"), "{written}");
        assert_eq!(read_text(&written), Ok(record));
    }

    #[test]
    fn mistakes_name_the_position() {
        let written = write(&game("f5d6c3"), &mut RecordLosses::default());
        let changed = |from: &str, to: &str| {
            assert!(written.contains(from), "{from}: {written}");
            read_text(&written.replacen(from, to, 1))
                .unwrap_err()
                .reason
        };
        assert!(changed("\"5\": {", "\"5x\": {").contains("position 6: its board is not"));
        assert!(changed("\"player\": 1", "\"player\": 0").contains("position 5: the other side"));
        assert!(
            changed("\"player\": 1", "\"player\": 2").contains("position 5: player: 0 (black)")
        );
        assert!(changed("\"policy\": 26", "\"policy\": 27").contains("position 5: policy is e5"));
        assert!(
            changed("\"board_player\": 34", "\"board_player\": -34").contains("board_player: -34")
        );
        assert!(changed("\"value\": 100000000", "\"value\": 65").contains("value: 65"));
        assert!(changed("\"date\": \"", "\"date\": 3, \"x\": \"").contains("date: a text"));
        assert!(
            read_text("{\"4\":{}}")
                .unwrap_err()
                .reason
                .contains("no position")
        );
        let cut = RawObject::read(&written[..written.len() / 2]).unwrap_err();
        assert!(cut.at > 0 && cut.reason.contains("EOF"), "{cut:?}");
        assert!(
            RawObject::read("{\"a\":1,\"a\":2}")
                .unwrap_err()
                .reason
                .contains("twice")
        );
    }
}
