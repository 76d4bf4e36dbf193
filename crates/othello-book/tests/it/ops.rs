//! Operations of Egaroucid and of Edax, as they do them.

use othello_book::convert::{LeafImport, LeafPolicy};
use othello_book::edax::{EdaxBook, EdaxHeader};
use othello_book::files::{BookInput, BookOutputMode, BookReadOptions, BookWriteOptions};
use othello_book::ops::{Accuracies, LeafValues, OthelloBookInfo, ReduceLimits};
use othello_book::store::{
    Bounds, GameCounts, MemoryBook, PositionData, PositionLookup as _, PositionStore,
};
use othello_book::{BookFormat, convert, files, ops, text};
use othello_core::{Board, Game, Move, State};
use test_support::TestFolder;
use yane_io::Job;

use crate::convert::{dump, loaded};
use crate::golden;

const BOOKS: [&str; 2] = ["var_a", "var_g"];

fn check(name: &str, table: &MemoryBook) {
    let expected = golden::text_of(&format!("books/egaroucid/{name}.dump.txt"));
    for (found, expected) in dump(table).lines().zip(expected.lines()) {
        assert_eq!(found, expected, "{name}");
    }
    assert_eq!(
        dump(table).lines().count(),
        expected.lines().count(),
        "{name}"
    );
}

/// As [`check`]; of moves that are equally good, either may have become the leaf.
fn check_up_to_ties(name: &str, table: &MemoryBook) {
    let expected = golden::text_of(&format!("books/egaroucid/{name}.dump.txt"));
    let without_move = |text: &str| -> Vec<String> {
        let line = |line: &str| line.rsplitn(3, ' ').last().unwrap().to_owned();
        text.lines().map(line).collect()
    };
    assert_eq!(
        without_move(&dump(table)),
        without_move(&expected),
        "{name}"
    );
}

#[test]
fn values_are_propagated_from_the_leaves() {
    for book in BOOKS {
        let leaf_rules = [LeafValues::Ignore, LeafValues::Count];
        for (n, leaves) in leaf_rules.into_iter().enumerate() {
            let mut table = loaded(book);
            let fixed = ops::negamax(&mut table, Board::START, leaves);
            assert!(fixed.values > 0 && fixed.reached <= table.len() as u64);
            check(&format!("negamax{n}_{book}"), &table);
            let again = ops::negamax(&mut table, Board::START, leaves);
            assert_eq!((again.values, again.lines), (0, 0));
        }
    }
}

#[test]
fn fixing_removes_invalid_leaves() {
    for book in BOOKS {
        let mut table = loaded(book);
        ops::fix(&mut table, Board::START);
        check(&format!("fix_{book}"), &table);
    }
}

#[test]
fn lines_are_counted() {
    for book in BOOKS {
        let mut table = loaded(book);
        let fixed = ops::count_lines(&mut table, Board::START);
        assert_eq!(fixed.values, 0);
        check(&format!("nlines_{book}"), &table);
    }
}

#[test]
fn positions_beyond_the_limits_are_removed() {
    let limits = |depth, error, sum| ReduceLimits { depth, error, sum };
    let f5: Game = "f5".parse().unwrap();
    let f5 = f5.position().board();
    let cases = [
        ("reduce_BOOK_d5_e60_s60", Board::START, limits(5, 60, 60)),
        ("reduce_BOOK_d60_e2_s60", Board::START, limits(60, 2, 60)),
        ("reduce_BOOK_d60_e60_s3", Board::START, limits(60, 60, 3)),
        ("reduce_BOOK_d60_e2_s4", Board::START, limits(60, 2, 4)),
        ("reduce_BOOK_d4_e1_s2", Board::START, limits(4, 1, 2)),
        ("reduce_f5_BOOK", f5, limits(60, 1, 2)),
    ];
    for (name, start, limits) in cases {
        for book in BOOKS {
            let mut table = loaded(book);
            let reduced = ops::reduce(&mut table, start, limits);
            assert!(reduced.removed > 0);
            check_up_to_ties(&name.replace("BOOK", book), &table);
        }
    }
}

