//! Growing books with real engines.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bookwork::stera::{SteraOptions, SteraStep, SteraSummary, run};
use bookwork::{BookReport, BookRunEvent};
use farm::RunControl;
use shogi_core::Position;
use shogi_core::movegen::LegalAll;
use shogi_farm::{Engine, EnginePool};
use test_support::TestFolder;
use yane_book::Job;
use yane_book::memory::{Book, ReadOptions};
use yane_book::stera_convert::{SteraConvertOptions, stera_convert};

fn fixture(name: &str) -> PathBuf {
    test_support::fixture("book/stera").join(name)
}

/// The engine in this process, so often side by side.
fn pool(multi: usize) -> EnginePool {
    let engine = Engine {
        multi,
        options: [("USI_Hash".to_owned(), "1".to_owned())].into(),
        ..Engine::embedded()
    };
    let presets = [("ResignValue", "99999"), ("GenerateAllLegalMoves", "true")];
    EnginePool::new(&[engine], &presets, &[]).unwrap()
}

fn options(folder: &TestFolder, think_limit: u64) -> SteraOptions {
    SteraOptions {
        read_book: folder.path("read.db"),
        write_book: folder.path("write.db"),
        nodes_limit: 100,
        think_limit,
        ..SteraOptions::default()
    }
}

fn grow(options: &SteraOptions, pool: &EnginePool) -> SteraSummary {
    let (control, job) = (RunControl::default(), Job::default());
    run(options, pool, &control, &job, &|_| ()).unwrap()
}

fn book(path: &Path) -> Book {
    let ignore_ply = ReadOptions { ignore_ply: true };
    Book::read(path, ignore_ply, &Job::default()).unwrap()
}

/// Checks that every position has all its legal moves, with falling values.
fn check_complete(path: &Path) {
    let options = SteraConvertOptions::default();
    let converted = path.with_extension("converted.db");
    let report = stera_convert(path, &converted, &options, &Job::default()).unwrap();
    assert_eq!((report.incomplete, report.links.bad_moves), (0, 0));
    for entry in book(path).iter() {
        assert!(entry.moves.iter().is_sorted_by(|a, b| a.eval >= b.eval));
    }
}

#[test]
fn one_engine_gives_the_same_book_every_time_also_interrupted() {
    let pool = pool(1);
    let whole = TestFolder::new();
    let summary = grow(&options(&whole, 60), &pool);
    assert_eq!((summary.positions, summary.summary.finished), (60, 60));
    assert!(summary.summary.is_complete);
    let expected = whole.read("write.db");
    check_complete(&whole.path("write.db"));

    let cut = TestFolder::new();
    let mut runs = 0;
    loop {
        let control = RunControl::default();
        let left = Cell::new(7);
        let options = SteraOptions {
            save_interval: 5,
            ..options(&cut, 60)
        };
        let observer = |event: &BookRunEvent<'_>| {
            if let BookRunEvent::Report(BookReport::Searched { .. }) = event {
                left.set(left.get() - 1);
                if left.get() == 0 {
                    control.quit();
                }
            }
        };
        let grown = run(&options, &pool, &control, &Job::default(), &observer).unwrap();
        runs += 1;
        if grown.summary.is_complete {
            break;
        }
        assert!(cut.path("write.db.journal").exists());
    }
    assert!(runs > 3, "{runs}");
    let found = cut.read("write.db");
    assert!(found == expected);
    assert_eq!(cut.names(), ["write.db"]);
}

#[test]
fn no_book_is_ahead_of_what_was_reported() {
    let folder = TestFolder::new();
    let options = SteraOptions {
        save_interval: 3,
        ..options(&folder, 60)
    };
    let (reported, saves) = (Cell::new(0), Cell::new(0));
    let observer = |event: &BookRunEvent<'_>| match event {
        BookRunEvent::Report(BookReport::Searched { .. }) => {
            reported.set(reported.get() + 1);
            // Meanwhile engines get ahead.
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        BookRunEvent::Saved { path, .. } => {
            saves.set(saves.get() + 1);
            assert_eq!(book(path).len(), reported.get());
        }
        _ => {}
    };
    let (control, job) = (RunControl::default(), Job::default());
    run(&options, &pool(2), &control, &job, &observer).unwrap();
    assert_eq!((reported.get(), saves.get()), (60, 21));
}

#[test]
fn a_complete_run_can_be_continued_from_its_book() {
    let pool = pool(1);
    let folder = TestFolder::new();
    grow(&options(&folder, 20), &pool);
    let summary = grow(&options(&folder, 20), &pool);
    assert_eq!((summary.positions, summary.summary.finished), (40, 20));
    let twice = folder.read("write.db");
    let folder = TestFolder::new();
    grow(&options(&folder, 40), &pool);
    assert!(folder.read("write.db") == twice);
}

