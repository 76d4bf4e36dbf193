//! The main plots as one picture.

use std::fmt::Write as _;

use super::sections::{rate_chart, results_chart, score_chart, tally_bars};
use super::{Escaped, Page};
use crate::stats::Stats;
use crate::stats::counts::grouped;

/// Height of the line above each plot.
const TITLE: f64 = 28.0;

/// Plain colours, which every program that shows SVG knows.
const STYLE: &str = "text { fill: #555c66; font: 11px sans-serif; } \
.title { fill: #1f2328; font-size: 15px; } .bar { fill: #4a78b5; } .axis { stroke: #d8dade; } \
.curve { fill: none; stroke: #c2410c; stroke-width: 2; } .dot { fill: #1d4f91; }";

impl Stats {
    /// The main plots as an SVG picture, labelled in English and Japanese: scores, winning rate by score,
    /// length of the games (plies of the positions where there are no games), results. The same stats
    /// give the same bytes.
    pub fn to_svg(&self) -> String {
        let (plies, english, japanese) = if self.has_games() {
            (&self.games.lengths, "Game length", "手数")
        } else {
            (&self.positions.plies, "Ply of the position", "局面の手数")
        };
        let mut panels = Panels::default();
        panels.add("Scores", "評価値", |page| score_chart(page, self));
        panels.add("Winning rate by score", "評価値と勝率", |page| {
            rate_chart(page, self);
        });
        if plies.count() > 0 {
            panels.add(english, japanese, |page| {
                bars(page, english, "plies", &tally_bars(plies));
            });
        }
        panels.add("Results of the positions' games", "勝敗", |page| {
            results_chart(page, "Results", "positions", &self.positions.results);
        });
        panels.into_svg()
    }
}

/// Plots, one below the other.
#[derive(Default)]
struct Panels {
    body: String,
    count: u32,
}

impl Panels {
    /// Returns the vertical offset of the next plot.
    fn bottom(&self) -> f64 {
        f64::from(self.count) * (TITLE + HEIGHT)
    }

    fn add(&mut self, english: &str, japanese: &str, plot: impl FnOnce(&mut Page)) {
        let top = self.bottom();
        let mut page = Page(std::mem::take(&mut self.body));
        page.put(format_args!(
            "<text class=\"title\" x=\"12\" y=\"{}\">{english} {japanese}</text>\n\
             <svg y=\"{}\" width=\"{WIDTH}\" height=\"{HEIGHT}\">\n",
            top + 20.0,
            top + TITLE
        ));
        plot(&mut page);
        page.put(format_args!("</svg>\n"));
        self.body = page.0;
        self.count += 1;
    }

    fn into_svg(self) -> String {
        let height = self.bottom() + 4.0;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" \
             height=\"{height}\" role=\"img\">\n<title>Teacher data</title>\n<style>{STYLE}</style>\n\
             <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#fdfdfb\"/>\n{}</svg>\n",
            self.body
        )
    }
}

// Plots as SVG.

/// Width of a plot.
pub(super) const WIDTH: f64 = 900.0;
/// Height of a plot.
pub(super) const HEIGHT: f64 = 260.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 10.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 40.0;

/// A bar of a histogram.
pub(super) struct Bar {
    /// Label below the bar where there is room.
    pub(super) label: String,
    /// Tooltip.
    pub(super) hint: String,
    /// Height of the bar.
    pub(super) count: u64,
}

/// A point.
pub(super) struct Point {
    /// Horizontal coordinate.
    pub(super) x: f64,
    /// Vertical coordinate: 0 to 1.
    pub(super) y: f64,
    /// Weight of the point, 1 for the largest.
    pub(super) weight: f64,
    /// Tooltip.
    pub(super) hint: String,
}

fn begin(page: &mut Page, title: &str) {
    page.put(format_args!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\"><title>{}</title>\n",
        Escaped(title)
    ));
}

/// Ends a plot; `axis` says what is below the axis.
fn end(page: &mut Page, axis: &str) {
    page.put(format_args!(
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n</svg>\n",
        f64::midpoint(LEFT, WIDTH - RIGHT),
        HEIGHT - 6.0,
        Escaped(axis)
    ));
}

/// A line across at the height `y` with its number.
fn rule(page: &mut Page, y: f64, label: &str) {
    page.put(format_args!(
        "<line class=\"axis\" x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
         <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>\n",
        WIDTH - RIGHT,
        LEFT - 6.0,
        y + 4.0
    ));
}

/// A label below the axis.
fn tick(page: &mut Page, x: f64, label: &str) {
    page.put(format_args!(
        "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n",
        HEIGHT - BOTTOM + 16.0,
        Escaped(label)
    ));
}

