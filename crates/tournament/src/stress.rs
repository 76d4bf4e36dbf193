//! Load beside a match: threads that do nothing but keep processors busy.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::thread::JoinHandle;

/// Busy threads until it is dropped.
#[derive(Debug)]
pub struct Stress {
    over: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Stress {
    /// Starts so many threads.
    pub fn start(threads: u32) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let busy = || {
            let over = over.clone();
            thread::spawn(move || {
                let mut number = 1_u64;
                while !over.load(Ordering::Relaxed) {
                    for _ in 0..10_000 {
                        number = black_box(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 1);
                    }
                }
            })
        };
        let threads = (0..threads).map(|_| busy()).collect();
        Self { over, threads }
    }
}

impl Drop for Stress {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            // A busy loop cannot panic.
            thread.join().ok();
        }
    }
}
