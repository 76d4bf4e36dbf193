//! The solvers against plain searches, known problems and replayed lines.

mod collections;
mod composer;
mod goldens;
mod help_mate;
mod in_check;
mod oracle;
mod soundness;
mod support;
mod verify;
