//! The library as a page asks it: records saved, loaded, moved, thrown away, in files of all formats.

use std::time::Duration;

use serde_json::{Value, json};
use shogi_kifu::{GameNode, GameRecord, KifuFormat, read_games};
use test_support::fixture_bytes;

use crate::library_support::{Library, ask, names, open, record};

/// The one record of a file.
fn read(bytes: &[u8]) -> (KifuFormat, GameRecord) {
    let (format, mut games) = read_games(bytes).unwrap();
    assert_eq!(games.len(), 1);
    (format, games.remove(0).unwrap().record)
}

#[test]
fn records_of_all_formats_are_listed_and_come_back_as_they_were() {
    let library = Library::golden();
    library.indexed();
    let list = library.list("");
    assert_eq!(
        (&list["total"], &list["damaged_total"]),
        (&json!(5), &json!(0))
    );
    for entry in list["games"].as_array().unwrap() {
        let name = entry["game"].as_str().unwrap();
        let (_, known) = read(&fixture_bytes(format!("kifu/{name}")));
        assert_eq!(entry["plies"], known.moves().count(), "{entry}");
        assert!(
            entry["winner"].is_string() && entry["end"].is_string(),
            "{entry}"
        );
        // A page sends back what it understands; the rest is kept, in the format of the file.
        let game = library.ask("library.get", json!({ "game": name })).unwrap();
        assert_eq!(&game["entry"], entry);
        let put = json!({ "game": name, "record": game["game"] });
        let saved = library.ask("library.put", put).unwrap();
        assert_eq!(saved["game"], name);
        let (format, again) = read(&std::fs::read(library.path(name)).unwrap());
        let (before, _) = read(&fixture_bytes(format!("kifu/{name}")));
        assert_eq!(format, before);
        let moves = |record: &GameRecord| record.nodes().filter_map(GameNode::played_move).count();
        assert_eq!(moves(&again), moves(&known), "{name}");
        assert_eq!(again.ending(), known.ending(), "{name}");
        let notes = |record: &GameRecord| {
            let all: Vec<_> = { record.nodes() }
                .map(|node| (node.time, node.comments.clone(), node.remarks.clone()))
                .collect();
            all
        };
        assert_eq!(notes(&again).len(), notes(&known).len(), "{name}");
        for note in notes(&known) {
            assert!(notes(&again).contains(&note), "{name}: {note:?}");
        }
    }
    // Shift_JIS stays Shift_JIS.
    let bytes = std::fs::read(library.path("game-sjis.kif")).unwrap();
    assert!(std::str::from_utf8(&bytes).is_err());
    assert_eq!(library.list("")["total"], 5);
}

#[test]
fn what_a_format_cannot_hold_becomes_a_kif() {
    let library = Library::new();
    library.write("a.sfen", "startpos moves 7g7f 3c3d\n");
    let mut game = library
        .ask("library.get", json!({ "game": "a.sfen" }))
        .unwrap();
    game["game"]["nodes"][1]["comment"] = json!("a remark");
    let put = json!({ "game": "a.sfen", "record": game["game"] });
    let saved = library.ask("library.put", put).unwrap();
    assert_eq!(saved["game"], "a.kif");
    library.indexed();
    assert_eq!(names(&library.list("")), ["a.kif"]);
    assert_eq!(names(&library.list(".trash")), ["a.sfen"]);
    let (_, kept) = read(&std::fs::read(library.path("a.kif")).unwrap());
    assert!(kept.nodes().any(|node| node.comments == ["a remark"]));
}

