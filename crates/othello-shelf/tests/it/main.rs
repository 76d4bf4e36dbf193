//! The operations of the shelf, as pages ask for them.
//!
//! * [`reading`]: what opened books say.
//! * [`edits`]: edits, undo and redo, seen by other pages; what is refused.
//! * [`saving`]: the bytes of saved books; servers that were killed; files that others change.

mod edits;
mod reading;
mod saving;
mod support;
