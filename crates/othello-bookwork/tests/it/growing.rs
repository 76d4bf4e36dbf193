//! Runs that end early and go on, with more threads, by recipes, and growing as Edax does.

use std::path::Path;
use std::time::Duration;

use othello_book::edax::EdaxBook;
use othello_book::files::BookReadOptions;
use othello_book::store::PositionStore as _;
use othello_book::{ops, text};
use othello_bookwork::{
    BookStage, BookTask, Budget, Deviate, Enhance, Fill, GrowthEnd, GrowthLimit, LeafRecalculation,
    Learn, Play, RandomStarts, Schedule, Store,
};
use othello_core::Board;
use test_support::{Edax, TestFolder, fixture};
use yane_io::Job;

use crate::support::{Notes, loaded, loaded_alone, run, run_with, task};

fn limit(number: u32) -> GrowthLimit {
    GrowthLimit(Some(number))
}

/// Some learning of every kind of start.
fn stages() -> Vec<BookStage> {
    let learn = Learn {
        level: "3".parse().unwrap(),
        depth: limit(7),
        error: limit(8),
        sum: limit(16),
        leaf_error: limit(8),
        loops: limit(20),
        ..Learn::default()
    };
    vec![
        BookStage::Learn(learn.clone()),
        BookStage::Learn(Learn {
            schedule: Schedule::Accuracy,
            depth: limit(9),
            loops: limit(2),
            random: Some(RandomStarts {
                count: 3,
                plies: 5,
                loss: 2,
            }),
            ..learn
        }),
        BookStage::Leaves(LeafRecalculation {
            level: "4".parse().unwrap(),
            depth: limit(6),
            ..LeafRecalculation::default()
        }),
    ]
}

/// Runs a task again and again until it is complete; returns the number of runs.
fn in_pieces(task: &BookTask, positions: u64) -> u32 {
    let mut task = task.clone();
    task.budget = Budget {
        positions: Some(positions),
        ..Budget::default()
    };
    for runs in 1.. {
        let growth = run(&task, 1 + (runs as usize) % 3);
        if growth.reason == GrowthEnd::Complete {
            return runs;
        }
        assert_eq!(growth.reason, GrowthEnd::Positions);
        assert!(task.is_begun() && task.output.exists());
    }
    unreachable!()
}

#[test]
fn a_book_does_not_depend_on_threads_or_pieces() {
    let folder = TestFolder::new();
    let [whole, pieces, saved] =
        ["whole.egbk3", "pieces.egbk3", "saved.egbk3"].map(|name| folder.path(name));
    let growth = run(&task(None, &whole, &stages()), 1);
    assert_eq!(growth.reason, GrowthEnd::Complete);
    assert!(growth.positions > 200, "{growth:?}");
    let expected = folder.read(&whole);
    let runs = in_pieces(&task(None, &pieces, &stages()), growth.added / 5);
    assert!(runs > 3, "{runs}");
    assert!(folder.read(&pieces) == expected, "in pieces");
    // A save at every look at the clock, and hardly any memory.
    let mut often = task(None, &saved, &stages());
    often.save_interval = Duration::from_millis(1);
    let job = Job {
        memory: 1 << 16,
        ..Job::default()
    };
    run_with(&often, 2, &job).unwrap();
    assert!(folder.read(&saved) == expected, "with saves");
    assert_eq!(
        folder.names(),
        ["pieces.egbk3", "saved.egbk3", "whole.egbk3"],
        "nothing is left beside"
    );
}

