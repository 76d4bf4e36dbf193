//! A story: a person at a page, from the first visit to the moment when nothing was complained of.

use std::ops::Deref;

use serde_json::{Value, json};

use crate::{
    Browser, BrowserPage, NAMED_ROLES, PageProgram, PageServer, StaticHost, TestFolder,
    UNNAMED_OR_BROKEN, wait_for_rest, wait_until,
};

/// What stories need that only the page of a server has: they are not played at one whose engine is in the tab.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerNeed {
    /// Files of the machine.
    Files,
    /// Books on its disk, in folders of it.
    Books,
    /// A library of games.
    Library,
    /// Programs that are run from the page.
    Jobs,
    /// Runs that are followed.
    Runs,
    /// Engines that are other programs.
    OtherEngines,
    /// The server itself: its socket, its memory, its end.
    Server,
}

impl ServerNeed {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Files,
        Self::Books,
        Self::Library,
        Self::Jobs,
        Self::Runs,
        Self::OtherEngines,
        Self::Server,
    ];

    /// The name in `hello.caps` of back ends that have it, where there is one.
    pub const fn capability(self) -> Option<&'static str> {
        match self {
            Self::Files => Some("files"),
            Self::Library => Some("library"),
            Self::Jobs => Some("jobs"),
            Self::Runs => Some("runs"),
            Self::Books | Self::OtherEngines | Self::Server => None,
        }
    }
}

/// Who answers the page of a story.
#[derive(Debug)]
enum BackEnd {
    Server(PageServer),
    /// An engine in the tab. The host has the files of the page.
    Tab(StaticHost),
}

/// A page that is ready, with its browser and what answers it.
#[derive(Debug)]
pub struct PageStory {
    page: BrowserPage,
    back_end: BackEnd,
    downloads: TestFolder,
    program: PageProgram,
    _browser: Browser,
}

impl Deref for PageStory {
    type Target = BrowserPage;

    fn deref(&self) -> &BrowserPage {
        &self.page
    }
}

impl PageStory {
    /// Plays a story twice with the same settings of the page: at the page of a server, and at the one whose engine is in the tab. Says so
    /// where there is no browser, or where the second one was not made.
    #[track_caller]
    pub fn on_both(program: PageProgram, settings: &Value, play: impl Fn(Self)) {
        if let Some(story) = Self::begin_served(program, TestFolder::new(), settings, &[]) {
            play(story);
        }
        if let Some(story) = Self::begin_in_tab(program, settings) {
            println!("played with a server; now with the engine in the tab");
            play(story);
        }
    }

    /// Opens the page of a server that runs in a folder, with settings of the page and arguments, for a story that is not played in a tab
    /// as it needs something; `None`, and a line that says so, where there is no browser.
    #[track_caller]
    pub fn begin(
        program: PageProgram,
        need: ServerNeed,
        folder: TestFolder,
        settings: &Value,
        args: &[&str],
    ) -> Option<Self> {
        println!("played with a server alone, for {need:?}");
        Self::begin_served(program, folder, settings, args)
    }

    #[track_caller]
    fn begin_served(
        program: PageProgram,
        folder: TestFolder,
        settings: &Value,
        args: &[&str],
    ) -> Option<Self> {
        let browser = Browser::start()?;
        let server = PageServer::start(program, folder, settings, args);
        let page = browser.page(&server.url);
        Some(Self::ready(program, browser, page, BackEnd::Server(server)))
    }

    /// Opens the page with its engine in the tab, with settings of the page; `None`, and a line that says so, where there is no browser or no
    /// such page.
    #[track_caller]
    fn begin_in_tab(program: PageProgram, settings: &Value) -> Option<Self> {
        let folder = StaticHost::pages()?;
        let browser = Browser::start()?;
        let host = StaticHost::start(&folder);
        // The page to choose a game from: all pages of the host share what the browser keeps.
        let page = browser.page(&host.url("index.html"));
        let kept = json!(settings.to_string());
        page.eval(&format!("localStorage.setItem('{KEPT}', {kept})"));
        page.go(&host.url(&tab_page(program)));
        Some(Self::ready(program, browser, page, BackEnd::Tab(host)))
    }

    #[track_caller]
    fn ready(program: PageProgram, browser: Browser, page: BrowserPage, back_end: BackEnd) -> Self {
        let story = Self {
            page,
            back_end,
            downloads: TestFolder::new(),
            program,
            _browser: browser,
        };
        story.is_ready();
        story
    }

    /// The server.
    ///
    /// # Panics
    ///
    /// The engine is in the tab: the story has not said that it needs a server.
    #[track_caller]
    pub fn server(&self) -> &PageServer {
        match &self.back_end {
            BackEnd::Server(server) => server,
            BackEnd::Tab(_) => panic!("{NO_SERVER}"),
        }
    }

