//! Networks evaluated by ONNX Runtime, a library of the system that is loaded when it is asked for: on graphics cards, where its providers are found.
//!
//! * [`OnnxRuntimeNetwork`]: a network and the devices that evaluate it.
//! * `DeviceEvaluator`: sessions of one thread, with memory of their own, so that no evaluation waits for another.

mod devices;
mod evaluator;
mod library;
mod network;
mod problem;
mod provider;
mod session;
mod sizes;
mod source;
#[cfg(test)]
mod tests;

pub(crate) use network::OnnxRuntimeNetwork;
