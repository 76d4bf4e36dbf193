//! Records of games as files: whole or not at all, from the first move on.

use std::path::{Path, PathBuf};

use shogi_kifu::{CsaVersion, GameRecord, write_csa, write_kif};
use yane_io::AtomicFile;

/// The formats in which games are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordFormats {
    /// CSA.
    Csa,
    /// KIF in UTF-8.
    Kif,
    /// Both.
    Both,
}

impl RecordFormats {
    const fn extensions(self) -> &'static [&'static str] {
        match self {
            Self::Csa => &["csa"],
            Self::Kif => &["kif"],
            Self::Both => &["csa", "kif"],
        }
    }
}

/// The files of one game.
#[derive(Clone, Debug)]
pub(crate) struct RecordFiles {
    /// The path without an extension.
    base: PathBuf,
    formats: RecordFormats,
}

impl RecordFiles {
    /// Files in `folder`, which is made when it is missing, named after the game; no file that exists is among them.
    pub(crate) fn new(
        folder: &Path,
        formats: RecordFormats,
        game_id: &str,
        started: &str,
    ) -> yane_io::Result<Self> {
        std::fs::create_dir_all(folder).map_err(yane_io::Error::io(folder))?;
        let name = file_name(if game_id.is_empty() { started } else { game_id });
        let mut base = folder.join(&name);
        let taken = |base: &Path| {
            let mut files = formats.extensions().iter();
            files.any(|extension| with_extension(base, extension).exists())
        };
        for number in 2u32.. {
            if !taken(&base) {
                break;
            }
            base = folder.join(format!("{name}-{number}"));
        }
        Ok(Self { base, formats })
    }

    /// The files.
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        let extensions = self.formats.extensions().iter();
        extensions
            .map(|extension| with_extension(&self.base, extension))
            .collect()
    }

    /// Writes the game as it is now.
    pub(crate) fn write(&self, record: &GameRecord) -> yane_io::Result<()> {
        let fractions = |id| record.node(id).time.is_some_and(|ms| ms % 1000 != 0);
        let version = if record.main_line().any(fractions) {
            CsaVersion::V3
        } else {
            CsaVersion::V22
        };
        for extension in self.formats.extensions() {
            let (text, _) = if *extension == "kif" {
                write_kif(record)
            } else {
                write_csa(record, version)
            };
            let mut file = AtomicFile::create(&with_extension(&self.base, extension))?;
            file.put(text.as_bytes())?;
            file.commit()?;
        }
        Ok(())
    }
}

/// Adds an extension; names of games have dots of their own.
fn with_extension(base: &Path, extension: &str) -> PathBuf {
    let mut name = base.as_os_str().to_owned();
    name.push(".");
    name.push(extension);
    name.into()
}

/// The name of a game as that of a file: what systems refuse, or what leads elsewhere, is replaced.
fn file_name(name: &str) -> String {
    let kept = |c: char| c.is_alphanumeric() || "+-_.@=,~".contains(c);
    let mut text: String = name
        .chars()
        .map(|c| if kept(c) { c } else { '_' })
        .take(150)
        .collect();
    if text.starts_with('.') || text.is_empty() {
        text.insert(0, '_');
    }
    text
}

#[cfg(test)]
mod tests {
    use shogi_core::Position;
    use test_support::TestFolder;

    use super::*;

    #[test]
    fn names_of_games_are_names_of_files() {
        assert_eq!(
            file_name("wdoor+floodgate-300-10F+a.b+c+20261125"),
            "wdoor+floodgate-300-10F+a.b+c+20261125"
        );
        assert_eq!(file_name("../a/b:c d"), "_.._a_b_c_d");
        assert_eq!(file_name(""), "_");
        assert!(file_name(&"x".repeat(1000)).len() == 150);
    }

    #[test]
    fn files_of_other_games_stay() {
        let folder = TestFolder::new();
        let record = GameRecord::new(Position::startpos());
        let place = folder.path("new/games");
        let open = |formats| RecordFiles::new(&place, formats, "g.1", "20261125").unwrap();
        open(RecordFormats::Kif).write(&record).unwrap();
        let second = open(RecordFormats::Both);
        second.write(&record).unwrap();
        second.write(&record).unwrap();
        let names = |paths: Vec<PathBuf>| -> Vec<String> {
            let name = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
            paths.iter().map(name).collect()
        };
        assert_eq!(names(second.paths()), ["g.1-2.csa", "g.1-2.kif"]);
        let mut files: Vec<_> = std::fs::read_dir(&place)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        files.sort();
        assert_eq!(files, ["g.1-2.csa", "g.1-2.kif", "g.1.kif"]);
    }
}
