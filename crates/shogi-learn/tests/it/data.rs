//! Data of all formats, damaged data, and filters.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use pack_format::TeacherFormat;
use pack_format::convert::{TeacherConvertOptions, convert};
use pack_format::stream::Input;
use shogi_core::Position;
use shogi_learn::{
    DataReport, LeafSearch, LearnError, LearnEvent, LearnOptions, LearnSource, LearnValidation,
    Result,
};
use test_support::{TestFolder, fixture, fixture_bytes};
use yane_io::Job;

use crate::util::{run, small};

fn data_report(options: &LearnOptions) -> Result<DataReport> {
    let (_, events) = run(options)?;
    let report = events.into_iter().find_map(|event| match event {
        LearnEvent::Data(report) => Some(report),
        _ => None,
    });
    Ok(report.unwrap())
}

/// The error of a training with a file of these bytes.
fn error_of(name: &str, bytes: &[u8]) -> String {
    let folder = TestFolder::new();
    let mut options = small(&folder, "k_32x2-8-8");
    folder.write(name, bytes);
    options.sources = vec![LearnSource::new(folder.path(name))];
    run(&options).unwrap_err().to_string()
}

#[test]
fn damaged_data_are_one_error_with_file_and_record() {
    let good = fixture_bytes("learning/valid5k.psv");
    let mut bad = good[..40 * 100].to_vec();
    bad[40 * 41..40 * 41 + 32].fill(0xff);
    let error = error_of("bad.psv", &bad);
    assert!(
        error.contains("bad.psv") && error.contains("record 42"),
        "{error}"
    );
    let error = error_of("cut.psv", &good[..40 * 100 + 7]);
    assert!(
        error.contains("cut.psv") && error.contains("record 101"),
        "{error}"
    );
    let error = error_of("empty.psv", &[]);
    assert!(
        error.contains("empty.psv") && error.contains("no position"),
        "{error}"
    );
    let error = error_of("data.csv", b"sfen");
    assert!(
        error.contains("data.csv") && error.contains("teacher convert"),
        "{error}"
    );
    let pack = fixture_bytes(PACK);
    let error = error_of("cut.pack", &pack[..pack.len() - 5]);
    assert!(
        error.contains("cut.pack") && error.contains("game"),
        "{error}"
    );
}

/// A pack file of self-play.
const PACK: &str = "teacher/selfplay/normal_n2000_ply320.pack";

#[test]
fn all_formats_give_the_same_positions() {
    let folder = TestFolder::new();
    let pack = fixture(PACK);
    let mut reports = Vec::new();
    for format in [
        TeacherFormat::Pack,
        TeacherFormat::Hcpe,
        TeacherFormat::Hcpe3,
        TeacherFormat::Psv,
    ] {
        let path = folder.path(format!("same.{format}"));
        let options = TeacherConvertOptions::new(TeacherFormat::Pack, format);
        convert(&[Input::named(&pack)], &path, &options, &Job::default()).unwrap();
        let mut options = small(&folder, "k_32x2-8-8");
        options.output = folder.path(format!("out.{format}"));
        options.sources = vec![LearnSource::new(path)];
        options.validation = LearnValidation::Split {
            share: 0.0,
            positions: 0,
        };
        options.epochs = 1;
        options.filter.captures = true;
        reports.push((format, data_report(&options)));
    }
    let (_, first) = reports.remove(0);
    let first = first.unwrap();
    assert!(first.train > 0 && first.filtered > 0);
    for (format, report) in reports {
        // hcpe3 that was made of a pack has no candidates, so that there is nothing to learn from.
        if format == TeacherFormat::Hcpe3 && matches!(report, Err(LearnError::NoPositions { .. })) {
            continue;
        }
        assert_eq!(report.unwrap(), first, "{format}");
    }
}

#[test]
fn positions_of_games_with_candidates_are_read() {
    let folder = TestFolder::new();
    let mut options = small(&folder, "k_32x2-8-8");
    let file = fixture("teacher/hcpe3/multipv4_default.hcpe3");
    options.sources = vec![LearnSource::new(file)];
    options.epochs = 1;
    let report = data_report(&options).unwrap();
    assert!(report.train > 100, "{report:?}");
}

#[test]
fn games_are_kept_together_for_validation() {
    let folder = TestFolder::new();
    let mut options = small(&folder, "k_32x2-8-8");
    options.sources = vec![LearnSource::new(fixture(PACK))];
    options.validation = LearnValidation::Split {
        share: 0.3,
        positions: 1_000_000,
    };
    options.epochs = 1;
    let report = data_report(&options).unwrap();
    assert!(report.validation > 0 && report.train > 0);
    assert_eq!(
        report.train + report.validation,
        report.read - report.filtered
    );
    assert!(!report.shuffled);
}

