//! The program `gensfen`, games between engines as teacher data, as a function.
#![forbid(unsafe_code)]

mod args;
mod screen;
mod starts;

use std::ffi::OsString;
use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::CommandFactory as _;
use farm::RunControl;
use farm::queue::{Access, Queue};
use selfplay::{GameEvent, SelfplaySettings, StartFilter, Starts};
use shogi_farm::{EnginePool, contents_of};
use yane_cli::{EventLog, INTERRUPTED, RunScreen, ScreenStyle, UsageError, evaluation_folders};
use yane_io::{BoundedLines, Job, Shard};

use args::{Args, Command};
use screen::Screen;
use starts::run_starts;

/// The command line, as [`clap`] sees it.
pub fn command() -> clap::Command {
    yane_cli::plain_help(Args::command())
}

/// Runs the command line `args`, the first of which is the name of the program.
///
/// Ends the process at once for `--help`, `--version` and errors that [`clap`] finds.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args: Vec<_> = args.into_iter().collect();
    if let Some(code) = yane_cli::shell::answer(&args, "gensfen", command) {
        return code;
    }
    let args: Args = yane_cli::parse(args);
    yane_cli::exit_code("gensfen", gensfen(&args))
}

/// The parts of a run.
struct Run {
    settings: SelfplaySettings,
    starts: Starts,
    pool: EnginePool,
    shard: Shard,
    path: PathBuf,
    role: Role,
}

/// The role of this process in the run.
enum Role {
    /// The process does the whole run.
    Alone,
    /// The process hands out games.
    Server(Queue),
    /// The process plays games that are handed out.
    Worker(Queue),
}

fn gensfen(args: &Args) -> anyhow::Result<ExitCode> {
    if let Some(Command::Starts(args)) = &args.command {
        return run_starts(args);
    }
    if args.events.control.is_some() && !args.run {
        let text = "--control needs --run: both read the standard input";
        return Err(UsageError(text.to_owned()).into());
    }
    let mut settings = settings(args)?;
    if let Some(output) = &args.output {
        take_format(&mut settings, output)?;
    }
    let settings = settings;
    let shard = shard(args)?;
    let job = Job::default();
    args.events.begin(&job)?;
    let control = RunControl::of_job(&job);
    let starts = match &settings.start_sfens {
        Some(path) => starts::read_starts(path, args.start_plies)?,
        None => Starts::initial(),
    };
    let role = role(args, &settings, &starts)?;
    let folders = evaluation_folders();
    let mut pool = match role {
        // A process that hands out games plays none.
        Role::Server(_) => SelfplaySettings {
            engines: Vec::new(),
            ..settings.clone()
        }
        .engine_pool(&folders)?,
        _ => settings.engine_pool(&folders)?,
    };
    if args.engines.allow_engine_errors {
        pool = pool.allow_engine_errors();
    }
    let run = Run {
        role,
        path: args
            .output
            .clone()
            .unwrap_or_else(|| default_path(&settings, shard)),
        settings,
        starts,
        pool,
        shard,
    };
    let screen = RunScreen::new(ScreenStyle {
        quiet: args.quiet,
        json: args.json,
    })
    .for_job(&job);
    let screen = Screen::new(screen, &run.pool);
    screen.header(
        &run.settings,
        &run.pool,
        &run.starts,
        shard,
        (!args.work).then_some(run.path.as_path()),
    );
    if !args.run && !wait_for_start(&control, &screen) {
        return Ok(ExitCode::SUCCESS);
    }
    let listens = !args.run;
    play(&run, &control, &screen, listens)
}

