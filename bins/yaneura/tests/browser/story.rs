//! A story: a person at the page, from its first visit to the moment when nothing was complained of.

use std::ops::Deref;

use serde_json::{Value, json};
use test_support::{Browser, BrowserPage, TestFolder};

use crate::server::PageServer;

/// A page where the board is, with its browser and server.
pub(crate) struct Story {
    page: BrowserPage,
    _server: PageServer,
    _browser: Browser,
}

impl Deref for Story {
    type Target = BrowserPage;

    fn deref(&self) -> &BrowserPage {
        &self.page
    }
}

/// Plays a story on a page in English. The console stays clean: this is also where a breach of the content policy would be told.
pub(crate) fn story(play: impl FnOnce(&Story)) {
    story_in(TestFolder::new(), &json!({}), &[], play);
}

/// Plays a story on a page whose server runs in a folder, with settings of the page and arguments.
pub(crate) fn story_in(
    folder: TestFolder,
    settings: &Value,
    args: &[&str],
    play: impl FnOnce(&Story),
) {
    let Some(browser) = Browser::start() else {
        return;
    };
    let server = PageServer::start(folder, settings, args);
    let page = browser.page(&server.url);
    let story = Story {
        page,
        _server: server,
        _browser: browser,
    };
    story.is_ready();
    story.set("lang", &json!("en"));
    story.wait("document.documentElement.lang === 'en'");
    play(&story);
    assert_eq!(story.complaints(), Vec::<String>::new());
}

impl Story {
    /// Waits for the board, the server and the settings.
    #[track_caller]
    pub(crate) fn is_ready(&self) {
        self.wait("document.querySelectorAll('#board [role=gridcell]').length === 81");
        self.wait("document.querySelector('.link-state.on')");
        self.wait("document.body.dataset.loaded");
    }

    /// Chooses a setting in its panel, as a person does.
    #[track_caller]
    pub(crate) fn set(&self, setting: &str, value: &Value) {
        self.click("#tab-settings");
        let field = format!("#panel [data-setting=\"{setting}\"] select");
        self.wait(&format!("document.querySelector('{field}')"));
        self.eval(&format!(
            "(() => {{ const field = document.querySelector('{field}'); field.value = {value};
                field.dispatchEvent(new Event('change', {{ bubbles: true }})); }})()"
        ));
    }

    /// Clicks a piece and its target.
    #[track_caller]
    pub(crate) fn play(&self, from: &str, to: &str) {
        self.click(&at(from));
        self.click(&at(to));
    }

    /// Waits until the record has these moves.
    #[track_caller]
    pub(crate) fn has_moves(&self, names: &[&str]) {
        self.wait(&format!(
            "JSON.stringify([...document.querySelectorAll('.record-name')].slice(1).map((name) => name.textContent)) === JSON.stringify({})",
            json!(names)
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

    /// Chooses a function in its menu.
    #[track_caller]
    pub(crate) fn choose(&self, menu: &str, function: &str) {
        self.click(&format!("[data-menu={menu}]"));
        let item = format!(".menu-item[data-fn='{function}']");
        self.wait(&format!("document.querySelector(\"{item}\")"));
        self.click(&item);
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

    /// Waits until the last message on the page has a text in it.
    #[track_caller]
    pub(crate) fn says(&self, text: &str) {
        self.wait(&format!(
            "document.querySelector('#toasts .toast:last-child')?.textContent.includes({})",
            json!(text)
        ));
    }

    /// Takes the focus from wherever it is.
    pub(crate) fn leave_focus(&self) {
        self.eval("document.activeElement.blur()");
    }
}

/// The place of a square, by its name in USI.
pub(crate) fn at(name: &str) -> String {
    let bytes = name.as_bytes();
    let number = (bytes[1] - b'a') * 9 + (b'9' - bytes[0]);
    spot(u32::from(number))
}

/// The place of a number of the board: squares from 9a, pieces in hand.
pub(crate) fn spot(number: u32) -> String {
    format!("#board [data-spot=\"{number}\"]")
}
