//! What people and scripts see of a run.

use std::cell::{Cell, RefCell};
use std::io::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bookwork::endless::{Grower, Step};
use bookwork::think::{Counts, Event, Observer, Summary};
use farm::{EngineStatus, Players, Seat};
use serde_json::json;
use yane_cli::{Console, Stage, time_text};
use yane_io::{Progress as _, Unit};

use crate::print;

/// How often the line that tells where things stand is written anew.
const REDRAW: Duration = Duration::from_millis(500);

/// Progress on standard error; on standard output events, or the classic marks, when they are asked for.
pub(crate) struct Screen {
    style: Style,
    /// The engine of each seat.
    names: Vec<String>,
    console: Console,
    drawn: Cell<Option<Instant>>,
    begun: Cell<Option<Instant>>,
    saved: Cell<Option<Instant>>,
    has_marked: Cell<bool>,
    news: RefCell<String>,
    /// How many positions the whole job is, where one of several rounds is only a part of it.
    whole: Cell<Option<u64>>,
    /// Positions that were thought about for that.
    thought: Cell<u64>,
    /// What was told last of the queue.
    trouble: RefCell<String>,
}

/// What is shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    pub(crate) quiet: bool,
    pub(crate) json: bool,
    pub(crate) classic: bool,
}

impl Screen {
    pub(crate) fn new(style: Style, players: &Players) -> Self {
        let names = (0..players.seats()).map(|seat| players.name(seat).to_owned());
        Self {
            style,
            names: names.collect(),
            console: Console::new(style.quiet),
            drawn: Cell::new(None),
            begun: Cell::new(None),
            saved: Cell::new(None),
            has_marked: Cell::new(false),
            news: RefCell::default(),
            whole: Cell::new(None),
            thought: Cell::new(0),
            trouble: RefCell::default(),
        }
    }

    /// A remark on standard error.
    pub(crate) fn say(&self, text: &str) {
        self.console.note(text);
    }

    /// An event on standard output.
    pub(crate) fn event(&self, value: &serde_json::Value) {
        if self.style.json {
            // That nobody listens does not end a run.
            writeln!(std::io::stdout().lock(), "{value}").ok();
        }
    }

    fn mark(&self, mark: char) {
        if self.style.classic && !self.style.json {
            let mut out = std::io::stdout().lock();
            write!(out, "{mark}").and_then(|()| out.flush()).ok();
            self.has_marked.set(true);
        }
    }

    /// Whether the line of marks has to be ended.
    pub(crate) fn has_marked(&self) -> bool {
        self.has_marked.get()
    }

    fn begin(&self, seats: usize, counts: &Counts) {
        if counts.recovered > 0 {
            self.say(&format!(
                "{} positions of an interrupted run are in the book now",
                counts.recovered
            ));
        }
        let how = match seats {
            0 => "for workers".to_owned(),
            seats => format!("{seats} at a time"),
        };
        let noun = if counts.to_do == 1 {
            "position"
        } else {
            "positions"
        };
        self.say(&format!(
            "{} {noun} to search ({} found, {} of them in this part, {} known, {} at the end of the game), {how}",
            counts.to_do, counts.found, counts.share, counts.known, counts.ended
        ));
        self.event(
            &json!({"event": "begin", "seats": seats, "games": counts.games,
            "found": counts.found, "share": counts.share, "known": counts.known,
            "ended": counts.ended, "to_do": counts.to_do, "recovered": counts.recovered}),
        );
        match self.whole.get() {
            Some(all) => self.start(Some(all), self.thought.get()),
            None => self.start(Some(counts.to_do), 0),
        }
    }

    /// Lets the bar show all rounds of a job that ends after `all` positions, of which `thought` are done.
    pub(crate) fn whole_job(&self, all: Option<u64>, thought: u64) {
        self.whole.set(all);
        self.thought.set(thought);
    }

    /// How many positions the whole job is, if that is known.
    pub(super) const fn whole(&self) -> Option<u64> {
        self.whole.get()
    }

    /// Tells that a worker begins, who does not know how much there is to do.
    pub(crate) fn wait_for_work(&self, seats: usize) {
        self.say(&format!(
            "{seats} positions at a time, as they are handed out"
        ));
        self.event(&json!({"event": "begin", "seats": seats}));
        self.start(None, 0);
    }

    /// The bar, at `done` of `total` positions, if it is known how many there are.
    pub(crate) fn start(&self, total: Option<u64>, done: u64) {
        self.begun.set(Some(Instant::now()));
        if self.style.classic {
            return;
        }
        self.console.begin(Stage {
            name: "thinking".to_owned(),
            total,
            unit: Unit::Positions,
            done,
            details: true,
        });
    }

    /// What is told before the engines from now on.
    pub(crate) fn tell(&self, news: String) {
        self.news.replace(news);
    }

    /// Takes the progress away.
    pub(crate) fn clear(&self) {
        self.console.clear();
    }

