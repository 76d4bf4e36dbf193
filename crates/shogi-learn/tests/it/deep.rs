//! Policy and value networks.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use shogi_deep::{NetworkModel, ResidualNetwork};
use shogi_learn::{
    DeepLearnOptions, LearnError, LearnEvent, LearnSource, LearnValidation, OnnxForm, PolicyTest,
    RateSchedule, VectorLimit, learn_deep,
};
use test_support::TestFolder;

use crate::util::small;

/// A training with the data of [`small`].
fn options(folder: &TestFolder, output: &str) -> DeepLearnOptions {
    let mut options = DeepLearnOptions::new("resnet1x8".parse().unwrap(), folder.path(output));
    let common = small(folder, "k_32x2-8-8");
    options.common.sources = common.sources;
    options.common.validation = common.validation;
    options.common.target.scale = common.target.scale;
    options.common.shuffle = common.shuffle;
    options.common.mirror = common.mirror;
    options.common.threads = 1;
    options.common.epochs = 2;
    options.common.learning_rate.warm_up = 1;
    options.average_every = 2;
    options
}

/// Trains, and stops after `saves` files were saved: the tests after each epoch, and true if the training is finished.
fn train(options: &DeepLearnOptions, saves: usize) -> Result<(bool, Vec<PolicyTest>), LearnError> {
    let stop = AtomicBool::new(false);
    let (mut tests, mut saved) = (Vec::new(), 0);
    let report = learn_deep(options, &stop, &mut |event| match event {
        LearnEvent::Epoch(report) => tests.extend(report.policy),
        LearnEvent::Saved(_) => {
            saved += 1;
            stop.store(saved >= saves, Ordering::Relaxed);
        }
        _ => {}
    })?;
    Ok((report.finished, tests))
}

#[test]
fn a_small_set_is_learnt_by_heart() {
    let folder = TestFolder::new();
    let mut options = options(&folder, "out");
    let bytes = test_support::fixture_bytes("learning/train50k.psv");
    folder.write("few.psv", &bytes[..40 * 128]);
    let few = LearnSource::new(folder.path("few.psv"));
    options.common.sources = vec![few.clone()];
    options.common.validation = LearnValidation::Files(vec![few]);
    options.shape = "resnet1x24".parse().unwrap();
    options.common.target.lambda = shogi_learn::Lambda::constant(0.0);
    options.common.mirror = 0.0;
    options.common.batch = 32;
    options.common.epochs = 30;
    options.common.learning_rate.peak = 0.05;
    let (finished, tests) = train(&options, usize::MAX).unwrap();
    let (first, last) = (tests[0], tests[tests.len() - 1]);
    assert!(finished);
    assert!(first.accuracy < 0.2 && first.loss > 6.0, "{first:?}");
    assert!(last.accuracy > 0.95 && last.loss < 0.3, "{last:?}");
    assert!(
        last.value_accuracy > 0.95 && last.value_loss < 0.2,
        "{last:?}"
    );
}

#[test]
fn threads_instructions_and_interruptions_change_nothing() {
    let folder = TestFolder::new();
    let mut options = options(&folder, "whole");
    let (finished, tests) = train(&options, usize::MAX).unwrap();
    assert!(finished && tests.len() == 3);
    assert!(tests[2].loss < tests[0].loss, "{tests:?}");
    let bytes = |output: &str| folder.read(format!("{output}/final/model.onnx"));
    options.common.output = folder.path("parts");
    options.common.threads = 3;
    options.common.vectors = VectorLimit::Avx2;
    options.common.checkpoint_every = Duration::ZERO;
    let mut runs = 0;
    while !train(&options, 1).unwrap().0 {
        runs += 1;
        assert!(runs < 100);
    }
    assert!(runs > 5, "{runs}");
    assert!(bytes("parts") == bytes("whole"));
    let checkpoint = |output: &str| folder.read(format!("{output}/checkpoint"));
    assert!(checkpoint("parts") == checkpoint("whole"));

    // A training may begin with what another one wrote, and in another form.
    options.initial = Some(folder.path("whole/final/model.onnx"));
    options.common.output = folder.path("again");
    options.form = OnnxForm {
        half: true,
        folded: true,
    };
    let (_, again) = train(&options, usize::MAX).unwrap();
    // Statistics are of other positions.
    assert!(
        (again[0].loss - tests[2].loss).abs() < 0.1,
        "{again:?} {tests:?}"
    );
    let (small, whole) = (bytes("again"), bytes("whole"));
    assert!(
        small.len() < whole.len() * 6 / 10,
        "{} {}",
        small.len(),
        whole.len()
    );
    NetworkModel::from_bytes(&small).unwrap();
    assert!(ResidualNetwork::from_onnx(&small).is_err());
}

#[test]
fn trainings_that_make_no_sense_are_refused() {
    let folder = TestFolder::new();
    let refused = |change: &dyn Fn(&mut DeepLearnOptions)| {
        let mut options = options(&folder, "out");
        change(&mut options);
        train(&options, 1).unwrap_err().to_string()
    };
    assert!(refused(&|options| options.momentum = 1.0).contains("momentum"));
    assert!(refused(&|options| options.weight_decay = -0.1).contains("weight decay"));
    assert!(refused(&|options| options.common.clip = Some(0.0)).contains("gradient"));
    let newbob = RateSchedule::Newbob {
        factor: 0.5,
        trials: 2,
    };
    assert!(refused(&|options| options.common.learning_rate.schedule = newbob).contains("newbob"));
    let nothing = folder.path("nothing.onnx");
    assert!(refused(&|options| options.initial = Some(nothing.clone())).contains("nothing.onnx"));
    folder.write("bad.onnx", "text");
    let bad = folder.path("bad.onnx");
    assert!(refused(&|options| options.initial = Some(bad.clone())).contains("bad.onnx"));
    train(&options(&folder, "first"), usize::MAX).unwrap();
    let other = folder.path("first/final/model.onnx");
    let error = refused(&|options| {
        options.shape = "resnet1x16".parse().unwrap();
        options.initial = Some(other.clone());
    });
    assert!(
        error.contains("it is resnet1x8, expected resnet1x16"),
        "{error}"
    );
}