#[test]
fn a_game_goes_its_way_through_the_library() {
    let library = Library::new();
    let first = library.save(&record(&["7g7f", "3c3d"], "Ann", "2026/11/29"));
    let second = library.save(&record(&["2g2f"], "Bob", "2025/01/02"));
    assert_ne!(first, second);
    assert_eq!(first.len(), "2026_11_29_04_02_28.kif".len());
    let bytes = std::fs::read(library.path(&first)).unwrap();
    assert!(std::str::from_utf8(&bytes).unwrap().contains("先手：Ann"));
    let list = library.list("");
    assert_eq!(names(&list), [first.clone(), second.clone()]);
    let entry = &list["games"][0];
    let told = ["date", "black", "white", "event", "end", "winner"].map(|name| &entry[name]);
    assert_eq!(told, ["2026-11-29", "Ann", "W", "Cup", "TORYO", "white"]);
    assert_eq!((&entry["plies"], &entry["folder"]), (&json!(2), &json!("")));
    library
        .ask("library.folder", json!({ "folder": "best" }))
        .unwrap();
    let moved = json!({ "folder": "", "games": [first], "to": "best" });
    library.ask("library.move", moved).unwrap();
    assert_eq!(names(&library.list("best")), std::slice::from_ref(&first));
    assert_eq!(names(&library.list("")), std::slice::from_ref(&second));
    let copied = json!({ "folder": "best", "games": [first], "to": "" });
    assert_eq!(
        library.ask("library.copy", copied).unwrap()["games"],
        json!([first])
    );
    let trashed = json!({ "folder": "best", "games": [first] });
    library.ask("library.trash", trashed.clone()).unwrap();
    assert_eq!(library.list("best")["total"], 0);
    assert_eq!(library.list("")["trash"], true);
    // It can be had back.
    let back = json!({ "folder": ".trash/best", "games": [first], "to": "best" });
    library.ask("library.move", back).unwrap();
    assert_eq!(library.search(json!({ "player": "ann" }))["total"], 2);
    assert!(library.told("library_changed").len() >= 6);
    // What is in the trash is not found, and not thrown away twice.
    library.ask("library.trash", trashed).unwrap();
    assert_eq!(library.search(json!({ "player": "ann" }))["total"], 1);
    let twice = json!({ "folder": ".trash/best", "games": [first] });
    assert!(library.ask("library.trash", twice).is_err());
}

#[test]
fn files_of_several_games_are_folders_that_are_only_read() {
    let library = Library::new();
    let text = "startpos moves 7g7f 3c3d\nstartpos moves 2g2f\nstartpos moves 7g7z\nstartpos moves 5g5f 8c8d\n";
    library.write("many.sfen", text);
    library.indexed();
    let list = library.list("");
    assert_eq!(
        (&list["folders"], &list["total"]),
        (&json!(["many.sfen"]), &json!(0))
    );
    assert_eq!(list["damaged_total"], 1);
    let inside = library.list("many.sfen");
    assert_eq!(inside["read_only"], true);
    assert_eq!(names(&inside), ["1", "2", "4"]);
    let name = json!({ "folder": "many.sfen", "game": "4" });
    let game = library.ask("library.get", name).unwrap();
    assert_eq!(game["game"]["nodes"][1]["move"], "5g5f");
    for op in ["library.trash", "library.move"] {
        let fields = json!({ "folder": "many.sfen", "games": ["1"], "to": "" });
        let refused = library.ask(op, fields).unwrap_err();
        assert!(refused.text.contains("only read"), "{refused}");
    }
    let copy = json!({ "folder": "many.sfen", "games": ["4", "1"], "to": "" });
    let copied = library.ask("library.copy", copy).unwrap();
    assert_eq!(copied["games"].as_array().unwrap().len(), 2);
    assert_eq!(library.list("")["total"], 2);
    let missing = json!({ "folder": "many.sfen", "games": ["9"], "to": "" });
    assert!(library.ask("library.copy", missing).is_err());
}

