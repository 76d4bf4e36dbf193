//! Carrying a run out: one stage after the other, each of which is safe when the journal has it.

use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde_json::{Value, json};
use yane_io::{Error, Job, RunIdentity, RunLock, command_text};

use crate::budget::Budget;
use crate::child::StageProgram;
use crate::commands::{EvolvePlaces, folder_of_generation, network_folder};
use crate::error::{EvolveError, Result};
use crate::figures;
use crate::files;
use crate::history::{EvolveHistory, StageFigures, StageRecord, network_name};
use crate::journal::EvolveJournal;
use crate::kind::EvolveKind;
use crate::ladder::Ladder;
use crate::plan::{EvolveStep, StageWork, next_step};
use crate::settings::{EvolveFile, EvolveSettings};
use crate::stage::{EvolveStage, StageCommand};
use crate::worker;

/// A run: its settings, its folder, and where the programs are.
#[derive(Clone, Debug)]
pub struct EvolveRun {
    /// The settings.
    pub file: EvolveFile,
    /// The folder of the run.
    pub folder: PathBuf,
    /// Programs, and the folder of the settings file.
    pub places: EvolvePlaces,
}

/// How a run ended that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvolveEnd {
    /// All generations are finished.
    Done,
    /// The hours are used up.
    BudgetUsed,
}

/// What is told of a run while it goes on.
#[derive(Debug)]
#[non_exhaustive]
pub enum EvolveEvent<'a> {
    /// A stage begins, or is gone on with.
    Begun {
        /// The generation; 0 before the first.
        generation: u32,
        /// The stage.
        stage: &'a EvolveStage,
        /// The command line; empty for what no program does.
        command: &'a str,
    },
    /// A stage is finished, and safe.
    Finished {
        /// What the journal has of it.
        record: &'a StageRecord,
        /// The ladder with it.
        ladder: &'a Ladder,
    },
    /// A generation is decided about.
    Generation {
        /// Its number.
        generation: u32,
        /// The ladder with it.
        ladder: &'a Ladder,
    },
    /// A sentence for people.
    Note(&'a str),
}

/// Called with every event of a run.
pub type EvolveObserver<'o> = dyn FnMut(&EvolveEvent<'_>) + 'o;

impl EvolveRun {
    /// Goes on with the run in the folder, or begins one, until all generations are finished, the hours are used up or the job is asked
    /// to stop. The same run gives the same networks, however often it is interrupted.
    ///
    /// # Errors
    /// When a program fails, files cannot be read or written, the folder has another run or is in use; [`Error::Cancelled`] when it was
    /// asked to stop. What is finished is safe.
    pub fn run(&self, job: &Job, observer: &mut EvolveObserver<'_>) -> Result<EvolveEnd> {
        let _lock = RunLock::folder(&self.folder)?;
        let first = self.settings(1)?;
        let budget = Budget::open(&self.folder, first.hours)?;
        if budget.is_used_up() {
            return Ok(EvolveEnd::BudgetUsed);
        }
        let (over, until) = std::sync::mpsc::channel();
        let done = std::thread::scope(|scope| {
            let budget = &budget;
            scope.spawn(move || budget.watch(job, &until));
            let done = self.stages(job, observer);
            drop(over);
            done
        });
        budget.save()?;
        match done {
            Err(EvolveError::File(Error::Cancelled)) if budget.is_used_up() => {
                Ok(EvolveEnd::BudgetUsed)
            }
            done => done.map(|()| EvolveEnd::Done),
        }
    }

    /// Removes what an earlier run left in the folder: all that runs write, and nothing else.
    ///
    /// # Errors
    /// When the folder is in use, or something cannot be removed.
    pub fn clear(&self) -> Result<()> {
        let _lock = RunLock::folder(&self.folder)?;
        for entry in fs::read_dir(&self.folder).map_err(Error::io(&self.folder))? {
            let entry = entry.map_err(Error::io(&self.folder))?;
            let name = entry.file_name();
            if name.to_str().is_some_and(is_of_run) {
                wait_for_programs(&entry.path())?;
                files::remove(&entry.path())?;
            }
        }
        Ok(())
    }

