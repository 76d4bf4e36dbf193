//! Pictures of the board: the screenshot, the editor of pictures, and those of the documentation.

use std::path::Path;

use serde_json::{Value, json};
use test_support::{ServerNeed, TestFolder};

use crate::story::{Story, at, last, story_in, story_with};

/// The width and height of a PNG.
fn png_size(bytes: &[u8]) -> (u32, u32) {
    assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    (number(16), number(20))
}

/// The colours of a PNG of 1024 pixels at the 64 squares, between the middle and the edge of a disc.
fn colours(page: &Story, png: &[u8]) -> Vec<Value> {
    let bytes = json!(png);
    let colours = page.eval(&format!(
        "(async () => {{
            const image = await createImageBitmap(new Blob([new Uint8Array({bytes})], {{ type: 'image/png' }}));
            const canvas = new OffscreenCanvas(image.width, image.height);
            const context = canvas.getContext('2d', {{ willReadFrequently: true }});
            context.drawImage(image, 0, 0);
            return Array.from({{ length: 64 }}, (_, square) => [...context.getImageData(
                (100 + (square % 8) * 100) * 1024 / 900, (70 + (square >> 3) * 100) * 1024 / 900, 1, 1).data]);
        }})()"
    ));
    colours.as_array().unwrap().clone()
}

#[test]
fn a_picture_has_the_discs_where_the_board_has_them() {
    story_with(&json!({ "show.values": false }), |page| {
        page.takes_downloads();
        page.allow_clipboard();
        page.paste_moves("F5D6C3");
        page.key("s", 2);
        page.says("The picture is copied and saved.");
        let png = page.downloaded(".png");
        assert_eq!(png_size(&png), (1024, 1024));
        let copied = page.eval(
            "navigator.clipboard.read().then((items) => items[0].getType('image/png')).then((blob) => blob.size > 1000)",
        );
        assert_eq!(copied, true);
        let discs = page.eval(
            "[...document.querySelectorAll('#board .cell')].map((cell) =>
                cell.querySelector('.disc.black:not(.ghost):not(.next)') ? [22, 26, 24, 255] :
                cell.querySelector('.disc.white:not(.ghost):not(.next)') ? [247, 246, 241, 255] : [44, 129, 96, 255])",
        );
        assert_eq!(&colours(page, &png), discs.as_array().unwrap());
    });
}

#[test]
fn a_diagram_has_marks_and_is_black_and_white() {
    let square = |name: &str| at(name).replace("#board", ".editor-board");
    story_with(&json!({ "show.values": false }), |page| {
        page.takes_downloads();
        page.paste_moves("F5D6C3");
        page.choose("output", "boardImage");
        page.click(&square("a1"));
        page.click(&square("f5"));
        page.wait("document.querySelectorAll('.editor-board .mark.square').length === 2");
        page.click("#dialog [name=mark]:nth-of-type(1)");
        let box_of = |text: &str| {
            page.eval(&format!(
                "[...document.querySelectorAll('#dialog .check-row')].find((row) => row.textContent.trim() === '{text}')
                    .querySelector('input').click()"
            ));
        };
        box_of("Text");
        page.click(&square("h8"));
        page.wait("document.querySelector('.editor-board .mark-text').textContent === 'A'");
        box_of("Black and white for print");
        box_of("Order of moves");
        page.wait("document.querySelectorAll('.editor-board .order').length === 3");
        page.click("#dialog [data-do=png]");
        let png = page.downloaded(".png");
        assert_eq!(png_size(&png), (1024, 1024));
        for colour in colours(page, &png) {
            assert!(colour[0] == colour[1] && colour[1] == colour[2], "{colour}");
        }
        page.click("#dialog [data-do=svg]");
        let svg = String::from_utf8(page.downloaded(".svg")).unwrap();
        assert!(svg.starts_with("<svg ") && !svg.contains("class="), "{svg}");
        let shown = page.eval(&format!(
            "(() => {{ const read = new DOMParser().parseFromString({}, 'image/svg+xml');
                return [read.querySelectorAll('parsererror').length, read.querySelectorAll('circle').length >= 7]; }})()",
            json!(svg)
        ));
        assert_eq!(shown, json!([0, true]));
    });
}

/// Makes the pictures of the page in README.md and README.ja.md:
/// `cargo test --release -p yane-othello --test browser -- --ignored pictures_of_the_documentation`.
#[test]
#[ignore = "writes the pictures of the documentation"]
fn pictures_of_the_documentation() {
    let moves = "f5d6c4d3c3f4f6f3e6e7f7c5b6g6d2f8g5c6d7c7e3e2g3h4d1b5a6b4b3c2e8d8g7g4h5h8h6h7c1f2h3e1f1b2a1b1g8g2g1a5a4b7a8h1a7h2b8c8a3a2";
    let images = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/images");
    for (language, suffix) in [("en", ""), ("ja", ".ja")] {
        let settings = json!({ "lang": language, "ai.level": 18, "show.clocks": false });
        let folder = TestFolder::new();
        story_in(ServerNeed::Server, folder, &settings, &[], |page| {
            page.resize(1280, 1020);
            page.paste_moves(moves);
            page.click("#tab-graph");
            page.key("A", 8);
            page.wait("document.querySelector('#panel progress')");
            page.wait("!document.querySelector('#panel progress')");
            page.wait("document.querySelector('.summary tbody')");
            page.leave_focus();
            for _ in 0..30 {
                page.key("ArrowLeft", 0);
            }
            page.wait(&last("c2"));
            page.wait("document.querySelector('#board .value.best-move')");
            page.wait("!document.querySelector('#toasts .toast')");
            // The search is done.
            page.wait("!document.querySelector('[data-fn=stop]')");
            let picture = page.webp(82);
            assert!(picture.len() < 150_000, "{} bytes", picture.len());
            std::fs::write(images.join(format!("page{suffix}.webp")), picture).unwrap();
        });
    }
}
