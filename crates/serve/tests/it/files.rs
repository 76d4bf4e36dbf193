//! Files by the names that pages know: nothing outside of the roots can be named, seen or written.

use std::cell::RefCell;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use page_messages::{
    EventSink, PageFailure, PageFile, PageFiles as _, PageRequest, PageService as _, StopFlag,
};
use serde_json::{Value, json};
use serve::{FileKinds, FileRoots, FilesPage, ServeError};
use tempfile::TempDir;

#[derive(Default)]
struct Heard(RefCell<Vec<Value>>);

impl EventSink for Heard {
    fn event(&self, name: &str, mut fields: Value) {
        fields["ev"] = json!(name);
        self.0.borrow_mut().push(fields);
    }

    fn state(&self, name: &str, _: u64, fields: Value) {
        self.event(name, fields);
    }

    fn broadcast(&self, name: &str, fields: Value) {
        self.event(name, fields);
    }
}

/// `inside/` is the root; `outside/secret.dat` must never be seen.
fn tree() -> (TempDir, FileRoots) {
    let folder = tempfile::tempdir().unwrap();
    let at = |path: &str| folder.path().join(path);
    for path in ["inside/sub/deep", "outside"] {
        fs::create_dir_all(at(path)).unwrap();
    }
    for path in [
        "inside/book.EGBK3",
        "inside/sub/a.dat",
        "inside/game.json",
        "inside/.hidden",
        "inside/readme",
        "outside/secret.dat",
    ] {
        fs::write(at(path), path).unwrap();
    }
    let mut roots = FileRoots::default();
    roots.add(&at("inside")).unwrap();
    (folder, roots)
}

fn file(path: &str) -> PageFile {
    PageFile {
        root: "inside".to_owned(),
        path: path.to_owned(),
    }
}

fn ask(roots: &FileRoots, op: &str, fields: Value) -> Result<Value, PageFailure> {
    let kinds = FileKinds::default()
        .with("book", &["egbk3", "dat"])
        .with("record", &["json"]);
    let page = FilesPage::new(Arc::new(roots.clone()), kinds);
    let heard = Heard::default();
    let request = PageRequest::new(1, op, fields);
    page.answer(&request, &heard, &StopFlag::default())?;
    Ok(heard.0.take().remove(0))
}

/// The names and kinds of a list.
fn list(roots: &FileRoots, path: &str) -> Vec<(String, String)> {
    let answer = ask(
        roots,
        "files.list",
        json!({ "root": "inside", "path": path }),
    )
    .unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let entries = answer["entries"].as_array().unwrap().iter();
    entries
        .map(|entry| (text(&entry["name"]), text(&entry["kind"])))
        .collect()
}

#[test]
fn folders_are_listed_with_the_kinds_of_files() {
    let (_folder, roots) = tree();
    let answer = ask(&roots, "files.roots", json!({})).unwrap();
    assert_eq!(
        answer["roots"],
        json!([{ "root": "inside", "name": "inside" }])
    );
    let expected = [
        ("sub", "folder"),
        ("book.EGBK3", "book"),
        ("game.json", "record"),
        ("readme", "other"),
    ];
    let expected = expected.map(|(name, kind)| (name.to_owned(), kind.to_owned()));
    assert_eq!(list(&roots, ""), expected);
    let fields = json!({ "root": "inside", "path": "sub" });
    let answer = ask(&roots, "files.list", fields).unwrap();
    assert_eq!(answer["more"], false);
    let entries = answer["entries"].as_array().unwrap();
    assert_eq!(entries.len(), 2);
    assert_eq!(entries[1]["size"], "16");
    assert!(entries[1]["modified"].as_u64().unwrap() > 1_600_000_000_000);
}

#[test]
fn long_folders_are_cut() {
    let (folder, roots) = tree();
    for n in 0..5_001 {
        fs::write(folder.path().join(format!("inside/sub/deep/{n}.dat")), "").unwrap();
    }
    let fields = json!({ "root": "inside", "path": "sub/deep" });
    let answer = ask(&roots, "files.list", fields).unwrap();
    assert_eq!(answer["entries"].as_array().unwrap().len(), 5_000);
    assert_eq!(answer["more"], true);
    assert!(answer.to_string().len() < 1 << 20);
}

