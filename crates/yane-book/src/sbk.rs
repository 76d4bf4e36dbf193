//! The books of `ShogiGUI` and `BookConv`, `.sbk`: read, never written.
//!
//! A file is one Protocol Buffers message without a header: author (1), description (2), and states (3). A state has an
//! id (1), for some a position as SFEN (7), a comment (8), moves (9) and evaluations (10); games and wins (4–6) are passed
//! over. A move has its bits (1), a mark (2: none, forced, good, bad, blunder), a weight (3) and the id of the state it leads
//! to (4; −1 for none). The bits of a move, from the lowest: rank and file of its origin (4 bits each, 0 for a drop), rank and
//! file of its square (4 each), bit 19 for promotion, bits 24–28 for the piece (P L N S G B R K are 1–8).
//!
//! Only states without a state before them need a position; that of the others is found by playing from there. The first
//! state without one is the even game.
//!
//! Source of the layout: `book.proto` of `BookConv`, which `ShogiGUI`'s author wrote.

use std::collections::{HashMap, VecDeque};
use std::path::Path;

use prost::Message as _;
use prost::bytes::Buf;
use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};
use shogi_core::{Move16, MoveText, Position};
use yane_io::Map;

use crate::db::{CommentSubject, Comments};
use crate::records::legal_move;
use crate::{BookError, BookMove, Result, add_move};

/// A position.
#[derive(Clone, PartialEq, prost::Message)]
struct SbkState {
    #[prost(int32, tag = "1")]
    id: i32,
    #[prost(string, optional, tag = "7")]
    position: Option<String>,
    #[prost(string, optional, tag = "8")]
    comment: Option<String>,
    #[prost(message, repeated, tag = "9")]
    moves: Vec<SbkMove>,
    #[prost(message, repeated, tag = "10")]
    evals: Vec<SbkEval>,
}

/// A move of a position.
#[derive(Clone, Copy, PartialEq, prost::Message)]
struct SbkMove {
    #[prost(int32, tag = "1")]
    bits: i32,
    #[prost(int32, tag = "2")]
    mark: i32,
    #[prost(int32, tag = "3")]
    weight: i32,
    #[prost(int32, tag = "4")]
    next: i32,
}

/// What an engine thought of a position.
#[derive(Clone, PartialEq, prost::Message)]
struct SbkEval {
    #[prost(int32, tag = "1")]
    value: i32,
    #[prost(int32, tag = "2")]
    depth: i32,
    #[prost(int32, tag = "3")]
    sel_depth: i32,
    #[prost(int64, tag = "4")]
    nodes: i64,
    #[prost(string, tag = "5")]
    variation: String,
    #[prost(string, optional, tag = "6")]
    engine: Option<String>,
}

impl SbkMove {
    /// The move, if its bits are one.
    fn code(self) -> Option<Move16> {
        let bits = self.bits as u32;
        let square = |at: u32| {
            let (rank, file) = (bits >> at & 0xf, bits >> (at + 4) & 0xf);
            let rank = (1..=9)
                .contains(&rank)
                .then(|| char::from(b'a' + rank as u8 - 1))?;
            (1..=9).contains(&file).then(|| format!("{file}{rank}"))
        };
        let to = square(8)?;
        let usi = if bits.trailing_zeros() >= 8 {
            let kind = " PLNSGBR".chars().nth((bits >> 24 & 0xf) as usize)?;
            format!("{kind}*{to}")
        } else {
            let promotion = if bits >> 19 & 1 == 1 { "+" } else { "" };
            format!("{}{to}{promotion}", square(0)?)
        };
        MoveText::from_usi(&usi).map(Move16::encode)
    }

    /// The mark in words.
    const fn mark(self) -> Option<&'static str> {
        match self.mark {
            1 => Some("#絶対手"),
            2 => Some("#好手"),
            3 => Some("#疑問手"),
            4 => Some("#悪手"),
            _ => None,
        }
    }

    /// The count of the move.
    fn count(self) -> u64 {
        self.weight.max(0) as u64
    }
}

/// A position with its moves, as another book has it.
#[derive(Debug)]
pub(crate) struct SbkEntry {
    pub(crate) position: Position,
    pub(crate) moves: Vec<BookMove>,
    pub(crate) comments: Comments,
    /// Offset of the state in the file, in bytes.
    pub(crate) offset: u64,
}

