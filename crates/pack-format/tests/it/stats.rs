//! Statistics against the listings of the golden files.

use std::collections::BTreeMap;
use std::path::PathBuf;

use pack_format::stats::{ResultCounts, Stats, StatsOptions, Tally, stats};
use pack_format::stream::Input;
use pack_format::{TeacherError, TeacherFormat, TeacherResult};
use serde_json::Value;
use yane_io::Job;

fn path(name: &str) -> PathBuf {
    test_support::fixture("teacher").join(name)
}

fn job(threads: usize) -> Job {
    Job {
        threads,
        ..Job::default()
    }
}

fn count(paths: &[PathBuf], format: TeacherFormat) -> Result<Stats, TeacherError> {
    let inputs: Vec<_> = paths.iter().map(Input::named).collect();
    stats(&inputs, format, &StatsOptions::default(), &job(2))
}

fn of(name: &str) -> Stats {
    let path = path(name);
    let format = TeacherFormat::of_path(&path).unwrap();
    count(&[path], format).unwrap()
}

fn listing(name: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(path(name)).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

fn number(value: &Value) -> u32 {
    u32::try_from(value.as_u64().unwrap()).unwrap()
}

/// Values of a listing's games.
#[derive(Debug, Default, PartialEq)]
struct ListedStats {
    results: ResultCounts,
    reasons: BTreeMap<u8, ResultCounts>,
    lengths: Tally,
    start_plies: Tally,
    positions: ResultCounts,
    drops: u64,
    promotions: u64,
    scores: Vec<i16>,
}

fn listed(name: &str) -> ListedStats {
    let mut listed = ListedStats::default();
    for game in listing(name) {
        let result = TeacherResult::from_number(number(&game["result"]) as u8).unwrap();
        let reason = number(&game["reason"]) as u8;
        listed.results.add(result);
        listed.reasons.entry(reason).or_default().add(result);
        listed.lengths.add(number(&game["plies"]));
        listed.start_plies.add(number(&game["game_ply"]));
        for mv in game["moves"].as_str().unwrap().split_whitespace() {
            listed.positions.add(result);
            listed.drops += u64::from(mv.contains('*'));
            listed.promotions += u64::from(mv.ends_with('+'));
        }
        let scores = game["scores"].as_array().unwrap().iter();
        listed
            .scores
            .extend(scores.map(|score| score.as_i64().unwrap() as i16));
    }
    listed
}

const SELFPLAY: [(&str, u64, u64); 4] = [
    ("short_n100_ply80", 201, 8139),
    ("normal_n2000_ply320", 61, 7164),
    ("startpos_n500_ply200", 6, 798),
    ("declaration_n50", 40, 23),
];

#[test]
fn games_and_moves_are_as_listed() {
    for (name, games, positions) in SELFPLAY {
        let stats = of(&format!("selfplay/{name}.pack"));
        let listed = listed(&format!("selfplay/{name}.jsonl"));
        assert_eq!(stats.games.count(), games, "{name}");
        assert_eq!(stats.positions.count(), positions, "{name}");
        assert_eq!(stats.games.results, listed.results);
        assert_eq!(stats.games.reasons, listed.reasons);
        assert_eq!(stats.games.lengths, listed.lengths);
        assert_eq!(stats.games.start_plies, listed.start_plies);
        assert_eq!(stats.games.contradictions, 0);
        assert_eq!(stats.positions.results, listed.positions);
        assert_eq!(stats.positions.drops, listed.drops);
        assert_eq!(stats.positions.promotions, listed.promotions);
        let file = &stats.files[0];
        let bytes = std::fs::metadata(&file.path).unwrap().len();
        assert_eq!((file.bytes, file.games), (bytes, games));
    }
}

#[test]
fn scores_are_as_listed() {
    for (name, ..) in SELFPLAY {
        let stats = of(&format!("selfplay/{name}.pack")).scores;
        let all = listed(&format!("selfplay/{name}.jsonl")).scores;
        let within = |from: i16, to: i16| all.iter().filter(|&&s| from <= s && s <= to).count();
        for bin in stats.bins(5) {
            let expected = within(bin.from, bin.to) as u64;
            assert_eq!(bin.outcomes.total(), expected, "{name}: {bin:?}");
        }
        assert_eq!(stats.zeros, within(0, 0) as u64);
        let plain: Vec<_> = all.iter().filter(|s| s.abs() < 30_000).collect();
        assert_eq!(stats.without_mates(), plain.len() as u64);
        let count = plain.len() as f64;
        let mean = plain.iter().map(|&&s| f64::from(s)).sum::<f64>() / count;
        let squares = plain.iter().map(|&&s| (f64::from(s) - mean).powi(2));
        let deviation = (squares.sum::<f64>() / count).sqrt();
        assert!((stats.mean().unwrap() - mean).abs() < 1e-6);
        assert!((stats.deviation().unwrap() - deviation).abs() < 1e-6);
    }
}

#[test]
fn all_formats_tell_the_same_of_the_same_positions() {
    for (name, ..) in SELFPLAY {
        let pack = of(&format!("selfplay/{name}.pack"));
        for format in ["hcpe", "psv"] {
            let records = of(&format!("selfplay/{name}.{format}"));
            assert_eq!(records.scores, pack.scores, "{name}.{format}");
            assert_eq!(records.distinct, pack.distinct);
            let mut positions = pack.positions.clone();
            positions.plies = Tally::default();
            assert_eq!(records.positions, positions);
            assert_eq!(records.games.count(), 0);
        }
    }
    let with_ply = of("psv_with_ply/normal_n2000_ply320.psv");
    let pack = of("selfplay/normal_n2000_ply320.pack");
    assert_eq!(with_ply.positions, pack.positions);
}

#[test]
fn hcpe3_games_are_as_their_records() {
    for (name, games) in [
        ("multipv4_default", 31),
        ("multipv8_visits1000_temp200_nodrop_resign1000", 19),
    ] {
        let hcpe3 = of(&format!("hcpe3/{name}.hcpe3"));
        let hcpe = of(&format!("hcpe3/{name}.hcpe"));
        assert_eq!(hcpe3.positions, hcpe.positions);
        assert_eq!(hcpe3.scores, hcpe.scores);
        assert_eq!(hcpe3.distinct, hcpe.distinct);
        let lines = listing(&format!("hcpe3/{name}.jsonl"));
        assert_eq!(hcpe3.games.count(), games);
        let mut reasons = BTreeMap::<u8, ResultCounts>::new();
        let mut lengths = Tally::default();
        for game in lines {
            let ending = number(&game["result"]) as u8;
            let result = TeacherResult::from_number(ending & 3).unwrap();
            reasons.entry(ending & !3).or_default().add(result);
            lengths.add(number(&game["moveNum"]));
        }
        assert_eq!(hcpe3.games.reasons, reasons, "{name}");
        assert_eq!(hcpe3.games.lengths, lengths);
    }
}

#[test]
fn hands_in_another_order_are_the_same_positions() {
    let canonical = of("psv_with_ply/normal_n2000_ply320.order_canonical.psv");
    let other = of("psv_with_ply/normal_n2000_ply320.order_rook_first.psv");
    assert_eq!(canonical.distinct, other.distinct);
    assert_eq!(canonical.positions, other.positions);
}

/// Statistics without the values that depend on how the data was divided into files.
fn contents(mut stats: Stats) -> Stats {
    stats.files.clear();
    stats
}

#[test]
fn divided_data_gives_the_same_stats() {
    let folder = tempfile::tempdir().unwrap();
    for (name, format) in [("pack", TeacherFormat::Pack), ("hcpe", TeacherFormat::Hcpe)] {
        let whole = path(&format!("selfplay/short_n100_ply80.{name}"));
        let bytes = std::fs::read(&whole).unwrap();
        // The listing says where games begin.
        let game = &listing("selfplay/short_n100_ply80.jsonl")[77];
        let cut = match format {
            TeacherFormat::Pack => number(&game["offset"]) as usize,
            _ => 38 * 1234,
        };
        let parts = [folder.path().join("a"), folder.path().join("b")];
        std::fs::write(&parts[0], &bytes[..cut]).unwrap();
        std::fs::write(&parts[1], &bytes[cut..]).unwrap();
        let together = count(&parts, format).unwrap();
        assert_eq!(together.files.len(), 2);
        assert_eq!(together.bytes(), bytes.len() as u64);
        let mut merged = count(&parts[1..], format).unwrap();
        merged.merge(&count(&parts[..1], format).unwrap());
        let whole = contents(count(&[whole], format).unwrap());
        assert_eq!(contents(together), whole);
        assert_eq!(contents(merged), whole);
    }
}

#[test]
fn batches_and_threads_do_not_matter() {
    let folder = tempfile::tempdir().unwrap();
    let once = path("selfplay/normal_n2000_ply320.pack");
    let many = folder.path().join("many.pack");
    std::fs::write(&many, std::fs::read(&once).unwrap().repeat(30)).unwrap();
    let single = count(&[once], TeacherFormat::Pack).unwrap();
    let mut expected = single.clone();
    (1..30).for_each(|_| expected.merge(&single));
    let options = StatsOptions::default();
    for threads in [1, 3] {
        let input = Input::named(&many);
        let read = stats(&[input], TeacherFormat::Pack, &options, &job(threads)).unwrap();
        assert_eq!(contents(read), contents(expected.clone()));
    }
    let distinct = single.distinct.estimate();
    assert!((expected.distinct.estimate() - distinct).abs() < 1e-9);
    assert!(expected.repeated() > 28.0 * distinct);
}

#[test]
fn duplicates_are_estimated() {
    let stats = of("selfplay/short_n100_ply80.hcpe");
    let bytes = std::fs::read(path("selfplay/short_n100_ply80.hcpe")).unwrap();
    let mut keys: Vec<_> = bytes.chunks(38).map(|record| &record[..32]).collect();
    keys.sort_unstable();
    keys.dedup();
    let ratio = stats.distinct.estimate() / keys.len() as f64;
    assert!((ratio - 1.0).abs() < 0.02, "{ratio}");
}

#[test]
fn end_reasons_without_a_name_are_counted() {
    let stats = of("edge/good/reserved_end_reasons.pack");
    assert!(!stats.games.reasons.is_empty());
    for &number in stats.games.reasons.keys() {
        assert_eq!(stats.reason_name(number), format!("reserved {number}"));
    }
    let all = of("edge/good/all_end_reasons.pack");
    assert_eq!(all.games.contradictions, 0);
    assert!(all.games.reasons.len() >= 11);
    assert!(of("edge/good/handicap_starts.pack").games.contradictions > 0);
    // One of them says so with 32 bytes.
    assert_eq!(of("edge/good/startpos_as_hcp.pack").games.from_initial, 2);
}

#[test]
fn damage_is_an_error_or_counted() {
    let bad = path("edge/bad/real_gensfen_with_illegal_engine.pack");
    let error = count(std::slice::from_ref(&bad), TeacherFormat::Pack).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("byte 169: game 5 (begins at byte 168)"),
        "{error}"
    );

    let skip_bad = StatsOptions { skip_bad: true };
    let error = stats(
        &[Input::named(&bad)],
        TeacherFormat::Pack,
        &skip_bad,
        &job(1),
    )
    .unwrap_err();
    assert!(matches!(error, TeacherError::Option(_)), "{error}");

    let folder = tempfile::tempdir().unwrap();
    let whole = path("selfplay/normal_n2000_ply320.hcpe");
    let mut bytes = std::fs::read(whole).unwrap();
    bytes[38 * 10 + 36] = 3;
    // Behind the first batch.
    bytes[38 * 7000] = 0xff;
    bytes[38 * 7000 + 1] = 0xff;
    bytes.truncate(bytes.len() - 1);
    let damaged = folder.path().join("damaged.hcpe");
    std::fs::write(&damaged, &bytes).unwrap();
    let error = count(std::slice::from_ref(&damaged), TeacherFormat::Hcpe).unwrap_err();
    assert!(error.to_string().contains("byte 416: record 11"), "{error}");
    let input = [Input::named(&damaged)];
    let stats = stats(&input, TeacherFormat::Hcpe, &skip_bad, &job(2)).unwrap();
    assert_eq!((stats.positions.count(), stats.skipped.count), (7161, 3));
    let places: Vec<_> = stats
        .skipped
        .first
        .iter()
        .map(|at| at.1.begins_at())
        .collect();
    assert_eq!(places, [Some(380), Some(38 * 7000), Some(38 * 7163)]);
    assert!(
        stats.to_text().contains("record 7001"),
        "{}",
        stats.to_text()
    );
    assert!(stats.to_html().contains("record 7001"));
}

