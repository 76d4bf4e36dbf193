//! The modules of a crate: their files, what each declares and imports, and the paths it names.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::tokens::{Token, tokens};

/// A path such as `crate::a::B`, by its segments.
pub(super) type Segments = Vec<String>;

/// A module: a file, or a part of one.
#[derive(Debug, Default)]
pub(super) struct Module {
    /// Number of its file in [`Crate::files`].
    pub(super) file: usize,
    /// `None` for the root of the crate.
    pub(super) parent: Option<usize>,
    /// Modules inside, by name.
    pub(super) children: BTreeMap<String, usize>,
    /// Names of the items declared here.
    pub(super) declared: BTreeSet<String>,
    /// Names that a `use` brings here, with where they come from.
    pub(super) imported: BTreeMap<String, Segments>,
    /// Modules all names of which are brought here.
    pub(super) globs: Vec<Segments>,
    /// The paths that the code here names, those of its `use` included but for re-exports, and whether all names of a
    /// module are meant.
    pub(super) named: Vec<(Segments, bool)>,
}

/// What a `use` is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UseKind {
    /// Brings names to a module.
    Import,
    /// Shows names of other modules as if they were of this one. The module itself needs none of them.
    Export,
    /// Brings names to a function alone.
    Local,
}

/// The modules of a crate without those for tests.
#[derive(Debug, Default)]
pub(super) struct Crate {
    /// The files, the root first.
    pub(super) files: Vec<PathBuf>,
    /// The modules, the root first.
    pub(super) modules: Vec<Module>,
}

impl Crate {
    /// Reads the crate whose root is the file `root`.
    pub(super) fn read(root: &Path) -> Result<Self> {
        let mut tree = Self::default();
        tree.modules.push(Module::default());
        let folder = root.parent().unwrap_or(Path::new("")).to_owned();
        tree.read_file(root.to_owned(), 0, &folder)?;
        Ok(tree)
    }

    /// Reads a file as the text of `module`, whose modules lie in `folder`.
    fn read_file(&mut self, path: PathBuf, module: usize, folder: &Path) -> Result<()> {
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        let file = self.files.len();
        self.files.push(path);
        self.modules[module].file = file;
        let tokens = tokens(&text);
        self.read_items(&tokens, module, folder)
    }

