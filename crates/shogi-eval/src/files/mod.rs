//! Files of evaluations: everything that opens, maps or writes one by its name.
//!
//! The evaluators know bytes alone: in memory, or in a [`Map`](yane_io::Map).
//!
//! * `networks`, `shared`: networks, and folders of networks that all processes share.
//! * `tables`, `convert`: three-piece tables.
//! * [`loader`]: either of them, found in a folder; [`inspect`]: described.

pub mod convert;
pub mod inspect;
pub mod loader;
pub(crate) mod networks;
pub mod shared;
pub(crate) mod tables;
