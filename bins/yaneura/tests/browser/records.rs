//! Records and positions in all formats, variations, and the editor.

use serde_json::json;
use shogi_kifu::{CsaVersion, KifuFormat, read_games};
use test_support::{fixture_bytes, fixture_text};

use crate::story::{at, story};

#[test]
fn what_is_pasted_is_recognised() {
    let texts = [
        ("position startpos moves 7g7f 3c3d", "USI"),
        (
            "手合割：平手\n手数----指手---------消費時間--\n   1 ７六歩(77)   ( 0:01/00:00:01)\n",
            "KIF",
        ),
        ("V2.2\nPI\n+\n+7776FU\n-3334FU\n%TORYO\n", "CSA"),
        ("▲７六歩 △３四歩", "KI2"),
        ("sfen 4k4/9/9/9/9/9/9/9/4K4 b 2P 1", "SFEN"),
    ];
    story(|page| {
        page.click("#tab-moves");
        for (text, kind) in texts {
            page.paste(text);
            page.says(kind);
        }
        page.paste("hello");
        page.wait("document.querySelector('dialog .failures')");
        page.key("Escape", 0);
    });
}

#[test]
fn another_move_makes_a_variation_that_can_be_the_main_line() {
    story(|page| {
        page.click("#tab-moves");
        page.paste("position startpos moves 7g7f 3c3d");
        page.has_moves(&["P-7f", "P-3d"]);
        page.leave_focus();
        page.key("Home", 0);
        page.play("2g", "2f");
        page.has_moves(&["P-2f"]);
        page.wait("document.querySelectorAll('.variations .move').length === 2");
        page.key("l", 0);
        page.key("Home", 0);
        page.key("End", 0);
        page.has_moves(&["P-2f"]);
        page.key("Backspace", 0);
        page.has_moves(&["P-7f", "P-3d"]);
    });
}

#[test]
fn the_editor_says_what_is_wrong() {
    story(|page| {
        page.choose("input", "editBoard");
        page.wait("document.querySelector('dialog [data-spot]')");
        page.wait("document.querySelectorAll('dialog .failures li').length === 0");
        // A second pawn on a file, by key.
        page.eval("document.querySelector('dialog [data-spot=\"40\"]').focus()");
        page.key("P", 0);
        page.wait("document.querySelector('dialog .failures')?.textContent.includes('Two pawns')");
        page.key("Delete", 0);
        page.wait("!document.querySelector('dialog .failures')");
        page.press("Kings only");
        page.press("Use this position");
        page.wait(&format!(
            "document.querySelector('{}').getAttribute('aria-label').includes('empty')",
            at("7g")
        ));
        assert_eq!(
            page.eval("document.querySelectorAll('#board .cell .piece').length"),
            json!(2)
        );
    });
}

/// All moves of the record with their variations, as the page keeps them.
const KEPT: &str = "JSON.parse(sessionStorage.getItem('shogi.tree')).game.nodes.map((node) => [node.parent, node.move, node.end, node.comment])";

/// The game of a text: its moves, variations, comments and endings.
fn game_of(text: &[u8]) -> Vec<String> {
    let (_, mut games) = read_games(text).unwrap();
    let record = games.remove(0).unwrap().record;
    let (text, _) = KifuFormat::Kif.write(&record, CsaVersion::V3);
    text.lines().map(str::to_owned).collect()
}

#[test]
fn a_dropped_file_in_shift_jis_is_read() {
    story(|page| {
        page.click("#tab-moves");
        page.drop_file("game.kif", &fixture_bytes("kifu/game-sjis.kif"));
        page.says("KIF");
        page.wait("document.querySelector('.player.black').textContent.includes('先手太郎')");
        page.has_moves(&[
            "P-7f", "P-3d", "Bx2b+", "Sx2b", "B*4e", "G6a-5b", "Bx3d", "S-3c", "B-4e",
        ]);
        page.wait("document.querySelector('.record-end').textContent.includes('Resignation')");
    });
}

#[test]
fn a_dropped_file_that_is_no_record_gives_its_reason() {
    story(|page| {
        page.click("#tab-moves");
        let long = "7".repeat(100_000);
        for bytes in [b"\x81\xff\x80\x00\x01".as_slice(), b"", long.as_bytes()] {
            page.drop_file("game.kif", bytes);
            page.wait("document.querySelector('#dialog[open] .failures li')");
            page.key("Escape", 0);
            page.wait("!document.querySelector('#dialog').open");
        }
        page.play("7g", "7f");
        page.has_moves(&["P-7f"]);
    });
}

