//! The report of a match: a line for each game on standard error, the summary on standard
//! output, for people or as JSON.

use std::collections::BTreeMap;

use serde::Serialize;

use super::log::Entry;
use super::referee::{Reason, Usage};
use super::score::{Elo, GameResult};
use super::sprt::{Decision, Sprt, Tally, Violations, result_of_a};

/// The facts about a match before it begins.
#[derive(Debug)]
pub(crate) struct Report {
    /// The names that A and B report.
    pub(crate) engines: [String; 2],
    /// The number of games to play.
    pub(crate) games: u32,
    /// The test that ends the match early.
    pub(crate) sprt: Option<Sprt>,
}

/// The summary of a match, for other programs.
#[derive(Debug, Serialize)]
pub(crate) struct Summary {
    engines: [EngineSummary; 2],
    games: u32,
    /// Wins of engine A, from whose point of view the whole summary is.
    wins: u32,
    draws: u32,
    losses: u32,
    /// Number of pairs that gave A 0, ½, 1, 1½ and 2 points.
    pairs: [u32; 5],
    /// Points per game; nothing before the first game.
    score: Option<f64>,
    /// A bound is null where the score leaves it open.
    elo: Option<Elo>,
    superiority: Option<f64>,
    sprt: Option<SprtSummary>,
    endings: BTreeMap<Reason, u32>,
}

#[derive(Debug, Serialize)]
struct EngineSummary {
    name: String,
    #[serde(rename = "fouls")]
    violations: Violations,
    usage: Usage,
}

#[derive(Debug, Serialize)]
struct SprtSummary {
    hypotheses: [f64; 2],
    bounds: [f64; 2],
    log_likelihood_ratio: f64,
    /// The difference that the test decided for.
    accepted: Option<f64>,
}

impl Report {
    /// Returns whether the test has ended.
    pub(crate) fn is_decided(&self, tally: &Tally) -> bool {
        self.sprt
            .is_some_and(|sprt| sprt.decision(&tally.score.pairs).is_some())
    }

    /// A line about a game that has just ended and the score so far.
    pub(crate) fn print_progress(&self, tally: &Tally, entry: &Entry) {
        let played = &entry.played;
        let detail = played.detail.as_ref();
        let detail = detail.map_or(String::new(), |text| format!(" ({text})"));
        let score = &tally.score;
        let elo = score
            .elo()
            .map_or(String::new(), |elo| format!("  Elo {elo}"));
        let test = self.sprt.map_or(String::new(), |sprt| {
            let ratio = sprt.log_likelihood_ratio(&score.pairs);
            format!("  LLR {ratio:.2} [{:.2}, {:.2}]", sprt.lower, sprt.upper)
        });
        eprintln!(
            "{:>5}/{}  {:<4} {:?}{detail}, {} plies  |  A {score}{elo}{test}",
            score.games(),
            self.games,
            match result_of_a(entry.game, played) {
                GameResult::Win => "A",
                GameResult::Draw => "draw",
                GameResult::Loss => "B",
            },
            played.reason,
            played.plies,
        );
    }

    /// Everything about the match, for people.
    pub(crate) fn print_summary(&self, tally: &Tally) {
        let [a, b] = &self.engines;
        let score = &tally.score;
        println!("A: {a}");
        println!("B: {b}");
        println!("games: {}, A {score}", score.games());
        if let (Some(mean), Some(elo)) = (score.mean(), score.elo()) {
            let superiority = score.superiority().map_or(String::new(), |probability| {
                format!(", A is stronger with {:.1} %", probability * 100.0)
            });
            println!(
                "score of A: {:.1} %, Elo {elo} (95 %){superiority}",
                mean * 100.0
            );
        }
        println!("pairs by A's points (0, ½, 1, 1½, 2): {:?}", score.pairs);
        if let Some(sprt) = self.sprt {
            println!("{}", describe_test(&sprt, &score.pairs));
        }
        let endings: Vec<String> = tally
            .endings
            .iter()
            .map(|(reason, count)| format!("{reason:?} {count}"))
            .collect();
        println!("endings: {}", endings.join(", "));
        for (name, engine) in [("A", 0), ("B", 1)] {
            let Violations {
                illegal_moves,
                crashes,
                time_forfeits,
            } = tally.violations[engine];
            println!(
                "{name}: {illegal_moves} illegal moves, {crashes} crashes, {time_forfeits} time forfeits; {}",
                describe_usage(&tally.usage[engine])
            );
        }
    }

