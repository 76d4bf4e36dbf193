//! What stages found: their reports, and the logs of matches.

use std::path::Path;

use serde_json::Value;
use tournament::{LoggedGame, MatchScore, SequentialScore, Standings, read_log};
use yane_io::ReadLimit;

use crate::history::{PlayedMatch, StageFigures};
use crate::plan::{passes, sprt};
use crate::settings::EvolveSettings;

/// The objects of a report, a line each; other lines, such as one that was cut off, are left out.
pub(crate) fn objects(path: &Path) -> yane_io::Result<Vec<Value>> {
    let bytes = ReadLimit::Records.read_if_there(path)?.unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let lines = text.lines();
    let lines = lines.filter_map(|line| serde_json::from_str(line).ok());
    Ok(lines.filter(Value::is_object).collect())
}

/// The counts of a report: the first number of each of these names, wherever it stands.
fn count(value: &Value, name: &str) -> Option<u64> {
    match value {
        Value::Object(fields) => {
            let own = fields.get(name).and_then(Value::as_u64);
            own.or_else(|| fields.values().find_map(|inner| count(inner, name)))
        }
        Value::Array(items) => items.iter().find_map(|inner| count(inner, name)),
        _ => None,
    }
}

/// Games and positions, as who played or counted them says.
pub(crate) fn of_games(report: &[Value]) -> StageFigures {
    let last = report.last();
    StageFigures {
        games: last.and_then(|report| count(report, "games")),
        positions: last.and_then(|report| count(report, "positions")),
        ..StageFigures::default()
    }
}

/// A training of shogi: a line for the data, and one for each epoch of all sessions.
pub(crate) fn of_shogi_training(report: &[Value], arch: Option<&str>) -> StageFigures {
    let losses = report.iter().filter_map(|line| {
        let is_trained = line["epoch"].as_u64()? > 0;
        line["valid_excess"].as_f64().filter(|_| is_trained)
    });
    StageFigures {
        positions: report
            .iter()
            .filter_map(|line| line["data"]["train"].as_u64())
            .next_back(),
        loss: losses.min_by(f64::total_cmp),
        arch: arch.map(str::to_owned),
        ..StageFigures::default()
    }
}

/// A training of othello: the errors of each phase on the positions held out, or of all.
pub(crate) fn of_othello_training(report: &[Value], arch: Option<&str>) -> StageFigures {
    let last = report.last().unwrap_or(&Value::Null);
    let phases = last["main"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let (mut sum, mut positions) = (0.0, 0.0);
    for phase in phases {
        let weight = phase["held_out"].as_u64().unwrap_or(0) as f64;
        sum += weight * phase["mae"].as_f64().unwrap_or(0.0);
        positions += weight;
    }
    let of_phases = (positions > 0.0).then(|| sum / positions);
    StageFigures {
        positions: count(last, "positions"),
        loss: of_phases.or_else(|| last["mae"].as_f64()),
        arch: arch.map(str::to_owned),
        ..StageFigures::default()
    }
}

/// The games of a log by their numbers, each once.
fn games(log: &Path) -> tournament::Result<Vec<LoggedGame>> {
    let (_, mut games) = read_log(log, &mut |_| {})?;
    games.sort_by_key(|game| game.number);
    games.dedup_by_key(|game| game.number);
    Ok(games)
}

fn played(players: [&str; 2], score: &MatchScore, passed: Option<bool>) -> PlayedMatch {
    PlayedMatch {
        players: players.map(str::to_owned),
        games: [score.wins, score.draws, score.losses],
        pairs: score.pairs,
        passed,
    }
}

/// The match of a candidate; `None` when it is neither decided nor over.
pub(crate) fn of_gate(
    log: &Path,
    settings: &EvolveSettings,
    players: [&str; 2],
) -> tournament::Result<Option<PlayedMatch>> {
    let games = games(log)?;
    let score = SequentialScore::of_games(sprt(settings)?, &games);
    let (decision, score) = (score.decision(), score.score());
    if decision.is_none() && u64::from(score.games()) < settings.gate.games {
        return Ok(None);
    }
    let passed = passes(settings, decision, score.mean());
    Ok(Some(played(players, score, Some(passed))))
}

/// A match of the ladder; `None` when it is not over.
pub(crate) fn of_ladder(
    log: &Path,
    wanted: u64,
    players: [&str; 2],
) -> tournament::Result<Option<PlayedMatch>> {
    let games = games(log)?;
    if (games.len() as u64) < wanted {
        return Ok(None);
    }
    let mut standings = Standings::new(2);
    for game in &games {
        standings.add(game);
    }
    Ok(Some(played(players, &standings.first_score(), None)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_best_loss_of_all_sessions_counts() {
        let report = [
            json!({"data": {"train": 900, "valid": 20}}),
            json!({"epoch": 0, "valid_excess": 0.01}),
            json!({"epoch": 1, "valid_excess": 0.3}),
            json!({"data": {"train": 900}}),
            json!({"epoch": 2, "valid_excess": 0.2}),
            json!({"epoch": 3, "valid_excess": 0.25}),
        ];
        let figures = of_shogi_training(&report, Some("kp_256x2-32-32"));
        assert_eq!((figures.positions, figures.loss), (Some(900), Some(0.2)));
        assert_eq!(figures.arch.as_deref(), Some("kp_256x2-32-32"));
        assert_eq!(of_shogi_training(&[], None), StageFigures::default());
    }

    #[test]
    fn errors_of_phases_are_weighted_by_their_positions() {
        let report = [json!({"positions": 50, "main": [
            {"held_out": 10, "mae": 1.0}, {"held_out": 30, "mae": 2.0}, {"held_out": 0, "mae": 9.0},
        ]})];
        let figures = of_othello_training(&report, None);
        assert_eq!((figures.positions, figures.loss), (Some(50), Some(1.75)));
        let figures = of_othello_training(&[json!({"positions": 5, "mae": 3.5})], None);
        assert_eq!(figures.loss, Some(3.5));
    }

    #[test]
    fn counts_are_found_where_they_stand() {
        let figures = of_games(&[json!({"x": [{"files": {"games": 7, "positions": 500}}]})]);
        assert_eq!((figures.games, figures.positions), (Some(7), Some(500)));
        assert_eq!(of_games(&[]), StageFigures::default());
    }
}
