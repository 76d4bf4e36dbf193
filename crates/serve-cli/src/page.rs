//! The life of a server: found, made, opened, ended.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use page_messages::PageService;
use serde_json::json;
use serve::jobs::PageJobs;
use serve::{LocalServer, PortChoice, RunningServer, ServeOptions, ServerTiming, open_in_browser};
use yane_cli::{Settings, print};

use crate::args::ServeArgs;

/// The time that jobs have to come to a safe point when the server ends; what is slower goes on as after a crash.
const STOPPING: Duration = Duration::from_secs(60);

/// Whether `--open` may show the page of a server that runs already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reuse {
    /// It may.
    Running,
    /// It may not: the command line has files for this page.
    Nothing,
}

/// The page of a program.
#[derive(Clone, Debug)]
pub struct ServedPage<'a> {
    /// The name of the program, for people.
    pub program: &'a str,
    /// The version of the program.
    pub version: &'a str,
    /// The file that `/` shows, such as `othello/index.html`.
    pub index: &'a str,
    /// The folder for the settings of the page and for what another call of the program has to know.
    pub folder: PathBuf,
    /// Whether a server that runs will do.
    pub reuse: Reuse,
}

/// What a page is served with.
pub struct PageLife {
    /// Answers what it asks.
    pub service: Arc<dyn PageService>,
    /// Its jobs, which come to a safe point when the server ends.
    pub jobs: Option<PageJobs>,
}

impl ServedPage<'_> {
    /// Serves the page that `life` makes until Ctrl-C; or opens that of a server that runs already. Prints the address.
    ///
    /// # Errors
    ///
    /// An address or port that cannot be had; what `life` fails with.
    pub fn run(
        &self,
        args: &ServeArgs,
        settings: &Settings,
        life: impl FnOnce() -> anyhow::Result<PageLife>,
    ) -> anyhow::Result<ExitCode> {
        if let Some(running) = self.running(args) {
            open(&running.url, "A server runs; its page", settings)?;
            return Ok(ExitCode::SUCCESS);
        }
        let address = args.address()?;
        let assets = args.assets();
        let PageLife { service, jobs } = life()?;
        let server = LocalServer::bind(ServeOptions {
            service,
            index: self.index.to_owned(),
            build: format!("{}-{:016x}", self.version, assets.checksum()),
            seats: 1,
            folder: self.folder.clone(),
            assets,
            address,
            port: args.port(),
            timing: ServerTiming::default(),
        })?;
        if address.is_remote() && !settings.quiet {
            eprintln!(
                "{}: whoever can listen to the network between your devices and {} can take the page over: \
                 do this at home only",
                self.program,
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
        if let Some(jobs) = jobs {
            jobs.shut_down(STOPPING);
        }
        served?;
        Ok(ExitCode::SUCCESS)
    }

    /// A server that runs already and is to be shown.
    fn running(&self, args: &ServeArgs) -> Option<RunningServer> {
        if !args.open || self.reuse == Reuse::Nothing {
            return None;
        }
        let find = |port| RunningServer::find(&self.folder, port);
        match args.port {
            Some(port) => find(port),
            // Another page may have taken the first ones.
            None => PortChoice::usual().find_map(find),
        }
    }
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
