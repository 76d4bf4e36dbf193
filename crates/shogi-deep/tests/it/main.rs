//! Goldens of the features and of a network, and damaged files.

mod features;
mod limits;
mod network;
mod puct;
mod queue;
mod remote;
mod remote_messages;
mod written;
