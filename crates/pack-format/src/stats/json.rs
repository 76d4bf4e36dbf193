//! Statistics as JSON.

use serde::{Serialize, Serializer};

use crate::invalid::Skipped;

use super::{
    Fit, GameStats, Outcomes, PositionStats, ResultCounts, ScoreBin, ScoreStats, Stats, Tally,
};

/// Bins of 20 centipawns that make one of the listing.
const SCORE_BIN: usize = 5;

#[derive(Serialize)]
struct Report<'a> {
    format: &'static str,
    bytes: u64,
    files: Vec<File<'a>>,
    games: Option<GamesJson>,
    positions: Positions,
    scores: ScoresJson,
    skipped: &'a Skipped,
}

#[derive(Serialize)]
struct File<'a> {
    path: std::borrow::Cow<'a, str>,
    bytes: u64,
    games: Option<u64>,
    positions: u64,
}

#[derive(Serialize)]
struct GamesJson {
    count: u64,
    results: ByResult,
    end_reasons: Vec<ReasonJson>,
    contradictions: u64,
    from_initial_position: u64,
    distinct_starts_estimate: u64,
    length: Distribution,
    start_ply: Distribution,
}

#[derive(Serialize)]
struct ReasonJson {
    number: u8,
    name: String,
    count: u64,
    results: ByResult,
}

#[derive(Serialize)]
struct ByResult {
    draw: u64,
    black: u64,
    white: u64,
}

#[derive(Serialize)]
struct ByOutcome {
    win: u64,
    draw: u64,
    loss: u64,
}

#[derive(Serialize)]
struct Positions {
    count: u64,
    distinct_estimate: u64,
    results: ByResult,
    outcomes: ByOutcome,
    black_to_move: u64,
    in_check: u64,
    captures: u64,
    promotions: u64,
    drops: u64,
    without_move: u64,
    ply: Distribution,
    pieces_on_board: Distribution,
}

#[derive(Serialize)]
struct Distribution {
    count: u64,
    min: Option<u32>,
    mean: Option<f64>,
    max: Option<u32>,
    percentiles: Percentiles,
    counts: Vec<(u32, u64)>,
}

#[derive(Serialize)]
struct Percentiles {
    p5: Option<u32>,
    p25: Option<u32>,
    p50: Option<u32>,
    p75: Option<u32>,
    p95: Option<u32>,
}

#[derive(Serialize)]
struct ScoresJson {
    min: Option<i16>,
    max: Option<i16>,
    mean: Option<f64>,
    standard_deviation: Option<f64>,
    zeros: u64,
    mated: u64,
    mating: u64,
    fit: Option<Curve>,
    fit_without_draws: Option<Curve>,
    bins: Vec<Bin>,
}

#[derive(Serialize)]
struct Curve {
    scale: f64,
    positions: u64,
}

#[derive(Serialize)]
struct Bin {
    from: i16,
    to: i16,
    count: u64,
    mean: Option<f64>,
    outcomes: ByOutcome,
    winning_rate: Option<f64>,
}

impl Stats {
    /// The stats as a JSON object in one line, with these fields. Fields may be added in later versions;
    /// these keep their names and meanings.
    ///
    /// | field | |
    /// |---|---|
    /// | `format` | name of the format |
    /// | `bytes` | of all files |
    /// | `files[]` | `path`, `bytes`, `games` (null without), `positions` |
    /// | `games` | null in formats without games |
    /// | `games.count`, `.results` | games, and those that ended as `draw`, `black`, `white` |
    /// | `games.end_reasons[]` | `number` (of the format), `name`, `count`, `results` |
    /// | `games.contradictions` | games whose end reason cannot go with their result (pack) |
    /// | `games.from_initial_position` | games that begin with the initial position |
    /// | `games.distinct_starts_estimate` | about how many different start positions |
    /// | `games.length`, `.start_ply` | distributions: plies played, ply number of the start |
    /// | `positions.count`, `.results` | positions, by the result of their game |
    /// | `positions.distinct_estimate` | about how many different positions (standard error 0.8 %) |
    /// | `positions.outcomes` | `win`, `draw`, `loss` of the player to move |
    /// | `positions.black_to_move`, `.in_check` | positions |
    /// | `positions.captures`, `.promotions`, `.drops` | moves |
    /// | `positions.without_move` | positions whose record has no move |
    /// | `positions.ply`, `.pieces_on_board` | distributions; `ply` of positions that have one |
    /// | `scores.min`, `.max` | of all scores, in centipawns for the player to move |
    /// | `scores.mean`, `.standard_deviation` | of the scores that are no mates |
    /// | `scores.zeros` | scores of exactly 0 |
    /// | `scores.mated`, `.mating` | scores of −30000 and below, of 30000 and above |
    /// | `scores.fit` | the best logistic curve ([`Fit`]): `scale`, `positions`; null when there is none |
    /// | `scores.fit_without_draws` | the same without the positions of drawn games |
    /// | `scores.bins[]` | `from`, `to` (inclusive), `count`, `mean`, `outcomes`, `winning_rate` (draws as half) |
    /// | `skipped` | `count` of damaged records left out; the `first` ones: `path`, `offset`, `reason` |
    ///
    /// A distribution is `count`, `min`, `mean`, `max`, `percentiles` (`p5`, `p25`, `p50`, `p75`, `p95`:
    /// nearest rank) and `counts`: pairs of a number and how often it occurred, ascending. Figures of
    /// nothing are null.
    ///
    /// # Panics
    /// Never: the report is plain data.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("plain data becomes JSON")
    }
}