#[test]
fn positions_behind_a_pass_stay() {
    let behind_passes = |table: &MemoryBook| {
        let boards = table.sorted().into_iter();
        let after = boards.flat_map(|board| {
            let moves = board.legal_moves().into_iter();
            moves.map(move |square| board.play_unchecked(square))
        });
        let passes = after.filter(|board| board.state() == State::Pass);
        passes
            .filter(|board| table.get(board.passed()).is_some())
            .count()
    };
    let mut table = loaded("var_g");
    let before = behind_passes(&table);
    assert!(before > 5);
    // Nothing is beyond these limits.
    let limits = ReduceLimits {
        depth: 60,
        error: 128,
        sum: 10_000,
    };
    let reduced = ops::reduce(&mut table, Board::START, limits);
    assert_eq!((reduced.removed, behind_passes(&table)), (0, before));
}

#[test]
fn counts_are_those_of_egaroucid() {
    for book in BOOKS {
        let expected = golden::text_of(&format!("books/egaroucid/info_{book}.txt"));
        let found = OthelloBookInfo::of(&loaded(book)).to_string();
        assert_eq!(found, expected);
    }
}

#[test]
fn isolated_positions_are_found_and_removed() {
    let mut table = loaded("var_a");
    let none = ops::isolated(&table, Board::START);
    // A position that only an absent one leads to.
    let game: Game = "f5d6c3d3c4f4c5b3c2".parse().unwrap();
    let far = game.position().board();
    assert_eq!(far.state(), State::Moves);
    let known = *table.get(Board::START).unwrap();
    table.insert(far, known);
    let isolated = ops::isolated(&table, Board::START);
    assert_eq!(isolated.len(), none.len() + 1);
    assert!(isolated.contains(&far.canonical().board));
    assert_eq!(
        ops::remove_isolated(&mut table, Board::START),
        isolated.len() as u64
    );
    assert!(ops::isolated(&table, Board::START).is_empty());
}

/// A book of Edax in memory.
fn edax(name: &str) -> (MemoryBook, EdaxHeader) {
    let bytes = golden::bytes(&format!("books/{name}.dat"));
    let book = EdaxBook::new(&bytes).unwrap();
    let mut table = MemoryBook::default();
    for record in book.records() {
        let record = record.unwrap().to_record();
        convert::from_edax(&mut table, &record, LeafImport::Keep);
    }
    (table, book.header)
}

#[test]
fn games_and_bounds_are_those_of_edax() {
    for name in ["dev_a", "dev_b", "games_a", "games_b"] {
        let (was, header) = edax(name);
        let mut table = was.clone();
        table.retain(|board, known| {
            if board.state() != State::Over {
                (known.value, known.lines) = (0, 77);
                known.games = GameCounts {
                    wins: 9,
                    draws: 9,
                    losses: 9,
                };
                known.bounds = Bounds::default();
            }
            true
        });
        let fixed = ops::negamax_edax(&mut table, Board::START, &header);
        assert_eq!(fixed.reached, was.len() as u64, "{name}");
        assert!(fixed.lines > 0 && fixed.bounds > 0);
        for (board, known) in was.iter() {
            assert_eq!(table.get(board), Some(known), "{name} {board:?}");
        }
        let again = ops::negamax_edax(&mut table, Board::START, &header);
        let changed = (again.values, again.lines, again.leaves, again.bounds);
        assert_eq!(changed, (0, 0, 0, 0));
    }
}

#[test]
fn values_are_propagated_through_stored_passes() {
    for name in ["games_a", "games_b"] {
        let (mut table, _) = edax(name);
        let passes = |table: &MemoryBook| {
            let boards = table.sorted().into_iter();
            let passes = boards.filter(|board| board.state() == State::Pass);
            passes.collect::<Vec<_>>()
        };
        assert!(!passes(&table).is_empty());
        let fixed = ops::negamax(&mut table, Board::START, LeafValues::Count);
        assert_eq!(fixed.reached, table.len() as u64);
        assert!(ops::isolated(&table, Board::START).is_empty());
        for board in passes(&table) {
            let after = table.get(board.passed()).map(|known| known.value);
            let value = table.get(board).unwrap().value;
            assert!(after.is_none_or(|after| after == -value));
        }
        // Values agree already, from whatever side they are counted; only what they are counted for differs.
        assert_eq!(fixed.values, 0, "{name}");
        let all = passes(&table).len();
        let limits = ReduceLimits {
            depth: 60,
            error: 128,
            sum: 10_000,
        };
        let reduced = ops::reduce(&mut table, Board::START, limits);
        assert_eq!((reduced.removed, passes(&table).len()), (0, all));
        // Passes in books for Edax are worth what is behind them, with the other sign.
        for record in convert::to_edax(&table, None, LeafPolicy::Complete) {
            let after = table.get(record.board.passed());
            if record.board.state() == State::Pass
                && let Some(after) = after
            {
                assert_eq!(record.value, -i16::from(after.value));
                assert_eq!(record.links[0].score, -after.value);
            }
        }
    }
}

