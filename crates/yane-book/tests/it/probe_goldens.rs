//! Answers of `YaneuraOu` from its book, with its problems mended as the documentation of `yane_book::probe` says.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::Value;
use shogi_core::{ByColor, Game};
use yane_base::random::stream;
use yane_book::probe::{Books, Message, OpenOptions, Probe, ProbeOptions, Profile, probe, select};

use super::util::{fixture, game, open};

/// Number of draws of a choice: enough for one of 4 in 100 to come for sure with these seeds.
const SEEDS: u64 = 250;

/// The options of a question.
struct Asked(BTreeMap<String, String>);

impl Asked {
    fn text(&self, name: &str) -> &str {
        &self.0[name]
    }

    fn number(&self, name: &str) -> i32 {
        self.text(name).parse().unwrap()
    }

    fn check(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|value| value == "true")
    }

    fn probe_options(&self) -> ProbeOptions {
        let both = |name| ByColor([self.number(name), self.number(name)]);
        ProbeOptions {
            profile: Profile::Classic,
            own_book: self.check("USI_OwnBook"),
            narrow: self.check("NarrowBook"),
            max_ply: self.number("BookMoves") as u32,
            ignore_rate: self.number("BookIgnoreRate") as u32,
            eval_diff: both("BookEvalDiff"),
            eval_limit: ByColor([
                self.number("BookEvalBlackLimit"),
                self.number("BookEvalWhiteLimit"),
            ]),
            depth_limit: both("BookDepthLimit"),
            consider_count: self.check("ConsiderBookMoveCount"),
            pv_moves: self.number("BookPvMoves") as u32,
            flipped: self.check("FlippedBook"),
        }
    }

    /// Read into memory, and on the fly: there must be no difference.
    fn books(&self) -> [Books; 2] {
        [false, true].map(|on_the_fly| {
            if self.text("BookFile") == "no_book" {
                return Books::default();
            }
            let options = OpenOptions {
                on_the_fly,
                ignore_ply: self.check("IgnoreBookPly"),
            };
            open(&fixture("probe/probe_book.db"), options)
        })
    }
}

/// A question with the answer of the peer.
struct GoldenRow {
    game: Game,
    asked: Asked,
    position: String,
    book_used: bool,
    info: Vec<String>,
    replies: BTreeSet<String>,
}

fn rows(name: &str) -> Vec<GoldenRow> {
    let text = fs::read_to_string(fixture(&format!("probe/{name}"))).unwrap();
    let mut lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    let options = |value: &Value| -> BTreeMap<String, String> {
        let pairs = value.as_object().unwrap().iter();
        pairs
            .map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned()))
            .collect()
    };
    let base: Value = lines.next().unwrap();
    let base = options(&base["base_options"]);
    lines
        .map(|row: Value| {
            let mut asked = base.clone();
            asked.extend(options(&row["options"]));
            let position = row["position"].as_str().unwrap().to_owned();
            let info = row["info"].as_array().unwrap().iter();
            GoldenRow {
                game: game(&position),
                asked: Asked(asked),
                position,
                book_used: row["book_used"].as_bool().unwrap(),
                info: info.map(|line| line.as_str().unwrap().to_owned()).collect(),
                replies: row["replies"]
                    .as_object()
                    .unwrap()
                    .keys()
                    .map(|reply| reply.replace(" ponder none", ""))
                    .collect(),
            }
        })
        .collect()
}

impl GoldenRow {
    /// The lines of the peer without its problems.
    fn mended(&self) -> Vec<String> {
        let position = self.game.position();
        let here = format!(" , sfen = {}", position.to_sfen());
        let lines = self.info.iter().filter(|line| {
            let elsewhere = line.contains("Illegal Move In Book DB") && !line.ends_with(&here);
            !elsewhere && !line.starts_with("info depth 0 ")
        });
        lines
            .map(|line| {
                line.replace("info string info string", "info string")
                    // The only illegal move of the book.
                    .replace("move = none ,", "move = 7g7f ,")
            })
            .collect()
    }

    fn answer(&self, books: &Books, seed: u64) -> Probe {
        let mut rng = stream(seed);
        probe(books, &self.game, &self.asked.probe_options(), &mut rng)
    }

    /// All replies that come, with some seed.
    fn drawn(&self, books: &Books) -> BTreeSet<String> {
        let choices = (0..SEEDS).filter_map(|seed| self.answer(books, seed).choice);
        choices
            .map(|choice| reply(choice.mv, choice.ponder))
            .collect()
    }

    /// All replies that can come.
    fn possible(&self, books: &Books) -> BTreeSet<String> {
        let options = self.asked.probe_options();
        if options.ignore_rate == 100 {
            return BTreeSet::new();
        }
        let selection = select(books, self.game.position(), &options).unwrap();
        let candidates = selection.candidates.iter();
        candidates
            .map(|candidate| reply(candidate.mv, candidate.ponder))
            .collect()
    }
}

fn reply(mv: shogi_core::Move, ponder: Option<shogi_core::Move>) -> String {
    match ponder {
        Some(ponder) => format!("{mv} ponder {ponder}"),
        None => mv.to_string(),
    }
}

fn shown(messages: &[Message]) -> Vec<String> {
    messages
        .iter()
        .map(|message| format!("info {message}"))
        .collect()
}

fn check_replies(row: &GoldenRow, books: &Books) {
    let label = format!("{} {:?}", row.position, row.asked.0);
    assert_eq!(row.possible(books), row.replies, "{label}");
    assert_eq!(row.drawn(books), row.replies, "{label}");
    assert_eq!(!row.replies.is_empty(), row.book_used, "{label}");
}

#[test]
fn version_9() {
    let rows = rows("probe_v9.jsonl");
    assert_eq!(rows.len(), 61);
    for row in rows {
        for books in row.asked.books() {
            check_replies(&row, &books);
            assert_eq!(shown(&row.answer(&books, 1).messages), row.mended());
        }
    }
}

#[test]
fn version_7() {
    let rows = rows("probe_v7.jsonl");
    assert_eq!(rows.len(), 57);
    let strings = |lines: Vec<String>| -> Vec<String> {
        let strings = lines.into_iter();
        strings
            .filter(|line| line.starts_with("info string"))
            .collect()
    };
    for row in rows {
        let misses_the_last_entry = row.position == "startpos" && row.asked.check("BookOnTheFly");
        for books in row.asked.books() {
            if misses_the_last_entry {
                assert!(!row.book_used);
                assert_eq!(row.drawn(&books).len(), 2);
                continue;
            }
            check_replies(&row, &books);
            let answer = shown(&row.answer(&books, 1).messages);
            assert_eq!(strings(answer), strings(row.mended()), "{}", row.position);
        }
    }
}