/// A book in memory.
#[derive(Debug, Default)]
pub(crate) struct SbkBook {
    /// The positions, each once, from the roots on.
    pub(crate) entries: Vec<SbkEntry>,
    /// Lines about the book.
    pub(crate) about: Vec<String>,
    /// States that no move leads to, and whose position is not told.
    pub(crate) unreached: u64,
    /// States whose position cannot be read: offset, and what is wrong.
    pub(crate) bad_positions: Vec<(u64, shogi_core::SfenError)>,
}

/// The states of a file, with their offsets.
struct States {
    list: Vec<(u64, SbkState)>,
    about: Vec<String>,
}

impl SbkBook {
    /// Reads the book at `path`.
    ///
    /// # Errors
    /// When the file cannot be read or is no such book.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let bytes = Map::open(path)?;
        let states = States::parse(&bytes).map_err(|(offset, reason)| {
            let reason = format!("expected an .sbk book of ShogiGUI: {reason}");
            BookError::byte(path, offset, reason)
        })?;
        Ok(states.walk())
    }
}

impl States {
    /// Reads the states of a file.
    ///
    /// # Errors
    /// An offset, and what is wrong there.
    fn parse(bytes: &[u8]) -> std::result::Result<Self, (u64, String)> {
        let mut states = Self {
            list: Vec::new(),
            about: Vec::new(),
        };
        let mut rest = bytes;
        while !rest.is_empty() {
            let offset = (bytes.len() - rest.len()) as u64;
            let wrong = |error: prost::DecodeError| (offset, error.to_string());
            let (tag, wire) = decode_key(&mut rest).map_err(wrong)?;
            if wire != WireType::LengthDelimited || !(1..=3).contains(&tag) {
                skip_field(wire, tag, &mut rest, DecodeContext::default()).map_err(wrong)?;
                continue;
            }
            let len = decode_varint(&mut rest).map_err(wrong)?;
            let Some((field, tail)) = usize::try_from(len)
                .ok()
                .and_then(|len| rest.split_at_checked(len))
            else {
                return Err((
                    offset,
                    format!("{len} bytes needed, {} left", rest.remaining()),
                ));
            };
            rest = tail;
            if tag == 3 {
                let state = SbkState::decode(field).map_err(wrong)?;
                states.list.push((offset, state));
            } else {
                let text =
                    std::str::from_utf8(field).map_err(|error| (offset, error.to_string()))?;
                states.about.extend(comment_lines(text));
            }
        }
        if states.list.is_empty() {
            return Err((0, "no position is in it".to_owned()));
        }
        Ok(states)
    }

    /// Finds the positions of all states from those that tell theirs.
    fn walk(self) -> SbkBook {
        let mut book = SbkBook {
            about: self.about,
            ..SbkBook::default()
        };
        let numbers = numbers(&self.list);
        let mut positions: Vec<Option<Position>> = vec![None; self.list.len()];
        let mut places: HashMap<u128, usize> = HashMap::new();
        let mut queue = VecDeque::new();
        for (number, (offset, state)) in self.list.iter().enumerate() {
            match state
                .position
                .as_deref()
                .map(str::trim)
                .filter(|text| !text.is_empty())
            {
                Some(text) => match Position::from_sfen(text.trim_start_matches("sfen ")) {
                    Ok(position) => queue.push_back((number, position)),
                    Err(error) => book.bad_positions.push((*offset, error)),
                },
                None if number == 0 => queue.push_back((0, Position::startpos())),
                None => {}
            }
        }
        while let Some((number, position)) = queue.pop_front() {
            if positions[number].is_some() {
                continue;
            }
            positions[number] = Some(position.clone());
            let (offset, state) = &self.list[number];
            let mut moves = Vec::new();
            let mut comments = comments(state);
            for sbk in &state.moves {
                let Some(mv) = sbk.code() else {
                    // Told as an illegal move by the reader.
                    moves.push(BookMove::new(Some(Move16(u16::MAX))));
                    continue;
                };
                let next = numbers.get(&sbk.next).copied();
                let mut known = BookMove {
                    count: sbk.count(),
                    ..BookMove::new(Some(mv))
                };
                if let Some(m) = legal_move(&position, mv) {
                    let mut child = position.clone();
                    let _ = child.do_move_unchecked(m);
                    known.ponder = next.and_then(|next| reply(&self.list[next].1, &child));
                    queue.extend(next.map(|next| (next, child)));
                }
                if let Some(mark) = sbk.mark() {
                    comments.add_below(CommentSubject::Move(Some(mv)), mark.as_bytes());
                }
                moves.push(known);
            }
            let place = *places
                .entry(position.key128())
                .or_insert(book.entries.len());
            match book.entries.get_mut(place) {
                None => book.entries.push(SbkEntry {
                    position,
                    moves,
                    comments,
                    offset: *offset,
                }),
                // Two states for one position.
                Some(entry) => {
                    for known in moves {
                        let is_new = entry.moves.iter().all(|other| other.mv != known.mv);
                        if is_new {
                            add_move(&mut entry.moves, known);
                        }
                    }
                    entry.comments.join(&comments);
                }
            }
        }
        let lost = positions.iter().zip(&self.list);
        let lost =
            lost.filter(|(position, (_, state))| position.is_none() && !state.moves.is_empty());
        book.unreached = (lost.count() as u64).saturating_sub(book.bad_positions.len() as u64);
        book
    }
}