/// The results of Edax's own commands, links included.
#[test]
fn negamax_prune_and_subtree_are_those_of_edax() {
    let f5d6: Game = "f5d6".parse().unwrap();
    for name in ["games_b", "dev_a"] {
        let (was, header) = edax(name);
        let check = |command: &str, change: &dyn Fn(&mut MemoryBook)| {
            let mut table = was.clone();
            change(&mut table);
            // Then fix, which has nothing left to do.
            ops::negamax_edax(&mut table, Board::START, &header);
            let records = convert::to_edax(&table, None, LeafPolicy::Keep);
            let lines = records.iter().map(text::edax_line);
            let expected = golden::text_of(&format!("books/edax/{command}_{name}.dump.txt"));
            let expected = expected.lines().filter(|line| !line.starts_with('#'));
            for (line, expected) in lines.zip(expected.clone()) {
                let [mut found, mut expected] = [line.trim_end(), expected].map(sorted_links);
                if command == "prune" {
                    // Of moves that are equally good, either may have become the leaf.
                    for line in [&mut found, &mut expected] {
                        line.truncate(line.rfind(':').unwrap());
                    }
                }
                assert_eq!(found, expected, "{command} {name}");
            }
            assert_eq!(expected.count(), table.len(), "{command} {name}");
        };
        check("negamax", &|_| {});
        check("fix", &|_| {});
        check("prune", &|table| {
            let reduced = ops::prune_edax(table, Board::START, &header);
            assert_eq!(reduced.kept, table.len() as u64);
            assert!(reduced.removed > 0 && reduced.leaves > 0);
        });
        check("subtree_f5d6", &|table| {
            assert!(ops::remove_isolated(table, f5d6.position().board()) > 0);
        });
    }
}

/// A line of a book with its links in one order.
fn sorted_links(line: &str) -> String {
    let mut parts: Vec<_> = line.split(" | ").map(str::to_owned).collect();
    let mut links: Vec<_> = parts[4].split_whitespace().collect();
    links.sort_unstable();
    parts[4] = links.join(" ");
    parts.join(" | ")
}

/// All that work on a book gives.
fn work<P: PositionStore>(mut open: impl FnMut() -> P, dump: impl Fn(&P) -> String) -> Vec<String> {
    let start = Board::START;
    let header = EdaxHeader::default();
    let f5: Game = "f5".parse().unwrap();
    let f5 = f5.position().board();
    let limits = |depth, error, sum| ReduceLimits { depth, error, sum };
    let mut told = Vec::new();
    let mut tell = |change: &dyn Fn(&mut P) -> String| {
        let mut book = open();
        let changed = change(&mut book);
        told.push(format!("{changed} {} {}", book.count(), dump(&book)));
    };
    tell(&|_| String::new());
    tell(&|book| format!("{:?}", ops::negamax(book, start, LeafValues::Ignore)));
    tell(&|book| format!("{:?}", ops::negamax(book, f5, LeafValues::Count)));
    tell(&|book| format!("{:?}", ops::negamax_edax(book, start, &header)));
    tell(&|book| format!("{:?}", ops::fix(book, start)));
    tell(&|book| format!("{:?}", ops::count_lines(book, start)));
    tell(&|book| format!("{:?}", ops::prune_edax(book, start, &header)));
    tell(&|book| format!("{:?}", ops::remove_isolated(book, f5)));
    tell(&|book| format!("{:?}", ops::isolated(book, f5)));
    tell(&|book| format!("{:?}", ops::count_isolated(book, f5)));
    tell(&|book| format!("{:?}", ops::book_losses(book, start)));
    tell(&|book| format!("{:?}", Accuracies::new(book).count()));
    for limits in [limits(60, 2, 4), limits(4, 1, 2), limits(60, 128, 10_000)] {
        tell(&|book| format!("{:?}", ops::reduce(book, start, limits)));
        tell(&|book| format!("{:?}", ops::reduce(book, f5, limits)));
        // One upon the other.
        tell(&|book| {
            let fixed = ops::fix(book, start);
            let reduced = ops::reduce(book, start, limits);
            format!(
                "{fixed:?} {reduced:?} {:?}",
                ops::negamax_edax(book, start, &header)
            )
        });
    }
    told
}

