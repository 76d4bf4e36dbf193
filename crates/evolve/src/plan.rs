//! What comes next in a run: a function of its settings and of what is finished.

use tournament::{Sprt, SprtDecision};

use crate::commands::{
    Commands, EMBEDDED, EvolvePlaces, NONE, OPENINGS_FILE, STARTS_FILE, games_of, network_folder,
    unique_file,
};
use crate::error::EvolveSettingsError;
use crate::history::{EvolveHistory, START_NAME, StageRecord, network_name};
use crate::kind::EvolveKind;
use crate::settings::{CandidatePart, EvolveFile, EvolveSettings, TrainingStart};
use crate::stage::{EvolveStage, StageCommand};

/// The next step of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct EvolveStep {
    /// The generation; 0 before the first.
    pub generation: u32,
    /// The stage.
    pub stage: EvolveStage,
    /// What is to be done.
    pub work: StageWork,
}

/// What is to be done in a stage.
#[derive(Clone, Debug, PartialEq)]
pub enum StageWork {
    /// A program runs.
    Command(StageCommand),
    /// The network of the beginning is copied from a file of the user, or from the folder that it is in.
    CopyNetwork {
        /// The file or folder.
        from: std::path::PathBuf,
        /// The path of the copy.
        to: String,
    },
    /// Lines of files are taken in turn into one file.
    Interleave {
        /// The files.
        from: Vec<std::path::PathBuf>,
        /// The path of the one file.
        to: &'static str,
    },
    /// A network becomes the best one, or none does.
    Promote(Option<String>),
    /// What is not needed any more leaves the disk.
    Remove {
        /// Generations whose games do.
        games: Vec<u32>,
        /// Networks that were not promoted, and of whose candidates there are newer ones.
        networks: Vec<String>,
    },
}

/// Returns the next step; `None` when all generations are finished.
///
/// # Errors
/// When the settings of a generation make no sense; not for a file that was read.
pub fn next_step(
    file: &EvolveFile,
    history: &EvolveHistory,
    places: &EvolvePlaces,
) -> Result<Option<EvolveStep>, EvolveSettingsError> {
    let first = file.at(1)?;
    if let Some((stage, work)) = beginning(&first, history, places) {
        return Ok(Some(EvolveStep {
            generation: 0,
            stage,
            work,
        }));
    }
    for generation in 1..=first.generations {
        let settings = file.at(generation)?;
        let plan = GenerationPlan {
            settings: &settings,
            history,
            commands: Commands {
                settings: &settings,
                places,
                generation,
            },
            generation,
        };
        if let Some((stage, work)) = plan.next() {
            return Ok(Some(EvolveStep {
                generation,
                stage,
                work,
            }));
        }
    }
    Ok(None)
}

/// The next stage before the first generation.
fn beginning(
    settings: &EvolveSettings,
    history: &EvolveHistory,
    places: &EvolvePlaces,
) -> Option<(EvolveStage, StageWork)> {
    let commands = Commands {
        settings,
        places,
        generation: 0,
    };
    let files = |names: &[String]| names.iter().map(|name| places.file(name)).collect();
    let start = match settings.start.as_str() {
        NONE => None,
        EMBEDDED => commands.start().map(StageWork::Command),
        file => Some(StageWork::CopyNetwork {
            from: places.file(file),
            to: format!("{START_NAME}/{}", settings.kind.network_file()),
        }),
    };
    let gate = &settings.gate;
    let openings = match (gate.openings.is_empty(), gate.made_openings) {
        (false, _) => Some(StageWork::Interleave {
            from: files(&gate.openings),
            to: OPENINGS_FILE,
        }),
        (true, 0) => None,
        (true, _) => Some(StageWork::Command(commands.openings())),
    };
    let starts = (!settings.selfplay.starts.is_empty()).then(|| StageWork::Interleave {
        from: files(&settings.selfplay.starts),
        to: STARTS_FILE,
    });
    let stages = [
        (EvolveStage::Start, start),
        (EvolveStage::Openings, openings),
        (EvolveStage::Starts, starts),
    ];
    let stages = stages.into_iter();
    let mut missing = stages.filter_map(|(stage, work)| Some((stage, work?)));
    missing.find(|(stage, _)| !history.has(0, stage))
}

/// A generation, as far as it is finished.
struct GenerationPlan<'a> {
    settings: &'a EvolveSettings,
    history: &'a EvolveHistory,
    commands: Commands<'a>,
    generation: u32,
}

