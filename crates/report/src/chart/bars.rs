//! Histograms.

use std::fmt;

use super::{BOTTOM, HEIGHT, LEFT, RIGHT, WIDTH, begin, end, rule, tick, x_at, y_at};
use crate::{Escaped, grouped};

/// A bar of a histogram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bar {
    /// Label below the bar where there is room.
    pub label: String,
    /// Tooltip.
    pub hint: String,
    /// Height of the bar.
    pub count: u64,
}

/// A histogram; displaying it gives the element.
#[derive(Clone, Copy, Debug)]
pub struct BarChart<'a> {
    /// What it shows, for those who cannot see it.
    pub title: &'a str,
    /// What is below the axis.
    pub axis: &'a str,
    /// From left to right.
    pub bars: &'a [Bar],
}

impl fmt::Display for BarChart<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { title, axis, bars } = *self;
        begin(f, title)?;
        let most = bars.iter().map(|bar| bar.count).max().unwrap_or(0).max(1);
        let (top, step) = scale(most);
        let y_of = |count: u64| y_at(count as f64 / top as f64);
        for line in 0..=top / step {
            rule(f, y_of(line * step), &grouped(line * step))?;
        }
        let slot = (WIDTH - LEFT - RIGHT) / bars.len().max(1) as f64;
        let longest = bars.iter().map(|bar| bar.label.chars().count()).max();
        let label_width = longest.unwrap_or(1) as f64 * 6.5 + 6.0;
        let every = (label_width / slot).ceil().max(1.0) as usize;
        for (index, bar) in bars.iter().enumerate() {
            let x = x_at(0.0) + slot * index as f64;
            let y = y_of(bar.count);
            writeln!(
                f,
                "<rect class=\"bar\" x=\"{:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\">\
                 <title>{}</title></rect>",
                x + slot * 0.08,
                slot * 0.84,
                HEIGHT - BOTTOM - y,
                Escaped(&bar.hint)
            )?;
            if index % every == 0 && !bar.label.is_empty() {
                tick(f, x + slot / 2.0, &bar.label)?;
            }
        }
        end(f, axis)
    }
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
    use super::*;

    #[test]
    fn axes_end_just_above_the_longest_bar() {
        assert_eq!(scale(1), (1, 1));
        assert_eq!(scale(7), (8, 2));
        assert_eq!(scale(101), (150, 50));
        assert_eq!(scale(8139), (10_000, 2_000));
        assert!(scale(u64::MAX).0 > u64::MAX / 2);
    }

    #[test]
    fn labels_are_left_out_where_there_is_no_room() {
        let bars: Vec<_> = (0..100)
            .map(|n| Bar {
                label: format!("{n:>8}"),
                hint: "<".to_owned(),
                count: n,
            })
            .collect();
        let chart = BarChart {
            title: "T",
            axis: "A",
            bars: &bars,
        };
        let text = chart.to_string();
        assert_eq!(text.matches("<rect class=\"bar\"").count(), 100);
        let ticks = text.matches("text-anchor=\"middle\"").count() - 1;
        assert!((10..25).contains(&ticks), "{ticks}");
        assert!(text.contains("<title>&lt;</title>"));
        // Nothing to show is a chart, too.
        let empty = BarChart { bars: &[], ..chart };
        assert!(empty.to_string().ends_with(">A</text>\n</svg>\n"));
    }
}
