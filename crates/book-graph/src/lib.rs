//! The graph algorithms of opening books: adjacency lists (CSR), strongly connected components (SCC), dominators, and values on
//! cyclic games. Nodes are numbers; no game, no files.
//!
//! Time is linear in nodes and edges, or nearly, and nothing recurses.

#![forbid(unsafe_code)]

mod adjacency;
mod components;
mod dominators;
pub mod game;

pub use adjacency::{Adjacency, Graph, NO_NODE, Offsets, Predecessors};
pub use components::{Components, component_of, components};
pub use dominators::Dominators;

/// The examples of README.md, compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
