//! Output of a run, for people and for scripts.

use std::cell::{Cell, RefCell};
use std::io::Write as _;

use bookwork::endless::EndlessStep;
use bookwork::mine::MineStep;
use bookwork::stera::SteraStep;
use bookwork::{BookReport, BookRunEvent, BookSummary, ThinkCounts};
use farm::{GroupStatus, worker_rows};
use serde_json::json;
use shogi_farm::EnginePool;
use yane_cli::{RunScreen, ScreenStyle, Stage, counted};
use yane_io::{Job, Unit};

use crate::print;

/// Progress on standard error; on standard output events, or the classic marks, when they are asked for.
pub(crate) struct RunProgress {
    run: RunScreen,
    classic: bool,
    /// The name of the engine of each worker.
    names: Vec<String>,
    has_marked: Cell<bool>,
    /// Text in front of the engines in the details.
    state: RefCell<String>,
    /// Number of positions of the whole job, where one of several rounds is only a part of it.
    whole: Cell<Option<u64>>,
    /// Positions that were searched for that.
    searched: Cell<u64>,
}

/// Options of the display.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    pub(crate) quiet: bool,
    pub(crate) json: bool,
    pub(crate) classic: bool,
}

impl RunProgress {
    pub(crate) fn new(style: Style, pool: &EnginePool, job: &Job) -> Self {
        Self {
            run: RunScreen::new(ScreenStyle {
                quiet: style.quiet,
                json: style.json,
            })
            .for_job(job),
            classic: style.classic,
            names: pool.engine_names(),
            has_marked: Cell::new(false),
            state: RefCell::default(),
            whole: Cell::new(None),
            searched: Cell::new(0),
        }
    }

    /// A note on standard error.
    pub(crate) fn note(&self, text: &str) {
        self.run.note(text);
    }

    fn mark(&self, mark: char) {
        if self.classic && !self.run.json() {
            let mut out = std::io::stdout().lock();
            write!(out, "{mark}").and_then(|()| out.flush()).ok();
            self.has_marked.set(true);
        }
    }

    /// Returns true if marks were printed and their line still has to be ended.
    pub(crate) fn has_marked(&self) -> bool {
        self.has_marked.get()
    }

    /// Lets the bar show all rounds of a job that ends after `all` positions.
    pub(crate) fn whole_job(&self, all: Option<u64>) {
        self.whole.set(all);
    }

    /// Starts the display of a worker, which does not know how much there is to do.
    pub(crate) fn wait_for_work(&self, workers: usize) {
        self.note(&format!(
            "{} at a time, from the queue",
            positions(workers as u64)
        ));
        self.run
            .event(&json!({"event": "begin", "workers": workers}));
        self.start(None, 0);
    }

    /// Starts the bar, at `done` of `total` positions, if it is known how many there are.
    fn start(&self, total: Option<u64>, done: u64) {
        self.run.start((!self.classic).then(|| Stage {
            name: "thinking".to_owned(),
            total,
            unit: Unit::Positions,
            done,
            details: true,
        }));
    }

    /// Removes the progress.
    pub(crate) fn clear(&self) {
        self.run.clear();
    }

    /// Shows an event.
    pub(crate) fn on_event(&self, event: &BookRunEvent<'_>) {
        match event {
            BookRunEvent::Report(report) => self.on_report(report),
            BookRunEvent::Saved { path, count } => {
                self.mark(if *count > 0 { 'S' } else { 's' });
                self.run.saved(path);
                self.run.event(
                    &json!({"event": "saved", "book": path.to_string_lossy(), "positions": count}),
                );
            }
            BookRunEvent::Tick { workers } => {
                self.run.tell_progress();
                let names = self.names.iter().map(String::as_str);
                self.run.tell_workers(|| worker_rows(names, workers));
                self.run.draw(|time| {
                    let names = self.names.iter().map(String::as_str);
                    let mut details = GroupStatus::texts(names, workers, time);
                    let state = self.state.borrow();
                    if !state.is_empty() {
                        details.insert(0, state.clone());
                    }
                    details
                });
            }
            BookRunEvent::TransientError { reason } if !self.run.is_new_error(reason) => {}
            error => {
                error.message().iter().for_each(|text| self.note(text));
                error.json().iter().for_each(|event| self.run.event(event));
            }
        }
    }

