//! What protocols share: lines in, lines out, and a search on a thread of its own beside them.

use std::sync::Arc;
use std::thread::JoinHandle;

use othello_search::Control;

/// Receives lines of the engine, from any of its threads.
pub type LineOutput = Arc<dyn Fn(&str) + Send + Sync>;

/// What a line means for whoever reads them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// More lines may follow.
    Open,
    /// The session is over.
    Quit,
}

/// A running task. Dropping it stops it.
#[derive(Debug)]
pub(crate) struct Background {
    control: Control,
    thread: Option<JoinHandle<()>>,
}

impl Background {
    /// Starts a task, which is to end soon after its control says so.
    pub(crate) fn start(
        name: &str,
        task: impl FnOnce(&Control) + Send + 'static,
    ) -> std::io::Result<Self> {
        let control = Control::default();
        let own = control.clone();
        let thread = std::thread::Builder::new().name(name.to_owned());
        let thread = thread.stack_size(8 << 20).spawn(move || task(&own))?;
        Ok(Self {
            control,
            thread: Some(thread),
        })
    }

    /// Stops the task, and waits until it is over.
    pub(crate) fn stop(&mut self) {
        self.control.stop();
        self.wait();
    }

    /// Waits until the task is over by itself.
    pub(crate) fn wait(&mut self) {
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.stop();
    }
}
