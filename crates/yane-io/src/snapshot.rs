//! The state of a long job that has no units: one file, replaced as a whole.
//!
//! It belongs to one run ([`RunIdentity`]) and has a checksum. The version before is kept beside it (`.bak` behind the name)
//! and takes its place when it is damaged; what is damaged gets another name, and is told. Whoever writes one holds a
//! [`crate::RunLock`].
//!
//! | bytes | what |
//! | --- | --- |
//! | 8 | `YANESNP1` |
//! | 4 + n | length and text of the identity |
//! | 4 | CRC-32 of the length and the text |
//! | n | the state |
//! | 8 | its length |
//! | 16 | XXH3 (128 bits) of everything before |
//!
//! All numbers are little-endian.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::ops::{Deref, Range};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::{Xxh3, xxh3_128};

use crate::journal::keep_damaged;
use crate::{AtomicFile, Error, Map, Result, RunIdentity, names};

const MAGIC: &[u8; 8] = b"YANESNP1";
/// Bytes behind the state.
const END: usize = 24;

/// The state that a run has left: its bytes.
#[derive(Debug)]
pub struct Snapshot {
    map: Map,
    state: Range<usize>,
}

impl Snapshot {
    /// Opens the state at `path` of the run `identity`.
    ///
    /// # Errors
    /// [`Error::OtherRun`] when it is that of another run; when it is no state, or is damaged and there is no whole version
    /// before it, or when the disk refuses. The file stays then.
    pub fn open(path: &Path, identity: &RunIdentity) -> Result<OpenedSnapshot> {
        let mut report = SnapshotReport { damage: None };
        let read = match read(path) {
            Err(Error::Io { reason, .. }) if reason.kind() == ErrorKind::NotFound => {
                let snapshot = None;
                return Ok(OpenedSnapshot { snapshot, report });
            }
            read => read,
        };
        let (snapshot, found) = match read {
            Ok(whole) => whole,
            Err(error) => {
                let before = previous(path);
                let Ok(whole) = self::read(&before) else {
                    return Err(error);
                };
                let copy = keep_damaged(path)?;
                restore(&before, path)?;
                report.damage = Some((error.to_string(), copy));
                whole
            }
        };
        if let Some(difference) = identity.difference(&found) {
            return Err(Error::OtherRun {
                path: path.to_owned(),
                what: "state",
                difference,
            });
        }
        let snapshot = Some(snapshot);
        Ok(OpenedSnapshot { snapshot, report })
    }

    /// Reads the state at `path`, of whatever run, for whoever only looks: nothing is changed or kept.
    ///
    /// # Errors
    /// When it cannot be read, is no state, or is damaged.
    pub fn look(path: &Path) -> Result<Self> {
        read(path).map(|(snapshot, _)| snapshot)
    }

    /// Begins a new version of the state at `path`.
    ///
    /// # Errors
    /// When the folder cannot be written to.
    pub fn create(path: &Path, identity: &RunIdentity) -> Result<SnapshotWriter> {
        let mut writer = SnapshotWriter {
            file: AtomicFile::create(path)?,
            hash: Xxh3::new(),
            written: 0,
        };
        let text = identity.to_string();
        let len = u32::try_from(text.len());
        let len = len.map_err(|_| Error::file(path, "the identity of a run is too long"))?;
        let mut told = len.to_le_bytes().to_vec();
        told.extend(text.bytes());
        let checksum = crc32fast::hash(&told);
        writer.put(MAGIC)?;
        writer.put(&told)?;
        writer.put(&checksum.to_le_bytes())?;
        writer.written = 0;
        Ok(writer)
    }

    /// Writes a state that is in memory.
    ///
    /// # Errors
    /// When the disk refuses; the version before is untouched then.
    pub fn write(path: &Path, identity: &RunIdentity, state: &[u8]) -> Result<()> {
        let mut writer = Self::create(path, identity)?;
        writer.put(state)?;
        writer.commit()
    }

