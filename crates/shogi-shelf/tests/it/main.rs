//! What pages ask of opened books.

mod edits;
mod large;
mod lists;
mod looks;
mod orders;
mod samples;
mod saving;
mod support;