impl GenerationPlan<'_> {
    /// The next stage; `None` when the generation is finished.
    fn next(&self) -> Option<(EvolveStage, StageWork)> {
        let is_missing = |stage: &EvolveStage| !self.history.has(self.generation, stage);
        let selfplay = EvolveStage::Selfplay;
        if is_missing(&selfplay) {
            let command = self.commands.selfplay(self.teacher(), self.games());
            return Some((selfplay, StageWork::Command(command)));
        }
        if let Some(command) = self
            .commands
            .count()
            .filter(|_| is_missing(&EvolveStage::Count))
        {
            return Some((EvolveStage::Count, StageWork::Command(command)));
        }
        if self.settings.mix.dedup && is_missing(&EvolveStage::Dedup) {
            let command = self.commands.dedup();
            return Some((EvolveStage::Dedup, StageWork::Command(command)));
        }
        for candidate in &self.settings.training {
            let stage = EvolveStage::Train(candidate.name.clone());
            if is_missing(&stage) {
                return Some((stage, StageWork::Command(self.train(candidate))));
            }
        }
        if let Some(best) = self.opponent() {
            for candidate in &self.settings.training {
                let stage = EvolveStage::Gate(candidate.name.clone());
                if is_missing(&stage) {
                    let network = network_name(self.generation, &candidate.name);
                    let command = self.commands.gate(&candidate.name, [&network, best]);
                    return Some((stage, StageWork::Command(command)));
                }
            }
        }
        if is_missing(&EvolveStage::Promote) {
            let work = StageWork::Promote(self.winner());
            return Some((EvolveStage::Promote, work));
        }
        if let Some(ladder) = self.ladder() {
            return Some(ladder);
        }
        let remove = EvolveStage::Remove;
        is_missing(&remove).then(|| {
            let work = StageWork::Remove {
                games: self.removed(),
                networks: self.old_networks(),
            };
            (remove, work)
        })
    }

    /// The best network before this generation, which plays and teaches; `None` before there is one.
    fn teacher(&self) -> Option<&str> {
        let best = self.history.best_before(self.generation);
        best.or((self.settings.start != NONE).then_some(START_NAME))
    }

    /// The network that candidates have to beat; `None` where there is nothing that plays.
    fn opponent(&self) -> Option<&str> {
        // Without a network the alpha-beta engine has an evaluation of rules alone, and the deep one nothing.
        let nothing = (self.settings.kind != EvolveKind::Deep).then_some(START_NAME);
        self.teacher().or(nothing)
    }

    /// Number of games.
    fn games(&self) -> u64 {
        let part = &self.settings.selfplay;
        let Some(positions) = part.positions else {
            return part.games.unwrap_or(1);
        };
        let counted = |generation: u32| {
            let stages = [EvolveStage::Count, EvolveStage::Selfplay];
            let mut records = stages
                .iter()
                .filter_map(|stage| self.history.find(generation, stage));
            records.find_map(|record| {
                let (games, positions) = (record.figures.games?, record.figures.positions?);
                (games > 0 && positions > 0).then(|| positions as f64 / games as f64)
            })
        };
        let length = (1..self.generation).rev().find_map(counted);
        let length = length.unwrap_or(self.settings.kind.usual_positions());
        ((positions as f64 / length).ceil() as u64).max(1)
    }

    /// The training of a candidate.
    fn train(&self, candidate: &CandidatePart) -> StageCommand {
        let kept = self.history.kept();
        let mut data = vec![(self.data(self.generation), 1.0)];
        let older = kept
            .iter()
            .rev()
            .filter(|number| **number < self.generation);
        let older = older.zip(&self.settings.mix.older);
        data.extend(older.map(|(number, weight)| (self.data(*number), *weight)));
        let network = match candidate.from {
            TrainingStart::Nothing => None,
            TrainingStart::Start => self.start_network(),
            TrainingStart::Best => self.teacher().map(str::to_owned),
            TrainingStart::Last => {
                let stage = EvolveStage::Train(candidate.name.clone());
                let before = (1..self.generation).rev();
                let mut trained = before.filter(|number| self.history.has(*number, &stage));
                let last = trained
                    .next()
                    .map(|number| network_name(number, &candidate.name));
                last.or_else(|| self.teacher().map(str::to_owned))
            }
        };
        // A network of another shape is no beginning. Othello's evaluations of before may be pattern tables.
        let has_shape = |name: &String| match (self.history.arch(name), &candidate.arch) {
            (Some(known), Some(wanted)) => known == wanted,
            _ => self.settings.kind.is_shogi(),
        };
        let init = network.filter(has_shape);
        let file = self.settings.kind.network_file();
        let init = init.map(|name| format!("{}/{file}", network_folder(&name)));
        self.commands.train(candidate, &data, init.as_deref())
    }

    fn start_network(&self) -> Option<String> {
        (self.settings.start != NONE).then(|| START_NAME.to_owned())
    }

    /// The games of a generation as training reads them.
    fn data(&self, generation: u32) -> String {
        let kind = self.settings.kind;
        if self.history.has(generation, &EvolveStage::Dedup) {
            return unique_file(kind, generation);
        }
        games_of(kind, generation)
    }

    /// The candidate with the best score of those that passed; where there was nobody to play with, the one with the least loss.
    fn winner(&self) -> Option<String> {
        let candidates = self.settings.training.iter();
        let networks = candidates.map(|candidate| {
            let train = EvolveStage::Train(candidate.name.clone());
            let gate = EvolveStage::Gate(candidate.name.clone());
            let name = network_name(self.generation, &candidate.name);
            let loss = self.history.find(self.generation, &train);
            let loss = loss.and_then(|record| record.figures.loss);
            let played = self.history.find(self.generation, &gate);
            let played = played.and_then(|record| record.figures.played.as_ref());
            let score = played.filter(|played| played.passed == Some(true));
            (name, loss, score.and_then(|played| played.score().mean()))
        });
        let mut best: Option<(String, f64)> = None;
        let has_opponent = self.opponent().is_some();
        for (name, loss, score) in networks {
            let rank = if has_opponent {
                score
            } else {
                Some(-loss.unwrap_or(f64::MAX))
            };
            // Of equal ones the first.
            if let Some(rank) = rank
                && best.as_ref().is_none_or(|(_, other)| rank > *other)
            {
                best = Some((name, rank));
            }
        }
        best.map(|(name, _)| name)
    }

    /// The next match for the ladder.
    fn ladder(&self) -> Option<(EvolveStage, StageWork)> {
        let promoted = self.history.promoted(self.generation)?;
        let before = self.opponent()?;
        if self.settings.ladder.games == 0 {
            return None;
        }
        let has_start = self.settings.kind != EvolveKind::Deep || self.settings.start != NONE;
        let mut opponents = Vec::new();
        if has_start {
            opponents.push((EvolveStage::LadderStart, START_NAME));
        }
        if before != START_NAME {
            opponents.push((EvolveStage::LadderBefore, before));
        }
        let mut opponents = opponents.into_iter();
        let (stage, opponent) =
            opponents.find(|(stage, _)| !self.history.has(self.generation, stage))?;
        let log = if stage == EvolveStage::LadderStart {
            "start"
        } else {
            "before"
        };
        let command = self.commands.ladder(log, [promoted, opponent]);
        Some((stage, StageWork::Command(command)))
    }

    /// Generations whose games are not needed any more, the oldest first.
    fn removed(&self) -> Vec<u32> {
        let mut kept = self.history.kept();
        let most = self.settings.kept() as usize;
        let mut removed: Vec<u32> = kept.drain(..kept.len().saturating_sub(most)).collect();
        if let Some(most) = self.settings.max_gb {
            let most = most * 1e9;
            let size = |kept: &[u32]| {
                let bytes = kept.iter().map(|number| self.history.game_bytes(*number));
                bytes.sum::<u64>() as f64
            };
            // The newest stay, however large they are.
            while kept.len() > 1 && size(&kept) > most {
                removed.push(kept.remove(0));
            }
        }
        removed
    }

    /// Networks of earlier generations that were not promoted and that no training begins with.
    fn old_networks(&self) -> Vec<String> {
        let records = self.history.records();
        let trained = |record: &StageRecord| match &record.stage {
            EvolveStage::Train(candidate) => Some((record.generation, candidate.clone())),
            _ => None,
        };
        let all: Vec<(u32, String)> = records.iter().filter_map(trained).collect();
        let is_old = |(generation, candidate): &&(u32, String)| {
            let name = network_name(*generation, candidate);
            let newer = all.iter().filter(|(_, other)| other == candidate);
            let newer = newer.map(|(number, _)| *number);
            // Those with an older one between have been removed before.
            let next = newer.filter(|number| number > generation).min();
            next == Some(self.generation) && self.history.promoted(*generation) != Some(&name)
        };
        let old = all.iter().filter(is_old);
        old.map(|(generation, candidate)| network_name(*generation, candidate))
            .collect()
    }
}

/// Whether a candidate passes, by the decision of the test or, when there is none and all games are over, by its score.
pub(crate) fn passes(
    settings: &EvolveSettings,
    decision: Option<SprtDecision>,
    mean: Option<f64>,
) -> bool {
    match (decision, settings.gate.undecided) {
        (Some(decision), _) => decision == SprtDecision::Elo1,
        (None, Some(least)) => mean.is_some_and(|mean| mean >= least),
        (None, None) => false,
    }
}

/// The test of the settings.
pub(crate) fn sprt(settings: &EvolveSettings) -> tournament::Result<Sprt> {
    let gate = &settings.gate;
    Sprt::new(gate.elo0, gate.elo1, gate.alpha, gate.beta)
}

#[cfg(test)]
mod tests;
