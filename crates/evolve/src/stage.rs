//! The stages of a generation, and the command line of one.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A stage of a generation; the first three are those of the beginning, before the first generation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum EvolveStage {
    /// The network of the beginning becomes a file.
    Start,
    /// The openings of matches become a file.
    Openings,
    /// The start positions of games become a file.
    Starts,
    /// Games of the best network with itself.
    Selfplay,
    /// The games and positions are counted.
    Count,
    /// Games that are there twice are left out.
    Dedup,
    /// The training of a candidate.
    Train(String),
    /// The match of a candidate with the best network.
    Gate(String),
    /// What passed becomes the best network.
    Promote,
    /// The match of a new best network with that of the beginning.
    LadderStart,
    /// The match of a new best network with the one before.
    LadderBefore,
    /// Games of older generations leave the disk.
    Remove,
}

/// A text that is no stage.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0:?} is no stage")]
pub struct StageNameError(String);

impl fmt::Display for EvolveStage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start => f.write_str("start"),
            Self::Openings => f.write_str("openings"),
            Self::Starts => f.write_str("starts"),
            Self::Selfplay => f.write_str("self-play"),
            Self::Count => f.write_str("count"),
            Self::Dedup => f.write_str("dedup"),
            Self::Train(candidate) => write!(f, "train {candidate}"),
            Self::Gate(candidate) => write!(f, "gate {candidate}"),
            Self::Promote => f.write_str("promote"),
            Self::LadderStart => f.write_str("ladder start"),
            Self::LadderBefore => f.write_str("ladder before"),
            Self::Remove => f.write_str("remove"),
        }
    }
}

impl FromStr for EvolveStage {
    type Err = StageNameError;

    fn from_str(text: &str) -> Result<Self, StageNameError> {
        Ok(match text.split_once(' ') {
            Some(("train", candidate)) => Self::Train(candidate.to_owned()),
            Some(("gate", candidate)) => Self::Gate(candidate.to_owned()),
            Some(("ladder", "start")) => Self::LadderStart,
            Some(("ladder", "before")) => Self::LadderBefore,
            _ => match text {
                "start" => Self::Start,
                "openings" => Self::Openings,
                "starts" => Self::Starts,
                "self-play" => Self::Selfplay,
                "count" => Self::Count,
                "dedup" => Self::Dedup,
                "promote" => Self::Promote,
                "remove" => Self::Remove,
                other => return Err(StageNameError(other.to_owned())),
            },
        })
    }
}

impl TryFrom<String> for EvolveStage {
    type Error = StageNameError;

    fn try_from(text: String) -> Result<Self, StageNameError> {
        text.parse()
    }
}

impl From<EvolveStage> for String {
    fn from(stage: EvolveStage) -> Self {
        stage.to_string()
    }
}

/// How it is known that a command has finished that was not seen to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FinishRule {
    /// The same command finds its work done, and reports it again.
    Repeats,
    /// The same command finds its work done, and what its sessions reported one after the other is its report.
    Continues,
    /// Its output is there, and its report is whole.
    Reports,
}

/// How a running command is asked to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopRule {
    /// By its standard input; it tells events.
    Requests,
    /// Its process is ended: it leaves nothing half-done.
    Ends,
}

/// A command line: a program of this project and its words. Paths in it are relative to the folder of the run, in which it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageCommand {
    /// The program.
    pub program: &'static str,
    /// Its words.
    pub words: Vec<String>,
    /// How many of them name the command, before which no options stand.
    pub depth: usize,
    /// The file or folder that it makes.
    pub output: String,
    /// A file that it reads, and its text, written before it starts.
    pub settings: Option<(String, String)>,
    /// How it is known that it has finished.
    pub finished: FinishRule,
    /// How it is asked to stop.
    pub stopping: StopRule,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_have_names_that_are_read_again() {
        let candidate = || "a-b".to_owned();
        for stage in [
            EvolveStage::Start,
            EvolveStage::Openings,
            EvolveStage::Starts,
            EvolveStage::Selfplay,
            EvolveStage::Count,
            EvolveStage::Dedup,
            EvolveStage::Train(candidate()),
            EvolveStage::Gate(candidate()),
            EvolveStage::Promote,
            EvolveStage::LadderStart,
            EvolveStage::LadderBefore,
            EvolveStage::Remove,
        ] {
            assert_eq!(stage.to_string().parse(), Ok(stage));
        }
        assert!("fly".parse::<EvolveStage>().is_err());
    }
}
