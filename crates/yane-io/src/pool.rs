//! Buffers that are used again.
//!
//! Memory fresh from the system costs a page fault for every 4 KiB; a book of gigabytes goes through
//! a few buffers instead.

use std::sync::{Arc, Mutex, PoisonError};

/// A stock of empty buffers. Clones share the stock.
#[derive(Clone, Debug, Default)]
pub struct Pool(Arc<Mutex<Vec<Vec<u8>>>>);

impl Pool {
    /// An empty buffer with room for at least `capacity` bytes.
    pub fn take(&self, capacity: usize) -> Vec<u8> {
        let mut buffer = self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop()
            .unwrap_or_default();
        buffer.reserve(capacity);
        buffer
    }

    /// Puts a buffer back; what is in it is forgotten.
    pub fn give(&self, mut buffer: Vec<u8>) {
        buffer.clear();
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(buffer);
    }
}