    /// Removes the state and the version before it, if they are there: everything is safe elsewhere.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn remove(path: &Path) -> Result<()> {
        for path in [&previous(path), path] {
            match fs::remove_file(path) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(Error::io(path)(error));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// An error in the state at `offset` from its start.
    pub fn error(&self, offset: usize, reason: impl Into<String>) -> Error {
        self.map.error((self.state.start + offset) as u64, reason)
    }
}

impl Deref for Snapshot {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.map[self.state.clone()]
    }
}

/// The version before the one at `path`.
fn previous(path: &Path) -> PathBuf {
    names::beside(path, ".bak")
}

/// Gives the version before its name again.
fn restore(before: &Path, path: &Path) -> Result<()> {
    let mut file = AtomicFile::create(path)?;
    let bytes = Map::open(before)?;
    file.put(&bytes)?;
    file.commit()
}

/// Reads and checks a state, and says whose it is.
fn read(path: &Path) -> Result<(Snapshot, RunIdentity)> {
    let map = Map::open(path)?;
    if !map.starts_with(MAGIC) {
        let reason =
            "expected the state of a run (YANESNP1; those of earlier versions cannot be resumed)";
        return Err(map.error(0, reason));
    }
    let Some((identity, start)) = identity(&map) else {
        return Err(map.error(8, "the identity of the run is damaged"));
    };
    let cut = || map.error(map.len() as u64, "the file ends inside the state of a run");
    let end = map
        .len()
        .checked_sub(END)
        .filter(|&end| end >= start)
        .ok_or_else(cut)?;
    let (len, hash) = map[end..].split_at(8);
    if hash != xxh3_128(&map[..end + 8]).to_le_bytes()
        || len != ((end - start) as u64).to_le_bytes()
    {
        let reason = "the state of the run is damaged: its checksum does not fit";
        return Err(map.error(end as u64, reason));
    }
    let state = start..end;
    Ok((Snapshot { map, state }, identity))
}

/// The identity in a state, and the offset behind it.
fn identity(bytes: &[u8]) -> Option<(RunIdentity, usize)> {
    let len = bytes
        .get(8..12)?
        .first_chunk()
        .copied()
        .map(u32::from_le_bytes)? as usize;
    let told = bytes.get(8..12 + len)?;
    let checksum = bytes.get(12 + len..16 + len)?;
    let is_whole = crc32fast::hash(told).to_le_bytes() == *checksum;
    let text = is_whole.then(|| std::str::from_utf8(&told[4..]).ok())??;
    Some((RunIdentity::parse(text), 16 + len))
}

/// Writes a state; dropped without [`Self::commit`] it leaves nothing behind.
pub struct SnapshotWriter {
    file: AtomicFile,
    hash: Xxh3,
    /// Bytes of the state.
    written: u64,
}

impl std::fmt::Debug for SnapshotWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = f.debug_struct("SnapshotWriter");
        text.field("file", &self.file).finish_non_exhaustive()
    }
}

impl SnapshotWriter {
    /// Appends bytes.
    ///
    /// # Errors
    /// When the disk is full, for example.
    pub fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.put(bytes)?;
        self.hash.update(bytes);
        self.written += bytes.len() as u64;
        Ok(())
    }

    /// Replaces the state, which is kept as the version before.
    ///
    /// # Errors
    /// When the disk refuses; the state is the one before then.
    pub fn commit(mut self) -> Result<()> {
        let len = self.written.to_le_bytes();
        self.put(&len)?;
        let hash = self.hash.digest128();
        self.file.put(&hash.to_le_bytes())?;
        keep_previous(self.file.target())?;
        self.file.commit()
    }
}

impl Write for SnapshotWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.hash.update(&bytes[..written]);
        self.written += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Gives the state a second name, which it keeps when it is replaced.
fn keep_previous(path: &Path) -> Result<()> {
    let before = previous(path);
    match fs::remove_file(&before) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(Error::write(&before, 0)(error));
        }
        _ => {}
    }
    let kept = fs::hard_link(path, &before).or_else(|error| match error.kind() {
        ErrorKind::NotFound => Ok(()),
        // Not every file system has second names.
        _ => fs::copy(path, &before).map(drop),
    });
    kept.map_err(Error::write(&before, 0))
}

