//! Games over a real NATS server, with peers that cheat. Without `nats-server` these tests are skipped.

mod peers;
mod queue;