impl Serialize for Stats {
    /// As [`Stats::to_json`] says.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Report::from(self).serialize(serializer)
    }
}

impl<'a> From<&'a Stats> for Report<'a> {
    fn from(stats: &'a Stats) -> Self {
        let files = stats.files.iter().map(|file| File {
            path: file.path.to_string_lossy(),
            bytes: file.bytes,
            games: stats.has_games().then_some(file.games),
            positions: file.positions,
        });
        Self {
            format: stats.format.name(),
            bytes: stats.bytes(),
            files: files.collect(),
            games: stats.has_games().then(|| games(&stats.games, stats)),
            positions: positions(&stats.positions, stats),
            scores: scores(&stats.scores),
            skipped: &stats.skipped,
        }
    }
}

fn games(games: &GameStats, stats: &Stats) -> GamesJson {
    let reasons = games.reasons.iter().map(|(&number, results)| ReasonJson {
        number,
        name: stats.reason_name(number),
        count: results.total(),
        results: by_result(results),
    });
    GamesJson {
        count: games.count(),
        results: by_result(&games.results),
        end_reasons: reasons.collect(),
        contradictions: games.contradictions,
        from_initial_position: games.from_initial,
        distinct_starts_estimate: games.starts.estimate().round() as u64,
        length: distribution(&games.lengths),
        start_ply: distribution(&games.start_plies),
    }
}

fn positions(positions: &PositionStats, stats: &Stats) -> Positions {
    Positions {
        count: positions.count(),
        distinct_estimate: stats.distinct.estimate().round() as u64,
        results: by_result(&positions.results),
        outcomes: by_outcome(&positions.outcomes),
        black_to_move: positions.black_to_move,
        in_check: positions.in_check,
        captures: positions.captures,
        promotions: positions.promotions,
        drops: positions.drops,
        without_move: positions.without_move,
        ply: distribution(&positions.plies),
        pieces_on_board: distribution(&positions.pieces),
    }
}

fn scores(scores: &ScoreStats) -> ScoresJson {
    let [mated, mating] = scores.mates().map(|mates| mates.total());
    let bins = scores.bins(SCORE_BIN);
    ScoresJson {
        min: scores.range.map(|range| range.0.0),
        max: scores.range.map(|range| range.1.0),
        mean: scores.mean(),
        standard_deviation: scores.deviation(),
        zeros: scores.zeros,
        mated,
        mating,
        fit: scores.fit().map(curve),
        fit_without_draws: scores.fit_without_draws().map(curve),
        bins: bins.iter().map(bin).collect(),
    }
}

const fn curve(Fit { scale, positions }: Fit) -> Curve {
    Curve { scale, positions }
}

fn bin(bin: &ScoreBin) -> Bin {
    Bin {
        from: bin.from,
        to: bin.to,
        count: bin.outcomes.total(),
        mean: bin.mean,
        outcomes: by_outcome(&bin.outcomes),
        winning_rate: bin.outcomes.expectation(),
    }
}

fn distribution(tally: &Tally) -> Distribution {
    Distribution {
        count: tally.count(),
        min: tally.min(),
        mean: tally.mean(),
        max: tally.max(),
        percentiles: Percentiles {
            p5: tally.percentile(5),
            p25: tally.percentile(25),
            p50: tally.percentile(50),
            p75: tally.percentile(75),
            p95: tally.percentile(95),
        },
        counts: tally.iter().collect(),
    }
}

const fn by_result(results: &ResultCounts) -> ByResult {
    ByResult {
        draw: results.draw,
        black: results.black,
        white: results.white,
    }
}

const fn by_outcome(outcomes: &Outcomes) -> ByOutcome {
    ByOutcome {
        win: outcomes.win,
        draw: outcomes.draw,
        loss: outcomes.loss,
    }
}
