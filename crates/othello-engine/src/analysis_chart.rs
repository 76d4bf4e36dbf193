//! The analysis of a game as a picture: values and lost discs by ply.

use std::fmt;

use othello_core::Side;
use report::{LineChart, Series, Sheet};

use crate::analysis::AnalysedMove;

/// The last ply of a game.
const LAST: f64 = 60.0;

/// Values for black and sums of lost discs by ply; displaying it gives a picture (SVG).
#[derive(Clone, Copy, Debug)]
pub struct AnalysisChart<'a> {
    moves: &'a [AnalysedMove],
}

impl<'a> AnalysisChart<'a> {
    /// The chart of analysed moves, in any order.
    pub const fn new(moves: &'a [AnalysedMove]) -> Self {
        Self { moves }
    }

    /// The value for black after each move.
    fn values(&self) -> Vec<(f64, f64)> {
        let value = |mv: &AnalysedMove| {
            let black = match mv.side {
                Side::Black => mv.played.tenths,
                Side::White => -mv.played.tenths,
            };
            (f64::from(mv.ply), f64::from(black) / 10.0)
        };
        self.forward().into_iter().map(value).collect()
    }

    /// The discs that a side has lost by each ply.
    fn losses(&self, side: Side) -> Vec<(f64, f64)> {
        let mut sum = 0;
        let sums = self.forward().into_iter().map(|mv| {
            if mv.side == side {
                sum += mv.loss();
            }
            (f64::from(mv.ply), f64::from(sum))
        });
        sums.collect()
    }

    fn forward(&self) -> Vec<&'a AnalysedMove> {
        let mut moves: Vec<_> = self.moves.iter().collect();
        moves.sort_by_key(|mv| mv.ply);
        moves
    }
}

/// The smallest of some scales, or of their multiples by ten, that holds all points.
fn top(points: &[&[(f64, f64)]], scales: &[f64]) -> f64 {
    let values = points.iter().flat_map(|points| points.iter());
    let most = values.fold(0.0_f64, |most, (_, value)| most.max(value.abs()));
    let mut unit = 1.0;
    loop {
        let found = scales.iter().find(|&&scale| most <= scale * unit);
        match found {
            Some(scale) => return scale * unit,
            None => unit *= 10.0,
        }
    }
}

impl fmt::Display for AnalysisChart<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values = self.values();
        let losses = [Side::Black, Side::White].map(|side| self.losses(side));
        let most = top(&[&values], &[8.0, 16.0, 32.0, 64.0]);
        let mut sheet = Sheet::default();
        let chart = LineChart {
            title: "Value for black by disc",
            axis: "disc",
            last: LAST,
            range: (-most, most),
            mark: Some(0.0),
            series: &[Series {
                name: "value",
                points: &values,
            }],
        };
        sheet.add("Value for black, in discs", chart);
        let chart = LineChart {
            title: "Sums of lost discs by disc",
            axis: "disc",
            last: LAST,
            range: (0.0, top(&[&losses[0], &losses[1]], &[8.0, 20.0, 40.0])),
            mark: None,
            series: &[
                Series {
                    name: "black",
                    points: &losses[0],
                },
                Series {
                    name: "white",
                    points: &losses[1],
                },
            ],
        };
        sheet.add("Discs lost so far", chart);
        f.write_str(&sheet.finish("Analysis of a game"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Hint, HintSource};
    use othello_core::Move;
    use othello_search::Selectivity;

    fn moved(ply: u32, side: Side, score: i32, better: i32) -> AnalysedMove {
        let hint = |score| Hint {
            mv: Move::Pass,
            score,
            tenths: 10 * score,
            source: HintSource::Search {
                depth: 1,
                selectivity: Selectivity::Exact,
                is_exact: false,
            },
            pv: Vec::new(),
            nodes: 0,
            elapsed: std::time::Duration::ZERO,
        };
        AnalysedMove {
            ply,
            side,
            played: hint(score),
            alternative: Some(hint(better)),
            others: 1,
        }
    }

    #[test]
    fn values_are_blacks_and_losses_add_up() {
        let moves = [
            moved(3, Side::Black, -4, 2),
            moved(2, Side::White, 1, 0),
            moved(1, Side::Black, 0, 3),
        ];
        let chart = AnalysisChart::new(&moves);
        assert_eq!(chart.values(), [(1.0, 0.0), (2.0, -1.0), (3.0, -4.0)]);
        assert_eq!(
            chart.losses(Side::Black),
            [(1.0, 3.0), (2.0, 3.0), (3.0, 9.0)]
        );
        assert_eq!(chart.losses(Side::White).last(), Some(&(3.0, 0.0)));
        let picture = chart.to_string();
        assert!(picture.starts_with("<svg xmlns=") && picture.ends_with("</svg>\n"));
        assert_eq!(picture.matches("<polyline").count(), 3);
        assert!(AnalysisChart::new(&[]).to_string().contains("</svg>"));
    }
}
