//! What is known of a run, by its events.

use std::collections::{BTreeMap, VecDeque};

use serde_json::{Map, Value};

use crate::curve::{Curve, Point};
use crate::event::{RunEvent, short};
use crate::figures::{FIGURES, ROUNDS};
use crate::tally::{Histogram, Tally};

/// Milliseconds without an event after which a run is lost: programs tell their progress each minute.
const LOST_AFTER: u64 = 180_000;

/// Failures that are kept.
const MOST_FAILURES: usize = 50;

/// Workers that are kept.
const MOST_WORKERS: usize = 256;

/// Curves and figures that are kept.
const MOST_CURVES: usize = 24;

/// Bytes of the last event that is kept whole.
const MOST_END: usize = 64 << 10;

/// What is known of a run.
#[derive(Clone, Debug)]
pub(crate) struct RunState {
    /// Milliseconds of silence after which it is lost.
    pub(crate) lost_after: u64,
    pub(crate) program: Option<String>,
    pub(crate) version: Option<String>,
    pub(crate) command: Option<String>,
    pub(crate) host: Option<String>,
    pub(crate) pid: Option<u64>,
    /// Milliseconds since 1970.
    pub(crate) started: Option<u64>,
    /// The time of its last event, in milliseconds since 1970.
    pub(crate) seen: Option<u64>,
    pub(crate) progress: RunProgress,
    /// How it ended: `done`, `stopped`, `failed`.
    pub(crate) ended: Option<&'static str>,
    /// Why it failed.
    pub(crate) error: Option<String>,
    pub(crate) output: Option<String>,
    pub(crate) saved: Option<RunSave>,
    pub(crate) failures: u64,
    pub(crate) last_failures: VecDeque<RunFailure>,
    pub(crate) workers: BTreeMap<u64, RunWorker>,
    pub(crate) has_more_workers: bool,
    pub(crate) results: BTreeMap<&'static str, Tally>,
    pub(crate) histograms: BTreeMap<&'static str, Histogram>,
    pub(crate) series: Vec<RunSeries>,
    pub(crate) figures: Vec<(String, f64)>,
    pub(crate) end: Option<Value>,
    /// The round that was begun last.
    round: Option<f64>,
    /// What earlier parts of the same stage did.
    before: f64,
}

/// The progress, as the last event `progress` told it.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunProgress {
    pub(crate) state: Option<String>,
    pub(crate) stage: Option<String>,
    pub(crate) done: u64,
    pub(crate) total: Option<u64>,
    pub(crate) unit: Option<String>,
    pub(crate) rate: Option<f64>,
    pub(crate) elapsed: Option<f64>,
    pub(crate) eta: Option<f64>,
    pub(crate) note: Option<String>,
}

/// The last save.
#[derive(Clone, Debug)]
pub(crate) struct RunSave {
    pub(crate) at: Option<u64>,
    pub(crate) path: Option<String>,
    pub(crate) count: Option<u64>,
}

/// A failure.
#[derive(Clone, Debug)]
pub(crate) struct RunFailure {
    pub(crate) at: Option<u64>,
    pub(crate) worker: Option<u64>,
    pub(crate) engine: Option<String>,
    pub(crate) kind: &'static str,
    pub(crate) text: String,
}

/// A worker.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunWorker {
    pub(crate) engine: Option<String>,
    pub(crate) state: Option<String>,
    /// Games or positions that it did.
    pub(crate) done: u64,
    /// Nodes a second.
    pub(crate) rate: Option<f64>,
    /// Games or positions a second.
    pub(crate) speed: Option<f64>,
    pub(crate) failures: u64,
    /// The time and the nodes of the last event.
    told: Option<(u64, u64)>,
}

/// A curve and what it shows.
#[derive(Clone, Debug)]
pub(crate) struct RunSeries {
    pub(crate) name: String,
    pub(crate) unit: String,
    pub(crate) x: String,
    pub(crate) curve: Curve,
}

