//! Mining books with real engines.

use std::cell::{Cell, RefCell};
use std::path::Path;
use std::time::Duration;

use bookwork::mine::{Mine, MineStep, MineSummary, mine};
use bookwork::think::Think;
use bookwork::{BookReport, BookRunEvent, StopReason};
use farm::RunControl;
use shogi_farm::{Engine, EnginePool};
use test_support::TestFolder;
use yane_book::Job;
use yane_book::check::check;
use yane_book::memory::{Book, ReadOptions};
use yane_book::peta_next::PetaNext;

/// The engine in this process, so often side by side.
fn pool(multi: usize) -> EnginePool {
    let engine = Engine {
        multi,
        options: [("USI_Hash".to_owned(), "1".to_owned())].into(),
        ..Engine::embedded()
    };
    EnginePool::new(&[engine], &[("ResignValue", "99999")], &[]).unwrap()
}

/// Forty positions in rounds of twelve at most.
fn options(folder: &TestFolder) -> Mine {
    let book = folder.path("book.db");
    Mine {
        think: Think {
            nodes: Some(200),
            lines: 4,
            ..Think::new(Vec::new(), &book)
        },
        peta: folder.path("peta.db"),
        roots: None,
        next: PetaNext {
            eval_diff: 60,
            ..PetaNext::default()
        },
        batch: 12,
        positions: Some(40),
        time: None,
    }
}

/// Ends the run after so many positions, and notes what is reported.
#[derive(Default)]
struct MineWatch {
    control: RunControl,
    left: Cell<u32>,
    searched: Cell<u64>,
    lists: RefCell<Vec<(u64, u64)>>,
    /// Positions that were searched before the run was resumed.
    resumed: Cell<Option<u64>>,
}

impl MineWatch {
    fn mine(&self, options: &Mine, pool: &EnginePool) -> MineSummary {
        let observer = |event: &BookRunEvent<'_>| match event {
            BookRunEvent::Report(BookReport::Searched { .. }) => {
                self.searched.set(self.searched.get() + 1);
                self.left.set(self.left.get().saturating_sub(1));
                if self.left.get() == 0 {
                    self.control.quit();
                }
            }
            BookRunEvent::Report(BookReport::Mine(step)) => match step {
                MineStep::Listed { round, chosen, .. } => {
                    self.lists.borrow_mut().push((*round, *chosen));
                }
                MineStep::Resumed { searched, .. } => self.resumed.set(Some(*searched)),
                _ => {}
            },
            _ => {}
        };
        mine(options, pool, &self.control, &Job::default(), &observer).unwrap()
    }

    fn new(positions: u32) -> Self {
        Self {
            left: Cell::new(positions),
            ..Self::default()
        }
    }
}

fn run(options: &Mine, pool: &EnginePool) -> MineSummary {
    MineWatch::new(u32::MAX).mine(options, pool)
}

fn positions(path: &Path) -> usize {
    let book = Book::read(path, ReadOptions::default(), &Job::default()).unwrap();
    book.len()
}

#[test]
fn a_book_is_mined_within_its_budget_however_often_it_is_interrupted() {
    let whole = TestFolder::new();
    let watch = MineWatch::new(u32::MAX);
    let mined = watch.mine(&options(&whole), &pool(2));
    assert_eq!((mined.reason, mined.searched), (StopReason::Positions, 40));
    assert_eq!(watch.searched.get(), 40);
    let lists = watch.lists.into_inner();
    assert_eq!(lists.len() as u64, mined.rounds);
    assert_eq!(lists[0], (1, 1));
    assert_eq!(lists.iter().map(|(_, chosen)| chosen).sum::<u64>(), 40);
    assert_eq!(whole.names(), ["book.db", "peta.db"]);
    assert_eq!(positions(&whole.path("book.db")), 40);
    let path = whole.path("peta.db");
    let report = check(&path, 10, &Job::default()).unwrap();
    assert!(report.is_clean(), "{:?}", report.findings);

    let cut = TestFolder::new();
    let mut runs = 0;
    let mut before = 0;
    let searched = loop {
        let watch = MineWatch::new(5);
        let mined = watch.mine(&options(&cut), &pool(1 + runs % 2));
        assert_eq!(watch.resumed.get(), (runs > 0).then_some(before));
        before = mined.searched;
        runs += 1;
        // The count is that of the book, whether the run is over or not.
        let book = &options(&cut).think.book;
        let held = if book.exists() { positions(book) } else { 0 };
        assert_eq!(mined.searched, held as u64);
        if mined.reason != StopReason::Interrupted {
            break mined.searched;
        }
    };
    assert!(runs > 3, "{runs}");
    assert_eq!(searched, 40);
    assert!(cut.read("book.db") == whole.read("book.db"));
    assert!(cut.read("peta.db") == whole.read("peta.db"));
    assert_eq!(cut.names(), ["book.db", "peta.db"]);
}

#[test]
fn time_is_a_budget_too() {
    let folder = TestFolder::new();
    let options = Mine {
        positions: None,
        time: Some(Duration::from_millis(1500)),
        think: Think {
            nodes: Some(20_000),
            ..options(&folder).think
        },
        ..options(&folder)
    };
    let mined = run(&options, &pool(1));
    assert_eq!(mined.reason, StopReason::Time);
    assert!(mined.summary.is_complete);
    assert_eq!(folder.names(), ["book.db", "peta.db"]);
    // The next run has its own time.
    let before = positions(&options.think.book);
    let mined = run(&options, &pool(1));
    assert_eq!(mined.reason, StopReason::Time);
    assert!(positions(&options.think.book) > before);
}

#[test]
fn a_side_and_roots_of_its_own() {
    let folder = TestFolder::new();
    let roots = folder.path("roots.txt");
    std::fs::write(&roots, "startpos moves 7g7f 3c3d\nstartpos moves 2g2f\n").unwrap();
    let options = Mine {
        roots: Some(roots),
        positions: Some(9),
        next: PetaNext {
            side: Some(shogi_core::Color::White),
            ..PetaNext::default()
        },
        ..options(&folder)
    };
    let mined = run(&options, &pool(1));
    assert_eq!((mined.reason, mined.searched), (StopReason::Positions, 9));
    let book = Book::read(&options.think.book, ReadOptions::default(), &Job::default()).unwrap();
    for line in ["startpos moves 7g7f 3c3d", "startpos moves 2g2f"] {
        let game = shogi_core::parse_position_line(line).unwrap();
        assert!(book.get(game.position()).is_some(), "{line}");
    }
}