#[test]
fn a_journal_alone_is_enough_and_other_runs_are_refused() {
    let folder = TestFolder::new();
    let [whole, again] = ["whole.egbk3", "again.egbk3"].map(|name| folder.path(name));
    run(&task(None, &whole, &stages()), 2);
    let mut first = task(None, &again, &stages());
    first.budget.positions = Some(30);
    run(&first, 1);
    let other = task(None, &again, &stages()[..1]);
    let job = Job::default();
    let error = run_with(&other, 1, &job).unwrap_err();
    assert!(error.to_string().contains("another run"), "{error}");
    std::fs::remove_file(first.journal()).unwrap();
    let error = run_with(&other, 1, &job).unwrap_err();
    assert!(error.to_string().contains("another run"), "{error}");
    std::fs::remove_file(other.journal()).unwrap();
    // With other weights it is another run too.
    let mut relearnt = task(None, &again, &stages());
    relearnt.weights = "of tomorrow".to_owned();
    let error = run_with(&relearnt, 1, &job).unwrap_err();
    let told = error.to_string();
    assert!(
        told.contains("weights differ (expected of tomorrow"),
        "{told}"
    );
    std::fs::remove_file(first.journal()).unwrap();
    // A damaged state without the one before is one error.
    let mut before = first.state().into_os_string();
    before.push(".bak");
    std::fs::remove_file(before).ok();
    let mut bytes = std::fs::read(first.state()).unwrap();
    let at = bytes.len() / 2;
    bytes[at] ^= 1;
    std::fs::write(first.state(), &bytes).unwrap();
    let error = run_with(&first, 1, &job).unwrap_err();
    assert!(error.to_string().contains("checksum"), "{error}");
    std::fs::remove_file(first.state()).unwrap();
    first.budget.positions = None;
    run(&first, 1);
    assert!(folder.read(&again) == folder.read(&whole));
}

#[test]
fn a_cancelled_run_goes_on() {
    let folder = TestFolder::new();
    let [whole, again] = ["whole.egbk3", "again.egbk3"].map(|name| folder.path(name));
    run(&task(None, &whole, &stages()), 1);
    let task = task(None, &again, &stages());
    let mut cancelled = 0;
    for delay in 0..40 {
        let job = Job::default();
        let stop = job.clone();
        let thread = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(20 + 10 * delay));
            stop.cancel();
        });
        let result = run_with(&task, 2, &job);
        thread.join().unwrap();
        match result {
            Ok(growth) if growth.reason == GrowthEnd::Complete => break,
            Ok(growth) => assert_eq!(growth.reason, GrowthEnd::Cancelled),
            Err(error) => assert!(error.to_string().contains("interrupted"), "{error}"),
        }
        cancelled += 1;
    }
    assert!(cancelled > 0);
    run(&task, 1);
    assert!(folder.read(&again) == folder.read(&whole));
}

#[test]
fn lines_are_stored_and_bad_ones_are_listed() {
    let folder = TestFolder::new();
    let output = folder.path("book.egbk3");
    folder.write("games.txt", "f5d6c3d3c4\n\nf5f6e6f4\nf5a1\nf5d6c4\n");
    let store = Store {
        level: "2".parse().unwrap(),
        games: Some(folder.path("games.txt")),
        starts: vec!["f5d6c5".to_owned()],
        ..Store::default()
    };
    let notes = std::sync::Arc::new(Notes::default());
    let job = Job {
        progress: notes.clone(),
        ..Job::default()
    };
    let task = task(None, &output, &[BookStage::Store(store)]);
    run_with(&task, 1, &job).unwrap();
    let book = loaded(&output);
    for line in ["f5", "f5d6c3d3c4", "f5f6e6f4", "f5d6c4", "f5d6c5"] {
        let board = othello_record::parse(line).unwrap().position().board();
        let known = book.get(board).unwrap();
        assert_eq!(known.level, 2, "{line}");
    }
    let notes = notes.0.lock().unwrap();
    assert!(
        notes.iter().any(|note| note.contains("games.txt: line 4")),
        "{notes:?}"
    );
}

/// A book for Edax has every leaf that it needs, right values and bounds, and no problem.
fn check_for_edax(path: &Path) {
    let map = yane_io::Map::open(path).unwrap();
    let mut problems = Vec::new();
    let stop = othello_book::store::OnDamage::Stop;
    ops::check_edax(&map, stop, &Job::default(), &mut |problem| {
        problems.push(problem.clone());
    })
    .unwrap();
    assert!(
        problems.is_empty(),
        "{}: {:?}",
        path.display(),
        &problems[..problems.len().min(3)]
    );
    let mut table = loaded_alone(path);
    let header = table.header.unwrap();
    let fixed = ops::negamax_edax(&mut table, Board::START, &header);
    assert_eq!(
        (fixed.values, fixed.leaves, fixed.bounds, fixed.lines),
        (0, 0, 0, 0),
        "{}",
        path.display()
    );
    let input = othello_book::files::BookInput::open(path).unwrap();
    let (info, _) =
        othello_book::files::info(&input, BookReadOptions::default(), &Job::default()).unwrap();
    assert_eq!(info.edax_searches, Some(0));
}

