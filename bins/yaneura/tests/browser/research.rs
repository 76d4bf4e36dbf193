//! What the engine thinks: lines that deepen, previews, variations, mate.

use crate::story::story;

#[test]
fn lines_deepen_are_previewed_and_kept() {
    story(|page| {
        page.click("#tab-engine");
        page.key("r", 0);
        page.wait("document.querySelectorAll('.thought tbody tr').length === 3");
        page.wait("document.querySelector('#board .arrow.best')");
        page.wait("document.querySelector('.pv-move')");
        page.eval("document.querySelector('.pv-move').click()");
        page.wait("document.querySelector('#board svg.preview')");
        page.key("Escape", 0);
        page.wait("!document.querySelector('#board svg.preview')");
        page.key("q", 0);
        page.wait("!document.querySelector('.thought .thinking')");
        page.key("b", 0);
        page.click("#tab-moves");
        page.wait("document.querySelectorAll('.record-name').length > 2");
        page.click("#tab-graph");
        page.wait("document.querySelector('.graph-svg.value .dot')");
    });
}

#[test]
fn a_mate_is_found() {
    story(|page| {
        page.paste("sfen 8k/9/7GG/9/9/9/9/9/K8 b - 1");
        page.click("#tab-engine");
        page.key("m", 0);
        page.wait("document.querySelector('.mate.mate')");
    });
}
