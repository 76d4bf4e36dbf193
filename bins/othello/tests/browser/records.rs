//! Texts in and out: what people paste, what they copy, what they set up by hand.

use serde_json::json;

use crate::story::{at, counts, disc, last, story, story_with};

const BOARD: &str = "------------------XO------XXX------OXX-----O--------------------";

/// Each text with the format that the page names, and the discs that are then on the board.
#[test]
fn pasted_texts_are_recognised() {
    let rows: Vec<_> = BOARD.as_bytes().chunks(8).collect();
    let rows: Vec<_> = rows
        .iter()
        .map(|row| String::from_utf8_lossy(row))
        .collect();
    let white = format!("{BOARD} O");
    let texts = [
        ("f5d6c3d3c4", "transcript", 6, 3),
        ("1. f5 d6 2. c3 d3 3. c4", "transcript", 6, 3),
        ("Ｆ５－Ｄ６－Ｃ３", "transcript", 5, 2),
        ("棋譜: f5d6", "transcript", 3, 3),
        ("f5 d6 c3 d3 c4 B+2", "transcript", 6, 3),
        (white.as_str(), "board", 6, 3),
        (&format!("{white} f4"), "board and moves", 5, 5),
        (&format!("[8 {} *]", rows.join(" ")), "board of GGS", 6, 3),
        (&format!("{white}; f4:+2; % comment"), "problem", 6, 3),
        ("0x0000100010100000 0x000020380c000000", "bitboards", 6, 3),
        (
            "(;GM[Othello]PC[GGS]PB[a]PW[b]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]B[d3]W[c5];)",
            "GGF",
            3,
            3,
        ),
        ("(;GM[2]FF[4];B[f5];W[d6])", "SGF", 3, 3),
        (
            "[White \"a\"]\n[Black \"b\"]\n\n1. f5 d6 2. c3",
            "PGN",
            5,
            2,
        ),
        (
            r#"{"position":{"moves":[{"m":"f5"},{"m":"d6"}]},"players":[{"name":"a"},{"name":"b"}]}"#,
            "Othello Quest",
            3,
            3,
        ),
        ("f5d6,1,2,3", "table", 3, 3),
    ];
    story_with(&json!({ "show.values": false }), |page| {
        for (text, kind, black, white) in texts {
            page.key("n", 0);
            page.wait(&counts(2, 2));
            page.paste(text);
            page.wait(&counts(black, white));
            page.says(&format!("Recognised: {kind}"));
        }
        // A board that does not say who plays: both are offered.
        for text in [&rows.join("\n"), &BOARD.replace('X', "0").replace('O', "1")] {
            page.key("n", 0);
            page.wait(&counts(2, 2));
            page.paste(text);
            page.wait("document.querySelectorAll('#dialog .found .button').length === 2");
            page.click("#dialog .found .button");
            page.wait(&counts(6, 3));
        }
        // A transcript that goes on from the board.
        page.paste("f5d6");
        page.wait(&counts(3, 3));
        page.paste("c3 d3");
        page.says("transcript from this position");
        page.wait(&last("d3"));
    });
}

#[test]
fn rubbish_is_refused_with_a_reason() {
    story(|page| {
        page.play("f5");
        page.paste("hello, world");
        page.wait(
            "/no game/.test(document.querySelector('#dialog[open] .failures li').textContent)",
        );
        page.key("Escape", 0);
        page.wait("!document.querySelector('#dialog').open");
        page.paste("f5f5");
        page.wait(
            "/move 2/.test(document.querySelector('#dialog[open] .failures li').textContent)",
        );
        page.key("Escape", 0);
        page.wait(&counts(4, 1));
    });
}

#[test]
fn a_dropped_file_is_read_or_gives_its_reason() {
    story(|page| {
        page.drop_file("game.ggf", b"\x81\xff\x80\x00\x01");
        page.wait("document.querySelector('#dialog[open] .failures li')");
        page.key("Escape", 0);
        page.wait("!document.querySelector('#dialog').open");
        page.drop_file("game.sgf", b"(;GM[2]FF[4];B[f5];W[d6])");
        page.says("SGF");
        page.wait(&counts(3, 3));
    });
}

#[test]
fn a_copied_transcript_is_pasted_again() {
    story(|page| {
        page.allow_clipboard();
        page.paste_moves("F5D6C3D3C4");
        page.key("c", 2);
        page.says("Copied: f5d6c3d3c4");
        assert_eq!(page.eval("navigator.clipboard.readText()"), "f5d6c3d3c4");
        page.key("n", 0);
        page.wait(&counts(2, 2));
        page.key("v", 2);
        page.wait(&last("c4"));
        // All formats of a game, and of a position.
        page.choose("output", "exportGame");
        page.wait("document.querySelector('#dialog select')");
        for (format, text) in [("ggf", "(;GM[Othello]"), ("sgf", "GM[2]"), ("board", "-X")] {
            page.eval(&format!(
                "(() => {{ const s = document.querySelector('#dialog select'); s.value = '{format}';
                    s.dispatchEvent(new Event('change', {{ bubbles: true }})); }})()"
            ));
            page.wait(&format!(
                "document.querySelector('#dialog textarea').value.includes('{text}')"
            ));
        }
    });
}

#[test]
fn a_position_is_set_up_by_mouse_and_keys() {
    let square = |name: &str| at(name).replace("#board", ".editor-board");
    story(|page| {
        page.paste_moves("F5D6C3");
        page.key("ArrowLeft", 0);
        page.key("ArrowLeft", 0);
        page.wait(&counts(4, 1));
        page.key("e", 2);
        page.wait("document.querySelector('#dialog[open] .editor-board')");
        // White on a1, black on b1; a1 is emptied again.
        page.key("w", 0);
        page.click(&square("a1"));
        page.key("b", 0);
        page.click(&square("b1"));
        page.wait(
            "document.querySelector('.editor-side').textContent.includes('Black 5, white 2')",
        );
        page.key("e", 0);
        page.click(&square("a1"));
        page.wait(
            "document.querySelector('.editor-side').textContent.includes('Black 5, white 1')",
        );
        page.eval("document.querySelector('#dialog .dialog-body').focus()");
        page.key("Enter", 0);
        page.wait(&disc("b1", "black"));
        page.wait(&counts(5, 1));
        // What followed still follows, as far as it is legal.
        page.key("End", 0);
        page.wait(&last("c3"));
        page.wait(&counts(6, 2));
    });
}
