//! Leaves that many machines search, for a book that one of them keeps.
//!
//! A unit is a position; its result is how many positions were visited (8 bytes), then the bytes that the journal
//! has of it, or nothing when it was given up.

use std::cell::RefCell;
use std::collections::HashMap;

use farm::{Control, Desk, Engine, Players};
use farm_queue::{Next, Served, Serving};
use shogi_core::Position;
use yane_book::Job;

use super::chooser::Turn;
use super::expand::{Search, Searched};
use super::run::{Growth, begin, roots};
use super::unit::{Leaf, Outcome, decode, encode};
use super::{Grower, Grown, SteraOptions};
use crate::Result;
use crate::think::{Answer, Event, Observer, Queue, Summary, Thoughts};
use crate::think::{fingerprint, kinds, trouble, unit, work_on_handed};

/// What machines that search for such a run have in common, at the server `url`: how to search, the options of their
/// engines, the roots, and the name of the book that is written.
///
/// # Errors
/// When the roots cannot be read.
pub fn queue(options: &SteraOptions, engines: &[Engine], url: &str) -> Result<Queue> {
    let roots = roots(options.roots.as_deref())?;
    let description = format!(
        "s_tera {:?} roots {:016x} nodes {} declaration {:?} forget {} engines {:?}",
        options.write_book.file_name(),
        fingerprint(&roots),
        options.nodes_limit,
        options.entering_king,
        options.forget,
        kinds(engines),
    );
    Ok(Queue::new(url, &description))
}

/// Searches as `options` say for whoever [`serve`]s `queue`, until nothing is left or `control` says so. Files are
/// neither read nor written.
///
/// # Errors
/// When no engine is left, or the queue has no proper address.
pub fn work(
    options: &SteraOptions,
    players: &Players,
    queue: &Queue,
    control: &Control,
    observer: &dyn Observer,
) -> Result<Summary> {
    let search = Search::new(options);
    let answer = |position: &Position, desk: &mut Desk<'_>| {
        let searched = search.search(position, desk)?;
        Ok(Answer {
            bytes: pack(position, &searched),
            thoughts: searched.into(),
        })
    };
    work_on_handed(players, options.rules, queue, control, observer, answer)
}

/// Grows a book like [`run`](fn@super::run) by the searches of those who [`work`] for `queue`, of which `ahead` are
/// under way at a time: about as many as there are seats on all machines. With one the book is that of `run` with
/// one seat.
///
/// # Errors
/// When a file cannot be read or written, or the queue has no proper address. What was searched is safe.
pub fn serve(
    options: &SteraOptions,
    queue: &Queue,
    ahead: usize,
    control: &Control,
    job: &Job,
    grower: &dyn Grower,
) -> Result<Grown> {
    let quits = || control.is_quitting();
    let serving = Serving::new(queue, &quits);
    // Before books are read, which may take long.
    serving.begin(trouble(grower))?;
    let begin = begin(options, job)?;
    begin.run(options, 0, control, grower, |growth| {
        let is_complete = hand_out(&serving, ahead, growth, grower)?;
        if is_complete {
            // What there is to know is in the journal: whoever is started again has nothing to hand out.
            serving.finish(trouble(grower))?;
        }
        Ok(())
    })
}

/// Has leaves searched by others until there are none; false when that was interrupted.
fn hand_out(
    serving: &Serving<'_>,
    ahead: usize,
    growth: &mut Growth<'_>,
    grower: &dyn Grower,
) -> Result<bool> {
    let chooser = growth.chooser;
    let out: RefCell<HashMap<u64, Leaf>> = RefCell::default();
    let next = || match chooser.turn() {
        Turn::Leaf(leaf) => {
            let unit = unit(leaf.position());
            out.borrow_mut().insert(unit.number, *leaf);
            Next::Unit(unit)
        }
        Turn::Later => Next::Later,
        Turn::End => Next::End,
    };
    serving.round(ahead, next, |served| match served {
        Served::Result { unit, bytes } => {
            let Some(leaf) = out.borrow_mut().remove(&unit) else {
                return Ok(());
            };
            growth.found(&leaf, unpack(bytes, &leaf))
        }
        Served::Tick => {
            grower.event(&Event::Tick { seats: &[] });
            Ok(())
        }
        other => trouble(grower)(other),
    })
}

