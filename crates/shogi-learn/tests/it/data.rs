//! Data of all formats, damaged data, and filters.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use pack_format::convert::{TeacherConvertOptions, convert};
use pack_format::record::TeacherRecord as _;
use pack_format::stream::Input;
use pack_format::{Psv, TeacherFormat};
use shogi_core::Position;
use shogi_eval::loader::Evaluation;
use shogi_eval::{Evaluator as _, MaterialEvaluator, MaterialLevel};
use shogi_learn::{
    DataReport, FilterReason, LeafSearch, LearnError, LearnEvent, LearnOptions, LearnSource,
    LearnValidation, Result, SharpFilter, TeacherScale, Upsets,
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
    assert!(first.train > 0 && first.filtered.of(FilterReason::Capture) > 0);
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
        report.read - report.filtered.total()
    );
    assert!(!report.shuffled);
}

/// A change of the options of a training.
type Change = fn(&mut LearnOptions);

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
    let changes: [(FilterReason, Change); 8] = [
        (FilterReason::Check, |options| {
            options.filter.in_check = true;
        }),
        (FilterReason::Capture, |options| {
            options.filter.captures = true;
        }),
        (FilterReason::Score, |options| {
            options.filter.max_score = 500;
        }),
        (FilterReason::Ply, |options| options.filter.min_ply = 30),
        (FilterReason::Ply, |options| options.filter.max_ply = 30),
        (FilterReason::Upset, |options| {
            options.filter.upsets = Some(Upsets::From(50));
        }),
        (FilterReason::Upset, |options| {
            options.filter.upsets = Some(Upsets::Softly(100));
        }),
        (FilterReason::Sharp, |options| {
            options.filter.sharp = Some(sharp(100));
        }),
    ];
    for (reason, change) in changes {
        let some = count(&change);
        assert_eq!(some.read, all.read);
        let left_out = some.filtered.total() - all.filtered.total();
        assert!(left_out > 0, "{some:?}");
        assert_eq!(some.train + left_out, all.train, "{some:?}");
        let of_reason = some.filtered.of(reason) - all.filtered.of(reason);
        assert!(of_reason >= left_out, "{some:?}");
    }
}

/// A filter of positions whose material is farther than `limit` from their score.
fn sharp(limit: u16) -> SharpFilter {
    SharpFilter {
        limit,
        evaluator: Evaluation::material(MaterialLevel::FIRST).evaluator(None),
        name: "material".to_owned(),
    }
}

#[test]
fn sharp_positions_are_those_far_from_their_static_evaluation() {
    let folder = TestFolder::new();
    let mut options = small(&folder, "k_32x2-8-8");
    options.epochs = 1;
    options.filter.sharp = Some(sharp(400));
    let found = data_report(&options).unwrap().filtered;
    let mut evaluator = MaterialEvaluator::new();
    let (bytes, mut expected) = (folder.read("data.psv"), 0);
    for record in bytes.chunks_exact(40) {
        let record = Psv::from_bytes(record).unwrap();
        let (position, _) = record.open().unwrap();
        evaluator.reset(&position);
        // Centipawns, and internal units.
        let value = f64::from(evaluator.evaluate(&position)) / 0.9;
        let difference = (f64::from(record.score.0) - value).abs();
        let is_mate = record.score.0.unsigned_abs() > options.filter.max_score.unsigned_abs();
        expected += u64::from(difference > 400.0 && !is_mate);
    }
    assert!(expected > 100);
    assert_eq!(found.of(FilterReason::Sharp), expected);
    // With another evaluation, it is another training.
    let mut other = options.clone();
    other.filter.sharp = Some(SharpFilter {
        name: "another".to_owned(),
        ..sharp(400)
    });
    let error = run(&other).unwrap_err().to_string();
    assert!(error.contains("filter differs"), "{error}");
}

#[test]
fn results_that_disagree_count_for_the_scale_all_the_same() {
    let folder = TestFolder::new();
    let mut options = small(&folder, "k_32x2-8-8");
    options.epochs = 1;
    options.target.scale = TeacherScale::Fitted;
    let all = data_report(&options).unwrap();
    options.filter.upsets = Some(Upsets::From(1));
    options.output = folder.path("without");
    let some = data_report(&options).unwrap();
    assert!(some.filtered.of(FilterReason::Upset) > 100, "{some:?}");
    assert!(all.fitted_scale.is_some());
    assert_eq!(some.fitted_scale, all.fitted_scale);
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