#[test]
fn nothing_has_stats_and_empty_files_are_named() {
    for name in ["edge/good/empty.pack", "edge/good/empty.hcpe"] {
        let path = path(name);
        let format = TeacherFormat::of_path(&path).unwrap();
        let error = count(&[path], format).unwrap_err().to_string();
        assert!(error.contains("this is an empty file"), "{error}");
        let stats = Stats::new(format);
        assert_eq!(stats.positions.count(), 0);
        assert!(stats.to_text().contains('–'));
        let json: Value = serde_json::from_str(&stats.to_json()).unwrap();
        assert_eq!(json["positions"]["ply"]["mean"], Value::Null);
        assert!(stats.to_html().ends_with("</html>\n"));
    }
    assert_eq!(of("edge/good/zero_moves_draw.pack").games.count(), 1);
}

/// Stats whose file names do not depend on the machine.
fn shown(name: &str) -> Stats {
    let mut stats = of(name);
    for file in &mut stats.files {
        file.path = file.path.file_name().unwrap().into();
    }
    stats
}

#[test]
fn text_is_as_before() {
    insta::assert_snapshot!(
        "pack_text",
        shown("selfplay/short_n100_ply80.pack").to_text()
    );
    insta::assert_snapshot!(
        "hcpe_text",
        shown("selfplay/declaration_n50.hcpe").to_text()
    );
}

