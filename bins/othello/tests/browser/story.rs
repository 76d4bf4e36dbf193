//! Stories at the othello page.

use std::ops::{Deref, DerefMut};

use serde_json::{Value, json};
use test_support::{PageProgram, PageStory, ServerNeed, TestFolder};

/// The page has its server.
pub(crate) const ONLINE: &str = "document.querySelector('.link-state.on')";

const PROGRAM: PageProgram = PageProgram {
    game: "othello",
    path: env!("CARGO_BIN_EXE_othello"),
    args: &[
        "--hash",
        "16M",
        "--threads",
        "1",
        "--level",
        "10",
        "--library",
        "games",
        "--root",
        ".",
    ],
    settings: ("OTHELLO_SETTINGS", "othello.json5"),
    ui: "OTHELLO_PAGE_UI",
    ready: &[
        "document.querySelectorAll('#board [role=gridcell]').length === 64",
        ONLINE,
        "document.querySelector('.facts') && document.title",
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
    let mut all = json!({ "lang": "en", "ai.level": 11 });
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

    /// Pastes a transcript and waits for its last move.
    #[track_caller]
    pub(crate) fn paste_moves(&self, moves: &str) {
        self.paste(moves);
        self.wait(&last(&moves[moves.len() - 2..].to_lowercase()));
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