    /// Reads the items of a module, down to the modules inside.
    fn read_items(&mut self, tokens: &[Token], module: usize, folder: &Path) -> Result<()> {
        let mut at = 0;
        let mut depth = 0_usize;
        let mut path_attribute = None;
        while at < tokens.len() {
            match &tokens[at] {
                Token::Mark('#') => {
                    let end = attribute_end(tokens, at);
                    let attribute = &tokens[at..end];
                    at = end;
                    if is_for_tests(attribute) {
                        at = item_end(tokens, at);
                    } else if let Some(path) = path_of(attribute) {
                        path_attribute = Some(path);
                    }
                    continue;
                }
                Token::Mark('{') => depth += 1,
                Token::Mark('}') => depth = depth.saturating_sub(1),
                Token::Word(word) if word == "use" && !is_mark(tokens, at + 1, '<') => {
                    let end = statement_end(tokens, at);
                    let kind = match at.checked_sub(1).map(|before| &tokens[before]) {
                        _ if depth > 0 => UseKind::Local,
                        Some(before) if before.is_word("pub") || before.is(')') => UseKind::Export,
                        _ => UseKind::Import,
                    };
                    self.read_use(&tokens[at + 1..end], module, kind);
                    at = end;
                    continue;
                }
                Token::Word(word) if word == "mod" && depth == 0 => {
                    if let Some(end) =
                        self.read_module(tokens, at, module, folder, path_attribute.take())?
                    {
                        at = end;
                        continue;
                    }
                }
                Token::Word(word) => {
                    if depth == 0
                        && let Some(name) = declared_name(tokens, at, word)
                    {
                        self.modules[module].declared.insert(name.to_owned());
                    }
                    let end = self.read_path(tokens, at, module);
                    at = end;
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
        Ok(())
    }

    /// Reads the module that `mod` at `at` declares; returns the place behind it, or `None` if this declares none.
    fn read_module(
        &mut self,
        tokens: &[Token],
        at: usize,
        parent: usize,
        folder: &Path,
        path: Option<String>,
    ) -> Result<Option<usize>> {
        let Some(name) = tokens.get(at + 1).and_then(Token::word) else {
            return Ok(None);
        };
        let module = self.modules.len();
        self.modules.push(Module {
            file: self.modules[parent].file,
            parent: Some(parent),
            ..Module::default()
        });
        self.modules[parent]
            .children
            .insert(name.to_owned(), module);
        let inside = folder.join(name);
        if is_mark(tokens, at + 2, '{') {
            let end = group_end(tokens, at + 2);
            self.read_items(&tokens[at + 3..end - 1], module, &inside)?;
            return Ok(Some(end));
        }
        if let Some(path) = path {
            let own = &self.files[self.modules[parent].file];
            let path = own.parent().unwrap_or(Path::new("")).join(path);
            let inside = path.parent().unwrap_or(Path::new("")).to_owned();
            self.read_file(path, module, &inside)?;
        } else if inside.with_extension("rs").is_file() {
            self.read_file(inside.with_extension("rs"), module, &inside)?;
        } else {
            self.read_file(inside.join("mod.rs"), module, &inside)?;
        }
        Ok(Some(at + 3))
    }

    /// Reads the tree of a `use`.
    fn read_use(&mut self, tree: &[Token], module: usize, kind: UseKind) {
        let mut leaves = Vec::new();
        use_leaves(tree, &mut Vec::new(), &mut leaves);
        let module = &mut self.modules[module];
        for (path, name) in leaves {
            let is_glob = name == "*";
            if kind != UseKind::Local {
                if is_glob {
                    module.globs.push(path.clone());
                } else {
                    module.imported.insert(name, path.clone());
                }
            }
            if kind != UseKind::Export {
                module.named.push((path, is_glob));
            }
        }
    }

    /// Reads the path that begins with the word at `at`; returns the place behind it.
    fn read_path(&mut self, tokens: &[Token], at: usize, module: usize) -> usize {
        let mut segments = Vec::new();
        let mut end = at;
        while let Some(Token::Word(word)) = tokens.get(end) {
            segments.push(word.clone());
            end += 1;
            if tokens.get(end) != Some(&Token::PathSeparator) {
                break;
            }
            end += 1;
        }
        let follows_path =
            at > 0 && matches!(tokens[at - 1], Token::PathSeparator | Token::Mark('.'));
        let is_macro = is_mark(tokens, end, '!') && !is_mark(tokens, end + 1, '=');
        if !follows_path && (segments.len() > 1 || is_macro) {
            self.modules[module].named.push((segments, false));
        }
        end
    }
}

/// The paths of a tree of `use`, each with the name that it gets (`*` for all names of a module).
fn use_leaves(tree: &[Token], prefix: &mut Segments, leaves: &mut Vec<(Segments, String)>) {
    let mut at = 0;
    let depth = prefix.len();
    while at < tree.len() {
        match &tree[at] {
            Token::Word(word) if word == "as" => {
                let name = tree.get(at + 1).and_then(Token::word).unwrap_or("_");
                push_leaf(prefix, depth, Some(name), leaves);
                at += 1;
            }
            Token::Word(word) => prefix.push(word.clone()),
            Token::Mark('*') => {
                leaves.push((prefix.clone(), "*".to_owned()));
                prefix.truncate(depth);
            }
            Token::Mark('{') => {
                let end = group_end(tree, at);
                use_leaves(&tree[at + 1..end - 1], prefix, leaves);
                prefix.truncate(depth);
                at = end;
                continue;
            }
            Token::Mark(',') => push_leaf(prefix, depth, None, leaves),
            _ => {}
        }
        at += 1;
    }
    push_leaf(prefix, depth, None, leaves);
}

/// Ends the path in `prefix` if it is longer than `depth`, what it began with.
fn push_leaf(
    prefix: &mut Segments,
    depth: usize,
    name: Option<&str>,
    leaves: &mut Vec<(Segments, String)>,
) {
    if prefix.len() > depth {
        let mut path = prefix.clone();
        if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
            path.pop();
        }
        let last = path.last().cloned().unwrap_or_default();
        leaves.push((path, name.map_or(last, str::to_owned)));
        prefix.truncate(depth);
    }
}

/// The name that the keyword at `at` declares.
fn declared_name<'a>(tokens: &'a [Token], at: usize, keyword: &str) -> Option<&'a str> {
    let after = match keyword {
        "fn" | "struct" | "enum" | "trait" | "type" | "const" | "static" | "union" => at + 1,
        "macro_rules" if is_mark(tokens, at + 1, '!') => at + 2,
        _ => return None,
    };
    let name = tokens.get(after)?.word()?;
    (!matches!(name, "fn" | "mut" | "unsafe" | "extern")).then_some(name)
}

fn is_mark(tokens: &[Token], at: usize, mark: char) -> bool {
    tokens.get(at).is_some_and(|token| token.is(mark))
}

