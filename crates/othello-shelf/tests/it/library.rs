//! The library as a page asks it: games saved, loaded, moved, thrown away, in files that Egaroucid reads.

use serde_json::{Value, json};

use crate::library_support::{Shelf, ask, names, open, record, table};

/// A game as Egaroucid writes it, with members that are not known here, a result that the board does not show, and a value beyond 2^53.
const EGAROUCID: &str = r#"{
  "date": "2026-07-21",
  "black_player": "Ann",
  "white_player": "Bob, Jr.",
  "memo": "first line\nsecond line",
  "black_discs": 40,
  "white_discs": 24,
  "tags": ["a", 18446744073709551615],
  "4": {
    "board_player": 34628173824,
    "board_opponent": 68853694464,
    "player": 0,
    "value": 100000000,
    "level": -1,
    "policy": -1,
    "next_policy": 26,
    "black_time_msec": 9007199254740993,
    "white_time_msec": 0,
    "is_random_generated_position": false
  },
  "5": {
    "board_player": 68719476736,
    "board_opponent": 34829500416,
    "player": 1,
    "value": -2,
    "level": 21,
    "policy": 26,
    "next_policy": 20,
    "black_time_msec": 1,
    "white_time_msec": 0,
    "is_random_generated_position": true
  }
}
"#;