/// Deviating at level 1 down to 52 empty squares.
fn deviate() -> Deviate {
    Deviate {
        relative: 3,
        absolute: 12,
        loops: limit(2),
        empties: Some(52),
        level: "edax1".parse().unwrap(),
        ..Deviate::default()
    }
}

#[test]
fn books_of_edax_grow_as_edax_says() {
    let folder = TestFolder::new();
    let input = fixture("othello/books/dev_a.dat");
    let before = loaded(&input).count();
    let level = "edax1".parse().unwrap();
    let stages = [
        BookStage::Deviate(deviate()),
        BookStage::Enhance(Enhance {
            loops: limit(1),
            empties: Some(54),
            level,
            ..Enhance::default()
        }),
        BookStage::Fill(Fill {
            depth: 2,
            empties: Some(55),
            level,
        }),
        BookStage::Play(Play {
            loops: limit(1),
            empties: Some(50),
            level,
        }),
    ];
    for stage in stages {
        let output = folder.path(format!("{}.dat", stage.name()));
        let pieces = folder.path(format!("{}-pieces.dat", stage.name()));
        let one = std::slice::from_ref(&stage);
        let growth = run(&task(Some(&input), &output, one), 2);
        assert!(
            growth.added > 0 && loaded(&output).count() == before + growth.added,
            "{} {growth:?}",
            stage.name()
        );
        check_for_edax(&output);
        in_pieces(&task(Some(&input), &pieces, one), growth.added / 3 + 1);
        assert!(
            folder.read(&pieces) == folder.read(&output),
            "{}",
            stage.name()
        );
    }
}

#[test]
fn what_egaroucid_learns_edax_can_read() {
    let folder = TestFolder::new();
    let output = folder.path("book.dat");
    run(&task(None, &output, &stages()[..1]), 2);
    check_for_edax(&output);
}

/// The records of a book as lines of text, in an order of their own.
fn edax_lines(path: &Path) -> Vec<String> {
    let bytes = std::fs::read(path).unwrap();
    let book = EdaxBook::new(&bytes).unwrap();
    let lines = book.records().map(|record| {
        let mut record = record.unwrap().to_record();
        record.links.sort_by_key(|link| link.number);
        text::edax_line(&record)
    });
    let mut lines: Vec<_> = lines.collect();
    lines.sort();
    lines
}

/// Books of every way of growing go through Edax without a warning, and its `book fix` finds nothing to mend.
#[test]
fn edax_has_nothing_to_mend() {
    let folder = TestFolder::new();
    let Some(mut edax) = Edax::start(&folder.path(".")) else {
        return;
    };
    // Levels as high as Edax's own would take it minutes if it searched.
    let level = "edax1".parse().unwrap();
    let learn = Learn {
        level,
        depth: limit(8),
        error: limit(6),
        sum: limit(12),
        leaf_error: limit(6),
        loops: limit(30),
        ..Learn::default()
    };
    let fill = Fill {
        depth: 3,
        empties: Some(55),
        level,
    };
    let stages = [
        ("learnt", None, vec![BookStage::Learn(learn.clone())]),
        (
            "deviated",
            Some(fixture("othello/books/dev_a.dat")),
            vec![BookStage::Deviate(deviate())],
        ),
        (
            "both",
            None,
            vec![
                BookStage::Learn(learn),
                BookStage::Deviate(deviate()),
                BookStage::Fill(fill),
            ],
        ),
    ];
    for (name, input, stages) in stages {
        let output = folder.path(format!("{name}.dat"));
        let growth = run(&task(input.as_deref(), &output, &stages), 2);
        assert!(growth.added > 20, "{name}: {growth:?}");
        edax.tell(&[
            &format!("book load {name}.dat"),
            "book fix",
            "book save fixed.dat",
        ]);
        let (ours, fixed) = (edax_lines(&output), edax_lines(&folder.path("fixed.dat")));
        let differ = ours.iter().zip(&fixed).find(|(ours, fixed)| ours != fixed);
        assert!(ours == fixed, "{name}: {differ:?}");
    }
}
