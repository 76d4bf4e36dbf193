use std::fs;

use super::*;

fn plan(folder: &Path, rotation: Rotation) -> Plan {
    Plan {
        path: folder.join("out/games.pack"),
        description: "these games".to_owned(),
        seed: 5,
        shard: Shard::new(1, 3).unwrap(),
        total: None,
        rotation,
        dedup: false,
    }
}

const ONE_FILE: Rotation = Rotation {
    games: None,
    bytes: None,
};

fn game(number: u64) -> Vec<u8> {
    vec![number as u8; 3 + number as usize % 2]
}

fn whole(range: std::ops::Range<u64>) -> Vec<u8> {
    range.flat_map(game).collect()
}

#[test]
fn games_are_in_the_order_of_their_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan(folder.path(), ONE_FILE);
    let mut output = Output::open(plan.clone()).unwrap();
    for number in [3, 0, 2] {
        output.put(number, &game(number)).unwrap();
    }
    output.save().unwrap();
    let expected = [game(0), game(2), game(3)].concat();
    assert_eq!(fs::read(&plan.path).unwrap(), expected);
    assert_eq!(output.finished(), 3);
    assert!(output.contains(2) && !output.contains(1));
    drop(output);
    // The same run goes on, and ends.
    let mut output = Output::open(plan.clone()).unwrap();
    assert_eq!((output.finished(), output.lost()), (3, 0));
    output.put(1, &game(1)).unwrap();
    output.finish(true).unwrap();
    assert_eq!(fs::read(&plan.path).unwrap(), whole(0..4));
    assert!(!journal_of(&plan.path).exists());
    // Nothing is written over.
    let error = Output::open(plan).unwrap_err();
    assert!(error.to_string().contains("there already"), "{error}");
}

#[test]
fn a_finished_run_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let rotation = Rotation {
        games: Some(2),
        bytes: None,
    };
    // With a game given up, and the last file full or not.
    for total in [6, 7] {
        let mut plan = plan(folder.path(), rotation);
        plan.path = folder.path().join(format!("{total}.pack"));
        plan.total = Some(total);
        let mut output = Output::open(plan.clone()).unwrap();
        for number in 0..total {
            let bytes = if number == 5 { vec![] } else { game(number) };
            output.put(number, &bytes).unwrap();
        }
        output.finish(true).unwrap();
        let last = numbered(&plan.path, 3);
        let before = fs::read(&last).unwrap();

        let mut output = Output::open(plan.clone()).unwrap();
        assert_eq!((output.finished(), output.lost()), (total, 0));
        assert_eq!(output.numbers().count(), 0);
        assert!((0..total).all(|number| output.contains(number)));
        assert_eq!(output.path(), last);
        output.put(3, b"again").unwrap();
        output.save().unwrap();
        output.finish(true).unwrap();
        assert_eq!(fs::read(&last).unwrap(), before);
        assert!(!journal_of(&plan.path).exists());

        // Anything else is not that run.
        let others = [
            Plan {
                total: Some(total + 1),
                ..plan.clone()
            },
            Plan {
                total: Some(total - 1),
                ..plan.clone()
            },
            Plan {
                total: None,
                ..plan.clone()
            },
            Plan {
                description: "other games".to_owned(),
                ..plan.clone()
            },
        ];
        for other in others {
            let error = Output::open(other).unwrap_err();
            assert!(error.to_string().contains("there already"), "{error}");
        }
        fs::remove_file(&last).unwrap();
        assert!(Output::open(plan).is_err());
    }
}

#[test]
fn another_runs_journal_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut plan = plan(folder.path(), ONE_FILE);
    Output::open(plan.clone()).unwrap();
    plan.description = "other games".to_owned();
    assert!(Output::open(plan).is_err());
}

#[test]
fn full_files_are_closed_whatever_the_order() {
    let rotations = [
        Rotation {
            games: Some(4),
            bytes: None,
        },
        Rotation {
            games: None,
            bytes: Some(14),
        },
    ];
    for rotation in rotations {
        for step in [1, 3, 7, 9] {
            let folder = tempfile::tempdir().unwrap();
            let plan = plan(folder.path(), rotation);
            let mut output = Output::open(plan.clone()).unwrap();
            for index in 0..10 {
                let number = index * step % 10;
                output.put(number, &game(number)).unwrap();
                if index % 3 == 0 {
                    // A crash now and then.
                    drop(output);
                    output = Output::open(plan.clone()).unwrap();
                    assert_eq!(output.finished(), index + 1);
                }
            }
            output.finish(true).unwrap();
            let read = |number| fs::read(numbered(&plan.path, number)).unwrap();
            let found = [read(1), read(2), read(3)];
            assert_eq!(
                found,
                [whole(0..4), whole(4..8), whole(8..10)],
                "{rotation:?} {step}"
            );
        }
    }
}

#[test]
fn the_index_says_which_games_there_are() {
    let folder = tempfile::tempdir().unwrap();
    let mut plan = plan(folder.path(), ONE_FILE);
    plan.dedup = true;
    let mut output = Output::open(plan.clone()).unwrap();
    output.put(0, b"abc").unwrap();
    output.put(1, b"").unwrap();
    output.put(2, b"abc").unwrap();
    output.put(3, b"de").unwrap();
    output.save().unwrap();
    output.finish(true).unwrap();
    assert_eq!(fs::read(&plan.path).unwrap(), b"abcde");
    let index = fs::read_to_string(plan.path.with_extension("pack.json")).unwrap();
    let index: serde_json::Value = serde_json::from_str(&index).unwrap();
    assert_eq!(index["games"], 2);
    assert_eq!(
        (&index["first_game"], &index["step"]),
        (&1.into(), &3.into())
    );
    assert_eq!(index["left_out"], serde_json::json!([4, 7]));
}
