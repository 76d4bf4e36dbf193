//! Points and a curve between 0 and 1.

use std::fmt;

use super::{begin, end, points, rule, tick, x_at, y_at};
use crate::Escaped;

/// A point of a [`RateChart`].
#[derive(Clone, Debug, PartialEq)]
pub struct RatePoint {
    /// Horizontal coordinate.
    pub x: f64,
    /// Vertical coordinate: 0 to 1.
    pub y: f64,
    /// Weight of the point, 1 for the largest.
    pub weight: f64,
    /// Tooltip.
    pub hint: String,
}

/// Rates over numbers from `-range` to `range`, and a curve; displaying it gives the element.
#[derive(Clone, Copy)]
pub struct RateChart<'a> {
    /// What it shows, for those who cannot see it.
    pub title: &'a str,
    /// What is below the axis.
    pub axis: &'a str,
    /// The number at the right edge.
    pub range: f64,
    /// The points, in any order.
    pub points: &'a [RatePoint],
    /// The rate that is expected at each number.
    pub curve: Option<&'a dyn Fn(f64) -> f64>,
}

impl fmt::Display for RateChart<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let range = self.range;
        begin(f, self.title)?;
        let x_of = |x: f64| x_at((x + range) / (2.0 * range));
        for line in 0..=4 {
            let y = f64::from(line) * 0.25;
            rule(f, y_at(y), &format!("{:.0} %", y * 100.0))?;
        }
        for line in -2..=2 {
            let x = f64::from(line) * range / 3.0;
            tick(f, x_of(x), &format!("{x:.0}"))?;
        }
        if let Some(curve) = self.curve {
            let path = (0..=100).map(|step| range * (f64::from(step) / 50.0 - 1.0));
            let path = points(path.map(|x| (x_of(x), y_at(curve(x)))));
            writeln!(f, "<polyline class=\"curve\" points=\"{path}\"/>")?;
        }
        for point in self.points {
            writeln!(
                f,
                "<circle class=\"dot\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"{:.1}\"><title>{}</title></circle>",
                x_of(point.x),
                y_at(point.y),
                1.5 + 3.0 * point.weight.sqrt(),
                Escaped(&point.hint)
            )?;
        }
        end(f, self.axis)
    }
}

impl fmt::Debug for RateChart<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RateChart")
            .field("title", &self.title)
            .field("range", &self.range)
            .field("points", &self.points)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_stand_between_the_lines() {
        let points = [RatePoint {
            x: 0.0,
            y: 0.5,
            weight: 1.0,
            hint: "half".to_owned(),
        }];
        let chart = RateChart {
            title: "T",
            axis: "A",
            range: 3000.0,
            points: &points,
            curve: Some(&|x| x / 6000.0 + 0.5),
        };
        let text = chart.to_string();
        assert!(
            text.contains("cx=\"480.0\" cy=\"116.0\" r=\"4.5\"><title>half<"),
            "{text}"
        );
        assert!(text.contains("points=\"70.0,220.0 ") && text.contains(" 890.0,12.0\"/>"));
        assert!(text.contains(">-1000<") && text.contains(">75 %<"));
    }
}