/// The states by their ids; by their places when the ids are not all different.
fn numbers(list: &[(u64, SbkState)]) -> HashMap<i32, usize> {
    let ids: HashMap<i32, usize> = list
        .iter()
        .enumerate()
        .map(|(number, (_, state))| (state.id, number))
        .collect();
    if ids.len() == list.len() {
        return ids;
    }
    (0..list.len())
        .map(|number| (number as i32, number))
        .collect()
}

/// The reply of a state with the greatest weight above 0.
fn reply(state: &SbkState, position: &Position) -> Option<Move16> {
    let weighty = state.moves.iter().filter(|sbk| sbk.weight > 0);
    // Of equal ones the first.
    let best = weighty.rev().max_by_key(|sbk| sbk.weight)?.code()?;
    legal_move(position, best).map(|_| best)
}

/// The comment and the evaluations of a state as lines below its position.
fn comments(state: &SbkState) -> Comments {
    let mut comments = Comments::default();
    let mut add = |line: &str| comments.add_below(CommentSubject::Position, line.as_bytes());
    for line in state.comment.iter().flat_map(|text| comment_lines(text)) {
        add(&line);
    }
    for eval in &state.evals {
        let SbkEval {
            value,
            depth,
            sel_depth,
            nodes,
            variation,
            engine,
        } = eval;
        let engine = engine.as_deref().unwrap_or_default();
        let line = format!(
            "#評価値 {value} 深さ {depth}/{sel_depth} ノード数 {nodes} 読み筋 {variation} {engine}"
        );
        add(line.replace(['\r', '\n'], " ").trim_end());
    }
    comments
}

/// Text as lines of comment.
fn comment_lines(text: &str) -> impl Iterator<Item = String> {
    let lines = text
        .lines()
        .map(str::trim_end)
        .filter(|line| !line.is_empty());
    lines.map(|line| format!("#{line}"))
}

#[cfg(test)]
mod tests {
    use prost::encoding::{encode_key, encode_varint};

    use super::*;

    /// The bits of a move in USI.
    fn bits(usi: &str, white: bool) -> i32 {
        let bytes = usi.as_bytes();
        let square = |at: usize| {
            let (file, rank) = (bytes[at] - b'0', bytes[at + 1] - b'a' + 1);
            u32::from(rank) | u32::from(file) << 4
        };
        let mut bits = square(2) << 8 | u32::from(white) << 31;
        if bytes[1] == b'*' {
            let kind = b" PLNSGBR"
                .iter()
                .position(|&letter| letter == bytes[0])
                .unwrap();
            bits |= (kind as u32) << 24;
        } else {
            bits |= square(0) | u32::from(usi.ends_with('+')) << 19;
        }
        bits as i32
    }

    fn mv(usi: &str, white: bool, weight: i32, next: i32) -> SbkMove {
        SbkMove {
            bits: bits(usi, white),
            mark: 0,
            weight,
            next,
        }
    }

    fn state(id: i32, position: &str, moves: &[SbkMove]) -> SbkState {
        SbkState {
            id,
            position: (!position.is_empty()).then(|| position.to_owned()),
            moves: moves.to_vec(),
            ..SbkState::default()
        }
    }

    fn file(states: &[SbkState]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (tag, text) in [(1, "me"), (2, "a book\r\nof two lines")] {
            encode_key(tag, WireType::LengthDelimited, &mut bytes);
            encode_varint(text.len() as u64, &mut bytes);
            bytes.extend_from_slice(text.as_bytes());
        }
        for state in states {
            encode_key(3, WireType::LengthDelimited, &mut bytes);
            bytes.extend(state.encode_length_delimited_to_vec());
        }
        bytes
    }