/// An opened state with what has to be told about it. [`Self::tell`] gives the state.
#[derive(Debug)]
#[must_use = "damage has to be told"]
pub struct OpenedSnapshot {
    snapshot: Option<Snapshot>,
    report: SnapshotReport,
}

impl OpenedSnapshot {
    /// The state, `None` when there is none yet; `note` gets a sentence for people if it is the version before because the
    /// last one is damaged.
    pub fn tell(self, note: impl FnMut(&str)) -> Option<Snapshot> {
        self.report.tell(note);
        self.snapshot
    }

    /// The state, and the report for whoever tells it.
    pub fn into_parts(self) -> (Option<Snapshot>, SnapshotReport) {
        (self.snapshot, self.report)
    }
}

/// What was damaged of a state at opening.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "damage has to be told"]
pub struct SnapshotReport {
    /// The reason, and the damaged file as it was.
    damage: Option<(String, PathBuf)>,
}

impl SnapshotReport {
    /// The damaged file as it was; `None` when nothing was damaged.
    pub fn copy(&self) -> Option<&Path> {
        self.damage.as_ref().map(|(_, copy)| copy.as_path())
    }

    /// Gives `note` a sentence for people if something was damaged.
    pub fn tell(&self, mut note: impl FnMut(&str)) {
        if let Some((reason, copy)) = &self.damage {
            let copy = copy.display();
            note(&format!(
                "{reason}; going on from the version before it; the damaged file is kept as {copy}"
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(seed: u32) -> RunIdentity {
        RunIdentity::new("test 1").with("seed", seed)
    }

    fn opened(path: &Path) -> (Option<Vec<u8>>, Vec<String>) {
        let mut notes = Vec::new();
        let opened = Snapshot::open(path, &run(1)).unwrap();
        let snapshot = opened.tell(|note| notes.push(note.to_owned()));
        (snapshot.map(|state| state.to_vec()), notes)
    }

    #[test]
    fn the_last_version_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state");
        assert_eq!(opened(&path), (None, vec![]));
        for state in [&b"one"[..], b"", b"three"] {
            Snapshot::write(&path, &run(1), state).unwrap();
            assert_eq!(opened(&path), (Some(state.to_vec()), vec![]));
        }
        drop(Snapshot::create(&path, &run(1)).unwrap());
        assert_eq!(opened(&path).0.unwrap(), b"three");
        let error = Snapshot::open(&path, &run(2)).unwrap_err().to_string();
        let told = "is the state of another run: seed differs (expected 2, found 1)";
        assert!(error.ends_with(told), "{error}");
        Snapshot::remove(&path).unwrap();
        Snapshot::remove(&path).unwrap();
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    }

    #[test]
    fn any_damage_is_seen_and_the_version_before_used() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state");
        Snapshot::write(&path, &run(1), b"one").unwrap();
        Snapshot::write(&path, &run(1), b"two").unwrap();
        let whole = fs::read(&path).unwrap();
        let flips = (0..whole.len() * 8).map(|bit| {
            let mut wrong = whole.clone();
            wrong[bit / 8] ^= 1 << (bit % 8);
            wrong
        });
        let cuts = (0..whole.len()).map(|len| whole[..len].to_vec());
        let long = [&whole[..], b"x"].concat();
        for wrong in flips.chain(cuts).chain([long]) {
            fs::write(&path, &wrong).unwrap();
            let (state, notes) = opened(&path);
            assert_eq!(state.as_deref(), Some(&b"one"[..]));
            assert!(notes[0].contains("damaged-1"), "{notes:?}");
            assert_eq!(opened(&path), (Some(b"one".to_vec()), vec![]));
            let copy = names::beside(&path, ".damaged-1");
            assert_eq!(fs::read(&copy).unwrap(), wrong);
            fs::remove_file(copy).unwrap();
        }
    }

    #[test]
    fn what_cannot_be_read_is_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state");
        fs::write(&path, "some notes of mine, no state of a run at all").unwrap();
        let error = Snapshot::open(&path, &run(1)).unwrap_err().to_string();
        assert!(error.contains("expected the state of a run"), "{error}");
        assert_eq!(folder.path().read_dir().unwrap().count(), 1);
    }
}
