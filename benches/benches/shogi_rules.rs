//! Speed of the rules: `cargo bench -p benches --bench shogi_rules [FILTER]`.
//!
//! Every benchmark checks its answer where one is known: a faster wrong answer fails.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use shogi_core::movegen::{All, Captures, Checks, Legal, LegalAll, MoveList};
use shogi_core::{Leaves, Position, perft};
use shogi_packed::{Hcp, PackedSfen};

const MATSURI: &str = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1";

fn main() {
    divan::main();
}

fn read(path: &str) -> Vec<Position> {
    let text = test_support::fixture_text(path);
    text.lines()
        .map(|line| Position::from_sfen(line).expect("a fixture is a position"))
        .collect()
}

/// Positions of real games: with and without a mate in one.
fn game_positions() -> Vec<Position> {
    let mut positions = read("mate/mate1_no.sfen");
    positions.extend(read("mate/mate1_yes.sfen"));
    positions
}

#[divan::bench(args = [("startpos", 4, 719_731), ("matsuri", 3, 4_809_015)])]
fn perft_bulk(bencher: Bencher<'_, '_>, case: (&str, u32, u64)) {
    run_perft(bencher, case, Leaves::Bulk);
}

#[divan::bench(args = [("startpos", 4, 719_731), ("matsuri", 2, 28_684)])]
fn perft_played(bencher: Bencher<'_, '_>, case: (&str, u32, u64)) {
    run_perft(bencher, case, Leaves::Played);
}

fn run_perft(bencher: Bencher<'_, '_>, (name, depth, nodes): (&str, u32, u64), leaves: Leaves) {
    let start = match name {
        "matsuri" => Position::from_sfen(MATSURI).expect("a valid SFEN"),
        _ => Position::startpos(),
    };
    bencher.counter(ItemsCount::new(nodes)).bench_local(|| {
        assert_eq!(perft(&mut start.clone(), depth, leaves), nodes);
    });
}

#[divan::bench]
fn generate_legal(bencher: Bencher<'_, '_>) {
    over_positions(bencher, |position| position.moves::<Legal>().len());
}

#[divan::bench]
fn generate_captures(bencher: Bencher<'_, '_>) {
    over_positions(bencher, |position| position.moves::<Captures>().len());
}

#[divan::bench]
fn generate_checks(bencher: Bencher<'_, '_>) {
    over_positions(bencher, |position| position.moves::<All<Checks>>().len());
}

#[divan::bench]
fn count_legal(bencher: Bencher<'_, '_>) {
    over_positions(bencher, Position::count_moves::<LegalAll>);
}

#[divan::bench]
fn check_squares(bencher: Bencher<'_, '_>) {
    over_positions(bencher, Position::check_squares);
}

#[divan::bench]
fn key_64(bencher: Bencher<'_, '_>) {
    over_positions(bencher, Position::key);
}

#[divan::bench]
fn mate_in_one_yes(bencher: Bencher<'_, '_>) {
    mate_in_one(bencher, &read("mate/mate1_yes.sfen"), true);
}

#[divan::bench]
fn mate_in_one_no(bencher: Bencher<'_, '_>) {
    mate_in_one(bencher, &read("mate/mate1_no.sfen"), false);
}

fn mate_in_one(bencher: Bencher<'_, '_>, positions: &[Position], mate: bool) {
    bencher
        .counter(ItemsCount::new(positions.len()))
        .bench_local(|| {
            for position in positions {
                assert_eq!(black_box(position).mate_in_one().is_some(), mate);
            }
        });
}

#[divan::bench]
fn do_and_undo(bencher: Bencher<'_, '_>) {
    let mut positions = game_positions();
    let moves: Vec<MoveList> = positions.iter().map(Position::moves::<Legal>).collect();
    let count = moves.iter().map(MoveList::len).sum::<usize>();
    bencher.counter(ItemsCount::new(count)).bench_local(|| {
        for (position, list) in positions.iter_mut().zip(&moves) {
            for &m in list {
                let undo = position.do_move_unchecked(m);
                black_box(&*position);
                position.undo_move(m, &undo);
            }
        }
    });
}

#[divan::bench]
fn see_of_captures(bencher: Bencher<'_, '_>) {
    let positions = game_positions();
    let moves: Vec<MoveList> = positions.iter().map(Position::moves::<Captures>).collect();
    let count = moves.iter().map(MoveList::len).sum::<usize>();
    bencher.counter(ItemsCount::new(count)).bench_local(|| {
        for (position, list) in positions.iter().zip(&moves) {
            list.iter()
                .for_each(|&m| _ = black_box(position.see_ge(m, 0)));
        }
    });
}

#[divan::bench]
fn pack_psfen(bencher: Bencher<'_, '_>) {
    over_positions(bencher, PackedSfen::encode);
}

#[divan::bench]
fn unpack_psfen(bencher: Bencher<'_, '_>) {
    let packed: Vec<_> = game_positions()
        .iter()
        .flat_map(PackedSfen::encode)
        .collect();
    over_items(bencher, &packed, PackedSfen::decode);
}

#[divan::bench]
fn unpack_hcp(bencher: Bencher<'_, '_>) {
    let packed: Vec<_> = game_positions().iter().flat_map(Hcp::encode).collect();
    over_items(bencher, &packed, Hcp::decode);
}

#[divan::bench]
fn parse_sfen(bencher: Bencher<'_, '_>) {
    let texts: Vec<_> = game_positions().iter().map(Position::to_sfen).collect();
    over_items(bencher, &texts, |text| Position::from_sfen(text));
}

/// Applies `f` to every position of [`game_positions`].
fn over_positions<T>(bencher: Bencher<'_, '_>, f: impl Fn(&Position) -> T) {
    over_items(bencher, &game_positions(), f);
}

/// Applies `f` to every item.
fn over_items<I, T>(bencher: Bencher<'_, '_>, items: &[I], f: impl Fn(&I) -> T) {
    bencher
        .counter(ItemsCount::new(items.len()))
        .bench_local(|| {
            for item in items {
                let _ = black_box(f(black_box(item)));
            }
        });
}
