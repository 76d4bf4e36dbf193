//! Stories at the page with books.

use std::ops::{Deref, DerefMut};
use std::time::Duration;

use serde_json::{Value, json};
use test_support::{PageProgram, PageStory, ProgramRun, ServerNeed, TestFolder, run_program};

/// The program.
const MAKEBOOK: &str = env!("CARGO_BIN_EXE_makebook");

const PROGRAM: PageProgram = PageProgram {
    game: "shogi",
    path: MAKEBOOK,
    args: &["--threads", "1", "--root", ".", "--option", "USI_Hash=16"],
    settings: ("YANEURA_PAGE_FOLDER", ""),
    ui: "SHOGI_PAGE_UI",
    ready: &[
        "document.querySelectorAll('#board [role=gridcell]').length === 81",
        "document.querySelector('.link-state.on')",
    ],
};

/// The head of a `.db` file.
const HEAD: &str = "#YANEURAOU-DB2016 1.00\n";

/// The initial position and the one after 7g7f.
pub(crate) const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
pub(crate) const AFTER_76: &str =
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2";

/// A `.db` file of positions and their lines of moves.
pub(crate) fn db(positions: &[(&str, &str)]) -> String {
    let entries = positions
        .iter()
        .map(|(sfen, moves)| format!("sfen {sfen}\n{moves}\n"));
    format!("{HEAD}{}", entries.collect::<String>())
}

/// A page with the panel of books.
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

/// Plays a story on a page in English with books of the folder, which are given to the program.
pub(crate) fn story_with(files: &[(&str, String)], books: &[&str], play: impl FnOnce(&mut Story)) {
    story_of(files, books, &json!({}), play);
}

/// The same with settings of the page.
pub(crate) fn story_of(
    files: &[(&str, String)],
    books: &[&str],
    settings: &Value,
    play: impl FnOnce(&mut Story),
) {
    let folder = TestFolder::new();
    for (name, text) in files {
        folder.write(name, text);
    }
    let mut all = json!({ "lang": "en" });
    for (name, value) in settings.as_object().into_iter().flatten() {
        all[name] = value.clone();
    }
    let need = ServerNeed::Books;
    let Some(page) = PageStory::begin(PROGRAM, need, folder, &all, books) else {
        return;
    };
    let mut story = Story(page);
    story.click("#tab-book");
    story.wait("document.querySelector('table.books')");
    play(&mut story);
    story.end();
}

impl Story {
    /// Waits until the moves of the books are these, in this order.
    #[track_caller]
    pub(crate) fn has_moves(&self, moves: &[&str]) {
        self.wait(&format!(
            "JSON.stringify([...document.querySelectorAll('.book-moves tbody tr')].map((row) => row.dataset.move)) === JSON.stringify({})",
            json!(moves)
        ));
    }

    /// Waits until the row of a move has a text in it.
    #[track_caller]
    pub(crate) fn row_has(&self, name: &str, text: &str) {
        self.wait(&format!(
            "document.querySelector('.book-moves tr[data-move=\"{name}\"]')?.textContent.includes({})",
            json!(text)
        ));
    }

    /// Presses a button of the row of a move, by the beginning of its label.
    #[track_caller]
    pub(crate) fn press_in_row(&self, name: &str, label: &str) {
        let button =
            format!(".book-moves tr[data-move=\"{name}\"] button[aria-label^=\"{label}\"]");
        self.wait(&format!("document.querySelector('{button}')"));
        self.click(&button);
    }

    /// Turns a switch with a label, and its setting with it.
    #[track_caller]
    pub(crate) fn switch(&self, label: &str) {
        let input = format!(
            "[...document.querySelectorAll('#panel label')].find((label) => label.textContent.trim() === {})?.querySelector('input')",
            json!(label)
        );
        self.wait(&input);
        self.eval(&format!("{input}.click()"));
    }

    /// Runs the program in the folder of the story.
    #[track_caller]
    pub(crate) fn run(&self, line: &str) -> ProgramRun {
        run_program(
            MAKEBOOK,
            &self.server().folder().path(""),
            line.split(' '),
            Vec::new(),
            Duration::from_secs(300),
        )
    }
}