#[test]
fn nothing_outside_can_be_named() {
    let (folder, roots) = tree();
    let secret = folder.path().join("outside/secret.dat");
    let absolute = secret.display().to_string();
    for path in [
        "../outside/secret.dat",
        "sub/../../outside/secret.dat",
        "..",
        "sub/..",
        "//etc/passwd",
        "/etc/passwd",
        &absolute,
        "sub//a.dat",
        "sub/a.dat/",
        "sub\\a.dat",
        "sub/a.dat\0",
        "NUL",
        "sub/com1.dat",
        "book.EGBK3:stream",
        "absent",
        "absent/a.dat",
        "book.EGBK3/a",
    ] {
        assert!(roots.existing(&file(path)).is_err(), "{path:?}");
        let fields = json!({ "root": "inside", "path": path });
        assert!(ask(&roots, "files.list", fields).is_err(), "{path:?}");
    }
    for path in ["", "../x", "sub/", "sub", "absent/x", "lpt1", "x.", "a:b"] {
        assert!(roots.writable(&file(path)).is_err(), "{path:?}");
    }
    let other = PageFile {
        root: "outside".to_owned(),
        path: "secret.dat".to_owned(),
    };
    assert!(roots.existing(&other).is_err());
    assert_eq!(roots.name_of(&secret), None);
}

#[test]
fn names_and_paths_go_both_ways() {
    let (folder, roots) = tree();
    let path = roots.existing(&file("sub/a.dat")).unwrap();
    assert_eq!(
        path,
        fs::canonicalize(folder.path().join("inside/sub/a.dat")).unwrap()
    );
    assert_eq!(roots.name_of(&path), Some(file("sub/a.dat")));
    assert_eq!(roots.writable(&file("sub/a.dat")).unwrap(), path);
    let new = roots.writable(&file("sub/new.dat")).unwrap();
    assert_eq!(new, path.with_file_name("new.dat"));
    assert_eq!(
        roots.existing(&file("")).unwrap(),
        fs::canonicalize(folder.path().join("inside")).unwrap()
    );
}

#[cfg(unix)]
#[test]
fn links_that_lead_out_do_not_exist() {
    use std::os::unix::fs::symlink;

    let (folder, roots) = tree();
    let inside = |name: &str| folder.path().join("inside").join(name);
    symlink("../outside/secret.dat", inside("out.dat")).unwrap();
    symlink("../outside", inside("out")).unwrap();
    symlink("../outside/new.dat", inside("new.dat")).unwrap();
    symlink(Path::new("sub/a.dat"), inside("in.dat")).unwrap();
    symlink("loop.dat", inside("loop.dat")).unwrap();
    for path in ["out.dat", "out", "out/secret.dat", "new.dat", "loop.dat"] {
        let failure = roots.existing(&file(path)).unwrap_err();
        let absent = roots.existing(&file("absent")).unwrap_err();
        let told =
            |failure: &PageFailure| failure.text.split_once(": ").map(|(_, why)| why.to_owned());
        assert_eq!(told(&failure), told(&absent), "{path}");
    }
    for path in ["out.dat", "out", "out/x.dat", "new.dat", "loop.dat"] {
        assert!(roots.writable(&file(path)).is_err(), "{path}");
    }
    assert!(
        roots
            .existing(&file("in.dat"))
            .unwrap()
            .ends_with("sub/a.dat")
    );
    assert!(
        roots
            .writable(&file("in.dat"))
            .unwrap()
            .ends_with("sub/a.dat")
    );
    let listed = list(&roots, "");
    let names: Vec<_> = listed.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        ["sub", "book.EGBK3", "game.json", "in.dat", "readme"]
    );
}

#[test]
fn roots_have_names_of_their_own() {
    let (folder, mut roots) = tree();
    let other = folder.path().join("outside/inside");
    fs::create_dir(&other).unwrap();
    roots.add(&other).unwrap();
    roots.add(&folder.path().join("outside/../inside")).unwrap();
    assert_eq!(roots.names().collect::<Vec<_>>(), ["inside", "inside 2"]);
    for wrong in ["absent", "inside/readme"] {
        let error = roots.add(&folder.path().join(wrong)).unwrap_err();
        assert!(matches!(error, ServeError::Root { .. }), "{error}");
        assert!(error.to_string().contains(wrong), "{error}");
    }
}
