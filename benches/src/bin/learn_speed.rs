//! Trains on psv files and prints losses and speed: `learn_speed ARCHITECTURE TRAIN VALID EPOCHS BATCH THREADS [avx2|scalar]`.
use std::sync::atomic::AtomicBool;

use shogi_learn::{
    Lambda, LearnEvent, LearnOptions, LearnSource, LearnValidation, TeacherScale, VectorLimit,
    learn,
};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let folder = std::env::temp_dir().join(format!("learn_speed.{}", std::process::id()));
    let mut options = LearnOptions::new(arguments[0].parse().unwrap(), &folder);
    options.sources = vec![LearnSource::new(&arguments[1])];
    options.validation = LearnValidation::Files(vec![LearnSource::new(&arguments[2])]);
    options.epochs = arguments[3].parse().unwrap();
    options.batch = arguments[4].parse().unwrap();
    options.threads = arguments[5].parse().unwrap();
    options.vectors = match arguments.get(6).map(String::as_str) {
        None => VectorLimit::Best,
        Some("avx2") => VectorLimit::Avx2,
        Some("scalar") => VectorLimit::Scalar,
        Some(other) => panic!("expected avx2 or scalar, found {other}"),
    };
    options.target.lambda = Lambda::constant(0.7);
    options.target.scale = TeacherScale::Fixed(600.0);
    learn(
        &options,
        &AtomicBool::new(false),
        &mut |event| match event {
            LearnEvent::Epoch(report) => println!("{report:?}"),
            LearnEvent::Data(report) => println!("{report:?}"),
            _ => {}
        },
    )
    .unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
}
