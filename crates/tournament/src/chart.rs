//! A page with the path of each parameter of a tuning: one HTML file that needs no other.

use std::fmt::Write as _;

use crate::params::TunedParameter;
use crate::spsa::TuneState;

/// Size of a chart.
const WIDTH: f64 = 360.0;
/// See [`WIDTH`].
const HEIGHT: f64 = 120.0;

const STYLE: &str = "body{font:14px sans-serif;margin:1.5em;max-width:80em;color:#222;background:#fff}\
table{border-collapse:collapse}td,th{padding:.15em .8em;text-align:right}td:first-child,th:first-child{text-align:left}\
tr:nth-child(even){background:#f2f2f2}.charts{display:flex;flex-wrap:wrap;gap:1em}figure{margin:0}\
figcaption{font-weight:bold}svg{border:1px solid #ccc;background:#fff}\
.path{fill:none;stroke:#06c;stroke-width:1.5}.start{stroke:#999;stroke-dasharray:4 3}text{font-size:10px;fill:#666}";

/// The page of a state.
pub(crate) fn path_page(state: &TuneState) -> String {
    let settings = state.settings();
    let done = format!(
        "{} of {} iterations",
        state.iteration(),
        settings.iterations
    );
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Tuning: {done}</title>\n<style>{STYLE}</style>\
         </head><body>\n<h1>Tuning</h1>\n<p>{done}, {} pairs of games in each, {}, {}.</p>\n",
        settings.pairs,
        escaped(&settings.limit),
        settings.base.as_ref().map_or_else(
            || "against itself".to_owned(),
            |base| format!("against {}", escaped(base))
        ),
    );
    page += "<table><tr><th>parameter</th><th>start</th><th>now</th><th>steps moved</th><th>range</th><th>step</th></tr>\n";
    for parameter in state.parameters() {
        let TunedParameter {
            name,
            start,
            value,
            min,
            max,
            step,
            ..
        } = parameter;
        writeln!(
            page,
            "<tr><td>{}</td><td>{start}</td><td>{value:.2}</td><td>{:+.2}</td><td>{min} to {max}</td><td>{step}</td></tr>",
            escaped(name),
            parameter.moved(),
        )
        .expect("a string takes everything");
    }
    page += "</table>\n<h2>Paths</h2>\n<div class=\"charts\">\n";
    for (index, parameter) in state.parameters().iter().enumerate() {
        page += &chart(state, index, parameter);
    }
    page += "</div>\n</body></html>\n";
    page
}

/// The path of a parameter, with its value at the start as a broken line.
fn chart(state: &TuneState, index: usize, parameter: &TunedParameter) -> String {
    let path = state.path();
    let values = || {
        path.iter()
            .filter_map(|point| point.values.get(index).copied())
    };
    let around = [
        parameter.start - parameter.step,
        parameter.start + parameter.step,
    ];
    let (low, high) = values()
        .chain(around)
        .fold((f64::MAX, f64::MIN), |(low, high), value| {
            (low.min(value), high.max(value))
        });
    let x = |iteration: usize| WIDTH * iteration as f64 / state.settings().iterations.max(1) as f64;
    let y = |value: f64| HEIGHT * (high - value) / (high - low).max(f64::MIN_POSITIVE);
    let points: Vec<String> = path
        .iter()
        .zip(values())
        .map(|(point, value)| format!("{:.1},{:.1}", x(point.iteration), y(value)))
        .collect();
    let start = y(parameter.start);
    format!(
        "<figure><figcaption>{}</figcaption><svg width=\"{WIDTH}\" height=\"{HEIGHT}\" viewBox=\"0 0 {WIDTH} {HEIGHT}\">\
         <line class=\"start\" x1=\"0\" x2=\"{WIDTH}\" y1=\"{start:.1}\" y2=\"{start:.1}\"/>\
         <polyline class=\"path\" points=\"{}\"/><text x=\"2\" y=\"10\">{high:.1}</text>\
         <text x=\"2\" y=\"{}\">{low:.1}</text></svg></figure>\n",
        escaped(&parameter.name),
        points.join(" "),
        HEIGHT - 3.0,
    )
}

/// Text for HTML.
fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_break_the_page() {
        assert_eq!(
            escaped("<a href=\"x\">&"),
            "&lt;a href=&quot;x&quot;&gt;&amp;"
        );
    }
}
