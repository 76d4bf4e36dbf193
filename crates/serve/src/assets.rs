//! The files of the pages: in the program, or in a folder while they are being written.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

/// A table of files below `ui`, each by its name.
macro_rules! assets {
    ($($name:literal)*) => {
        &[$(($name, include_bytes!(concat!("../ui/", $name)).as_slice())),*]
    };
}

/// The files of the pages, sorted by name.
pub static ASSETS: &[(&str, &[u8])] = assets! {
    "common/back-end.js"
    "common/chart-scale.js"
    "common/charts.js"
    "common/clipboard.js"
    "common/dialog-import.js"
    "common/dialog-shared.js"
    "common/dialog-tab-files.js"
    "common/dialogs.js"
    "common/engine-files.js"
    "common/engine-turns.js"
    "common/file-browser.js"
    "common/function-table.js"
    "common/i18n.js"
    "common/icons.js"
    "common/job-form.js"
    "common/job-kinds.js"
    "common/job-row.js"
    "common/jobs.js"
    "common/keyboard.js"
    "common/layout.css"
    "common/library-panel.js"
    "common/library.js"
    "common/link.js"
    "common/menus.js"
    "common/move-tree.js"
    "common/open-books.js"
    "common/page-actions.js"
    "common/page-app.js"
    "common/page-frame.js"
    "common/picture.js"
    "common/runs-panel.js"
    "common/runs.js"
    "common/settings-keys.js"
    "common/settings-language.js"
    "common/settings-profiles.js"
    "common/settings-sections.js"
    "common/settings.js"
    "common/shortcuts.js"
    "common/socket.js"
    "common/tab-files.js"
    "common/tabs.js"
    "common/theme.css"
    "common/themes.js"
    "common/widgets.js"
    "lang/en.json"
    "lang/ja.json"
    "lang/shogi/en.json"
    "lang/shogi/ja.json"
    "lang/shogi/zh-cn.json"
    "lang/shogi/zh-tw.json"
    "lang/zh-cn.json"
    "lang/zh-tw.json"
    "othello/actions.js"
    "othello/analysis.js"
    "othello/app.js"
    "othello/board-view.js"
    "othello/board.css"
    "othello/board.js"
    "othello/books.js"
    "othello/cell.js"
    "othello/clocks.js"
    "othello/defaults.js"
    "othello/dialog-editor.js"
    "othello/dialog-image.js"
    "othello/dialog-openings.js"
    "othello/dialog-table.js"
    "othello/dialogs-book.js"
    "othello/dialogs-games.js"
    "othello/dialogs-help.js"
    "othello/forced.js"
    "othello/functions.js"
    "othello/game-json.js"
    "othello/graph-geometry.js"
    "othello/graph.js"
    "othello/hints.js"
    "othello/index.html"
    "othello/levels.js"
    "othello/main.js"
    "othello/notation.js"
    "othello/panel-book.js"
    "othello/panel-games.js"
    "othello/panel-graph.js"
    "othello/panel-info.js"
    "othello/panel-jobs.js"
    "othello/panel-moves.js"
    "othello/panel-settings.js"
    "othello/players.js"
    "othello/practice.js"
    "othello/rules.js"
    "othello/tab-table.js"
    "othello/themes.js"
    "othello/transforms.js"
    "othello/tree-file.js"
    "othello/tree.js"
    "shogi/actions.js"
    "shogi/analysis.js"
    "shogi/app.js"
    "shogi/board-choice.js"
    "shogi/board-geometry.js"
    "shogi/board-keys.js"
    "shogi/board-pointer.js"
    "shogi/board-shapes.js"
    "shogi/board-view.js"
    "shogi/board.css"
    "shogi/board.js"
    "shogi/book-lists.js"
    "shogi/book-parts.js"
    "shogi/book-rows.js"
    "shogi/book-table.js"
    "shogi/books.js"
    "shogi/clocks.js"
    "shogi/defaults.js"
    "shogi/dialog-editor-parts.js"
    "shogi/dialog-editor.js"
    "shogi/dialog-table.js"
    "shogi/dialogs-book.js"
    "shogi/dialogs-engine.js"
    "shogi/dialogs-game.js"
    "shogi/dialogs-text.js"
    "shogi/editing.js"
    "shogi/endings.js"
    "shogi/engines.js"
    "shogi/functions.js"
    "shogi/game-json.js"
    "shogi/glyphs/LICENSE-OFL"
    "shogi/glyphs/kanji.js"
    "shogi/graph-geometry.js"
    "shogi/graph.js"
    "shogi/index.html"
    "shogi/main.js"
    "shogi/notation.js"
    "shogi/page.css"
    "shogi/panel-book.js"
    "shogi/panel-engine.js"
    "shogi/panel-games.js"
    "shogi/panel-graph.js"
    "shogi/panel-info.js"
    "shogi/panel-jobs.js"
    "shogi/panel-moves.js"
    "shogi/panel-settings.js"
    "shogi/pieces.js"
    "shogi/players.js"
    "shogi/position.js"
    "shogi/records.js"
    "shogi/research.js"
    "shogi/rules.js"
    "shogi/score-text.js"
    "shogi/tab-table.js"
    "shogi/themes.js"
    "shogi/thought-table.js"
    "shogi/tree.js"
    "vendor/LICENSE-lit"
    "vendor/lit-html-3.3.3.js"
};