    fn settings(&self, generation: u32) -> Result<EvolveSettings> {
        let settings = self.file.at(generation);
        settings.map_err(|reason| EvolveError::Settings {
            path: self.places.settings.clone(),
            reason,
        })
    }

    /// What decides the results of a generation; of generation 0 those of the whole run.
    fn identity(&self, generation: u32) -> Result<RunIdentity> {
        let settings = self.settings(generation.max(1))?;
        let mut identity = RunIdentity::new("evolve 1");
        for (name, value) in settings.identity_parts() {
            let is_of_run = [
                "kind",
                "seed",
                "start",
                "gate.openings",
                "gate.made_openings",
            ]
            .contains(&name.as_str())
                || name == "selfplay.starts";
            if generation > 0 || is_of_run {
                identity.push(&name, value);
            }
        }
        Ok(identity)
    }

    fn stages(&self, job: &Job, observer: &mut EvolveObserver<'_>) -> Result<()> {
        let opened = EvolveJournal::open(&self.folder, &mut |note| {
            observer(&EvolveEvent::Note(note));
        });
        let (mut journal, mut history) = opened?;
        for generation in 0..=history.last_generation() {
            journal.begin(generation, &self.identity(generation)?)?;
        }
        self.publish(&history)?;
        loop {
            let step = next_step(&self.file, &history, &self.places);
            let step = step.map_err(|reason| EvolveError::Settings {
                path: self.places.settings.clone(),
                reason,
            })?;
            let Some(step) = step else {
                if self.settings(1)?.queue.is_some() {
                    worker::end(&self.folder)?;
                }
                return Ok(());
            };
            job.check()?;
            journal.begin(step.generation, &self.identity(step.generation)?)?;
            let record = self.perform(&step, job, observer)?;
            journal.finish(&record)?;
            history.push(record);
            let ladder = self.publish(&history)?;
            if let Some(record) = history.records().last() {
                let ladder = &ladder;
                observer(&EvolveEvent::Finished { record, ladder });
            }
            if step.stage == EvolveStage::Remove {
                observer(&EvolveEvent::Generation {
                    generation: step.generation,
                    ladder: &ladder,
                });
            }
        }
    }

    /// Does a step; the record of it.
    fn perform(
        &self,
        step: &EvolveStep,
        job: &Job,
        observer: &mut EvolveObserver<'_>,
    ) -> Result<StageRecord> {
        let EvolveStep {
            generation,
            stage,
            work,
        } = step;
        let command = match work {
            StageWork::Command(command) => command_text(command.program, &command.words),
            _ => String::new(),
        };
        let started = now();
        observer(&EvolveEvent::Begun {
            generation: *generation,
            stage,
            command: &command,
        });
        let settings = self.settings((*generation).max(1))?;
        let mut figures = StageFigures::default();
        let output = match work {
            StageWork::Command(command) => {
                figures = self.run_command(step, command, &settings, job)?;
                self.output(step, command, &settings)?
            }
            StageWork::CopyNetwork { from, to } => {
                let file = if from.is_dir() {
                    from.join(settings.kind.network_file())
                } else {
                    from.clone()
                };
                files::copy(&file, &self.folder.join(to))?;
                Some(files::output(&self.folder, to)?)
            }
            StageWork::Interleave { from, to } => {
                files::interleave(from, &self.folder.join(to))?;
                Some(files::output(&self.folder, to)?)
            }
            StageWork::Promote(network) => {
                figures.promoted.clone_from(network);
                match network {
                    Some(network) => {
                        let from = self.folder.join(network_folder(network));
                        files::copy_folder(&from, &self.folder.join(files::BEST))?;
                        let path = format!("{}/{}", files::BEST, settings.kind.network_file());
                        Some(files::output(&self.folder, &path)?)
                    }
                    None => None,
                }
            }
            StageWork::Remove { games, networks } => {
                figures.removed.clone_from(games);
                self.remove(*generation, games, &settings)?;
                for network in networks {
                    files::remove(&self.folder.join(network_folder(network)))?;
                }
                None
            }
        };
        Ok(StageRecord {
            generation: *generation,
            stage: stage.clone(),
            command,
            started,
            ended: now(),
            output,
            figures,
        })
    }

