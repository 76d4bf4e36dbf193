//! Small trainings.

use std::sync::atomic::AtomicBool;

use shogi_learn::{
    Lambda, LearnEvent, LearnOptions, LearnReport, LearnSource, LearnValidation, Result,
    TeacherScale, learn,
};
use test_support::{TestFolder, fixture};

/// A training of two epochs of a small network with the first 2,000 positions of the fixture.
pub(crate) fn small(folder: &TestFolder, architecture: &str) -> LearnOptions {
    let bytes = test_support::fixture_bytes("learning/valid5k.psv");
    folder.write("data.psv", &bytes[..40 * 2000]);
    let mut options = LearnOptions::new(architecture.parse().unwrap(), folder.path("out"));
    options.sources = vec![LearnSource::new(folder.path("data.psv"))];
    let validation = folder.path("validation.psv");
    folder.write("validation.psv", &bytes[40 * 2000..40 * 2300]);
    options.validation = LearnValidation::Files(vec![LearnSource::new(validation)]);
    options.target.scale = TeacherScale::Fixed(600.0);
    options.target.lambda = Lambda::constant(0.7);
    options.epochs = 2;
    options.batch = 256;
    options.threads = 1;
    options.shuffle = 700;
    options.mirror = 0.5;
    options
}

/// Trains without being stopped.
pub(crate) fn run(options: &LearnOptions) -> Result<(LearnReport, Vec<LearnEvent>)> {
    let mut events = Vec::new();
    let report = learn(options, &AtomicBool::new(false), &mut |event| {
        events.push(event);
    })?;
    Ok((report, events))
}

/// The validation losses of all epochs.
pub(crate) fn losses(events: &[LearnEvent]) -> Vec<f64> {
    let loss = |event: &LearnEvent| match event {
        LearnEvent::Epoch(report) => report.validation_loss,
        _ => None,
    };
    events.iter().filter_map(loss).collect()
}

/// The training of the README of the fixtures, whose losses are known.
pub(crate) fn reference(folder: &TestFolder, architecture: &str) -> LearnOptions {
    let mut options = LearnOptions::new(architecture.parse().unwrap(), folder.path("out"));
    options.sources = vec![LearnSource::new(fixture("learning/train50k.psv"))];
    let validation = LearnSource::new(fixture("learning/valid5k.psv"));
    options.validation = LearnValidation::Files(vec![validation]);
    options.target.scale = TeacherScale::Fixed(600.0);
    options.target.lambda = Lambda::constant(0.7);
    options.epochs = 5;
    options.batch = 1024;
    options
}
