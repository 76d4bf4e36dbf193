//! The messages of a queue as bytes, sealed.
//!
//! Each ends with a message authentication code (MAC) over all of it, made with a key that follows from the secret, the
//! description of the run and the kind of the message: a message of another run, or in another direction, is none. Items
//! and results have the epoch of the run, a random number of the process that serves it first, so that messages of an
//! earlier run of the same description do nothing; a result has the code of its item too, so that it belongs to that
//! very item. What comes twice does nothing the second time, as the server knows what is finished.
//!
//! | message | fields before the code (numbers are little-endian) |
//! | --- | --- |
//! | item | version `u8`, epoch (16 bytes), number `u64`, payload |
//! | result | version `u8`, epoch, number `u64`, worker `u64`, code of the item (16 bytes), outcome `u8` (0 output, 1 none), output or reason |
//! | state | version `u8`, 0 open or 1 done `u8`, owner (16 bytes), epoch, beat `u64` |

use yane_io::secret::{MacKey, TAG_BYTES, Trust};

/// The version of the messages, which is part of the name of a queue too.
pub(super) const VERSION: u8 = 2;
/// Bytes of a result beside its output.
pub(super) const RESULT_BYTES: usize = 1 + 16 + 8 + 8 + 16 + 1 + TAG_BYTES;

/// A random number of 128 bits: of a process or an epoch.
pub(super) type Nonce = [u8; 16];

/// The keys of the messages of a run.
#[derive(Clone, Debug)]
pub(super) struct Seals {
    items: MacKey,
    results: MacKey,
    states: MacKey,
}

/// An item as its message has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ItemMessage<'a> {
    pub(super) lease: ItemLease,
    pub(super) payload: &'a [u8],
}

/// What a result has to have in common with its item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ItemLease {
    pub(super) epoch: Nonce,
    pub(super) number: u64,
    /// The code of the item's message, or the first half of it.
    pub(super) code: Nonce,
}

/// A result as its message has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ResultMessage<'a> {
    pub(super) lease: ItemLease,
    /// A random number of the process that worked.
    pub(super) worker: u64,
    pub(super) outcome: Outcome<'a>,
}

/// The outcome of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome<'a> {
    /// Its output.
    Output(&'a [u8]),
    /// There is none, for this reason.
    Nothing(&'a [u8]),
}

/// The state of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StateMessage {
    pub(super) is_done: bool,
    /// The process that serves the queue; zeros when it has left it.
    pub(super) owner: Nonce,
    pub(super) epoch: Nonce,
    /// Grows with every message of an owner.
    pub(super) beat: u64,
}

impl Seals {
    /// The keys of the run of a description.
    pub(super) fn new(trust: &Trust, description: &[u8]) -> Self {
        let run = trust.key("yaneura queue").derive(&[description]);
        Self {
            items: run.derive(&[b"item"]),
            results: run.derive(&[b"result"]),
            states: run.derive(&[b"state"]),
        }
    }

    /// The message of an item, and what its result has to have.
    pub(super) fn item(&self, epoch: &Nonce, number: u64, payload: &[u8]) -> (Vec<u8>, ItemLease) {
        let mut message = vec![VERSION];
        message.extend(epoch);
        message.extend(number.to_le_bytes());
        message.extend(payload);
        let tag = self.items.tag(&[&message]);
        message.extend(tag);
        (message, lease(*epoch, number, &tag))
    }