    /// The server, to end it and start it again.
    ///
    /// # Panics
    ///
    /// As [`Self::server`].
    #[track_caller]
    pub fn server_mut(&mut self) -> &mut PageServer {
        match &mut self.back_end {
            BackEnd::Server(server) => server,
            BackEnd::Tab(_) => panic!("{NO_SERVER}"),
        }
    }

    /// The address of the page, without a token.
    pub fn url(&self) -> String {
        match &self.back_end {
            BackEnd::Server(server) => format!("{}/", server.origin()),
            BackEnd::Tab(host) => host.url(&tab_page(self.program)),
        }
    }

    /// The address of a file of the page.
    fn file(&self, name: &str) -> String {
        match &self.back_end {
            BackEnd::Server(server) => format!("{}/{name}", server.origin()),
            BackEnd::Tab(host) => host.url(name),
        }
    }

    /// Waits until no request is unfinished. (Of an engine in the tab nobody can ask that.)
    #[track_caller]
    pub fn rests(&self) {
        if let BackEnd::Server(_) = self.back_end {
            wait_for_rest(&self.page);
        }
    }

    /// Waits until a text is in the settings that are kept for the next visit.
    #[track_caller]
    pub fn keeps(&self, text: &str) {
        let is_kept = || match &self.back_end {
            BackEnd::Server(server) => {
                let path = server.folder().path("web.json");
                std::fs::read_to_string(path).is_ok_and(|kept| kept.contains(text))
            }
            BackEnd::Tab(_) => {
                let text = json!(text);
                self.is(&format!("localStorage.getItem('{KEPT}').includes({text})"))
            }
        };
        wait_until(is_kept, "the setting is not kept");
    }

    /// Ends the story. The console is clean: this is also where a breach of the content policy would be told.
    #[track_caller]
    pub fn end(&self) {
        assert_eq!(self.complaints(), Vec::<String>::new());
    }

    /// Waits for the page as the program says, the server and the settings.
    #[track_caller]
    pub fn is_ready(&self) {
        for expression in self.program.ready {
            self.wait(expression);
        }
        self.wait("document.body.dataset.loaded");
    }

