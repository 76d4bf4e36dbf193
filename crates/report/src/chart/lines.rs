//! Lines over a count of steps.

use std::fmt;

use super::{BOTTOM, HEIGHT, LEFT, RIGHT, WIDTH, begin, end, points, rule, x_at, y_at};
use crate::Escaped;

/// Colours of lines that are told apart on light and on dark paper.
const COLOURS: [&str; 4] = ["#2b6cb0", "#c05621", "#2f855a", "#805ad5"];

/// A line of a [`LineChart`].
#[derive(Clone, Copy, Debug)]
pub struct Series<'a> {
    /// Its name in the legend.
    pub name: &'a str,
    /// Its points, from left to right.
    pub points: &'a [(f64, f64)],
}

/// Lines over numbers from 0 on, with a legend; displaying it gives the element.
#[derive(Clone, Copy, Debug)]
pub struct LineChart<'a> {
    /// What it shows, for those who cannot see it.
    pub title: &'a str,
    /// What is below the axis.
    pub axis: &'a str,
    /// The number at the right edge; above 0.
    pub last: f64,
    /// The numbers at the bottom and at the top; the first is the lower one.
    pub range: (f64, f64),
    /// A height that a broken line marks.
    pub mark: Option<f64>,
    /// The lines, up to four.
    pub series: &'a [Series<'a>],
}

impl fmt::Display for LineChart<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (low, high) = self.range;
        let span = (high - low).max(f64::MIN_POSITIVE);
        let y_of = |value: f64| y_at((value - low) / span);
        begin(f, self.title)?;
        for step in 0..=4 {
            let value = low + (high - low) * f64::from(step) / 4.0;
            rule(f, y_of(value), &number(value, high - low))?;
        }
        if let Some(mark) = self.mark {
            let y = y_of(mark);
            let right = WIDTH - RIGHT;
            writeln!(
                f,
                "<line x1=\"{LEFT}\" x2=\"{right:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"#999\" stroke-dasharray=\"4 3\"/>"
            )?;
        }
        let below = HEIGHT - BOTTOM + 16.0;
        for (index, (series, colour)) in self.series.iter().zip(COLOURS).enumerate() {
            let places = series.points.iter();
            let places = points(places.map(|&(x, y)| (x_at(x / self.last), y_of(y))));
            let x = LEFT + 10.0 + 110.0 * index as f64;
            writeln!(
                f,
                "<polyline points=\"{places}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>\
                 <text x=\"{x}\" y=\"{below}\" style=\"fill:{colour}\">{}</text>",
                Escaped(series.name)
            )?;
        }
        writeln!(
            f,
            "<text x=\"{:.1}\" y=\"{below}\" text-anchor=\"end\">{}</text>",
            WIDTH - RIGHT,
            self.last
        )?;
        end(f, self.axis)
    }
}

/// A number beside the axis, with digits enough to tell it from the others on `span`.
fn number(value: f64, span: f64) -> String {
    if span < 0.01 {
        format!("{value:.1e}")
    } else if span < 10.0 {
        format!("{value:.3}")
    } else {
        format!("{value:.1}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_names_and_places() {
        let chart = LineChart {
            title: "Loss",
            axis: "epochs",
            last: 2.0,
            range: (0.0, 1.0),
            mark: Some(0.5),
            series: &[
                Series {
                    name: "a<b",
                    points: &[(0.0, 1.0), (1.0, 0.5), (2.0, 0.0)],
                },
                Series {
                    name: "c",
                    points: &[],
                },
            ],
        };
        let text = chart.to_string();
        assert!(text.contains(
            "points=\"70.0,12.0 480.0,116.0 890.0,220.0\" fill=\"none\" stroke=\"#2b6cb0\""
        ));
        assert!(
            text.contains(">a&lt;b</text>")
                && text.contains("points=\"\" fill=\"none\" stroke=\"#c05621\"")
        );
        assert!(text.contains("<line x1=\"70\" x2=\"890.0\" y1=\"116.0\""));
        assert!(text.contains(">0.250</text>") && text.contains(">2</text>"));
        // All values the same: no division by nothing.
        let flat = LineChart {
            range: (3.0, 3.0),
            ..chart
        };
        assert!(!flat.to_string().contains("NaN"));
    }

    #[test]
    fn numbers_have_the_digits_that_tell_them_apart() {
        assert_eq!(number(0.0012, 0.005), "1.2e-3");
        assert_eq!(number(0.25, 1.0), "0.250");
        assert_eq!(number(120.0, 80.0), "120.0");
    }
}
