//! `gensfen`: games between engines, as teacher data.
#![forbid(unsafe_code)]

mod args;
mod commands;
mod screen;

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser as _;
use selfplay::{Control, Engine, Players, SelfplayError, Settings, Starts};
use yane_cli::{INTERRUPTED, UsageError};
use yane_io::Shard;

use args::Args;
use screen::Screen;

fn main() -> ExitCode {
    let args = Args::parse();
    gensfen(&args).unwrap_or_else(|error| {
        yane_cli::fail("gensfen", &error, |error: &SelfplayError| match error {
            SelfplayError::File(error) => Some(error),
            _ => None,
        })
    })
}

/// Everything that is needed to play.
struct Farm {
    settings: Settings,
    starts: Starts,
    players: Players,
    shard: Shard,
    path: PathBuf,
}

fn gensfen(args: &Args) -> anyhow::Result<ExitCode> {
    let settings = settings(args)?;
    let shard = shard(args)?;
    let quit = Arc::default();
    yane_cli::stop_on_request(&quit)?;
    let control = Control::with_switch(quit);
    let starts = match &settings.start_sfens {
        Some(path) => Starts::read(path)?,
        None => Starts::initial(),
    };
    let players = settings.players(&folders())?;
    let farm = Farm {
        path: args
            .output
            .clone()
            .unwrap_or_else(|| default_path(&settings, shard)),
        settings,
        starts,
        players,
        shard,
    };
    let screen = Screen::new(args.quiet, args.json);
    screen.header(
        &farm.settings,
        &farm.players,
        &farm.starts,
        shard,
        &farm.path,
    );
    if !args.run && !commands::wait_for_start(&control, &screen) {
        return Ok(ExitCode::SUCCESS);
    }
    let listens = !args.run;
    play(&farm, &control, &screen, listens)
}

fn play(
    farm: &Farm,
    control: &Control,
    screen: &Screen,
    listens: bool,
) -> anyhow::Result<ExitCode> {
    if listens {
        commands::listen(control.clone());
    }
    let summary = selfplay::run(
        &farm.settings,
        &farm.starts,
        &farm.players,
        farm.shard,
        farm.path.clone(),
        control,
        screen,
    )?;
    screen.summary(&summary, &farm.path)?;
    // Ending a run without end is not an interruption.
    let was_cut = control.is_quitting() && !summary.is_complete;
    Ok(if was_cut && !listens {
        ExitCode::from(INTERRUPTED)
    } else {
        ExitCode::SUCCESS
    })
}

/// The settings of the file, or the default ones where there is none, with what the command line says.
fn settings(args: &Args) -> anyhow::Result<Settings> {
    let default = Path::new(Settings::PATH);
    let path = args
        .settings
        .as_deref()
        .or(default.is_file().then_some(default));
    let mut settings = match path {
        Some(path) => Settings::read(path)?,
        None => Settings::default(),
    };
    if let Some(path) = &args.engine {
        settings.engines = vec![Engine::program(path)];
    }
    for option in &args.option {
        let (name, value) = option
            .split_once('=')
            .ok_or_else(|| UsageError(format!("--option {option}: expected NAME=VALUE")))?;
        for engine in &mut settings.engines {
            engine.options.insert(name.to_owned(), value.to_owned());
        }
    }
    if let Some(multi) = args.multi {
        for engine in &mut settings.engines {
            engine.multi = multi;
        }
    }
    settings.games = args.games.or(settings.games);
    settings.nodes = args.nodes.unwrap_or(settings.nodes);
    settings.seed = args.seed.unwrap_or(settings.seed);
    settings.random_plies = args.random_plies.unwrap_or(settings.random_plies);
    if let Some(path) = &args.starts {
        settings.start_sfens = Some(path.clone());
        settings.random_plies = args.random_plies.unwrap_or(0);
    }
    Ok(settings)
}

/// Which games are this process's: as the command line says, or else the cluster's scheduler.
fn shard(args: &Args) -> anyhow::Result<Shard> {
    let told = match args.shard {
        Some(shard) => Some(shard),
        None => Shard::from_scheduler(|name| std::env::var(name).ok())
            .map_err(|error| UsageError(error.to_string()))?,
    };
    Ok(told.unwrap_or(Shard::WHOLE))
}

/// Where evaluation files may be: beside the program, and in the working directory.
fn folders() -> Vec<PathBuf> {
    let program = std::env::current_exe().ok();
    let beside = program
        .as_deref()
        .and_then(Path::parent)
        .map(Path::to_owned);
    beside.into_iter().chain([PathBuf::new()]).collect()
}

/// `kif/kif_20261122153000_1000.pack`, with the number of the shard where there are several.
fn default_path(settings: &Settings, shard: Shard) -> PathBuf {
    let now = jiff::Zoned::now().strftime("%Y%m%d%H%M%S").to_string();
    let folder = settings.folder();
    let prefix = folder
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or("kif")
        .to_owned();
    let part = if shard == Shard::WHOLE {
        String::new()
    } else {
        format!("_{}of{}", shard.index(), shard.count())
    };
    let extension = settings.format.extension();
    folder.join(format!(
        "{prefix}_{now}_{}{part}.{extension}",
        settings.nodes
    ))
}

/// Whether a person types the commands.
fn is_interactive() -> bool {
    std::io::stdin().is_terminal()
}
