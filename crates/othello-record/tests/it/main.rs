//! Tests of records as a user of the crate sees them.
//!
//! * [`formats`]: records in every format, written and read.
//! * [`parse`]: what is written is read back, and damaged texts are errors.
//! * [`spellings`]: small records in odd spellings.
//! * [`trials`]: texts as people have them; [`problems`]: the FFO test suite.

mod formats;
mod parse;
mod spellings;
mod trials;