#[test]
fn what_others_add_change_and_damage_is_seen() {
    let library = Library::new();
    library.write("a.kif", fixture_bytes("kifu/game.kif"));
    library.write("b.csa", "V2.2\nPI\n+\n+7776FU\n+2726FU\n/\nx");
    library.write("c.kif", "");
    library.write("notes.txt", "dear reader\n");
    library.write("data.json", "{\"a\": 1}");
    library.indexed();
    let list = library.list("");
    assert_eq!(names(&list), ["a.kif"]);
    assert!(list["damaged_total"].as_u64().unwrap() >= 2, "{list}");
    let damaged = list["damaged"].as_array().unwrap();
    assert!(
        damaged
            .iter()
            .all(|one| one["name"] != "notes.txt" && one["name"] != "data.json")
    );
    let put = json!({ "game": "c.kif", "record": record(&["7g7f"], "x", "") });
    assert!(library.ask("library.put", put).is_err());
    // A game changed in place, by an editor that leaves no trace in the folder.
    std::thread::sleep(Duration::from_millis(300));
    library.list("");
    std::fs::write(
        library.path("a.kif"),
        "先手：Changed\n手合割：平手\n1 ２六歩(27)\n",
    )
    .unwrap();
    library.write("c.kif", "先手：Repaired\n手合割：平手\n1 ７六歩(77)\n");
    library.write("new/d.kif", "先手：Added\n手合割：平手\n1 ７六歩(77)\n");
    for name in ["Changed", "Repaired", "Added"] {
        assert_eq!(
            library.search(json!({ "player": name }))["total"],
            1,
            "{name}"
        );
    }
    std::fs::remove_file(library.path("new/d.kif")).unwrap();
    std::fs::remove_dir(library.path("new")).unwrap();
    assert_eq!(library.search(json!({ "player": "Added" }))["total"], 0);
}

#[test]
fn two_tabs_and_two_programs_lose_nothing() {
    let library = Library::new();
    let other = open(&library.folder);
    std::thread::scope(|scope| {
        for one in [&library.of_records, &other] {
            for black in ["Ann", "Bob"] {
                scope.spawn(move || {
                    for _ in 0..6 {
                        let record = record(&["7g7f"], black, "2026/01/01");
                        ask(one, "library.put", json!({ "record": record })).unwrap();
                    }
                });
            }
        }
    });
    for one in [&library.of_records, &other] {
        let list = ask(one, "library.list", json!({})).unwrap();
        assert_eq!(list["total"], 24);
    }
}

#[test]
fn names_that_lead_elsewhere_are_refused() {
    let library = Library::golden();
    library
        .folder
        .write("secret.kif", fixture_bytes("kifu/game.kif"));
    for folder in [
        "..",
        "../",
        "/",
        "a/../..",
        ".git",
        "missing",
        "game.kif/x",
        "C:",
    ] {
        for op in ["library.list", "library.trash", "library.put"] {
            let fields =
                json!({ "folder": folder, "games": ["a"], "record": record(&["7g7f"], "x", "") });
            assert!(library.ask(op, fields).is_err(), "{op} {folder}");
        }
    }
    for game in [
        "../secret.kif",
        "..",
        "",
        ".trash/a",
        "/etc/passwd",
        "a\0.kif",
        "con",
        "none.kif",
    ] {
        assert!(
            library.ask("library.get", json!({ "game": game })).is_err(),
            "{game}"
        );
        let put = json!({ "game": game, "record": record(&["7g7f"], "x", "") });
        assert!(library.ask("library.put", put).is_err(), "{game}");
        let trash = json!({ "folder": "", "games": [game] });
        assert!(library.ask("library.trash", trash).is_err(), "{game}");
    }
    for name in ["con", "a?", ".hidden", "a/b/c", "", "nul.kif"] {
        assert!(
            library
                .ask("library.folder", json!({ "folder": name }))
                .is_err(),
            "{name}"
        );
    }
    #[cfg(unix)]
    {
        let secret = library.folder.path("secret.kif");
        std::os::unix::fs::symlink(&secret, library.path("link.kif")).unwrap();
        std::os::unix::fs::symlink(library.folder.path(""), library.path("out")).unwrap();
        assert!(
            library
                .ask("library.get", json!({ "game": "link.kif" }))
                .is_err()
        );
        assert!(
            library
                .ask("library.list", json!({ "folder": "out" }))
                .is_err()
        );
        assert!(
            library
                .ask("library.list", json!({ "folder": "link.kif" }))
                .is_err()
        );
        assert_eq!(library.list("")["folders"], json!([]));
    }
    assert!(library.folder.path("secret.kif").exists());
}

