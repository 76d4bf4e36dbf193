//! The ladder: what each generation learnt from and how strong it is, by all games of the run.

use report::{LineChart, Page, Series, Sheet, grouped};
use serde::Serialize;
use tournament::{Ratings, ResultTable};

use crate::history::{EvolveHistory, PlayedMatch, START_NAME, network_name};
use crate::stage::EvolveStage;

/// A generation of the ladder.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LadderRow {
    /// Its number.
    pub generation: u32,
    /// The day on which it was decided about (ISO 8601).
    pub date: String,
    /// Games that it played with itself.
    pub games: Option<u64>,
    /// Positions that it learnt from, those of older generations included.
    pub positions: Option<u64>,
    /// The network: the one that was promoted, else the candidate with the best score.
    pub network: String,
    /// Its loss on test positions.
    pub loss: Option<f64>,
    /// Its match with the best network before.
    pub gate: Option<PlayedMatch>,
    /// Elo above the first network of the run, and half the width of the 95 % interval.
    pub elo: Option<[f64; 2]>,
    /// Whether it became the best network.
    pub promoted: bool,
}

/// The columns of the table.
const HEAD: [&str; 10] = [
    "gen",
    "date",
    "games",
    "positions",
    "loss",
    "gate",
    "score",
    "Elo",
    "95 %",
    "",
];

/// The generations of a run that are decided.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ladder {
    /// The network above which Elo is counted.
    pub reference: String,
    /// The generations, in their order.
    pub rows: Vec<LadderRow>,
}

impl Ladder {
    /// The ladder of the finished stages.
    pub fn new(history: &EvolveHistory) -> Self {
        let mut results = ResultTable::default();
        let mut names = Vec::new();
        for record in history.records() {
            if let Some(played) = &record.figures.played {
                let [one, other] = &played.players;
                results.add_score([one, other], &played.score());
                names.extend([one, other]);
            }
        }
        let has_start = names.iter().any(|name| *name == START_NAME);
        let first = (1..=history.last_generation()).find_map(|number| history.promoted(number));
        let reference = first.filter(|_| !has_start).unwrap_or(START_NAME);
        // Without games there are no ratings.
        let ratings = results.rate(None, Some((reference, 0.0))).ok();
        let promotions = history.records().iter();
        let promotions = promotions.filter(|record| record.stage == EvolveStage::Promote);
        let rows = promotions.map(|record| {
            let date = record.ended.split('T').next().unwrap_or_default();
            row(
                history,
                record.generation,
                date,
                (ratings.as_ref(), reference),
            )
        });
        Self {
            reference: reference.to_owned(),
            rows: rows.collect(),
        }
    }

    /// The row of a network that was promoted.
    pub fn of_network(&self, network: &str) -> Option<&LadderRow> {
        let mut rows = self.rows.iter();
        rows.find(|row| row.promoted && row.network == network)
    }

    /// The table as lines.
    pub fn lines(&self) -> Vec<String> {
        let rows = self.rows.iter().map(LadderRow::cells);
        let rows: Vec<[String; 10]> = std::iter::once(HEAD.map(str::to_owned))
            .chain(rows)
            .collect();
        let widths: [usize; 10] = std::array::from_fn(|column| {
            let cells = rows.iter().map(|row| row[column].chars().count());
            cells.max().unwrap_or(0)
        });
        let mut lines: Vec<String> = rows
            .iter()
            .map(|row| {
                let cells = row.iter().zip(widths).map(|(cell, width)| {
                    let room = width - cell.chars().count();
                    format!("{}{cell}", " ".repeat(room))
                });
                cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
            })
            .collect();
        if !self.rows.is_empty() {
            lines.push(format!("Elo above {}", self.reference));
        }
        lines
    }

    /// The page with the table and the curves.
    pub fn page(&self, title: &str) -> String {
        let mut page = Page::new(title);
        let promoted = self.rows.iter().filter(|row| row.promoted).count();
        page.paragraph(format_args!(
            "{} generations, {promoted} of them promoted. Elo above {}, with 95 % intervals by all games of the run.",
            self.rows.len(),
            self.reference
        ));
        let charts = self.charts();
        let figures = charts.iter().map(|(name, chart)| (*name, chart));
        page.figures(figures);
        let mut head = HEAD;
        head[0] = "generation";
        page.table(&head, self.rows.iter().map(|row| row.cells().to_vec()));
        page.finish()
    }