    fn on_report(&self, report: &BookReport<'_>) {
        match report {
            BookReport::Started { workers, counts } => self.on_start(*workers, counts),
            BookReport::Searched {
                worker,
                position,
                moves,
                depth,
                nodes,
            } => {
                self.mark('.');
                self.run.advance(1);
                self.searched.set(self.searched.get() + 1);
                if self.run.has_events() {
                    let moves: Vec<_> = moves.iter().map(print::move_json).collect();
                    self.run
                        .event(&json!({"event": "position", "worker": worker,
                        "sfen": position.to_sfen(), "depth": depth, "nodes": nodes,
                        "moves": moves}));
                }
            }
            BookReport::GivenUp { position } => {
                let sfen = position.to_sfen();
                self.note(&format!("given up in this run: {sfen}"));
                self.run.event(&json!({"event": "given_up", "sfen": sfen}));
            }
            BookReport::Endless(step) => self.on_endless(step),
            BookReport::Mine(step) => self.on_mine(step),
            BookReport::Stera(step) => self.on_stera(step),
            _ => {}
        }
    }

    fn on_start(&self, workers: usize, counts: &ThinkCounts) {
        if counts.recovered > 0 {
            self.note(&format!(
                "{} of an interrupted run, safe and not searched again",
                positions(counts.recovered)
            ));
        }
        let how = match workers {
            0 => "for workers".to_owned(),
            workers => format!("{workers} at a time"),
        };
        self.note(&format!(
            "{} to search ({} found, {} of them in this part, {} known, {} at the end of the game), {how}",
            positions(counts.to_do), counts.found, counts.share, counts.known, counts.ended
        ));
        self.run.event(
            &json!({"event": "begin", "workers": workers, "games": counts.games,
            "found": counts.found, "share": counts.share, "known": counts.known,
            "known_without_value": counts.known_without_value,
            "ended": counts.ended, "to_do": counts.to_do, "recovered": counts.recovered}),
        );
        match self.whole.get() {
            Some(all) => self.start(Some(all), self.searched.get()),
            None => self.start(Some(counts.to_do), 0),
        }
    }

    fn on_grown(&self, summary: &BookSummary) {
        self.clear();
        self.run
            .event(&json!({"event": "grown", "thought": summary.finished}));
    }

    fn on_endless(&self, step: &EndlessStep<'_>) {
        match step {
            EndlessStep::Resumed { number } => {
                self.note(&format!("Resuming round {} with its lines.", number + 1));
                self.run.event(&json!({"event": "resumed", "loop": number}));
            }
            EndlessStep::Listed { number, report } => {
                self.note(&format!(
                    "round {}: {} out of the book ({} of it visited)",
                    number + 1,
                    counted(report.lines, "line", "lines"),
                    positions(report.visited)
                ));
                self.state.replace(format!("round {}", number + 1));
                self.run.event(
                    &json!({"event": "listed", "loop": number, "lines": report.lines,
                    "visited": report.visited}),
                );
            }
            EndlessStep::Grown { summary } => self.on_grown(summary),
            _ => {}
        }
    }

    fn on_mine(&self, step: &MineStep<'_>) {
        match step {
            MineStep::Resumed { round, searched } => {
                self.note(&format!(
                    "Resuming round {round} after {}.",
                    positions(*searched)
                ));
                self.searched.set(*searched);
                self.run
                    .event(&json!({"event": "resumed", "round": round, "thought": searched}));
            }
            MineStep::Listed {
                round,
                peta,
                found,
                chosen,
            } => {
                let known = peta.map_or(0, |peta| peta.positions);
                self.note(&format!(
                    "round {round}: {}, best lines lead to {}, {chosen} to search",
                    positions(known),
                    counted(*found, "other", "others")
                ));
                self.state.replace(format!("round {round}"));
                self.run.event(
                    &json!({"event": "listed", "round": round, "positions": known,
                    "found": found, "chosen": chosen}),
                );
            }
            MineStep::Grown { summary } => self.on_grown(summary),
            MineStep::Finished { peta } => {
                self.run
                    .event(&json!({"event": "finished", "positions": peta.positions}));
            }
            _ => {}
        }
    }

