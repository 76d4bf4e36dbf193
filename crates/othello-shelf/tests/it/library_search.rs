//! Searches, files of many games, and imports.

use othello_core::Game;
use othello_record::{OthelloRecord, RecordLosses, WthorWriter};
use serde_json::{Value, json};

use crate::library_support::{Shelf, names, record, table};

/// Writes the three files of a year of WTHOR.
fn wthor(shelf: &Shelf, folder: &str, year: u16, games: &[(&str, &str)]) {
    let mut writer = WthorWriter::default();
    for (moves, black) in games {
        let mut record = OthelloRecord::from(&moves.parse::<Game>().unwrap());
        (*black).clone_into(&mut record.info.black.name);
        "Opponent".clone_into(&mut record.info.white.name);
        record.info.event = format!("Cup of {year}");
        record.info.date = year.to_string();
        let score = othello_record::OthelloOutcome::Score(4);
        record.set_result(Some(othello_record::OthelloResult::played(score)));
        writer.add(&record, &mut RecordLosses::default()).unwrap();
    }
    let files = writer.finish([2026, 1, 1]);
    for (name, bytes) in [
        (format!("WTH_{year}.wtb"), files.games),
        (format!("WTH_{year}.jou"), files.players),
        (format!("WTH_{year}.trn"), files.tournaments),
    ] {
        let path = shelf.folder.path(format!("{folder}/{name}"));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
}

#[test]
fn games_are_found_by_everything_that_is_known_of_them() {
    let shelf = Shelf::new();
    for (moves, black, date, folder) in [
        ("f5d6c3d3c4", "Tanaka", "2024-05-01", ""),
        ("f5f6e6f4", "Smith", "2025-05-01", ""),
        // The same opening as the first, turned.
        ("d3c5f6f5e6", "Müller", "2026-05-01", "deep/down"),
    ] {
        std::fs::create_dir_all(shelf.path(folder)).unwrap();
        let put = json!({ "folder": folder, "record": record(moves, black, date) });
        shelf.ask("library.put", put).unwrap();
    }
    let found = |search: Value| {
        let list = shelf.search(search);
        let games = list["games"].as_array().unwrap().iter();
        let mut games: Vec<_> = games
            .map(|game| game["black"].as_str().unwrap().to_owned())
            .collect();
        games.sort();
        assert_eq!(list["total"], games.len());
        games
    };
    assert_eq!(found(json!({ "player": "müL" })), ["Müller"]);
    assert_eq!(found(json!({ "player": "w" })).len(), 3);
    assert_eq!(found(json!({ "text": "two LINES" })).len(), 3);
    assert_eq!(found(json!({ "text": "2025-05" })), ["Smith"]);
    assert_eq!(found(json!({ "years": [2025, 2026] })), ["Müller", "Smith"]);
    assert_eq!(found(json!({ "opening": "tiger" })), ["Müller", "Tanaka"]);
    assert_eq!(found(json!({ "opening": "虎" })), ["Müller", "Tanaka"]);
    assert!(found(json!({ "opening": "no such opening" })).is_empty());
    let board = "f5d6".parse::<Game>().unwrap().position().to_string();
    assert_eq!(found(json!({ "board": board })), ["Müller", "Tanaka"]);
    let both = json!({ "board": board, "years": [2026, 2026] });
    assert_eq!(found(both), ["Müller"]);
    let bad = shelf.ask("library.list", json!({ "search": { "board": "X" } }));
    assert!(bad.unwrap_err().text.starts_with("board: "));
    let below = json!({ "folder": "deep", "search": { "opening": "tiger" } });
    assert_eq!(shelf.ask("library.list", below).unwrap()["total"], 1);
}

#[test]
fn a_base_of_wthor_is_read_where_it_stands() {
    let shelf = Shelf::new();
    let games = [("f5d6c3d3c4", "Takeshi"), ("f5f6e6f4", "Ben")];
    wthor(&shelf, "games/thor", 1998, &games);
    wthor(&shelf, "games/thor", 1999, &[("f5d6c3d3c4", "Emmanuel")]);
    shelf.indexed();
    let list = shelf.list("thor");
    assert_eq!(list["folders"], json!(["WTH_1998.wtb", "WTH_1999.wtb"]));
    let list = shelf.list("thor/WTH_1998.wtb");
    assert_eq!(
        (names(&list), &list["read_only"]),
        (vec!["1".into(), "2".into()], &json!(true))
    );
    assert_eq!(list["games"][0]["event"], "Cup of 1998");
    let found = shelf.search(json!({ "opening": "tiger", "text": "cup of 1999" }));
    assert_eq!(found["games"][0]["black"], "Emmanuel");
    let name = json!({ "folder": "thor/WTH_1998.wtb", "game": "2" });
    let got = shelf.ask("library.get", name).unwrap();
    assert_eq!(got["game"]["info"]["black"], "Ben");
    for op in ["library.trash", "library.move"] {
        let fields = json!({ "folder": "thor/WTH_1998.wtb", "games": ["1"], "to": "" });
        assert!(
            shelf
                .ask(op, fields)
                .unwrap_err()
                .text
                .contains("only read")
        );
    }
    // A game of it can be had for oneself.
    let copy = json!({ "folder": "thor/WTH_1998.wtb", "games": ["2"], "to": "" });
    shelf.ask("library.copy", copy).unwrap();
    assert!(table(&shelf, "").contains(",Ben,Opponent,"));
    assert!(shelf.path("thor/WTH_1998.wtb").exists());
}

#[test]
fn a_file_that_is_cut_short_shows_its_games_and_says_so() {
    let shelf = Shelf::new();
    let games = [("f5d6c3d3c4", "Takeshi"), ("f5f6e6f4", "Ben")];
    wthor(&shelf, "games", 1998, &games);
    let path = shelf.path("WTH_1998.wtb");
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() - 10]).unwrap();
    shelf.indexed();
    let list = shelf.list("WTH_1998.wtb");
    assert_eq!(
        (&list["total"], &list["damaged_total"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(shelf.list("")["damaged"][0]["name"], "WTH_1998.wtb");
}

#[test]
fn archives_are_imported_by_what_they_are() {
    let shelf = Shelf::new();
    wthor(&shelf, "base", 2001, &[("f5d6c3d3c4", "Takeshi")]);
    shelf.write("a.txt", "f5d6c3\nf5f5\nf5f6e6f4\n");
    let many = "f5d6c3d3c4\n".repeat(1_200);
    shelf.write("many.txt", &many);
    let import = |path: &str| {
        let file = json!({ "folder": "", "root": "here", "path": path });
        shelf.ask("library.import", file).unwrap()
    };
    let done = import("a.txt");
    assert_eq!((&done["games"], &done["failed"]), (&json!(2), &json!(1)));
    assert_eq!(done["failures"][0]["name"], "a.txt");
    assert_eq!(import("many.txt")["archives"], json!(["many.txt"]));
    let done = import("base");
    assert_eq!(done["archives"], json!(["base/WTH_2001.wtb"]));
    assert_eq!(shelf.list("")["total"], 2);
    assert_eq!(shelf.list("many.txt")["pages"], 12);
    let found = shelf.search(json!({ "opening": "tiger" }));
    assert_eq!(found["total"], 1_201);
    let twice = json!({ "folder": "", "root": "here", "path": "many.txt" });
    assert!(shelf.ask("library.import", twice).is_err());
    let itself = json!({ "folder": "", "root": "here", "path": "games" });
    assert!(shelf.ask("library.import", itself).is_err());
}

#[test]
fn a_library_of_egaroucid_is_imported_byte_by_byte() {
    let shelf = Shelf::new();
    let (text, _) = othello_record::OthelloFormat::Egaroucid
        .write(&OthelloRecord::from(&"f5d6c3".parse::<Game>().unwrap()));
    let text = text.replace("\"memo\"", "\"unknown\": 1e400,\n  \"memo\"");
    shelf.write("old/2020_01_01_00_00_00.json", &text);
    shelf.write("old/sub/2021_01_01_00_00_00.json", &text);
    shelf.write("old/summary.csv", "2020_01_01_00_00_00,,,,-1,-1,\n");
    let file = json!({ "root": "here", "path": "old" });
    let done = shelf.ask("library.import", file).unwrap();
    assert_eq!(done["games"], 2);
    for name in ["2020_01_01_00_00_00.json", "sub/2021_01_01_00_00_00.json"] {
        assert_eq!(std::fs::read_to_string(shelf.path(name)).unwrap(), text);
    }
    assert_eq!(shelf.search(json!({ "years": [2021, 2021] }))["total"], 1);
}