    /// The curves as a picture (SVG).
    pub fn picture(&self, title: &str) -> String {
        let mut sheet = Sheet::default();
        for (name, chart) in self.charts() {
            sheet.add(name, chart);
        }
        sheet.finish(title)
    }

    fn charts(&self) -> Vec<(&'static str, String)> {
        let with_elo = self.rows.iter().filter(|row| row.promoted);
        let points = |share: f64| -> Vec<(f64, f64)> {
            let point = |row: &LadderRow| {
                let [elo, error] = row.elo?;
                Some((f64::from(row.generation), elo + share * error))
            };
            let points = with_elo.clone().filter_map(point);
            std::iter::once((0.0, 0.0)).chain(points).collect()
        };
        let elo = [points(0.0), points(-1.0), points(1.0)];
        let losses: Vec<(f64, f64)> = self
            .rows
            .iter()
            .filter_map(|row| Some((f64::from(row.generation), row.loss?)))
            .collect();
        let names = ["best", "lower bound", "upper bound"];
        let series: Vec<(&str, &[(f64, f64)])> = names
            .into_iter()
            .zip(elo.iter().map(Vec::as_slice))
            .collect();
        vec![
            ("Elo", self.chart("Elo", &series)),
            (
                "Loss on test positions",
                self.chart("Loss", &[("loss", &losses)]),
            ),
        ]
    }