    /// The item of a message; `None` when it was not sealed for this run.
    pub(super) fn open_item<'a>(&self, message: &'a [u8]) -> Option<ItemMessage<'a>> {
        let (mut fields, tag) = verified(&self.items, message)?;
        Some(ItemMessage {
            lease: lease(*take(&mut fields)?, number(&mut fields)?, tag),
            payload: fields,
        })
    }

    /// The message of a result.
    pub(super) fn result(&self, result: &ResultMessage<'_>) -> Vec<u8> {
        let (kind, bytes) = match result.outcome {
            Outcome::Output(bytes) => (0, bytes),
            Outcome::Nothing(reason) => (1, reason),
        };
        let lease = &result.lease;
        let mut message = Vec::with_capacity(RESULT_BYTES + bytes.len());
        message.push(VERSION);
        message.extend(lease.epoch);
        message.extend(lease.number.to_le_bytes());
        message.extend(result.worker.to_le_bytes());
        message.extend(lease.code);
        message.push(kind);
        message.extend(bytes);
        let tag = self.results.tag(&[&message]);
        message.extend(tag);
        message
    }

    /// The result of a message; `None` when it was not sealed for this run.
    pub(super) fn open_result<'a>(&self, message: &'a [u8]) -> Option<ResultMessage<'a>> {
        let (mut fields, _) = verified(&self.results, message)?;
        let (epoch, item) = (*take(&mut fields)?, number(&mut fields)?);
        let worker = number(&mut fields)?;
        let code = *take(&mut fields)?;
        let outcome = match fields.split_first()? {
            (0, bytes) => Outcome::Output(bytes),
            (1, reason) => Outcome::Nothing(reason),
            _ => return None,
        };
        Some(ResultMessage {
            lease: ItemLease {
                epoch,
                number: item,
                code,
            },
            worker,
            outcome,
        })
    }

    /// The message of a state.
    pub(super) fn state(&self, state: &StateMessage) -> Vec<u8> {
        let mut message = vec![VERSION, u8::from(state.is_done)];
        message.extend(state.owner);
        message.extend(state.epoch);
        message.extend(state.beat.to_le_bytes());
        let tag = self.states.tag(&[&message]);
        message.extend(tag);
        message
    }

    /// The state of a message; `None` when it was not sealed for this run.
    pub(super) fn open_state(&self, message: &[u8]) -> Option<StateMessage> {
        let (mut fields, _) = verified(&self.states, message)?;
        let state = StateMessage {
            is_done: take::<1>(&mut fields)? == &[1],
            owner: *take(&mut fields)?,
            epoch: *take(&mut fields)?,
            beat: number(&mut fields)?,
        };
        fields.is_empty().then_some(state)
    }
}

fn lease(epoch: Nonce, number: u64, tag: &[u8; TAG_BYTES]) -> ItemLease {
    let mut code = Nonce::default();
    code.copy_from_slice(&tag[..16]);
    ItemLease {
        epoch,
        number,
        code,
    }
}

/// The fields behind the version, and the code, of a message with the right one.
fn verified<'a>(key: &MacKey, message: &'a [u8]) -> Option<(&'a [u8], &'a [u8; TAG_BYTES])> {
    let (sealed, tag) = message.split_last_chunk()?;
    let (&version, fields) = sealed.split_first()?;
    (version == VERSION && key.verify(&[sealed], tag)).then_some((fields, tag))
}

/// The first bytes of the fields, which are gone from them then.
pub(super) fn take<'a, const N: usize>(fields: &mut &'a [u8]) -> Option<&'a [u8; N]> {
    let (head, rest) = fields.split_first_chunk()?;
    *fields = rest;
    Some(head)
}

/// The number at the front of the fields, which is gone from them then.
pub(super) fn number(fields: &mut &[u8]) -> Option<u64> {
    take(fields).map(|bytes| u64::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    const EPOCH: Nonce = [7; 16];

    fn seals(secret: &str, description: &str) -> Seals {
        let secret = yane_io::secret::Secret::new(secret.as_bytes(), "").unwrap();
        Seals::new(&Trust::Secret(secret), description.as_bytes())
    }

    #[test]
    fn messages_round_trip() {
        let seals = seals("0123456789abcdef", "run");
        let (message, lease) = seals.item(&EPOCH, u64::MAX, b"x");
        let item = ItemMessage {
            lease,
            payload: b"x",
        };
        assert_eq!(seals.open_item(&message), Some(item));
        for outcome in [Outcome::Output(b"abc"), Outcome::Nothing(b"")] {
            let result = ResultMessage {
                lease,
                worker: 3,
                outcome,
            };
            let message = seals.result(&result);
            assert_eq!(seals.open_result(&message), Some(result));
        }
        let state = StateMessage {
            is_done: true,
            owner: [1; 16],
            epoch: EPOCH,
            beat: 9,
        };
        assert_eq!(seals.open_state(&seals.state(&state)), Some(state));
    }

    #[test]
    fn nothing_that_was_changed_or_meant_for_something_else_is_believed() {
        let ours = seals("0123456789abcdef", "run");
        let (message, lease) = ours.item(&EPOCH, 5, b"payload");
        for place in 0..message.len() {
            let mut changed = message.clone();
            changed[place] ^= 1;
            assert_eq!(ours.open_item(&changed), None, "{place}");
        }
        for len in 0..message.len() {
            assert_eq!(ours.open_item(&message[..len]), None, "{len}");
        }
        assert_eq!(ours.open_result(&message), None);
        assert_eq!(ours.open_state(&message), None);
        for other in [
            seals("0123456789abcdeg", "run"),
            seals("0123456789abcdef", "another run"),
            Seals::new(&Trust::Network, b"run"),
        ] {
            assert_eq!(other.open_item(&message), None);
        }
        // Another item of the same number, or the same one of another epoch, has another code.
        assert_ne!(ours.item(&EPOCH, 5, b"other").1.code, lease.code);
        assert_ne!(ours.item(&[8; 16], 5, b"payload").1.code, lease.code);
    }
}
