//! The operations of the shelf, as pages ask for them.
//!
//! * [`reading`]: what opened books say.
//! * [`edits`]: edits, undo and redo, seen by other pages; what is refused.
//! * [`saving`]: the bytes of saved books; servers that were killed; files that others change.
//! * [`engines`]: other engines that play.
//! * [`library`]: games saved, loaded, moved, thrown away, in files that Egaroucid reads.
//! * [`library_search`]: searches, files of many games, imports.

mod edits;
mod engines;
mod library;
mod library_search;
mod library_support;
mod reading;
mod saving;
mod support;
