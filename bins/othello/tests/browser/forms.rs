//! Functions, dialogs, settings and keys.

use serde_json::json;

use crate::story::{counts, last, story, story_with};

/// Functions that ask the browser for a file, or write one.
const OF_FILES: [&str; 5] = [
    "openFile",
    "importSettings",
    "exportSettings",
    "saveTree",
    "screenshot",
];

/// Whether a key of the languages stands on the page instead of its text.
pub(crate) const MISSING_TEXT: &str = r"/\b(fn|menu|kind|format|jobs?|settings|image|tab|moves|graph|info)\.[a-z]\w+/.test(document.body.innerText)";

#[test]
fn every_function_runs_and_every_dialog_closes() {
    story(|page| {
        page.paste_moves("F5D6C3");
        page.key("ArrowLeft", 0);
        page.every_function_runs(&OF_FILES, MISSING_TEXT);
    });
}

#[test]
fn keys_are_changed_and_those_of_others_refused() {
    let row = "tr[data-fn=pass]";
    story(|page| {
        page.key("?", 8);
        page.click(&format!("{row} .button"));
        page.wait("document.activeElement.classList.contains('awaiting')");
        page.key("g", 0);
        page.wait("document.querySelector('#panel [role=alert]').textContent.includes('G')");
        page.click("tr[data-fn=graphBands] .button");
        page.wait("document.activeElement.classList.contains('awaiting')");
        page.key("j", 0);
        page.wait("document.querySelector('tr[data-fn=graphBands] kbd').textContent === 'J'");
        page.wait("!document.querySelector('#panel [role=alert]')");
        // It acts, and outlives a reload: it is kept.
        page.click("[data-menu=display]");
        let is_on =
            "document.querySelector('[data-fn=graphBands][role=menuitemcheckbox]').ariaChecked";
        page.wait(&format!("{is_on} === 'true'"));
        page.key("Escape", 0);
        page.leave_focus();
        page.key("j", 0);
        page.click("[data-menu=display]");
        page.wait(&format!("{is_on} === 'false'"));
        page.key("Escape", 0);
        page.rests();
        page.keeps("\"J\"");
        page.eval("location.reload()");
        page.is_ready();
        page.click("#tab-settings");
        page.eval("[...document.querySelectorAll('.segment')].at(2).click()");
        page.wait("document.querySelector('tr[data-fn=graphBands] kbd').textContent === 'J'");
        // Taken away again.
        page.click("tr[data-fn=graphBands] .key-chip button");
        page.wait("!document.querySelector('tr[data-fn=graphBands] kbd')");
    });
}

#[test]
fn no_key_acts_in_a_field_or_while_an_input_method_composes() {
    story(|page| {
        page.play("f5");
        page.eval("document.querySelector('#panel textarea').focus()");
        page.key("n", 0);
        page.key("Backspace", 0);
        page.key("ArrowLeft", 0);
        page.leave_focus();
        for event in [
            "{ key: 'n', isComposing: true, bubbles: true }",
            "{ key: 'n', keyCode: 229, bubbles: true }",
            "{ key: 'Process', code: 'KeyN', bubbles: true }",
        ] {
            page.eval(&format!(
                "document.body.dispatchEvent(new KeyboardEvent('keydown', {event}))"
            ));
        }
        // A key that acts, so that those before it would have by now.
        page.key("d", 0);
        page.play("d6");
        page.wait(&counts(3, 3));
        page.wait(&last("d6"));
    });
}

#[test]
fn the_engine_is_set_up_and_profiles_are_kept() {
    story_with(&json!({ "tab": "settings" }), |page| {
        page.click("#tab-settings");
        // Worse moves on purpose: a curve over 15 parts of the game.
        let losses = "[...document.querySelectorAll('#panel section')].find((part) => part.textContent.includes('on purpose'))";
        page.wait(losses);
        page.eval(&format!("{losses}.querySelector('input').click()"));
        page.wait("document.querySelectorAll('.table.narrow tbody tr').length === 1");
        page.eval("document.querySelector('.table.narrow').closest('section').querySelectorAll('input[type=checkbox]')[1].click()");
        page.wait("document.querySelectorAll('.table.narrow tbody tr').length === 15");
        // A profile brings it back.
        page.eval("[...document.querySelectorAll('.segment')].at(3).click()");
        page.wait("document.querySelector('form.inline')");
        page.eval("document.querySelector('form.inline input').focus()");
        page.insert("weak");
        page.key("Enter", 0);
        page.wait("document.querySelector('.profiles').textContent.includes('weak')");
        page.eval("[...document.querySelectorAll('.segment')].at(0).click()");
        page.wait("document.querySelector('.table.narrow')");
        page.eval("document.querySelector('.table.narrow').closest('section').querySelector('input').click()");
        page.wait("!document.querySelector('.table.narrow')");
        page.eval("[...document.querySelectorAll('.segment')].at(3).click()");
        page.click(".profiles .button");
        page.eval("[...document.querySelectorAll('.segment')].at(0).click()");
        page.wait("document.querySelectorAll('.table.narrow tbody tr').length === 15");
    });
}
