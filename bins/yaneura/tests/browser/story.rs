//! Stories at the shogi page.

use std::ops::{Deref, DerefMut};

use serde_json::{Value, json};
use test_support::{PageProgram, PageStory, ServerNeed, TestFolder};

/// The page has its server.
pub(crate) const ONLINE: &str = "document.querySelector('.link-state.on')";

pub(crate) const PROGRAM: PageProgram = PageProgram {
    game: "shogi",
    path: env!("CARGO_BIN_EXE_yaneura"),
    args: &["--threads", "1", "--root", ".", "--option", "USI_Hash=16"],
    settings: ("YANEURA_PAGE_FOLDER", ""),
    ui: "SHOGI_PAGE_UI",
    ready: &[
        "document.querySelectorAll('#board [role=gridcell]').length === 81",
        ONLINE,
    ],
};

/// A page where the board is, with its browser and what answers it.
pub(crate) struct Story(PageStory);

impl Deref for Story {
    type Target = PageStory;

    fn deref(&self) -> &PageStory {
        &self.0
    }
}

impl DerefMut for Story {
    fn deref_mut(&mut self) -> &mut PageStory {
        &mut self.0
    }
}

/// Plays a story on a page in English, with a server and with the engine in the tab.
pub(crate) fn story(play: impl Fn(&mut Story)) {
    story_with(&json!({}), play);
}

/// The same with settings of the page.
pub(crate) fn story_with(settings: &Value, play: impl Fn(&mut Story)) {
    PageStory::on_both(PROGRAM, &with_usual(settings), |page| {
        Story(page).play_to_end(&play);
    });
}

/// Plays a story that needs a server, which runs in a folder with arguments.
pub(crate) fn story_in(
    need: ServerNeed,
    folder: TestFolder,
    settings: &Value,
    args: &[&str],
    play: impl Fn(&mut Story),
) {
    if let Some(page) = PageStory::begin(PROGRAM, need, folder, &with_usual(settings), args) {
        Story(page).play_to_end(play);
    }
}

/// A story that needs the server itself.
pub(crate) fn story_of_server(play: impl Fn(&mut Story)) {
    story_in(ServerNeed::Server, TestFolder::new(), &json!({}), &[], play);
}

/// The settings of a story, over those of all.
fn with_usual(settings: &Value) -> Value {
    let mut all = json!({ "lang": "en" });
    for (name, value) in settings.as_object().into_iter().flatten() {
        all[name] = value.clone();
    }
    all
}

impl Story {
    /// Plays it to its end.
    #[track_caller]
    fn play_to_end(mut self, play: impl Fn(&mut Self)) {
        play(&mut self);
        self.end();
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

    /// Picks a value in the list with a label, in a dialog or else in the panel.
    #[track_caller]
    pub(crate) fn pick(&self, label: &str, value: &str) {
        let list = format!(
            "[...document.querySelectorAll('#dialog label, #panel label')].find((one) => one.querySelector('span')?.textContent.trim() === {})?.querySelector('select')",
            json!(label)
        );
        let value = json!(value);
        self.wait(&format!(
            "[...{list}.options].some((option) => option.value === {value})"
        ));
        self.eval(&format!(
            "(() => {{ const list = {list}; list.value = {value};
                list.dispatchEvent(new Event('change', {{ bubbles: true }})); }})()"
        ));
    }

    /// Chooses a function that opens a dialog, and waits for the dialog.
    #[track_caller]
    pub(crate) fn open(&self, menu: &str, function: &str) {
        self.choose(menu, function);
        self.wait("document.querySelector('#dialog[open] h2')");
    }

    /// Waits until the line below the players has a text in it.
    #[track_caller]
    pub(crate) fn state_has(&self, text: &str) {
        self.wait(&format!(
            "document.querySelector('.state-line').textContent.includes({})",
            json!(text)
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
