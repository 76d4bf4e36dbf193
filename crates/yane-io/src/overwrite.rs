//! Which files an output may replace, and the right to write it.

use std::fs;
use std::path::Path;

use crate::{Error, MemoryFiles, Result, RunLock};

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

/// The right to write an output, until this is dropped; by default that to write nothing.
#[derive(Debug, Default)]
#[must_use = "another process may write the output when this is dropped"]
pub struct Claim {
    /// None for what is no file and is not replaced, and for a file in memory.
    _lock: Option<RunLock>,
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

    /// Checks the same, and reserves `output` for this run: what is true now stays true while the claim lives, as
    /// far as programs of this workspace can change it. Not even [`Self::Allow`] takes it from another run.
    ///
    /// # Errors
    /// Those of [`Self::check`]; [`Error::InUse`] when another process is about to write it; when its folder cannot
    /// be written to.
    pub fn claim<P: AsRef<Path>>(self, output: &Path, inputs: &[P]) -> Result<Claim> {
        self.check(output, inputs)
            .inspect_err(|_| RunLock::sweep(output))?;
        // Nobody else sees a file in memory. Folders and devices are refused later, by whatever writes.
        if MemoryFiles::has(output) {
            return Ok(Claim::default());
        }
        if fs::metadata(output).is_ok_and(|data| !data.is_file()) {
            return Ok(Claim::default());
        }
        let lock = RunLock::file(output)?;
        // The one who had the lock before may have made it.
        self.check(output, inputs)?;
        Ok(Claim { _lock: Some(lock) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn an_output_has_one_writer_even_by_force() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.db");
        let inputs: [&Path; 0] = [];
        let claim = Overwrite::Never.claim(&path, &inputs).unwrap();
        for overwrite in [Overwrite::Never, Overwrite::Refuse, Overwrite::Allow] {
            let error = overwrite.claim(&path, &inputs).unwrap_err();
            assert!(matches!(error, Error::InUse { .. }), "{error:?}");
        }
        fs::write(&path, "made").unwrap();
        drop(claim);
        let error = Overwrite::Never.claim(&path, &inputs).unwrap_err();
        assert!(matches!(error, Error::OutputExists(_)), "{error:?}");
        drop(Overwrite::Refuse.claim(&path, &inputs).unwrap());
        assert_eq!(folder.path().read_dir().unwrap().count(), 1);
        // A folder is refused by whatever writes.
        drop(Overwrite::Never.claim(folder.path(), &inputs).unwrap());
    }

    #[test]
    fn a_name_that_is_too_long_is_told_at_the_start() {
        let folder = tempfile::tempdir().unwrap();
        let inputs: [&Path; 0] = [];
        for (len, is_fine) in [(240, true), (255, true), (256, false)] {
            let path = folder.path().join("a".repeat(len));
            assert_eq!(Overwrite::Never.claim(&path, &inputs).is_ok(), is_fine);
            assert_eq!(crate::AtomicFile::create(&path).is_ok(), is_fine);
        }
        let path = folder.path().join("a".repeat(255));
        let mut file = crate::AtomicFile::create(&path).unwrap();
        file.put(b"whole").unwrap();
        file.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"whole");
    }
}
