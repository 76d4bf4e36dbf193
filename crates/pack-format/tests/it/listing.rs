//! Listings of the golden files.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use pack_format::listing::{Item, ListOptions, Pick, list};
use pack_format::stream::Input;
use pack_format::{Skipped, TeacherError, TeacherFormat};
use serde_json::Value;
use yane_io::Job;

fn path(name: &str) -> PathBuf {
    test_support::fixture("teacher").join(name)
}

fn options(format: TeacherFormat, count: u64, pick: Pick) -> ListOptions {
    ListOptions {
        format,
        count,
        pick,
        skip_bad: false,
    }
}

/// The items, and how the listing ended.
fn items(path: &Path, options: &ListOptions) -> (Vec<Item>, Result<Skipped, TeacherError>) {
    let mut items = Vec::new();
    let ended = list(&Input::named(path), options, &Job::default(), |item| {
        items.push(item);
        ControlFlow::Continue(())
    });
    (items, ended)
}

fn listed(name: &str, count: u64, pick: Pick) -> Vec<Item> {
    let path = path(name);
    let format = TeacherFormat::of_path(&path).unwrap();
    let (items, ended) = items(&path, &options(format, count, pick));
    assert_eq!(ended.unwrap(), Skipped::default());
    items
}

fn listing(name: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(path(name)).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

const fn place(item: &Item) -> (u64, u64) {
    match item {
        Item::Position { number, offset, .. } | Item::Game { number, offset, .. } => {
            (*number, *offset)
        }
    }
}

#[test]
fn the_first_games_are_as_listed() {
    let lines = listing("selfplay/short_n100_ply80.jsonl");
    for count in [0, 3, 201, 999] {
        let items = listed("selfplay/short_n100_ply80.pack", count, Pick::First);
        assert_eq!(items.len() as u64, count.min(201));
        for (index, (item, line)) in items.iter().zip(&lines).enumerate() {
            let offset = line["offset"].as_u64().unwrap();
            assert_eq!(place(item), (index as u64 + 1, offset));
            let text = item.to_string();
            let moves = format!("  moves  {}\n", line["moves"].as_str().unwrap());
            let start = format!("  start  {}\n", line["start_sfen"].as_str().unwrap());
            assert!(text.contains(&moves) && text.contains(&start), "{text}");
            assert!(text.contains(&format!("{} plies", line["plies"])));
        }
    }
}

#[test]
fn texts_are_as_before() {
    let mut text = String::new();
    for (name, count) in [
        ("edge/good/all_end_reasons.pack", 3),
        ("edge/good/handicap_starts.pack", 1),
        (
            "hcpe3/multipv8_visits1000_temp200_nodrop_resign1000.hcpe3",
            1,
        ),
        ("selfplay/startpos_n500_ply200.hcpe", 3),
        ("psv_with_ply/normal_n2000_ply320.psv", 3),
    ] {
        let items = listed(name, count, Pick::First);
        text.extend(items.iter().map(|item| format!("{item}\n")));
    }
    for name in [
        "edge/good/promote_and_drops.pack",
        "edge/good/few_pieces.hcpe",
    ] {
        let items = listed(name, 1, Pick::First);
        text.extend(items.iter().map(|item| format!("{item:#}\n")));
    }
    insta::assert_snapshot!(text);
}

#[test]
fn random_ones_are_some_of_all_in_order() {
    for (name, total) in [
        ("selfplay/short_n100_ply80.pack", 201),
        ("hcpe3/multipv4_default.hcpe3", 31),
        ("selfplay/normal_n2000_ply320.hcpe", 7164),
        ("psv_with_ply/normal_n2000_ply320.psv", 7164),
    ] {
        let all = listed(name, u64::MAX, Pick::First);
        assert_eq!(all.len(), total);
        let some = |seed| listed(name, 20, Pick::Random { seed });
        let first = some(1);
        assert_eq!(first.len(), 20);
        assert!(first.is_sorted_by(|a, b| place(a).0 < place(b).0));
        for item in &first {
            assert_eq!(*item, all[place(item).0 as usize - 1], "{name}");
        }
        assert_eq!(some(1), first);
        assert_ne!(some(2), first);
        assert_eq!(listed(name, u64::MAX, Pick::Random { seed: 1 }), all);
    }
}

#[test]
fn games_are_picked_with_equal_chances() {
    let mut counts = [0; 31];
    for seed in 0..600 {
        for item in listed("hcpe3/multipv4_default.hcpe3", 5, Pick::Random { seed }) {
            counts[place(&item).0 as usize - 1] += 1;
        }
    }
    // 97 each; five standard deviations are 45.
    assert!(
        counts.iter().all(|count| (52..142).contains(count)),
        "{counts:?}"
    );
}

#[test]
fn what_is_before_damage_is_shown() {
    let bad = path("edge/bad/real_gensfen_with_illegal_engine.pack");
    let (shown, ended) = items(&bad, &options(TeacherFormat::Pack, 99, Pick::First));
    assert_eq!(shown.len(), 4);
    let error = ended.unwrap_err().to_string();
    assert!(error.contains("game 5 (begins at byte 168)"), "{error}");
    let (shown, ended) = items(&bad, &options(TeacherFormat::Pack, 4, Pick::First));
    assert_eq!((shown.len(), ended.unwrap().count), (4, 0));

    let cut = path("edge/bad/truncated_in_eval.pack");
    let (_, ended) = items(
        &cut,
        &options(TeacherFormat::Pack, 1, Pick::Random { seed: 5 }),
    );
    assert!(matches!(ended, Err(TeacherError::Invalid { .. })));
}

#[test]
fn damaged_records_can_be_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let damaged = folder.path().join("damaged.hcpe");
    let mut bytes = std::fs::read(path("selfplay/startpos_n500_ply200.hcpe")).unwrap();
    bytes[38 + 36] = 9;
    bytes.extend_from_slice(&[0; 7]);
    std::fs::write(&damaged, &bytes).unwrap();
    for pick in [Pick::First, Pick::Random { seed: 3 }] {
        let mut options = options(TeacherFormat::Hcpe, u64::MAX, pick);
        let (shown, ended) = items(&damaged, &options);
        assert_eq!(shown.len(), 1);
        let error = ended.unwrap_err().to_string();
        assert!(error.contains("byte 74: record 2"), "{error}");
        options.skip_bad = true;
        let (shown, ended) = items(&damaged, &options);
        assert_eq!((shown.len(), ended.unwrap().count), (797, 2));
    }
    let (shown, ended) = items(
        &damaged,
        &ListOptions {
            skip_bad: true,
            ..options(TeacherFormat::Hcpe, 3, Pick::First)
        },
    );
    let numbers: Vec<_> = shown.iter().map(|item| place(item).0).collect();
    assert_eq!((numbers, ended.unwrap().count), (vec![1, 3, 4], 1));
}

#[test]
fn a_visitor_can_stop_it() {
    for (name, format) in [
        ("selfplay/short_n100_ply80.pack", TeacherFormat::Pack),
        ("selfplay/short_n100_ply80.hcpe", TeacherFormat::Hcpe),
    ] {
        for pick in [Pick::First, Pick::Random { seed: 3 }] {
            let mut seen = 0;
            let input = Input::named(path(name));
            let options = options(format, 10, pick);
            list(&input, &options, &Job::default(), |_| {
                seen += 1;
                if seen == 4 {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            })
            .unwrap();
            assert_eq!(seen, 4);
        }
    }
}

#[test]
fn text_needs_no_listing() {
    let (_, ended) = items(
        &path("positions.jsonl"),
        &options(TeacherFormat::Jsonl, 1, Pick::First),
    );
    assert!(matches!(ended, Err(TeacherError::Option(_))));
}
