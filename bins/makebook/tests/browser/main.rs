//! The book explorer as people use it, in a real browser without a window. Skipped, with a line that says so, where there is none.

mod books;
mod edits;
mod jobs;
mod story;
