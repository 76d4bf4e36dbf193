//! Connections of those who share a secret: both prove that they know it, and seal every message after that.
//!
//! The client sends a random number, the server another one and a code of both, the client a code of both. A code is
//! made with a key that follows from the secret, so that nobody else can make it, and of numbers that are new each time,
//! so that one that was heard earlier is worth nothing. Then each message ends with a code of its number and its bytes,
//! with a key of this connection and direction: none can be changed, left out, repeated or put in another place.

use yane_io::secret::{MacKey, Secret, TAG_BYTES};

use super::frames::ProtocolError;

/// A random number of one side.
pub(super) type Nonce = [u8; 16];
/// A message authentication code.
pub(super) type Tag = [u8; TAG_BYTES];

/// The key of all connections with a secret.
pub(super) fn key(secret: &Secret) -> MacKey {
    secret.key("yaneura eval-server")
}

/// The numbers of both sides.
pub(super) struct Handshake<'a> {
    pub(super) key: &'a MacKey,
    pub(super) client: Nonce,
    pub(super) server: Nonce,
}

impl Handshake<'_> {
    /// What the server sends to prove that it knows the secret.
    pub(super) fn proof_of_server(&self) -> Tag {
        self.key.tag(&[b"server", &self.client, &self.server])
    }

    /// What the client sends to prove that it knows the secret.
    pub(super) fn proof_of_client(&self) -> Tag {
        self.key.tag(&[b"client", &self.client, &self.server])
    }

    /// Returns true if this is what the server has to send.
    pub(super) fn is_server(&self, proof: &Tag) -> bool {
        let parts: [&[u8]; 3] = [b"server", &self.client, &self.server];
        self.key.verify(&parts, proof)
    }

    /// Returns true if this is what the client has to send.
    pub(super) fn is_client(&self, proof: &Tag) -> bool {
        let parts: [&[u8]; 3] = [b"client", &self.client, &self.server];
        self.key.verify(&parts, proof)
    }

    /// The seal of messages from the client to the server.
    pub(super) fn to_server(&self) -> Seal {
        self.seal(b"to server")
    }

    /// The seal of messages from the server to the client.
    pub(super) fn to_client(&self) -> Seal {
        self.seal(b"to client")
    }

    fn seal(&self, direction: &[u8]) -> Seal {
        let key = self.key.derive(&[direction, &self.client, &self.server]);
        Seal(Some((key, 0)))
    }
}

/// Seals messages of one direction of a connection, or opens them, in their order.
#[derive(Default)]
pub(super) struct Seal(Option<(MacKey, u64)>);

impl Seal {
    /// The sealed frame.
    pub(super) fn seal(&mut self, mut frame: Vec<u8>) -> Vec<u8> {
        if let Some((key, number)) = &mut self.0 {
            let body = frame.get(4..).unwrap_or_default();
            let tag = key.tag(&[&number.to_le_bytes(), body]);
            *number += 1;
            let length = (body.len() + tag.len()) as u32;
            frame[..4].copy_from_slice(&length.to_le_bytes());
            frame.extend(tag);
        }
        frame
    }

    /// What is in a sealed frame, which is without its length.
    ///
    /// # Errors
    /// When the code is not that of the next message.
    pub(super) fn open(&mut self, mut body: Vec<u8>) -> Result<Vec<u8>, ProtocolError> {
        if let Some((key, number)) = &mut self.0 {
            let Some((sealed, tag)) = body.split_last_chunk::<TAG_BYTES>() else {
                return Err(ProtocolError::Seal);
            };
            if sealed.is_empty() || !key.verify(&[&number.to_le_bytes(), sealed], tag) {
                return Err(ProtocolError::Seal);
            }
            *number += 1;
            body.truncate(body.len() - TAG_BYTES);
        }
        Ok(body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn handshake(key: &MacKey) -> Handshake<'_> {
        Handshake {
            key,
            client: [1; 16],
            server: [2; 16],
        }
    }

    #[test]
    fn messages_are_opened_once_and_in_their_order() {
        let secret = Secret::new(b"0123456789abcdef", "").unwrap();
        let key = key(&secret);
        let handshake = handshake(&key);
        let mut writer = handshake.to_server();
        let mut frame = |text: &[u8]| {
            let length = (text.len() as u32).to_le_bytes();
            let sealed = writer.seal([&length, text].concat());
            let length = u32::from_le_bytes([sealed[0], sealed[1], sealed[2], sealed[3]]);
            assert_eq!(length as usize, sealed.len() - 4);
            sealed[4..].to_vec()
        };
        let (first, second) = (frame(b"one"), frame(b"two"));
        let open = |bodies: &[&[u8]]| {
            let mut reader = handshake.to_server();
            let opened = bodies.iter().map(|body| reader.open(body.to_vec()));
            opened.collect::<Vec<_>>()
        };
        let right = open(&[&first, &second]);
        assert_eq!(right, [Ok(b"one".to_vec()), Ok(b"two".to_vec())]);
        assert_eq!(open(&[&second])[0], Err(ProtocolError::Seal));
        assert_eq!(open(&[&first, &first])[1], Err(ProtocolError::Seal));
        assert_eq!(open(&[b"short"])[0], Err(ProtocolError::Seal));
        let mut other = handshake.to_client();
        assert_eq!(other.open(first), Err(ProtocolError::Seal));
        assert_eq!(Seal::default().open(second.clone()), Ok(second));
    }

    #[test]
    fn proofs_are_of_one_side_and_one_connection() {
        let secret = Secret::new(b"0123456789abcdef", "").unwrap();
        let key = key(&secret);
        let one = handshake(&key);
        assert!(one.is_server(&one.proof_of_server()));
        assert!(one.is_client(&one.proof_of_client()));
        assert!(!one.is_client(&one.proof_of_server()));
        let other = Handshake {
            server: [3; 16],
            ..handshake(&key)
        };
        assert!(!other.is_client(&one.proof_of_client()));
    }
}
