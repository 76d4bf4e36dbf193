//! Help mates (協力詰め, ばか詰め): both sides work together to mate the defender in as few plies as
//! possible. The attacker only gives checks, the defender may answer with any legal move.
//!
//! # How
//!
//! Breadth first, layer by layer, over the positions with the attacker to move. With both sides on one
//! side there is nothing to prove but the way to a mate, so a position is worth looking at once, when it
//! is first reached; the first mate is a shortest one, and when a layer is empty there is none. The work
//! is linear in the number of positions whatever the length: a problem of 49,909 plies in which nearly all
//! replies are forced takes as many steps, where deepening two plies at a time would walk its first half a
//! few hundred million times. Nothing recurses, so no length can exhaust a stack.
//!
//! Memory, not time, is the limit: some 35 bytes a position (a key of 16 bytes in a table with empty places, 12
//! bytes for the way back), and the positions of the newest layer. When the memory that is allowed
//! is used up the answer is unknown; it never becomes "no mate".

mod expand;
mod layer;
mod seen;
mod solver;
mod trail;

pub use solver::{HelpMateOptions, HelpMateSolver};
