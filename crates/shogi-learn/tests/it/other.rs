//! Three-piece tables, and an evaluation's own numbers.

use std::sync::atomic::AtomicBool;

use shogi_core::{HandKind, Position};
use shogi_eval::kppt::KpptLayout;
use shogi_learn::{
    KpptLearnOptions, Lambda, LearnError, LearnOptions, TunedNumber, learn_kppt, tune,
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
        let stop = AtomicBool::new(false);
        let report = tune(&options, &mut numbers, &material, &stop, &mut |_| ()).unwrap();
        (report, numbers)
    });
    assert_eq!(results[0], results[1]);
    let (report, numbers) = &results[0];
    assert!(
        report.finished && report.after < report.before,
        "{report:?}"
    );
    let value = |kind: HandKind| {
        let index = HandKind::ALL.into_iter().position(|other| other == kind);
        numbers[index.unwrap()].value
    };
    assert!(value(HandKind::Rook) > value(HandKind::Pawn), "{numbers:?}");
}