#[test]
fn operations_on_disk_equal_operations_in_memory() {
    let folder = TestFolder::new();
    let line = |board: Board, known: PositionData| format!("{board:?} {known:?}");
    let books = [
        "dev_a.dat",
        "games_a.dat",
        "games_b.dat",
        "pert_games_b.dat",
        "pert_dev_a.dat",
    ];
    let others = [
        "egaroucid/var_a.egbk3",
        "egaroucid/var_b.egbk3",
        "egaroucid/var_g.egbk3",
    ];
    for name in books.iter().chain(&others) {
        let input = BookInput::open(&golden::path(&format!("books/{name}"))).unwrap();
        for leaf_import in [LeafImport::Keep, LeafImport::AsPosition] {
            let reading = BookReadOptions {
                leaf_import,
                ..BookReadOptions::default()
            };
            let job = |memory| Job {
                memory,
                ..Job::default()
            };
            let table = files::load(&input, reading, &Job::default()).unwrap().book;
            let in_memory = work(
                || table.clone(),
                |table: &MemoryBook| {
                    let boards = table.sorted().into_iter();
                    boards
                        .map(|board| line(board, *table.get(board).unwrap()))
                        .collect()
                },
            );
            for memory in [1, 1 << 30] {
                let open = || {
                    let opened = files::open(&input, reading, &folder.path("."), &job(memory));
                    opened.unwrap().book
                };
                let in_files = work(open, |rows| {
                    let numbers = rows.in_order();
                    numbers
                        .map(|n| line(rows.board(n).unwrap(), rows.known(n)))
                        .collect()
                });
                for (found, expected) in in_files.iter().zip(&in_memory) {
                    assert_eq!(found, expected, "{name} {leaf_import:?}");
                }
            }
            let folder = &folder.path(".");
            for extension in ["dat", "egbk3"] {
                let rows = files::open(&input, reading, folder, &job(1)).unwrap().book;
                assert_eq!(rows.header, table.header);
                let outputs = ["a", "b"].map(|name| folder.join(format!("{name}.{extension}")));
                let writing = BookWriteOptions::new(BookFormat::of_extension(extension).unwrap());
                let saved =
                    files::save(&rows, &outputs[0], BookOutputMode::Write, writing).unwrap();
                let other =
                    files::save(&table, &outputs[1], BookOutputMode::Write, writing).unwrap();
                assert_eq!(saved, other);
                let [rows, table] = outputs.map(|path| std::fs::read(path).unwrap());
                assert_eq!(rows, table, "{name}");
            }
        }
    }
}

#[test]
fn umigames_numbers_are_those_of_egaroucid() {
    use othello_book::ops::{Umigame, UmigameNumbers, UmigameRule};
    use othello_core::{Position, Side};

    for book in BOOKS {
        for (depth, name) in [(60, "umigame"), (4, "umigame_depth4")] {
            let table = loaded(book);
            let rule = UmigameRule {
                depth,
                ..UmigameRule::default()
            };
            let mut umigame = Umigame::new(&table, rule);
            let expected = golden::text_of(&format!("books/egaroucid/{name}_{book}.txt"));
            let mut greatest = 0;
            for line in expected.lines() {
                let words: Vec<_> = line.split(' ').collect();
                let bits = |text: &str| u64::from_str_radix(text, 16).unwrap();
                let board = Board::new(bits(words[0]), bits(words[1])).unwrap();
                let side = if words[2] == "0" {
                    Side::Black
                } else {
                    Side::White
                };
                let UmigameNumbers { black, white } = umigame.of(Position::new(board, side));
                assert_eq!(
                    format!("{black} {white}"),
                    words[3..].join(" "),
                    "{name} {line}"
                );
                greatest = greatest.max(black.max(white));
            }
            assert!(
                depth < 60 || greatest > 1,
                "{book}: some position has several lines"
            );
        }
    }
}

