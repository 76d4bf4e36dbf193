//! Functions, dialogs and keys.

use serde_json::json;

use crate::story::{story, story_with};

/// Functions that ask the browser for a file, or write one.
const OF_FILES: [&str; 4] = ["openFile", "importSettings", "exportSettings", "screenshot"];

/// Functions that open a dialog, in their menus.
pub(crate) const DIALOGS: [(&str, &str); 10] = [
    ("game", "newGame"),
    ("game", "endGame"),
    ("game", "gameInfo"),
    ("research", "engineOptions"),
    ("input", "textBox"),
    ("input", "editBoard"),
    ("output", "exportGame"),
    ("output", "boardImage"),
    ("help", "usage"),
    ("help", "licences"),
];

/// Whether a key of the languages stands on the page instead of its text.
pub(crate) const MISSING_TEXT: &str = r"/\b(fn|menu|kind|format|jobs?|settings|image|tab|moves|graph|info|board|piece|end|judge|mistake|phase|analysis|research|mate|engine|play|set|names|palette|layout|coordinates|editor|problem|import|export|game|games|files|book|handicap|runs|keys|profiles|help|licence|dialog)\.[a-z]\w+/.test(document.body.innerText)";

#[test]
fn every_function_runs_and_every_dialog_closes() {
    story(|page| {
        page.paste("position startpos moves 7g7f 3c3d 2g2f");
        page.says("USI");
        page.leave_focus();
        page.key("ArrowLeft", 0);
        page.every_function_runs(&OF_FILES, MISSING_TEXT);
    });
}

#[test]
fn keys_are_changed_and_those_of_others_refused() {
    let key = "document.querySelector('tr[data-fn=showLegal] kbd')";
    story(|page| {
        page.key("?", 8);
        page.click("tr[data-fn=showLegal] .button");
        page.wait("document.activeElement.classList.contains('awaiting')");
        page.key("g", 0);
        page.wait("document.querySelector('#panel [role=alert]').textContent.includes('G')");
        page.click("tr[data-fn=showLegal] .button");
        page.wait("document.activeElement.classList.contains('awaiting')");
        page.key("j", 0);
        page.wait(&format!("{key}.textContent === 'J'"));
        page.wait("!document.querySelector('#panel [role=alert]')");
        // It acts, and outlives a reload: it is kept.
        let is_on =
            "document.querySelector('[data-fn=showLegal][role=menuitemcheckbox]').ariaChecked";
        for (before, after) in [("true", "false"), ("false", "true")] {
            page.click("[data-menu=display]");
            page.wait(&format!("{is_on} === '{before}'"));
            page.key("Escape", 0);
            page.leave_focus();
            page.key("j", 0);
            page.click("[data-menu=display]");
            page.wait(&format!("{is_on} === '{after}'"));
            page.key("Escape", 0);
        }
        page.keeps("\"J\"");
        page.eval("location.reload()");
        page.is_ready();
        page.key("?", 8);
        page.wait(&format!("{key}.textContent === 'J'"));
        // Taken away again.
        page.click("tr[data-fn=showLegal] .key-chip button");
        page.wait(&format!("!{key}"));
    });
}

#[test]
fn no_key_acts_in_a_field_or_while_an_input_method_composes() {
    story_with(&json!({ "tab": "moves" }), |page| {
        page.play("7g", "7f");
        page.has_moves(&["P-7f"]);
        page.eval("document.querySelector('#panel textarea').focus()");
        page.key("n", 0);
        page.key("Backspace", 0);
        page.key("ArrowLeft", 0);
        page.leave_focus();
        for event in [
            "{ key: 'Backspace', isComposing: true, bubbles: true }",
            "{ key: 'Backspace', keyCode: 229, bubbles: true }",
            "{ key: 'n', isComposing: true, bubbles: true }",
            "{ key: 'n', keyCode: 229, bubbles: true }",
            "{ key: 'Process', code: 'KeyN', bubbles: true }",
        ] {
            page.eval(&format!(
                "document.body.dispatchEvent(new KeyboardEvent('keydown', {event}))"
            ));
        }
        // A key that acts, so that those before it would have by now.
        page.key("f", 0);
        page.play("3c", "3d");
        page.has_moves(&["P-7f", "P-3d"]);
        page.wait("!document.querySelector('#dialog').open");
    });
}
