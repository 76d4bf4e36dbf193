//! Lists and searches: pages of games of a folder, or of it and all below.

use memchr::memmem::Finder;
use othello_core::Position;
use othello_record::{OpeningLanguage, OpeningNames};
use page_messages::PageFailure;
use serde::Deserialize;
use serde_json::{Value, json};

use super::archive::{self, Damage};
use super::index::progress_message;
use super::line::{Line, PositionKey};
use super::names::{FolderName, TRASH};
use super::row::Row;
use super::store::{Place, State, Store};

/// Games of a page.
const PAGE: usize = 100;

/// Damaged files that are told at most.
const MOST_DAMAGED: usize = 20;

/// The fields of `library.list`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ListRequest {
    folder: String,
    page: usize,
    search: Option<SearchFields>,
}

/// What is searched for: games that fit everything that is given.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct SearchFields {
    text: Option<String>,
    player: Option<String>,
    years: Option<[u16; 2]>,
    opening: Option<String>,
    board: Option<String>,
}

/// What is searched for, prepared.
struct Query {
    text: Option<Finder<'static>>,
    player: Option<Finder<'static>>,
    years: Option<[u16; 2]>,
    /// One of these positions, where an opening is asked for.
    openings: Option<Vec<PositionKey>>,
    board: Option<PositionKey>,
}

impl Query {
    fn of(fields: &SearchFields, names: &OpeningNames) -> Result<Self, PageFailure> {
        let folded = |text: &Option<String>| {
            let text = text.as_deref().unwrap_or_default();
            text.trim().to_lowercase()
        };
        let board: Option<Position> = match &fields.board {
            Some(board) => Some(
                board
                    .parse()
                    .map_err(|error| PageFailure::new(format!("board: {error}")))?,
            ),
            None => None,
        };
        let opening = folded(&fields.opening);
        Ok(Self {
            text: finder(&folded(&fields.text)),
            player: finder(&folded(&fields.player)),
            years: fields.years,
            openings: (!opening.is_empty()).then(|| openings(names, &opening)),
            board: board.map(PositionKey::of),
        })
    }

    /// Returns whether a game fits. One that has not been read passes no position yet.
    fn accepts(&self, row: &Row, line: Option<&Line>) -> bool {
        let is_in_years =
            |[from, to]: [u16; 2]| row.year().is_some_and(|year| (from..=to).contains(&year));
        let passes = |key: &PositionKey| line.is_some_and(|line| line.passes(*key));
        self.years.is_none_or(is_in_years)
            && self.board.as_ref().is_none_or(passes)
            && self
                .openings
                .as_ref()
                .is_none_or(|keys| keys.iter().any(passes))
            && self.player.as_ref().is_none_or(|text| row.has_player(text))
            && self.text.as_ref().is_none_or(|text| row.has_text(text))
    }
}

/// The search for a text; `None` for an empty one.
fn finder(text: &str) -> Option<Finder<'static>> {
    (!text.is_empty()).then(|| Finder::new(text).into_owned())
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

/// A page of games, and how many there are.
#[derive(Default)]
struct Found {
    page: usize,
    games: Vec<Value>,
    total: usize,
}

impl Found {
    fn add(&mut self, row: &Row, folder: &FolderName) {
        if self.total / PAGE == self.page {
            self.games.push(row.message(folder));
        }
        self.total += 1;
    }
}

impl Store {
    /// Answers `library.list`.
    pub(super) fn list(&self, request: &ListRequest) -> Result<Value, PageFailure> {
        let name = FolderName::parse(&request.folder)?;
        let place = self.place(&name)?;
        let search = request.search.as_ref();
        let query = search.map(|search| Query::of(search, &self.openings));
        let query = query.transpose()?;
        let mut found = Found {
            page: request.page,
            ..Found::default()
        };
        let is_read_only = matches!(place, Place::Archive { .. });
        match place {
            Place::Folder(path) => {
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
            Place::Archive { folder, file, path } => self.read_archive(&folder, &file, &path)?,
        }
        let state = self.state();
        match &query {
            Some(query) => state.search(&name, query, &mut found),
            None => state.all(&name, &mut found),
        }
        let (folders, damaged) = state.around(&name);
        let shown: Vec<_> = { damaged.iter().take(MOST_DAMAGED) }
            .map(|damage| json!({ "name": damage.name, "error": damage.reason }))
            .collect();
        Ok(json!({
            "folder": name.as_str(),
            "folders": folders,
            "read_only": is_read_only,
            "games": found.games,
            "page": request.page,
            "pages": found.total.div_ceil(PAGE).max(1),
            "total": found.total,
            "damaged": shown,
            "damaged_total": damaged.len(),
            "trash": self.root.join(TRASH).is_dir(),
            "indexing": state.progress.map(|progress| progress_message(Some(progress))),
        }))
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
        let folder_path = folder.path(&self.root);
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
    fn all(&self, name: &FolderName, found: &mut Found) {
        if let Some(folder) = self.folders.get(name) {
            for game in &folder.games {
                found.add(&game.row, name);
            }
        } else if let Some(games) = self.archive(name) {
            for game in &games.games {
                found.add(&game.row, name);
            }
        }
    }

    /// The games of a folder and all below that fit.
    fn search(&self, name: &FolderName, query: &Query, found: &mut Found) {
        let folders = self.folders.iter();
        for (within, folder) in folders.filter(|(folder, _)| folder.is_within(name)) {
            for game in &folder.games {
                if query.accepts(&game.row, game.line.as_ref()) {
                    found.add(&game.row, within);
                }
            }
            for archive in &folder.archives {
                let place = within.join(&archive.name);
                self.search_archive(&place, query, found);
            }
        }
        self.search_archive(name, query, found);
    }

    fn search_archive(&self, name: &FolderName, query: &Query, found: &mut Found) {
        for game in self.archive(name).map_or(&[][..], |games| &games.games) {
            if query.accepts(&game.row, Some(&game.line)) {
                found.add(&game.row, name);
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
    fn around(&self, name: &FolderName) -> (Vec<String>, Vec<Damage>) {
        if let Some(folder) = self.folders.get(name) {
            let archives = folder.archives.iter().map(|archive| &archive.name);
            let all = folder.folders.iter().chain(archives);
            return (all.cloned().collect(), folder.damage());
        }
        let damage = self.archive(name).map(|games| games.damage.clone());
        (Vec::new(), damage.unwrap_or_default())
    }
}