    /// The line under the bar: engines with what they do, and the last save.
    fn draw(&self, seats: &[Arc<Seat>]) {
        let Some(begun) = self.begun.get() else {
            return;
        };
        if self
            .drawn
            .get()
            .is_some_and(|drawn| drawn.elapsed() < REDRAW)
        {
            return;
        }
        self.drawn.set(Some(Instant::now()));
        let time = begun.elapsed();
        let names = self.names.iter().map(String::as_str);
        let mut told = EngineStatus::all_told(names, seats, time);
        if let Some(saved) = self.saved.get() {
            told.push(format!("saved {} ago", time_text(saved.elapsed())));
        }
        let news = self.news.borrow();
        self.console.tell(format!("{news}{}", told.join("  ")));
    }
}

impl Observer for Screen {
    fn event(&self, event: &Event<'_>) {
        match event {
            Event::Begun { seats, counts } => self.begin(*seats, counts),
            Event::Position {
                seat,
                position,
                moves,
                depth,
                nodes,
                ..
            } => {
                self.mark('.');
                self.console.advance(1);
                self.thought.set(self.thought.get() + 1);
                if self.style.json {
                    let moves: Vec<_> = moves.iter().map(print::move_json).collect();
                    self.event(&json!({"event": "position", "seat": seat,
                        "sfen": position.to_sfen(), "depth": depth, "nodes": nodes,
                        "moves": moves}));
                }
            }
            Event::Trouble { reason } if *self.trouble.borrow() != *reason => {
                self.trouble.replace((*reason).to_owned());
                self.say(&format!("queue: {reason}; trying again"));
                self.event(&json!({"event": "trouble", "reason": reason}));
            }
            Event::Failed { seat, name, reason } => {
                self.say(&format!("seat {seat}, {name}: {reason}; starting it again"));
                self.event(&json!({"event": "failed", "seat": seat, "engine": name,
                    "reason": reason}));
            }
            Event::GivenUp { position } => {
                let sfen = position.to_sfen();
                self.say(&format!("left for another run: {sfen}"));
                self.event(&json!({"event": "given_up", "sfen": sfen}));
            }
            Event::Closed { seat, name, reason } => {
                self.say(&format!(
                    "seat {seat}, {name}: failed too often, thinks no more: {reason}"
                ));
                self.event(&json!({"event": "closed", "seat": seat, "engine": name,
                    "reason": reason}));
            }
            Event::Saved { path, positions } => {
                self.mark(if *positions > 0 { 'S' } else { 's' });
                self.saved.set(Some(Instant::now()));
                self.event(&json!({"event": "saved", "book": path, "positions": positions}));
            }
            Event::Tick { seats } => self.draw(seats),
            _ => {}
        }
    }
}

impl Grower for Screen {
    fn step(&self, step: &Step<'_>) {
        match step {
            Step::Resumed { number } => {
                self.say(&format!("time {}: going on with its lines", number + 1));
                self.event(&json!({"event": "resumed", "loop": number}));
            }
            Step::Listed { number, report } => {
                self.say(&format!(
                    "time {}: {} lines leave the book ({} positions of it visited)",
                    number + 1,
                    report.lines,
                    report.visited
                ));
                self.tell(format!("time {}  ", number + 1));
                self.event(
                    &json!({"event": "listed", "loop": number, "lines": report.lines,
                    "visited": report.visited}),
                );
            }
            Step::Grown { summary } => {
                self.clear();
                self.event(&json!({"event": "grown", "thought": summary.thought}));
            }
            _ => {}
        }
    }
}

/// What becomes of positions at which engines failed again and again.
pub(crate) const FATE: &str = "left for another run";

/// A run in numbers, as lines.
pub(crate) fn lines(summary: &Summary) -> Vec<String> {
    let mut lines = vec![
        format!("positions = {}", summary.counts.found),
        format!("known     = {}", summary.counts.known),
    ];
    lines.extend(work_lines(summary, FATE));
    lines
}

/// What was done in a run, as lines. `fate` is what becomes of positions at which engines failed.
pub(crate) fn work_lines(summary: &Summary, fate: &str) -> [String; 5] {
    [
        format!("thought   = {}", summary.thought),
        format!("moves     = {}", summary.moves),
        format!("nodes     = {}", summary.nodes),
        format!(
            "failures  = {} of engines, {} positions {fate}",
            summary.failures, summary.given_up
        ),
        format!(
            "speed     = {:.2} positions and {:.0} nodes a second in {:.1} s",
            summary.rate(),
            summary.nodes_per_second(),
            summary.elapsed.as_secs_f64()
        ),
    ]
}

/// A run in numbers, as an event.
pub(crate) fn end(summary: &Summary) -> serde_json::Value {
    json!({
        "event": "end",
        "complete": summary.is_complete,
        "found": summary.counts.found,
        "share": summary.counts.share,
        "known": summary.counts.known,
        "ended": summary.counts.ended,
        "to_do": summary.counts.to_do,
        "recovered": summary.counts.recovered,
        "thought": summary.thought,
        "moves": summary.moves,
        "nodes": summary.nodes,
        "failures": summary.failures,
        "given_up": summary.given_up,
        "saves": summary.saves,
        "seconds": summary.elapsed.as_secs_f64(),
    })
}
