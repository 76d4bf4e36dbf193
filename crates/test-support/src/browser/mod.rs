//! A headless Chromium, driven by its own protocol (CDP): pages are opened, looked at, clicked and typed into as by a person.
//!
//! The tests that run at a time share one process, each by a connection of its own and with pages in contexts of their own.

mod page;
mod wire;

use std::cell::RefCell;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use tempfile::TempDir;

pub use page::{BrowserPage, MouseAction};
use wire::Wire;

/// The variable that names the program.
const VARIABLE: &str = "YANEURA_CHROMIUM";

/// Where systems have it.
const USUAL: &str = "/usr/bin/chromium";

/// A browser without a window; its pages end when this is dropped.
#[derive(Debug)]
pub struct Browser {
    wire: Rc<RefCell<Wire>>,
    /// The contexts of its pages.
    contexts: RefCell<Vec<String>>,
    _process: Arc<Chromium>,
}

/// The process, which ends with the last [`Browser`].
#[derive(Debug)]
struct Chromium {
    /// Where it listens.
    address: String,
    child: Child,
    _profile: TempDir,
}

/// The process that runs.
static RUNNING: Mutex<Weak<Chromium>> = Mutex::new(Weak::new());

impl Browser {
    /// Starts a browser; `None`, and a line that says so, where there is none.
    pub fn start() -> Option<Self> {
        let Some(program) = program() else {
            println!("skipped: no chromium ({VARIABLE} names one)");
            return None;
        };
        let process = {
            let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
            running.upgrade().unwrap_or_else(|| {
                let started = Arc::new(Chromium::start(&program));
                *running = Arc::downgrade(&started);
                started
            })
        };
        Some(Self {
            wire: Rc::new(RefCell::new(Wire::connect(&process.address))),
            contexts: RefCell::default(),
            _process: process,
        })
    }

    /// Opens an address in a context of its own.
    pub fn page(&self, url: &str) -> BrowserPage {
        let made = self
            .wire
            .borrow_mut()
            .call("", "Target.createBrowserContext", &json!({}));
        let context = wire::text(&made["browserContextId"]);
        self.contexts.borrow_mut().push(context.clone());
        BrowserPage::open(&self.wire, context, url)
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let Ok(mut wire) = self.wire.try_borrow_mut() else {
            return;
        };
        for context in self.contexts.take() {
            let params = json!({ "browserContextId": context });
            wire.post("", "Target.disposeBrowserContext", &params).ok();
        }
    }
}

impl Chromium {
    fn start(program: &Path) -> Self {
        let profile = tempfile::tempdir().expect("a folder for the profile");
        let mut child = Command::new(program)
            .args([
                "--headless=new",
                "--no-sandbox",
                "--disable-dev-shm-usage",
                "--disable-gpu",
            ])
            .args([
                "--no-first-run",
                "--no-default-browser-check",
                "--remote-debugging-port=0",
            ])
            .args([
                "--disable-background-timer-throttling",
                "--disable-backgrounding-occluded-windows",
                "--disable-renderer-backgrounding",
                "--window-size=1200,900",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}", program.display()));
        let errors = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut lines = errors.lines();
        let address = lines.find_map(|line| {
            let line = line.ok()?;
            line.strip_prefix("DevTools listening on ")
                .map(ToOwned::to_owned)
        });
        let address = address.expect("the browser says where it listens");
        // It would wait for a reader.
        thread::spawn(move || lines.for_each(drop));
        Self {
            address,
            child,
            _profile: profile,
        }
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        // Its processes end with it; killed alone they might stay.
        let asked = Wire::try_connect(&self.address)
            .and_then(|mut wire| wire.post("", "Browser.close", &json!({})));
        let start = Instant::now();
        while asked.is_ok() && start.elapsed() < Duration::from_secs(5) {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            thread::sleep(Duration::from_millis(20));
        }
        let _gone = self.child.kill();
        let _gone = self.child.wait();
    }
}

/// The program, if the machine has it.
fn program() -> Option<PathBuf> {
    let named = std::env::var_os(VARIABLE).map(PathBuf::from);
    let program = named.unwrap_or_else(|| Path::new(USUAL).to_owned());
    program.exists().then_some(program)
}
