//! Signals: Ctrl-C asks the job to stop, a second one ends the program.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::TERM_SIGNALS;
use signal_hook::flag;

/// Raises `cancelled` when the program is asked to end; asked again, it ends at once (no file is
/// damaged by that either), with [`crate::INTERRUPTED`]. A write beyond the limit of file sizes fails
/// instead of ending the program.
///
/// # Errors
/// When the system does not let signals be caught.
pub fn stop_on_request(cancelled: &Arc<AtomicBool>) -> io::Result<()> {
    for &signal in TERM_SIGNALS {
        // Order matters: the second signal finds the flag raised by the first.
        flag::register_conditional_shutdown(
            signal,
            crate::INTERRUPTED.into(),
            Arc::clone(cancelled),
        )?;
        flag::register(signal, Arc::clone(cancelled))?;
    }
    // A file size limit (ulimit -f) would kill the program; this way the write fails and says so.
    #[cfg(unix)]
    flag::register(25, Arc::default())?;
    Ok(())
}
