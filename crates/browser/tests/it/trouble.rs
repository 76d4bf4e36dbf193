//! What goes wrong is a message, and the page lives. Skipped as the pages are.

use std::fs;
use std::path::Path;

use serde_json::json;
use test_support::{StaticHost, TestFolder};

use crate::tab::Tab;

/// The text of the last message on the page.
const TOLD: &str = "document.querySelector('#toasts .toast:last-child')?.textContent ?? ''";

/// The board takes a move, as it does without an engine.
#[track_caller]
fn plays(tab: &Tab) {
    let label = "document.querySelector(\"[data-spot='51']\").ariaLabel";
    let before = tab.eval(label);
    tab.click("[data-spot='60']");
    tab.click("[data-spot='51']");
    tab.wait(&format!("{label} !== {before}"));
}

#[test]
fn too_much_memory_is_a_message() {
    let Some(tab) = Tab::open("othello/index.html?threads=1") else {
        return;
    };
    let script = "const told = await engine.ask('engine.set', { hash_mib: 16384 }).catch((error) => error.message);
        const { moves } = await engine.ask('hint', { depth: 4 });
        return [told, moves.length];";
    let value = tab.with_engine("{ game: 'othello' }", script);
    assert!(value[0].as_str().unwrap().contains("hash_mib"), "{value}");
    assert_eq!(value[1], 4);
    let script = "await engine.ask('engine.set', { options: { USI_Hash: '33554432' } });
        const { lines } = await engine.ask('think', { nodes: 1000 });
        return lines.length;";
    assert_eq!(tab.with_engine("{ game: 'shogi' }", script), 1);
}

#[test]
fn a_table_for_which_there_is_no_room_is_one_that_fits() {
    for (game, search, answer) in [("shogi", "think", "lines"), ("othello", "hint", "moves")] {
        let Some(tab) = Tab::open(&format!("{game}/index.html?threads=1&hash=100000")) else {
            return;
        };
        let script =
            format!("return (await engine.ask('{search}', {{ depth: 6 }})).{answer}.length;");
        let options = format!("{{ game: '{game}', hashMib: 100000 }}");
        let found = tab.with_engine(&options, &script);
        assert!(found.as_u64() > Some(0), "{game}: {found}");
        assert_eq!(tab.complaints(), [""; 0]);
    }
}

#[test]
fn what_is_no_record_is_told() {
    let Some(tab) = Tab::open("othello/index.html?threads=1") else {
        return;
    };
    // A text, and bytes as files have them.
    for (game, what) in [
        ("othello", "{ text: 'no record' }"),
        ("shogi", "{ text: 'no record' }"),
        ("shogi", "{ bytes: 'gf/+AAEC' }"),
    ] {
        let script = format!(
            "const {{ items, failures }} = await engine.ask('import', {what}); return [items.length, failures.length];"
        );
        let found = tab.with_engine(&format!("{{ game: '{game}' }}"), &script);
        assert_eq!(found[0], 0, "{game} {what}");
        assert!(found[1].as_u64() > Some(0), "{game} {what}");
    }
}

/// Copies a folder without the modules.
fn copy_without_modules(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (path, to) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy_without_modules(&path, &to);
        } else if path.extension().is_none_or(|ending| ending != "wasm") {
            fs::copy(&path, &to).unwrap();
        }
    }
}

#[test]
fn a_module_that_is_missing_or_broken_is_told() {
    let Some(pages) = StaticHost::pages() else {
        return;
    };
    let folder = TestFolder::new();
    copy_without_modules(&pages, &folder.path(""));
    // No file, one that is no module, and a module that is not ours.
    for (module, told) in [
        (None, "shogi-relaxed.wasm"),
        (Some("no module"), "WebAssembly"),
        (Some("\0asm\x01\0\0\0"), "TypeError"),
    ] {
        for variant in ["simd", "relaxed"] {
            if let Some(bytes) = module {
                folder.write(format!("engine/shogi-{variant}.wasm"), bytes);
            }
        }
        let host = StaticHost::start(&folder.path(""));
        let Some(tab) = Tab::at(host, "shogi/index.html?threads=1") else {
            return;
        };
        tab.wait(&format!("({TOLD}).includes({})", json!(told)));
        plays(&tab);
    }
}
