//! Being asked to end by the system: as `quit`.

use std::sync::mpsc::Sender;

use crate::input::Event;

/// Sends [`Event::Terminated`] when the process is told to end (SIGTERM, SIGINT, SIGHUP). The second time it
/// ends at once, in case the loop is busy with something long. Where signals cannot be caught, and elsewhere
/// than on Unix, they do what they always do.
pub(crate) fn watch(events: Sender<Event>) {
    #[cfg(unix)]
    {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        use signal_hook::iterator::Signals;

        if let Ok(mut signals) = Signals::new([SIGTERM, SIGINT, SIGHUP]) {
            std::thread::spawn(move || {
                for (number, signal) in signals.forever().enumerate() {
                    if number > 0 || events.send(Event::Terminated).is_err() {
                        signal_hook::low_level::emulate_default_handler(signal).ok();
                    }
                }
            });
        }
    }
    #[cfg(not(unix))]
    drop(events);
}