    fn on_stera(&self, step: &SteraStep) {
        match step {
            SteraStep::Started {
                workers,
                positions: in_book,
                incomplete,
                finished,
                limit,
                lost,
            } => {
                if *incomplete > 0 {
                    self.note(&format!(
                        "{} left out, for lack of a legal move",
                        positions(*incomplete)
                    ));
                }
                if *finished > 0 {
                    self.note(&format!("Resuming after {}.", positions(*finished)));
                }
                if *lost > 0 {
                    let lost = counted(*lost, "byte", "bytes");
                    self.note(&format!(
                        "{lost} of an incomplete unit left out after a crash."
                    ));
                }
                self.note(&format!(
                    "{} in the book, {workers} searched at a time",
                    positions(*in_book)
                ));
                self.run.event(
                    &json!({"event": "begin", "workers": workers, "positions": in_book,
                    "incomplete": incomplete, "finished": finished, "limit": limit}),
                );
                self.start(Some(*limit), *finished);
            }
            SteraStep::Grown {
                root_value,
                positions,
                finished,
            } => {
                let value =
                    root_value.map_or_else(String::new, |value| format!("  root {value:+}"));
                self.state.replace(format!("book {positions}{value}"));
                self.run
                    .event(&json!({"event": "grown", "positions": positions,
                    "finished": finished, "root_value": root_value}));
            }
            _ => {}
        }
    }
}

fn positions(count: u64) -> String {
    counted(count, "position", "positions")
}

/// The fate of positions at which engines failed again and again.
pub(crate) const FATE: &str = "left for another run";

/// A run in numbers, as lines.
pub(crate) fn lines(summary: &BookSummary) -> Vec<String> {
    let mut lines = vec![
        format!("positions = {}", summary.totals.counts.found),
        format!("known     = {}", summary.totals.counts.known),
    ];
    let without_value = summary.totals.counts.known_without_value;
    if without_value > 0 {
        lines.push(format!(
            "no value  = {without_value} of the known, never searched (makebook analyze gives their moves values)"
        ));
    }
    lines.extend(work_lines(summary, FATE));
    let comments = summary.totals.comments_left_out;
    if comments > 0 {
        lines.push(format!(
            "comments  = {comments} left out, about moves that were replaced"
        ));
    }
    lines
}

/// The searches of a run, as lines. `fate` is the fate of positions at which engines failed.
pub(crate) fn work_lines(summary: &BookSummary, fate: &str) -> [String; 5] {
    [
        format!("thought   = {}", summary.finished),
        format!("moves     = {}", summary.totals.moves),
        format!("nodes     = {}", summary.totals.nodes),
        format!(
            "failures  = {} of engines, {} {fate}",
            summary.failures,
            positions(summary.given_up)
        ),
        format!(
            "speed     = {:.2} positions and {:.0} nodes a second in {:.1} s",
            summary.per_second(summary.finished),
            summary.per_second(summary.totals.nodes),
            summary.elapsed.as_secs_f64()
        ),
    ]
}

/// A run in numbers, as an event.
pub(crate) fn end(summary: &BookSummary) -> serde_json::Value {
    json!({
        "event": "end",
        "state": if summary.is_complete { "done" } else { "stopped" },
        "complete": summary.is_complete,
        "found": summary.totals.counts.found,
        "share": summary.totals.counts.share,
        "known": summary.totals.counts.known,
        "known_without_value": summary.totals.counts.known_without_value,
        "ended": summary.totals.counts.ended,
        "to_do": summary.totals.counts.to_do,
        "recovered": summary.totals.counts.recovered,
        "thought": summary.finished,
        "moves": summary.totals.moves,
        "nodes": summary.totals.nodes,
        "comments_left_out": summary.totals.comments_left_out,
        "failures": summary.failures,
        "given_up": summary.given_up,
        "saves": summary.saves,
        "seconds": summary.elapsed.as_secs_f64(),
    })
}
