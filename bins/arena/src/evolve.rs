//! `arena evolve`: evaluations that grow by themselves.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use ::evolve::{
    EvolveEnd, EvolveError, EvolveEvent, EvolveFile, EvolveKind, EvolvePlaces, EvolveRun,
    EvolveStage, Ladder, StageRecord, read_ladder,
};
use anyhow::Context as _;
use clap::Args;
use clap::builder::PossibleValuesParser;
use serde_json::{Value, json};
use yane_cli::{
    Console, EventArgs, EventLog, HumanCount, INTERRUPTED, QuietFlag, UsageError, print,
    program_folder,
};
use yane_io::{Error, Job, Progress};

use crate::args::ScreenArgs;

/// Make an evaluation stronger, generation by generation.
///
/// Games of the best evaluation with itself, training on them and on those of generations before, a match of each candidate with the best
/// (SPRT), promotion of what passed, and a ladder of all generations. Every stage is a program of this project, which is looked for beside
/// this one; a run that was interrupted in whatever way is gone on with by the same command, and gives the same files. Best evaluation:
/// DIR/best; table and curves: DIR/ladder.html, DIR/ladder.svg.
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub struct EvolveArgs {
    /// Settings file (JSON5), such as { kind: "nnue" }; with --ladder and --work the folder of a run
    #[arg(value_name = "SETTINGS", required_unless_present = "print_settings")]
    settings: Option<PathBuf>,
    /// Folder of the run [default: beside the settings, named as they are without the extension]
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Print all settings of a kind with their defaults, as a settings file with comments
    #[arg(long, value_name = "KIND", exclusive = true, value_parser = PossibleValuesParser::new(["nnue", "deep", "othello"]))]
    print_settings: Option<String>,
    /// Print the ladder of a run, finished or in progress, and do nothing else
    #[arg(long)]
    ladder: bool,
    /// Play games for a run with a queue, the folder of which stands for SETTINGS: it is shared with the machine of the run
    #[arg(long, conflicts_with_all = ["ladder", "force", "output", "generations", "hours"])]
    work: bool,
    /// Number of generations, instead of that of the settings
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    generations: Option<u32>,
    /// Hours that all sessions together may take, instead of those of the settings
    #[arg(long, value_name = "HOURS", value_parser = crate::args::positive)]
    hours: Option<f64>,
    /// Threads of this machine, instead of those of the settings
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    threads: Option<u32>,
    /// Begin anew: what an earlier run left in the folder is removed
    #[arg(long, conflicts_with = "ladder")]
    force: bool,
    #[command(flatten)]
    screen: ScreenArgs,
    #[command(flatten)]
    events: EventArgs,
}

/// Runs `arena evolve`.
///
/// # Errors
/// When settings are wrong, a program fails, files cannot be read or written, or on Ctrl-C.
pub fn run_evolve(args: &EvolveArgs) -> anyhow::Result<ExitCode> {
    if let Some(kind) = &args.print_settings {
        let kind = EvolveKind::from_name(kind);
        let text = kind.map_or("", EvolveKind::default_text);
        print::lines(text.lines())?;
        return Ok(ExitCode::SUCCESS);
    }
    let settings = args.settings.as_deref();
    let settings = settings.ok_or_else(|| UsageError("a settings file is needed".to_owned()))?;
    if args.ladder && settings.is_dir() {
        return show(args, &read_ladder(settings)?, None);
    }
    let folder = args.folder(settings);
    if args.ladder {
        return show(args, &read_ladder(&folder)?, None);
    }
    let mut job = Job::default();
    args.events.begin(&job)?;
    job.progress = Arc::new(Console::new(QuietFlag(args.screen.quiet)).for_job(&job));
    if args.work {
        return work_for(settings, args, &job);
    }
    let run = EvolveRun {
        file: args.file(settings)?,
        folder,
        places: EvolvePlaces {
            programs: program_folder(),
            settings: std::path::absolute(yane_io::folder_of(settings))
                .with_context(|| settings.display().to_string())?,
        },
    };
    if args.force && run.folder.exists() {
        run.clear()?;
    }
    let end = match run.run(&job, &mut |event| tell(event, &*job.progress)) {
        Err(EvolveError::File(Error::Cancelled)) => return Ok(interrupted(&job)),
        end => end?,
    };
    if end == EvolveEnd::BudgetUsed {
        let text = "The hours of the run are used up. Run the same command with more (--hours) to continue.";
        job.progress.note(text);
    }
    // Clears the bar.
    drop(job);
    show(args, &read_ladder(&run.folder)?, Some(end))
}

impl EvolveArgs {
    /// The folder of the run.
    fn folder(&self, settings: &Path) -> PathBuf {
        let beside = || {
            let stem = settings.file_stem().unwrap_or_default();
            let folder = yane_io::folder_of(settings).join(stem);
            if folder == settings {
                // A settings file without an extension.
                folder.with_extension("run")
            } else {
                folder
            }
        };
        self.output.clone().unwrap_or_else(beside)
    }

    /// The settings with those of the command line.
    fn file(&self, path: &Path) -> anyhow::Result<EvolveFile> {
        let mut file = EvolveFile::read(path)?;
        let values = [
            ("generations", self.generations.map(Value::from)),
            ("hours", self.hours.map(Value::from)),
            ("threads", self.threads.map(Value::from)),
        ];
        for (name, value) in values {
            if let Some(value) = value {
                file = file.with(name, value)?;
            }
        }
        Ok(file)
    }
}

