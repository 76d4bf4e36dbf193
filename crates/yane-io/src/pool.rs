//! Buffers that are used again.
//!
//! Memory fresh from the system costs a page fault for every 4 KiB; a book of gigabytes goes through
//! a few buffers instead.

use std::sync::{Arc, Mutex, PoisonError};

/// A stock of buffers. Clones share the stock.
#[derive(Clone, Debug, Default)]
pub struct Pool(Arc<Mutex<Vec<Vec<u8>>>>);

impl Pool {
    /// An empty buffer with room for at least `capacity` bytes.
    pub fn take(&self, capacity: usize) -> Vec<u8> {
        let mut buffer = self.take_used();
        buffer.clear();
        buffer.reserve(capacity);
        buffer
    }

    /// A buffer with whatever is in it, to be written over: making its bytes zeros first takes time too.
    pub fn take_used(&self) -> Vec<u8> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop()
            .unwrap_or_default()
    }

    /// Puts a buffer back.
    pub fn give(&self, buffer: Vec<u8>) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(buffer);
    }
}
