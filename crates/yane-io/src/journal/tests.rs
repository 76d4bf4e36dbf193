use std::fs;

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::Checksum;

fn run() -> RunIdentity {
    RunIdentity::new("test 1").with("weights", Checksum::of_bytes(b"w"))
}

fn opened(path: &Path) -> (Journal, JournalReport) {
    let opened = Journal::open(path, &run(), Flush::Never).unwrap();
    opened.into_parts()
}

/// A journal in which nothing was lost.
fn open(path: &Path) -> Journal {
    let (journal, report) = opened(path);
    assert_eq!((report.lost(), report.copy()), (0, None), "{report:?}");
    journal
}

fn units(journal: &mut Journal) -> Vec<(u64, Vec<u8>)> {
    let numbers: Vec<_> = journal.numbers().collect();
    let units = numbers.into_iter();
    units
        .map(|number| (number, journal.get(number).unwrap().unwrap()))
        .collect()
}

#[test]
fn units_are_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let mut journal = open(&path);
    assert!(journal.is_empty());
    journal.put(7, b"seven").unwrap();
    journal.put(3, b"").unwrap();
    assert_eq!(journal.get(7).unwrap().unwrap(), b"seven");
    journal.put(7, b"again").unwrap();
    drop(journal);
    let mut journal = open(&path);
    assert_eq!(journal.len_of(7), Some(5));
    assert_eq!(units(&mut journal), [(3, vec![]), (7, b"again".to_vec())]);
    assert_eq!(journal.get(4).unwrap(), None);
    assert!(journal.contains(3) && !journal.contains(4));
}

/// A journal of some units with its file's bytes, and the offsets of the beginning's end and of each unit's.
fn whole(path: &Path, all: &[Vec<u8>]) -> (Vec<u8>, Vec<u64>) {
    let mut journal = open(path);
    let mut ends = vec![journal.end];
    for (number, bytes) in all.iter().enumerate() {
        journal.put(number as u64, bytes).unwrap();
        ends.push(journal.end);
    }
    drop(journal);
    (fs::read(path).unwrap(), ends)
}

#[test]
fn whole_units_survive_a_crash_at_any_byte() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let all = vec![vec![0; 9], vec![0xff; 30], b"\xffJU\xfe".to_vec()];
    let (whole, ends) = whole(&path, &all);
    for len in 0..whole.len() {
        fs::write(&path, &whole[..len]).unwrap();
        let there = ends.iter().filter(|&&end| end <= len as u64).count();
        let kept = there.checked_sub(1).map_or(0, |last| ends[last]);
        let (mut journal, report) = opened(&path);
        assert_eq!(journal.len(), there.saturating_sub(1), "{len}");
        assert_eq!((report.torn(), report.copy()), (len as u64 - kept, None));
        journal.put(9, b"more").unwrap();
        drop(journal);
        let mut journal = open(&path);
        assert_eq!(journal.len(), there.max(1), "{len}");
        assert_eq!(journal.get(9).unwrap().unwrap(), b"more");
    }
    // The system made the file longer before the bytes came.
    fs::write(&path, [&whole[..], &[0; 5000]].concat()).unwrap();
    let (journal, report) = opened(&path);
    assert_eq!(
        (journal.len(), report.torn(), report.copy()),
        (3, 5000, None)
    );
}

#[test]
fn a_flipped_bit_costs_one_unit_of_many() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let all: Vec<_> = (0..179u8).map(|unit| vec![unit; 100]).collect();
    let (mut bytes, ends) = whole(&path, &all);
    bytes[ends[10] as usize + HEAD + 50] ^= 0x10;
    fs::write(&path, &bytes).unwrap();
    let (mut journal, report) = opened(&path);
    assert_eq!(journal.len(), 178);
    assert!(!journal.contains(10));
    assert_eq!(
        report.damaged(),
        [DamagedPlace::new(ends[10], ends[11], Some(10))]
    );
    let copy = report.copy().unwrap().to_owned();
    assert_eq!(fs::read(&copy).unwrap(), bytes);
    let mut notes = Vec::new();
    report.tell(|note| notes.push(note.to_owned()));
    let [note] = &notes[..] else {
        panic!("{notes:?}")
    };
    assert!(
        note.contains("1 place is damaged and skipped (unit 10, bytes "),
        "{note}"
    );
    assert!(note.ends_with("journal.damaged-1"), "{note}");
    // The unit is done again, and all is well.
    journal.put(10, &all[10]).unwrap();
    drop(journal);
    let mut journal = open(&path);
    let found: Vec<_> = units(&mut journal)
        .into_iter()
        .map(|(_, bytes)| bytes)
        .collect();
    assert_eq!(found, all);
    // The next damage gets another name.
    drop(journal);
    let mut bytes = fs::read(&path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&path, &bytes).unwrap();
    let (_, report) = opened(&path);
    assert!(
        report
            .copy()
            .unwrap()
            .to_string_lossy()
            .ends_with(".damaged-2")
    );
    assert!(copy.exists());
}

