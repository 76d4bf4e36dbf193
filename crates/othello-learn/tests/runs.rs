//! Runs of self-play and training: the same bytes whatever the threads and interruptions, and an error that falls.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use othello_core::Board;
use othello_eval::{PatternLayout, PlyPhases, UNITS_PER_DISC, Weights};
use othello_learn::{
    FitPlan, FitSettings, LabelGoal, LabelKind, LabelledFiles, LabelledPosition, NetPlan,
    OffsetPlan, OthelloLearnError, OthelloSelfplay, TrainingFile, measure,
};
use othello_search::Selectivity;
use yane_io::{Job, Overwrite, Progress, Unit};

fn plan(games: u64) -> OthelloSelfplay {
    OthelloSelfplay {
        games,
        seed: 7,
        random_plies: 40..=48,
        balance: None,
        random_percent: 10,
        plies: 46..=60,
        goal: LabelGoal {
            depth: 2,
            selectivity: Selectivity::Exact,
            exact: 8,
        },
        lambda_percent: 0,
    }
}

fn job(threads: usize) -> Job {
    Job {
        threads,
        ..Job::default()
    }
}

/// Cancels a job once some work is done.
struct CancelAfter {
    left: AtomicU64,
    cancelled: Arc<AtomicBool>,
}

impl Progress for CancelAfter {
    fn stage(&self, _: &str, _: Option<u64>, _: Unit) {}
    fn advance(&self, amount: u64) {
        let left = self.left.load(Ordering::Relaxed).saturating_sub(amount);
        self.left.store(left, Ordering::Relaxed);
        if left == 0 {
            self.cancelled.store(true, Ordering::Relaxed);
        }
    }
    fn note(&self, _: &str) {}
}

/// A job that is cancelled once `amount` is done.
fn cancelled_after(amount: u64) -> Job {
    let cancelled = Arc::new(AtomicBool::new(false));
    let progress = CancelAfter {
        left: AtomicU64::new(amount),
        cancelled: Arc::clone(&cancelled),
    };
    Job {
        threads: 1,
        progress: Arc::new(progress),
        cancelled,
        ..Job::default()
    }
}

fn journal_of(path: &Path) -> PathBuf {
    PathBuf::from(format!("{}.journal", path.display()))
}

#[test]
fn selfplay_does_not_depend_on_threads_or_interruptions() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let weights = Arc::new(Weights::untrained());
    let run = |plan: &OthelloSelfplay, name: &str, job: &Job| {
        plan.run(&weights, &path(name), Overwrite::Never, job)
    };
    let (plan, again) = (plan(200), plan(200));
    let totals = run(&plan, "one", &job(1)).unwrap();
    assert_eq!(totals.games, 200);
    run(&again, "three", &job(3)).unwrap();
    let one = std::fs::read(path("one")).unwrap();
    assert_eq!(std::fs::read(path("three")).unwrap(), one);
    assert_eq!(one.len() as u64, 8 + 20 * totals.positions);

    let error = run(&plan, "cut", &cancelled_after(64)).unwrap_err();
    assert!(
        matches!(error, OthelloLearnError::File(yane_io::Error::Cancelled)),
        "{error}"
    );
    assert!(!path("cut").exists() && journal_of(&path("cut")).exists());
    // Another run does not take the journal over.
    let other = OthelloSelfplay {
        seed: 8,
        ..plan.clone()
    };
    let error = run(&other, "cut", &job(1)).unwrap_err();
    assert!(error.to_string().contains("another run"), "{error}");
    run(&plan, "cut", &job(2)).unwrap();
    assert_eq!(std::fs::read(path("cut")).unwrap(), one);
    assert!(!journal_of(&path("cut")).exists());
    let error = run(&plan, "cut", &job(1)).unwrap_err();
    assert!(
        matches!(
            error,
            OthelloLearnError::File(yane_io::Error::OutputExists(_))
        ),
        "{error}"
    );
}

