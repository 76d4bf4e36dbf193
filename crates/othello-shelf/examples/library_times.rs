//! Times of a large library, once each.
//!
//! `cargo run --release -p yane-othello-shelf --example library_times -- make DIR 137000` makes games of random moves, a hundred
//! folders of them; `… -- time DIR` prints how long the index, lists and searches take, and the memory.

use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use othello_core::{Game, Move, Position, State};
use othello_record::{EgaroucidRow, OpeningNames, OthelloFormat, OthelloRecord};
use othello_shelf::OthelloLibrary;
use page_messages::{EventSink, PageRequest, PageService as _, StopFlag};
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["make", folder, count] => make(Path::new(folder), count.parse()?),
        ["time", folder] => time(Path::new(folder)),
        _ => Err("make DIR COUNT, or time DIR, was expected".into()),
    }
}

/// A game of random moves, by a number that changes.
fn random_game(state: &mut u64) -> Game {
    let mut game = Game::new(Position::START);
    loop {
        let board = game.position().board();
        match board.state() {
            State::Over => return game,
            State::Pass => game.play_unchecked(Move::Pass),
            State::Moves => {
                *state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                let moves = board.legal_moves();
                let at = (*state >> 33) as usize % moves.iter().count();
                if let Some(square) = moves.iter().nth(at) {
                    game.play_unchecked(Move::Place(square));
                }
            }
        }
    }
}

fn make(folder: &Path, count: usize) -> Result<(), Box<dyn std::error::Error>> {
    let mut state = 1;
    let mut table = String::new();
    for n in 0..count {
        let place = folder.join(format!("{:03}", n % 100));
        if n < 100 {
            std::fs::create_dir_all(&place)?;
        }
        let mut record = OthelloRecord::from(&random_game(&mut state));
        record.info.black.name = format!("Player {}", n % 997);
        record.info.white.name = format!("Player {}", n % 1_009);
        record.info.date = format!("{}-{:02}-{:02}", 1977 + n % 49, 1 + n % 12, 1 + n % 28);
        let (day, second) = (n / 86_400, n % 86_400);
        let stem = format!(
            "2020_01_{:02}_{:02}_{:02}_{:02}",
            day + 1,
            second / 3_600,
            second / 60 % 60,
            second % 60
        );
        std::fs::write(
            place.join(format!("{stem}.json")),
            OthelloFormat::Egaroucid.write(&record).0,
        )?;
        writeln!(table, "{} {}", n % 100, EgaroucidRow::of(&stem, &record))?;
    }
    for n in 0..100.min(count) {
        let of_folder = table.lines().filter_map(|line| line.split_once(' '));
        let rows = of_folder.filter(|(place, _)| *place == n.to_string());
        let rows: Vec<_> = rows.map(|(_, row)| format!("{row}\n")).collect();
        std::fs::write(folder.join(format!("{n:03}/summary.csv")), rows.concat())?;
    }
    Ok(())
}

#[derive(Default)]
struct Answer(std::cell::RefCell<Value>);

impl EventSink for Answer {
    fn event(&self, _: &str, fields: Value) {
        *self.0.borrow_mut() = fields;
    }

    fn state(&self, _: &str, _: u64, _: Value) {}

    fn broadcast(&self, _: &str, _: Value) {}
}

fn time(folder: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let library = OthelloLibrary::open(folder, OpeningNames::built_in().clone(), None)?;
    let ask = |name: &str, fields: Value| -> Result<(), Box<dyn std::error::Error>> {
        let since = Instant::now();
        let answer = Answer::default();
        let request = PageRequest::new(1, "library.list", fields);
        library.answer(&request, &answer, &StopFlag::default())?;
        let total = answer.0.borrow()["total"].clone();
        println!(
            "{name}: {:.1} ms, {total} games",
            since.elapsed().as_secs_f64() * 1e3
        );
        Ok(())
    };
    ask("first list", json!({ "folder": "050" }))?;
    let since = Instant::now();
    while !library.is_indexed() {
        std::thread::sleep(Duration::from_millis(10));
    }
    println!("index: {:.1} s", since.elapsed().as_secs_f64());
    let after = "f5d6c3".parse::<Game>()?.position().to_string();
    for round in ["first", "second"] {
        println!("-- {round} time");
        ask("list", json!({ "folder": "050", "page": 3 }))?;
        for (name, search) in [
            ("all", json!({})),
            ("text", json!({ "text": "player 500" })),
            ("player", json!({ "player": "player 77" })),
            ("years", json!({ "years": [1990, 1999] })),
            ("opening", json!({ "opening": "tiger" })),
            ("position", json!({ "board": after })),
            ("last page", json!({ "text": "nothing has this" })),
        ] {
            ask(name, json!({ "search": search }))?;
        }
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    for line in status
        .lines()
        .filter(|line| line.starts_with("VmRSS") || line.starts_with("VmHWM"))
    {
        println!("{line}");
    }
    Ok(())
}