    /// Runs the program of a stage; what it found.
    fn run_command(
        &self,
        step: &EvolveStep,
        command: &StageCommand,
        settings: &EvolveSettings,
        job: &Job,
    ) -> Result<StageFigures> {
        let name = stage_name(step.generation, &step.stage);
        let file = step.stage.to_string().replace(' ', "-");
        let report = folder_of_generation(step.generation);
        let program = StageProgram {
            command,
            name: &name,
            folder: &self.folder,
            report: format!("{report}/{file}.out"),
            places: &self.places,
        };
        let report = program.run(job)?;
        let log = self.folder.join(&command.output);
        let players = players_of(command);
        let missing = |reason: &str| EvolveError::Result {
            stage: name.clone(),
            reason: reason.to_owned(),
        };
        Ok(match &step.stage {
            EvolveStage::Selfplay | EvolveStage::Count => figures::of_games(&report),
            EvolveStage::Train(candidate) => {
                self.keep_network(step.generation, candidate, command, settings)?;
                let mut candidates = settings.training.iter();
                let part = candidates.find(|part| part.name == *candidate);
                let arch = part.and_then(|part| part.arch.as_deref());
                match settings.kind {
                    EvolveKind::Othello => figures::of_othello_training(&report, arch),
                    _ => figures::of_shogi_training(&report, arch),
                }
            }
            EvolveStage::Gate(_) => {
                let players = players.ok_or_else(|| missing("players without names"))?;
                let played = figures::of_gate(&log, settings, [&players[0], &players[1]])?;
                let played =
                    played.ok_or_else(|| missing("the match ended before its decision"))?;
                StageFigures {
                    played: Some(played),
                    ..StageFigures::default()
                }
            }
            EvolveStage::LadderStart | EvolveStage::LadderBefore => {
                let players = players.ok_or_else(|| missing("players without names"))?;
                let wanted = settings.ladder.games;
                let played = figures::of_ladder(&log, wanted, [&players[0], &players[1]])?;
                let played =
                    played.ok_or_else(|| missing("the match ended before its last game"))?;
                StageFigures {
                    played: Some(played),
                    ..StageFigures::default()
                }
            }
            _ => StageFigures::default(),
        })
    }

    /// Puts a trained network where it stays.
    fn keep_network(
        &self,
        generation: u32,
        candidate: &str,
        command: &StageCommand,
        settings: &EvolveSettings,
    ) -> Result<()> {
        let folder = self.network(generation, candidate);
        let made = self.folder.join(&command.output);
        if settings.kind.is_shogi() {
            files::copy_folder(&made.join("final"), &folder)?;
        } else {
            files::copy(&made, &folder.join(settings.kind.network_file()))?;
        }
        Ok(())
    }

    fn network(&self, generation: u32, candidate: &str) -> PathBuf {
        let name = network_name(generation, candidate);
        self.folder.join(network_folder(&name))
    }

    /// What a command made.
    fn output(
        &self,
        step: &EvolveStep,
        command: &StageCommand,
        settings: &EvolveSettings,
    ) -> Result<Option<crate::history::StageOutput>> {
        let path = match &step.stage {
            EvolveStage::Train(candidate) => {
                let network = network_folder(&network_name(step.generation, candidate));
                format!("{network}/{}", settings.kind.network_file())
            }
            _ if command.output.is_empty() => return Ok(None),
            _ => command.output.clone(),
        };
        if !self.folder.join(&path).exists() {
            return Err(EvolveError::Result {
                stage: stage_name(step.generation, &step.stage),
                reason: format!("{path} was not made"),
            });
        }
        Ok(Some(files::output(&self.folder, &path)?))
    }

    /// Removes the checkpoints of a finished generation, and games that are not needed any more.
    fn remove(
        &self,
        generation: u32,
        generations: &[u32],
        settings: &EvolveSettings,
    ) -> Result<()> {
        let folder = self.folder.join(folder_of_generation(generation));
        for candidate in &settings.training {
            files::remove(&folder.join(&candidate.name))?;
            files::remove(&folder.join(format!("{}.yev", candidate.name)))?;
        }
        for number in generations {
            files::remove(&self.folder.join(folder_of_generation(*number)))?;
        }
        Ok(())
    }

