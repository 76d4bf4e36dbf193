//! Tests of the rules as a user of the crate sees them.
//!
//! * [`golden`]: answers of public programs, from `fixtures/`.
//! * [`moves`], [`apply`], [`forms`], [`games`]: properties of random positions and games, most of
//!   them judged by [`oracle`], a slow move generator of its own.

mod apply;
mod forms;
mod games;
mod golden;
mod moves;
mod oracle;
mod positions;
