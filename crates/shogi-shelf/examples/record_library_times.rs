//! Times of a large library, once each.
//!
//! `cargo run --release -p yane-shogi-shelf --example record_library_times -- make DIR 100000` makes records of random moves, half of them in
//! one folder, the others in a hundred; `… -- time DIR` prints how long the index, lists and searches take, and the memory.

use std::cell::RefCell;
use std::path::Path;
use std::time::{Duration, Instant};

use page_messages::{EventSink, PageRequest, PageService as _, StopFlag};
use serde_json::{Value, json};
use shogi_core::Position;
use shogi_core::movegen::LegalAll;
use shogi_kifu::{CsaVersion, GameEnding, GameRecord, KifuFormat, RecordBuilder};
use shogi_shelf::ShogiLibrary;

type Done = Result<(), Box<dyn std::error::Error>>;

fn main() -> Done {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["make", folder, count] => make(Path::new(folder), count.parse()?),
        ["time", folder] => time(Path::new(folder)),
        _ => Err("make DIR COUNT, or time DIR, was expected".into()),
    }
}

/// A game of about 110 random moves, by a number that changes.
fn random_game(state: &mut u64) -> GameRecord {
    let mut builder = RecordBuilder::new(Position::startpos());
    let mut next = |below: usize| {
        let grown = state.wrapping_mul(6_364_136_223_846_793_005);
        *state = grown.wrapping_add(1_442_695_040_888_963_407);
        (*state >> 33) as usize % below.max(1)
    };
    for _ in 0..90 + next(41) {
        let moves = builder.position().moves::<LegalAll>();
        let Some(&m) = moves.get(next(moves.len())) else {
            break;
        };
        builder.play(m);
    }
    builder.end(GameEnding::Resign);
    builder.finish()
}

fn make(folder: &Path, count: usize) -> Done {
    let mut state = 1;
    for n in 0..count {
        let place = match n % 2 {
            0 => folder.join("large"),
            _ => folder.join(format!("{:03}", n / 2 % 100)),
        };
        std::fs::create_dir_all(&place)?;
        let mut record = random_game(&mut state);
        let date = format!("{}/{:02}/{:02}", 1977 + n % 49, 1 + n % 12, 1 + n % 28);
        for (name, value) in [
            ("開始日時", date),
            ("棋戦", format!("第{}期名人戦", n % 80)),
            ("先手", format!("棋士　{}", n % 997)),
            ("後手", format!("Player {}", n % 1_009)),
        ] {
            record.headers.set(name, value);
        }
        let (text, _) = KifuFormat::Kif.write(&record, CsaVersion::V22);
        std::fs::write(place.join(format!("game{n:06}.kif")), text)?;
    }
    Ok(())
}

#[derive(Default)]
struct Answer(RefCell<Value>);

impl EventSink for Answer {
    fn event(&self, _: &str, fields: Value) {
        *self.0.borrow_mut() = fields;
    }

    fn state(&self, _: &str, _: u64, _: Value) {}

    fn broadcast(&self, _: &str, _: Value) {}
}

fn time(folder: &Path) -> Done {
    let library = ShogiLibrary::open(folder, None)?;
    let ask = |name: &str, fields: Value| -> Done {
        let since = Instant::now();
        let answer = Answer::default();
        let request = PageRequest::new(1, "library.list", fields);
        library.answer(&request, &answer, &StopFlag::default())?;
        let (spent, answer) = (since.elapsed().as_secs_f64() * 1e3, answer.0.into_inner());
        println!("{name}: {spent:.1} ms, {} games", answer["total"]);
        Ok(())
    };
    ask("first list", json!({ "folder": "large" }))?;
    let since = Instant::now();
    while !library.is_indexed() {
        std::thread::sleep(Duration::from_millis(10));
    }
    println!("index: {:.1} s", since.elapsed().as_secs_f64());
    let start = Position::startpos().to_sfen();
    let other = "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 99";
    for round in ["first", "second"] {
        println!("-- {round} time");
        ask("list, large", json!({ "folder": "large", "page": 3 }))?;
        ask("list", json!({ "folder": "050", "page": 3 }))?;
        for (name, search) in [
            ("all", json!({})),
            ("text", json!({ "text": "第50期" })),
            ("player", json!({ "player": "player 77" })),
            ("years", json!({ "years": [1990, 1999] })),
            ("opening", json!({ "opening": "四間飛車" })),
            ("start", json!({ "position": start })),
            ("position", json!({ "position": other })),
            ("nothing", json!({ "text": "nothing has this" })),
        ] {
            ask(name, json!({ "search": search }))?;
        }
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let lines = status.lines();
    for line in lines.filter(|line| line.starts_with("VmRSS") || line.starts_with("VmHWM")) {
        println!("{line}");
    }
    Ok(())
}
