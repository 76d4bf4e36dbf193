//! Child processes that talk in lines: process groups that are ended as one, and pipes with limits.
//!
//! A child stands in a process group of its own ([`set_own_group`]), which is ended as one ([`ProcessGroup`]): Ctrl-C at the terminal
//! does not reach it, and nothing that it has started outlives it. Every wait for a line has a time limit and drains the standard
//! error too, which would block the child when full; a line has at most 1 MiB ([`Pipes`]).

mod group;
mod pipes;

pub use group::{ProcessGroup, set_own_group};
pub use pipes::{Deadline, MAX_LINE, NoLine, Pipes};