impl Default for RunState {
    fn default() -> Self {
        Self {
            lost_after: LOST_AFTER,
            program: None,
            version: None,
            command: None,
            host: None,
            pid: None,
            started: None,
            seen: None,
            progress: RunProgress::default(),
            ended: None,
            error: None,
            output: None,
            saved: None,
            failures: 0,
            last_failures: VecDeque::new(),
            workers: BTreeMap::new(),
            has_more_workers: false,
            results: BTreeMap::new(),
            histograms: BTreeMap::new(),
            series: Vec::new(),
            figures: Vec::new(),
            end: None,
            round: None,
            before: 0.0,
        }
    }
}

impl RunState {
    /// A run of which nothing is known yet, and which is lost after so many milliseconds of silence.
    pub(crate) fn lost_after(milliseconds: u64) -> Self {
        Self {
            lost_after: milliseconds,
            ..Self::default()
        }
    }

    /// Takes an event, which came at a time (milliseconds since 1970).
    pub(crate) fn take(&mut self, event: &RunEvent, at: Option<u64>) {
        if at > self.seen {
            self.seen = at;
        }
        match event.name.as_str() {
            "run" => self.on_run(event, at),
            "begin" => self.on_begin(event, at),
            "progress" => self.on_progress(event, at),
            "workers" => self.on_workers(event, at),
            "game" => self.on_game(event),
            "position" => self.on_position(event),
            "failed" => self.on_failure("failed", event, at),
            "closed" => self.on_failure("closed", event, at),
            "given_up" => self.on_failure("given_up", event, at),
            "transient_error" => self.on_failure("transient_error", event, at),
            "notice" => self.on_failure("notice", event, at),
            "saved" => self.on_saved(event, at),
            "figure" => self.on_figure(event, at),
            "counts" => self.on_counts(event),
            "end" => self.on_end(event),
            _ => {}
        }
        self.add_figures(event);
    }

    /// The state as pages name it, at a time.
    pub(crate) fn state(&self, now: u64) -> &str {
        if let Some(ended) = self.ended {
            return ended;
        }
        let silent = self.seen.map(|seen| now.saturating_sub(seen));
        if silent.is_some_and(|silent| silent > self.lost_after) {
            return "lost";
        }
        match self.progress.state.as_deref() {
            Some(state @ ("pausing" | "paused" | "queued")) => state,
            _ => "running",
        }
    }

    /// The error of a run that failed, else the last remark.
    pub(crate) fn text(&self) -> Option<&str> {
        let note = self.progress.note.as_deref();
        self.error.as_deref().or(note)
    }

    fn on_run(&mut self, event: &RunEvent, at: Option<u64>) {
        self.program = event.text("program");
        self.version = event.text("version");
        self.command = event.text("command");
        self.host = event.text("host");
        self.pid = event.count("pid");
        self.started = event.count("started").or(at);
    }

    fn on_begin(&mut self, event: &RunEvent, at: Option<u64>) {
        self.started = self.started.or(at);
        self.output = event.text("output").or(self.output.take());
        self.has_more_workers = event.count("workers") > Some(MOST_WORKERS as u64);
    }

    fn on_progress(&mut self, event: &RunEvent, at: Option<u64>) {
        let before = std::mem::take(&mut self.progress);
        let progress = RunProgress {
            state: event.text("state"),
            stage: event.text("stage").filter(|stage| !stage.is_empty()),
            done: event.count("done").unwrap_or_default(),
            total: event.count("total"),
            unit: event.text("unit"),
            rate: event.number("rate").filter(|rate| *rate > 0.0),
            elapsed: event.number("elapsed"),
            eta: event.number("eta"),
            note: event.text("note"),
        };
        if before.stage != progress.stage {
            self.before = 0.0;
            self.series.retain(|series| series.x != "time");
        } else if before.done > progress.done {
            self.before += before.done as f64;
        }
        if let (Some(unit), Some(x)) = (&progress.unit, self.since_start(at)) {
            let done = self.before + progress.done as f64;
            self.add_point([unit, unit, "time"], (x, done, None));
        }
        if let Some(path) = event.text("last_good_file") {
            let known = self.saved.as_ref().and_then(|saved| saved.path.as_ref());
            if known != Some(&path) {
                self.saved = Some(RunSave {
                    at,
                    path: Some(path),
                    count: None,
                });
            }
        }
        self.progress = progress;
    }

