//! The files of names that belong to files of WTHOR games.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use yane_io::{Error, Map};

use crate::wthor::{WthorFile, WthorKind, WthorNames};

/// The names of the players and tournaments of several files of WTHOR games.
///
/// `X.wtb` has the names of `X.jou` and `X.trn` beside it, else those of `WTHOR.JOU` and `WTHOR.TRN` of its folder; capitals do not count.
/// Names are never taken from another folder, unless files of names are given: one that is given alone of its kind holds for all
/// games, several hold each for the games of its folder by the same rule.
#[derive(Clone, Debug, Default)]
pub struct WthorNameFiles {
    by_games: HashMap<PathBuf, Arc<WthorNames>>,
    /// For games that are in no file.
    given: Arc<WthorNames>,
    ignored: Vec<PathBuf>,
}

/// A file of names.
#[derive(Clone, Debug)]
struct NameFile {
    path: PathBuf,
    kind: WthorKind,
    names: Arc<WthorNames>,
}

impl WthorNameFiles {
    /// Finds the names for the files of WTHOR among `games`; `given` are files of names that are used before those beside the games.
    ///
    /// # Errors
    ///
    /// A given file that cannot be read, or that has no names; a folder that cannot be read.
    pub fn find(games: &[PathBuf], given: &[PathBuf]) -> yane_io::Result<Self> {
        let given = given
            .iter()
            .map(|path| {
                let wrong = |len| {
                    Error::file(path, format!("names of WTHOR were expected (.jou or .trn), but the header does not fit the length of {len} bytes"))
                };
                read(path)?.map_err(wrong)
            })
            .collect::<yane_io::Result<Vec<_>>>()?;
        let mut all = Self {
            given: Arc::new(merged(&alone(&given))),
            ..Self::default()
        };
        let mut folders: HashMap<PathBuf, Vec<NameFile>> = HashMap::new();
        let of_wthor = games.iter().filter(|path| has_extension(path, &["wtb"]));
        for path in of_wthor {
            let folder = yane_io::folder_of(path);
            if !folders.contains_key(&folder) {
                let (found, ignored) = beside(&folder)?;
                all.ignored.extend(ignored);
                folders.insert(folder.clone(), found);
            }
            let found = folders.get(&folder).map_or(&[][..], |found| found);
            let kinds = [WthorKind::Players, WthorKind::Tournaments];
            let chosen: Vec<_> = kinds
                .into_iter()
                .filter_map(|kind| {
                    let of_given = || alone(&given).into_iter().find(|file| file.kind == kind);
                    let own = choose(&given, path, kind);
                    own.or_else(of_given).or_else(|| choose(found, path, kind))
                })
                .collect();
            all.by_games.insert(path.clone(), Arc::new(merged(&chosen)));
        }
        Ok(all)
    }

    /// The names for a file of games, or for games of no file.
    pub fn of(&self, games: Option<&Path>) -> Arc<WthorNames> {
        let found = games.and_then(|path| self.by_games.get(path));
        Arc::clone(found.unwrap_or(&self.given))
    }

    /// Files beside the games that are called `.jou` or `.trn` and are none of WTHOR.
    pub fn ignored(&self) -> &[PathBuf] {
        &self.ignored
    }
}

/// The file of a kind that belongs to a file of games: that of its own name, else the folder's.
fn choose<'a>(files: &'a [NameFile], games: &Path, kind: WthorKind) -> Option<&'a NameFile> {
    let stem = |path: &Path| {
        path.file_stem()
            .map(|stem| stem.to_string_lossy().to_lowercase())
    };
    let folder = yane_io::folder_of(games);
    let called = |wanted: Option<String>| {
        let mut fits = files.iter().filter(|file| {
            file.kind == kind
                && stem(&file.path) == wanted
                && yane_io::folder_of(&file.path) == folder
        });
        fits.next()
    };
    called(stem(games)).or_else(|| called(Some("wthor".to_owned())))
}

/// The files that are the only ones of their kind.
fn alone(files: &[NameFile]) -> Vec<&NameFile> {
    let is_alone = |kind| files.iter().filter(|file| file.kind == kind).count() == 1;
    files.iter().filter(|file| is_alone(file.kind)).collect()
}

/// The names of several files.
fn merged(files: &[&NameFile]) -> WthorNames {
    let mut names = WthorNames::default();
    for file in files {
        match file.kind {
            WthorKind::Players => names.players.clone_from(&file.names.players),
            WthorKind::Tournaments => names.tournaments.clone_from(&file.names.tournaments),
            WthorKind::Games => {}
        }
    }
    names
}