    fn read(states: &[SbkState]) -> SbkBook {
        States::parse(&file(states)).unwrap().walk()
    }

    fn lines(entry: &SbkEntry) -> String {
        let mut out = Vec::new();
        let (sfen, moves) = (entry.position.to_sfen(), &entry.moves);
        let line_end = crate::db::LineEnd::Lf;
        entry
            .comments
            .push_entry(&mut out, sfen.as_bytes(), moves, line_end);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn positions_are_found_by_playing() {
        let mut first = state(0, "", &[mv("7g7f", false, 3, 1), mv("2g2f", false, 0, -1)]);
        first.comment = Some("the start\nof it".to_owned());
        first.moves[0].mark = 2;
        let mut second = state(1, "", &[mv("8c8d", true, 1, 9), mv("3c3d", true, 5, 2)]);
        second.evals.push(SbkEval {
            value: -30,
            depth: 20,
            sel_depth: 28,
            nodes: 1 << 40,
            variation: "△３四歩".to_owned(),
            engine: Some("engine".to_owned()),
        });
        let third = state(2, "", &[mv("8h2b+", false, 1, -1)]);
        let alone = state(3, "", &[mv("7g7f", false, 1, 0)]);
        let drop = state(
            4,
            "4k4/9/9/9/9/9/9/9/4K4 b R 1",
            &[mv("R*5e", false, 2, -1)],
        );
        let book = read(&[first, second, third, alone, drop]);
        assert_eq!(book.about, ["#me", "#a book", "#of two lines"]);
        assert_eq!((book.unreached, book.bad_positions.len()), (1, 0));
        let texts: Vec<String> = book.entries.iter().map(lines).collect();
        let start = "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n\
            #the start\n#of it\n7g7f 3c3d 0 0 3\n#好手\n2g2f none 0 0 0\n";
        assert_eq!(texts[0], start);
        assert!(texts[1].contains("R*5e none 0 0 2"), "{}", texts[1]);
        assert!(
            texts[2].contains(" w - 2\n#評価値 -30 深さ 20/28 ノード数 1099511627776 読み筋 △３四歩 engine\n8c8d none 0 0 1\n3c3d 8h2b+ 0 0 5\n"),
            "{}",
            texts[2]
        );
        assert!(
            texts[3].ends_with(" b - 3\n8h2b+ none 0 0 1\n"),
            "{}",
            texts[3]
        );
        assert_eq!(texts.len(), 4);
    }

    #[test]
    fn states_of_one_position_are_one() {
        // 7g7f 3c3d 2g2f and 2g2f 3c3d 7g7f.
        let line = |first: i32, moves: [&str; 3]| {
            [
                state(first, "", &[mv(moves[1], true, 1, first + 1)]),
                state(first + 1, "", &[mv(moves[2], false, 1, first + 2)]),
            ]
        };
        let root = state(0, "", &[mv("7g7f", false, 1, 1), mv("2g2f", false, 1, 4)]);
        let [a, b] = line(1, ["7g7f", "3c3d", "2g2f"]);
        let [d, e] = line(4, ["2g2f", "3c3d", "7g7f"]);
        let ends = [3, 6].map(|id| state(id, "", &[mv("8c8d", true, id, -1)]));
        let [c, f] = ends;
        let book = read(&[root, a, b, c, d, e, f]);
        assert_eq!(book.entries.len(), 6);
        assert_eq!(book.entries[5].moves.len(), 1);
        assert_eq!(book.entries[5].moves[0].count, 3);
    }

    #[test]
    fn wrong_files_are_errors() {
        let whole = file(&[state(0, "", &[mv("7g7f", false, 1, -1)])]);
        for bytes in [
            &b""[..],
            b"#YANEURAOU-DB2016 1.00\nsfen",
            &whole[..whole.len() - 3],
            &[0xff; 40],
            &file(&[]),
        ] {
            assert!(States::parse(bytes).is_err(), "{bytes:?}");
        }
        let wrong = read(&[state(0, "9/9 b - 1", &[mv("7g7f", false, 1, -1)])]);
        assert_eq!((wrong.entries.len(), wrong.bad_positions.len()), (0, 1));
        assert_eq!(
            SbkMove {
                bits: 0xa234,
                ..SbkMove::default()
            }
            .code(),
            None
        );
    }
}
