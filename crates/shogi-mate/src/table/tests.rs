use super::*;
use crate::dfpn::ANY_LENGTH;
use shogi_core::HandKind;

fn key(i: u64) -> u64 {
    i.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Pages in use at first in the tests: fewer under Miri, which takes minutes for the usual number.
const FIRST: usize = if cfg!(miri) { 4 } else { FEW };

/// A table with room to grow.
fn large(concurrent: bool) -> Table {
    let table = Table::new(8 * FIRST * SLOTS * SLOT_BYTES, concurrent);
    table.active.store(FIRST, Ordering::Relaxed);
    table
}

#[test]
fn hands_dominate() {
    let table = Table::new(0, false);
    let pawn = Hand::EMPTY.with(HandKind::Pawn);
    let two = pawn.with(HandKind::Pawn);
    table.save_proof(1, pawn, 5, 1);
    table.save_disproof(2, pawn, 5, 1);
    let mate = |key, hand, budget| table.look_up(key, hand, budget, 0).decided.map(|d| d.mate);
    assert_eq!(mate(1, two, 5), Some(true));
    assert_eq!(mate(1, pawn, ANY_LENGTH), Some(true));
    assert_eq!(mate(1, pawn, 3), None);
    assert_eq!(mate(1, Hand::EMPTY, ANY_LENGTH), None);
    assert_eq!(mate(2, Hand::EMPTY, 5), Some(false));
    assert_eq!(mate(2, pawn, 7), None);
    assert_eq!(mate(2, two, 5), None);
    table.clear();
    assert_eq!(mate(1, two, 5), None);
}

/// Pages are taken into use one by one and entries are found all the time.
#[test]
fn a_growing_table_loses_nothing() {
    let table = large(false);
    let pages = table.heads.len();
    for i in 0..(pages as u64 * 40) {
        table.save_proof(key(i), Hand::EMPTY, 1, 1);
    }
    let lost = |i: &u64| table.look_up(key(*i), Hand::EMPTY, 1, 0).decided.is_none();
    assert_eq!((0..pages as u64 * 40).filter(lost).count(), 0);
    assert!(table.active.load(Ordering::Relaxed) > FIRST);
}

/// A full table keeps what took much work.
#[test]
fn work_is_kept() {
    let table = Table::new(0, false);
    let (count, step) = if cfg!(miri) {
        (3_000, 15)
    } else {
        (20_000, 100)
    };
    for i in 0..count {
        table.save_proof(key(i), Hand::EMPTY, 1, if i % step == 0 { 1000 } else { 1 });
    }
    let kept = |i: &u64| table.look_up(key(*i), Hand::EMPTY, 1, 0).decided.is_some();
    assert_eq!((0..count).step_by(step as usize).filter(kept).count(), 200);
    assert!((0..count).filter(kept).count() < 1_000);
    assert!(table.hashfull() > 500);
}

/// Threads that write, read, mark and grow at once: what is found was written, whole, and nothing that stays in the
/// table is lost.
#[test]
fn threads_share_it() {
    let table = large(true);
    let pages = table.heads.len() as u64;
    let (threads, each) = (4, pages * 8);
    // A proof's length tells of the key; a key has two hands.
    let length = |i: u64| (i % 1000) as u16 + 1;
    let hands = [Hand::EMPTY, Hand::EMPTY.with(HandKind::Gold)];
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let table = &table;
            scope.spawn(move || {
                for i in 0..each {
                    let own = i * threads + thread;
                    table.save_undecided(key(own), hands[1], |entry| (entry.pn, entry.dn) = (3, 5));
                    table.mark(key(own), hands[1], 1 << thread, true);
                    table.save_proof(key(own), hands[0], length(own), 1);
                    // What the others wrote a little while ago.
                    let other = own.saturating_sub(3);
                    let found = table.look_up(key(other), hands[1], ANY_LENGTH, 0);
                    match found.decided {
                        Some(decided) => {
                            assert_eq!((decided.mate, decided.length), (true, length(other)));
                        }
                        None => assert!(
                            found
                                .exact
                                .is_none_or(|e| (e.pn, e.dn) == (3, 5) || e.pn == 0)
                        ),
                    }
                    table.mark(key(own), hands[1], 1 << thread, false);
                }
            });
        }
    });
    let lost = |&i: &u64| {
        table
            .look_up(key(i), hands[0], ANY_LENGTH, 0)
            .decided
            .is_none()
    };
    assert_eq!((0..each * threads).filter(lost).count(), 0);
    let marked = |&i: &u64| {
        table
            .look_up(key(i), hands[1], 0, 0)
            .exact
            .is_some_and(|e| e.busy != 0)
    };
    assert_eq!((0..each * threads).filter(marked).count(), 0);
    assert!(table.active.load(Ordering::Relaxed) > FIRST);
}