#[test]
fn imports_copy_what_can_be_read() {
    let library = Library::new();
    let folder = &library.folder;
    for name in ["old/game-sjis.kif", "old/deep/game.csa"] {
        let path = folder.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let file = name.rsplit('/').next().unwrap();
        std::fs::write(path, fixture_bytes(format!("kifu/{file}"))).unwrap();
    }
    folder.write(
        "old/many.sfen",
        "startpos moves 7g7f\nstartpos moves 2g2f\n",
    );
    folder.write("old/bad.kif", "nothing");
    let import = json!({ "folder": "", "root": "r", "path": "old" });
    let done = library.ask("library.import", import.clone()).unwrap();
    let told = ["games", "archives", "failed"].map(|name| done[name].clone());
    assert_eq!(told, [json!(2), json!(["many.sfen"]), json!(1)]);
    assert_eq!(done["failures"][0]["name"], "bad.kif");
    library.indexed();
    assert_eq!(names(&library.list("deep")), ["game.csa"]);
    let copied = std::fs::read(library.path("game-sjis.kif")).unwrap();
    assert_eq!(copied, fixture_bytes("kifu/game-sjis.kif"));
    // The same once more stands beside it.
    library.ask("library.import", import).unwrap();
    assert_eq!(library.list("")["total"], 2);
    let itself = json!({ "folder": "", "root": "r", "path": "games" });
    assert!(library.ask("library.import", itself).is_err());
}

#[test]
fn searches_take_everything_that_is_given_together() {
    let library = Library::golden();
    let ranging = ["7g7f", "3c3d", "6g6f", "8c8d", "2h6h"];
    let mut game = record(&ranging, "Ｐｏｎａｎｚａ　Ⅱ", "1999/05/01");
    game["nodes"][0]["comment"] = json!("a famous game");
    let saved = library.save(&game);
    library.save(&record(&["2g2f", "8c8d"], "羽生　善治", "2001/01/01"));
    let found = |search: Value| {
        let list = library.search(search);
        (list["total"].as_u64().unwrap(), names(&list))
    };
    for search in [
        json!({ "player": "ponanza" }),
        json!({ "text": "FAMOUS" }),
        json!({ "years": [1999, 2000] }),
        json!({ "opening": "四間飛車", "years": [1990, 1999] }),
        json!({ "opening": "ranging", "player": "PONA" }),
    ] {
        let (total, games) = found(search.clone());
        assert!(total >= 1 && games.contains(&saved), "{search} {total}");
    }
    assert_eq!(found(json!({ "player": "羽生善治" })).0, 1);
    assert_eq!(found(json!({ "player": "famous" })).0, 0);
    assert_eq!(
        found(json!({ "opening": "ranging rook", "years": [2001, 2001] })).0,
        0
    );
    assert_eq!(found(json!({ "opening": "右四間飛車" })).0, 0);
    // A position, whatever its ply: that of the two.
    let mut position = shogi_core::Position::startpos();
    for mv in ranging {
        let m = position.move_from_usi(mv).unwrap();
        let _undo = position.try_do_move(m).unwrap();
    }
    let sfen = position.to_sfen().replace(" 6", " 77");
    assert_eq!(found(json!({ "position": sfen })).1, [saved]);
    let start = shogi_core::Position::startpos().to_sfen();
    assert_eq!(
        found(json!({ "position": start, "years": [2001, 2001] })).0,
        1
    );
    let wrong = library.ask("library.list", json!({ "search": { "position": "x" } }));
    assert!(wrong.is_err());
    assert_eq!(found(json!({ "text": "nothing has this" })).0, 0);
}
