//! Lines of the classic miner.

use std::path::Path;

use othello_book::Edge;
use othello_book::edax::{EdaxHeader, EdaxRecord};
use othello_book::miner::{
    Dialect, MineError, MineLimits, MineOptions, MinerSummary, MismatchLine, Mode, mine,
    mine_sorted,
};
use othello_book::store::{EdaxIndex, OnDamage};
use othello_core::{Board, Game, Move, State};
use serde_json::Value;
use test_support::{SplitMix64, TestFolder};
use yane_io::{Job, Map};

use crate::{golden, reference};

fn run(bytes: Vec<u8>, options: &MineOptions) -> Result<(String, MinerSummary), MineError> {
    let map = Map::from_bytes(Path::new("book.dat"), bytes);
    let job = Job::default();
    let mut index = EdaxIndex::new(&map, OnDamage::Stop, &job)?;
    let mut lines = String::new();
    let summary = mine(&mut index, options, &job, &mut |line: &MismatchLine<'_>| {
        lines.push_str(line.transcript);
        lines.push('\n');
        Ok(())
    })?;
    Ok((lines, summary))
}

#[test]
fn lines_are_those_of_the_classic_miner() {
    let index: Value = serde_json::from_str(&golden::text_of("miner/index.json")).unwrap();
    let mut checked = 0;
    for row in index.as_array().unwrap() {
        let text = |key: &str| row[key].as_str().unwrap();
        let mut options = MineOptions::new(Mode::EdgeAndMoves);
        match text("dialect") {
            "seed" => {}
            "v2" => options.dialect = Dialect::V2,
            "v1" => options.dialect = Dialect::V1,
            other => panic!("{other}"),
        }
        options.mode = Mode::from_number(row["mode"].as_u64().unwrap() as u8).unwrap();
        let limit = |name: &str| row[name].as_i64().and_then(|n| u32::try_from(n).ok());
        let limits = MineLimits {
            error: limit("per_move_error"),
            sum: limit("cumulative_error"),
            plies: limit("max_book_move_depth"),
        };
        options.limits = (limits != MineLimits::default()).then_some(limits);
        let is_same = matches!(options.mode.number(), 1 | 2 | 4) && options.limits.is_none();
        if options.dialect == Dialect::V2 && is_same {
            // The same lines as the other dialect's.
            continue;
        }
        let book = golden::bytes(&format!("books/{}", text("book")));
        let (lines, summary) = run(book, &options).unwrap();
        let expected = golden::text_of(&format!("miner/{}", text("file")));
        assert!(
            lines == expected,
            "{}:\n{lines}\nexpected\n{expected}",
            text("file")
        );
        let mut counts = vec![
            ("positions_walked", summary.entered),
            ("lines", summary.lines),
        ];
        if options.mode.number() <= 4 {
            counts.push(("edges_judged", summary.judged));
            counts.push(("mismatches", summary.mismatches));
        }
        for (name, count) in counts {
            assert_eq!(row[name].as_u64(), Some(count), "{} {name}", text("file"));
        }
        checked += 1;
    }
    assert_eq!(checked, 28 + 28 + 7 * 3 + 7 * 16);
}

/// A book of records, in the order of the list.
fn book(records: &[EdaxRecord]) -> Vec<u8> {
    let mut bytes = EdaxHeader::default().to_bytes().to_vec();
    for record in records {
        record.write_to(&mut bytes);
    }
    bytes
}

/// A random book: positions of random games from the start, some left out, with links to the positions that are
/// there and to some that are not, values that agree or not, and a few that nothing leads to.
fn random_book(seed: u64) -> Vec<EdaxRecord> {
    let mut random = SplitMix64::new(seed);
    let mut boards = vec![Board::START];
    let start = if random.below(3) == 0 { 0 } else { 40 };
    for _ in 0..3 + random.below(6) {
        let mut board = Board::START;
        // Some games go to the end, where passes are; others stay where lines meet.
        for _ in 0..4 + start + random.below(20) {
            board = match board.state() {
                State::Moves => {
                    let moves: Vec<_> = board.legal_moves().iter().collect();
                    board.play_unchecked(moves[random.below(moves.len() as u64) as usize])
                }
                State::Pass => board.passed(),
                State::Over => break,
            };
            if random.below(20) > 0 {
                boards.push(board.canonical().board);
            }
        }
    }
    boards.sort_unstable();
    boards.dedup();
    for n in (1..boards.len()).rev() {
        boards.swap(n, random.below(n as u64 + 1) as usize);
    }
    let mut records: Vec<_> = boards
        .iter()
        .map(|&board| random_record(board, &boards, &mut random))
        .collect();
    if random.below(4) == 0 {
        // Repeated, with other contents: the first counts.
        let again = random.below(boards.len() as u64) as usize;
        records.push(random_record(boards[again], &boards, &mut random));
    }
    records
}