#[test]
fn many_engines_never_search_a_position_twice() {
    let pool = pool(4);
    let folder = TestFolder::new();
    let counts = RefCell::new(BTreeMap::new());
    let options = SteraOptions {
        search_delta: 40,
        ..options(&folder, 200)
    };
    let observer = |event: &BookRunEvent<'_>| {
        if let BookRunEvent::Report(BookReport::Searched {
            position, moves, ..
        }) = event
        {
            let key = position.key128();
            *counts.borrow_mut().entry(key).or_insert(0) += 1;
            assert_eq!(moves.len(), position.count_moves::<LegalAll>());
        }
    };
    let (control, job) = (RunControl::default(), Job::default());
    let summary = run(&options, &pool, &control, &job, &observer).unwrap();
    let counts = counts.into_inner();
    assert_eq!(counts.len(), 200);
    assert!(counts.values().all(|&count| count == 1));
    assert_eq!(summary.positions, 200);
    check_complete(&options.write_book);
}

#[test]
fn books_of_others_are_read_and_grow() {
    let pool = pool(1);
    let folder = TestFolder::new();
    let input = fixture("stera_missing.db");
    let incomplete = Cell::new(0);
    let options = SteraOptions {
        read_book: input.clone(),
        roots: Some(fixture("stera_roots.txt")),
        ..options(&folder, 5)
    };
    let observer = |event: &BookRunEvent<'_>| {
        if let BookRunEvent::Report(BookReport::Stera(SteraStep::Started {
            incomplete: count,
            ..
        })) = event
        {
            incomplete.set(*count);
        }
    };
    let (control, job) = (RunControl::default(), Job::default());
    let summary = run(&options, &pool, &control, &job, &observer).unwrap();
    // One position lacks a move: it is left out.
    assert_eq!((incomplete.get(), summary.positions), (1, 13));
    let (old, new) = (book(&input), book(&options.write_book));
    let kept = old.iter().filter(|entry| {
        let found = new.index_of_key(entry.key).and_then(|at| new.entry(at));
        found.is_some_and(|found| found.moves.sorted() == entry.moves.sorted())
    });
    assert_eq!(kept.count(), 8);
    check_complete(&options.write_book);
}

#[test]
fn the_best_play_is_followed() {
    // Of this book's best lines the end is where stera_convert says that its best moves lead.
    let folder = TestFolder::new();
    let options = SteraOptions {
        read_book: fixture("stera_in.db"),
        roots: Some(fixture("stera_roots.txt")),
        ..options(&folder, 1)
    };
    let searched = RefCell::new(None);
    let observer = |event: &BookRunEvent<'_>| {
        if let BookRunEvent::Report(BookReport::Searched { position, .. }) = event {
            *searched.borrow_mut() = Some(position.to_sfen());
        }
    };
    let (control, job) = (RunControl::default(), Job::default());
    run(&options, &pool(1), &control, &job, &observer).unwrap();
    let converted = book(&fixture("stera_out.db"));
    let mut position = Position::startpos();
    while let Some(moves) = converted.get_ignoring_ply(&position) {
        let best = moves.sorted()[0];
        let m = position.move_from_16(best.mv.unwrap()).unwrap();
        let _ = position.do_move_unchecked(m);
    }
    assert_eq!(searched.into_inner().unwrap(), position.to_sfen());
}

#[test]
fn a_book_with_incomplete_positions_is_not_overwritten() {
    let folder = TestFolder::new();
    let options = options(&folder, 5);
    std::fs::copy(fixture("stera_missing.db"), &options.write_book).unwrap();
    let (control, job) = (RunControl::default(), Job::default());
    let error = run(&options, &pool(1), &control, &job, &|_| ()).unwrap_err();
    assert!(error.to_string().contains("invalid (1 in all)"), "{error}");
    assert!(!folder.path("write.db.journal").exists());
    let same = std::fs::read(fixture("stera_missing.db")).unwrap();
    assert!(std::fs::read(&options.write_book).unwrap() == same);
}

#[test]
fn engines_that_fail_cost_nothing_but_time() {
    let folder = TestFolder::new();
    let engines = [
        Engine {
            multi: 1,
            ..Engine::embedded()
        },
        Engine::program("no-such-engine-at-all"),
    ];
    let presets = [("GenerateAllLegalMoves", "true")];
    let pool = EnginePool::new(&engines, &presets, &[]).unwrap();
    let options = options(&folder, 10);
    let summary = grow(&options, &pool);
    assert_eq!((summary.positions, summary.summary.given_up), (10, 0));
    // Alone it is an error, and nothing is lost.
    let pool = EnginePool::new(&engines[1..], &[], &[]).unwrap();
    let (control, job) = (RunControl::default(), Job::default());
    let error = run(&options, &pool, &control, &job, &|_| ()).unwrap_err();
    assert!(error.to_string().contains("no worker is left"), "{error}");
    assert_eq!(book(&options.write_book).len(), 10);
}
