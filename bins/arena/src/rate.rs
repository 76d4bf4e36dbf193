//! `arena rate`: ratings from logs.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use tournament::{Ratings, read_results};
use yane_cli::{UsageError, print};

use crate::args::ScreenArgs;

/// Rate engines by the games of logs.
///
/// Logs are those of `match`, `gauntlet`, `round-robin` and the closing matches of `tune`, several together if they have
/// engines of the same name; or games in PGN, of which the tags White, Black and Result count. Ratings are the most likely ones
/// (Bradley-Terry, on Elo's scale), intervals of 95 % come from pairs of games with the same opening.
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub struct RateArgs {
    /// The logs
    #[arg(required = true, value_name = "LOGS")]
    logs: Vec<PathBuf>,
    /// An engine and the rating that it shall have; without it the mean is 0
    #[arg(long, value_name = "NAME=ELO", allow_hyphen_values = true)]
    anchor: Option<String>,
    /// Weight of what is known before the games about every two engines that have met, in games; 0: nothing is known
    /// [default: one game for each engine but one, over all who have met]
    #[arg(long, value_name = "GAMES")]
    prior: Option<f64>,
    #[command(flatten)]
    screen: ScreenArgs,
}

/// Runs `arena rate`.
///
/// # Errors
/// When a log cannot be read, or the games allow no rating.
pub fn run_rate(args: &RateArgs) -> anyhow::Result<ExitCode> {
    let anchor = args.anchor.as_deref().map(parse_anchor).transpose()?;
    if let Some(prior) = args
        .prior
        .filter(|prior| !(prior.is_finite() && *prior >= 0.0))
    {
        return Err(UsageError(format!("--prior {prior}: expected a number of games")).into());
    }
    let results = read_results(&args.logs, &mut |note| eprintln!("{note}"))?;
    let ratings = results.rate(args.prior, anchor)?;
    if args.screen.json {
        print::json(&json!({
            "ratings": ratings.sorted(),
            "prior": ratings.prior,
            "bounded": ratings.is_bounded,
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    print::lines(rating_lines(&ratings))?;
    if !ratings.is_bounded && !args.screen.quiet {
        eprintln!(
            "An engine has won or lost everything: how far it is from the others is the prior's word (worth {:.1} games of two engines; --prior).",
            ratings.prior
        );
    }
    Ok(ExitCode::SUCCESS)
}

fn parse_anchor(text: &str) -> Result<(&str, f64), UsageError> {
    text.rsplit_once('=')
        .and_then(|(name, elo)| Some((name, elo.parse().ok().filter(|elo: &f64| elo.is_finite())?)))
        .ok_or_else(|| UsageError(format!("--anchor {text}: expected NAME=ELO")))
}

/// A table of ratings.
pub(crate) fn rating_lines(ratings: &Ratings) -> Vec<String> {
    let sorted = ratings.sorted();
    let width = sorted
        .iter()
        .map(|rating| rating.name.chars().count())
        .max();
    let width = width.unwrap_or(0).max(6);
    let mut lines = vec![format!(
        "{:>3}  {:width$}  {:>8}  {:>6}  {:>6}  {:>7}  {:>6}  {:>6}",
        "", "engine", "Elo", "95 %", "games", "score", "draws", "LOS"
    )];
    for (index, rating) in sorted.iter().enumerate() {
        let games = rating.wins + rating.draws + rating.losses;
        let points = f64::from(rating.wins) + f64::from(rating.draws) / 2.0;
        let percent = |part: f64| 100.0 * part / f64::from(games.max(1));
        let superiority = rating.superiority.map_or(String::new(), |probability| {
            format!("{:.1} %", 100.0 * probability)
        });
        let line = format!(
            "{:>3}  {:width$}  {:>+8.1}  {:>6}  {games:>6}  {:>5.1} %  {:>4.0} %  {superiority:>6}",
            index + 1,
            rating.name,
            rating.elo,
            format!("±{:.1}", rating.error),
            percent(points),
            percent(f64::from(rating.draws)),
        );
        lines.push(line.trim_end().to_owned());
    }
    lines
}

const EXAMPLES: &str = "\
Examples:
  arena rate gauntlet.jsonl
  arena rate monday.jsonl tuesday.jsonl --anchor yaneuraou=0
      games of two logs; Elo above the engine named yaneuraou
  arena rate games.pgn --json

LOS is the probability that an engine is stronger than the one below it (likelihood of superiority).

Exit code 0: done; 1: failed; 2: wrong usage.";
