//! Endless growth of books, with real engines.

use std::cell::{Cell, RefCell};

use bookwork::endless::{Endless, EndlessStep, EndlessSummary, grow};
use bookwork::think::Think;
use bookwork::{BookReport, BookRunEvent, StopReason};
use farm::RunControl;
use shogi_core::ByColor;
use shogi_farm::{Engine, EnginePool};
use test_support::TestFolder;
use yane_book::Job;
use yane_book::extend_tree::ExtendTree;
use yane_book::positions::Wanted;

fn pool() -> EnginePool {
    let engine = Engine {
        options: [("USI_Hash".to_owned(), "1".to_owned())].into(),
        ..Engine::embedded()
    };
    EnginePool::new(&[engine], &[("ResignValue", "99999")], &[]).unwrap()
}

/// Lines of five positions from two beginnings, of which one leads to the other.
fn options(folder: &TestFolder) -> Endless {
    let path = |name: &str| folder.path(name);
    std::fs::write(path("roots.txt"), "startpos\nstartpos moves 2g2f\n").unwrap();
    Endless {
        think: Think {
            nodes: Some(400),
            depth: 9,
            lines: 3,
            wanted: Wanted {
                last: 5,
                ..Wanted::default()
            },
            ..Think::new(Vec::new(), path("book.db"))
        },
        roots: path("roots.txt"),
        list: path("think.txt"),
        extend: ExtendTree {
            eval_limit: ByColor([-9999; 2]),
            ..ExtendTree::default()
        },
        rounds: 256,
    }
}

/// Ends the run after so many positions, and notes the rounds.
struct Watch {
    control: RunControl,
    left: Cell<u32>,
    rounds: RefCell<Vec<u64>>,
}

impl Watch {
    fn new(positions: u32) -> Self {
        Self {
            control: RunControl::default(),
            left: Cell::new(positions),
            rounds: RefCell::default(),
        }
    }

    fn grow(&self, options: &Endless, pool: &EnginePool) -> EndlessSummary {
        let observer = |event: &BookRunEvent<'_>| match event {
            BookRunEvent::Report(BookReport::Searched { .. }) => {
                self.left.set(self.left.get().saturating_sub(1));
                if self.left.get() == 0 {
                    self.control.quit();
                }
            }
            BookRunEvent::Report(BookReport::Endless(EndlessStep::Listed { number, .. })) => {
                self.rounds.borrow_mut().push(*number);
            }
            _ => {}
        };
        grow(options, pool, &self.control, &Job::default(), &observer).unwrap()
    }
}

#[test]
fn an_interrupted_run_gives_the_book_of_an_uninterrupted_one() {
    let pool = pool();
    let whole = TestFolder::new();
    let watch = Watch::new(u32::MAX);
    let growth = watch.grow(&options(&whole), &pool);
    assert_eq!(growth.reason, StopReason::NothingLeft);
    assert_eq!(growth.rounds + 1, watch.rounds.borrow().len() as u64);
    let searched = growth.summary.finished as u32;
    assert!(searched > 80, "{searched}");
    let expected = whole.read("book.db");
    // Cut at every third position, and some a second time.
    for positions in (1..searched).step_by(3) {
        let cut = TestFolder::new();
        let first = Watch::new(positions);
        assert_eq!(
            first.grow(&options(&cut), &pool).reason,
            StopReason::Interrupted,
            "{positions}"
        );
        let mut rounds = first.rounds.into_inner();
        for positions in [positions % 7 + 1, u32::MAX] {
            let next = Watch::new(positions);
            let last = next.grow(&options(&cut), &pool);
            rounds.extend(next.rounds.into_inner());
            if last.reason != StopReason::Interrupted {
                assert_eq!(
                    (last.reason, last.rounds),
                    (StopReason::NothingLeft, growth.rounds)
                );
                break;
            }
        }
        // Each list is written once.
        assert_eq!(rounds, *watch.rounds.borrow(), "{positions}");
        assert!(cut.read("book.db") == expected, "{positions}");
        assert_eq!(cut.names(), ["book.db", "roots.txt", "think.txt"]);
    }
}

#[test]
fn a_changed_list_is_written_anew() {
    let pool = pool();
    let cut = || {
        let folder = TestFolder::new();
        let interrupted = Watch::new(13).grow(&options(&folder), &pool);
        assert_eq!(interrupted.reason, StopReason::Interrupted);
        folder
    };
    let lists_anew = |options: &Endless| {
        let watch = Watch::new(1);
        watch.grow(options, &pool);
        let rounds = watch.rounds.into_inner();
        rounds.first().copied()
    };
    let folder = cut();
    assert_eq!(lists_anew(&options(&folder)), None);
    // The list is gone, or another one: the same round.
    let folder = cut();
    std::fs::remove_file(folder.path("think.txt")).unwrap();
    assert_eq!(lists_anew(&options(&folder)), Some(2));
    let folder = cut();
    folder.write("think.txt", "startpos moves 7g7f\n");
    assert_eq!(lists_anew(&options(&folder)), Some(2));
    // Other lines are wanted: another run.
    let folder = cut();
    let mut others = options(&folder);
    others.extend.eval_limit = ByColor([-50; 2]);
    assert_eq!(lists_anew(&others), Some(0));
}

#[test]
fn rounds_before_an_interruption_count() {
    let pool = pool();
    let folder = TestFolder::new();
    let options = Endless {
        rounds: 3,
        ..options(&folder)
    };
    let first = Watch::new(13).grow(&options, &pool);
    assert_eq!((first.reason, first.rounds), (StopReason::Interrupted, 2));
    let rest = Watch::new(u32::MAX).grow(&options, &pool);
    assert_eq!((rest.reason, rest.rounds), (StopReason::Rounds, 3));
    // The next run is a new one.
    let next = Watch::new(u32::MAX).grow(&options, &pool);
    assert_eq!((next.reason, next.rounds), (StopReason::NothingLeft, 2));
}