    /// Everything about the match, for programs.
    pub(crate) fn summary(&self, tally: &Tally) -> Summary {
        let score = &tally.score;
        let engine = |index: usize| EngineSummary {
            name: self.engines[index].clone(),
            violations: tally.violations[index],
            usage: tally.usage[index],
        };
        Summary {
            engines: [engine(0), engine(1)],
            games: score.games(),
            wins: score.wins,
            draws: score.draws,
            losses: score.losses,
            pairs: score.pairs,
            score: score.mean(),
            elo: score.elo(),
            superiority: score.superiority(),
            sprt: self.sprt.map(|sprt| SprtSummary {
                hypotheses: sprt.hypotheses(),
                bounds: [sprt.lower, sprt.upper],
                log_likelihood_ratio: sprt.log_likelihood_ratio(&score.pairs),
                accepted: accepted(&sprt, &score.pairs),
            }),
            endings: tally.endings.clone(),
        }
    }
}

/// The difference that the test has decided for.
fn accepted(sprt: &Sprt, pairs: &[u32; 5]) -> Option<f64> {
    let [elo0, elo1] = sprt.hypotheses();
    sprt.decision(pairs).map(|decision| match decision {
        Decision::Elo0 => elo0,
        Decision::Elo1 => elo1,
    })
}

fn describe_test(sprt: &Sprt, pairs: &[u32; 5]) -> String {
    let [elo0, elo1] = sprt.hypotheses();
    let decision = accepted(sprt, pairs).map_or_else(
        || "not decided".to_owned(),
        |elo| format!("{elo} Elo accepted"),
    );
    format!(
        "test of {elo0} against {elo1} Elo: LLR {:.2} in [{:.2}, {:.2}], {decision}",
        sprt.log_likelihood_ratio(pairs),
        sprt.lower,
        sprt.upper
    )
}

fn describe_usage(usage: &Usage) -> String {
    let moves = f64::from(usage.moves.max(1));
    let left = usage
        .least_left_ms
        .map_or(String::new(), |left| format!(", least time left {left} ms"));
    format!(
        "{} moves of {:.1} ms, slowest {} ms{left}, depth {:.1}, {:.0} knps",
        usage.moves,
        usage.total_ms as f64 / moves,
        usage.slowest_ms,
        usage.depths as f64 / moves,
        // Nodes in a millisecond are thousands in a second.
        usage.nodes as f64 / usage.total_ms.max(1) as f64
    )
}

#[cfg(test)]
mod tests {
    use super::super::game::{Played, Side};
    use super::*;

    fn report(sprt: Option<Sprt>) -> Report {
        Report {
            engines: ["a".to_owned(), "b".to_owned()],
            games: 4,
            sprt,
        }
    }

    fn tally(winners: &[Option<Side>]) -> Tally {
        let mut tally = Tally::default();
        for (game, &winner) in winners.iter().enumerate() {
            let played = Played {
                winner,
                reason: Reason::Mate,
                position: "startpos".to_owned(),
                plies: 0,
                usage: [Usage::default(); 2],
                detail: None,
            };
            tally.add(&Entry { game, played });
        }
        tally
    }

    #[test]
    fn the_summary_is_json() {
        let winners = [
            Some(Side::Black),
            Some(Side::White),
            Some(Side::Black),
            None,
        ];
        let sprt = Sprt::new(0.0, 10.0, 0.05, 0.05).expect("a test");
        let summary = report(Some(sprt)).summary(&tally(&winners));
        let json = serde_json::to_value(summary).expect("JSON");
        assert_eq!(json["wins"], 3);
        assert_eq!(json["pairs"], serde_json::json!([0, 0, 0, 1, 1]));
        assert_eq!(json["score"], 0.875);
        assert_eq!(json["endings"]["mate"], 4);
        assert_eq!(json["engines"][1]["name"], "b");
        assert_eq!(json["sprt"]["accepted"], serde_json::Value::Null);
        let difference = json["elo"]["difference"].as_f64().expect("a number");
        assert!((difference - 338.0).abs() < 0.1, "{difference}");
    }

    #[test]
    fn the_test_decides_when_it_is_clear() {
        let sprt = Sprt::new(0.0, 100.0, 0.05, 0.05).expect("a test");
        let even = [Some(Side::Black), Some(Side::Black)];
        assert!(!report(Some(sprt)).is_decided(&tally(&even)));
        // A wins every game.
        let sweep = [Some(Side::Black), Some(Side::White)].repeat(40);
        assert!(report(Some(sprt)).is_decided(&tally(&sweep)));
        assert!(!report(None).is_decided(&tally(&sweep)));
    }
}