#[test]
fn positions_are_those_that_were_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("positions");
    let weights = Arc::new(Weights::untrained());
    let run = |plan: &OthelloSelfplay| -> Vec<LabelledPosition> {
        plan.run(&weights, &path, Overwrite::Allow, &job(2))
            .unwrap();
        LabelledFiles::open(std::slice::from_ref(&path))
            .unwrap()
            .iter()
            .collect()
    };
    let all = run(&plan(64));
    let begin = all.iter().filter(|position| position.begins_game).count();
    assert!((50..=64).contains(&begin), "{begin}");
    for position in &all {
        assert!((46..=60).contains(&position.ply()));
        assert!(!position.board.legal_moves().is_empty());
        let solved = position.board.empty().len() <= 8;
        assert_eq!(position.kind == LabelKind::Exact, solved);
        if solved {
            assert_eq!(position.value % (2 * UNITS_PER_DISC), 0);
        }
    }
    // Without noise and with all of the next label the values of a game are one value, seen from both sides.
    let quiet = OthelloSelfplay {
        random_percent: 0,
        lambda_percent: 100,
        ..plan(64)
    };
    let all = run(&quiet);
    let mut searched = 0;
    for game in all.chunk_by(|_, next| !next.begins_game) {
        let end = game.last().unwrap().value.abs();
        assert!(game.iter().all(|position| position.value.abs() == end));
        searched += game.iter().filter(|p| p.kind == LabelKind::Search).count();
    }
    assert!(searched > 64, "{searched}");
    // Behind a random move nothing is known: labels are those of the searches.
    let noisy = OthelloSelfplay {
        random_percent: 100,
        ..plan(64)
    };
    let own = run(&noisy);
    let mixed = run(&OthelloSelfplay {
        lambda_percent: 100,
        ..noisy
    });
    let changed = own.iter().zip(&mixed).filter(|(a, b)| a.value != b.value);
    let (changed, most) = (changed.count(), own.len() / 2);
    assert!(own.len() == mixed.len() && changed < most, "{changed}");
}

#[test]
fn balanced_starts_are_balanced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("positions");
    let weights = Arc::new(Weights::untrained());
    let balanced = OthelloSelfplay {
        games: 64,
        random_plies: 8..=8,
        balance: Some(2 * UNITS_PER_DISC),
        plies: 8..=8,
        ..plan(64)
    };
    balanced
        .run(&weights, &path, Overwrite::Never, &job(2))
        .unwrap();
    let files = LabelledFiles::open(&[path]).unwrap();
    assert_eq!(files.len(), 64);
    assert!(
        files
            .iter()
            .all(|position| position.value.abs() <= 2 * UNITS_PER_DISC)
    );
}

/// Positions whose value is that of an evaluation: there are weights without any error.
fn train_on(folder: &Path) -> PathBuf {
    let path = folder.join("train");
    let weights = Arc::new(Weights::untrained());
    let games = OthelloSelfplay {
        random_plies: 0..=50,
        plies: 0..=60,
        goal: LabelGoal {
            depth: 1,
            selectivity: Selectivity::Exact,
            exact: 0,
        },
        ..plan(1500)
    };
    games
        .run(&weights, &path, Overwrite::Never, &job(2))
        .unwrap();
    path
}

/// All positions of files.
fn all_of(paths: &[PathBuf]) -> Vec<TrainingFile> {
    paths.iter().map(TrainingFile::new).collect()
}

fn small() -> FitPlan {
    FitPlan {
        layout: PatternLayout::edax(),
        phases: PlyPhases::from_first(&[0, 20, 40]),
        settings: FitSettings {
            epochs: 4,
            ..FitSettings::default()
        },
        ..FitPlan::default()
    }
}

#[test]
fn training_makes_the_error_fall_and_gives_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let data = [train_on(folder.path())];
    let path = |name: &str| folder.path().join(name);
    let plan = small();
    let report = plan
        .run(&all_of(&data), &path("one"), Overwrite::Never, &job(1))
        .unwrap();
    plan.run(&all_of(&data), &path("two"), Overwrite::Never, &job(2))
        .unwrap();
    let one = std::fs::read(path("one")).unwrap();
    assert_eq!(std::fs::read(path("two")).unwrap(), one);

    // Interrupted after the first phase, or in the midst of it.
    let after = report.phases[0].1.positions * 4 + report.phases[1].1.positions;
    for (name, after) in [("cut", after), ("early", 1)] {
        let error = plan.run(
            &all_of(&data),
            &path(name),
            Overwrite::Never,
            &cancelled_after(after),
        );
        assert!(matches!(
            error.unwrap_err(),
            OthelloLearnError::File(yane_io::Error::Cancelled)
        ));
        plan.run(&all_of(&data), &path(name), Overwrite::Never, &job(2))
            .unwrap();
        assert_eq!(std::fs::read(path(name)).unwrap(), one);
    }

    let files = LabelledFiles::open(&data).unwrap();
    let trained = Weights::load(&path("one")).unwrap();
    let (plies, all) = measure(&trained, &files);
    assert_eq!(all.positions as usize, files.len());
    assert!(plies.len() > 50);
    let deviation = {
        let values = files
            .iter()
            .map(|p| f64::from(p.value.abs()) / f64::from(UNITS_PER_DISC));
        values.sum::<f64>() / files.len() as f64
    };
    assert!(all.mae < deviation / 2.0, "{all:?}, {deviation}");
    for (_, phase) in &report.phases {
        assert!(phase.held_out > 200 && phase.mae < deviation, "{phase:?}");
    }
    // Mirror images have one weight.
    let board: othello_core::Game = "f5d6c3d3c4f4f6".parse().unwrap();
    let board: Board = board.position().board();
    let value = trained.main().evaluate(board);
    for symmetry in othello_core::Symmetry::ALL {
        assert_eq!(trained.main().evaluate(symmetry.board(board)), value);
    }
}

