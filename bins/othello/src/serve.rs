//! `serve`: the page in a browser.

mod context;
mod jobs;
mod kinds;
mod words;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::Context as _;
use othello_page::{EngineNames, OthelloPage};
use othello_record::RECORD_EXTENSIONS;
use othello_shelf::{BookShelf, EngineChoice, OthelloLibrary, OtherEngine};
use page_messages::{PageFiles, PageServices};
use run_watch::{ProgramJobs, ProgramsSetup};
use serde_json::json;
use serve::jobs::{JobWorks, PageJobs};
use serve::{
    Assets, BindAddress, FileKinds, FileRoots, FilesPage, LocalServer, PortChoice, RemoteAccess,
    RunningServer, ServeOptions, ServerTiming, open_in_browser,
};
use yane_cli::{Settings, UsageError, print};
use yane_io::{Error, Job, Silent};

use crate::args::Serve;
use crate::protocol::{NAME, VERSION, another_seed, level, searcher, threads};
use crate::settings::{EngineSettings, folder};
use context::BookJobs;

/// The page that `/` shows.
const INDEX: &str = "othello/index.html";

/// Ends of the names of books.
const BOOKS: [&str; 4] = ["egbk3", "egbk2", "egbk", "dat"];

/// The time that jobs have to come to a safe point when the server ends; what is slower goes on as after a crash.
const STOPPING: Duration = Duration::from_secs(60);

pub(crate) fn run(args: &Serve, settings: &Settings) -> anyhow::Result<ExitCode> {
    let folder = folder().context("there is no folder for the settings of the page")?;
    if args.open
        && let Some(running) = RunningServer::find(&folder, args.port.unwrap_or(PortChoice::USUAL))
    {
        open(&running.url, "A server runs; its page", settings)?;
        return Ok(ExitCode::SUCCESS);
    }
    let access = if args.allow_remote {
        RemoteAccess::Allowed
    } else {
        RemoteAccess::Refused
    };
    let address = match args.bind {
        Some(ip) => BindAddress::new(ip, access).map_err(|error| match access {
            RemoteAccess::Refused => UsageError(format!("--bind: {error}; --allow-remote does")),
            RemoteAccess::Allowed => UsageError(format!("--bind: {error}")),
        })?,
        None => BindAddress::default(),
    };
    let assets = match &args.ui {
        Some(folder) => Assets::Folder(folder.clone()),
        None => Assets::BuiltIn,
    };
    let (services, jobs) = services(args, settings, &folder)?;
    let server = LocalServer::bind(ServeOptions {
        service: Arc::new(services),
        index: INDEX.to_owned(),
        build: format!("{VERSION}-{:016x}", assets.checksum()),
        seats: 1,
        folder,
        assets,
        address,
        port: args.port.map_or(PortChoice::Usual, PortChoice::Exactly),
        timing: ServerTiming::default(),
    })?;
    if address.is_remote() {
        eprintln!(
            "othello: whoever can listen to the network between your devices and {} can take the page over: \
             do this at home only",
            server.address()
        );
    }
    let stop = Arc::new(AtomicBool::new(false));
    yane_cli::stop_on_request(&stop)?;
    if args.open {
        open(server.url(), "The page", settings)?;
    } else if settings.json {
        print::json(&json!({ "url": server.url(), "port": server.address().port() }))?;
    } else {
        print::lines([server.url()])?;
    }
    let served = server.run(&stop);
    jobs.shut_down(STOPPING);
    served?;
    Ok(ExitCode::SUCCESS)
}

/// Opens an address in the browser, and prints it.
fn open(url: &str, what: &str, settings: &Settings) -> anyhow::Result<()> {
    let opened = open_in_browser(url);
    if settings.json {
        print::json(&json!({ "url": url, "opened": opened.is_ok() }))?;
    } else {
        let text = match opened {
            Ok(()) => format!("{what} opens in the browser: {url}"),
            Err(error) => format!("Open this address in a browser ({error}): {url}"),
        };
        print::lines([text])?;
    }
    Ok(())
}

