//! Parts of the golden files.

use std::path::PathBuf;

use pack_format::filter::{Condition, FilterOptions, TeacherFilterReport, filter};
use pack_format::record::{TeacherRecord, records};
use pack_format::stream::Input;
use pack_format::{
    EndReason, Hcpe, MoverOutcome, Psv, Sample, TeacherError, TeacherFormat, TeacherResult, pack,
};
use yane_io::{Job, Overwrite};

fn path(name: &str) -> PathBuf {
    test_support::fixture("teacher").join(name)
}

fn job() -> Job {
    Job {
        threads: 2,
        ..Job::default()
    }
}

fn options(format: TeacherFormat, conditions: Vec<Condition>) -> FilterOptions {
    FilterOptions {
        format,
        conditions,
        skip_bad: false,
        overwrite: Overwrite::Refuse,
    }
}

/// Filters files; gives the report and the output.
fn run(
    files: &[PathBuf],
    options: &FilterOptions,
) -> Result<(TeacherFilterReport, Vec<u8>), TeacherError> {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out");
    let inputs: Vec<_> = files.iter().map(Input::named).collect();
    let report = filter(&inputs, &output, options, &job());
    assert_eq!(output.exists(), report.is_ok());
    let report = report?;
    let bytes = std::fs::read(output).unwrap();
    assert_eq!(report.bytes_written, bytes.len() as u64);
    Ok((report, bytes))
}

fn run_one(name: &str, conditions: Vec<Condition>) -> (TeacherFilterReport, Vec<u8>) {
    let format = TeacherFormat::of_path(name.as_ref()).unwrap();
    run(&[path(name)], &options(format, conditions)).unwrap()
}

/// The records that `keep` keeps, found the slow way.
fn expected<T: TeacherRecord>(name: &str, keep: impl Fn(&T) -> bool) -> Vec<u8> {
    let bytes = std::fs::read(path(name)).unwrap();
    let kept = bytes
        .chunks(T::LEN)
        .filter(|bytes| keep(&T::from_bytes(bytes).unwrap()));
    kept.flatten().copied().collect()
}

const HCPE: &str = "selfplay/normal_n2000_ply320.hcpe";
const PSV: &str = "psv_with_ply/normal_n2000_ply320.psv";
const PACK: &str = "selfplay/short_n100_ply80.pack";

#[test]
fn records_with_the_condition_are_kept_byte_by_byte() {
    type Keep = fn(&Sample) -> bool;
    let cases: [(Condition, Keep); 8] = [
        (Condition::Score(-300..=500), |s| {
            (-300..=500).contains(&s.score.0)
        }),
        (Condition::ScoreSize(0..=2999), |s| {
            s.score.0.unsigned_abs() < 3000
        }),
        (Condition::InCheck(true), |s| s.position.in_check()),
        (Condition::InCheck(false), |s| !s.position.in_check()),
        (Condition::Quiet, |s| {
            s.mv.is_some_and(|mv| !mv.is_promotion() && s.position.piece_on(mv.to()).is_none())
        }),
        (
            Condition::Result(vec![TeacherResult::BlackWin, TeacherResult::WhiteWin]),
            |s| s.result != TeacherResult::Draw,
        ),
        (Condition::Outcome(vec![MoverOutcome::Win]), |s| {
            s.result.winner() == Some(s.position.side_to_move())
        }),
        (Condition::Ply(50..=99), |s| {
            (50..=99).contains(&s.ply.unwrap())
        }),
    ];
    for (condition, keep) in cases {
        let kept = expected::<Psv>(PSV, |record| keep(&Sample::from_psv(record).unwrap()));
        let (report, output) = run_one(PSV, vec![condition.clone()]);
        assert!(output == kept, "{condition}");
        assert_eq!(report.positions_read, 7164);
        assert_eq!(report.positions_kept * 40, kept.len() as u64);
        assert_eq!(report.dropped[0].count, 7164 - report.positions_kept);
        assert!(
            report.positions_kept > 0 && report.dropped[0].count > 0,
            "{condition}"
        );

        if !matches!(condition, Condition::Ply(_)) {
            let kept = expected::<Hcpe>(HCPE, |record| keep(&Sample::from_hcpe(record).unwrap()));
            let (_, output) = run_one(HCPE, vec![condition.clone()]);
            assert!(output == kept, "{condition}");
        }
    }
}

#[test]
fn what_is_dropped_is_counted_once() {
    let conditions = vec![
        Condition::ScoreSize(0..=999),
        Condition::InCheck(false),
        Condition::Quiet,
    ];
    let (report, output) = run_one(HCPE, conditions.clone());
    let dropped: u64 = report.dropped.iter().map(|dropped| dropped.count).sum();
    assert_eq!(report.positions_kept + dropped, 7164);
    assert_eq!(
        records::<Hcpe>(&output).count() as u64,
        report.positions_kept
    );
    // One after the other, the conditions drop the same.
    let folder = tempfile::tempdir().unwrap();
    let mut input = path(HCPE);
    for (condition, dropped) in conditions.into_iter().zip(&report.dropped) {
        let next = folder.path().join(condition.to_string());
        let options = options(TeacherFormat::Hcpe, vec![condition]);
        let report = filter(&[Input::named(&input)], &next, &options, &job()).unwrap();
        assert_eq!(report.dropped[0], *dropped);
        input = next;
    }
    assert_eq!(std::fs::read(input).unwrap(), output);
}

