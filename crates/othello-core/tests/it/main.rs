//! Tests of the rules as a user of the crate sees them.
//!
//! * [`golden`]: answers of public programs and of an independent one, from `fixtures/othello`.
//! * [`properties`]: random boards and games, compared with rules written out square by square.

mod golden;
mod properties;
