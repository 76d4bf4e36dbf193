//! Output files that appear whole or not at all.
//!
//! The bytes go to a temporary file in the target's folder, which is flushed to the disk and then
//! renamed over the target: whenever the program or the machine dies, the target is either the old
//! file or the complete new one. Temporary files that a killed run left behind are removed by the
//! next one: each is locked by its writer, so one that can be locked has no writer any more.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempPath};

use crate::{Error, Result};

/// Bytes collected before the system is asked to write.
const BUFFER: usize = 1 << 20;

/// The files that an output may replace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overwrite {
    /// None: an output that exists is an error.
    Never,
    /// Any but the inputs: an output that is also an input is an error.
    #[default]
    Refuse,
    /// Any: an input is replaced when the output is complete.
    Allow,
}

impl Overwrite {
    /// Checks that the file `output` may be replaced if it exists. It is an input if one of `inputs` is the same
    /// file, whatever names they go by.
    ///
    /// # Errors
    /// [`Error::OverwritesInput`] and [`Error::OutputExists`], as far as that is not allowed.
    pub fn check<P: AsRef<Path>>(self, output: &Path, inputs: &[P]) -> Result<()> {
        if self == Self::Allow {
            return Ok(());
        }
        let Ok(target) = fs::canonicalize(output) else {
            return Ok(());
        };
        let same = |input: &P| fs::canonicalize(input).is_ok_and(|input| input == target);
        if inputs.iter().any(same) {
            return Err(Error::OverwritesInput(output.to_owned()));
        }
        // Folders and devices are refused later, by whatever writes.
        if self == Self::Never && target.is_file() {
            return Err(Error::OutputExists(output.to_owned()));
        }
        Ok(())
    }
}

/// The folder that holds `path`.
pub fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// A file being written. Dropped without [`Self::commit`] it leaves nothing behind.
#[derive(Debug)]
pub struct AtomicFile {
    file: BufWriter<NamedTempFile>,
    target: PathBuf,
    written: u64,
}

impl AtomicFile {
    /// Begins a new version of `target`. A symbolic link is followed: the file it names is replaced.
    ///
    /// # Errors
    /// When the folder cannot be written to, or `target` is a folder, a device or a pipe.
    pub fn create(target: &Path) -> Result<Self> {
        let (file, target) = begin(target)?;
        Ok(Self {
            file: BufWriter::with_capacity(BUFFER, file),
            target,
            written: 0,
        })
    }

    /// Replaces the target with the new version: flushed to the disk, then renamed.
    ///
    /// # Errors
    /// When the disk is full or the rename is refused; the old file is untouched then.
    pub fn commit(self) -> Result<()> {
        let file = self.file.into_inner();
        let failed = Error::write(&self.target, self.written);
        let file = file.map_err(|error| failed(error.into_error()))?;
        publish(file, &self.target, self.written)
    }

    /// A maker of the error that this file could not be written, for those who use it as a [`Write`].
    pub fn error(&self) -> impl FnOnce(io::Error) -> Error + use<> {
        let (path, written) = (self.target.clone(), self.written);
        move |source| Error::write(path, written)(source)
    }

