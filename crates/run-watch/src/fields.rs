//! Runs as the fields of messages.

use serde_json::{Map, Value, json};

use crate::curve::Point;
use crate::state::{RunFailure, RunSeries, RunState, RunWorker};

/// Where a run is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RunPlace {
    /// Its name for pages.
    pub(crate) run: String,
    /// The number of the source.
    pub(crate) source: usize,
    /// The file.
    pub(crate) name: String,
    pub(crate) job: Option<u64>,
}

/// The fields of the list, at a time.
pub(crate) fn row(place: &RunPlace, state: &RunState, now: u64) -> Value {
    let progress = &state.progress;
    let name = state.state(now);
    let is_live = matches!(name, "running" | "pausing" | "paused");
    json!({
        "run": place.run,
        "source": place.source,
        "name": place.name,
        "job": place.job,
        "program": state.program,
        "version": state.version,
        "command": state.command,
        "host": state.host,
        "pid": state.pid,
        "started": state.started,
        "seen": state.seen,
        "state": name,
        "stage": progress.stage,
        "done": progress.done.to_string(),
        "total": progress.total.map(|total| total.to_string()),
        "unit": progress.unit,
        "rate": progress.rate,
        "elapsed_s": progress.elapsed,
        "eta_s": progress.eta.filter(|_| is_live),
        "failures": state.failures.to_string(),
        "text": state.text(),
        "output": state.output,
    })
}

/// All fields of a run.
pub(crate) fn details(place: &RunPlace, state: &RunState, now: u64) -> Value {
    let mut fields = row(place, state, now);
    let results = state.results.iter();
    let results = results.map(|(name, tally)| json!({"name": name, "counts": tally.json()}));
    let histograms = state.histograms.iter();
    let histograms = histograms.map(|(name, histogram)| histogram.json(name));
    let figures = state.figures.iter();
    let figures = figures.map(|(name, value)| json!({"name": name, "value": value}));
    let saved = state.saved.as_ref().map(|saved| {
        let count = saved.count.map(|count| count.to_string());
        json!({"at": saved.at, "path": saved.path, "count": count})
    });
    let more = json!({
        "workers": state.workers.iter().map(worker).collect::<Vec<_>>(),
        "more_workers": state.has_more_workers,
        "failures_last": state.last_failures.iter().map(failure).collect::<Vec<_>>(),
        "results": results.collect::<Vec<_>>(),
        "histograms": histograms.collect::<Vec<_>>(),
        "series": state.series.iter().map(series).collect::<Vec<_>>(),
        "figures": figures.collect::<Vec<_>>(),
        "saved": saved,
        "end": state.end,
    });
    if let (Some(all), Value::Object(more)) = (fields.as_object_mut(), more) {
        all.extend(more);
    }
    fields
}

fn worker((number, worker): (&u64, &RunWorker)) -> Value {
    json!({
        "worker": number,
        "engine": worker.engine,
        "state": worker.state,
        "done": worker.done.to_string(),
        "rate": worker.rate,
        "speed": worker.speed,
        "failures": worker.failures.to_string(),
    })
}

fn failure(failure: &RunFailure) -> Value {
    json!({
        "at": failure.at,
        "worker": failure.worker,
        "engine": failure.engine,
        "kind": failure.kind,
        "text": failure.text,
    })
}

fn series(series: &RunSeries) -> Value {
    let points: Vec<Point> = series.curve.points().collect();
    let mut fields = Map::new();
    fields.insert("name".to_owned(), series.name.as_str().into());
    fields.insert("unit".to_owned(), series.unit.as_str().into());
    fields.insert("x".to_owned(), series.x.as_str().into());
    let errors = points.iter().filter_map(|at| Some([at.x, at.error?]));
    let errors: Vec<[f64; 2]> = errors.collect();
    if !errors.is_empty() {
        fields.insert("error".to_owned(), json!(errors));
    }
    let points: Vec<[f64; 2]> = points.iter().map(|at| [at.x, at.y]).collect();
    fields.insert("points".to_owned(), json!(points));
    Value::Object(fields)
}
