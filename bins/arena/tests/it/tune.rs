//! Tuning with engines whose strength is one of their options.

use serde_json::Value;
use test_support::{TestFolder, wait_until};

use crate::engine::{WALKER, arena, lines, script, start};

fn walkers() -> TestFolder {
    let folder = TestFolder::new();
    script(&folder, "walker", WALKER);
    folder
}

/// The number of iterations in a checkpoint.
pub(crate) fn iterations(folder: &TestFolder, state: &str) -> u64 {
    // The state is JSON behind the identity of the run.
    let bytes = std::fs::read(folder.path(state)).unwrap_or_default();
    let start = bytes.windows(12).position(|part| part == b"{\"settings\":");
    let state = start.map_or(&[][..], |start| &bytes[start..]);
    let mut values = serde_json::Deserializer::from_slice(state).into_iter::<Value>();
    let json = values.next().and_then(Result::ok).unwrap_or_default();
    json["iteration"].as_u64().unwrap_or(0)
}

const SETTINGS: [&str; 10] = [
    "--iterations",
    "40",
    "--nodes",
    "1",
    "--random-plies",
    "0",
    "--check",
    "20",
    "--concurrency",
    "2",
];

#[test]
fn one_run_writes_a_log_or_a_state_at_a_time() {
    let folder = walkers();
    let tune = [&["tune", "./walker", "--state", "s.json"][..], &SETTINGS].concat();
    let games = [
        "match", "./walker", "./walker", "--nodes", "1", "--games", "2", "--log", "m.jsonl",
    ];
    for (args, name) in [(&tune[..], "s.json"), (&games, "m.jsonl")] {
        let lock = yane_io::RunLock::file(&folder.path(name)).expect("free");
        let in_use = format!("{name}: is in use by another process");
        arena(&folder, args).failed(1, &[&in_use]);
        drop(lock);
    }
    assert_eq!(folder.names(), ["walker"]);
}

#[test]
fn values_rise_and_a_match_says_that_they_help() {
    let folder = walkers();
    let args = [
        &[
            "tune",
            "./walker",
            "--state",
            "s.json",
            "--html",
            "s.html",
            "--param-log",
            "s.log",
            "--json",
        ][..],
        &SETTINGS,
    ]
    .concat();
    let mut first = start(&folder, &args);
    wait_until(|| iterations(&folder, "s.json") >= 3, "nothing is played");
    first.kill();
    let before = iterations(&folder, "s.json");
    assert!(before < 40, "too late: {before}");
    let json = arena(&folder, &args).succeeded().json();
    assert_eq!(
        (json["iterations"].as_u64(), json["complete"].as_bool()),
        (Some(40), Some(true))
    );
    // Not the one of time management.
    let parameters = json["parameters"].as_array().expect("a list");
    assert_eq!(parameters.len(), 1);
    let value = parameters[0]["value"].as_f64().expect("a number");
    assert!(value > 7.0, "{json}");
    assert_eq!(json["helped"], "help", "{json}");
    assert_eq!(json["closing_match"]["wins"], 20);
    assert_eq!(lines(&folder.path("s.json.match.jsonl")), 21);
    let page = String::from_utf8(folder.read("s.html")).expect("text");
    assert!(
        page.contains("40 of 40 iterations") && page.contains("polyline"),
        "{page}"
    );
    // The table of wins by value: greater values win more.
    let table = arena(&folder, &["values", "s.log"]).succeeded();
    assert!(table.text().starts_with("total : "), "{}", table.text());
    assert!(table.text().contains("\nQuality:\n"), "{}", table.text());
    // Complete: the same command says the same. Other settings are another tuning.
    assert_eq!(arena(&folder, &args).succeeded().json(), json);
    let other: Vec<_> = args
        .iter()
        .map(|&arg| if arg == "40" { "41" } else { arg })
        .collect();
    arena(&folder, &other).failed(1, &["iterations differ"]);
}

