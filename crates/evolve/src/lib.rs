#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod budget;
mod child;
mod commands;
mod error;
mod figures;
mod files;
mod history;
mod journal;
mod kind;
mod ladder;
mod plan;
mod run;
mod settings;
mod stage;
mod worker;

pub use commands::EvolvePlaces;
pub use error::{EvolveError, EvolveSettingsError, Result};
pub use history::{EvolveHistory, PlayedMatch, START_NAME, StageFigures, StageOutput, StageRecord};
pub use journal::EvolveJournal;
pub use kind::EvolveKind;
pub use ladder::{Ladder, LadderRow};
pub use plan::{EvolveStep, StageWork, next_step};
pub use run::{EvolveEnd, EvolveEvent, EvolveObserver, EvolveRun, read_ladder};
pub use settings::{
    CandidatePart, EvolveFile, EvolveSettings, GatePart, LadderPart, MixPart, QueuePart,
    RandomPlies, SelfplayPart, TrainingStart,
};
pub use stage::{EvolveStage, FinishRule, StageCommand, StageNameError, StopRule};
pub use worker::work;
