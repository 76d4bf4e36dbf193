//! Lists and searches: pages of games of a folder, or of it and all below.

use othello_core::Position;
use othello_record::{OpeningLanguage, OpeningNames};
use page_messages::PageFailure;
use page_shelf::library::{
    FolderName, FoundGames, LibraryDamage, LibraryList, LibraryPlace, ListRequest, TextQuery,
    TextSearch,
};
use serde::Deserialize;
use serde_json::Value;

use super::archive;
use super::line::{Line, PositionKey};
use super::row::{Row, folded};
use super::store::{State, Store};

/// What is searched for: games that fit everything that is given.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct SearchFields {
    #[serde(flatten)]
    texts: TextSearch,
    opening: Option<String>,
    board: Option<String>,
}

/// What is searched for, prepared.
struct Query {
    texts: TextQuery,
    /// One of these positions, where an opening is asked for.
    openings: Option<Vec<PositionKey>>,
    board: Option<PositionKey>,
}

impl Query {
    fn of(fields: &SearchFields, names: &OpeningNames) -> Result<Self, PageFailure> {
        let board: Option<Position> = match &fields.board {
            Some(board) => Some(
                board
                    .parse()
                    .map_err(|error| PageFailure::new(format!("board: {error}")))?,
            ),
            None => None,
        };
        let opening = folded(fields.opening.as_deref().unwrap_or_default().trim());
        Ok(Self {
            texts: TextQuery::new(&fields.texts, folded),
            openings: (!opening.is_empty()).then(|| openings(names, &opening)),
            board: board.map(PositionKey::of),
        })
    }

    /// Returns whether a game fits. One that has not been read passes no position yet.
    fn accepts(&self, row: &Row, line: Option<&Line>) -> bool {
        let passes = |key: &PositionKey| line.is_some_and(|line| line.passes(*key));
        self.board.as_ref().is_none_or(passes)
            && self
                .openings
                .as_ref()
                .is_none_or(|keys| keys.iter().any(passes))
            && self.texts.accepts(&row.texts)
    }
}

/// The positions of the openings whose name, in either language, has a text in small letters.
fn openings(names: &OpeningNames, text: &str) -> Vec<PositionKey> {
    let languages = [OpeningLanguage::English, OpeningLanguage::Japanese];
    let is_wanted = |opening: &&othello_record::NamedOpening| {
        let mut names = languages.iter().filter_map(|&one| opening.name(one));
        names.any(|name| name.to_lowercase().contains(text))
    };
    let wanted = names.openings().iter().filter(is_wanted);
    wanted
        .map(|opening| PositionKey::of(opening.game.position()))
        .collect()
}

impl Store {
    /// Answers `library.list`.
    pub(super) fn list(&self, request: &ListRequest<SearchFields>) -> Result<Value, PageFailure> {
        let name = FolderName::parse(&request.folder)?;
        let place = self.place(&name)?;
        let search = request.search.as_ref();
        let query = search.map(|search| Query::of(search, &self.openings));
        let query = query.transpose()?;
        let mut found = FoundGames::of_page(request.page);
        let is_read_only = matches!(place, LibraryPlace::Archive { .. });
        match place {
            LibraryPlace::Folder(path) => {
                if query.is_some() {
                    self.walk(&name)?;
                } else {
                    let mut state = self.state();
                    state
                        .folders
                        .entry(name.clone())
                        .or_default()
                        .refresh(&path)?;
                }
            }
            LibraryPlace::Archive { folder, file, path } => {
                self.read_archive(&folder, &file, &path)?;
            }
        }
        let state = self.state();
        match &query {
            Some(query) => state.search(&name, query, &mut found),
            None => state.all(&name, &mut found),
        }
        let (folders, damaged) = state.around(&name);
        drop(state);
        let list = LibraryList {
            folder: name.as_str().to_owned(),
            folders,
            is_read_only,
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
        path: &std::path::Path,
    ) -> Result<(), PageFailure> {
        let is_read = |state: &State| {
            let folder = state.folders.get(folder);
            let mut archives = folder.into_iter().flat_map(|folder| &folder.archives);
            archives.any(|archive| archive.name == file && archive.games.is_some())
        };
        let folder_path = folder.path(self.root.path());
        let mut state = self.state();
        let known = state.folders.entry(folder.clone()).or_default();
        known.refresh(&folder_path)?;
        if is_read(&state) {
            return Ok(());
        }
        drop(state);
        let games = archive::read(path, file);
        let mut state = self.state();
        let known = state.folders.entry(folder.clone()).or_default();
        if let Some(archive) = known.archives.iter_mut().find(|one| one.name == file) {
            archive.games = Some(games);
        }
        Ok(())
    }

    /// Returns whether games were seen that have not been read.
    pub(super) fn has_unread(&self) -> bool {
        let state = self.state();
        state.folders.values().any(|folder| {
            folder.games.iter().any(|game| game.line.is_none())
                || folder.archives.iter().any(|one| one.games.is_none())
                || folder.is_table_old
        })
    }
}

impl State {
    /// The games of a folder or of a file of several.
    fn all(&self, name: &FolderName, found: &mut FoundGames) {
        if let Some(folder) = self.folders.get(name) {
            for game in &folder.games {
                found.add(|| game.row.message(name));
            }
        } else if let Some(games) = self.archive(name) {
            for game in &games.games {
                found.add(|| game.row.message(name));
            }
        }
    }

    /// The games of a folder and all below that fit.
    fn search(&self, name: &FolderName, query: &Query, found: &mut FoundGames) {
        let folders = self.folders.iter();
        for (within, folder) in folders.filter(|(folder, _)| folder.is_within(name)) {
            for game in &folder.games {
                if query.accepts(&game.row, game.line.as_ref()) {
                    found.add(|| game.row.message(within));
                }
            }
            for archive in &folder.archives {
                let place = within.join(&archive.name);
                self.search_archive(&place, query, found);
            }
        }
        self.search_archive(name, query, found);
    }

    fn search_archive(&self, name: &FolderName, query: &Query, found: &mut FoundGames) {
        for game in self.archive(name).map_or(&[][..], |games| &games.games) {
            if query.accepts(&game.row, Some(&game.line)) {
                found.add(|| game.row.message(name));
            }
        }
    }

    /// The games of a file of several, if they were read.
    fn archive(&self, name: &FolderName) -> Option<&archive::ArchiveGames> {
        let (folder, file) = name.split()?;
        let archives = &self.folders.get(&folder)?.archives;
        let archive = archives.iter().find(|archive| archive.name == file)?;
        archive.games.as_ref()
    }

    /// The folders and files of several games in a folder, and the files that cannot be read.
    fn around(&self, name: &FolderName) -> (Vec<String>, Vec<LibraryDamage>) {
        if let Some(folder) = self.folders.get(name) {
            let archives = folder.archives.iter().map(|archive| &archive.name);
            let all = folder.folders.iter().chain(archives);
            return (all.cloned().collect(), folder.damage());
        }
        let damage = self.archive(name).map(|games| games.damage.clone());
        (Vec::new(), damage.unwrap_or_default())
    }
}
