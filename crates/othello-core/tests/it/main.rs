//! Tests of the rules as a user of the crate sees them.
//!
//! * [`golden`]: answers of public programs and of an independent one, from `fixtures/othello`.
//! * [`properties`]: random boards and games, judged by [`oracle`], which walks square by square.

mod fixtures;
mod golden;
mod oracle;
mod properties;