#[test]
fn filters_leave_positions_out() {
    let count = |change: &dyn Fn(&mut LearnOptions)| {
        let folder = TestFolder::new();
        let mut options = small(&folder, "k_32x2-8-8");
        options.sources = vec![LearnSource::new(fixture(PACK))];
        options.epochs = 1;
        change(&mut options);
        data_report(&options).unwrap()
    };
    let all = count(&|_| ());
    for change in [
        (|options| options.filter.in_check = true) as fn(&mut LearnOptions),
        |options| options.filter.captures = true,
        |options| options.filter.max_score = 500,
        |options| options.filter.min_ply = 30,
        |options| options.filter.max_ply = 30,
    ] {
        let some = count(&change);
        assert_eq!(some.read, all.read);
        assert!(
            some.train < all.train && some.filtered > all.filtered,
            "{some:?}"
        );
    }
}

/// The lines of one position each, the same with the other side to move: a stand-in for a quiescence search. Positions in check have none.
fn after_null_moves(positions: Vec<Position>) -> Vec<Option<Vec<Position>>> {
    let after = |position: Position| {
        let mut leaf = position.clone();
        let undo = leaf.do_null_move();
        let _ = undo;
        (!position.in_check()).then(|| vec![leaf])
    };
    positions.into_iter().map(after).collect()
}

#[test]
fn positions_are_replaced_by_their_leaves() {
    let folder = TestFolder::new();
    let mut options = small(&folder, "k_32x2-8-8");
    options.filter.leaf = Some(Arc::new(|positions| Ok(after_null_moves(positions))));
    options.epochs = 1;
    let positions = |events: &[LearnEvent]| {
        let of_epoch = |event: &LearnEvent| match event {
            LearnEvent::Epoch(report) => Some(report.positions),
            _ => None,
        };
        events.iter().filter_map(of_epoch).max()
    };
    let (with, events) = run(&options).unwrap();
    let leaves = positions(&events).unwrap();
    // The positions on the way to them count too, here each position itself.
    options.filter.line_weight = 0.5;
    options.output = folder.path("lines");
    let (lines, events) = run(&options).unwrap();
    let all = positions(&events).unwrap();
    assert!(
        all > 2 * leaves - 512 && all <= 2 * leaves + 512,
        "{all} {leaves}"
    );
    assert_ne!(with.best_loss, lines.best_loss);
    options.filter.leaf = None;
    options.output = folder.path("without");
    let (without, _) = run(&options).unwrap();
    assert_ne!(with.best_loss, without.best_loss);
    options.filter.line_weight = -1.0;
    assert!(run(&options).is_err());
}

#[test]
fn a_search_that_fails_ends_the_training_with_a_checkpoint() {
    let folder = TestFolder::new();
    let mut options = small(&folder, "k_32x2-8-8");
    // Of the second file nothing is read before steps were made with the first.
    let bytes = folder.read("data.psv");
    let (first, second) = bytes.split_at(bytes.len() / 2);
    options.sources = [("first.psv", first), ("second.psv", second)]
        .map(|(name, bytes)| {
            folder.write(name, bytes);
            LearnSource::new(folder.path(name))
        })
        .to_vec();
    options.shuffle = 1;
    options.epochs = 1;
    let search: LeafSearch = Arc::new(|positions| Ok(after_null_moves(positions)));
    options.filter.leaf = Some(Arc::clone(&search));
    options.output = folder.path("whole");
    let (whole, _) = run(&options).unwrap();
    let count = |most: u64| {
        let (asked, search) = (AtomicU64::new(0), Arc::clone(&search));
        let failing: LeafSearch = Arc::new(move |positions| {
            if asked.fetch_add(1, Ordering::Relaxed) >= most {
                return Err(LearnError::Search("the search is gone".to_owned()));
            }
            search(positions)
        });
        failing
    };
    options.output = folder.path("out");
    // 300 positions for validation, 1,000 of a file, at most 256 at once.
    options.filter.leaf = Some(count(6));
    let error = run(&options).unwrap_err();
    assert!(matches!(error, LearnError::Search(_)), "{error}");
    assert_eq!(error.to_string(), "the search is gone");
    options.filter.leaf = Some(search);
    let (resumed, events) = run(&options).unwrap();
    let steps = events.iter().find_map(|event| match event {
        LearnEvent::Resumed { steps, .. } => Some(*steps),
        _ => None,
    });
    assert!(
        steps.is_some_and(|steps| steps > 0 && steps < resumed.steps),
        "{steps:?}"
    );
    assert_eq!(
        (resumed.steps, resumed.best_loss),
        (whole.steps, whole.best_loss)
    );
    let network = |name: &str| folder.read(format!("{name}/final/nn.bin"));
    assert!(network("out") == network("whole"));
}
