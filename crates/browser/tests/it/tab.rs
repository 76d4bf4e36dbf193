//! A page of a host, with its engine in the tab of a browser.

use std::ops::Deref;

use serde_json::Value;
use test_support::{Browser, BrowserPage, StaticHost};

/// A page that has loaded.
pub(crate) struct Tab {
    page: BrowserPage,
    /// Its host.
    pub(crate) host: StaticHost,
    _browser: Browser,
}

impl Deref for Tab {
    type Target = BrowserPage;

    fn deref(&self) -> &BrowserPage {
        &self.page
    }
}

impl Tab {
    /// Opens a page of the folder that `cargo xtask browser` makes; `None`, and a line that says so, where there is no browser or no folder.
    pub(crate) fn open(address: &str) -> Option<Self> {
        Self::at(StaticHost::start(&StaticHost::pages()?), address)
    }

    /// Opens a page of a host; `None`, and a line that says so, where there is no browser.
    pub(crate) fn at(host: StaticHost, address: &str) -> Option<Self> {
        let browser = Browser::start()?;
        let page = browser.page(&host.url(address));
        wait_until_loaded(&page);
        Some(Self {
            page,
            host,
            _browser: browser,
        })
    }

    /// What a script returns that has an engine of its own as `engine`.
    #[track_caller]
    pub(crate) fn with_engine(&self, options: &str, script: &str) -> Value {
        self.eval(&with_engine(options, script))
    }
}

/// Waits until the engine has answered.
#[track_caller]
pub(crate) fn wait_until_loaded(page: &BrowserPage) {
    page.wait("document.body.dataset.loaded === 'true'");
}

/// An expression that starts an engine of the host of a page, and lets a script use it as `engine`.
pub(crate) fn with_engine(options: &str, script: &str) -> String {
    format!(
        "(async () => {{ const {{ Engine }} = await import(new URL('../engine/client.js', location.href));
          const engine = new Engine({options}); await engine.ready;
          const turn = (ms) => new Promise((done) => setTimeout(done, ms));
          try {{ {script} }} finally {{ engine.close(); }} }})()"
    )
}

/// A script that starts a search five times and stops it, and returns for each why it ended and milliseconds until then.
pub(crate) const STOPS: &str = "const stops = [];
    for (let n = 0; n < 5; n++) {
      const stream = engine.request('think', { lines: 2 }, () => {});
      await turn(300);
      const at = performance.now();
      stream.stop();
      const { why } = await stream.done;
      stops.push([why, performance.now() - at]);
    }
    return stops;";

/// Checks what [`STOPS`] has returned: one stop at least is as soon as it should be; others may be later, as other programs run too.
#[track_caller]
pub(crate) fn stop_soon(stops: &Value, most_ms: f64) {
    let stops = stops.as_array().expect("a list");
    let times = stops.iter().map(|stop| {
        assert_eq!(stop[0], "stopped");
        stop[1].as_f64().expect("a time")
    });
    let times: Vec<_> = times.collect();
    println!("stopped after {times:.1?} ms");
    let soonest = times.iter().copied().fold(f64::INFINITY, f64::min);
    assert!(soonest < most_ms, "{times:?}");
}
