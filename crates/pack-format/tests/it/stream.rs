//! Files in batches.

use std::path::Path;

use pack_format::pack::{frame, frames_len};
use pack_format::stream::{Input, process};
use pack_format::{TeacherError, TeacherFormat};
use yane_io::Job;

fn fixture(name: &str) -> Input {
    Input::File(test_support::fixture("teacher").join(name))
}

fn bytes(input: &Input) -> Vec<u8> {
    std::fs::read(input.path()).unwrap()
}

/// A pack file of several batches.
fn long_pack(folder: &Path) -> (Input, Vec<u8>) {
    let game = bytes(&fixture("selfplay/normal_n2000_ply320.pack"));
    let all = game.repeat(20);
    let path = folder.join("long.pack");
    std::fs::write(&path, &all).unwrap();
    (Input::File(path), all)
}

#[test]
fn batches_are_whole_games_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let (input, expected) = long_pack(folder.path());
    for threads in [1, 3] {
        let job = Job {
            threads,
            ..Job::default()
        };
        let results = process(&input, TeacherFormat::Pack, &job, |batch| {
            let (games, len) = frames_len(&batch.bytes);
            assert_eq!(len, batch.bytes.len());
            ((batch.bytes.clone(), batch.before, games as u64), None)
        });
        let (mut read, mut games, mut batches) = (Vec::new(), 0, 0);
        for done in results.unwrap() {
            let done = done.unwrap();
            assert_eq!((done.offset, done.value.1), (read.len() as u64, games));
            read.extend_from_slice(&done.value.0);
            games += done.value.2;
            batches += 1;
        }
        assert!(
            read == expected && games == 61 * 20 && batches > 5,
            "{batches}"
        );
    }
}

#[test]
fn what_is_wrong_comes_at_the_end_of_the_last_batch() {
    let folder = tempfile::tempdir().unwrap();
    let (input, mut all) = long_pack(folder.path());
    let good = all.len();
    for tail in [vec![2], vec![1, 0x3b], vec![0, 0]] {
        all.truncate(good);
        all.extend_from_slice(&tail);
        std::fs::write(input.path(), &all).unwrap();
        let results = process(&input, TeacherFormat::Pack, &Job::default(), |batch| {
            let (_, len) = frames_len(&batch.bytes);
            (batch.bytes[len..].to_vec(), None)
        });
        let rests: Vec<_> = results.unwrap().map(|done| done.unwrap().value).collect();
        let (last, others) = rests.split_last().unwrap();
        assert!(others.iter().all(Vec::is_empty));
        assert_eq!(*last, tail);
        assert!(frame(last).is_err());
    }
}

#[test]
fn a_missing_file_and_a_cancelled_job_are_errors() {
    let missing = Input::File("absent.pack".into());
    let job = Job::default();
    assert!(process(&missing, TeacherFormat::Pack, &job, |_| ((), None)).is_err());
    job.cancel();
    let input = fixture("selfplay/normal_n2000_ply320.pack");
    let mut results = process(&input, TeacherFormat::Pack, &job, |_| ((), None)).unwrap();
    let error = results.next().unwrap().unwrap_err();
    assert!(matches!(
        error,
        TeacherError::File(yane_io::Error::Cancelled)
    ));
}
