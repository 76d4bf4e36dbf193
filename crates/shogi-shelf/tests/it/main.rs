//! What pages ask of opened books.

mod edits;
mod large;
mod library;
mod library_samples;
mod library_support;
mod lists;
mod looks;
mod orders;
mod samples;
mod saving;
mod support;