fn play(
    run: &Run,
    control: &RunControl,
    screen: &Screen,
    listens: bool,
) -> anyhow::Result<ExitCode> {
    if listens {
        listen(control.clone());
    }
    let (settings, starts, pool) = (&run.settings, &run.starts, &run.pool);
    let observer = |event: &GameEvent<'_>| screen.on_event(event);
    let path = run.path.clone();
    let summary = match &run.role {
        Role::Alone => selfplay::run(settings, starts, pool, run.shard, path, control, &observer)?,
        Role::Server(queue) => {
            let contents = contents_of(&settings.engines, &evaluation_folders())?;
            selfplay::serve(settings, starts, path, &contents, queue, control, &observer)?
        }
        Role::Worker(queue) => {
            screen.wait_for_work(pool.workers());
            selfplay::work(settings, starts, pool, queue, control, &observer)?
        }
    };
    let output = (!matches!(run.role, Role::Worker(_))).then_some(run.path.as_path());
    screen.summary(&summary, output, pool.known_evaluations())?;
    // Ending a run without end is not an interruption.
    let was_cut = control.is_quitting() && !summary.is_complete;
    Ok(if was_cut && !listens {
        ExitCode::from(INTERRUPTED)
    } else if summary.given_up > 0 {
        // Not all games that were asked for are there.
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

/// The role of this process in the queue of the command line.
fn role(args: &Args, settings: &SelfplaySettings, starts: &Starts) -> anyhow::Result<Role> {
    let Some(url) = &args.queue else {
        return Ok(Role::Alone);
    };
    let mut queue = selfplay::queue(settings, starts, url);
    queue.access = Access {
        lease: Duration::from_secs(args.lease),
        trust: args.trust.trust()?,
        login: args.trust.login()?,
    };
    match (args.serve, args.work) {
        (true, _) => {
            EventLog::current().share(|text| queue.publish(text))?;
            Ok(Role::Server(queue))
        }
        (_, true) => Ok(Role::Worker(queue)),
        _ => Err(UsageError("--queue needs --serve or --work".to_owned()).into()),
    }
}

/// The settings of the file, or the default ones where there is none, with the options of the command line.
fn settings(args: &Args) -> anyhow::Result<SelfplaySettings> {
    let default = Path::new(SelfplaySettings::PATH);
    let path = args
        .settings
        .as_deref()
        .or(default.is_file().then_some(default));
    let mut settings = match path {
        Some(path) => SelfplaySettings::read(path, args.preset)?,
        None => args.preset.unwrap_or_default().settings(),
    };
    args.engines.apply(&mut settings)?;
    settings.games = args.games.or(settings.games);
    settings.nodes = args.nodes.unwrap_or(settings.nodes);
    settings.seed = args.seed.unwrap_or(settings.seed);
    settings.random_plies = args.random_plies.unwrap_or(settings.random_plies);
    if let Some(max_score) = args.start_max_score {
        let filter = settings.start_filter.unwrap_or(StartFilter::new(0));
        settings.start_filter = Some(StartFilter {
            max_score,
            ..filter
        });
    }
    if let Some(path) = &args.starts {
        settings.start_sfens = Some(path.clone());
        settings.random_plies = args.random_plies.unwrap_or(0);
    }
    Ok(settings)
}

/// Sets the format by the extension of `output`.
fn take_format(settings: &mut SelfplaySettings, output: &Path) -> Result<(), UsageError> {
    let extension = output.extension().unwrap_or_default();
    if extension.to_str().is_some_and(|it| settings.set_format(it)) {
        return Ok(());
    }
    let name = output.display();
    let records = ["hcpe", "psv", "bin"].iter();
    let mut records = records.filter(|it| extension.eq_ignore_ascii_case(it));
    Err(UsageError(match records.next() {
        Some(records) => {
            let records = if *records == "bin" { "psv" } else { records };
            format!(
                "-o {name}: games are written as .pack or .hcpe3; \
                 `teacher convert FILE.pack --to {records}` makes {records} of them"
            )
        }
        None => format!("-o {name}: the extension is no format, expected .pack or .hcpe3"),
    }))
}

/// The shard of this process: by the command line, or else by the cluster's scheduler.
fn shard(args: &Args) -> anyhow::Result<Shard> {
    let shard = match args.shard {
        Some(shard) => Some(shard),
        // Tasks of an array that share a queue share all games.
        None if args.queue.is_some() => None,
        None => Shard::from_scheduler(|name| std::env::var(name).ok())
            .map_err(|error| UsageError(error.to_string()))?,
    };
    Ok(shard.unwrap_or(Shard::WHOLE))
}

/// `kif/kif_20261122153000_1000.pack`, with the number of the shard where there are several.
fn default_path(settings: &SelfplaySettings, shard: Shard) -> PathBuf {
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

/// True if a person types the commands.
fn is_interactive() -> bool {
    std::io::stdin().is_terminal()
}

// Commands from the keyboard.

const PROMPT: &str = "[Q]uit [G]ensfen [P]ause [H]elp> ";
const HELP: &str = "\
g : play games
p : pause or resume (engines finish the move that they think about)
q : quit; all finished games are saved
h : this help";

fn prompt() {
    if is_interactive() {
        eprint!("{PROMPT}");
        std::io::stderr().flush().ok();
    }
}

/// Reads commands until one starts the run; false when the program is to end.
pub(crate) fn wait_for_start(control: &RunControl, screen: &Screen) -> bool {
    prompt();
    let mut lines = BoundedLines::new(std::io::stdin().lock());
    while let Ok(Some(line)) = lines.next_text() {
        match line.trim() {
            "g" | "G" | "gensfen" => return true,
            "q" | "Q" | "quit" | "!" => return false,
            "h" | "H" | "help" => screen.note(HELP),
            "" => {}
            other => screen.note(&format!("unknown command {other:?}; h shows all")),
        }
        if control.is_quitting() {
            break;
        }
        prompt();
    }
    false
}

/// Executes commands while games are played, on a thread of its own that ends with the program. The end of the
/// input does not end the run.
pub(crate) fn listen(control: RunControl) {
    std::thread::spawn(move || {
        let mut lines = BoundedLines::new(std::io::stdin().lock());
        while let Ok(Some(line)) = lines.next_text() {
            match line.trim() {
                "p" | "P" | "pause" => {
                    let paused = !control.is_paused();
                    if paused {
                        control.pause();
                    } else {
                        control.go_on();
                    }
                    eprintln!(
                        "{}",
                        if paused {
                            "Paused. p resumes."
                        } else {
                            "Resumed."
                        }
                    );
                }
                "q" | "Q" | "quit" | "!" => {
                    control.quit();
                    return;
                }
                "h" | "H" | "help" => eprintln!("{HELP}"),
                _ => {}
            }
        }
    });
}