    /// The path the file will have.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Writes bytes, naming the target when that fails.
    ///
    /// # Errors
    /// When the disk is full, for example.
    pub fn put(&mut self, bytes: &[u8]) -> Result<()> {
        let failed = self.error();
        self.file.write_all(bytes).map_err(failed)?;
        self.written += bytes.len() as u64;
        Ok(())
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.written += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for AtomicFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

const SUFFIX: &str = ".tmp";

/// Creates the temporary file for a new version of `target`, and says where `target` leads.
pub(crate) fn begin(target: &Path) -> Result<(NamedTempFile, PathBuf)> {
    let target = fs::canonicalize(target).unwrap_or_else(|_| target.to_owned());
    if target.is_dir() {
        return Err(Error::file(&target, "is a folder, expected a file name"));
    }
    // A rename would put a file in the place of a device or pipe.
    if fs::metadata(&target).is_ok_and(|data| !data.is_file()) {
        let text = "is a device or a pipe, expected a file name";
        return Err(Error::file(&target, text));
    }
    let folder = folder_of(&target);
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let prefix = format!(".{name}.");
    remove_orphans(&folder, &prefix);
    let file = tempfile::Builder::new()
        .prefix(&prefix)
        .suffix(SUFFIX)
        .make_in(&folder, |path| {
            OpenOptions::new()
                .read(true)
                .write(true)
                .create_new(true)
                .open(path)
        })
        .map_err(Error::write(&target, 0))?;
    // Without locks (some network file systems) orphans stay; nothing else is lost.
    let _ = file.as_file().try_lock();
    Ok((file, target))
}

/// Makes a temporary file with all its bytes the new version of `target`.
pub(crate) fn publish(file: NamedTempFile, target: &Path, written: u64) -> Result<()> {
    let failed = |source| Error::write(target, written)(source);
    complete(&file, target, written)?;
    file.persist(target).map_err(|error| failed(error.error))?;
    sync_folder(&folder_of(target)).map_err(failed)
}

/// Flushes a temporary file with all its bytes to the disk.
fn complete(file: &NamedTempFile, target: &Path, written: u64) -> Result<()> {
    let failed = |source| Error::write(target, written)(source);
    if let Ok(old) = fs::metadata(target) {
        file.as_file()
            .set_permissions(old.permissions())
            .map_err(failed)?;
    }
    file.as_file().sync_all().map_err(failed)
}

/// A complete file that does not have its name yet, for several files that shall appear together:
/// once all are sealed, little can go wrong. It is closed, so there may be many.
///
/// It has no lock any more: another process that begins to write the same target removes it, and
/// [`Self::commit_all`] fails. Dropped without that it leaves nothing behind.
#[derive(Debug)]
pub struct SealedFile {
    file: TempPath,
    target: PathBuf,
}

impl SealedFile {
    /// A temporary file with all its bytes.
    pub(crate) fn new(file: NamedTempFile, target: PathBuf, written: u64) -> Result<Self> {
        complete(&file, &target, written)?;
        Ok(Self {
            file: file.into_temp_path(),
            target,
        })
    }

    /// Gives the files their names, in their order.
    ///
    /// # Errors
    /// When a rename is refused; the old versions of that file and of those after it are untouched
    /// then.
    pub fn commit_all(files: Vec<Self>) -> Result<()> {
        let mut folders = Vec::new();
        for Self { file, target } in files {
            file.persist(&target)
                .map_err(|error| Error::write(&target, 0)(error.error))?;
            let folder = folder_of(&target);
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        folders
            .iter()
            .try_for_each(|folder| sync_folder(folder).map_err(Error::write(folder, 0)))
    }

    /// The path the file will have.
    pub fn target(&self) -> &Path {
        &self.target
    }
}

/// Removes temporary files of dead writers.
fn remove_orphans(folder: &Path, prefix: &str) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with(prefix)
            && name.ends_with(SUFFIX)
            && let Ok(file) = OpenOptions::new().write(true).open(entry.path())
            && file.try_lock().is_ok()
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Makes a rename durable. Only Unix can and needs to.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(folder)?.sync_all()
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn appears_only_when_committed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.db");
        fs::write(&path, "old").unwrap();
        let mut file = AtomicFile::create(&path).unwrap();
        file.put(b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        drop(file);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);

        let mut file = AtomicFile::create(&path).unwrap();
        file.put(b"new").unwrap();
        file.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_not_replaced() {
        for device in ["/dev/null", "/dev/full"] {
            let error = AtomicFile::create(Path::new(device)).unwrap_err();
            assert!(error.to_string().contains("device"), "{error}");
        }
    }

    #[test]
    fn orphaned_files_are_removed_and_open_ones_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.db");
        let orphan = folder.path().join(".book.db.dead.tmp");
        fs::write(&orphan, "half").unwrap();
        let living = AtomicFile::create(&path).unwrap();
        assert!(!orphan.exists());
        let second = AtomicFile::create(&path).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
        drop((living, second));
    }

    #[test]
    fn an_input_is_not_overwritten_by_accident() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.db");
        fs::write(&path, "old").unwrap();
        let other_name = folder.path().join(".").join("book.db");
        let inputs = [&other_name];
        assert!(Overwrite::Refuse.check(&path, &inputs).is_err());
        assert!(Overwrite::Allow.check(&path, &inputs).is_ok());
        let absent = folder.path().join("new.db");
        assert!(Overwrite::Refuse.check(&absent, &inputs).is_ok());
    }

    #[test]
    fn an_existing_file_is_kept_on_request() {
        let folder = tempfile::tempdir().unwrap();
        let (old, input) = (folder.path().join("old.db"), folder.path().join("in.db"));
        for path in [&old, &input] {
            fs::write(path, "old").unwrap();
        }
        let told = |overwrite: Overwrite, output: &Path| {
            let done = overwrite.check(output, &[&input]);
            done.err().map(|error| error.to_string())
        };
        let exists = format!(
            "{} exists; choose another output, or pass --force",
            old.display()
        );
        assert_eq!(told(Overwrite::Never, &old), Some(exists));
        assert_eq!(told(Overwrite::Refuse, &old), None);
        assert_eq!(told(Overwrite::Allow, &old), None);
        let also_input = format!(
            "{} is an input; choose another output, or pass --force",
            input.display()
        );
        for overwrite in [Overwrite::Never, Overwrite::Refuse] {
            assert_eq!(told(overwrite, &input), Some(also_input.clone()));
        }
        assert_eq!(told(Overwrite::Allow, &input), None);
        assert_eq!(told(Overwrite::Never, &folder.path().join("new.db")), None);
    }
}
