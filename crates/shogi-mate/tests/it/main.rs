//! The solvers against plain searches, known problems and replayed lines.

mod composer;
mod goldens;
mod help_mate;
mod soundness;
mod support;
