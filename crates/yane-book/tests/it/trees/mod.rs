//! Values carried through books: against the outputs of another program, and against the rules.

mod build_tree;
mod common;
mod inputs;
mod stera_convert;