#[test]
fn json_is_as_before() {
    for name in ["pack", "psv"] {
        let stats = shown(&format!("selfplay/declaration_n50.{name}"));
        let json: Value = serde_json::from_str(&stats.to_json()).unwrap();
        let json = serde_json::to_string_pretty(&json).unwrap();
        insta::assert_snapshot!(format!("{name}_json"), json);
    }
}

#[test]
fn html_is_one_well_formed_file() {
    let mut stats = shown("selfplay/short_n100_ply80.pack");
    stats.files[0].path = "<b>&\"x\".pack".into();
    let html = stats.to_html();
    assert!(html.contains("&lt;b&gt;&amp;&quot;x&quot;.pack") && !html.contains("<b>"));
    for outside in [
        "http:", "https:", "src=", "href=", "@import", "url(", "<script",
    ] {
        assert!(!html.contains(outside), "{outside}");
    }
    assert!(!html.contains("NaN") && !html.contains("inf"));
    // Every element that is opened is closed, in order.
    let mut open = Vec::new();
    let body = html.split_once("<body>").unwrap().1;
    for tag in body
        .split('<')
        .skip(1)
        .map(|rest| rest.split('>').next().unwrap())
    {
        if let Some(name) = tag.strip_prefix('/') {
            if let Some(last) = open.pop() {
                assert_eq!(last, name);
            } else {
                assert!(["body", "html"].contains(&name), "{name}");
            }
        } else if !tag.ends_with('/') {
            open.push(tag.split_whitespace().next().unwrap());
        }
    }
    assert!(open.is_empty(), "{open:?}");
    let bars = html.matches("class=\"bar\"").count();
    assert!(bars > 100, "{bars}");
    assert!(html.contains("class=\"curve\"") && html.contains("class=\"dot\""));
}
