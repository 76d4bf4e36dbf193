//! A folder of the library as it was last seen: the games by Egaroucid's table, checked against the files that are there.

use std::collections::HashMap;
use std::path::Path;

use othello_record::EgaroucidRow;
use page_messages::PageFailure;
use page_shelf::library::{EntryStamp, LibraryDamage, check_part};
use yane_io::{Error, ReadLimit};

use super::archive::{ArchiveGames, ReadGame, is_archive};
use super::game_file::{GAME, TREE};
use super::line::Line;
use super::row::Row;

/// Egaroucid's table of the games.
pub(super) const TABLE: &str = "summary.csv";

/// A game of a folder.
#[derive(Clone, Debug)]
pub(super) struct Game {
    pub(super) row: Row,
    pub(super) stamp: EntryStamp,
    /// The positions, once they were read.
    pub(super) line: Option<Line>,
    /// True if the table tells what the row does; else the file has to be read first.
    pub(super) is_known: bool,
}

impl Game {
    /// Takes over what its file holds.
    pub(super) fn take(&mut self, read: ReadGame) {
        self.row = if self.is_known {
            self.row.with_texts_of(&read.row)
        } else {
            read.row
        };
        self.is_known = true;
        self.line = Some(read.line);
    }
}

/// A file of several games.
#[derive(Clone, Debug)]
pub(super) struct Archive {
    pub(super) name: String,
    pub(super) stamp: EntryStamp,
    /// The games, once they were read.
    pub(super) games: Option<ArchiveGames>,
}

/// A folder as it was last seen.
#[derive(Clone, Debug, Default)]
pub(super) struct Folder {
    /// The times of the folder and of its table.
    stamp: Option<[Option<EntryStamp>; 2]>,
    pub(super) folders: Vec<String>,
    pub(super) archives: Vec<Archive>,
    pub(super) games: Vec<Game>,
    /// Games that cannot be read.
    pub(super) damaged: HashMap<String, (EntryStamp, String)>,
    /// True if the table is not what the files say.
    pub(super) is_table_old: bool,
}

/// The files of a folder.
#[derive(Default)]
struct Files {
    folders: Vec<String>,
    games: Vec<(String, EntryStamp)>,
    archives: Vec<(String, EntryStamp)>,
}

impl Folder {
    /// Looks at the folder, if it may have changed since; returns whether it was looked at.
    ///
    /// # Errors
    ///
    /// A folder that cannot be read.
    pub(super) fn refresh(&mut self, path: &Path) -> Result<bool, PageFailure> {
        let stamp = Self::stamp_of(path);
        if self.stamp == Some(stamp) {
            return Ok(false);
        }
        let files = Files::of(path)?;
        let table = ReadLimit::Settings.read_if_there(&path.join(TABLE));
        // A table that cannot be read is as good as none.
        let table = table.ok().flatten().unwrap_or_default();
        let mut rows = rows_of(&String::from_utf8_lossy(&table));
        let of_table = stamp[1].and_then(EntryStamp::changed);
        let mut known: HashMap<String, Game> = HashMap::new();
        for game in std::mem::take(&mut self.games) {
            known.insert(game.row.name().to_owned(), game);
        }
        self.is_table_old = false;
        let mut damaged = std::mem::take(&mut self.damaged);
        for (name, stamp) in files.games {
            let row = rows.remove(&name);
            if let Some(problem) = damaged.remove(&name).filter(|(old, _)| *old == stamp) {
                self.damaged.insert(name, problem);
                continue;
            }
            let old = known.remove(name.as_str());
            let old = old.filter(|old| old.stamp == stamp && old.is_known);
            let is_newer = stamp.changed() > of_table;
            let game = if let Some(old) = old {
                self.is_table_old |= row.is_none_or(|row| row != old.row.table());
                old
            } else {
                let row = row.filter(|_| !is_newer);
                self.is_table_old |= row.is_none();
                Game {
                    is_known: row.is_some(),
                    row: row.map_or_else(|| Row::unknown(&name), |row| Row::of_table(&row)),
                    stamp,
                    line: None,
                }
            };
            self.games.push(game);
        }
        self.games.shrink_to_fit();
        self.is_table_old |= !rows.is_empty();
        self.take_archives(files.archives);
        self.folders = files.folders;
        self.sort();
        self.stamp = Some(stamp).filter(|stamp| !stamp.iter().flatten().any(|one| one.is_fresh()));
        Ok(true)
    }

