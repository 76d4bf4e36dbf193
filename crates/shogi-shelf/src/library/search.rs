//! Lists and searches: pages of games of a folder, or of it and all below.

use std::path::Path;

use page_messages::PageFailure;
use page_shelf::library::{
    FolderName, FoundGames, LibraryDamage, LibraryList, LibraryPlace, ListRequest,
};
use serde_json::Value;

use super::entry::{Entry, unread_message};
use super::folder::{File, Folder};
use super::query::{Query, SearchFields};
use super::reading::{Contents, read};
use super::store::{Look, State, Store};

impl Store {
    /// Answers `library.list`.
    pub(super) fn list(&self, request: &ListRequest<SearchFields>) -> Result<Value, PageFailure> {
        let name = FolderName::parse(&request.folder)?;
        let place = self.place(&name)?;
        let query = request.search.as_ref().map(Query::of).transpose()?;
        match &place {
            LibraryPlace::Folder(_) if query.is_some() => {
                self.walk(&name, Look::Quick)?;
            }
            LibraryPlace::Folder(path) => {
                self.look(&name, path, Look::Small)?;
            }
            LibraryPlace::Archive { folder, file, path } => {
                self.read_archive(folder, file, path)?;
            }
        }
        let mut found = FoundGames::of_page(request.page);
        let mut state = self.state();
        state.folders.values_mut().for_each(Folder::sort);
        state.find(&name, query.as_ref(), &mut found);
        let (folders, damaged) = state.around(&name);
        drop(state);
        let list = LibraryList {
            folder: name.as_str().to_owned(),
            folders,
            is_read_only: matches!(place, LibraryPlace::Archive { .. }),
            found,
            damaged,
        };
        Ok(list.message(&self.root))
    }

    /// Reads a file of several games that has not been read.
    fn read_archive(
        &self,
        folder: &FolderName,
        file: &str,
        path: &Path,
    ) -> Result<(), PageFailure> {
        self.look(folder, &folder.path(self.root.path()), Look::Small)?;
        let stamp = {
            let state = self.state();
            let known = state.folders.get(folder).and_then(|one| one.file(file));
            match known {
                Some(known) if matches!(known.contents, Contents::Unread) => known.stamp,
                _ => return Ok(()),
            }
        };
        let contents = read(path, file);
        if let Some(folder) = self.state().folders.get_mut(folder) {
            folder.set_contents(file, stamp, contents);
        }
        Ok(())
    }
}

impl State {
    /// The games of a folder, or, by a search, of it and all below, that fit.
    fn find(&self, name: &FolderName, query: Option<&Query>, found: &mut FoundGames) {
        if let Some(file) = self.archive(name) {
            add_games(file, name, query, found);
            return;
        }
        let is_wanted = |folder: &FolderName| match query {
            Some(_) => folder.is_within(name),
            None => folder == name,
        };
        for (within, folder) in self.folders.iter().filter(|(folder, _)| is_wanted(folder)) {
            for file in folder.sorted() {
                match &file.contents {
                    Contents::Game(game) => add(game, within, &file.name, query, found),
                    Contents::Unread if query.is_none() => {
                        found.add(|| unread_message(within, &file.name));
                    }
                    Contents::Archive(_) if query.is_some() => {
                        add_games(file, &within.join(&file.name), query, found);
                    }
                    _ => {}
                }
            }
        }
    }

    /// The file that a name of a folder names, if it does.
    fn archive(&self, name: &FolderName) -> Option<&File> {
        if self.folders.contains_key(name) {
            return None;
        }
        let (folder, file) = name.split()?;
        self.folders.get(&folder)?.file(file)
    }

    /// The folders and files of several games in a folder, and the files that cannot be read.
    fn around(&self, name: &FolderName) -> (Vec<String>, Vec<LibraryDamage>) {
        if let Some(folder) = self.folders.get(name) {
            return (folder.folders_and_archives(), folder.damage());
        }
        let damage = match self.archive(name).map(|file| &file.contents) {
            Some(Contents::Archive(games)) => games.damage.clone(),
            Some(Contents::Damaged(reason)) => vec![LibraryDamage {
                name: name.split().map_or("", |(_, file)| file).to_owned(),
                reason: reason.to_string(),
            }],
            _ => Vec::new(),
        };
        (Vec::new(), damage)
    }
}

/// Adds the games of a file, as those of a folder, that fit.
fn add_games(file: &File, place: &FolderName, query: Option<&Query>, found: &mut FoundGames) {
    match &file.contents {
        Contents::Game(game) => add(game, place, "1", query, found),
        Contents::Archive(games) => {
            for (number, game) in &games.games {
                add(game, place, &number.to_string(), query, found);
            }
        }
        _ => {}
    }
}

fn add(
    game: &Entry,
    folder: &FolderName,
    name: &str,
    query: Option<&Query>,
    found: &mut FoundGames,
) {
    if query.is_none_or(|query| query.accepts(game)) {
        found.add(|| game.message(folder, name));
    }
}