fn values(text: &str) -> Value {
    // Numbers of 64 bits are exact here.
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_game_of_egaroucid_is_loaded_and_saved_with_every_field_it_had() {
    let shelf = Shelf::new();
    let old = shelf.path("2026_07_21_10_00_00.json");
    std::fs::write(&old, EGAROUCID).unwrap();
    shelf.indexed();
    let list = shelf.list("");
    let entry = &list["games"][0];
    assert_eq!(
        (&entry["black"], &entry["white"], &entry["black_discs"]),
        (&json!("Ann"), &json!("Bob, Jr."), &json!(40))
    );
    let name = json!({ "folder": "", "game": "2026_07_21_10_00_00" });
    let game = shelf.ask("library.get", name.clone()).unwrap()["game"].clone();
    assert_eq!(game["nodes"][1]["move"], "f5");
    // The page sends back what it understands.
    let info = &game["info"];
    let info = json!({ "black": info["black"], "white": info["white"], "date": info["date"], "comment": info["comment"] });
    let sent = json!({ "start": game["start"], "info": info, "nodes": game["nodes"] });
    let put = json!({ "folder": "", "from": name, "record": sent });
    let saved = shelf.ask("library.put", put).unwrap();
    let new = shelf.path(&format!("{}.json", saved["game"].as_str().unwrap()));
    assert_ne!(new, old);
    let written = std::fs::read_to_string(&new).unwrap();
    assert_eq!(values(&written), values(EGAROUCID));
    for text in [
        "18446744073709551615",
        "9007199254740993",
        "\"next_policy\": 20",
    ] {
        assert!(written.contains(text), "{text}: {written}");
    }
    // Byte by byte what it was, but for the order of the members and their blanks.
    let lines = |text: &str| {
        let mut lines: Vec<_> = text
            .lines()
            .map(|line| line.trim().trim_end_matches(',').to_owned())
            .collect();
        lines.sort();
        lines
    };
    assert_eq!(lines(&written), lines(EGAROUCID));
    assert_eq!(std::fs::read_to_string(&old).unwrap(), EGAROUCID);
    let table = table(&shelf, "");
    assert!(
        table.contains(
            "2026_07_21_10_00_00,Ann,\"Bob, Jr.\",first line second line,40,24,2026-07-21\n"
        ),
        "{table}"
    );
    assert_eq!(table.lines().count(), 2);
}

#[test]
fn a_game_goes_its_way_through_the_library() {
    let shelf = Shelf::new();
    let put = |game: Value, black: &str| {
        let record = record("f5d6c3", black, "2026-11-29");
        shelf
            .ask("library.put", json!({ "game": game, "record": record }))
            .unwrap()["game"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let first = put(Value::Null, "Ann");
    let second = put(Value::Null, "Bob");
    assert_ne!(first, second);
    assert_eq!(first.len(), "2026_11_29_04_02_28".len());
    assert_eq!(put(json!(first), "Cleo"), first);
    let list = shelf.list("");
    assert_eq!((names(&list).len(), &list["total"]), (2, &json!(2)));
    assert_eq!(table(&shelf, "").lines().count(), 2);
    shelf
        .ask("library.folder", json!({ "folder": "best" }))
        .unwrap();
    let moved = json!({ "folder": "", "games": [first], "to": "best" });
    shelf.ask("library.move", moved).unwrap();
    assert_eq!(names(&shelf.list("best")), std::slice::from_ref(&first));
    assert_eq!(names(&shelf.list("")), std::slice::from_ref(&second));
    assert!(table(&shelf, "best").contains(",Cleo,W,a memo in two lines,-1,-1,2026-11-29"));
    assert!(!table(&shelf, "").contains("Cleo"));
    let trashed = json!({ "folder": "best", "games": [first] });
    shelf.ask("library.trash", trashed).unwrap();
    assert_eq!(shelf.list("best")["total"], 0);
    let list = shelf.list("");
    assert_eq!(
        (&list["folders"], &list["trash"]),
        (&json!(["best"]), &json!(true))
    );
    // It can be had back.
    assert_eq!(
        names(&shelf.list(".trash/best")),
        std::slice::from_ref(&first)
    );
    let back = json!({ "folder": ".trash/best", "games": [first], "to": "best" });
    shelf.ask("library.move", back).unwrap();
    assert_eq!(names(&shelf.list("best")), std::slice::from_ref(&first));
    let found = shelf.search(json!({ "player": "cleo" }));
    assert_eq!(found["games"][0]["folder"], "best");
    assert!(shelf.told("library_changed").len() >= 6);
}

#[test]
fn variations_and_comments_come_back() {
    let shelf = Shelf::new();
    let record = json!({ "nodes": [
        { "parent": null, "move": null },
        { "parent": 0, "move": "f5", "black_value": -1.5, "level": 21, "comment": "begin" },
        { "parent": 1, "move": "d6", "time_ms": 1200 },
        { "parent": 1, "move": "f6" },
    ] });
    let saved = shelf
        .ask("library.put", json!({ "record": record }))
        .unwrap();
    let got = shelf.ask("library.get", saved.clone()).unwrap();
    let nodes = got["game"]["nodes"].as_array().unwrap();
    assert_eq!(nodes.len(), 4);
    assert_eq!(nodes[1]["black_value"], -1.5);
    assert_eq!(
        (&nodes[1]["comment"], &nodes[2]["time_ms"]),
        (&json!("begin"), &json!(1200))
    );
    assert_eq!(
        (&nodes[3]["parent"], &nodes[3]["move"]),
        (&json!(1), &json!("f6"))
    );
    // They move along, and are gone once the game is saved without them.
    let game = saved["game"].as_str().unwrap();
    shelf
        .ask("library.folder", json!({ "folder": "a" }))
        .unwrap();
    shelf
        .ask("library.move", json!({ "games": [game], "to": "a" }))
        .unwrap();
    let name = json!({ "folder": "a", "game": game });
    let got = shelf.ask("library.get", name.clone()).unwrap();
    assert_eq!(got["game"]["nodes"].as_array().unwrap().len(), 4);
    let plain = crate::library_support::record("f5d6", "Ann", "");
    let put = json!({ "folder": "a", "game": game, "record": plain });
    shelf.ask("library.put", put).unwrap();
    let got = shelf.ask("library.get", name).unwrap();
    assert_eq!(got["game"]["nodes"].as_array().unwrap().len(), 3);
}

#[test]
fn files_that_others_add_and_damage_are_noticed() {
    let shelf = Shelf::new();
    for (name, text) in [
        ("a.json", EGAROUCID),
        ("b.json", "{\"4\": {\"board_player\": 1"),
        ("c.json", ""),
    ] {
        std::fs::write(shelf.path(name), text).unwrap();
    }
    std::fs::write(
        shelf.path("summary.csv"),
        "gone,x,y,,1,2,2020\nb,known,before,,1,2,2021-01-01\n",
    )
    .unwrap();
    shelf.indexed();
    let list = shelf.list("");
    assert_eq!(names(&list), ["a"]);
    assert_eq!(list["damaged_total"], 2);
    let damaged: Vec<_> = list["damaged"].as_array().unwrap().iter().collect();
    assert_eq!(
        (&damaged[0]["name"], &damaged[1]["name"]),
        (&json!("b.json"), &json!("c.json"))
    );
    assert!(!damaged[0]["error"].as_str().unwrap().is_empty());
    // The row of the damaged game stays, that of the missing one does not.
    let text = table(&shelf, "");
    assert_eq!(
        text.lines().map(|line| &line[..2]).collect::<Vec<_>>(),
        ["b,", "a,"]
    );
    assert!(shelf.ask("library.get", json!({ "game": "b" })).is_err());
    let put = json!({ "game": "b", "record": record("f5", "x", "") });
    let refused = shelf.ask("library.put", put).unwrap_err();
    assert!(refused.text.starts_with("game 'b': "), "{refused}");
    // A game that is repaired, and one that is changed in place.
    std::thread::sleep(std::time::Duration::from_millis(300));
    std::fs::write(shelf.path("b.json"), EGAROUCID.replace("Ann", "Repaired")).unwrap();
    std::fs::write(shelf.path("d.json"), EGAROUCID.replace("Ann", "Added")).unwrap();
    for name in ["Repaired", "Added"] {
        let found = shelf.search(json!({ "player": name }));
        assert_eq!(found["total"], 1, "{name}");
    }
    assert_eq!(table(&shelf, "").lines().count(), 3);
}

#[test]
fn two_writers_lose_nothing() {
    let shelf = Shelf::new();
    let other = open(&shelf.folder);
    std::thread::scope(|scope| {
        for library in [&shelf.library, &other] {
            for black in ["Ann", "Bob"] {
                scope.spawn(move || {
                    for _ in 0..8 {
                        let record = record("f5d6", black, "2026-01-01");
                        ask(library, "library.put", json!({ "record": record })).unwrap();
                    }
                });
            }
        }
    });
    let rows = table(&shelf, "");
    assert_eq!(rows.lines().count(), 32, "{rows}");
    for library in [&shelf.library, &other] {
        let list = ask(library, "library.list", json!({})).unwrap();
        assert_eq!(list["total"], 32);
    }
    let games = std::fs::read_dir(shelf.path("")).unwrap();
    let games = games.filter(|entry| {
        let name = entry.as_ref().unwrap().file_name();
        name.to_string_lossy().ends_with(".json")
    });
    assert_eq!(games.count(), 32);
}

#[test]
fn names_that_lead_elsewhere_are_refused() {
    let shelf = Shelf::new();
    shelf.write("secret/a.json", EGAROUCID);
    for folder in ["..", "../secret", "/", "a/../..", ".git", "missing"] {
        for op in ["library.list", "library.trash"] {
            let fields = json!({ "folder": folder, "games": ["a"] });
            assert!(shelf.ask(op, fields).is_err(), "{op} {folder}");
        }
        let put = json!({ "folder": folder, "record": record("f5", "x", "") });
        assert!(shelf.ask("library.put", put).is_err(), "{folder}");
    }
    for game in ["../secret/a", "..", "", ".trash/a"] {
        assert!(shelf.ask("library.get", json!({ "game": game })).is_err());
        let moved = json!({ "games": [game], "to": "" });
        let _same_folder = shelf.ask("library.move", moved);
    }
    for name in ["con", "a?", ".hidden", "a/b/c", ""] {
        let made = shelf.ask("library.folder", json!({ "folder": name }));
        assert!(made.is_err(), "{name}");
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(shelf.folder.path("secret"), shelf.path("link")).unwrap();
        assert!(
            shelf
                .ask("library.list", json!({ "folder": "link" }))
                .is_err()
        );
        assert_eq!(shelf.list("")["folders"], json!([]));
    }
    assert!(shelf.folder.path("secret/a.json").exists());
}