#[test]
fn a_result_that_was_dropped_does_not_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let mut journal = open(&path);
    journal.put(1, b"old").unwrap();
    journal.put(1, b"new").unwrap();
    drop(journal);
    let mut bytes = fs::read(&path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&path, &bytes).unwrap();
    assert!(opened(&path).0.is_empty());
}

/// Replaces the bytes of the file, and checks that all units but `lost` at most are there, that every other is as it was,
/// that the file was kept, and that the next opening is clean.
fn check(path: &Path, wrong: &[u8], all: &[Vec<u8>], lost: usize) {
    fs::write(path, wrong).unwrap();
    let (mut journal, report) = opened(path);
    let found = units(&mut journal);
    assert!(
        found.len() + lost >= all.len(),
        "{} of {}",
        found.len(),
        all.len()
    );
    for (number, bytes) in &found {
        assert_eq!(bytes, &all[*number as usize]);
    }
    if let Some(copy) = report.copy() {
        assert_eq!(fs::read(copy).unwrap(), wrong);
        fs::remove_file(copy).unwrap();
    } else {
        assert_eq!(report.damaged(), []);
        assert!(report.torn() > 0);
    }
    drop(journal);
    assert_eq!(units(&mut open(path)), found);
}

fn some_units() -> impl Strategy<Value = Vec<Vec<u8>>> {
    vec(
        vec(
            prop_oneof![any::<u8>(), Just(0), Just(0xff), Just(b'J')],
            0..80,
        ),
        1..12,
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_flipped_bit_costs_one_unit(all in some_units(), at in any::<prop::sample::Index>(), bit in 0..8_u32) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let (mut bytes, _) = whole(&path, &all);
        let at = at.index(bytes.len());
        bytes[at] ^= 1_u8 << bit;
        check(&path, &bytes, &all, 1);
    }

    #[test]
    fn garbage_anywhere_costs_one_unit(
        all in some_units(),
        at in any::<prop::sample::Index>(),
        garbage in vec(any::<u8>(), 1..200),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let (bytes, _) = whole(&path, &all);
        let at = at.index(bytes.len() + 1);
        check(&path, &[&bytes[..at], &garbage, &bytes[at..]].concat(), &all, 1);
    }

    #[test]
    fn a_hole_costs_what_it_touches(
        all in some_units(),
        from in any::<prop::sample::Index>(),
        len in 1..100_usize,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let (bytes, ends) = whole(&path, &all);
        // Without both of the beginnings it is nobody's.
        let beginning = ends[0] as usize / 2;
        let from = beginning + from.index(bytes.len() - beginning);
        let to = (from + len).min(bytes.len());
        // Units taken out whole leave a whole journal of the others, so there is nothing to tell.
        let boundary = |at| ends.contains(&(at as u64));
        prop_assume!(!(boundary(from) && boundary(to)));
        let touched = (1..ends.len()).filter(|&unit| ends[unit - 1] < to as u64 && from < ends[unit] as usize);
        check(&path, &[&bytes[..from], &bytes[to..]].concat(), &all, touched.count());
    }
}

#[test]
fn units_of_another_journal_are_not_taken() {
    let folder = tempfile::tempdir().unwrap();
    let [path, other] = ["journal", "other"].map(|name| folder.path().join(name));
    let (mut bytes, _) = whole(&path, &[b"own".to_vec()]);
    let identity = RunIdentity::new("another");
    let mut foreign = Journal::begin(&other, &identity, Flush::Never).unwrap();
    foreign.put(5, b"foreign").unwrap();
    bytes.extend(fs::read(&other).unwrap());
    fs::write(&path, &bytes).unwrap();
    let (journal, report) = opened(&path);
    assert_eq!(journal.numbers().collect::<Vec<_>>(), [0]);
    assert_eq!(report.damaged().len(), 1);
}

