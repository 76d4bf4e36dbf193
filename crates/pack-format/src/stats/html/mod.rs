//! Statistics as an HTML page: one file, nothing loaded from elsewhere, light or dark as the reader
//! prefers; and the main charts as one picture.

mod charts;
mod sections;

use charts::{rate_chart, results_chart, score_chart, tally_chart};
use report::{Page, Sheet};

use super::Stats;

impl Stats {
    /// The stats as an HTML page with plots, labelled in English and Japanese.
    pub fn to_html(&self) -> String {
        let mut page = Page::new(("Teacher data", "教師データ"));
        sections::write(&mut page, self);
        page.finish()
    }

    /// The main plots as an SVG picture, labelled in English and Japanese: scores, winning rate by score,
    /// length of the games (plies of the positions where there are no games), results. The same stats
    /// give the same bytes.
    pub fn to_svg(&self) -> String {
        let (plies, english, japanese) = if self.has_games() {
            (&self.games.lengths, "Game length", "手数")
        } else {
            (&self.positions.plies, "Ply of the position", "局面の手数")
        };
        let mut sheet = Sheet::default();
        sheet.add("Scores 評価値", score_chart(self));
        sheet.add("Winning rate by score 評価値と勝率", rate_chart(self));
        if plies.count() > 0 {
            let title = format!("{english} {japanese}");
            sheet.add(&title, tally_chart(english, "plies", plies));
        }
        let results = &self.positions.results;
        sheet.add(
            "Results of the positions' games 勝敗",
            results_chart("Results", "positions", results),
        );
        sheet.finish("Teacher data")
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
}
