//! A story: a person at the page, from its first visit to the moment when nothing was complained of.

use std::ops::Deref;

use serde_json::{Value, json};
use test_support::{Browser, BrowserPage, TestFolder};

use crate::server::PageServer;

/// The page has its server.
pub(crate) const ONLINE: &str = "document.querySelector('.link-state.on')";

/// A page where the board is, with its browser and server.
pub(crate) struct Story {
    page: BrowserPage,
    pub(crate) server: PageServer,
    _browser: Browser,
}

impl Deref for Story {
    type Target = BrowserPage;

    fn deref(&self) -> &BrowserPage {
        &self.page
    }
}

/// Plays a story on a page in English. The console stays clean: this is also where a breach of the content policy would be told.
pub(crate) fn story(play: impl FnOnce(&mut Story)) {
    story_with(&json!({}), play);
}

/// Plays a story on a page with settings of its own.
pub(crate) fn story_with(settings: &Value, play: impl FnOnce(&mut Story)) {
    story_in(TestFolder::new(), settings, &[], play);
}

/// Plays a story on a page whose server runs in a folder, with arguments.
pub(crate) fn story_in(
    folder: TestFolder,
    settings: &Value,
    args: &[&str],
    play: impl FnOnce(&mut Story),
) {
    let Some(browser) = Browser::start() else {
        return;
    };
    let mut all = json!({ "lang": "en", "ai.level": 5 });
    for (name, value) in settings.as_object().into_iter().flatten() {
        all[name] = value.clone();
    }
    let server = PageServer::start(folder, &all, args);
    let page = browser.page(&server.url);
    let mut story = Story {
        page,
        server,
        _browser: browser,
    };
    story.is_ready();
    play(&mut story);
    assert_eq!(story.complaints(), Vec::<String>::new());
}

impl Story {
    /// Waits for the board, the server and the settings.
    #[track_caller]
    pub(crate) fn is_ready(&self) {
        self.wait("document.querySelectorAll('#board [role=gridcell]').length === 64");
        self.wait(ONLINE);
        self.wait("document.querySelector('.facts') && document.title");
        self.wait("document.body.dataset.loaded");
    }

    /// Clicks a move.
    #[track_caller]
    pub(crate) fn play(&self, name: &str) {
        let square = at(name);
        self.wait(&format!(
            "document.querySelector('{square}').getAttribute('aria-disabled') === 'false'"
        ));
        self.click(&square);
        self.wait(&format!(
            "document.querySelector('{square} .disc:not(.ghost):not(.next)')"
        ));
    }

    /// Pastes a text into the page, as the browser tells it.
    pub(crate) fn paste(&self, text: &str) {
        let text = json!(text);
        self.eval(&format!(
            "(() => {{ const data = new DataTransfer(); data.setData('text/plain', {text});
                document.body.dispatchEvent(new ClipboardEvent('paste',
                    {{ clipboardData: data, bubbles: true, cancelable: true }})); }})()"
        ));
    }

    /// Pastes a transcript and waits for its last move.
    #[track_caller]
    pub(crate) fn paste_moves(&self, moves: &str) {
        self.paste(moves);
        self.wait(&last(&moves[moves.len() - 2..].to_lowercase()));
    }

    /// Chooses a function in its menu, and closes the menu.
    #[track_caller]
    pub(crate) fn choose(&self, menu: &str, function: &str) {
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
    pub(crate) fn press(&self, text: &str) {
        let text = json!(text);
        let button = format!(
            "[...document.querySelectorAll('#dialog button, #panel button')].find((button) => button.textContent.trim() === {text})"
        );
        self.wait(&format!("{button} && !{button}.disabled"));
        self.eval(&format!("{button}.click()"));
    }

    /// Writes into a field, as if its text had been typed.
    #[track_caller]
    pub(crate) fn fill(&self, selector: &str, text: &str) {
        self.wait(&format!("document.querySelector('{selector}')"));
        let text = json!(text);
        self.eval(&format!(
            "(() => {{ const field = document.querySelector('{selector}'); field.value = {text};
                field.dispatchEvent(new Event('input', {{ bubbles: true }})); }})()"
        ));
    }

    /// Waits until the last message on the page has a text in it.
    #[track_caller]
    pub(crate) fn says(&self, text: &str) {
        self.wait(&format!(
            "document.querySelector('#toasts .toast:last-child').textContent.includes({})",
            json!(text)
        ));
    }

    /// Takes the focus from wherever it is.
    pub(crate) fn leave_focus(&self) {
        self.eval("document.activeElement.blur()");
    }
}

/// The place of a square, by its name.
pub(crate) fn at(name: &str) -> String {
    let bytes = name.as_bytes();
    let number = (bytes[1] - b'1') * 8 + (bytes[0] - b'a');
    format!("#board [data-square=\"{number}\"]")
}

/// Whether a square has a disc of a colour.
pub(crate) fn disc(name: &str, colour: &str) -> String {
    format!(
        "document.querySelector('{} .disc.{colour}:not(.ghost):not(.next)')",
        at(name)
    )
}

/// Whether a move was the last one.
pub(crate) fn last(name: &str) -> String {
    format!("document.querySelector('#live').textContent.startsWith('{name}')")
}

/// The counts of discs that are shown, black's first.
pub(crate) fn counts(black: u32, white: u32) -> String {
    format!(
        "[...document.querySelectorAll('.player-count')].map(e => e.textContent.trim()).join() === '{black},{white}'"
    )
}