    /// Seconds since it began.
    fn since_start(&self, at: Option<u64>) -> Option<f64> {
        Some(at?.saturating_sub(self.started?) as f64 / 1000.0)
    }

    fn on_workers(&mut self, event: &RunEvent, at: Option<u64>) {
        let rows = event.fields.get("workers").and_then(Value::as_array);
        for row in rows.into_iter().flatten() {
            let Some(number) = row.get("worker").and_then(Value::as_u64) else {
                continue;
            };
            let text = |name: &str| Some(short(row.get(name)?.as_str()?));
            let (engine, state) = (text("engine"), text("state"));
            let count = |name: &str| row.get(name).and_then(Value::as_u64);
            let nodes = count("nodes");
            let speed = row.get("speed").and_then(Value::as_f64);
            if let Some(worker) = self.worker(number) {
                worker.engine = engine.or(worker.engine.take());
                worker.state = state;
                // Other machines' are counted by who hands out the work.
                worker.done = count("done").unwrap_or(worker.done);
                worker.failures = count("failed").unwrap_or(worker.failures);
                worker.speed = speed;
                worker.measure(at.zip(nodes));
            }
        }
    }

    /// The worker of a number, unless there are too many.
    fn worker(&mut self, number: u64) -> Option<&mut RunWorker> {
        if self.workers.len() >= MOST_WORKERS && !self.workers.contains_key(&number) {
            self.has_more_workers = true;
            return None;
        }
        Some(self.workers.entry(number).or_default())
    }

    fn count_done(&mut self, event: &RunEvent) {
        if let Some(number) = event.count("worker")
            && let Some(worker) = self.worker(number)
        {
            worker.done += 1;
        }
    }

    fn on_game(&mut self, event: &RunEvent) {
        self.count_done(event);
        for name in ["result", "reason"] {
            if let Some(text) = event.text(name) {
                self.results.entry(name).or_default().add(&text);
            }
        }
        if let Some(plies) = event.count("plies") {
            let histogram = self.histograms.entry("plies");
            histogram.or_insert(Histogram::new(10)).add(plies);
        }
    }

    fn on_position(&mut self, event: &RunEvent) {
        self.count_done(event);
        if let Some(depth) = event.count("depth") {
            let histogram = self.histograms.entry("depth");
            histogram.or_insert(Histogram::new(1)).add(depth);
        }
    }

    /// Takes what was counted before the run was followed.
    fn on_counts(&mut self, event: &RunEvent) {
        self.failures = event.count("failures").unwrap_or(self.failures);
        let object = |name: &str| event.fields.get(name).and_then(Value::as_object);
        for name in ["result", "reason"] {
            let counts = object("results").and_then(|all| all.get(name)?.as_object());
            for (text, n) in counts.into_iter().flatten() {
                let tally = self.results.entry(name).or_default();
                tally.add_many(&short(text), n.as_u64().unwrap_or_default());
            }
        }
        for (name, width) in [("plies", 10), ("depth", 1)] {
            let counts = object("values").and_then(|all| all.get(name)?.as_array());
            for pair in counts.into_iter().flatten() {
                let number = |at: usize| pair.get(at).and_then(Value::as_u64);
                if let (Some(value), Some(n)) = (number(0), number(1)) {
                    let histogram = self.histograms.entry(name);
                    let histogram = histogram.or_insert(Histogram::new(width));
                    histogram.add_many(value, n);
                }
            }
        }
    }

    fn on_failure(&mut self, kind: &'static str, event: &RunEvent, at: Option<u64>) {
        let worker = event.count("worker");
        self.failures += u64::from(kind != "notice");
        if let Some(worker) = worker.and_then(|number| self.worker(number)) {
            worker.failures += u64::from(kind == "failed");
            worker.engine = event.text("engine").or(worker.engine.take());
            if kind == "closed" {
                worker.state = Some(kind.to_owned());
            }
        }
        let mut words = ["reason", "text", "sfen"].iter();
        let text = words.find_map(|name| event.text(name));
        self.last_failures.push_back(RunFailure {
            at,
            worker,
            engine: event.text("engine"),
            kind,
            text: text.unwrap_or_default(),
        });
        if self.last_failures.len() > MOST_FAILURES {
            self.last_failures.pop_front();
        }
    }

