//! Networks of every kind: written, read by the evaluation, and worth the same there.

use shogi_core::Position;
use shogi_eval::Evaluator;
use shogi_eval::nnue::file::NetworkReadOptions;
use shogi_eval::nnue::{Network, NnueEvaluator, PreparedNetwork, reference};
use shogi_learn::{InitialNetwork, LearnEvent};
use std::sync::Arc;
use test_support::TestFolder;

use crate::util::{run, small};

const ARCHITECTURES: [&str; 16] = [
    "halfkp_32x2-8-8",
    "halfkpvm_32x2-8-16",
    "k_32x2-8-8",
    "p_40x2-5-33",
    "kp_32x2-16-32",
    "a2_32x2-8-8",
    "ka2_32x2-8-8",
    "halfka1_32x2-8-8",
    "halfka2_32x2-8-8",
    "halfkahm1_32x2-8-8",
    "halfkahm2_32x2-8-8",
    "SFNN_halfkahm2_64_15_32_k3k3",
    "SFNN_kp_64_8_16",
    "SFNN_halfkp_64_7_8_c32_s16x2_hand4_k9k9",
    "SFNN_kp_64_8_16_progress8",
    "SFNN_halfkahm2_64_15_32_k3k3_progress2",
];

#[test]
fn every_network_is_read_and_worth_the_same() {
    for name in ARCHITECTURES {
        let folder = TestFolder::new();
        let mut options = small(&folder, name);
        options.epochs = 1;
        options.threads = 2;
        let (report, events) = run(&options).unwrap();
        let read = NetworkReadOptions {
            architecture: Some(options.architecture),
        };
        let path = report.network.unwrap();
        let loaded = Network::open(&path, &read).unwrap();
        assert!(loaded.notes.is_empty(), "{name}: {:?}", loaded.notes);
        assert_eq!(*loaded.network.architecture(), options.architecture);
        // The mean difference to the floating-point network, as the training itself found.
        let quantisation = events.iter().rev().find_map(|event| match event {
            LearnEvent::Epoch(report) => Some(report.health.quantisation),
            _ => None,
        });
        assert!(quantisation.unwrap() < 0.3, "{name}: {quantisation:?}");
        let position = Position::from_sfen(
            "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
        )
        .unwrap();
        let scale = options.architecture.default_fv_scale();
        let exact = reference::evaluate(&loaded.network, &position, scale);
        let prepared = Arc::new(PreparedNetwork::new(loaded.network));
        let mut evaluator = NnueEvaluator::new(prepared, scale);
        evaluator.reset(&position);
        assert_eq!(evaluator.evaluate(&position), exact, "{name}");
    }
}

#[test]
fn a_training_may_begin_with_a_network() {
    let folder = TestFolder::new();
    let mut options = small(&folder, "halfkp_32x2-8-8");
    options.epochs = 1;
    let (first, _) = run(&options).unwrap();
    options.initial = InitialNetwork::File(first.network.expect("a network"));
    options.output = folder.path("again");
    let (_, events) = run(&options).unwrap();
    let begin = events.iter().find_map(|event| match event {
        LearnEvent::Epoch(report) if report.epoch == 0 => report.validation_loss,
        _ => None,
    });
    // The second begins where the first one ended, but for the cost of quantisation.
    let difference = (begin.unwrap() - first.best_loss.unwrap()).abs();
    assert!(difference < 0.003, "{difference}");
    options.architecture = "kp_32x2-8-8".parse().unwrap();
    options.output = folder.path("other");
    assert!(run(&options).is_err());
}

#[test]
fn the_progress_of_the_game_stays_what_it_was() {
    let progress_of = |path: &std::path::Path| {
        let loaded = Network::open(path, &NetworkReadOptions::default()).unwrap();
        let progress = loaded.network.layers().progress().unwrap();
        (progress.bias(), progress.weights().to_vec())
    };
    let folder = TestFolder::new();
    let mut options = small(&folder, "SFNN_kp_64_8_16_progress8");
    options.epochs = 1;
    let first = run(&options).unwrap().0.network.unwrap();
    options.initial = InitialNetwork::File(first.clone());
    options.output = folder.path("again");
    // Other data would have another progress.
    let source = options.validation.clone();
    if let shogi_learn::LearnValidation::Files(files) = source {
        options.sources = files;
    }
    let second = run(&options).unwrap().0.network.unwrap();
    assert_eq!(progress_of(&first), progress_of(&second));
    // Data without plies say nothing about progress.
    let mut bytes = folder.read("data.psv");
    for record in bytes.chunks_exact_mut(40) {
        record[36..38].fill(0);
    }
    folder.write("without.psv", &bytes);
    options.sources = vec![shogi_learn::LearnSource::new(folder.path("without.psv"))];
    options.initial = InitialNetwork::Random;
    options.output = folder.path("none");
    let error = run(&options).unwrap_err().to_string();
    assert!(error.contains("the data have none"), "{error}");
}