    /// Pastes a text into the page, as the browser tells it.
    pub fn paste(&self, text: &str) {
        let text = json!(text);
        self.eval(&format!(
            "(() => {{ const data = new DataTransfer(); data.setData('text/plain', {text});
                document.body.dispatchEvent(new ClipboardEvent('paste',
                    {{ clipboardData: data, bubbles: true, cancelable: true }})); }})()"
        ));
    }

    /// Drops a file on the page.
    pub fn drop_file(&self, name: &str, bytes: &[u8]) {
        let (name, bytes) = (json!(name), json!(bytes));
        self.eval(&format!(
            "(() => {{ const dataTransfer = new DataTransfer();
                dataTransfer.items.add(new File([new Uint8Array({bytes})], {name}));
                document.body.dispatchEvent(new DragEvent('drop', {{ dataTransfer, bubbles: true, cancelable: true }})); }})()"
        ));
    }

    /// Chooses a function in its menu, and closes the menu.
    #[track_caller]
    pub fn choose(&self, menu: &str, function: &str) {
        self.click(&format!("[data-menu={menu}]"));
        let item = format!(".menu-item[data-fn='{function}']");
        self.wait(&format!("document.querySelector(\"{item}\")"));
        // The menu of a switch stays open.
        let is_switch = format!("document.querySelector(\"{item}\").role === 'menuitemcheckbox'");
        let is_switch = self.is(&is_switch);
        self.click(&item);
        if is_switch {
            self.key("Escape", 0);
        }
        self.wait("!document.querySelector('.menu-list')");
    }

    /// Presses the button with a text, in a dialog or else in the panel.
    #[track_caller]
    pub fn press(&self, text: &str) {
        let text = json!(text);
        let button = format!(
            "[...document.querySelectorAll('#dialog button, #panel button')].find((button) => button.textContent.trim() === {text})"
        );
        self.wait(&format!("{button} && !{button}.disabled"));
        self.eval(&format!("{button}.click()"));
    }

    /// Writes into a field, as if its text had been typed.
    #[track_caller]
    pub fn fill(&self, selector: &str, text: &str) {
        self.wait(&format!("document.querySelector('{selector}')"));
        let text = json!(text);
        self.eval(&format!(
            "(() => {{ const field = document.querySelector('{selector}'); field.value = {text};
                field.dispatchEvent(new Event('input', {{ bubbles: true }})); }})()"
        ));
    }

    /// Waits until the last message on the page has a text in it.
    #[track_caller]
    pub fn says(&self, text: &str) {
        self.wait(&format!(
            "document.querySelector('#toasts .toast:last-child').textContent.includes({})",
            json!(text)
        ));
    }

    /// Runs every function of the page, but for some, from its menu; no dialog stays, and no text is missing as `missing_text`, an
    /// expression, says.
    #[track_caller]
    pub fn every_function_runs(&self, but: &[&str], missing_text: &str) {
        let module = self.file(&format!("{}/functions.js", self.program.game));
        let functions = self.eval(&format!(
            "import('{module}').then(({{ FUNCTIONS }}) => FUNCTIONS.map((fn) => [fn.id, fn.menu]))"
        ));
        for function in functions.as_array().expect("a table") {
            let [id, menu] = [0, 1].map(|at| function[at].as_str().expect("a text"));
            if but.contains(&id) {
                continue;
            }
            self.eval(&format!(
                "document.querySelector('.menu-list') ?? document.querySelector('[data-menu={menu}]')?.click()"
            ));
            self.wait(&format!(
                "document.querySelector('[data-menu={menu}][aria-expanded=true]') || !document.querySelector('[data-menu={menu}]')"
            ));
            self.eval(&format!(
                "document.querySelector('.menu-item[data-fn=\"{id}\"]')?.click()"
            ));
            // Until what it does is on the screen.
            self.eval("new Promise((drawn) => setTimeout(() => requestAnimationFrame(() => setTimeout(drawn, 30)), 30))");
            assert!(!self.is(missing_text), "{id}");
            self.close_dialog(id);
        }
    }

    /// Presses Escape until no dialog is open: a switch leaves its menu open, and a dialog may open a frame after `function` ran.
    #[track_caller]
    fn close_dialog(&self, function: &str) {
        let mut closed = 0;
        for tries in 0.. {
            assert!(tries < 100, "{function}: the dialog stays");
            self.key("Escape", 0);
            self.eval("new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn, 5)))");
            let is_open = self.is("document.querySelector('#dialog').open");
            closed = if is_open { 0 } else { closed + 1 };
            if closed == 3 {
                break;
            }
        }
    }

    /// Takes the focus from wherever it is.
    pub fn leave_focus(&self) {
        self.eval("document.activeElement.blur()");
    }

    /// Opens each tab in turn.
    #[track_caller]
    pub fn each_tab(&self, mut look: impl FnMut(&str)) {
        let tabs = self.eval("[...document.querySelectorAll('[role=tab]')].map((tab) => tab.id)");
        for tab in tabs.as_array().into_iter().flatten() {
            let tab = tab.as_str().unwrap_or_default();
            self.eval(&format!("document.querySelector('#{tab}').click()"));
            self.wait(&format!(
                "document.querySelector('#{tab}').ariaSelected === 'true'"
            ));
            look(tab);
        }
    }

    /// Looks for what users of screen readers could not make sense of.
    #[track_caller]
    pub fn everything_has_a_name(&self, place: &str) {
        assert_eq!(self.eval(UNNAMED_OR_BROKEN), json!([]), "{place}");
        for (role, name) in self.accessible() {
            let is_named = !NAMED_ROLES.contains(&role.as_str()) || !name.trim().is_empty();
            assert!(is_named, "{place}: a {role} without a name");
        }
    }

    /// Saves what the page downloads, for [`Self::downloaded`].
    pub fn takes_downloads(&self) {
        self.save_downloads(&self.downloads.path(""));
    }

    /// Waits for a download with an extension, and returns it.
    #[track_caller]
    pub fn downloaded(&self, extension: &str) -> Vec<u8> {
        let folder = &self.downloads;
        let name = || {
            let mut names = folder.names().into_iter();
            names.find(|name| name.ends_with(extension))
        };
        wait_until(|| name().is_some(), "nothing is downloaded");
        let bytes = || name().map_or_else(Vec::new, |name| folder.read(name));
        wait_until(|| !bytes().is_empty(), "nothing is in the download");
        bytes()
    }

    /// The text in the clipboard.
    #[track_caller]
    pub fn clipboard(&self) -> String {
        let text = self.eval("navigator.clipboard.readText()");
        text.as_str().unwrap_or_default().to_owned()
    }
}

/// What the browser keeps settings under, for pages with an engine in the tab.
const KEPT: &str = "yaneura.settings";

const NO_SERVER: &str = "the engine is in the tab: this story needs a server";

/// The page with its engine in the tab, as a file of its host: one thread, and a table as small as that of the servers in tests.
fn tab_page(program: PageProgram) -> String {
    format!("{}/index.html?threads=1&hash=16", program.game)
}