#[test]
fn whole_games_are_kept() {
    let (report, output) = run_one(
        PACK,
        vec![
            Condition::Reason(vec![EndReason::RESIGN, EndReason::MAX_MOVES]),
            Condition::Length(20..=60),
            Condition::StartPly(2..=30),
            Condition::Consistent,
        ],
    );
    let bytes = std::fs::read(path(PACK)).unwrap();
    let keep = |game: &pack::Game| {
        game.reason() != EndReason::REPETITION
            && (20..=60).contains(&game.plies().len())
            && (2..=30).contains(&game.start().ply())
    };
    let mut kept = Vec::new();
    let games = pack::games(&bytes).map(Result::unwrap);
    games.filter(keep).for_each(|game| game.write_to(&mut kept));
    assert!(output == kept);
    let counts: Vec<_> = report.dropped.iter().map(|dropped| dropped.count).collect();
    // As listed: 119 games end by repetition.
    assert_eq!((counts[0], counts[3]), (119, 0));
    assert_eq!(report.games_read, 201);
    assert_eq!(report.games_kept, 201 - counts.iter().sum::<u64>());
    assert_eq!(report.positions_read, 8139);
    let positions = pack::games(&output).map(|game| game.unwrap().plies().len() as u64);
    assert_eq!(report.positions_kept, positions.sum::<u64>());

    let decided = vec![TeacherResult::BlackWin, TeacherResult::WhiteWin];
    let (report, _) = run_one(PACK, vec![Condition::Result(decided.clone())]);
    assert_eq!((report.games_kept, report.positions_kept), (12, 389 + 177));
    let (report, output) = run_one(
        "hcpe3/multipv4_default.hcpe3",
        vec![Condition::Result(decided)],
    );
    assert_eq!((report.games_read, report.games_kept), (31, 24));
    assert_eq!(pack_format::hcpe3::frames_len(&output), (24, output.len()));
}

#[test]
fn contradicting_games_can_be_dropped() {
    let name = "edge/good/handicap_starts.pack";
    let (report, output) = run_one(name, vec![Condition::Consistent]);
    assert!(report.dropped[0].count > 0);
    let kept: Vec<_> = pack::games(&output).map(Result::unwrap).collect();
    assert_eq!(kept.len() as u64, report.games_kept);
    assert!(kept.iter().all(|game| !game.contradicts_itself()));
}

#[test]
fn without_conditions_everything_is_kept() {
    for name in [HCPE, PSV, PACK, "hcpe3/multipv4_default.hcpe3"] {
        let (report, output) = run_one(name, Vec::new());
        assert!(output == std::fs::read(path(name)).unwrap());
        assert_eq!(report.bytes_read, report.bytes_written);
    }
    let two = [path(PACK), path("selfplay/startpos_n500_ply200.pack")];
    let (report, output) = run(&two, &options(TeacherFormat::Pack, Vec::new())).unwrap();
    assert_eq!(report.games_kept, 207);
    assert_eq!(pack::games(&output).count(), 207);
}

#[test]
fn conditions_that_mean_nothing_are_refused() {
    for (format, condition, part) in [
        (
            TeacherFormat::Pack,
            Condition::Quiet,
            "convert them to hcpe or psv first",
        ),
        (TeacherFormat::Pack, Condition::Ply(1..=2), "convert them"),
        (
            TeacherFormat::Hcpe3,
            Condition::Score(0..=1),
            "convert them",
        ),
        (TeacherFormat::Hcpe3, Condition::Consistent, "do not say"),
        (TeacherFormat::Hcpe, Condition::Ply(1..=2), "do not say"),
        (
            TeacherFormat::Psv,
            Condition::Length(1..=2),
            "a condition on games",
        ),
        (TeacherFormat::Csv, Condition::Quiet, "convert it first"),
    ] {
        assert!(!condition.applies_to(format));
        let error = run(&[path(HCPE)], &options(format, vec![condition])).unwrap_err();
        assert!(matches!(error, TeacherError::Option(_)));
        assert!(error.to_string().contains(part), "{error}");
    }
}

#[test]
fn damage_ends_it_or_is_counted() {
    let bad = [path("edge/bad/illegal_move_in_middle_game.pack")];
    let mut strict = options(TeacherFormat::Pack, Vec::new());
    let error = run(&bad, &strict).unwrap_err();
    assert!(matches!(error, TeacherError::Invalid { .. }), "{error}");
    strict.skip_bad = true;
    assert!(matches!(run(&bad, &strict), Err(TeacherError::Option(_))));

    let folder = tempfile::tempdir().unwrap();
    let damaged = [folder.path().join("damaged.hcpe")];
    let mut bytes = std::fs::read(path(HCPE)).unwrap();
    bytes[38 * 7000 + 36] = 3;
    bytes.push(0);
    std::fs::write(&damaged[0], &bytes).unwrap();
    let mut options = options(TeacherFormat::Hcpe, vec![Condition::InCheck(true)]);
    let error = run(&damaged, &options).unwrap_err();
    let place = "byte 266036: record 7001 (begins at byte 266000)";
    assert!(error.to_string().contains(place), "{error}");
    options.skip_bad = true;
    let (report, _) = run(&damaged, &options).unwrap();
    assert_eq!((report.positions_read, report.skipped.count), (7163, 2));
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["skipped"]["first"][0]["offset"], 266_000);
    assert_eq!(json["dropped"][0]["condition"], "in check");
}

#[test]
fn an_input_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.hcpe");
    std::fs::copy(path(HCPE), &file).unwrap();
    let options = options(TeacherFormat::Hcpe, Vec::new());
    let error = filter(&[Input::named(&file)], &file, &options, &job()).unwrap_err();
    assert!(error.to_string().contains("is an input"), "{error}");
}
