//! What those who watch a queue are shown, as bytes, sealed.
//!
//! A watcher does not know the description of the run, so that the key follows from the secret and the name of the queue on the
//! server, which is part of the subject: what is shown of one run counts for no other, and none of it counts as an item, a result or a
//! state.
//!
//! | message | subject | fields before the code (numbers are little-endian) |
//! | --- | --- | --- |
//! | what is shown | `farmevents.ID` | version `u8`, process (16 bytes), number `u64`, events as lines of JSON |
//! | a worker's word | `farmworkers.ID` | version `u8`, worker `u64`, items in progress `u32`, its name |

use yane_io::secret::{MacKey, TAG_BYTES, Trust};

use super::roster::Announcement;
use super::seal::{Nonce, number, take};

/// The version of the messages.
const VERSION: u8 = 1;
/// Bytes of the events of a message at most.
pub(super) const MOST_TEXT: usize = 512 << 10;
/// Bytes of a message at most.
pub(super) const MOST_BYTES: usize = MOST_TEXT + 1 + 16 + 8 + TAG_BYTES;

/// The keys of what is shown of a queue.
#[derive(Clone, Debug)]
pub(super) struct ShownSeals {
    events: MacKey,
    workers: MacKey,
}

/// What is shown of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ShownMessage<'a> {
    /// A random number of the process that serves the queue.
    pub(super) process: Nonce,
    /// Grows with every message of the process.
    pub(super) beat: u64,
    /// The events, a line each.
    pub(super) text: &'a [u8],
}

impl ShownSeals {
    /// The keys for the queue of a name on the server.
    pub(super) fn new(trust: &Trust, id: &str) -> Self {
        let queue = trust.key("yaneura queue shown").derive(&[id.as_bytes()]);
        Self {
            events: queue.derive(&[b"events"]),
            workers: queue.derive(&[b"worker"]),
        }
    }

    /// The message of what is shown; without the events that are too many.
    pub(super) fn shown(&self, shown: &ShownMessage<'_>) -> Vec<u8> {
        let mut message = vec![VERSION];
        message.extend(shown.process);
        message.extend(shown.beat.to_le_bytes());
        let text = shown.text.get(..MOST_TEXT).unwrap_or(shown.text);
        message.extend(text);
        sealed(&self.events, message)
    }

    /// What a message shows; `None` when it was not sealed for this queue.
    pub(super) fn open_shown<'a>(&self, message: &'a [u8]) -> Option<ShownMessage<'a>> {
        let mut fields = verified(&self.events, message)?;
        Some(ShownMessage {
            process: *take(&mut fields)?,
            beat: number(&mut fields)?,
            text: fields,
        })
    }

    /// The message of a worker's word.
    pub(super) fn worker(&self, said: &Announcement) -> Vec<u8> {
        let mut message = vec![VERSION];
        message.extend(said.worker.to_le_bytes());
        message.extend(said.held.to_le_bytes());
        message.extend(said.name.as_bytes());
        sealed(&self.workers, message)
    }

    /// A worker's word; `None` when it was not sealed for this queue.
    pub(super) fn open_worker(&self, message: &[u8]) -> Option<Announcement> {
        let mut fields = verified(&self.workers, message)?;
        Some(Announcement {
            worker: number(&mut fields)?,
            held: u32::from_le_bytes(*take(&mut fields)?),
            name: std::str::from_utf8(fields).ok()?.to_owned(),
        })
    }
}

fn sealed(key: &MacKey, mut message: Vec<u8>) -> Vec<u8> {
    let tag = key.tag(&[&message]);
    message.extend(tag);
    message
}

/// The fields behind the version of a message with the right code.
fn verified<'a>(key: &MacKey, message: &'a [u8]) -> Option<&'a [u8]> {
    if message.len() > MOST_BYTES {
        return None;
    }
    let (sealed, tag) = message.split_last_chunk::<TAG_BYTES>()?;
    let (&version, fields) = sealed.split_first()?;
    (version == VERSION && key.verify(&[sealed], tag)).then_some(fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seals(secret: &[u8], id: &str) -> ShownSeals {
        let secret = yane_io::secret::Secret::new(secret, "").unwrap();
        ShownSeals::new(&Trust::Secret(secret), id)
    }

    #[test]
    fn messages_round_trip_and_count_for_one_queue() {
        let ours = seals(b"0123456789abcdef", "a");
        let shown = ShownMessage {
            process: [3; 16],
            beat: 7,
            text: b"{}\n",
        };
        let message = ours.shown(&shown);
        assert_eq!(ours.open_shown(&message), Some(shown));
        let said = Announcement {
            worker: 5,
            held: 2,
            name: "farm2".to_owned(),
        };
        let word = ours.worker(&said);
        assert_eq!(ours.open_worker(&word), Some(said));
        assert_eq!(ours.open_worker(&message), None);
        assert_eq!(ours.open_shown(&word), None);
        for other in [
            seals(b"0123456789abcdef", "b"),
            seals(b"0123456789abcdeg", "a"),
            ShownSeals::new(&Trust::Network, "a"),
        ] {
            assert_eq!(other.open_shown(&message), None);
            assert_eq!(other.open_worker(&word), None);
        }
        for place in 0..message.len() {
            let mut changed = message.clone();
            changed[place] ^= 1;
            assert_eq!(ours.open_shown(&changed), None, "{place}");
            assert_eq!(ours.open_shown(&message[..place]), None, "{place}");
        }
    }

    #[test]
    fn what_is_too_long_is_cut_by_its_writer_and_refused_by_others() {
        let ours = seals(b"0123456789abcdef", "a");
        let text = vec![b'x'; MOST_TEXT + 5];
        let shown = ShownMessage {
            process: [3; 16],
            beat: 7,
            text: &text,
        };
        let message = ours.shown(&shown);
        assert_eq!(ours.open_shown(&message).unwrap().text.len(), MOST_TEXT);
        let long = sealed(&ours.events, vec![VERSION; MOST_BYTES]);
        assert_eq!(ours.open_shown(&long), None);
    }
}
