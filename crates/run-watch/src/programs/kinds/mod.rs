//! The kinds of jobs that are programs: their commands, and which options a page may give. What options take and mean is what the
//! programs say of themselves.
//!
//! Only options are here that name no file, folder, program, address or secret, but as a file of the page: those are told apart by
//! [`KindFile`].

mod books;
mod games;
mod kind;

pub(crate) use kind::{FilePlace, KindFile, ProgramKind, names_of};

/// All kinds.
pub(crate) fn all() -> impl Iterator<Item = &'static ProgramKind> {
    books::KINDS.iter().chain(games::KINDS)
}

/// The kind of a name.
pub(crate) fn kind_of(name: &str) -> Option<&'static ProgramKind> {
    all().find(|kind| kind.name == name)
}

#[cfg(test)]
mod tests {
    use super::kind::NOT_OFFERED;
    use super::*;

    #[test]
    fn no_option_of_a_kind_has_the_name_of_another() {
        for kind in all() {
            let files = kind.files.iter().map(|file| file.name);
            let mut names: Vec<_> = kind.option_names().chain(files).collect();
            names.sort_unstable();
            let count = names.len();
            names.dedup();
            assert_eq!(names.len(), count, "{}", kind.name);
        }
    }

    #[test]
    fn nothing_that_reaches_beyond_the_files_is_an_option() {
        for kind in all() {
            let mut names = kind.option_names();
            let is_offered = |name| !NOT_OFFERED.contains(&name);
            assert!(names.all(is_offered), "{}", kind.name);
        }
    }
}