/// Where the files of the pages come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Assets {
    /// The program.
    #[default]
    BuiltIn,
    /// A folder, read again for each request.
    Folder(PathBuf),
}

impl Assets {
    /// A number that changes with the files in the program.
    pub fn checksum(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        ASSETS.hash(&mut hasher);
        hasher.finish()
    }

    /// The bytes of a file by the path of its address, which begins with `/`; `None` if there is no such file.
    pub(crate) fn get(&self, path: &str) -> Option<Cow<'static, [u8]>> {
        let name = path.strip_prefix('/')?;
        match self {
            Self::BuiltIn => {
                let found = ASSETS.iter().find(|(asset, _)| *asset == name)?;
                Some(Cow::Borrowed(found.1))
            }
            Self::Folder(folder) => from_folder(folder, name).map(Cow::Owned),
        }
    }
}

/// A file of a folder by a name of plain parts: nothing hidden, nothing outside, no link that leads out.
fn from_folder(folder: &Path, name: &str) -> Option<Vec<u8>> {
    let is_plain = |part: &str| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        !part.is_empty() && !part.starts_with('.') && part.chars().all(plain)
    };
    if !name.split('/').all(is_plain) || content_type(name).is_none() {
        return None;
    }
    let folder = folder.canonicalize().ok()?;
    let path = folder.join(name).canonicalize().ok()?;
    let is_inside = path.starts_with(&folder) && path.is_file();
    is_inside.then(|| std::fs::read(path).ok()).flatten()
}

/// The media type of a file by its name; `None` for files that no page is made of.
pub(crate) fn content_type(name: &str) -> Option<&'static str> {
    let file = name.rsplit('/').next()?;
    if file.starts_with("LICENSE") {
        return Some("text/plain; charset=utf-8");
    }
    let (_, extension) = file.rsplit_once('.')?;
    match extension {
        "html" => Some("text/html; charset=utf-8"),
        "js" => Some("text/javascript; charset=utf-8"),
        "css" => Some("text/css; charset=utf-8"),
        "json" => Some("application/json"),
        "svg" => Some("image/svg+xml"),
        "png" => Some("image/png"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files of settings and data that no page loads.
    const FOR_DEVELOPERS: [&str; 6] = [
        "samples.json",
        "samples-runs.json",
        "shogi-book-samples.json",
        "shogi-library-samples.json",
        "shogi-samples.json",
        "tsconfig.json",
    ];

    /// The folder of what only pages without a server load.
    const IN_TABS: &str = "engine/";

    /// The files of `ui` that pages of a server load: not tests, not what only developers read.
    fn files(folder: &Path, below: &str, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{below}{}", entry.file_name().to_str().unwrap());
            if entry.path().is_dir() {
                files(&entry.path(), &format!("{name}/"), found);
            } else if content_type(&name).is_some()
                && !name.ends_with(".test.js")
                && !name.starts_with(IN_TABS)
                && !FOR_DEVELOPERS.contains(&name.as_str())
            {
                found.push(name);
            }
        }
    }

    #[test]
    fn every_file_of_the_pages_is_in_the_program() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("ui");
        let mut found = Vec::new();
        files(&folder, "", &mut found);
        found.sort();
        let table: Vec<&str> = ASSETS.iter().map(|(name, _)| *name).collect();
        let lines: Vec<_> = found.iter().map(|name| format!("    {name:?}")).collect();
        assert_eq!(table, found, "the table is:\n{}", lines.join("\n"));
    }

    #[test]
    fn a_folder_gives_nothing_from_outside() {
        let outside = tempfile::tempdir().unwrap();
        let folder = outside.path().join("ui");
        std::fs::create_dir_all(folder.join("common")).unwrap();
        std::fs::write(folder.join("common/a.js"), "a").unwrap();
        std::fs::write(folder.join(".hidden.js"), "h").unwrap();
        std::fs::write(folder.join("key.pem"), "k").unwrap();
        std::fs::write(outside.path().join("secret.js"), "s").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(outside.path().join("secret.js"), folder.join("link.js"))
            .unwrap();
        let assets = Assets::Folder(folder);
        assert_eq!(assets.get("/common/a.js").as_deref(), Some(&b"a"[..]));
        for path in [
            "/../secret.js",
            "/common/../../secret.js",
            "/%2e%2e/secret.js",
            "/link.js",
            "/.hidden.js",
            "/key.pem",
            "/common",
            "//common/a.js",
            "common/a.js",
            "/common\\a.js",
            "/absent.js",
        ] {
            assert_eq!(assets.get(path), None, "{path}");
        }
    }
}