#[test]
fn a_network_learns_and_has_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let data = [train_on(folder.path())];
    let path = |name: &str| folder.path().join(name);
    let shape = "p30_32-16-32".parse().unwrap();
    let plan = NetPlan {
        epochs: 2,
        batch: 1000,
        ..NetPlan::new(shape)
    };
    let report = plan
        .run(&all_of(&data), &path("one"), Overwrite::Never, &job(1))
        .unwrap();
    plan.run(&all_of(&data), &path("two"), Overwrite::Never, &job(3))
        .unwrap();
    let one = std::fs::read(path("one")).unwrap();
    assert_eq!(std::fs::read(path("two")).unwrap(), one);
    let fitted: u64 = report.phases.iter().map(|(_, phase)| phase.positions).sum();
    for after in [1, fitted, fitted * 3 / 2] {
        let run = |job: &Job| plan.run(&all_of(&data), &path("cut"), Overwrite::Allow, job);
        let error = run(&cancelled_after(after)).unwrap_err();
        assert!(matches!(
            error,
            OthelloLearnError::File(yane_io::Error::Cancelled)
        ));
        assert!(path("cut.state").exists());
        run(&job(2)).unwrap();
        assert_eq!(std::fs::read(path("cut")).unwrap(), one);
        assert!(!path("cut.state").exists());
    }

    // Its errors are smaller than those of values of 0, and a network to begin with is gone on from.
    let files = LabelledFiles::open(&data).unwrap();
    let (_, all) = measure(&Weights::load(&path("one")).unwrap(), &files);
    let values = files.iter().map(|p| f64::from(p.value.abs()));
    let deviation = values.sum::<f64>() / files.len() as f64 / f64::from(UNITS_PER_DISC);
    assert!(all.mae < deviation * 0.7, "{all:?}, {deviation}");
    let more = NetPlan {
        initial: Some(path("one")),
        rates: (5e-4, 1e-5),
        ..plan.clone()
    };
    more.run(&all_of(&data), &path("more"), Overwrite::Never, &job(2))
        .unwrap();
    let (_, better) = measure(&Weights::load(&path("more")).unwrap(), &files);
    assert!(better.mae < all.mae, "{better:?}, {all:?}");
    let other = NetPlan {
        shape: "p30_64-16-32".parse().unwrap(),
        ..more
    };
    let error = other.run(&all_of(&data), &path("other"), Overwrite::Never, &job(1));
    let error = error.unwrap_err().to_string();
    assert!(error.contains("architecture p30_64-16-32"), "{error}");
}

/// Games of the built-in weights, with values from the end of the game.
fn well_played(folder: &Path, seed: u64) -> PathBuf {
    let path = folder.join(format!("games{seed}"));
    let games = OthelloSelfplay {
        games: 128,
        seed,
        random_plies: 30..=34,
        balance: Some(8 * UNITS_PER_DISC),
        random_percent: 0,
        plies: 36..=60,
        goal: LabelGoal {
            depth: 2,
            selectivity: Selectivity::Exact,
            exact: 10,
        },
        lambda_percent: 100,
    };
    let weights = Arc::new(Weights::built_in());
    games
        .run(&weights, &path, Overwrite::Never, &job(2))
        .unwrap();
    path
}

