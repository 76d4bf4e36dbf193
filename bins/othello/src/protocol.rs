//! The engine behind a window: GTP, `NBoard`, `XBoard`, Cassio; and how an engine is made of the command line.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use anyhow::Context as _;
use othello_book::files::{self, BookInput, BookReadOptions};
use othello_core::Side;
use othello_engine::{
    BookChoice, Cassio, Clock, ClockPeriod, Gtp, Heard, LineOutput, NBoard, PlayBook, Session,
    XBoard,
};
use othello_search::{Control, PlayLevel, SearchSettings, Searcher};
use yane_cli::{Settings, UsageError, print};
use yane_io::{BoundedLines, Job, LineError, Silent, TempFolder};

use crate::args::{
    BookChoiceArgs, Engine, Player, PonderingPlayer, SearchArgs, Searching, Thinker, WeightsArgs,
};
use crate::settings::EngineSettings;
use crate::settings::hash_bytes;

/// The name by which the engine is known to windows.
pub(crate) const NAME: &str = "yaneura";

/// The version of the program.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Bytes of the transposition table unless `--hash` says otherwise.
pub(crate) const HASH: u64 = 256 << 20;

/// More threads than any machine has.
const MOST_THREADS: usize = 1024;

/// The level that the command line says, or else the user's settings.
pub(crate) fn play_level(engine: &Engine, own: &EngineSettings) -> PlayLevel {
    match engine.level.or(own.level) {
        Some(number) => engine.play_level(number),
        None => engine.play_level(1).usual(),
    }
}

/// The number of threads that `--threads` says, or that of the machine's cores.
pub(crate) fn threads(settings: &Settings) -> Result<usize, UsageError> {
    let all = || std::thread::available_parallelism().map_or(1, usize::from);
    let threads = settings.threads.unwrap_or_else(all);
    if (1..=MOST_THREADS).contains(&threads) {
        Ok(threads)
    } else {
        Err(UsageError(format!(
            "--threads {threads}: a number from 1 to {MOST_THREADS} was expected"
        )))
    }
}

/// A searcher as the command line wants it, or else the user's settings.
pub(crate) fn searcher(
    args: &SearchArgs,
    own: &EngineSettings,
    threads: usize,
) -> anyhow::Result<Searcher> {
    let hash = args.hash.map(yane_cli::Size::bytes).or(own.hash());
    let hash_bytes = hash_bytes(hash.unwrap_or(HASH))?;
    let file = args.weights.clone();
    let weights = WeightsArgs { file }.load()?;
    let search = SearchSettings {
        hash_bytes,
        threads,
    };
    Ok(Searcher::new(search, Arc::new(weights)))
}

/// An engine with a level and a book, as the command line wants it, or else the user's settings.
pub(crate) fn engine(
    engine: &Engine,
    choice: &BookChoiceArgs,
    settings: &Settings,
) -> anyhow::Result<Session> {
    let own = EngineSettings::load()?;
    let level = play_level(engine, &own);
    let searcher = searcher(&engine.search, &own, threads(settings)?)?;
    let mut session = Session::new(searcher, level);
    if let Some(path) = &choice.book {
        session.set_book(Some(book(path, settings)?));
    } else if let Some(path) = own.book.as_ref().filter(|_| !choice.no_book) {
        let book = book(path, settings).with_context(|| own.context())?;
        session.set_book(Some(book));
    }
    Ok(session)
}

/// An engine that values moves, as the command line wants it.
pub(crate) fn thinker(args: &Thinker, settings: &Settings) -> anyhow::Result<Session> {
    let mut session = engine(&args.engine, &args.book, settings)?;
    session.move_time = args.move_time.map(|time| time.0);
    Ok(session)
}

