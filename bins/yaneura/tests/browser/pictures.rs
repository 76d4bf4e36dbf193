//! Pictures of the board, and those of the documentation.

use std::path::Path;

use serde_json::{Value, json};
use shogi_core::parse_position_line;
use test_support::{ServerNeed, TestFolder, fixture_text};

use crate::story::{Story, story, story_in};

/// The width and height of a PNG.
fn png_size(bytes: &[u8]) -> (u32, u32) {
    assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    (number(16), number(20))
}

/// Whether the picture has at the middle of each square a colour that is not the board's, and the colour of an empty square.
fn squares(page: &Story, png: &[u8]) -> Value {
    let bytes = json!(png);
    page.eval(&format!(
        "(async () => {{
            const image = await createImageBitmap(new Blob([new Uint8Array({bytes})], {{ type: 'image/png' }}));
            const canvas = new OffscreenCanvas(image.width, image.height);
            const context = canvas.getContext('2d', {{ willReadFrequently: true }});
            context.drawImage(image, 0, 0);
            const svg = document.querySelector('#board svg.board');
            const view = svg.viewBox.baseVal;
            const scale = image.width / view.width;
            const at = [];
            for (let square = 0; square < 81; square++) {{
                const cell = svg.querySelector(`[data-spot='${{square}}']`);
                const box = cell.getBoundingClientRect();
                const point = new DOMPoint(box.x + box.width / 2, box.y + box.height * 0.62).matrixTransform(svg.getScreenCTM().inverse());
                at.push(...[[0, 0], [-12, 0], [12, 0], [0, -14], [0, 10]].map(([x, y]) => [square,
                    context.getImageData((point.x + x - view.x) * scale, (point.y + y - view.y) * scale, 1, 1).data.join()]));
            }}
            const board = at.find(([square]) => square === 40)[1];
            const painted = new Set(at.filter(([, colour]) => colour !== board).map(([square]) => square));
            return {{ painted: [...painted], board }};
        }})()"
    ))
}

/// Squares with a piece in the start position.
fn occupied() -> Vec<usize> {
    let all = 0..81;
    all.filter(|square| match square / 9 {
        0 | 2 | 6 | 8 => true,
        1 | 7 => matches!(square % 9, 1 | 7),
        _ => false,
    })
    .collect()
}

#[test]
fn a_picture_has_the_pieces_where_the_board_has_them() {
    story(|page| {
        page.takes_downloads();
        page.allow_clipboard();
        page.leave_focus();
        page.key("s", 2);
        page.says("The picture is copied and saved.");
        let png = page.downloaded(".png");
        assert_eq!(png_size(&png).0, 1024);
        let copied = page.eval(
            "navigator.clipboard.read().then((items) => items[0].getType('image/png')).then((blob) => blob.size > 1000)",
        );
        assert_eq!(copied, true);
        let found = squares(page, &png);
        assert_eq!(found["painted"], json!(occupied()), "{found}");
    });
}

#[test]
fn svg_pictures_have_the_names_of_the_players() {
    story(|page| {
        page.takes_downloads();
        page.paste(&fixture_text("kifu/game.kif"));
        page.says("KIF");
        page.choose("output", "boardImage");
        page.click("#dialog [data-do=svg]");
        let svg = String::from_utf8(page.downloaded(".svg")).unwrap();
        assert!(svg.starts_with("<svg ") && !svg.contains("class="), "{svg}");
        assert!(
            svg.contains("先手太郎") && svg.contains("後手花子"),
            "{svg}"
        );
        let shown = page.eval(&format!(
            "(() => {{ const read = new DOMParser().parseFromString({}, 'image/svg+xml');
                return [read.querySelectorAll('parsererror').length, read.querySelectorAll('path').length >= 40]; }})()",
            json!(svg)
        ));
        assert_eq!(shown, json!([0, true]));
        page.click("#dialog [data-do=png]");
        let (width, height) = png_size(&page.downloaded(".png"));
        assert_eq!(width, 1024);
        assert!(height > 400, "{height}");
    });
}