fn random_record(board: Board, boards: &[Board], random: &mut SplitMix64) -> EdaxRecord {
    let mut moves: Vec<Move> = board.legal_moves().iter().map(Move::Place).collect();
    if board.state() == State::Pass {
        moves.push(Move::Pass);
    }
    let mut links = Vec::new();
    let mut leaf = Edge::NO_LEAF;
    for mv in moves {
        let child = board.after(mv).unwrap().canonical().board;
        let score = random.below(5) as i8 - 2;
        if boards.contains(&child) && random.below(10) > 0 || random.below(40) == 0 {
            links.push(Edge::new(score, mv));
        } else if random.below(3) == 0 {
            leaf = Edge::new(score, mv);
        }
    }
    // Against the rules on most boards.
    match random.below(60) {
        0 | 1 => {
            let number = random.below(64) as u8;
            leaf = Edge { score: 0, number };
        }
        2 => {
            let (score, number) = (random.below(5) as i8 - 2, random.below(64) as u8);
            let at = random.below(links.len() as u64 + 1) as usize;
            links.insert(at, Edge { score, number });
        }
        // No leaf, and yet a value.
        3 => {
            let score = random.below(5) as i8 - 2;
            let number = Edge::NONE;
            leaf = Edge { score, number };
        }
        // The square that one version takes for none.
        4 => {
            leaf = Edge {
                score: 0,
                number: 63,
            };
        }
        _ => {}
    }
    EdaxRecord {
        board,
        wins: 0,
        draws: 0,
        losses: 0,
        lines: 0,
        value: random.below(5) as i16 - 2,
        lower: -64,
        upper: 64,
        level: 1,
        links,
        leaf,
    }
}

/// Compares lines of a thousand random books with the algorithm as it is written.
fn compare(dialect: Dialect, modes: &[u8], limits: fn(&mut SplitMix64) -> MineLimits) {
    let mut lines = 0;
    for seed in 0..1000 {
        let records = random_book(seed);
        let limits = limits(&mut SplitMix64::new(seed << 1 | 1));
        for &mode in modes {
            let mut options = MineOptions::new(Mode::from_number(mode).unwrap());
            options.dialect = dialect;
            options.limits = Some(limits);
            let (found, summary) = run(book(&records), &options).unwrap();
            let expected = reference::mine(&records, mode, dialect, limits);
            assert_eq!(found, expected, "book {seed}, mode {mode}, {limits:?}");
            lines += summary.lines;
        }
    }
    assert!(lines > 10_000, "{lines}");
}

fn no_limits(_: &mut SplitMix64) -> MineLimits {
    MineLimits::default()
}

#[test]
fn random_books_match_the_reference() {
    compare(Dialect::Seed, &[1, 2, 3, 4], no_limits);
}

#[test]
fn random_books_match_the_newer_version() {
    compare(Dialect::V2, &[3, 6, 7], no_limits);
}

#[test]
fn random_books_match_the_older_version() {
    compare(Dialect::V1, &[1, 2, 3, 4], no_limits);
}

#[test]
fn random_books_match_the_newer_version_within_limits() {
    compare(Dialect::V2, &[1, 2, 3, 4, 6, 7], |random| {
        let mut limit = |n| (random.below(3) > 0).then(|| random.below(n) as u32 + 1);
        MineLimits {
            error: limit(4),
            sum: limit(12),
            plies: limit(14),
        }
    });
}

/// Lines with all that they tell, in order.
type RandomPosition = Vec<(String, u32, i32, i32)>;

/// The lines of a walk, put in order, and those of the search that gives them so.
fn both_ways(
    bytes: &[u8],
    options: &MineOptions,
    job: &Job,
) -> [(RandomPosition, MinerSummary); 2] {
    let mut told = [RandomPosition::new(), RandomPosition::new()];
    let summaries = [0, 1].map(|n| {
        let map = Map::from_bytes(Path::new("book.dat"), bytes.to_vec());
        let mut index = EdaxIndex::new(&map, OnDamage::Stop, job).unwrap();
        let mut each = |line: &MismatchLine<'_>| {
            told[n].push((
                line.transcript.to_owned(),
                line.ply,
                line.expected,
                line.found,
            ));
            Ok(())
        };
        let folder = TestFolder::new();
        match n {
            0 => mine(&mut index, options, job, &mut each),
            _ => mine_sorted(&mut index, options, job, &folder.path("."), &mut each),
        }
        .unwrap()
    });
    told[0].sort();
    let [walked, sorted] = told;
    let [first, second] = summaries;
    [(walked, first), (sorted, second)]
}

