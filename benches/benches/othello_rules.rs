//! `cargo bench -p benches --bench othello_rules`: flips, legal moves and replies by each method, canonical forms, perft.
//!
//! A case goes through the same boards of random games, so times compare. Boards pass through a black box one by
//! one, or the compiler would work on several at once where only the portable method lets it.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use othello_core::{Board, Counting, Method, perft};

fn main() {
    divan::main();
}

/// Boards of seeded random games.
fn boards() -> Vec<Board> {
    let mut boards = Vec::new();
    let mut state = 1u64;
    while boards.len() < 1000 {
        let mut board = Board::START;
        loop {
            let moves = board.legal_moves();
            let count = moves.len() as usize;
            if count == 0 {
                break;
            }
            boards.push(board);
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let chosen = (state >> 33) as usize % count;
            board = moves
                .iter()
                .nth(chosen)
                .map_or(board, |square| board.play_unchecked(square));
        }
    }
    boards
}

#[divan::bench(args = Method::available())]
fn flips(bencher: Bencher<'_, '_>, method: Method) {
    let moves: Vec<_> = boards()
        .into_iter()
        .flat_map(|board| {
            board
                .legal_moves()
                .iter()
                .map(move |square| (board, square))
        })
        .collect();
    bencher.counter(ItemsCount::new(moves.len())).bench(|| {
        let all = moves
            .iter()
            .map(|&(board, square)| method.flips(black_box(board), square));
        black_box(all.fold(0, |a, b| a ^ b))
    });
}

#[divan::bench(args = Method::available())]
fn legal_moves(bencher: Bencher<'_, '_>, method: Method) {
    let boards = boards();
    bencher.counter(ItemsCount::new(boards.len())).bench(|| {
        let all = boards
            .iter()
            .map(|&board| method.legal_moves(black_box(board)));
        black_box(all.fold(0, |a, b| a ^ b))
    });
}

#[divan::bench(args = Method::available())]
fn replies(bencher: Bencher<'_, '_>, method: Method) {
    let boards: Vec<_> = boards()
        .into_iter()
        .map(|board| (board, board.legal_moves().0))
        .collect();
    let moves: u32 = boards.iter().map(|(_, moves)| moves.count_ones()).sum();
    bencher.counter(ItemsCount::new(moves)).bench(|| {
        let all = boards
            .iter()
            .map(|&(board, moves)| method.replies(board, moves).0);
        black_box(all.sum::<u64>())
    });
}

#[divan::bench]
fn canonical(bencher: Bencher<'_, '_>) {
    let boards = boards();
    bencher.counter(ItemsCount::new(boards.len())).bench(|| {
        let all = boards.iter().map(|board| board.canonical().board.mover());
        black_box(all.fold(0, |a, b| a ^ b))
    });
}

#[divan::bench]
fn perft_9(bencher: Bencher<'_, '_>) {
    bencher
        .counter(ItemsCount::new(3_005_288u64))
        .bench(|| perft(black_box(Board::START), 9, Counting::Moves));
}
