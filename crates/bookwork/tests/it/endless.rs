//! Books that grow by themselves, with real engines.

use std::cell::{Cell, RefCell};

use bookwork::endless::{End, Endless, Grower, Growth, Step, grow};
use bookwork::think::{Event, Observer, Think};
use farm::{Control, Engine, Players};
use shogi_core::ByColor;
use tempfile::TempDir;
use yane_book::Job;
use yane_book::extend_tree::ExtendTree;
use yane_book::positions::Wanted;

fn players() -> Players {
    let engine = Engine {
        options: [("USI_Hash".to_owned(), "1".to_owned())].into(),
        ..Engine::embedded()
    };
    Players::new(&[engine], &[("ResignValue", "99999")], &[]).unwrap()
}

/// Lines of five positions from two beginnings, of which one leads to the other.
fn options(folder: &TempDir) -> Endless {
    let path = |name: &str| folder.path().join(name);
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
        loops: 256,
    }
}

/// Ends the run after so many positions, and hears of rounds.
struct Ears {
    control: Control,
    left: Cell<u32>,
    rounds: RefCell<Vec<u64>>,
}

impl Ears {
    fn new(positions: u32) -> Self {
        Self {
            control: Control::default(),
            left: Cell::new(positions),
            rounds: RefCell::default(),
        }
    }

    fn grow(&self, options: &Endless, players: &Players) -> Growth {
        grow(options, players, &self.control, &Job::default(), self).unwrap()
    }
}

impl Observer for Ears {
    fn event(&self, event: &Event<'_>) {
        if let Event::Position { .. } = event {
            self.left.set(self.left.get().saturating_sub(1));
            if self.left.get() == 0 {
                self.control.quit();
            }
        }
    }
}

impl Grower for Ears {
    fn step(&self, step: &Step<'_>) {
        if let Step::Listed { number, .. } = step {
            self.rounds.borrow_mut().push(*number);
        }
    }
}

fn read(folder: &TempDir, name: &str) -> Vec<u8> {
    std::fs::read(folder.path().join(name)).unwrap()
}

fn names(folder: &TempDir) -> Vec<String> {
    let entries = std::fs::read_dir(folder.path()).unwrap();
    let name = |entry: std::fs::DirEntry| entry.file_name().into_string().unwrap();
    let mut names: Vec<_> = entries.map(|entry| name(entry.unwrap())).collect();
    names.sort();
    names
}

#[test]
fn an_interrupted_run_gives_the_book_of_an_uninterrupted_one() {
    let players = players();
    let whole = TempDir::new().unwrap();
    let ears = Ears::new(u32::MAX);
    let growth = ears.grow(&options(&whole), &players);
    assert_eq!(growth.end, End::NothingLeft);
    assert_eq!(growth.loops + 1, ears.rounds.borrow().len() as u64);
    let thought = growth.summary.thought as u32;
    assert!(thought > 80, "{thought}");
    let expected = read(&whole, "book.db");
    // Cut at every third position, and some a second time.
    for positions in (1..thought).step_by(3) {
        let cut = TempDir::new().unwrap();
        let first = Ears::new(positions);
        assert_eq!(
            first.grow(&options(&cut), &players).end,
            End::Interrupted,
            "{positions}"
        );
        let mut rounds = first.rounds.into_inner();
        for positions in [positions % 7 + 1, u32::MAX] {
            let next = Ears::new(positions);
            let last = next.grow(&options(&cut), &players);
            rounds.extend(next.rounds.into_inner());
            if last.end != End::Interrupted {
                assert_eq!((last.end, last.loops), (End::NothingLeft, growth.loops));
                break;
            }
        }
        // Each list is made once.
        assert_eq!(rounds, *ears.rounds.borrow(), "{positions}");
        assert!(read(&cut, "book.db") == expected, "{positions}");
        assert_eq!(names(&cut), ["book.db", "roots.txt", "think.txt"]);
    }
}

#[test]
fn a_list_of_something_else_is_made_anew() {
    let players = players();
    let cut = || {
        let folder = TempDir::new().unwrap();
        let interrupted = Ears::new(13).grow(&options(&folder), &players);
        assert_eq!(interrupted.end, End::Interrupted);
        folder
    };
    let lists_anew = |options: &Endless| {
        let ears = Ears::new(1);
        ears.grow(options, &players);
        let rounds = ears.rounds.into_inner();
        rounds.first().copied()
    };
    let folder = cut();
    assert_eq!(lists_anew(&options(&folder)), None);
    // The list is gone, or another one: the same round.
    let folder = cut();
    std::fs::remove_file(folder.path().join("think.txt")).unwrap();
    assert_eq!(lists_anew(&options(&folder)), Some(2));
    let folder = cut();
    std::fs::write(folder.path().join("think.txt"), "startpos moves 7g7f\n").unwrap();
    assert_eq!(lists_anew(&options(&folder)), Some(2));
    // Other lines are wanted: another run.
    let folder = cut();
    let mut others = options(&folder);
    others.extend.eval_limit = ByColor([-50; 2]);
    assert_eq!(lists_anew(&others), Some(0));
}

#[test]
fn rounds_before_an_interruption_count() {
    let players = players();
    let folder = TempDir::new().unwrap();
    let options = Endless {
        loops: 3,
        ..options(&folder)
    };
    let first = Ears::new(13).grow(&options, &players);
    assert_eq!((first.end, first.loops), (End::Interrupted, 2));
    let rest = Ears::new(u32::MAX).grow(&options, &players);
    assert_eq!((rest.end, rest.loops), (End::Loops, 3));
    // The next run is a new one.
    let next = Ears::new(u32::MAX).grow(&options, &players);
    assert_eq!((next.end, next.loops), (End::NothingLeft, 2));
}
