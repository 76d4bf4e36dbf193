//! The main plots as one picture.

use super::Page;
use super::chart::{self, HEIGHT, WIDTH};
use super::sections::{rate_chart, results_chart, score_chart, tally_bars};
use crate::stats::Stats;

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
                chart::bars(page, english, "plies", &tally_bars(plies));
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
    /// Where the next one begins.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{TeacherFormat, TeacherResult, TeacherScore};
    use shogi_core::Position;

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
}
