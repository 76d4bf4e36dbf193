//! A story: a person at a page, from the first visit to the moment when nothing was complained of.

use std::ops::Deref;

use serde_json::{Value, json};

use crate::{
    Browser, BrowserPage, NAMED_ROLES, PageProgram, PageServer, TestFolder, UNNAMED_OR_BROKEN,
    wait_until,
};

/// A page that is ready, with its browser and server.
#[derive(Debug)]
pub struct PageStory {
    page: BrowserPage,
    /// Its server.
    pub server: PageServer,
    ready: &'static [&'static str],
    _browser: Browser,
}

impl Deref for PageStory {
    type Target = BrowserPage;

    fn deref(&self) -> &BrowserPage {
        &self.page
    }
}

impl PageStory {
    /// Opens the page of a server that runs in a folder, with settings of the page and arguments; `None`, and a line that says so, where
    /// there is no browser.
    #[track_caller]
    pub fn begin(
        program: PageProgram,
        folder: TestFolder,
        settings: &Value,
        args: &[&str],
    ) -> Option<Self> {
        let browser = Browser::start()?;
        let server = PageServer::start(program, folder, settings, args);
        let page = browser.page(&server.url);
        let story = Self {
            page,
            server,
            ready: program.ready,
            _browser: browser,
        };
        story.is_ready();
        Some(story)
    }

    /// Ends the story. The console is clean: this is also where a breach of the content policy would be told.
    #[track_caller]
    pub fn end(&self) {
        assert_eq!(self.complaints(), Vec::<String>::new());
    }

    /// Waits for the page as the program says, the server and the settings.
    #[track_caller]
    pub fn is_ready(&self) {
        for expression in self.ready {
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

    /// Runs every function of the table in a module of the page, but for some, from its menu; no dialog stays, and no text is missing as
    /// `missing_text`, an expression, says.
    #[track_caller]
    pub fn every_function_runs(&self, module: &str, but: &[&str], missing_text: &str) {
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

    /// Waits for a download with an extension in the folder of the server, and returns it.
    #[track_caller]
    pub fn downloaded(&self, extension: &str) -> Vec<u8> {
        let folder = self.server.folder();
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