/// Plays games for the run in a folder.
fn work_for(folder: &Path, args: &EvolveArgs, job: &Job) -> anyhow::Result<ExitCode> {
    let places = EvolvePlaces {
        programs: program_folder(),
        settings: folder.to_owned(),
    };
    let threads = args.threads.unwrap_or_else(|| {
        std::thread::available_parallelism().map_or(1, |count| count.get() as u32)
    });
    let mut note = |text: &str| job.progress.note(text);
    match ::evolve::work(folder, &places, threads, job, &mut note) {
        Err(EvolveError::File(Error::Cancelled)) => Ok(interrupted(job)),
        done => Ok(done.map(|()| ExitCode::SUCCESS)?),
    }
}

/// Says that the same command continues.
fn interrupted(job: &Job) -> ExitCode {
    let text = "Interrupted. Run the same command to continue.";
    job.progress.note(text);
    ExitCode::from(INTERRUPTED)
}

/// Prints the ladder.
fn show(args: &EvolveArgs, ladder: &Ladder, end: Option<EvolveEnd>) -> anyhow::Result<ExitCode> {
    if args.screen.json {
        let end = end.map(|end| match end {
            EvolveEnd::Done => "done",
            EvolveEnd::BudgetUsed => "budget used",
        });
        print::json(&json!({ "end": end, "ladder": ladder }))?;
    } else {
        print::lines(ladder.lines())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Tells an event: a line for people, and the figures for dashboards.
fn tell(event: &EvolveEvent<'_>, progress: &dyn Progress) {
    let log = EventLog::current();
    match event {
        EvolveEvent::Begun {
            generation,
            stage,
            command,
        } => log.write(&json!({"event": "stage", "generation": generation,
            "stage": stage.to_string(), "command": command})),
        EvolveEvent::Finished { record, ladder } => {
            log.write(&json!({"event": "finished", "stage": record}));
            progress.note(&finished_line(record));
            let at = ("generation", f64::from(record.generation));
            if let Some(loss) = record.figures.loss {
                progress.figure("loss", Some(at), loss);
            }
            let promoted = record.figures.promoted.as_deref();
            let row = promoted.and_then(|network| ladder.of_network(network));
            if let Some([elo, _]) = row.and_then(|row| row.elo) {
                progress.figure("Elo", Some(at), elo);
            }
        }
        EvolveEvent::Generation { ladder, .. } => {
            let lines = ladder.lines();
            // The head, the row and the line below.
            let rows = lines
                .first()
                .into_iter()
                .chain(lines.iter().rev().take(2).rev());
            rows.for_each(|line| progress.note(line));
        }
        EvolveEvent::Note(text) => progress.note(text),
        _ => {}
    }
}

/// A finished stage in a line.
fn finished_line(record: &StageRecord) -> String {
    let StageRecord {
        generation,
        stage,
        figures,
        output,
        ..
    } = record;
    let mut words = Vec::new();
    if let Some(games) = figures.games {
        words.push(yane_cli::counted(games, "game", "games"));
    }
    if let Some(positions) = figures.positions {
        words.push(yane_cli::counted(positions, "position", "positions"));
    }
    if let Some(loss) = figures.loss {
        words.push(format!("loss {loss:.5}"));
    }
    if let Some(played) = &figures.played {
        let score = played.score();
        let elo = score
            .elo()
            .map_or_else(String::new, |elo| format!(", Elo {elo}"));
        words.push(format!("against {}: {score}{elo}", played.players[1]));
        words.extend(played.passed.map(|passed| {
            let word = if passed { "passed" } else { "did not pass" };
            word.to_owned()
        }));
    }
    match (stage, &figures.promoted) {
        (EvolveStage::Promote, Some(network)) => words.push(format!("{network} is the best now")),
        (EvolveStage::Promote, None) => words.push("nothing is better than the best".to_owned()),
        (EvolveStage::Remove, _) if figures.removed.is_empty() => words.push("nothing".to_owned()),
        (EvolveStage::Remove, _) => {
            let numbers = figures.removed.iter().map(u32::to_string);
            let numbers: Vec<_> = numbers.collect();
            words.push(format!("games of generation {}", numbers.join(", ")));
        }
        _ => {}
    }
    if words.is_empty() {
        let bytes = output.as_ref().map(|output| HumanCount(output.bytes));
        words.push(bytes.map_or_else(|| "done".to_owned(), |bytes| format!("{bytes} bytes")));
    }
    let place = if *generation == 0 {
        String::new()
    } else {
        format!("generation {generation}, ")
    };
    format!("{place}{stage}: {}", words.join("; "))
}

const EXAMPLES: &str = "\
Examples:
  arena evolve night.json5
      with { kind: \"nnue\" } in night.json5: a network for shogi that begins with the one in the program, in the folder night
  arena evolve othello.json5 -o /data/othello --hours 8
      until eight hours are used up; with --hours 16 it goes on where it was
  arena evolve --print-settings nnue > mine.json5
      all settings with their defaults and what they mean
  arena evolve night.json5 --ladder
      the generations so far, with Elo and 95 % intervals
  arena evolve /shared/night --work --threads 16
      plays games for the run in this folder, whose settings have a queue, on another machine
  arena evolve night.json5 --events night.events
      its events in a file, which 'yaneura serve --watch night.events' shows as a dashboard

Exit code 0: done, or the hours are used up; 1: failed; 2: wrong usage; 130: interrupted, the same command continues.";
