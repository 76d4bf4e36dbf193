use std::fs;

use farm::RunCompletion;
use test_support::TestFolder;

use super::*;

fn plan(folder: &Path, rotation: Rotation) -> Plan {
    Plan {
        path: folder.join("out/games.pack"),
        identity: RunIdentity::new("these games"),
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
    let folder = TestFolder::new();
    let plan = plan(&folder.path("."), ONE_FILE);
    let mut files = GameFiles::open(plan.clone()).unwrap();
    for number in [3, 0, 2] {
        files.put(number, &game(number)).unwrap();
    }
    files.save().unwrap();
    let expected = [game(0), game(2), game(3)].concat();
    assert_eq!(fs::read(&plan.path).unwrap(), expected);
    assert_eq!(files.finished(), 3);
    assert_eq!(files.numbers().collect::<Vec<_>>(), [0, 2, 3]);
    drop(files);
    // The same run is resumed, and ends.
    let mut files = GameFiles::open(plan.clone()).unwrap();
    assert_eq!((files.finished(), files.lost()), (3, 0));
    files.put(1, &game(1)).unwrap();
    files.finish(RunCompletion::Complete).unwrap();
    assert_eq!(fs::read(&plan.path).unwrap(), whole(0..4));
    assert!(!Journal::path_of(&plan.path).exists());
    // Nothing is written over.
    let error = GameFiles::open(plan).unwrap_err();
    assert!(error.to_string().contains("there already"), "{error}");
}

#[test]
fn a_finished_run_is_not_repeated() {
    let folder = TestFolder::new();
    let rotation = Rotation {
        games: Some(2),
        bytes: None,
    };
    // With a game given up, and the last file full or not.
    for total in [6, 7] {
        let mut plan = plan(&folder.path("."), rotation);
        plan.path = folder.path(format!("{total}.pack"));
        plan.total = Some(total);
        let mut files = GameFiles::open(plan.clone()).unwrap();
        for number in 0..total {
            let bytes = if number == 5 { vec![] } else { game(number) };
            files.put(number, &bytes).unwrap();
        }
        files.finish(RunCompletion::Complete).unwrap();
        let last = numbered(&plan.path, 3);
        let before = fs::read(&last).unwrap();

        let mut files = GameFiles::open(plan.clone()).unwrap();
        assert_eq!((files.finished(), files.lost()), (total, 0));
        assert_eq!(files.numbers().count(), 0);
        assert_eq!(files.path(), last);
        files.put(3, b"again").unwrap();
        files.save().unwrap();
        files.finish(RunCompletion::Complete).unwrap();
        assert_eq!(fs::read(&last).unwrap(), before);
        assert!(!Journal::path_of(&plan.path).exists());

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
                identity: RunIdentity::new("other games"),
                ..plan.clone()
            },
        ];
        for other in others {
            let error = GameFiles::open(other).unwrap_err();
            assert!(error.to_string().contains("there already"), "{error}");
        }
        fs::remove_file(&last).unwrap();
        assert!(GameFiles::open(plan).is_err());
    }
}

#[test]
fn another_runs_journal_is_refused() {
    let folder = TestFolder::new();
    let mut plan = plan(&folder.path("."), ONE_FILE);
    GameFiles::open(plan.clone()).unwrap();
    plan.identity = RunIdentity::new("other games");
    assert!(GameFiles::open(plan).is_err());
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
            let folder = TestFolder::new();
            let plan = plan(&folder.path("."), rotation);
            let mut files = GameFiles::open(plan.clone()).unwrap();
            for index in 0..10 {
                let number = index * step % 10;
                files.put(number, &game(number)).unwrap();
                if index % 3 == 0 {
                    // A crash now and then.
                    drop(files);
                    files = GameFiles::open(plan.clone()).unwrap();
                    assert_eq!(files.finished(), index + 1);
                }
            }
            files.finish(RunCompletion::Complete).unwrap();
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
fn the_index_lists_the_games() {
    let folder = TestFolder::new();
    let mut plan = plan(&folder.path("."), ONE_FILE);
    plan.dedup = true;
    let mut files = GameFiles::open(plan.clone()).unwrap();
    files.put(0, b"abc").unwrap();
    files.put(1, b"").unwrap();
    files.put(2, b"abc").unwrap();
    files.put(3, b"de").unwrap();
    files.save().unwrap();
    files.finish(RunCompletion::Complete).unwrap();
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

#[test]
fn errors_of_writing_name_the_output_and_a_remedy() {
    for (kind, needed) in [
        (ErrorKind::StorageFull, "room on the disk of data is needed"),
        (ErrorKind::QuotaExceeded, "the quota is used up"),
        (ErrorKind::FileTooLarge, "a higher limit"),
        (ErrorKind::PermissionDenied, "the right to write in data"),
        (ErrorKind::ReadOnlyFilesystem, "data can only be read"),
    ] {
        for path in ["data/x.pack", "data/x.pack.journal"] {
            let failed: Result<()> = Err(Error::io(path)(kind.into()).into());
            let error = with_hint("data/x.pack".as_ref(), failed).unwrap_err();
            let error = error.to_string();
            assert!(
                error.starts_with("data/x.pack: cannot be written: "),
                "{error}"
            );
            assert!(error.contains(needed), "{error}");
            assert_eq!(error.contains(".journal: "), path.ends_with("journal"));
        }
    }
    let other: Result<()> = Err(Error::file("x", "is no journal").into());
    let error = with_hint("data/x.pack".as_ref(), other).unwrap_err();
    assert_eq!(error.to_string(), "x: is no journal");
}