/// The place behind the group whose opening bracket is at `at`.
fn group_end(tokens: &[Token], at: usize) -> usize {
    let mut depth = 0_usize;
    for (place, token) in tokens.iter().enumerate().skip(at) {
        match token {
            Token::Mark('(' | '[' | '{') => depth += 1,
            Token::Mark(')' | ']' | '}') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return place + 1;
                }
            }
            _ => {}
        }
    }
    tokens.len()
}

/// The place behind the attribute at `at`, or behind a `#` that begins none.
fn attribute_end(tokens: &[Token], at: usize) -> usize {
    let bracket = if is_mark(tokens, at + 1, '!') {
        at + 2
    } else {
        at + 1
    };
    if is_mark(tokens, bracket, '[') {
        group_end(tokens, bracket)
    } else {
        at + 1
    }
}

/// Returns whether an attribute leaves its item out of everything but tests.
fn is_for_tests(attribute: &[Token]) -> bool {
    let has = |word: &str| attribute.iter().any(|token| token.is_word(word));
    attribute.get(2).is_some_and(|token| token.is_word("cfg"))
        && has("test")
        && !has("not")
        && !has("any")
}

/// The file that an attribute `#[path = "…"]` names.
fn path_of(attribute: &[Token]) -> Option<String> {
    match attribute {
        [_, _, name, _, Token::Text(path), ..] if name.is_word("path") => Some(path.clone()),
        _ => None,
    }
}

/// The place behind the `;` that ends what begins at `at`.
fn statement_end(tokens: &[Token], at: usize) -> usize {
    let mut place = at;
    while place < tokens.len() {
        match tokens[place] {
            Token::Mark(';') => return place + 1,
            Token::Mark('(' | '[' | '{') => place = group_end(tokens, place),
            _ => place += 1,
        }
    }
    place
}

/// The place behind the item, field, arm or statement that begins at `at`, with its attributes.
fn item_end(tokens: &[Token], mut at: usize) -> usize {
    while is_mark(tokens, at, '#') {
        at = attribute_end(tokens, at);
    }
    if is_mark(tokens, at, '{') {
        return group_end(tokens, at);
    }
    let keyword = tokens[at..]
        .iter()
        .filter_map(Token::word)
        .find(|word| !matches!(*word, "pub" | "crate" | "super" | "in"));
    let is_statement = matches!(keyword, Some("use" | "const" | "static" | "type" | "let"))
        && !tokens[at..].iter().take(6).any(|token| token.is_word("fn"));
    if is_statement {
        return statement_end(tokens, at);
    }
    let is_item = matches!(
        keyword,
        Some(
            "fn" | "const"
                | "async"
                | "unsafe"
                | "extern"
                | "impl"
                | "struct"
                | "enum"
                | "trait"
                | "mod"
                | "macro_rules"
        )
    );
    let mut place = at;
    while place < tokens.len() {
        match tokens[place] {
            Token::Mark(';') => return place + 1,
            Token::Mark(',') if !is_item => return place + 1,
            Token::Mark('}' | ')' | ']') => return place,
            Token::Mark('{') => return group_end(tokens, place),
            Token::Mark('(' | '[') => place = group_end(tokens, place),
            _ => place += 1,
        }
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaves(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        use_leaves(&tokens(text), &mut Vec::new(), &mut found);
        found
            .into_iter()
            .map(|(path, name)| format!("{} as {name}", path.join("::")))
            .collect()
    }

    #[test]
    fn trees_of_use_are_paths() {
        assert_eq!(
            leaves("crate::{a::{self, B as C, d::*}, E}"),
            [
                "crate::a as a",
                "crate::a::B as C",
                "crate::a::d as *",
                "crate::E as E"
            ]
        );
        assert_eq!(leaves("super::a"), ["super::a as a"]);
    }

    fn module(text: &str) -> Module {
        let mut tree = Crate::default();
        tree.modules.push(Module::default());
        let read = tree.read_items(&tokens(text), 0, Path::new(""));
        read.expect("no file is read");
        tree.modules.swap_remove(0)
    }

    #[test]
    fn what_is_for_tests_is_left_out() {
        let text = "fn f() { crate::a::g(); }
            #[cfg(test)] use crate::b::{C, D};
            #[cfg(test)] mod tests { use crate::e; }
            #[cfg(all(test, unix))] #[test] fn h() -> [u8; 3] { crate::i::j() }
            struct K { #[cfg(test)] l: crate::m::N, o: crate::p::Q }
            #[cfg(not(test))] const R: u8 = crate::s::T;";
        let read = module(text);
        let named: Vec<String> = read.named.iter().map(|(path, _)| path.join("::")).collect();
        assert_eq!(named, ["crate::a::g", "crate::p::Q", "crate::s::T"]);
        let declared: Vec<&str> = read.declared.iter().map(String::as_str).collect();
        assert_eq!(declared, ["K", "R", "f"]);
    }
}