    fn on_saved(&mut self, event: &RunEvent, at: Option<u64>) {
        let path = event.text("output").or_else(|| event.text("book"));
        if self.output.is_none() {
            self.output.clone_from(&path);
        }
        let count = event.count("games").or_else(|| event.count("positions"));
        self.saved = Some(RunSave { at, path, count });
    }

    fn on_figure(&mut self, event: &RunEvent, at: Option<u64>) {
        let (Some(name), Some(value)) = (event.text("name"), event.number("value")) else {
            return;
        };
        self.set_figure(&name, value);
        let own = event.text("x_name").zip(event.number("x"));
        let time = || Some(("time".to_owned(), self.since_start(at)?));
        if let Some((x_name, x)) = own.or_else(time) {
            self.add_point([&name, "", &x_name], (x, value, None));
        }
    }

    fn on_end(&mut self, event: &RunEvent) {
        let is_complete = event.fields.get("complete").and_then(Value::as_bool);
        self.ended = Some(match event.fields.get("state").and_then(Value::as_str) {
            Some("failed") => "failed",
            Some("stopped") => "stopped",
            None if is_complete == Some(false) => "stopped",
            _ => "done",
        });
        self.error = event.text("text");
        self.output = event.text("output").or(self.output.take());
        let fields: Map<String, Value> = event.fields.clone();
        let end = Value::Object(fields);
        self.end = Some(end).filter(|end| end.to_string().len() <= MOST_END);
        self.progress.eta = None;
    }

    fn add_figures(&mut self, event: &RunEvent) {
        for figure in FIGURES.iter().filter(|figure| figure.event == event.name) {
            let (field, x_name) = figure.at;
            let (Some(x), Some(y)) = (event.number(field), event.number(figure.value)) else {
                continue;
            };
            let bounds = figure
                .bounds
                .and_then(|(low, high)| Some((event.number(high)? - event.number(low)?) / 2.0));
            self.set_figure(figure.name, y);
            self.add_point([figure.name, figure.unit, x_name], (x, y, bounds));
        }
        match event.name.as_str() {
            "listed" | "resumed" => {
                let mut rounds = ROUNDS.iter().filter_map(|name| event.number(name));
                self.round = rounds.next().or(self.round);
            }
            "grown" => {
                if let (Some(round), Some(count)) = (self.round, event.number("thought")) {
                    self.add_point(["searched", "positions", "round"], (round, count, None));
                }
            }
            _ => {}
        }
    }

    fn set_figure(&mut self, name: &str, value: f64) {
        let at = self.figures.iter().position(|(known, _)| known == name);
        if let Some(at) = at {
            self.figures[at].1 = value;
        } else if self.figures.len() < MOST_CURVES {
            self.figures.push((name.to_owned(), value));
        }
    }

    /// Adds a point to the curve of a name, with its unit and what is counted along it.
    fn add_point(&mut self, [name, unit, x_name]: [&str; 3], point: (f64, f64, Option<f64>)) {
        let (x, y, error) = point;
        let mut known = self.series.iter();
        let at = match known.position(|one| one.name == name && one.x == x_name) {
            Some(at) => at,
            None if self.series.len() < MOST_CURVES => {
                self.series.push(RunSeries {
                    name: name.to_owned(),
                    unit: unit.to_owned(),
                    x: x_name.to_owned(),
                    curve: Curve::default(),
                });
                self.series.len() - 1
            }
            None => return,
        };
        self.series[at].curve.push(Point { x, y, error });
    }
}

impl RunWorker {
    /// Takes its nodes at a time.
    fn measure(&mut self, told: Option<(u64, u64)>) {
        if let (Some((at, nodes)), Some((before, known))) = (told, self.told) {
            let seconds = at.saturating_sub(before) as f64 / 1000.0;
            if nodes >= known && seconds > 0.0 {
                self.rate = Some((nodes - known) as f64 / seconds);
            }
        }
        self.told = told.or(self.told);
    }
}

#[cfg(test)]
mod tests;
