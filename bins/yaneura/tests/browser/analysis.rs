//! Whole games analysed: progress, mistakes, the graph, the report, and the record with its scores.

use serde_json::json;
use shogi_kifu::read_games;

use crate::story::{Story, story_with};

/// A game in which black gives a bishop away with the third move.
const GAME: &str = "position startpos moves 7g7f 3c3d 8h3c+ 2a3c 2g2f 8c8d 2f2e 8d8e";

/// Sets the number of nodes for each move, as a person does.
fn set_nodes(page: &Story, nodes: &str) {
    page.eval("document.querySelector('#panel details').open = true");
    let field = "#panel details input[max=\"1000000000\"]";
    page.wait(&format!("document.querySelector('{field}')"));
    page.eval(&format!(
        "(() => {{ const field = document.querySelector('{field}'); field.value = '{nodes}';
            field.dispatchEvent(new Event('change', {{ bubbles: true }})); }})()"
    ));
}

#[test]
fn an_analysis_shows_mistakes_and_writes_scores_into_the_record() {
    let settings = json!({ "analysis.nodes": 2000 });
    story_with(&settings, |page| {
        page.allow_clipboard();
        page.takes_downloads();
        page.paste(GAME);
        page.says("USI");
        page.leave_focus();
        page.key("a", 0);
        page.wait("document.querySelector('#panel progress')");
        page.wait("!document.querySelector('#panel progress')");
        let summary = "document.querySelector('.summary').textContent";
        page.wait(&format!(
            "{summary}.includes('Accuracy') && {summary}.includes('%')"
        ));
        page.wait("document.querySelector('.mistakes tr.blunder td:nth-child(1)').textContent.trim() === '3'");
        page.wait("document.querySelector('.graph-svg.value .judge-band.blunder')");
        // The move of a mistake, and what was better on the board.
        page.click(".mistakes tr.blunder td:nth-child(2) button");
        page.wait("document.querySelector('.state-line').textContent.includes('B-3c+')");
        page.click(".mistakes tr.blunder td:nth-child(5) button");
        page.wait("document.querySelector('#board svg.preview')");
        page.key("Escape", 0);
        page.press("Save the report (HTML)");
        let report = String::from_utf8(page.downloaded(".html")).unwrap();
        assert!(report.starts_with("<!doctype html>") || report.starts_with("<!DOCTYPE html>"));
        assert!(report.contains("</html>") && report.contains("<svg"));
        page.press("Take scores and lines into the record");
        page.wait("document.querySelector('.mistakes tr.blunder')");
        page.click("#tab-moves");
        page.wait("document.querySelectorAll('.record-score').length >= 8");
        page.wait("document.querySelector('.record-move.blunder')");
        page.leave_focus();
        page.key("c", 2);
        page.says("Copied");
        let text = page.clipboard();
        assert!(text.matches("*#評価値=").count() >= 8, "{text}");
        let (_, mut games) = read_games(text.as_bytes()).unwrap();
        let record = games.remove(0).unwrap().record;
        let scores: Vec<_> = record
            .main_line()
            .map(|id| record.node(id).analysis_score())
            .collect();
        assert!(scores.iter().flatten().count() >= 8, "{scores:?}");
        // The bishop is gone for a pawn after the fourth move.
        assert!(
            scores.iter().flatten().any(|&score| score < -300),
            "{scores:?}"
        );
    });
}

#[test]
fn an_analysis_is_stopped_and_made_again() {
    let settings = json!({ "analysis.nodes": 400_000, "tab": "graph" });
    story_with(&settings, |page| {
        page.paste(GAME);
        page.says("USI");
        page.leave_focus();
        page.key("a", 0);
        page.wait("document.querySelector('#panel progress').value >= 3");
        page.press("Stop the analysis");
        page.wait("!document.querySelector('#panel progress')");
        page.rests();
        // What was found until then stays.
        page.wait("document.querySelector('.summary')");
        set_nodes(page, "1000");
        page.press("Analyse the whole game");
        page.wait("document.querySelector('#panel progress')");
        page.wait("!document.querySelector('#panel progress')");
        page.wait("document.querySelector('.summary').textContent.includes('Accuracy')");
        // Another game is not this one's.
        page.leave_focus();
        page.paste("position startpos moves 2g2f 8c8d");
        page.wait("!document.querySelector('.summary')");
    });
}