    fn take_archives(&mut self, files: Vec<(String, EntryStamp)>) {
        let mut old = std::mem::take(&mut self.archives);
        for (name, stamp) in files {
            let at = old
                .iter()
                .position(|one| one.name == name && one.stamp == stamp);
            self.archives.push(match at {
                Some(at) => old.swap_remove(at),
                None => Archive {
                    name,
                    stamp,
                    games: None,
                },
            });
        }
    }

    /// Brings the games into the order of lists.
    pub(super) fn sort(&mut self) {
        self.games.sort_by(|a, b| a.row.order().cmp(&b.row.order()));
    }

    /// Takes the times of the folder as they are after a change that is known here.
    pub(super) fn is_as_now(&mut self, path: &Path) {
        self.stamp = Some(Self::stamp_of(path));
    }

    fn stamp_of(path: &Path) -> [Option<EntryStamp>; 2] {
        [path.to_owned(), path.join(TABLE)].map(|path| EntryStamp::of_path(&path))
    }

    /// The files that cannot be read, in the order of their names.
    pub(super) fn damage(&self) -> Vec<LibraryDamage> {
        let games = self
            .damaged
            .iter()
            .map(|(name, (_, reason))| LibraryDamage {
                name: format!("{name}{GAME}"),
                reason: reason.clone(),
            });
        let archives = self.archives.iter().flat_map(|archive| &archive.games);
        let archives = archives.flat_map(|games| games.damage.clone());
        let mut all: Vec<LibraryDamage> = games.chain(archives).collect();
        all.sort_by(|a, b| a.name.cmp(&b.name));
        all
    }
}

impl Files {
    fn of(path: &Path) -> Result<Self, PageFailure> {
        let failed = |error| PageFailure::of(&Error::io(path)(error));
        let mut files = Self::default();
        for entry in std::fs::read_dir(path).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            // Links are not followed: they may lead elsewhere, or round in circles.
            let kind = entry.file_type().map_err(failed)?;
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            if check_part(&name).is_err() {
                continue;
            }
            let data = || entry.metadata().ok().map(|data| EntryStamp::of(&data));
            if kind.is_dir() {
                files.folders.push(name);
            } else if !kind.is_file() || name.ends_with(TREE) {
            } else if let Some(stem) = name.strip_suffix(GAME) {
                let stem = stem.to_owned();
                files.games.extend(data().map(|stamp| (stem, stamp)));
            } else if is_archive(&name) {
                files.archives.extend(data().map(|stamp| (name, stamp)));
            }
        }
        files.folders.sort();
        files.archives.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(files)
    }
}

/// The rows of a table, by the names of their files. Lines that are no rows are left out, and so is the first of two rows of a file.
fn rows_of(text: &str) -> HashMap<String, EgaroucidRow> {
    let text = text.trim_start_matches('\u{feff}');
    let rows = text.lines().filter_map(EgaroucidRow::parse);
    rows.map(|row| (row.stem.clone(), row)).collect()
}

/// The text of a table that has the rows of `games`: those that stood there stay where they were, new ones are at the end. Rows of
/// other games are left out, unless they are `kept`.
pub(super) fn changed_table(
    old: &str,
    games: &HashMap<&str, EgaroucidRow>,
    kept: &dyn Fn(&str) -> bool,
) -> String {
    let mut left: HashMap<&str, &EgaroucidRow> =
        games.iter().map(|(name, row)| (*name, row)).collect();
    let mut text = String::with_capacity(old.len() + 100);
    let old = old.trim_start_matches('\u{feff}');
    for line in old.lines() {
        let Some(row) = EgaroucidRow::parse(line) else {
            continue;
        };
        match left.remove(row.stem.as_str()) {
            Some(new) if row != *new => text.push_str(&new.to_string()),
            None if !kept(&row.stem) => continue,
            _ => text.push_str(line),
        }
        text.push('\n');
    }
    let mut new: Vec<_> = left.into_values().collect();
    new.sort_by(|a, b| a.stem.cmp(&b.stem));
    for row in new {
        text.push_str(&row.to_string());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_keeps_its_lines() {
        let old = "a,\"B\",W,,1,2,2026\r\nb,x,y,z,,,\nnonsense\nc,x,y,z,,,\nd,,,,,,\n";
        let row = |line| EgaroucidRow::parse(line).unwrap();
        let games = HashMap::from([
            ("a", row("a,B,W,,1,2,2026")),
            ("c", row("c,x,y,z,3,4,2026")),
            ("e", row("e,n,m,,,,2026")),
        ]);
        let new = changed_table(old, &games, &|name| name == "d");
        let expected = "a,\"B\",W,,1,2,2026\nc,x,y,z,3,4,2026\nd,,,,,,\ne,n,m,,-1,-1,2026\n";
        assert_eq!(new, expected);
    }
}
