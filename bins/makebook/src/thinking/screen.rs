//! What people and scripts see of a run.

use std::cell::{Cell, RefCell};
use std::io::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bookwork::endless::{Grower, Step};
use bookwork::think::{Counts, Event, Observer, Summary};
use farm::{EngineStatus, Players, Seat};
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;

use crate::print;

/// How often the line that tells where things stand is written anew.
const REDRAW: Duration = Duration::from_millis(500);

/// Progress on standard error; on standard output events, or the classic marks, when they are asked for.
pub(crate) struct Screen {
    style: Style,
    /// The engine of each seat.
    names: Vec<String>,
    bar: RefCell<Option<ProgressBar>>,
    drawn: Cell<Option<Instant>>,
    begun: Cell<Option<Instant>>,
    saved: Cell<Option<Instant>>,
    has_marked: Cell<bool>,
    /// Positions that were done before.
    done: Cell<u64>,
    news: RefCell<String>,
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
            bar: RefCell::new(None),
            drawn: Cell::new(None),
            begun: Cell::new(None),
            saved: Cell::new(None),
            has_marked: Cell::new(false),
            done: Cell::new(0),
            news: RefCell::default(),
            trouble: RefCell::default(),
        }
    }

    /// A remark on standard error.
    pub(crate) fn say(&self, text: &str) {
        if self.style.quiet {
            return;
        }
        match &*self.bar.borrow() {
            Some(bar) => bar.suspend(|| eprintln!("{text}")),
            None => eprintln!("{text}"),
        }
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
        self.say(&format!(
            "{} positions: {} in this part, {} known, {} at their end, {} to think about, {how}",
            counts.found, counts.share, counts.known, counts.ended, counts.to_do
        ));
        self.event(
            &json!({"event": "begin", "seats": seats, "games": counts.games,
            "found": counts.found, "share": counts.share, "known": counts.known,
            "ended": counts.ended, "to_do": counts.to_do, "recovered": counts.recovered}),
        );
        self.start(Some(counts.to_do), 0);
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
        self.done.set(done);
        if self.style.quiet || self.style.classic {
            return;
        }
        let target = ProgressDrawTarget::stderr_with_hz(5);
        let bar = ProgressBar::with_draw_target(total, target);
        let template = match total {
            Some(_) => "[{wide_bar}] {human_pos}/{human_len} ETA {eta}\n{wide_msg}",
            None => "{spinner} {human_pos} positions {elapsed}\n{wide_msg}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_position(done);
        bar.reset_eta();
        bar.enable_steady_tick(REDRAW);
        *self.bar.borrow_mut() = Some(bar);
    }

    /// What is told behind the rate from now on.
    pub(crate) fn tell(&self, news: String) {
        self.news.replace(news);
    }

    /// Takes the progress away.
    pub(crate) fn clear(&self) {
        if let Some(bar) = self.bar.borrow_mut().take() {
            bar.finish_and_clear();
        }
    }

    /// The line under the bar: engines with what they do, and the last save.
    fn draw(&self, seats: &[Arc<Seat>]) {
        let bar = self.bar.borrow();
        let (Some(bar), Some(begun)) = (&*bar, self.begun.get()) else {
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
            told.push(format!("saved {} ago", HumanDuration(saved.elapsed())));
        }
        let rate =
            bar.position().saturating_sub(self.done.get()) as f64 / time.as_secs_f64().max(1e-3);
        let news = self.news.borrow();
        bar.set_message(format!("{rate:.1}/s  {news}{}", told.join("  ")));
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
                if let Some(bar) = &*self.bar.borrow() {
                    bar.inc(1);
                }
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