#[test]
fn breadth_first_lines_of_random_books_equal_depth_first_ones() {
    let mut lines = 0;
    for seed in 0..1000 {
        let bytes = book(&random_book(seed));
        for (mode, dialect) in [
            (1, Dialect::Seed),
            (2, Dialect::Seed),
            (3, Dialect::V2),
            (4, Dialect::Seed),
            (4, Dialect::V1),
            (6, Dialect::Seed),
            (7, Dialect::Seed),
        ] {
            let mut options = MineOptions::new(Mode::from_number(mode).unwrap());
            options.dialect = dialect;
            options.min_difference = (seed % 3) as u32;
            let job = Job {
                threads: 1 + seed as usize % 3,
                ..Job::default()
            };
            let [walked, sorted] = both_ways(&bytes, &options, &job);
            assert_eq!(sorted, walked, "book {seed}, mode {mode}");
            lines += walked.0.len();
        }
    }
    assert!(lines > 20_000, "{lines}");
}

#[test]
fn breadth_first_lines_of_real_books_equal_depth_first_ones() {
    for name in golden::EDAX {
        let bytes = golden::bytes(&format!("books/{name}.dat"));
        for mode in [1, 2, 3, 4, 6, 7] {
            let options = MineOptions::new(Mode::from_number(mode).unwrap());
            // So little memory that lines go through a file.
            let job = Job {
                memory: 1,
                ..Job::default()
            };
            let [walked, sorted] = both_ways(&bytes, &options, &job);
            assert_eq!(sorted, walked, "{name}, mode {mode}");
        }
    }
}

#[test]
fn a_limit_of_sorted_lines_is_one_of_the_first() {
    let bytes = book(&random_book(5));
    for max_ply in [None, Some(6)] {
        let mut options = MineOptions::new(Mode::EdgeAndMoves);
        options.max_ply = max_ply;
        let [(all, _), _] = both_ways(&bytes, &options, &Job::default());
        options.limit = Some(7);
        let [_, (some, summary)] = both_ways(&bytes, &options, &Job::default());
        assert_eq!(some, all[..7]);
        assert!(summary.cut_short && summary.lines == 7);
        options.limit = Some(1000);
        let [_, (some, summary)] = both_ways(&bytes, &options, &Job::default());
        assert_eq!(some, all);
        assert!(!summary.cut_short && summary.lines == all.len() as u64);
    }
}

#[test]
fn a_book_without_the_start_is_reported() {
    let other = Board::START.play_unchecked("d3".parse().unwrap());
    let record = random_record(other.canonical().board, &[], &mut SplitMix64::new(1));
    let result = run(book(&[record]), &MineOptions::new(Mode::EdgeAndMoves));
    assert!(matches!(result, Err(MineError::NoStart(board)) if board == Board::START));
}

#[test]
fn another_start_gives_the_lines_below_it() {
    let records = random_book(2);
    let all = run(book(&records), &MineOptions::new(Mode::EdgeAndMoves))
        .unwrap()
        .0;
    let first: String = all
        .lines()
        .map(|line| &line[..2])
        .next()
        .unwrap()
        .to_owned();
    let game: Game = first.parse().unwrap();
    let mut options = MineOptions::new(Mode::EdgeAndMoves);
    options.start = game.position();
    options.prefix.clone_from(&first);
    let below = run(book(&records), &options).unwrap().0;
    assert!(!below.is_empty());
    assert!(below.lines().all(|line| line.starts_with(&first)));
}

#[test]
fn lines_beyond_the_limits_are_left_out() {
    let records = random_book(5);
    let options = MineOptions::new(Mode::EdgeAndMoves);
    let (all, summary) = run(book(&records), &options).unwrap();
    assert!(summary.lines > 20);
    let (some, cut) = run(
        book(&records),
        &MineOptions {
            limit: Some(7),
            ..options.clone()
        },
    )
    .unwrap();
    assert_eq!(
        some.lines().collect::<Vec<_>>(),
        all.lines().take(7).collect::<Vec<_>>()
    );
    assert!(cut.cut_short && cut.lines == 7);
    let (_, large) = run(
        book(&records),
        &MineOptions {
            min_difference: 2,
            ..options.clone()
        },
    )
    .unwrap();
    let expected: u64 = summary.by_size[2..].iter().sum();
    assert_eq!(large.mismatches, expected);
    let (shallow, _) = run(
        book(&records),
        &MineOptions {
            max_ply: Some(3),
            ..options
        },
    )
    .unwrap();
    assert!(!shallow.is_empty() && shallow.lines().all(|line| line.len() <= 8));
}