#[test]
fn files_of_others_are_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    open(&path).put(1, b"x").unwrap();
    let before = fs::read(&path).unwrap();
    let other = RunIdentity::new("test 1").with("weights", Checksum::of_bytes(b"v"));
    let error = Journal::open(&path, &other, Flush::Never).unwrap_err();
    let told = error.to_string();
    assert!(
        told.contains("is the journal of another run: weights differ (expected 1 byte "),
        "{told}"
    );
    assert_eq!(fs::read(&path).unwrap(), before);
    for text in [
        "some text that is no journal at all",
        "YANEJRN2 and nothing of it",
        "YANEJRN1 old",
    ] {
        fs::write(&path, text).unwrap();
        let error = Journal::open(&path, &run(), Flush::Never).unwrap_err();
        assert!(error.to_string().contains("journal"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
}

#[test]
fn one_process_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let mut journal = open(&path);
    journal.put(1, b"x").unwrap();
    let error = Journal::open(&path, &run(), Flush::Never).unwrap_err();
    assert!(
        error.to_string().contains("is in use by another process"),
        "{error}"
    );
    assert!(Journal::begin(&path, &run(), Flush::Never).is_err());
    // Written anew it is still locked.
    let journal = journal.forget_below(0).unwrap();
    assert!(Journal::open(&path, &run(), Flush::Never).is_err());
    journal.remove().unwrap();
    assert!(!path.exists());
}

#[test]
fn a_journal_begins_anew_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    open(&path).put(1, b"x").unwrap();
    drop(Journal::begin(&path, &run(), Flush::Never).unwrap());
    assert!(open(&path).is_empty());
}

#[test]
fn units_that_are_saved_elsewhere_are_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let mut journal = open(&path);
    for number in 0..10u64 {
        journal.put(number, &number.to_le_bytes()).unwrap();
    }
    let long = fs::metadata(&path).unwrap().len();
    let mut journal = journal.forget_below(8).unwrap();
    assert_eq!(journal.numbers().collect::<Vec<_>>(), [8, 9]);
    assert_eq!(journal.get(9).unwrap().unwrap(), 9u64.to_le_bytes());
    assert!(fs::metadata(&path).unwrap().len() < long);
    journal.put(10, b"ten").unwrap();
    drop(journal);
    assert_eq!(open(&path).len(), 3);
}

/// A journal of the version before.
fn of_before(identity: &str, all: &[Vec<u8>]) -> Vec<u8> {
    let mut told = (identity.len() as u32).to_le_bytes().to_vec();
    told.extend(identity.bytes());
    let checksum = crc32fast::hash(&told).to_le_bytes();
    let mut file = [&b"YANEJRN1"[..], &told, &checksum].concat();
    for (number, bytes) in all.iter().enumerate() {
        let head = [
            &(bytes.len() as u32).to_le_bytes()[..],
            &(number as u64).to_le_bytes(),
        ]
        .concat();
        let checksum = crc32fast::hash(&[&head[..], bytes].concat()).to_le_bytes();
        file.extend([&head[..], &checksum, bytes].concat());
    }
    file
}

#[test]
fn journals_of_the_version_before_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let all: Vec<_> = (0..20u8).map(|unit| vec![unit; 40]).collect();
    let identity = run().to_string();
    let whole = of_before(&identity, &all);
    fs::write(&path, &whole).unwrap();
    assert_eq!(open(&path).len(), 20);
    assert!(fs::read(&path).unwrap().starts_with(b"YANEJRN2"));
    assert_eq!(open(&path).len(), 20);
    for at in [8 + 8 + identity.len() + 40, 500, 561, 900] {
        let mut wrong = whole.clone();
        wrong[at] ^= 0x40;
        check(&path, &wrong, &all, 1);
    }
    check(&path, &whole[..whole.len() - 7], &all, 1);
    fs::write(&path, of_before("another job", &all)).unwrap();
    let error = Journal::open(&path, &run(), Flush::Never).unwrap_err();
    assert!(error.to_string().contains("work differs"), "{error}");
}