/// The result of a unit.
fn pack(position: &Position, searched: &Searched) -> Vec<u8> {
    let leaf = Leaf::new(position.clone());
    // A position that cannot be encoded was not handed out.
    let outcome = encode(&leaf, &searched.outcome).unwrap_or_default();
    [&searched.nodes.to_le_bytes(), &outcome[..]].concat()
}

/// What [`pack`] packed. `None` when it was given up, or says nothing about `leaf`.
fn unpack(bytes: &[u8], leaf: &Leaf) -> Option<Searched> {
    let (nodes, bytes) = bytes.split_first_chunk()?;
    let (found, outcome) = decode(bytes)?;
    let is_answer = found == *leaf && outcome != Outcome::GivenUp;
    is_answer.then_some(Searched {
        outcome,
        nodes: u64::from_le_bytes(*nodes),
    })
}

impl From<Searched> for Thoughts {
    fn from(searched: Searched) -> Self {
        let moves = match searched.outcome {
            Outcome::Moves(moves) => moves,
            Outcome::Mated | Outcome::GivenUp => Vec::new(),
        };
        Self {
            depth: moves.first().map_or(0, |best| best.depth as u32),
            moves,
            nodes: searched.nodes,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use yane_book::BookMove;

    use super::*;

    #[test]
    fn results_come_back() {
        let position = Position::startpos().with_ply(7);
        let leaf = Leaf::new(position.clone());
        let best = position.move_from_usi("7g7f").unwrap();
        let searched = |outcome| Searched {
            outcome,
            nodes: 1 << 40,
        };
        for outcome in [
            Outcome::Moves(vec![BookMove::new(Some(best.into()))]),
            Outcome::Mated,
        ] {
            let bytes = pack(&position, &searched(outcome.clone()));
            let back = unpack(&bytes, &leaf).unwrap();
            assert_eq!((back.outcome, back.nodes), (outcome, 1 << 40));
            // What is cut short, given up, or about another position there is no result.
            for bytes in [&bytes[..bytes.len() - 1], &bytes[..12], &bytes[..5], b""] {
                assert!(unpack(bytes, &leaf).is_none());
            }
            let mut after = position.clone();
            let _ = after.do_move(best);
            assert!(unpack(&bytes, &Leaf::new(after)).is_none());
        }
        let given_up = pack(&position, &searched(Outcome::GivenUp));
        assert!(unpack(&given_up, &leaf).is_none());
    }

    #[test]
    fn whoever_searches_otherwise_has_another_queue() {
        let options = SteraOptions::default();
        let id = |options: &SteraOptions, hash: &str| {
            let mut engine = Engine::program("engines/a");
            let hash = ("USI_Hash".to_owned(), hash.to_owned());
            engine.options.extend([hash]);
            let queue = queue(options, &[engine], "nats://a").unwrap();
            queue.id().to_owned()
        };
        let usual = id(&options, "1");
        let elsewhere = SteraOptions {
            write_book: "other/folder/write_book.db".into(),
            read_book: "other.db".into(),
            think_limit: 7,
            ..options.clone()
        };
        assert_eq!(id(&elsewhere, "1"), usual);
        let longer = SteraOptions {
            nodes_limit: 7,
            ..options.clone()
        };
        let named = SteraOptions {
            write_book: "book/other.db".into(),
            ..options.clone()
        };
        let others = BTreeSet::from([id(&longer, "1"), id(&named, "1"), id(&options, "2"), usual]);
        assert_eq!(others.len(), 4);
    }
}
