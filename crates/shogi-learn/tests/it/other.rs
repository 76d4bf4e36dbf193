//! Three-piece tables, and an evaluation's own numbers.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use shogi_core::{HandKind, Position};
use shogi_eval::kppt::KpptLayout;
use shogi_eval::loader::{EvalFiles, EvalOpenOptions, read_weights, write_weights};
use shogi_eval::{Evaluator, PositionalWeights};
use shogi_learn::{
    KpptLearnOptions, Lambda, LearnError, LearnEvent, LearnOptions, LearnSource, LearnValidation,
    PositionalLearnOptions, RateSchedule, TuneReport, TunedNumber, learn_kppt, learn_positional,
    tune,
};
use test_support::TestFolder;

use crate::util::small;

#[test]
fn tables_that_cannot_be_trained_are_refused() {
    let folder = TestFolder::new();
    let options = KpptLearnOptions::new(KpptLayout::Kppt16, folder.path("out"));
    let options = KpptLearnOptions {
        common: small(&folder, "k_32x2-8-8"),
        ..options
    };
    let stop = AtomicBool::new(false);
    let error = learn_kppt(&options, &stop, &mut |_| ()).unwrap_err();
    assert!(matches!(error, LearnError::Option(_)), "{error}");
}

/// A value that is material with its own piece values, in the order of [`HandKind::ALL`].
fn material(values: &[f64], position: &Position) -> f64 {
    let us = position.side_to_move();
    let mut sum = 0.0;
    for (kind, value) in HandKind::ALL.into_iter().zip(values) {
        let piece = kind.piece_kind();
        let count = |color| {
            let on_board = position.pieces(color, piece).len();
            f64::from(on_board) + f64::from(position.hand(color).count(kind))
        };
        sum += value * (count(us) - count(us.flip()));
    }
    sum
}

#[test]
fn tuning_finds_numbers_that_predict_better() {
    let folder = TestFolder::new();
    let mut options: LearnOptions = small(&folder, "k_32x2-8-8");
    options.target.lambda = Lambda::constant(1.0);
    options.learning_rate.peak = 2.0;
    options.learning_rate.warm_up = 1;
    options.epochs = 10;
    let numbers = HandKind::ALL.map(|kind| TunedNumber {
        name: format!("{kind:?}"),
        value: 100.0,
        step: 10.0,
        min: 0.0,
        max: 5000.0,
    });
    let results = [1, 2].map(|threads| {
        let mut numbers = numbers.to_vec();
        options.threads = threads;
        options.output = folder.path(format!("out{threads}"));
        let stop = AtomicBool::new(false);
        let mut tuned = None;
        let report = tune(&options, &mut numbers, &material, &stop, &mut |event| {
            if let LearnEvent::Tuned(report) = event {
                tuned = Some(report);
            }
        });
        assert!(report.unwrap().finished);
        (tuned.unwrap(), numbers)
    });
    assert_eq!(results[0], results[1]);
    let (report, numbers) = &results[0];
    assert!(report.after < report.before, "{report:?}");
    assert_eq!(report.changes.len(), 7);
    let value = |kind: HandKind| {
        let index = HandKind::ALL.into_iter().position(|other| other == kind);
        numbers[index.unwrap()].value
    };
    assert!(value(HandKind::Rook) > value(HandKind::Pawn), "{numbers:?}");
}

/// Tunes the positional evaluation, and stops after `saves` files were saved.
fn tune_positional(
    options: &PositionalLearnOptions,
    saves: usize,
) -> Result<(bool, Option<TuneReport>), LearnError> {
    let stop = AtomicBool::new(false);
    let (mut tuned, mut saved) = (None, 0);
    let report = learn_positional(options, &stop, &mut |event| match event {
        LearnEvent::Tuned(report) => tuned = Some(report),
        LearnEvent::Saved(_) => {
            saved += 1;
            stop.store(saved >= saves, Ordering::Relaxed);
        }
        _ => {}
    })?;
    Ok((report.finished, tuned))
}

