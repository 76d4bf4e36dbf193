//! Merging and sorting: against what the field's tools write, and against the plain definition.

mod definition;
mod goldens;
mod trouble;
