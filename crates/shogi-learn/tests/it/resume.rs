//! The same bytes: whatever the number of threads, and however often a training is interrupted.

use std::num::NonZeroU32;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use shogi_learn::{
    InitialNetwork, Lambda, LearnEvent, LearnOptions, LossFunction, Optimiser, RateSchedule,
    Upsets, VectorLimit, learn,
};
use test_support::TestFolder;

use crate::util::{losses, reference, run, small};

/// Networks of one architecture of each kind.
const ARCHITECTURES: [&str; 4] = [
    "kp_32x2-8-8",
    "halfkp_32x2-8-8",
    "SFNN_halfkahm2_64_15_32_k3k3",
    "SFNN_kp_64_8_16_progress4",
];

#[test]
fn the_number_of_threads_changes_nothing() {
    for architecture in ARCHITECTURES {
        let networks = [1, 2, 3].map(|threads| {
            let folder = TestFolder::new();
            let mut options = small(&folder, architecture);
            extend(&mut options);
            options.threads = threads;
            if threads == 3 {
                options.vectors = VectorLimit::Avx2;
            }
            let (report, _) = run(&options).unwrap();
            std::fs::read(report.network.unwrap()).unwrap()
        });
        assert!(networks[0] == networks[1], "{architecture}");
        assert!(networks[0] == networks[2], "{architecture}");
    }
}

/// Makes a training one with all that has a state of its own.
fn extend(options: &mut LearnOptions) {
    options.ema = Some(0.8);
    // Below most gradients, and above some.
    options.clip = Some(0.05);
    options.target.lambda_end = Some(Lambda::constant(0.1));
    options.target.scale_end = Some(900.0);
    options.target.offset = 270.0;
    options.target.scale_out = Some(500.0);
    options.loss = LossFunction::Power(2.5);
    options.filter.upsets = Some(Upsets::Softly(500));
}

#[test]
fn an_interrupted_training_ends_as_any_other() {
    for architecture in ARCHITECTURES {
        let folder = TestFolder::new();
        let mut options = small(&folder, architecture);
        extend(&mut options);
        let whole = folder.path("whole");
        options.output.clone_from(&whole);
        run(&options).unwrap();
        options.output = folder.path("parts");
        // A checkpoint after every step: whatever kills the program, it resumes from one of them.
        options.checkpoint_every = Duration::ZERO;
        let mut saved = 0;
        while !stop_at_save(&options, 3) {
            saved += 1;
        }
        assert!(saved >= 3, "{saved}");
        for file in ["1/nn.bin", "2/nn.bin", "final/nn.bin", "checkpoint"] {
            let [whole, parts] =
                ["whole", "parts"].map(|output| folder.read(format!("{output}/{file}")));
            assert!(whole == parts, "{architecture} {file}");
        }
    }
}

/// Goes on until a number of files were saved: true when the training is over.
fn stop_at_save(options: &LearnOptions, saves: usize) -> bool {
    let stop = AtomicBool::new(false);
    let mut count = 0;
    let report = learn(options, &stop, &mut |event| {
        if matches!(event, LearnEvent::Saved(_)) {
            count += 1;
            stop.store(count >= saves, Ordering::Relaxed);
        }
    });
    report.unwrap().finished
}

#[test]
fn a_killed_training_ends_as_any_other() {
    let folder = TestFolder::new();
    let mut options = small(&folder, "halfkp_32x2-8-8");
    options.checkpoint_every = Duration::ZERO;
    let checkpoint = folder.path("out/checkpoint");
    // The files that a kill in the middle of the first and of the second epoch would leave behind.
    let mut left = Vec::new();
    let mut count = 0;
    let stop = AtomicBool::new(false);
    learn(&options, &stop, &mut |event| {
        if event == LearnEvent::Saved(checkpoint.clone()) {
            count += 1;
            if [3, 11].contains(&count) {
                left.push(std::fs::read(&checkpoint).unwrap());
            }
        }
    })
    .unwrap();
    let files = ["1/nn.bin", "2/nn.bin", "final/nn.bin", "checkpoint"];
    let all = || files.map(|file| folder.read(format!("out/{file}")));
    let whole = all();
    assert_eq!(left.len(), 2);
    for left in left {
        assert!(left != whole[3]);
        folder.write("out/checkpoint", left);
        options.threads += 1;
        run(&options).unwrap();
        assert!(all() == whole);
    }
}

#[test]
fn a_training_goes_on_with_its_own_options_only() {
    let folder = TestFolder::new();
    let mut options = small(&folder, "kp_32x2-8-8");
    run(&options).unwrap();
    // A finished training stays finished.
    let (report, events) = run(&options).unwrap();
    assert!(report.finished);
    assert!(
        events
            .iter()
            .any(|event| matches!(event, LearnEvent::Resumed { epochs: 2, .. }))
    );
    options.seed += 1;
    let error = run(&options).unwrap_err().to_string();
    assert!(
        error.contains("checkpoint: is the state of another run: seed differs"),
        "{error}"
    );
    options.restart = true;
    run(&options).unwrap();
    std::fs::remove_file(folder.path("out/checkpoint.bak")).unwrap();
    folder.write("out/checkpoint", b"nonsense");
    options.restart = false;
    let error = run(&options).unwrap_err().to_string();
    assert!(error.contains("checkpoint"), "{error}");
}

