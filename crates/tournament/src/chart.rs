//! A page with the path of each parameter of a tuning: one HTML file that needs no other.

use report::{LineChart, Page, Series};

use crate::params::TunedParameter;
use crate::spsa::TuneState;

/// The page of a state.
pub(crate) fn path_page(state: &TuneState) -> String {
    let settings = state.settings();
    let done = format!(
        "{} of {} iterations",
        state.iteration(),
        settings.iterations
    );
    let mut page = Page::new(format!("Tuning: {done}").as_str());
    page.paragraph(format_args!(
        "{done}, {} pairs of games in each, {}, {}.",
        settings.pairs,
        settings.limit,
        settings.base.as_ref().map_or_else(
            || "against itself".to_owned(),
            |base| format!("against {base}")
        ),
    ));
    page.table(
        &["parameter", "start", "now", "steps moved", "range", "step"],
        state.parameters().iter().map(row),
    );
    page.section("Paths");
    let parameters = state.parameters().iter().enumerate();
    page.figures(
        parameters
            .map(|(index, parameter)| (parameter.name.as_str(), chart(state, index, parameter))),
    );
    page.finish()
}

fn row(parameter: &TunedParameter) -> Vec<String> {
    let TunedParameter {
        name,
        start,
        value,
        min,
        max,
        step,
        ..
    } = parameter;
    vec![
        name.clone(),
        start.to_string(),
        format!("{value:.2}"),
        format!("{:+.2}", parameter.moved()),
        format!("{min} to {max}"),
        step.to_string(),
    ]
}

/// The path of a parameter, with its value at the start as a broken line.
fn chart(state: &TuneState, index: usize, parameter: &TunedParameter) -> String {
    let points: Vec<(f64, f64)> = state
        .path()
        .iter()
        .filter_map(|point| Some((point.iteration as f64, *point.values.get(index)?)))
        .collect();
    let around = [
        parameter.start - parameter.step,
        parameter.start + parameter.step,
    ];
    let values = points.iter().map(|&(_, value)| value).chain(around);
    let range = values.fold((f64::MAX, f64::MIN), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    LineChart {
        title: &parameter.name,
        axis: "iterations",
        last: state.settings().iterations.max(1) as f64,
        range,
        mark: Some(parameter.start),
        series: &[Series {
            name: "value",
            points: &points,
        }],
    }
    .to_string()
}