    /// Writes what is known of the best network and the ladder.
    fn publish(&self, history: &EvolveHistory) -> Result<Ladder> {
        let ladder = Ladder::new(history);
        let settings = self.settings(1)?;
        if let Some(best) = history.best_before(u32::MAX) {
            let value = self.description(history, &ladder, best)?;
            let path = self.folder.join(files::BEST).join("best.json");
            files::write_text(&path, &files::json_text(&value))?;
        }
        if !ladder.rows.is_empty() {
            let title = format!("evolve: {}", settings.name);
            files::write_text(&self.folder.join("ladder.html"), &ladder.page(&title))?;
            files::write_text(&self.folder.join("ladder.svg"), &ladder.picture(&title))?;
        }
        Ok(ladder)
    }

    /// The best network in words: where it comes from, and how strong it is.
    fn description(&self, history: &EvolveHistory, ladder: &Ladder, best: &str) -> Result<Value> {
        let row = ladder.of_network(best);
        let generation = row.map_or(0, |row| row.generation);
        let settings = self.settings(generation.max(1))?;
        let candidate = best.split_once('-').map_or("", |(_, candidate)| candidate);
        let train = EvolveStage::Train(candidate.to_owned());
        let trained = history.find(generation, &train);
        let output = trained.and_then(|record| record.output.as_ref());
        let mut candidates = settings.training.iter();
        let recipe = candidates.find(|part| part.name == candidate);
        Ok(json!({
            "kind": settings.kind,
            "generation": generation,
            "network": best,
            "file": settings.kind.network_file(),
            "bytes": output.map(|output| output.bytes),
            "checksum": output.map(|output| output.checksum.as_str()),
            "recipe": {
                "seed": settings.seed,
                "candidate": recipe,
                "selfplay": settings.selfplay,
                "mix": settings.mix,
            },
            "strength": {
                "reference": ladder.reference,
                "elo": row.and_then(|row| row.elo),
                "gate": row.and_then(|row| row.gate.as_ref()),
                "loss": row.and_then(|row| row.loss),
            },
        }))
    }
}

/// A stage in words: `generation 3, self-play`.
pub(crate) fn stage_name(generation: u32, stage: &EvolveStage) -> String {
    if generation == 0 {
        stage.to_string()
    } else {
        format!("generation {generation}, {stage}")
    }
}

/// Waits until no program of an earlier session writes a report in a folder.
fn wait_for_programs(folder: &Path) -> Result<()> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Ok(());
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|end| end == "out") {
            let report = fs::File::open(&path).map_err(Error::io(&path))?;
            match report.lock() {
                // There are no locks on this disk.
                Err(error) if error.kind() == std::io::ErrorKind::Unsupported => {}
                locked => locked.map_err(Error::io(&path))?,
            }
        }
    }
    Ok(())
}

/// Returns whether a file or folder is one that runs write.
fn is_of_run(name: &str) -> bool {
    let is_generation = name.len() >= 4 && name.chars().all(|letter| letter.is_ascii_digit());
    let names = [
        "best",
        "networks",
        "start",
        "openings.txt",
        "starts.txt",
        "ladder.html",
        "ladder.svg",
    ];
    is_generation || names.contains(&name) || name.starts_with("evolve.")
}

/// The names of the players of a match.
fn players_of(command: &StageCommand) -> Option<[String; 2]> {
    let name = |word: &String| {
        let rest = word.split(",name=").nth(1)?;
        Some(rest.split(',').next().unwrap_or(rest).to_owned())
    };
    let mut names = command.words.iter().filter_map(name);
    Some([names.next()?, names.next()?])
}

/// The time now (ISO 8601, UTC).
fn now() -> String {
    Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// The journal of a run in a folder as its ladder, whether it goes on or not.
///
/// # Errors
/// When there is no run, or its journal is damaged.
pub fn read_ladder(folder: &Path) -> Result<Ladder> {
    Ok(Ladder::new(&EvolveJournal::history(folder)?))
}