/// A histogram.
pub(super) fn bars(page: &mut Page, title: &str, axis: &str, bars: &[Bar]) {
    begin(page, title);
    let most = bars.iter().map(|bar| bar.count).max().unwrap_or(0).max(1);
    let (top, step) = scale(most);
    let height = HEIGHT - TOP - BOTTOM;
    let y_of = |count: u64| TOP + height * (1.0 - count as f64 / top as f64);
    for line in 0..=top / step {
        rule(page, y_of(line * step), &grouped(line * step));
    }
    let slot = (WIDTH - LEFT - RIGHT) / bars.len().max(1) as f64;
    let longest = bars.iter().map(|bar| bar.label.chars().count()).max();
    let label_width = longest.unwrap_or(1) as f64 * 6.5 + 6.0;
    let every = (label_width / slot).ceil().max(1.0) as usize;
    for (index, bar) in bars.iter().enumerate() {
        let x = LEFT + slot * index as f64;
        let y = y_of(bar.count);
        page.put(format_args!(
            "<rect class=\"bar\" x=\"{:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\">\
             <title>{}</title></rect>\n",
            x + slot * 0.08,
            slot * 0.84,
            HEIGHT - BOTTOM - y,
            Escaped(&bar.hint)
        ));
        if index % every == 0 && !bar.label.is_empty() {
            tick(page, x + slot / 2.0, &bar.label);
        }
    }
    end(page, axis);
}

/// Points between 0 and 1 over numbers from `-range` to `range`, and a curve.
pub(super) fn rates(
    page: &mut Page,
    title: &str,
    axis: &str,
    range: f64,
    points: &[Point],
    curve: Option<&dyn Fn(f64) -> f64>,
) {
    begin(page, title);
    let width = WIDTH - LEFT - RIGHT;
    let height = HEIGHT - TOP - BOTTOM;
    let x_of = |x: f64| LEFT + width * (x + range) / (2.0 * range);
    let y_of = |y: f64| TOP + height * (1.0 - y);
    for line in 0..=4 {
        let y = f64::from(line) * 0.25;
        rule(page, y_of(y), &format!("{:.0} %", y * 100.0));
    }
    for line in -2..=2 {
        let x = f64::from(line) * range / 3.0;
        tick(page, x_of(x), &format!("{x:.0}"));
    }
    if let Some(curve) = curve {
        let mut path = String::new();
        for step in 0..=100 {
            let x = range * (f64::from(step) / 50.0 - 1.0);
            let (x, y) = (x_of(x), y_of(curve(x)));
            write!(path, "{x:.1},{y:.1} ").expect("a String takes everything");
        }
        page.put(format_args!(
            "<polyline class=\"curve\" points=\"{}\"/>\n",
            path.trim_end()
        ));
    }
    for point in points {
        page.put(format_args!(
            "<circle class=\"dot\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"{:.1}\"><title>{}</title></circle>\n",
            x_of(point.x),
            y_of(point.y),
            1.5 + 3.0 * point.weight.sqrt(),
            Escaped(&point.hint)
        ));
    }
    end(page, axis);
}

/// The top of an axis that has room for `most`, and the step of its lines: 1, 2 or 5 times a power of
/// ten, five lines at most.
fn scale(most: u64) -> (u64, u64) {
    let mut power = 1u64;
    loop {
        for step in [power, power.saturating_mul(2), power.saturating_mul(5)] {
            let lines = most.div_ceil(step);
            if lines <= 5 {
                return (lines.max(1).saturating_mul(step), step);
            }
        }
        power = power.saturating_mul(10);
    }
}

#[cfg(test)]
mod tests {
    use shogi_core::Position;

    use super::*;
    use crate::{TeacherFormat, TeacherResult, TeacherScore};

    #[test]
    fn plots_stand_below_each_other() {
        let mut stats = Stats::new(TeacherFormat::Psv);
        // Without a ply number there is nothing to say about plies.
        assert_eq!(stats.to_svg().matches("class=\"title\"").count(), 3);
        let position = Position::startpos();
        let mv = position.move_from_usi("7g7f").unwrap();
        stats.add(
            &position,
            Some(mv),
            TeacherScore(30),
            TeacherResult::BlackWin,
            Some(1),
        );
        let svg = stats.to_svg();
        assert_eq!(svg.matches("class=\"title\"").count(), 4);
        assert_eq!(svg.matches("<svg").count(), 1 + 2 * 4);
        assert_eq!(svg.matches("<svg").count(), svg.matches("</svg>").count());
        assert!(svg.contains("height=\"1156\""));
        assert_eq!(svg, stats.clone().to_svg());
    }

    #[test]
    fn axes_end_just_above_the_longest_bar() {
        assert_eq!(scale(1), (1, 1));
        assert_eq!(scale(7), (8, 2));
        assert_eq!(scale(101), (150, 50));
        assert_eq!(scale(8139), (10_000, 2_000));
        assert!(scale(u64::MAX).0 > u64::MAX / 2);
    }
}
