//! What hostile requests get: nothing outside of the roots, and no program.

use serde_json::json;
use test_support::{PageClient, PageServer, ServerNeed, TestFolder};

use crate::story::{PROGRAM, story_in};

/// A tab of a server in a folder, without a browser.
fn tab_in(folder: TestFolder) -> (PageServer, PageClient) {
    let server = PageServer::start(PROGRAM, folder, &json!({}), &[]);
    let tab = PageClient::connect(server.url.trim());
    (server, tab)
}

#[test]
#[cfg(unix)]
fn nothing_outside_of_the_roots_is_opened() {
    let outside = TestFolder::new();
    outside.write(
        "secret.db",
        "#YANEURAOU-DB2016 1.00\nsfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n7g7f 3c3d 1 2 3\n",
    );
    outside.write("secret.kif", "手合割：平手\n   1 ７六歩(77)\n");
    let folder = TestFolder::new();
    std::fs::create_dir(folder.path("games")).unwrap();
    folder.write("own.db", outside.read("secret.db"));
    for name in ["secret.db", "secret.kif"] {
        std::os::unix::fs::symlink(outside.path(name), folder.path(name)).unwrap();
    }
    let beside = outside.path("").display().to_string();
    let (_server, mut tab) = tab_in(folder);
    let roots = tab.ask("files.roots", json!({})).unwrap();
    let root = roots["roots"][0]["root"].clone();
    let kinds = tab.ask("job.kinds", json!({})).unwrap();
    let kinds = kinds["kinds"].as_array().unwrap();
    let kind = kinds.iter().find(|one| one["command"] == "yaneura analyze");
    let kind = kind.unwrap();
    let options = kind["options"].as_array().unwrap();
    let files = options.iter().find(|option| option["takes"] == "files");
    let files = files.unwrap()["name"].as_str().unwrap();
    let name = beside.trim_end_matches('/').rsplit('/').next().unwrap();
    for file in ["secret.db", "secret.kif"] {
        for path in [
            file.to_owned(),
            format!("../{name}/{file}"),
            format!("games/../../{name}/{file}"),
            format!("{beside}/{file}"),
            format!("{file}\0"),
        ] {
            let place = json!({ "root": root, "path": path });
            tab.ask("book.open", place.clone()).unwrap_err();
            tab.ask("files.list", place.clone()).unwrap_err();
            let import = json!({ "root": root, "path": path, "folder": "" });
            tab.ask("library.import", import).unwrap_err();
            let options = json!({ (files): [place] });
            tab.ask(
                "job.start",
                json!({ "kind": kind["kind"], "options": options }),
            )
            .unwrap_err();
        }
    }
    assert_eq!(tab.ask("book.list", json!({})).unwrap()["books"], json!([]));
    // What lies inside is opened.
    tab.ask("book.open", json!({ "root": root, "path": "own.db" }))
        .unwrap();
}

#[test]
fn no_request_names_a_program() {
    let (_server, mut tab) = tab_in(TestFolder::new());
    for engine in ["/bin/sh", "../own", "own\0", "sh -c id", "", "<b>own</b>"] {
        for (op, fields) in [
            ("think", json!({ "engine": engine, "depth": 1 })),
            ("play", json!({ "engine": engine, "time_ms": 1 })),
            (
                "analyze",
                json!({ "engine": engine, "nodes": 1, "game": { "nodes": [{ "parent": null, "move": null }, { "parent": 0, "move": "7g7f" }] } }),
            ),
            ("engine.start", json!({ "engine": engine })),
            (
                "engine.set",
                json!({ "engine": engine, "options": { "USI_Hash": "2" } }),
            ),
            ("engine.clear", json!({ "engine": engine })),
        ] {
            let refused = tab.ask(op, fields).unwrap_err();
            assert!(refused.0.contains("engine"), "{op} {engine:?}: {refused:?}");
        }
    }
}

/// Names of players and engines are text, whatever they look like.
#[test]
#[cfg(unix)]
fn names_are_text_and_never_markup() {
    let hostile = "<img src=x onerror=alert(1)>";
    let folder = TestFolder::new();
    let script = test_support::UsiScript::new("<b>bold</b> & $(id)").go("echo bestmove resign");
    let path = script.write(&folder.path("fake"));
    let engine = path.display().to_string();
    let args = ["--engine", &engine];
    story_in(
        ServerNeed::OtherEngines,
        folder,
        &json!({}),
        &args,
        |page| {
            page.paste(&format!(
                "先手：{hostile}\n後手：b\n手合割：平手\n   1 ７六歩(77)\n*{hostile}\n"
            ));
            page.says("KIF");
            page.wait(&format!(
                "document.querySelector('.player.black b').textContent === {}",
                json!(hostile)
            ));
            page.each_tab(|_| {});
            page.choose("output", "exportGame");
            page.wait("document.querySelector('#dialog textarea')");
            page.key("Escape", 0);
            assert_eq!(page.eval("document.querySelectorAll('img').length"), 0);
        },
    );
}