#[test]
fn umigames_numbers_with_losses_and_ranges() {
    use othello_book::ops::{Umigame, UmigameRule};
    use othello_core::Position;

    let table = loaded("var_g");
    let of = |loss, range| {
        let rule = UmigameRule {
            loss,
            range,
            ..UmigameRule::default()
        };
        Umigame::new(&table, rule).of(Position::START)
    };
    let best = of(0, None);
    let with_losses = of(20, None);
    // More moves of the other player are to be known.
    assert!(
        with_losses.black >= best.black && with_losses != best,
        "{with_losses:?}"
    );
    assert_eq!(of(20, Some(-64..=64)), with_losses);
    // No move is in a range that no value is in.
    let none = of(20, Some(64..=64));
    assert_eq!((none.black, none.white), (1, 1));
}

#[test]
fn trees_draws_departures_and_differences() {
    use othello_book::ops::{DrawnLines, TreeLimits, book_tree, departure, differences};
    use othello_core::Position;

    let table = loaded("var_g");
    let limits = TreeLimits {
        depth: 60,
        error: 128,
        leaves: false,
    };
    let rows = book_tree(&table, Position::START, limits);
    // Every row is behind the one before it, and every position that is not shown before has what follows it.
    assert!(
        rows.windows(2)
            .all(|pair| pair[1].depth <= pair[0].depth + 1)
    );
    let same: Vec<_> = rows.iter().filter_map(|row| row.same_as).collect();
    assert!(!same.is_empty() && same.iter().all(|&row| rows[row].same_as.is_none()));
    let first: f64 = rows
        .iter()
        .filter(|row| row.depth == 1)
        .map(|row| row.share)
        .sum();
    assert!((first - 1.0).abs() < 1e-9, "{first}");
    // As many lines are listed as are counted.
    let mut fixed = loaded("var_g");
    for value in [0, 2] {
        if let Some(start) = fixed.get_mut(Board::START) {
            start.value = value;
        }
        let mut drawn = DrawnLines::new(&fixed);
        let count = drawn.count(Position::START);
        let mut lines = Vec::new();
        drawn
            .for_each(Position::START, 1000, &mut |line| {
                lines.push(line.to_vec());
                Ok::<(), ()>(())
            })
            .unwrap();
        assert_eq!(lines.len() as u64, count, "{value}");
        lines.dedup();
        assert_eq!((lines.len() as u64, count > 0), (count, value == 0));
    }
    // The first move of the book and an unknown one behind it.
    let first = rows[0].square;
    let mut game = Game::default();
    game.play_unchecked(Move::Place(first));
    assert_eq!(departure(&table, &game, 0, |_| true), None);
    let next = game.position();
    let known: Vec<_> = othello_book::ops::book_steps_and_leaf(&table, next)
        .iter()
        .map(|step| step.square)
        .collect();
    let images = |square| {
        next.board()
            .try_play(square)
            .map(|board| board.canonical().board)
    };
    let unknown = next
        .board()
        .legal_moves()
        .iter()
        .find(|&square| known.iter().all(|&one| images(one) != images(square)));
    if let Some(unknown) = unknown {
        game.play_unchecked(Move::Place(unknown));
        let left = departure(&table, &game, 0, |_| true).unwrap();
        assert_eq!((left.played, left.ply, left.loss), (unknown, 1, None));
    }
    // A book against itself, and against one with a change.
    let nothing = &mut |_, _, _| Err("a difference");
    assert!(differences(&table, &table, nothing).unwrap().is_none());
    let mut changed = loaded("var_g");
    changed.get_mut(Board::START).unwrap().value += 1;
    let removed = changed.sorted()[3];
    changed.remove(removed);
    let mut found = Vec::new();
    let counts = differences(&table, &changed, &mut |board, _, other| {
        found.push((board, other.is_some()));
        Ok::<(), ()>(())
    })
    .unwrap();
    assert_eq!((counts.removed, counts.added, counts.values), (1, 0, 1));
    assert_eq!(counts.equal, table.len() as u64 - 2);
    assert_eq!(found, [(removed, false), (Board::START, true)]);
}