#[test]
fn other_data_of_the_same_name_and_size_are_noticed() {
    let folder = TestFolder::new();
    let options = small(&folder, "kp_32x2-8-8");
    run(&options).unwrap();
    let path = &options.sources[0].path;
    let mut data = std::fs::read(path).unwrap();
    data.reverse();
    std::fs::write(path, &data).unwrap();
    let error = run(&options).unwrap_err().to_string();
    assert!(error.contains("data 1 differs (expected "), "{error}");
}

#[test]
fn one_training_in_a_folder_at_a_time() {
    let folder = TestFolder::new();
    let options = small(&folder, "kp_32x2-8-8");
    let lock = yane_io::RunLock::folder(&options.output).unwrap();
    let error = run(&options).unwrap_err().to_string();
    assert!(error.contains("is in use by another process"), "{error}");
    drop(lock);
    run(&options).unwrap();
}

#[test]
fn newbob_takes_epochs_back_that_do_no_good() {
    let folder = TestFolder::new();
    let mut options = small(&folder, "kp_32x2-8-8");
    options.optimiser = Optimiser::Sgd { momentum: 0.5 };
    options.learning_rate.warm_up = 0;
    options.learning_rate.peak = 3.0;
    options.learning_rate.schedule = RateSchedule::Newbob {
        factor: 0.5,
        trials: 3,
    };
    options.epochs = 12;
    let (report, events) = run(&options).unwrap();
    let rejected = events
        .iter()
        .filter(|event| matches!(event, LearnEvent::Rejected { .. }));
    assert!(rejected.count() > 0);
    let losses = losses(&events);
    let best = losses[1..].iter().copied().fold(f64::INFINITY, f64::min);
    assert_eq!(report.best_loss, Some(best));
}

#[test]
fn a_network_learns_as_well_as_the_reference() {
    let folder = TestFolder::new();
    let (_, events) = run(&reference(&folder, "kp_256x2-32-32")).unwrap();
    let losses = losses(&events);
    assert!(losses[0] > 0.16 && losses[5] <= 0.1135, "{losses:?}");
}

#[test]
fn the_average_is_what_is_tested_and_written() {
    let folder = TestFolder::new();
    let mut options = small(&folder, "kp_32x2-8-8");
    let (_, events) = run(&options).unwrap();
    let last = losses(&events);
    let network = folder.read("out/2/nn.bin");
    options.output = folder.path("average");
    options.ema = Some(0.8);
    let (_, events) = run(&options).unwrap();
    let averaged = losses(&events);
    // Before learning they are the same.
    assert_eq!(averaged[0].to_bits(), last[0].to_bits());
    assert_ne!(averaged[2].to_bits(), last[2].to_bits());
    assert!(averaged[2] < averaged[0], "{averaged:?}");
    let written = folder.read("average/2/nn.bin");
    assert!(written != network);
    // The file has the network whose loss was told.
    let mut again = options.clone();
    again.output = folder.path("again");
    again.initial = InitialNetwork::File(folder.path("average/2/nn.bin"));
    again.epochs = 1;
    let (_, events) = run(&again).unwrap();
    let told = losses(&events)[0];
    assert!((told - averaged[2]).abs() < 1e-3, "{told} {averaged:?}");
}

#[test]
fn gradients_that_are_short_enough_stay_as_they_are() {
    for architecture in ARCHITECTURES {
        let folder = TestFolder::new();
        let mut options = small(&folder, architecture);
        options.epochs = 1;
        let network = |name: &str, clip| {
            options.output = folder.path(name);
            options.clip = clip;
            let (_, events) = run(&options).unwrap();
            let gradients = events.iter().rev().find_map(|event| match event {
                LearnEvent::Epoch(report) => Some(report.gradients),
                _ => None,
            });
            (folder.read(format!("{name}/1/nn.bin")), gradients.unwrap())
        };
        let mut network = network;
        let (plain, none) = network("plain", None);
        assert_eq!(none, None);
        let (whole, gradients) = network("whole", Some(1e9));
        assert!(whole == plain, "{architecture}");
        let gradients = gradients.unwrap();
        assert_eq!((gradients.clipped, gradients.steps), (0, 7));
        let (shortened, clipped) = network("shortened", Some(gradients.length / 2.0));
        assert!(shortened != plain, "{architecture}");
        assert!(clipped.unwrap().clipped > 0, "{clipped:?}");
    }
}

#[test]
fn a_training_without_progress_ends_when_patience_does() {
    let folder = TestFolder::new();
    let mut options = small(&folder, "kp_32x2-8-8");
    options.learning_rate.peak = 0.03;
    options.learning_rate.schedule = RateSchedule::Constant;
    options.epochs = 40;
    options.patience = NonZeroU32::new(2);
    let (report, events) = run(&options).unwrap();
    assert!(report.finished && report.epochs < 40, "{report:?}");
    assert_eq!(report.epochs, report.best_epoch + 2);
    let losses = losses(&events);
    let best = losses[1..].iter().copied().fold(f64::INFINITY, f64::min);
    assert_eq!(report.best_loss, Some(best));
    let (epoch, best_epoch) = (report.epochs, report.best_epoch);
    let stopped = LearnEvent::Stopped { epoch, best_epoch };
    assert!(events.contains(&stopped), "{events:?}");
    let network = folder.read("out/final/nn.bin");
    assert!(network == folder.read(format!("out/{best_epoch}/nn.bin")));
    // It is over, and stays so.
    let (again, events) = run(&options).unwrap();
    assert_eq!((again.epochs, again.finished), (epoch, true));
    assert!(events.contains(&stopped), "{events:?}");
}
