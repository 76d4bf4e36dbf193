//! Charts as SVG elements of one size, for a [`Page`](crate::Page) or a [`Sheet`](crate::Sheet), which colour them.

mod bars;
mod lines;
mod rates;

use std::fmt;

pub use bars::{Bar, BarChart};
pub use lines::{LineChart, Series};
pub use rates::{RateChart, RatePoint};

use crate::Escaped;

/// Width of a chart.
pub(crate) const WIDTH: f64 = 900.0;
/// Height of a chart.
pub(crate) const HEIGHT: f64 = 260.0;
/// Room at the edges for labels.
const LEFT: f64 = 70.0;
const RIGHT: f64 = 10.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 40.0;

/// The horizontal place of `share` of the width, from 0 to 1.
fn x_at(share: f64) -> f64 {
    LEFT + (WIDTH - LEFT - RIGHT) * share
}

/// The vertical place of `share` of the height, 0 at the bottom, 1 at the top.
fn y_at(share: f64) -> f64 {
    TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - share)
}

fn begin(f: &mut fmt::Formatter<'_>, title: &str) -> fmt::Result {
    writeln!(
        f,
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\"><title>{}</title>",
        Escaped(title)
    )
}

/// Ends a chart; `axis` says what is below the axis.
fn end(f: &mut fmt::Formatter<'_>, axis: &str) -> fmt::Result {
    writeln!(
        f,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n</svg>",
        f64::midpoint(LEFT, WIDTH - RIGHT),
        HEIGHT - 6.0,
        Escaped(axis)
    )
}

/// A line across at the height `y` with its number.
fn rule(f: &mut fmt::Formatter<'_>, y: f64, label: &str) -> fmt::Result {
    writeln!(
        f,
        "<line class=\"axis\" x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
         <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
        WIDTH - RIGHT,
        LEFT - 6.0,
        y + 4.0,
        Escaped(label)
    )
}

/// A label below the axis.
fn tick(f: &mut fmt::Formatter<'_>, x: f64, label: &str) -> fmt::Result {
    writeln!(
        f,
        "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
        HEIGHT - BOTTOM + 16.0,
        Escaped(label)
    )
}

/// Places as the attribute `points` has them.
fn points(places: impl Iterator<Item = (f64, f64)>) -> String {
    let points: Vec<_> = places.map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    points.join(" ")
}
