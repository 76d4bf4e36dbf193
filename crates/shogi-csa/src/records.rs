//! Records of games as files: whole or not at all, from the first move on.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use shogi_kifu::{CsaVersion, GameRecord, write_csa, write_kif};
use yane_io::AtomicFile;

/// The headers about clocks.
const CLOCKS: [&str; 3] = ["持ち時間", "先手持ち時間", "後手持ち時間"];
/// Longest name of a file without its extension and a number, in bytes: systems allow 255 in all, and copies of files, archives
/// and encodings need some.
const LONGEST_NAME: usize = 180;
/// Bytes at the end of a name that is too long, which are kept: the time of the game.
const KEPT_END: usize = 24;

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
        let id = if game_id.is_empty() { started } else { game_id };
        let name = file_name(id);
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
        for extension in self.formats.extensions() {
            let (text, _) = if *extension == "kif" {
                write_kif(&with_times_in_words(record))
            } else {
                write_csa(record, csa_version(record))
            };
            let mut file = AtomicFile::create(&with_extension(&self.base, extension))?;
            file.put(text.as_bytes())?;
            file.commit()?;
        }
        Ok(())
    }
}

/// The version of CSA that can hold the times of the moves and of the clocks: 2.2 has whole seconds, and clocks of whole minutes that are the
/// same for both players.
fn csa_version(record: &GameRecord) -> CsaVersion {
    let fractions = |id| record.node(id).time.is_some_and(|ms| ms % 1000 != 0);
    let mut clocks = CLOCKS.iter().filter_map(|key| record.headers.get(key));
    if record.main_line().any(fractions) || clocks.any(|clock| !clock.contains(':')) {
        CsaVersion::V3
    } else {
        CsaVersion::V22
    }
}

/// The record with the clocks of CSA 3.0 in words, as KIF has them.
fn with_times_in_words(record: &GameRecord) -> Cow<'_, GameRecord> {
    let mut record = Cow::Borrowed(record);
    for key in CLOCKS {
        let clock = record.headers.get(key).and_then(clock_in_words);
        if let Some(clock) = clock {
            record.to_mut().headers.set(key, clock);
        }
    }
    record
}

/// `SECONDS+BYOYOMI+INCREMENT` in words; `None` for anything else.
fn clock_in_words(clock: &str) -> Option<String> {
    let parts: Vec<&str> = clock.split('+').collect();
    let &[total, byoyomi, increment] = parts.as_slice() else {
        return None;
    };
    let time = match total.parse::<u64>() {
        Ok(seconds) if seconds >= 60 && seconds % 60 == 0 => format!("{}分", seconds / 60),
        Ok(seconds) if seconds >= 60 => format!("{}分{}秒", seconds / 60, seconds % 60),
        _ => format!("{total}秒"),
    };
    let byoyomi = (byoyomi != "0").then(|| format!("秒読み{byoyomi}秒"));
    let increment = (increment != "0").then(|| format!("1手ごとに{increment}秒加算"));
    let parts: Vec<_> = [Some(time), byoyomi, increment]
        .into_iter()
        .flatten()
        .collect();
    Some(parts.join("、"))
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
        .collect();
    if text.starts_with('.') || text.is_empty() {
        text.insert(0, '_');
    }
    if text.len() <= LONGEST_NAME {
        return text;
    }
    // Names that differ anywhere stay different.
    let middle = format!("~{:08x}~", fingerprint(name.as_bytes()));
    let is_boundary = |at: &usize| text.is_char_boundary(*at);
    let head = (0..=LONGEST_NAME - KEPT_END - middle.len()).rfind(is_boundary);
    let tail = (text.len() - KEPT_END..=text.len()).find(is_boundary);
    let (head, tail) = (head.unwrap_or(0), tail.unwrap_or(text.len()));
    format!("{}{middle}{}", &text[..head], &text[tail..])
}

/// A number for a text: FNV-1a.
fn fingerprint(text: &[u8]) -> u32 {
    text.iter().fold(0x811c_9dc5, |hash, &byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
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
    }

    #[test]
    fn long_names_are_cut_between_letters() {
        let game =
            |player: &str, time: &str| format!("wdoor+floodgate-300-10F+{player}+{player}+{time}");
        for (letter, count) in [
            ("x", 1000),
            ("\u{5c06}", 60),
            ("\u{68cb}", 500),
            ("\u{1d11e}", 99),
        ] {
            let player = letter.repeat(count);
            let names = [
                game(&player, "20261125220010"),
                game(&player, "20261125220011"),
                game(&format!("{player}y"), "20261125220010"),
            ]
            .map(|id| file_name(&id));
            for name in &names {
                assert!(
                    name.len() <= LONGEST_NAME && name.len() > LONGEST_NAME - 8,
                    "{name}"
                );
                assert!(name.starts_with("wdoor+floodgate-300-10F+"), "{name}");
            }
            assert!(names[0].ends_with("+20261125220010"), "{}", names[0]);
            assert!(names[0] != names[1] && names[0] != names[2], "{names:?}");
        }
        // With number and extension there is room.
        let folder = TestFolder::new();
        let record = GameRecord::new(Position::startpos());
        let id = "\u{5c06}\u{68cb}".repeat(200);
        for _ in 0..3 {
            let files = RecordFiles::new(&folder.path("g"), RecordFormats::Both, &id, "x").unwrap();
            files.write(&record).unwrap();
            for path in files.paths() {
                assert!(path.file_name().unwrap().len() <= 200, "{}", path.display());
            }
        }
        assert_eq!(std::fs::read_dir(folder.path("g")).unwrap().count(), 6);
    }

    #[test]
    fn clocks_of_seconds_are_kept() {
        for (clock, csa, kif) in [
            (
                "00:05+00",
                "V2.2\n$TIME_LIMIT:00:05+00\n",
                "持ち時間：00:05+00",
            ),
            (
                "20+0+2",
                "$TIME:20+0+2\n",
                "持ち時間：20秒、1手ごとに2秒加算",
            ),
            ("90+5+0", "$TIME:90+5+0\n", "持ち時間：1分30秒、秒読み5秒"),
            (
                "0.5+0.1+0",
                "$TIME:0.5+0.1+0\n",
                "持ち時間：0.5秒、秒読み0.1秒",
            ),
        ] {
            let folder = TestFolder::new();
            let mut record = GameRecord::new(Position::startpos());
            record.headers.set(CLOCKS[0], clock);
            let files = RecordFiles::new(&folder.path("g"), RecordFormats::Both, "g", "x").unwrap();
            files.write(&record).unwrap();
            let text = |name: &str| String::from_utf8(folder.read(name)).unwrap();
            assert!(text("g/g.csa").contains(csa), "{}", text("g/g.csa"));
            assert!(text("g/g.kif").contains(kif), "{}", text("g/g.kif"));
        }
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
