//! Evaluation on another machine: a server that has a network, and searches elsewhere that ask it.
//!
//! * [`protocol`], [`frames`]: what goes over the wire, as data and as bytes.
//! * [`server`]: connections of any number of clients, whose positions go into one [`crate::EvaluationQueue`].
//! * [`client`], `connection`, [`evaluator`]: one connection, which the threads of a search share, made again when it is lost; a network of this machine stands in meanwhile.
//!
//! * `seal`, `budget`, `window`: who shares a secret, how much memory clients take together, and how many positions of one may wait.
//!
//! There is no encryption; without a secret there is no authentication either.

mod budget;
pub(crate) mod client;
mod connection;
pub(crate) mod evaluator;
pub(crate) mod frames;
pub(crate) mod problem;
pub(crate) mod protocol;
mod seal;
pub(crate) mod server;
mod window;