/// Writes a picture of the page for the documentation.
fn write_picture(page: &Story, name: &str) {
    page.wait("!document.querySelector('#toasts .toast')");
    let picture = page.webp(82);
    assert!(picture.len() < 150_000, "{} bytes", picture.len());
    let images = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/images");
    std::fs::write(images.join(name), picture).unwrap();
    if let Some(folder) = std::env::var_os("PICTURES_AS_PNG") {
        let path = Path::new(&folder).join(name).with_extension("png");
        std::fs::write(path, page.png()).unwrap();
    }
}

/// A game from a double wing attack, as far as the fight for the second file.
const LINE: &str = "2g2f 8c8d 2f2e 8d8e 7g7f 4a3b 8h7g 3c3d 7i6h 2b7g+ 6h7g 3a2b 3i3h 7a6b 4g4f 6c6d 3h4g 6b6c 5i6h 5a4b 1g1f 1c1d 9g9f 9c9d 3g3f 7c7d 2i3g 8a7c 4i4h 6a6b";

/// Moves beside those of the line, with how much worse they are and how often they were played.
const OTHERS: [(&str, i32, usize); 7] = [
    ("7g7f", 9, 310),
    ("3c3d", 17, 122),
    ("2g2f", 26, 61),
    ("8c8d", 38, 33),
    ("4a3b", 51, 20),
    ("6i7h", 64, 9),
    ("1g1f", 88, 4),
];

/// A book of the positions of the line.
fn book() -> String {
    let moves: Vec<&str> = LINE.split(' ').collect();
    let entry = |ply: usize, text: &str| {
        let before = format!("startpos moves {}", moves[..ply].join(" "));
        let game = parse_position_line(before.trim_end_matches(" moves ")).unwrap();
        let position = game.position();
        let reply = moves.get(ply + 1).unwrap_or(&"none");
        let score = [31, -28, 35, -30, 42, -37, 40][ply % 7];
        let first = format!("{text} {reply} {score} {} {}", 34 - ply % 5, 900 - ply * 25);
        let is_other = |other: &str| other != text && position.move_from_usi(other).is_ok();
        let others = OTHERS.iter().filter(|(other, ..)| is_other(other));
        let others = others.map(|(other, worse, count)| {
            let score = score - worse;
            format!("{other} none {score} {} {count}", 30 - ply % 3)
        });
        let lines: Vec<_> = std::iter::once(first).chain(others).collect();
        format!("sfen {}\n{}\n", position.to_sfen(), lines.join("\n"))
    };
    let mut entries: Vec<_> = moves
        .iter()
        .enumerate()
        .map(|(ply, text)| entry(ply, text))
        .collect();
    entries.sort();
    format!("#YANEURAOU-DB2016 1.00\n{}", entries.concat())
}

/// Makes the pictures of the page in docs/shogi-page.md and docs/shogi-page.ja.md:
/// `cargo test --release -p yaneura --test browser -- --ignored pictures_of_the_documentation`.
#[test]
#[ignore = "writes the pictures of the documentation"]
fn pictures_of_the_documentation() {
    for (language, suffix) in [("en", ""), ("ja", ".ja")] {
        let settings = json!({ "lang": language, "theme": "light", "show.clocks": false, "board.flip": false, "show.bookArrows": true, "research.lines": 3 });
        let folder = TestFolder::new();
        folder.write("standard.db", book());
        story_in(
            ServerNeed::Books,
            folder,
            &settings,
            &["standard.db"],
            |page| {
                page.resize(1280, 900);
                page.paste(&format!("position startpos moves {LINE}"));
                page.wait("document.querySelector('#toasts .toast')");
                page.click("#tab-engine");
                page.leave_focus();
                page.key("r", 0);
                page.wait("document.querySelectorAll('.thought tbody tr').length === 3");
                page.wait("[...document.querySelectorAll('.thought tbody tr td:nth-child(3)')].every((cell) => parseInt(cell.textContent) >= 12)");
                page.key("q", 0);
                page.wait("!document.querySelector('.thought .thinking')");
                page.wait("document.querySelector('#board .arrow.best')");
                write_picture(page, &format!("shogi-page{suffix}.webp"));
                page.click("#tab-book");
                page.leave_focus();
                for _ in 0..14 {
                    page.key("ArrowLeft", 0);
                }
                page.wait("document.querySelectorAll('.book-moves tbody tr').length >= 2");
                write_picture(page, &format!("shogi-books{suffix}.webp"));
            },
        );
    }
}
