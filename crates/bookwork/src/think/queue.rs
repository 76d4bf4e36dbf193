//! Positions that many machines think about, for a book that one of them keeps.
//!
//! The result of a position is what the journal and the screen have to know.

use std::collections::{BTreeMap, BTreeSet};

use farm::{Control, Desk, Engine, Players};
use shogi_core::Position;
use xxhash_rust::xxh3::Xxh3;
use yane_book::db::{MoveLine, push_move_line};
use yane_book::positions::positions;
use yane_io::Job;

use super::handed::{Answer, work_on_handed};
use super::task::nothing;
use super::work::{Thoughts, think};
use super::{Observer, Queue, Summary, Think};
use crate::Result;

/// What machines that think about the positions of the same records in the same way have in common, at the
/// server `url`. Where their files and engines are, how many engines there are, and which book it is makes no
/// difference; options of engines do.
///
/// # Errors
/// When a record cannot be read, or the records give no position.
pub fn queue(options: &Think, engines: &[Engine], url: &str, job: &Job) -> Result<Queue> {
    let all = positions(&options.inputs, options.wanted, job)?;
    if all.list.is_empty() {
        return Err(nothing(options, &all).into());
    }
    Ok(of(options, engines, fingerprint(&all.list), url))
}

/// The same for positions of this [`fingerprint`].
pub(super) fn of(options: &Think, engines: &[Engine], fingerprint: u64, url: &str) -> Queue {
    let how = how(options, engines);
    Queue::new(url, &format!("think positions {fingerprint:016x} {how}"))
}

/// What results follow from besides positions.
pub(crate) fn how(options: &Think, engines: &[Engine]) -> String {
    format!(
        "depth {} nodes {:?} time {:?} lines {} told {:?} count {:?} engines {:?}{}",
        options.depth,
        options.nodes,
        options.time,
        options.lines,
        options.depth_told,
        options.count,
        kinds(engines),
        if options.keeps_hash {
            " remembering"
        } else {
            ""
        },
    )
}

/// What results follow from in engines, wherever they are and however many.
pub(crate) fn kinds(engines: &[Engine]) -> BTreeSet<(bool, &BTreeMap<String, String>)> {
    let engines = engines.iter();
    engines
        .map(|engine| (engine.is_embedded(), &engine.options))
        .collect()
}

/// A number that follows from `positions` and their order.
pub(crate) fn fingerprint<'a>(positions: impl IntoIterator<Item = &'a Position>) -> u64 {
    let mut hash = Xxh3::new();
    for position in positions {
        hash.update(position.to_sfen().as_bytes());
        hash.update(b"\n");
    }
    hash.digest()
}

/// The result of a unit: depth, positions visited, and the lines of the moves.
fn pack(thoughts: &Thoughts) -> Vec<u8> {
    let mut bytes = thoughts.depth.to_le_bytes().to_vec();
    bytes.extend(thoughts.nodes.to_le_bytes());
    for known in &thoughts.moves {
        push_move_line(&mut bytes, known);
        bytes.push(b'\n');
    }
    bytes
}

/// What [`pack`] packed. `None` when it is nothing that may be in a book at `position`.
pub(super) fn unpack(bytes: &[u8], position: &Position) -> Option<Thoughts> {
    let (depth, bytes) = bytes.split_first_chunk()?;
    let (nodes, bytes) = bytes.split_first_chunk()?;
    let mut moves = Vec::new();
    for line in bytes.strip_suffix(b"\n")?.split(|&byte| byte == b'\n') {
        let known = MoveLine::parse(line).ok()?.book_move;
        let m = position.move_from_16(known.mv?)?;
        if !position.is_legal(m) {
            return None;
        }
        moves.push(known);
    }
    Some(Thoughts {
        moves,
        depth: u32::from_le_bytes(*depth),
        nodes: u64::from_le_bytes(*nodes),
    })
}

/// Thinks as `options` say for whoever [serves](super::Task::serve) `queue`, until nothing is left or `control`
/// says so. Files are neither read nor written.
///
/// # Errors
/// When no engine is left, or the queue has no proper address.
pub fn work(
    options: &Think,
    players: &Players,
    queue: &Queue,
    control: &Control,
    observer: &dyn Observer,
) -> Result<Summary> {
    let answer = |position: &Position, desk: &mut Desk<'_>| {
        let thoughts = think(position, options, desk)?;
        let bytes = pack(&thoughts);
        Ok(Answer { thoughts, bytes })
    };
    let rules = options.rules();
    work_on_handed(players, rules, queue, control, observer, answer)
}

#[cfg(test)]
mod tests {
    use shogi_core::{Move16, MoveText};
    use yane_book::BookMove;

    use super::*;

    #[test]
    fn results_come_back() {
        let position = Position::startpos();
        let code = |text: &str| {
            let m = position.move_from_usi(text).unwrap();
            Some(Move16::encode(MoveText::from(m)))
        };
        let best = BookMove {
            ponder: code("2g2f"),
            eval: -31_990,
            depth: 12,
            count: 761,
            ..BookMove::new(code("7g7f"))
        };
        let thoughts = Thoughts {
            moves: vec![best, BookMove::new(code("2g2f"))],
            depth: 13,
            nodes: 1 << 40,
        };
        let bytes = pack(&thoughts);
        assert_eq!(unpack(&bytes, &position), Some(thoughts));
        // What is cut short, given up, or not legal there is no result.
        for bytes in [&bytes[..bytes.len() - 1], &bytes[..12], &bytes[..5], b""] {
            assert_eq!(unpack(bytes, &position), None);
        }
        let mut after = position.clone();
        let _ = after.do_move(position.move_from_usi("7g7f").unwrap());
        assert_eq!(unpack(&bytes, &after), None);
    }

    #[test]
    fn whoever_thinks_otherwise_has_another_queue() {
        let options = Think::new(Vec::new(), "book.db");
        let mut engine = Engine::program("engines/a");
        let id = |options: &Think, engine: &Engine, fingerprint| {
            let engines = [engine.clone(), engine.clone()];
            of(options, &engines, fingerprint, "nats://a")
                .id()
                .to_owned()
        };
        let usual = id(&options, &engine, 1);
        engine.path = "elsewhere/a".to_owned();
        engine.multi = 7;
        let moved = Think {
            book: "other.db".into(),
            ..options.clone()
        };
        assert_eq!(id(&moved, &engine, 1), usual);
        let deeper = Think {
            depth: 25,
            ..options.clone()
        };
        let hash = ("USI_Hash".to_owned(), "1".to_owned());
        let mut other = engine.clone();
        other.options.extend([hash]);
        let others = BTreeSet::from([
            id(&deeper, &engine, 1),
            id(&options, &other, 1),
            id(&options, &engine, 2),
            usual,
        ]);
        assert_eq!(others.len(), 4);
    }
}
