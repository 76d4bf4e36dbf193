//! The graph and the page.

use std::path::Path;

use shogi_review::{GameReview, ReviewTotals, review_chart, review_page, totals_page};
use yane_cli::is_standard;
use yane_io::AtomicFile;

use super::cli::ResultArgs;
use super::games::InputGames;
use super::store::Store;

/// Writes the graph and the page that are asked for.
pub(super) fn write_pictures(
    results: &ResultArgs,
    input: &InputGames,
    store: &mut Store,
    totals: &ReviewTotals,
) -> anyhow::Result<()> {
    let language = results.language();
    let one = input.games.len() == 1;
    if let Some(path) = &results.svg
        && let Some(review) = store.get(0)?
    {
        write_text(path, &review_chart(&review, language))?;
    }
    if let Some(path) = &results.html {
        let mut reviews: Vec<GameReview> = Vec::new();
        for game in 0..input.games.len() {
            reviews.extend(
                store
                    .get(game)?
                    .map(|review| if one { review } else { without_lines(review) }),
            );
        }
        let page = match (&reviews[..], one) {
            ([review], true) => review_page(&input.games[0].record, review, language),
            _ => totals_page(&reviews, totals, language),
        };
        write_text(path, &page)?;
    }
    Ok(())
}

/// A review with less memory: the page of many games shows no moves.
fn without_lines(mut review: GameReview) -> GameReview {
    review.moves = Vec::new();
    review
}

fn write_text(path: &Path, text: &str) -> anyhow::Result<()> {
    if is_standard(path) {
        return Ok(yane_cli::print::lines(text.lines())?);
    }
    let mut file = AtomicFile::create(path)?;
    file.put(text.as_bytes())?;
    Ok(file.commit()?)
}