    /// A chart over generations.
    fn chart(&self, title: &str, lines: &[(&str, &[(f64, f64)])]) -> String {
        let last = self.rows.last().map_or(1, |row| row.generation);
        let values = lines.iter().flat_map(|(_, points)| points.iter());
        let values = values.map(|(_, value)| *value);
        let range = values.fold((f64::MAX, f64::MIN), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        let range = if range.0 > range.1 { (0.0, 1.0) } else { range };
        let series: Vec<_> = lines
            .iter()
            .map(|&(name, points)| Series { name, points })
            .collect();
        LineChart {
            title,
            axis: "generations",
            last: f64::from(last.max(1)),
            range,
            mark: None,
            series: &series,
        }
        .to_string()
    }
}

impl LadderRow {
    /// The cells of a table.
    fn cells(&self) -> [String; 10] {
        let number = |number: Option<u64>| number.map_or_else(String::new, grouped);
        let gate = self.gate.as_ref();
        let [elo, error] = self.elo.map_or([None, None], |elo| elo.map(Some));
        let games = gate.map(|gate| gate.games);
        [
            self.generation.to_string(),
            self.date.clone(),
            number(self.games),
            number(self.positions),
            self.loss
                .map_or_else(String::new, |loss| format!("{loss:.5}")),
            games.map_or_else(String::new, |[wins, draws, losses]| {
                format!("+{wins} ={draws} -{losses}")
            }),
            gate.and_then(|gate| gate.score().mean())
                .map_or_else(String::new, |mean| format!("{:.1} %", 100.0 * mean)),
            elo.map_or_else(String::new, |elo| format!("{elo:+.1}")),
            error.map_or_else(String::new, |error| format!("±{error:.1}")),
            if self.promoted {
                format!("promoted: {}", self.network)
            } else {
                "no".to_owned()
            },
        ]
    }
}

fn row(
    history: &EvolveHistory,
    generation: u32,
    date: &str,
    (ratings, reference): (Option<&Ratings>, &str),
) -> LadderRow {
    let promoted = history.promoted(generation);
    let records = history.records().iter();
    let records = records.filter(|record| record.generation == generation);
    let gate_of = |candidate: &str| {
        let gate = history.find(generation, &EvolveStage::Gate(candidate.to_owned()))?;
        gate.figures.played.as_ref()
    };
    let mean = |played: Option<&PlayedMatch>| {
        let mean = played.and_then(|played| played.score().mean());
        mean.unwrap_or(0.0)
    };
    let mut shown: Option<(&str, &crate::history::StageRecord)> = None;
    for record in records {
        let EvolveStage::Train(candidate) = &record.stage else {
            continue;
        };
        let is_promoted = promoted == Some(network_name(generation, candidate).as_str());
        let is_better =
            shown.is_none_or(|(other, _)| mean(gate_of(candidate)) > mean(gate_of(other)));
        if is_promoted || (promoted.is_none() && is_better) {
            shown = Some((candidate, record));
        }
    }
    let find = |stage: EvolveStage| history.find(generation, &stage);
    let counted = find(EvolveStage::Count).or_else(|| find(EvolveStage::Selfplay));
    let network = shown.map_or_else(String::new, |(name, _)| network_name(generation, name));
    let elo = ratings.and_then(|ratings| ratings.difference(&network, reference));
    LadderRow {
        generation,
        date: date.to_owned(),
        games: counted.and_then(|record| record.figures.games),
        positions: shown.and_then(|(_, record)| record.figures.positions),
        loss: shown.and_then(|(_, record)| record.figures.loss),
        gate: shown.and_then(|(name, _)| gate_of(name)).cloned(),
        elo: elo.map(|(elo, error)| [elo, error]),
        promoted: promoted.is_some(),
        network,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{StageFigures, StageRecord};

    fn record(generation: u32, stage: &str, figures: StageFigures) -> StageRecord {
        StageRecord {
            generation,
            stage: stage.parse().unwrap(),
            command: String::new(),
            started: String::new(),
            ended: "2026-11-29T14:00:00Z".to_owned(),
            output: None,
            figures,
        }
    }

    /// A generation with a candidate that had so many wins and losses, in pairs that were won and lost.
    fn generation(
        number: u32,
        opponent: &str,
        [wins, losses]: [u32; 2],
        passed: bool,
    ) -> Vec<StageRecord> {
        let name = network_name(number, "a");
        let played = PlayedMatch {
            players: [name.clone(), opponent.to_owned()],
            games: [wins, 0, losses],
            pairs: [losses / 2, 0, 0, 0, wins / 2],
            passed: Some(passed),
        };
        let usual = StageFigures::default;
        let games = StageFigures {
            games: Some(100),
            ..usual()
        };
        let trained = StageFigures {
            positions: Some(7500),
            loss: Some(0.5),
            ..usual()
        };
        let gate = StageFigures {
            played: Some(played),
            ..usual()
        };
        let promoted = StageFigures {
            promoted: passed.then_some(name),
            ..usual()
        };
        vec![
            record(number, "self-play", games),
            record(number, "train a", trained),
            record(number, "gate a", gate),
            record(number, "promote", promoted),
        ]
    }

    #[test]
    fn elo_is_counted_from_the_beginning_over_all_games() {
        let mut records = generation(1, START_NAME, [120, 80], true);
        records.extend(generation(2, "0001-a", [80, 120], false));
        records.extend(generation(3, "0001-a", [120, 80], true));
        let ladder = Ladder::new(&EvolveHistory::new(records));
        assert_eq!(ladder.reference, START_NAME);
        let elo: Vec<f64> = ladder.rows.iter().map(|row| row.elo.unwrap()[0]).collect();
        // 60 % of the points are 70 Elo; the prior takes a little of it.
        for (elo, expected) in elo.into_iter().zip([70.0, 0.0, 140.0]) {
            assert!((elo - expected).abs() < 2.0, "{elo} instead of {expected}");
        }
        let errors: Vec<f64> = ladder.rows.iter().map(|row| row.elo.unwrap()[1]).collect();
        // Two matches away from the beginning less is known.
        assert!(errors[0] > 30.0 && errors[2] > errors[0], "{errors:?}");
        let promoted: Vec<bool> = ladder.rows.iter().map(|row| row.promoted).collect();
        assert_eq!(promoted, [true, false, true]);
        assert_eq!(ladder.of_network("0003-a").unwrap().generation, 3);
        assert!(ladder.of_network("0002-a").is_none());
        let lines = ladder.lines();
        let row = "  1  2026-11-29    100      7,500  0.50000  +120 =0 -80  60.0 %";
        assert!(lines[1].starts_with(row), "{lines:#?}");
        assert!(lines[1].ends_with("promoted: 0001-a") && lines[2].ends_with("no"));
        let page = ladder.page("evolve: x");
        assert!(page.contains("3 generations, 2 of them promoted") && !page.contains("NaN"));
        assert!(!ladder.picture("x").contains("NaN"));
    }

    #[test]
    fn without_games_there_is_no_elo() {
        let mut records = generation(1, START_NAME, [0, 0], true);
        records.retain(|record| record.figures.played.is_none());
        let ladder = Ladder::new(&EvolveHistory::new(records));
        assert_eq!((ladder.rows.len(), ladder.rows[0].elo), (1, None));
        assert!(!ladder.page("x").contains("NaN"));
        assert_eq!(Ladder::new(&EvolveHistory::default()).lines().len(), 1);
    }
}