/// The services of the page, as the command line wants them, or else the user's settings; its jobs are among them. `folder` is
/// that of the server's own files.
fn services(
    args: &Serve,
    settings: &Settings,
    folder: &Path,
) -> anyhow::Result<(PageServices, PageJobs)> {
    let own = EngineSettings::load()?;
    let page = page(args, &own, settings)?;
    let roots = Arc::new(roots(args)?);
    let files: Arc<dyn PageFiles> = roots.clone();
    let job = Job {
        progress: Arc::new(Silent),
        temp_dir: settings.temp_dir.clone(),
        ..Job::default()
    };
    let playing = page.clone();
    let openings = args.openings.names()?.list;
    let library = OthelloLibrary::open(&library(args)?, openings, Some(Arc::clone(&files)))?;
    let shelf = BookShelf::new(Arc::clone(&files), job, move |book| {
        playing.set_book(book);
    });
    for path in &args.book {
        shelf.open(path)?;
    }
    let is_own = args.book.is_empty() && !args.no_book;
    if let Some(path) = own.book.as_ref().filter(|_| is_own) {
        shelf.open(path).with_context(|| own.context())?;
    }
    let runs = args.watch.runs();
    let programs = ProgramJobs::new(ProgramsSetup {
        programs: yane_cli::program_folder(),
        files: Arc::clone(&files),
        engines: Vec::new(),
        threads: Some((threads(settings)? - 1).max(1)),
        runs: runs.clone(),
    });
    let work = BookJobs {
        files,
        books: Arc::new(shelf.clone()),
        // One is left to the searches of the page.
        threads: (threads(settings)? - 1).max(1),
        weights: absolute(args.engine.search.weights.as_deref())?,
        temp_dir: absolute(settings.temp_dir.as_deref())?,
    };
    let work = JobWorks::new(Arc::new(work), Arc::new(programs));
    let jobs = PageJobs::open(folder, Arc::new(work))?;
    let kinds = FileKinds::default()
        .with("book", &BOOKS)
        .with("record", &RECORD_EXTENSIONS);
    let services = PageServices::default()
        .with(EngineChoice::new(
            page,
            OtherEngine::open_all(&args.others)?,
        ))
        .with(FilesPage::new(roots, kinds))
        .with(shelf)
        .with(library)
        .with(jobs.clone())
        .with(runs);
    Ok((services, jobs))
}

/// The path of something that is there, good in any folder.
fn absolute(path: Option<&Path>) -> yane_io::Result<Option<PathBuf>> {
    let absolute = |path: &Path| std::fs::canonicalize(path).map_err(Error::io(path));
    path.map(absolute).transpose()
}

/// The folder of the library of games: Egaroucid's where there is one.
fn library(args: &Serve) -> anyhow::Result<PathBuf> {
    if let Some(folder) = &args.library {
        return Ok(folder.clone());
    }
    let games = std::env::home_dir().map(|home| home.join("Documents/Egaroucid/games"));
    if let Some(games) = games.filter(|games| games.is_dir()) {
        return Ok(games);
    }
    let folder =
        folder().context("there is no folder for the library of games: name one by --library")?;
    Ok(folder.join("games"))
}

/// The folders whose files the page may see.
fn roots(args: &Serve) -> anyhow::Result<FileRoots> {
    let mut roots = FileRoots::default();
    for folder in &args.root {
        roots.add(folder)?;
    }
    if args.root.is_empty() {
        roots.add(&std::env::current_dir().context("there is no working folder")?)?;
        let games = std::env::home_dir().map(|home| home.join("Documents/Egaroucid"));
        if let Some(games) = games.filter(|games| games.is_dir()) {
            roots.add(&games)?;
        }
    }
    Ok(roots)
}

/// What answers all that needs no files.
fn page(args: &Serve, own: &EngineSettings, settings: &Settings) -> anyhow::Result<OthelloPage> {
    let number = args.engine.level.or(own.level).unwrap_or(21);
    let searcher = searcher(&args.engine.search, own, threads(settings)?)?;
    let session = othello_engine::Session::new(searcher, level(args.engine.levels, number));
    let weights = &args.engine.search.weights;
    let names = EngineNames {
        engine: format!("{NAME} {VERSION}"),
        weights: match weights {
            Some(path) => path.display().to_string(),
            None => "built in".to_owned(),
        },
    };
    let openings = args.openings.names()?.list;
    Ok(OthelloPage::new(session, openings, names).seeded(another_seed()))
}
