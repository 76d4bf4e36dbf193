//! The USI protocol as data, and a client for USI engines.
#![forbid(unsafe_code)]