#[test]
fn a_file_of_parameters_is_written_back_and_a_base_is_the_opponent() {
    let folder = walkers();
    folder.write("x.params", "# two\nQuality, int, 5, 0, 20, 3, 0.05 // moves\nOther, int, 1, 0, 2, 1, 0.002 [[NOT USED]]\n");
    let args = [
        &[
            "tune",
            "./walker",
            "--state",
            "s.json",
            "--params",
            "x.params",
            "--base",
            "./walker,Quality=8",
        ][..],
        &SETTINGS,
    ]
    .concat();
    let run = arena(&folder, &args).succeeded();
    assert!(run.text().contains("    Quality = "), "{run:?}");
    let text = String::from_utf8(folder.read("x.params")).expect("text");
    let value: f64 = text
        .lines()
        .nth(1)
        .and_then(|line| line.split(", ").nth(2))
        .and_then(|it| it.parse().ok())
        .expect("a value");
    assert!(value > 5.5, "{text}");
    assert!(
        text.contains("// moves") && text.contains("[[NOT USED]]") && text.starts_with("# two\n"),
        "{text}"
    );
    // The file has other values now, and the tuning is still the same.
    arena(&folder, &args).succeeded();
}

#[test]
fn one_rate_serves_for_all_parameters() {
    let folder = walkers();
    let tuned = |state: &str, rate: &[&str]| {
        let args = [
            "tune", "./walker", "--state", state, "--spin", "Quality", "--json",
        ];
        let json = arena(&folder, &[&args, rate, &SETTINGS].concat())
            .succeeded()
            .json();
        let parameter = &json["parameters"][0];
        let number = |key: &str| parameter[key].as_f64().expect("a number");
        (number("rate"), number("value") - number("default"))
    };
    let (rate, usual) = tuned("usual.json", &[]);
    assert!((rate - 0.002).abs() < 1e-9, "{rate}");
    let (rate, tenfold) = tuned("tenfold.json", &["--rate", "0.02"]);
    assert!((rate - 0.02).abs() < 1e-9, "{rate}");
    assert!(usual > 0.0 && tenfold > 3.0 * usual, "{usual} {tenfold}");
    // A tuning goes on with another rate.
    assert!((tuned("usual.json", &["--rate", "0.5"]).0 - 0.5).abs() < 1e-9);
    let bad = ["tune", "./walker", "--state", "t.json", "--rate", "0"];
    arena(&folder, &bad).failed(2, &["--rate"]);
}

#[test]
fn any_option_that_is_a_number_can_be_tuned_or_sampled() {
    let folder = walkers();
    let sample = [
        "tune",
        "./walker,Quality=6",
        "--state",
        "s.json",
        "--spin",
        "Quality=2..10/2",
        "--method",
        "sample",
        "--interval",
        "1",
        "--param-log",
        "s.log",
        "--iterations",
        "30",
        "--nodes",
        "1",
        "--random-plies",
        "0",
        "--concurrency",
        "2",
        "-q",
    ];
    let run = arena(&folder, &sample).succeeded();
    assert!(run.text().contains("Quality = 6, 2..=10"), "{run:?}");
    let json = arena(&folder, &["values", "s.log", "--json"])
        .succeeded()
        .json();
    let values = json["parameters"][0]["values"]
        .as_array()
        .expect("a list")
        .clone();
    let of = |index: usize, key: &str| values[index][key].as_u64().expect("a number");
    assert_eq!(values.len(), 3, "{json}");
    // 4 loses to 6, 8 wins; 6 against 6 is lost by black, who resigns first.
    assert_eq!((of(0, "wins"), of(2, "losses")), (0, 0), "{json}");
    assert_eq!(of(1, "wins"), of(1, "losses"), "{json}");
    for (spin, words) in [
        ("Mood", "is no number"),
        ("Quality=0..99", "takes 0 to 20"),
        ("None", "no option None"),
    ] {
        arena(
            &folder,
            &["tune", "./walker", "--state", "t.json", "--spin", spin],
        )
        .failed(1, &[words]);
    }
    arena(
        &folder,
        &["tune", "./walker", "--state", "t.json", "--only", "none_"],
    )
    .failed(1, &["no parameter"]);
}
