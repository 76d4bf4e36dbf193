//! The inner loops of book work, on the 177 positions of a fixture.
//!
//! `cargo bench -p benches --bench shogi_books`; each figure is for all positions (and their 482 moves) together.

use divan::{Bencher, black_box};
use shogi_core::Position;
use yane_book::Job;
use yane_book::db::{MoveLine, Records, canonical_sfen};
use yane_book::memory::{Book, ReadOptions};

fn main() {
    divan::main();
}

const BOOK: &str = "book/peta_shock/acyclic.db";

fn text() -> Vec<u8> {
    test_support::fixture_bytes(BOOK)
}

/// Cutting the text into positions.
#[divan::bench]
fn records(bencher: Bencher<'_, '_>) {
    let text = text();
    bencher.bench(|| Records::new(black_box(&text), 0).count());
}

/// Checking that SFENs are in canonical form.
#[divan::bench]
fn canonical(bencher: Bencher<'_, '_>) {
    let text = text();
    let sfens: Vec<_> = Records::new(&text, 0).map(|record| record.sfen).collect();
    let mut buffer = Vec::new();
    bencher.bench_local(|| {
        let canonical = |&&sfen: &&&[u8]| canonical_sfen(sfen, &mut buffer).is_ok();
        black_box(&sfens).iter().filter(canonical).count()
    });
}

/// Reading positions from SFENs.
#[divan::bench]
fn positions(bencher: Bencher<'_, '_>) {
    let text = text();
    let sfens: Vec<_> = Records::new(&text, 0)
        .map(|record| std::str::from_utf8(record.sfen).expect("SFEN is ASCII"))
        .collect();
    bencher.bench(|| {
        let keys = black_box(&sfens)
            .iter()
            .map(|sfen| Position::from_sfen(sfen).map_or(0, |position| position.key()));
        keys.fold(0, |all, key| all ^ key)
    });
}

/// Reading move lines.
#[divan::bench]
fn move_lines(bencher: Bencher<'_, '_>) {
    let text = text();
    bencher.bench(|| {
        Records::new(black_box(&text), 0)
            .flat_map(|record| record.lines())
            .filter(|(_, line)| MoveLine::parse(line).is_ok())
            .count()
    });
}

/// Looking all positions up in memory.
#[divan::bench]
fn lookups(bencher: Bencher<'_, '_>) {
    let text = text();
    let positions: Vec<_> = Records::new(&text, 0)
        .filter_map(|record| Position::from_sfen(std::str::from_utf8(record.sfen).ok()?).ok())
        .collect();
    let book = Book::read(
        &test_support::fixture(BOOK),
        ReadOptions::default(),
        &Job::default(),
    )
    .expect("the fixture is a book");
    bencher.bench(|| {
        let found = |position: &&Position| book.get(position).is_some();
        black_box(&positions).iter().filter(found).count()
    });
}