#[test]
fn constants_take_mean_errors_of_searches_away() {
    let folder = tempfile::tempdir().unwrap();
    let data = [well_played(folder.path(), 1)];
    let path = |name: &str| folder.path().join(name);
    // Values that are two discs too high at even plies and three too low at odd ones.
    let mut offsets = Weights::built_in().offsets();
    for (ply, offset) in offsets.0.iter_mut().enumerate() {
        *offset += if ply % 2 == 0 { 2 * 128 } else { -3 * 128 };
    }
    let wrong = Arc::new(Weights::built_in().with_offsets(offsets));
    let plan = OffsetPlan {
        depth: 2,
        selectivity: Selectivity::Exact,
        note: "with constants".to_owned(),
    };
    let run = |weights: &Arc<Weights>, name: &str, threads| {
        plan.run(weights, &data, &path(name), Overwrite::Allow, &job(threads))
            .unwrap()
    };
    let report = run(&wrong, "one", 1);
    let one = std::fs::read(path("one")).unwrap();
    assert_eq!(run(&wrong, "two", 2), report);
    assert_eq!(std::fs::read(path("two")).unwrap(), one);
    let error = plan.run(
        &wrong,
        &data,
        &path("cut"),
        Overwrite::Never,
        &cancelled_after(1),
    );
    assert!(error.is_err() && journal_of(&path("cut")).exists());
    run(&wrong, "cut", 2);
    assert_eq!(std::fs::read(path("cut")).unwrap(), one);

    let mean = |errors: &[f64; 61], parity| {
        let plies = (40..56).filter(|ply| ply % 2 == parity);
        plies.map(|ply| errors[ply]).sum::<f64>() / 8.0
    };
    let step = mean(&report.errors, 0) - mean(&report.errors, 1);
    assert!(step > 2.0, "{:?}", report.errors);
    let fitted = Arc::new(Weights::load(&path("one")).unwrap());
    assert_eq!(fitted.note(), "with constants");
    let again = run(&fitted, "again", 2);
    let step = mean(&again.errors, 0) - mean(&again.errors, 1);
    assert!(step.abs() < 0.3, "{:?}", again.errors);
}

#[test]
fn of_some_files_only_solved_positions_are_used() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let weights = Arc::new(Weights::untrained());
    plan(300)
        .run(&weights, &path("games"), Overwrite::Never, &job(2))
        .unwrap();
    let data = [train_on(folder.path())];
    let games = [path("games")];
    let solved = LabelledFiles::open(&games)
        .unwrap()
        .iter()
        .filter(|position| position.kind == LabelKind::Exact)
        .count();
    let searched = LabelledFiles::open(&data).unwrap().len();
    let solved_only = [TrainingFile::solved(&games[0])];
    let both = [all_of(&data), solved_only.to_vec()].concat();
    let report = small()
        .run(&both, &path("both"), Overwrite::Never, &job(2))
        .unwrap();
    assert_eq!(report.positions as usize, searched + solved);
    let report = small()
        .run(&solved_only, &path("solved"), Overwrite::Never, &job(2))
        .unwrap();
    assert_eq!(report.positions as usize, solved);
}

#[test]
fn of_some_files_only_a_share_of_the_games_is_used() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let data = train_on(folder.path());
    let run = |share: f64, seed: u64, name: &str| {
        let mut plan = small();
        plan.settings.seed = seed;
        let file = TrainingFile {
            share,
            ..TrainingFile::new(&data)
        };
        let report = plan
            .run(&[file], &path(name), Overwrite::Never, &job(2))
            .unwrap();
        (report.positions, std::fs::read(path(name)).unwrap())
    };
    let all = LabelledFiles::open(std::slice::from_ref(&data)).unwrap();
    let (half, weights) = run(0.5, 1, "half");
    let share = half as f64 / all.len() as f64;
    assert!((0.45..0.55).contains(&share), "{share}");
    assert_eq!(run(0.5, 1, "again"), (half, weights.clone()));
    assert_ne!(run(0.5, 2, "other").1, weights);
    for share in [0.0, -1.0, 1.5, f64::NAN] {
        let file = TrainingFile {
            share,
            ..TrainingFile::new(&data)
        };
        let error = small().run(&[file], &path("none"), Overwrite::Never, &job(1));
        let error = error.unwrap_err().to_string();
        assert!(error.contains("expected a share"), "{error}");
        assert!(!path("none").exists());
    }
}

#[test]
fn inputs_are_checked_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let (data, output) = (folder.path().join("data"), folder.path().join("weights"));
    let run = || {
        let data = std::slice::from_ref(&data);
        let error = small()
            .run(&all_of(data), &output, Overwrite::Never, &job(1))
            .unwrap_err();
        error.to_string()
    };
    assert!(run().contains("data"));
    std::fs::write(&data, b"YANEOLP1abc").unwrap();
    assert!(run().contains("byte 8: expected 20 bytes"), "{}", run());
    assert!(!output.exists() && !journal_of(&output).exists());
}
