//! What is printed of each game, and of all.

use shogi_review::{GameReview, ReviewTotals};
use yane_cli::print::Printer;
use yane_cli::{Settings, is_standard};

use super::cli::ResultArgs;
use super::table;

/// What is printed of each game, and of all.
pub(super) struct Screen<'a> {
    results: &'a ResultArgs,
    settings: &'a Settings,
    games: usize,
    printer: Option<Printer>,
    /// The sums so far.
    pub(super) totals: ReviewTotals,
}

impl<'a> Screen<'a> {
    pub(super) fn new(results: &'a ResultArgs, settings: &'a Settings, games: usize) -> Self {
        let outputs = [&results.output, &results.svg, &results.html];
        let is_taken = outputs.into_iter().flatten().any(|path| is_standard(path));
        let printer = (!is_taken).then(Printer::new);
        Self {
            results,
            settings,
            games,
            printer,
            totals: ReviewTotals::default(),
        }
    }

    /// Counts and prints the result of a game.
    pub(super) fn show(
        &mut self,
        place: &str,
        game: usize,
        review: &GameReview,
    ) -> anyhow::Result<()> {
        let player = self.results.player.as_deref();
        self.totals.add(review, |name| {
            player.is_none_or(|player| name.contains(player))
        });
        let language = self.results.language();
        let lines = if self.settings.json {
            let mut told = serde_json::to_value(review)?;
            if self.games > 1 {
                told["game"] = (game + 1).into();
                told["place"] = place.into();
            }
            vec![told.to_string()]
        } else if self.games == 1 {
            table::game(review, language)
        } else {
            table::row_of_many(place, game, review, language)
        };
        self.print(lines)
    }

    fn print(&mut self, lines: Vec<String>) -> anyhow::Result<()> {
        if let Some(printer) = &mut self.printer {
            for line in lines {
                printer.line(line)?;
            }
        }
        Ok(())
    }

    /// Prints the sums that are asked for.
    pub(super) fn finish(mut self) -> anyhow::Result<()> {
        if self.results.summary {
            let lines = if self.settings.json {
                vec![serde_json::json!({ "summary": self.totals }).to_string()]
            } else {
                table::totals(&self.totals, self.results.language())
            };
            self.print(lines)?;
        }
        match self.printer {
            Some(printer) => Ok(printer.finish()?),
            None => Ok(()),
        }
    }
}
