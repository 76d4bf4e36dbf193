//! Walking through a game, its branches, its graphs and its analysis.

use serde_json::json;
use test_support::MouseAction;

use crate::story::{at, last, story, story_with};

#[test]
fn a_branch_becomes_the_main_line() {
    story(|page| {
        page.paste_moves("F5D6C3D3C4");
        page.says("transcript");
        page.key("Home", 0);
        page.key("ArrowRight", 0);
        page.wait(&last("f5"));
        page.click(&at("f6"));
        page.wait("document.querySelector('.branch')");
        // The branches are walked by keys.
        page.key("ArrowUp", 0);
        page.wait(&last("d6"));
        page.key("ArrowDown", 0);
        page.wait(&last("f6"));
        page.key("l", 0);
        page.wait("document.querySelector('.tree .flow').textContent.includes('f6')");
        page.key("Backspace", 0);
        page.wait("!document.querySelector('.tree').textContent.includes('f6')");
    });
}

#[test]
fn the_graph_is_clicked_and_dragged() {
    story_with(&json!({ "tab": "graph" }), |page| {
        page.click("#tab-graph");
        page.paste_moves("F5D6C3D3C4F4E6F6");
        let place = |ply: f64| {
            let point = page.eval(&format!(
                "(() => {{ const r = document.querySelector('.graph-svg.value').getBoundingClientRect();
                    return [r.x + r.width * (40 + 590 * {ply} / 60) / 640, r.y + r.height / 2]; }})()"
            ));
            (point[0].as_f64().unwrap(), point[1].as_f64().unwrap())
        };
        page.mouse(MouseAction::Press, place(3.0));
        page.wait(&last("c3"));
        page.mouse(MouseAction::Drag, place(5.0));
        page.wait(&last("c4"));
        page.mouse(MouseAction::Release, place(5.0));
        // By keys alone.
        page.eval("document.querySelector('.graph-svg.value').focus()");
        page.key("ArrowLeft", 0);
        page.wait(&last("d3"));
    });
}

#[test]
fn an_analysis_is_stopped_goes_on_and_sums_up() {
    let summary = "document.querySelector('.summary tbody')";
    let runs = "document.querySelector('#panel progress')";
    story_with(&json!({ "ai.level": 18 }), |page| {
        page.paste_moves("F5D6C3D3C4B5B4F4C5F6E3B3A6E6C6A5");
        page.click("#tab-graph");
        page.key("A", 8);
        page.wait(&format!("{runs} && {runs}.value >= 1"));
        page.key("q", 0);
        page.wait(&format!("!{runs}"));
        page.wait(summary);
        page.key("A", 8);
        page.wait(runs);
        page.wait(&format!("!{runs}"));
        page.wait("document.querySelectorAll('.graph-svg.value .dot.main').length >= 16");
        page.wait("document.querySelector('.worst button')");
        // The position before the worst move.
        page.click(".worst button");
        let better = page.eval("document.querySelector('.worst .quiet').textContent");
        assert!(better.as_str().unwrap().starts_with("better: "), "{better}");
    });
}
