//! The server of the page: its services, made of the command line.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use anyhow::Context as _;
use page_messages::{
    AllPages, Effort, EventSink, PageFailure, PageFiles, PageRequest, PageService, PageServices,
    StopFlag,
};
use run_watch::{ProgramJobs, ProgramsSetup};
use serve::jobs::PageJobs;
use serve::{FileKinds, FilesPage};
use serve_cli::{PageLife, Reuse, ServedPage, config_folder, file_roots};
use shogi_engine::Profile;
use shogi_page::{OwnEngine, ShogiPage};
use shogi_shelf::{PlayedBooks, ShogiBookShelf, ShogiLibrary};
use yane_cli::Settings;
use yane_io::Job;

use crate::args::ShogiServeArgs;
use crate::engines;
use crate::files::{BOOKS, RECORDS, games, is_book};
use crate::jobs::ShelfJobs;

/// The page that `/` shows.
const INDEX: &str = "shogi/index.html";

/// The folder of the library beside the settings of the page.
const LIBRARY: &str = "games";

/// The variable that names the folder for the settings of the page.
const VARIABLE: &str = "YANEURA_PAGE_FOLDER";

/// The shogi page of a program.
pub struct ShogiServer<'a> {
    /// The name of the program, for people.
    pub program: &'a str,
    /// The version of the program.
    pub version: &'a str,
    /// The options about books that the engine in the program has.
    pub profile: Profile,
    /// Options of it that nothing changes: those of files beside the program.
    pub fixed: Vec<(String, String)>,
    /// Files of the command line: games and books.
    pub files: Vec<PathBuf>,
}

impl ShogiServer<'_> {
    /// Serves the page until Ctrl-C; or opens that of a server that runs already, if no files are to be opened.
    ///
    /// # Errors
    ///
    /// An address that cannot be had, engines, options and files that are none.
    pub fn run(self, args: &ShogiServeArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
        let folder = config_folder(VARIABLE, "shogi");
        let folder = folder.with_context(|| {
            format!("there is no folder for the settings of the page: set {VARIABLE}")
        })?;
        let page = ServedPage {
            program: self.program,
            version: self.version,
            index: INDEX,
            folder,
            reuse: if self.files.is_empty() {
                Reuse::Running
            } else {
                Reuse::Nothing
            },
        };
        let state = page.folder.clone();
        page.run(&args.server, settings, || self.life(args, settings, &state))
    }

    /// The services of the page; `state` is the folder of the server's own files.
    fn life(
        self,
        args: &ShogiServeArgs,
        settings: &Settings,
        state: &Path,
    ) -> anyhow::Result<PageLife> {
        let (mut books, records): (Vec<_>, Vec<_>) =
            self.files.into_iter().partition(|path| is_book(path));
        books.extend(args.book.iter().cloned());
        let threads = threads(settings);
        let session = engines::session(self.profile, &self.fixed, args, threads)?;
        let own = OwnEngine::new(session, format!("yaneura {}", self.version));
        let played = PlayedBooks::new(self.profile);
        let page = ShogiPage::new(own, engines::programs(args)?)
            .with_books(Arc::new(played.clone()))
            .with_opened(games(&records)?)
            .seeded(another_seed());
        let roots = Arc::new(file_roots(&args.root, &[])?);
        let files: Arc<dyn PageFiles> = roots.clone();
        let kinds = FileKinds::default()
            .with("book", &BOOKS)
            .with("record", &RECORDS);
        let job = Job {
            threads,
            temp_dir: settings.temp_dir.clone(),
            ..Job::default()
        };
        let shelf = ShogiBookShelf::new(Arc::clone(&files), job, Some(state), move |open| {
            played.set(open);
        });
        for path in &books {
            shelf.open(path)?;
        }
        let library = args.library.clone();
        let library = library.unwrap_or_else(|| state.join(LIBRARY));
        let library = ShogiLibrary::open(&library, Some(Arc::clone(&files)))?;
        let runs = args.watch.runs().context("--watch")?;
        let programs = ProgramJobs::new(ProgramsSetup {
            programs: yane_cli::program_folder(),
            files,
            engines: engines::commands(args)?,
            // One is left to the searches of the page.
            threads: Some(threads.saturating_sub(1).max(1)),
            runs: runs.clone(),
        });
        let work = ShelfJobs {
            programs: Arc::new(programs),
            shelf: shelf.clone(),
        };
        let jobs = PageJobs::open(state, Arc::new(work))?;
        let services = PageServices::default()
            .with(Warmed::new(page))
            .with(FilesPage::new(roots, kinds))
            .with(shelf)
            .with(library)
            .with(jobs.clone())
            .with(runs);
        Ok(PageLife {
            service: Arc::new(services),
            jobs: Some(jobs),
        })
    }
}

/// Threads of the engine: as many as the machine has, unless the command line says otherwise.
fn threads(settings: &Settings) -> usize {
    let all = || std::thread::available_parallelism().map_or(1, usize::from);
    settings.threads.unwrap_or_else(all).max(1)
}

/// A number that differs from run to run.
fn another_seed() -> u64 {
    use std::hash::{BuildHasher as _, RandomState};
    RandomState::new().hash_one(0)
}

/// A page whose engines get ready on a thread of their own while the first tab is on its way.
struct Warmed {
    page: ShogiPage,
    stop: StopFlag,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Warmed {
    fn new(page: ShogiPage) -> Self {
        Self {
            page,
            stop: StopFlag::default(),
            thread: Mutex::default(),
        }
    }
}

impl PageService for Warmed {
    fn start(&self, pages: &Arc<dyn AllPages>) {
        let (page, stop, pages) = (self.page.clone(), self.stop.clone(), Arc::clone(pages));
        let warm = move || page.prepare(&*pages, &stop);
        let thread = std::thread::Builder::new().name("engines".to_owned());
        // Without it the first request of each engine waits.
        let begun = thread.spawn(warm).ok();
        *self.thread.lock().unwrap_or_else(PoisonError::into_inner) = begun;
    }

    fn capabilities(&self) -> Vec<String> {
        self.page.capabilities()
    }

    fn effort(&self, op: &str) -> Option<Effort> {
        self.page.effort(op)
    }

    fn seat(&self, request: &PageRequest) -> String {
        self.page.seat(request)
    }

    fn answer(
        &self,
        request: &PageRequest,
        sink: &dyn EventSink,
        stop: &StopFlag,
    ) -> Result<(), PageFailure> {
        self.page.answer(request, sink, stop)
    }
}

impl Drop for Warmed {
    fn drop(&mut self) {
        self.stop.stop();
        let thread = self
            .thread
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(thread) = thread.take() {
            // Its panic is told already.
            let _ended = thread.join();
        }
    }
}