/// An engine that plays, as the command line wants it.
pub(crate) fn player(args: &Player, settings: &Settings) -> anyhow::Result<Session> {
    let mut session = engine(&args.engine, &args.book, settings)?;
    session.book_choice = match args.book_randomness {
        Some(discs) => BookChoice::Randomness(discs),
        None => BookChoice::Variation(args.book_variation),
    };
    session.play_loss = args.play_loss.map(|loss| loss.0);
    session.move_time = args.move_time.map(|time| time.0);
    if let Some(time) = args.game_time {
        let period = args.byoyomi.map(|time| ClockPeriod {
            time: time.0,
            moves: 1,
        });
        let clock = Clock {
            period,
            ..Clock::for_game(time.0)
        };
        for side in [Side::Black, Side::White] {
            session.set_clock(side, Some(clock));
        }
    }
    session.set_seed(args.seed.unwrap_or_else(another_seed));
    Ok(session)
}

/// An engine that plays, and may think in the other side's time.
pub(crate) fn pondering(args: &PonderingPlayer, settings: &Settings) -> anyhow::Result<Session> {
    let mut session = player(&args.player, settings)?;
    session.ponders = args.ponder;
    Ok(session)
}

/// A seed that differs each time.
pub(crate) fn another_seed() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(1, |time: Duration| time.as_nanos() as u64)
}

/// A book to play from, in the file itself where that can be.
pub(crate) fn book(path: &Path, settings: &Settings) -> anyhow::Result<PlayBook> {
    let job = Job {
        progress: Arc::new(Silent),
        temp_dir: settings.temp_dir.clone(),
        ..Job::default()
    };
    let folder = settings.temp_dir.clone();
    let folder = TempFolder::from(&folder.unwrap_or_else(std::env::temp_dir));
    // The book stays open for as long as the program runs.
    let input: &'static BookInput = Box::leak(Box::new(BookInput::open(path)?));
    let lookup = files::open_for_lookup(input, BookReadOptions::default(), folder, &job)?;
    Ok(PlayBook::new(lookup))
}

/// Calls `hear` with each line of standard input until it returns `false`. Bytes that are no text are replaced. A line that
/// is too long is told on standard error, and passed over.
pub(crate) fn each_line(mut hear: impl FnMut(&str) -> anyhow::Result<bool>) -> anyhow::Result<()> {
    let mut input = BoundedLines::new(std::io::stdin().lock());
    loop {
        let line = match input.next() {
            Ok(Some(line)) => String::from_utf8_lossy(line),
            Ok(None) => return Ok(()),
            Err(error @ LineError::TooLong { .. }) => {
                eprintln!("standard input: {error}; passed over");
                continue;
            }
            Err(error) => return Err(error.into_io().into()),
        };
        if !hear(&line)? {
            return Ok(());
        }
    }
}

/// Writes lines to standard output. A window that is gone is seen as the end of the input.
fn output() -> LineOutput {
    Arc::new(|line: &str| drop(print::lines([line])))
}

pub(crate) fn gtp(args: &PonderingPlayer, settings: &Settings) -> anyhow::Result<ExitCode> {
    let mut gtp = Gtp::new(pondering(args, settings)?, VERSION, Control::default());
    each_line(|line| {
        let reply = gtp.line(line);
        if !reply.text.is_empty() {
            print::lines([reply.text.as_str(), ""])?;
        }
        Ok(!reply.is_last)
    })?;
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn nboard(args: &Player, settings: &Settings) -> anyhow::Result<ExitCode> {
    let mut engine = NBoard::new(player(args, settings)?, output());
    each_line(|line| Ok(engine.line(line) == Heard::Open))?;
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn xboard(args: &PonderingPlayer, settings: &Settings) -> anyhow::Result<ExitCode> {
    let name = format!("{NAME} {VERSION}");
    let mut engine = XBoard::new(pondering(args, settings)?, &name, output());
    each_line(|line| Ok(engine.line(line) == Heard::Open))?;
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn cassio(args: &Searching, settings: &Settings) -> anyhow::Result<ExitCode> {
    let name = format!("{NAME} {VERSION}");
    let searcher = searcher(&args.search, &EngineSettings::load()?, threads(settings)?)?;
    let mut engine = Cassio::new(
        Session::new(searcher, PlayLevel::default()),
        &name,
        output(),
    );
    each_line(|line| Ok(engine.line(line) == Heard::Open))?;
    Ok(ExitCode::SUCCESS)
}