/// Reads a file of names; the length of a file that has none.
fn read(path: &Path) -> yane_io::Result<Result<NameFile, usize>> {
    let map = Map::open(path)?;
    let file = WthorFile::new(&map).filter(|file| file.kind() != WthorKind::Games);
    Ok(file.map_or(Err(map.len()), |file| {
        let mut names = WthorNames::default();
        file.add_names(&mut names);
        Ok(NameFile {
            path: path.to_owned(),
            kind: file.kind(),
            names: Arc::new(names),
        })
    }))
}

/// The files of names in a folder, in the order of their names, and those that are only called so.
fn beside(folder: &Path) -> yane_io::Result<(Vec<NameFile>, Vec<PathBuf>)> {
    let entries = std::fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let mut paths: Vec<_> = entries
        .map_err(Error::io(folder))?
        .iter()
        // As paths of this folder are written by who named it.
        .map(|entry| folder.join(entry.file_name()))
        .filter(|path| has_extension(path, &["jou", "trn"]) && path.is_file())
        .collect();
    paths.sort();
    let (mut found, mut ignored) = (Vec::new(), Vec::new());
    for path in paths {
        match read(&path) {
            Ok(Ok(file)) => found.push(file),
            // Of another program, or not to be read: the games are there without names.
            Ok(Err(_)) | Err(_) => ignored.push(path),
        }
    }
    Ok((found, ignored))
}

fn has_extension(path: &Path, wanted: &[&str]) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| wanted.contains(&&extension.to_ascii_lowercase()[..]))
}

#[cfg(test)]
mod tests {
    use othello_core::Game;
    use test_support::TestFolder;

    use super::*;
    use crate::{OthelloRecord, RecordLosses, WthorWriter};

    /// Writes the three files of one game.
    fn write(folder: &TestFolder, stem: &str, names: &str, player: &str) -> PathBuf {
        let mut record = OthelloRecord::from(&"e6f4e3f6g5d6e7f5c5".parse::<Game>().unwrap());
        record.info.black.name = player.to_owned();
        record.info.event = format!("cup of {player}");
        let mut writer = WthorWriter::default();
        writer.add(&record, &mut RecordLosses::default()).unwrap();
        let files = writer.finish([2026, 1, 1]);
        for (name, bytes) in [
            (format!("{stem}.wtb"), files.games),
            (format!("{names}.jou"), files.players),
            (format!("{names}.TRN"), files.tournaments),
        ] {
            let path = folder.path(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
        folder.path(format!("{stem}.wtb"))
    }

    fn player(names: &WthorNameFiles, games: &Path) -> String {
        let names = names.of(Some(games));
        names.players.get(1).cloned().unwrap_or_default()
    }

    #[test]
    fn names_belong_to_the_games_of_their_name_then_to_their_folder() {
        let folder = TestFolder::new();
        let a = write(&folder, "one/A", "one/a", "Ada");
        let b = write(&folder, "one/B", "one/B", "Bob");
        let year = write(&folder, "one/WTH_2001", "one/Wthor", "Cleo");
        let bare = write(&folder, "two/A", "two/other", "Dan");
        folder.write("one/B2.jou", "a file of another program");
        let games = [a.clone(), b.clone(), year.clone(), bare.clone()];
        let names = WthorNameFiles::find(&games, &[]).unwrap();
        let found: Vec<_> = games.iter().map(|path| player(&names, path)).collect();
        assert_eq!(found, ["Ada", "Bob", "Cleo", ""]);
        assert_eq!(names.of(Some(&b)).tournaments[1], "cup of Bob");
        assert_eq!(names.ignored(), [folder.path("one/B2.jou")]);
        // A file that is no list of names does not hide the folder's.
        folder.write("one/A.jou", "not of WTHOR");
        std::fs::remove_file(folder.path("one/a.jou")).ok();
        let names = WthorNameFiles::find(&games, &[]).unwrap();
        assert_eq!(player(&names, &a), "Cleo");
    }

    #[test]
    fn names_that_are_given_come_first() {
        let folder = TestFolder::new();
        let a = write(&folder, "one/A", "one/A", "Ada");
        let b = write(&folder, "one/B", "one/B", "Bob");
        write(&folder, "three/X", "three/X", "Eve");
        let games = [a.clone(), b.clone()];
        let given = [folder.path("three/X.jou")];
        let names = WthorNameFiles::find(&games, &given).unwrap();
        assert_eq!(
            (player(&names, &a), player(&names, &b)),
            ("Eve".into(), "Eve".into())
        );
        assert_eq!(names.of(Some(&a)).tournaments[1], "cup of Ada");
        assert_eq!(names.of(None).players[1], "Eve");
        // Both, as a pattern of a shell names them.
        let given = [folder.path("one/A.jou"), folder.path("one/B.jou")];
        let names = WthorNameFiles::find(&games, &given).unwrap();
        assert_eq!(
            (player(&names, &a), player(&names, &b)),
            ("Ada".into(), "Bob".into())
        );
        assert!(WthorNameFiles::find(&games, &games).is_err());
    }
}