#[test]
fn the_positional_evaluation_is_tuned_and_its_file_is_read() {
    let folder = TestFolder::new();
    let mut options = PositionalLearnOptions::new(folder.path("whole"));
    let common = small(&folder, "k_32x2-8-8");
    options.common = LearnOptions {
        learning_rate: options.common.learning_rate,
        output: folder.path("whole"),
        ..common
    };
    options.common.learning_rate.warm_up = 0;
    options.common.learning_rate.peak = 1.0;
    // Piece values that are much too large, and little else to do: the positions are few. They are tested on, too.
    let data = LearnSource::new(folder.path("data.psv"));
    options.common.validation = LearnValidation::Files(vec![data]);
    let mut start = PositionalWeights::DEFAULT;
    start.pieces = start.pieces.map(|value| value * 8 / 5);
    write_weights(&folder.path("start.params"), &start).unwrap();
    options.initial = Some(folder.path("start.params"));
    options.frozen = [
        "guard",
        "attack",
        "behind",
        "rank",
        "file",
        "hand",
        "danger",
        "hand_force",
        "tempo",
    ]
    .map(str::to_owned)
    .to_vec();
    let (finished, report) = tune_positional(&options, usize::MAX).unwrap();
    let report = report.unwrap();
    assert!(finished && report.after < report.before, "{report:?}");
    let changed = |start: &str| {
        report
            .changes
            .iter()
            .filter(|c| c.name.starts_with(start))
            .count()
    };
    assert!(changed("piece_") > 5, "{report:?}");
    assert_eq!(changed("tempo") + changed("guard") + changed("danger"), 0);
    // The evaluation reads what was written, and it is what the report says.
    let path = folder.path("whole/final/positional.params");
    let weights = read_weights(&path).unwrap();
    for change in &report.changes {
        let place = PositionalWeights::describe()
            .iter()
            .position(|n| n.name == change.name);
        let found = f64::from(weights.to_vec()[place.unwrap()]);
        assert!((found - change.to).abs() < 1e-9, "{change:?} {found}");
    }
    let files = EvalFiles::find(&folder.path("whole/final")).unwrap();
    assert_eq!(files, EvalFiles::Positional { path });
    let opened = files.open(&EvalOpenOptions::default()).unwrap();
    let mut evaluator = opened.evaluation.evaluator(None);
    evaluator.reset(&Position::startpos());
    assert_eq!(evaluator.evaluate(&Position::startpos()), 22);

    // Interrupted after every step, and on another number of threads, it is the same.
    let bytes = |output: &str| folder.read(format!("{output}/final/positional.params"));
    options.common.output = folder.path("parts");
    options.common.threads = 2;
    options.common.checkpoint_every = Duration::ZERO;
    let mut runs = 0;
    while !tune_positional(&options, 1).unwrap().0 {
        runs += 1;
        assert!(runs < 100);
    }
    assert!(runs > 3, "{runs}");
    assert!(bytes("parts") == bytes("whole"));
    let checkpoint = |output: &str| folder.read(format!("{output}/checkpoint"));
    assert!(checkpoint("parts") == checkpoint("whole"));

    // Tuning may begin with a file.
    options.initial = Some(folder.path("whole/final"));
    options.common.output = folder.path("again");
    let again = tune_positional(&options, usize::MAX).unwrap().1.unwrap();
    let difference = again.before.unwrap() - report.after.unwrap();
    assert!(difference.abs() < 1e-12, "{again:?}");
    // What makes nothing better changes nothing.
    options.common.learning_rate.peak = 1000.0;
    options.common.output = folder.path("wild");
    let wild = tune_positional(&options, usize::MAX).unwrap().1.unwrap();
    assert_eq!((wild.changes.len(), wild.after), (0, wild.before));
    assert!(bytes("wild") == bytes("whole"));
}

#[test]
fn tunings_that_make_no_sense_are_refused() {
    let folder = TestFolder::new();
    let good = || {
        let mut options = PositionalLearnOptions::new(folder.path("out"));
        options.common = small(&folder, "k_32x2-8-8");
        options
    };
    let refused =
        |options: &PositionalLearnOptions| tune_positional(options, 1).unwrap_err().to_string();
    let mut options = good();
    options.frozen.push("piec".to_owned());
    assert!(refused(&options).contains("\"piec\""));
    let mut options = good();
    options.common.learning_rate.schedule = RateSchedule::Newbob {
        factor: 0.5,
        trials: 2,
    };
    assert!(refused(&options).contains("newbob"));
    let mut options = good();
    options.initial = Some(folder.path("nothing"));
    assert!(refused(&options).contains("positional.params"));
    folder.write("bad.params", "tempo, int, many");
    options.initial = Some(folder.path("bad.params"));
    let error = refused(&options);
    assert!(error.contains("bad.params: line 1: \"many\""), "{error}");
}