#[test]
fn what_is_copied_is_what_is_pasted() {
    story(|page| {
        page.allow_clipboard();
        page.click("#tab-moves");
        let golden = fixture_bytes("kifu/game.kif");
        page.paste(std::str::from_utf8(&golden).unwrap());
        page.says("KIF");
        page.leave_focus();
        page.key("c", 2);
        page.says("Copied: #KIF");
        // The record that is copied holds all that the file does.
        assert_eq!(game_of(page.clipboard().as_bytes()), game_of(&golden));
        for format in ["kif", "ki2", "csa", "jkf", "usi"] {
            page.choose("output", "exportGame");
            let select = "document.querySelector('#dialog select')";
            page.wait(select);
            page.eval(&format!(
                "(() => {{ {select}.value = '{format}';
                    {select}.dispatchEvent(new Event('change', {{ bubbles: true }})); }})()"
            ));
            page.wait(&format!(
                "{select}.value === '{format}' && document.querySelector('#dialog textarea[data-format={format}]')"
            ));
            let text = page.eval("document.querySelector('#dialog textarea').value");
            page.key("Escape", 0);
            page.wait("!document.querySelector('#dialog').open");
            let text = text.as_str().unwrap();
            page.choose("game", "clearGame");
            page.has_moves(&[]);
            page.paste(text);
            page.wait("document.querySelectorAll('.record-name').length === 10");
            page.choose("output", "exportGame");
            page.wait(select);
            page.eval(&format!(
                "(() => {{ {select}.value = '{format}';
                    {select}.dispatchEvent(new Event('change', {{ bubbles: true }})); }})()"
            ));
            page.wait(&format!(
                "document.querySelector('#dialog textarea[data-format={format}]')"
            ));
            let again = page.eval("document.querySelector('#dialog textarea').value");
            assert_eq!(again, text, "{format}");
            page.key("Escape", 0);
            page.wait("!document.querySelector('#dialog').open");
            page.choose("game", "previousGame");
        }
    });
}

#[test]
fn positions_are_copied_and_pasted() {
    let labels = "JSON.stringify([...document.querySelectorAll('#board [data-spot]')].map((cell) => cell.getAttribute('aria-label')))";
    story(|page| {
        page.allow_clipboard();
        page.paste("sfen lnsgk2nl/1r4g2/p1pppp1pp/6p2/1p5P1/2P6/PPSPPPP1P/7R1/LN1GKGSNL w Bbs 20");
        page.says("SFEN");
        let before = page.eval(labels);
        for format in ["sfen", "bod"] {
            page.choose("output", &format!("copy.{format}"));
            page.says("Copied");
            let text = page.clipboard();
            page.choose("input", "editBoard");
            page.press("Kings only");
            page.press("Use this position");
            page.wait("!document.querySelector('#dialog').open");
            page.wait(&format!("{labels} !== {before}"));
            page.paste(&text);
            page.says(&format.to_uppercase());
            page.wait(&format!("{labels} === {before}"));
        }
    });
}

#[test]
fn wrong_texts_give_their_reasons() {
    let texts = [
        ("position startpos moves 7g7f 7g7f", "7g7f"),
        ("sfen 4k4/9/9 b - 1", "rank"),
        ("手合割：平手\n   1 ７六歩(77)\n   2 ５五歩(66)\n", "2"),
        ("V2.2\nPI\n+\n+7776FU\n-3334XX\n", "5"),
    ];
    story(|page| {
        page.click("#tab-moves");
        for (text, reason) in texts {
            page.paste(text);
            page.wait(&format!(
                "document.querySelector('#dialog[open] .failures li')?.textContent.includes({})",
                json!(reason)
            ));
            page.key("Escape", 0);
            page.wait("!document.querySelector('#dialog').open");
            page.has_moves(&[]);
        }
    });
}

#[test]
fn variations_and_comments_outlive_a_reload() {
    story(|page| {
        page.click("#tab-moves");
        page.paste(&fixture_text("kifu/game.kif"));
        page.says("KIF");
        page.wait(&format!("{KEPT}.length >= 14"));
        let kept = page.eval(KEPT);
        page.eval("location.reload()");
        page.is_ready();
        page.wait("document.querySelectorAll('.record-name').length === 10");
        page.leave_focus();
        page.key("ArrowRight", 0);
        page.wait("document.querySelectorAll('.variations .move').length === 2");
        page.wait(&format!(
            "JSON.stringify({KEPT}) === JSON.stringify({kept})"
        ));
        page.allow_clipboard();
        page.key("c", 2);
        page.says("Copied: #KIF");
        assert_eq!(
            game_of(page.clipboard().as_bytes()),
            game_of(&fixture_bytes("kifu/game.kif"))
        );
    });
}

#[test]
fn a_handicap_game_is_recorded_as_one() {
    story(|page| {
        page.allow_clipboard();
        page.click("#tab-moves");
        page.choose("game", "newGame");
        page.pick("White", "");
        page.pick("Start from", "二枚落ち");
        page.press("Start");
        page.wait("document.querySelectorAll('#board .cell .piece').length === 38");
        page.wait("document.querySelector('.state-line').textContent.includes('White to play')");
        page.play("4a", "3b");
        page.has_moves(&["G-3b"]);
        page.play("7g", "7f");
        page.has_moves(&["G-3b", "P-7f"]);
        page.leave_focus();
        page.key("c", 2);
        page.says("Copied");
        let text = page.clipboard();
        assert!(text.contains("手合割：二枚落ち"), "{text}");
        assert!(!game_of(text.as_bytes()).is_empty());
    });
}

#[test]
fn a_move_against_the_rules_is_shown_and_copied_as_one() {
    story(|page| {
        page.allow_clipboard();
        page.click("#tab-moves");
        let text = "手合割：平手\n   1 ７六歩(77)\n   2 ９九歩(33)\n   3 反則勝ち\n";
        page.paste(text);
        page.says("KIF");
        page.leave_focus();
        page.key("End", 0);
        page.state_has("Illegal move by the opponent · Black wins");
        page.key("c", 2);
        page.says("Copied: #KIF");
        assert_eq!(
            game_of(page.clipboard().as_bytes()),
            game_of(text.as_bytes())
        );
    });
}
