//! Finished stages, and what is known by them.

use serde::{Deserialize, Serialize};
use tournament::MatchScore;

use crate::stage::EvolveStage;

/// The name of the journal in the folder of a run.
pub(crate) const JOURNAL_FILE: &str = "evolve.jsonl";

/// A finished stage, as the journal has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StageRecord {
    /// The generation; 0 before the first.
    pub generation: u32,
    /// The stage.
    pub stage: EvolveStage,
    /// The command line; empty for what no program did.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub command: String,
    /// When its last session began (ISO 8601).
    pub started: String,
    /// When it ended.
    pub ended: String,
    /// What it made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<StageOutput>,
    /// What it found.
    #[serde(default)]
    pub figures: StageFigures,
}

/// The file or folder that a stage made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageOutput {
    /// Its path in the folder of the run.
    pub path: String,
    /// Its bytes.
    pub bytes: u64,
    /// Its length and checksum.
    pub checksum: String,
}

/// What a stage found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StageFigures {
    /// Games that were played or read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub games: Option<u64>,
    /// Positions that were counted, or learnt from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub positions: Option<u64>,
    /// The loss on test positions: excess cross entropy, or for othello the mean absolute error in discs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<f64>,
    /// The architecture that was trained.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arch: Option<String>,
    /// The result of a match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub played: Option<PlayedMatch>,
    /// The name of the network that became the best one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub promoted: Option<String>,
    /// Generations whose games left the disk.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<u32>,
}

/// The result of a match between two networks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayedMatch {
    /// The names of both.
    pub players: [String; 2],
    /// Wins, draws and losses of the first.
    pub games: [u32; 3],
    /// Pairs of games that gave it 0, ½, 1, 1½ and 2 points.
    pub pairs: [u32; 5],
    /// Whether the first one passed, in the match of a candidate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passed: Option<bool>,
}

impl PlayedMatch {
    /// The score of the first.
    pub fn score(&self) -> MatchScore {
        let [wins, draws, losses] = self.games;
        MatchScore {
            wins,
            draws,
            losses,
            pairs: self.pairs,
            singles: [0; 3],
        }
    }
}

/// The name of the network of the beginning.
pub const START_NAME: &str = "start";

/// The stages that are finished.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EvolveHistory {
    records: Vec<StageRecord>,
}

impl EvolveHistory {
    /// The stages of a journal.
    pub const fn new(records: Vec<StageRecord>) -> Self {
        Self { records }
    }

    /// Adds a finished stage.
    pub fn push(&mut self, record: StageRecord) {
        self.records.push(record);
    }

    /// The finished stages, in their order.
    pub fn records(&self) -> &[StageRecord] {
        &self.records
    }

    /// A finished stage.
    pub fn find(&self, generation: u32, stage: &EvolveStage) -> Option<&StageRecord> {
        let mut records = self.records.iter();
        records.find(|record| record.generation == generation && record.stage == *stage)
    }

    /// Returns whether a stage is finished.
    pub fn has(&self, generation: u32, stage: &EvolveStage) -> bool {
        self.find(generation, stage).is_some()
    }

    /// The network that was promoted in a generation.
    pub fn promoted(&self, generation: u32) -> Option<&str> {
        let record = self.find(generation, &EvolveStage::Promote)?;
        record.figures.promoted.as_deref()
    }

    /// The network that was promoted last before a generation.
    pub(crate) fn best_before(&self, generation: u32) -> Option<&str> {
        let records = self.records.iter().rev();
        let mut before = records.filter(|record| record.generation < generation);
        before.find_map(|record| record.figures.promoted.as_deref())
    }

    /// The architecture of a network that was trained here.
    pub fn arch(&self, network: &str) -> Option<&str> {
        let trained = self.records.iter().find(|record| match &record.stage {
            EvolveStage::Train(candidate) => network_name(record.generation, candidate) == network,
            _ => false,
        })?;
        trained.figures.arch.as_deref()
    }

    /// Generations whose games are on disk, in their order.
    pub fn kept(&self) -> Vec<u32> {
        let played = self.records.iter();
        let played = played.filter(|record| record.stage == EvolveStage::Selfplay);
        let removed = self.records.iter();
        let removed: Vec<u32> = removed
            .flat_map(|record| record.figures.removed.iter().copied())
            .collect();
        let numbers = played.map(|record| record.generation);
        numbers.filter(|number| !removed.contains(number)).collect()
    }

    /// The bytes of a generation's games.
    pub(crate) fn game_bytes(&self, generation: u32) -> u64 {
        let stages = [EvolveStage::Selfplay, EvolveStage::Dedup];
        let records = stages
            .iter()
            .filter_map(|stage| self.find(generation, stage));
        records
            .filter_map(|record| Some(record.output.as_ref()?.bytes))
            .sum()
    }

    /// The generation in progress or, if all are finished, the last one; 0 before the first.
    pub(crate) fn last_generation(&self) -> u32 {
        let numbers = self.records.iter().map(|record| record.generation);
        numbers.max().unwrap_or(0)
    }
}

/// The name of a network that is trained here: `0003-best`.
pub(crate) fn network_name(generation: u32, candidate: &str) -> String {
    format!("{generation:04}-{candidate}")
}
