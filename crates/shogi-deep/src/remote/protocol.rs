//! The protocol of evaluation servers, version 1: frames of bytes, each a message.
//!
//! A frame is the length of what follows (`u32`), the kind of the message (`u8`), and its fields; numbers are little-endian. The client begins
//! with a hello, which the server answers with its own or with an error. Then any number of requests may be on their way; answers come in any order.
//!
//! | kind | from | fields |
//! |---|---|---|
//! | 1 hello | client | `YDNE`, version `u16` |
//! | 2 evaluate | client | id `u32`, count `u16`; for each position 628 bytes of the board's bits, 8 or 15 of the other planes', count of labels `u16`, labels `u16`, ascending |
//! | 3 ping | client | |
//! | 4 hello with a secret | client | `YDNE`, version `u16`, random number (16 bytes) |
//! | 5 proof | client | code of both numbers (32 bytes) |
//! | 129 hello | server | `YDNE`, version `u16`, planes of `input2` `u16`, fingerprint of the model (16 bytes), name (UTF-8, to the end) |
//! | 130 answer | server | id `u32`, count `u16`; for each position the value `f32`, count of labels `u16`, their logits `f32` |
//! | 131 pong | server | |
//! | 132 failed | server | id `u32`, reason (UTF-8, to the end) |
//! | 133 error | server | reason (UTF-8, to the end); the connection ends |
//! | 134 challenge | server | random number (16 bytes), code of both numbers (32 bytes) |
//!
//! With a secret the client begins with 4, the server answers with 134, the client with 5, and the server with its hello.
//! From there on each message ends with a code of 32 bytes ([`seal`](super::seal)). A server that has a secret takes no
//! other hello, and one that has none does not take that one.
//!
//! Logits are the 32 bits that the server's evaluation gives, so that a search is the same to the last bit wherever its network is evaluated. About
//! 80 moves make 320 bytes of an answer beside 800 bytes of the request: half as many bits would save a seventh of it.

use std::fmt;

use yane_io::secret::TAG_BYTES;

use super::frames::{Fields, FrameWriter};
use crate::remote::frames::MAGIC;
use crate::remote::frames::ProtocolError;
use crate::remote::frames::VERSION;
use crate::{InputFormat, InputPlanes, PolicyLabel, PolicyValue, PositionQuery};

/// Most positions of a request.
pub(crate) const MOST_POSITIONS: usize = 256;
const MOST_LABELS: usize = PositionQuery::MOST_LABELS;
/// Longest frame before the hello.
pub(crate) const HELLO_BYTES: usize = 1 + 4 + 2 + 16;
/// Longest frame of a client that proves that it knows the secret.
pub(crate) const PROOF_BYTES: usize = 1 + TAG_BYTES;
/// Longest frame of a client.
pub(crate) const CLIENT_BYTES: usize =
    1 + 4 + 2 + MOST_POSITIONS * (628 + 15 + 2 + 2 * MOST_LABELS) + TAG_BYTES;
/// Longest frame of a server.
pub(crate) const SERVER_BYTES: usize =
    1 + 4 + 2 + MOST_POSITIONS * (4 + 2 + 4 * MOST_LABELS) + TAG_BYTES;

/// A number that two models have in common only when their files are the same. No protection against forgery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ModelFingerprint(u128);

impl ModelFingerprint {
    /// The fingerprint of a file's bytes: FNV-1a over words of eight bytes, the last one filled up with zeros, and the length.
    pub fn of(bytes: &[u8]) -> Self {
        const START: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
        const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
        let mix = |hash: u128, word: u64| (hash ^ u128::from(word)).wrapping_mul(PRIME);
        let words = bytes.chunks(8).map(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_le_bytes(word)
        });
        let hash = words.fold(START, |hash, word| {
            let hash = mix(hash, word);
            // The high bits count in the low ones too.
            hash ^ hash >> 64
        });
        Self(mix(hash, bytes.len() as u64))
    }
}

impl fmt::Display for ModelFingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// What a server says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerHello {
    /// The planes that its network wants.
    pub format: InputFormat,
    /// The fingerprint of the network's file.
    pub fingerprint: ModelFingerprint,
    /// The name of the model and what evaluates it, for people.
    pub name: String,
}

/// The evaluation of a position.
#[derive(Clone, Debug, PartialEq)]
pub struct RemoteAnswer {
    /// The probability of winning, 0 to 1.
    pub value: f32,
    /// The logits of the labels that were asked about.
    pub logits: Vec<f32>,
}

/// A message of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RemoteRequest {
    /// The first one, of this protocol and version.
    Hello,
    /// Positions to be evaluated.
    Evaluate {
        /// Number of the request, which the answer has too.
        id: u32,
        /// At least one.
        positions: Vec<PositionQuery>,
    },
    /// The client is there; wants a pong.
    Ping,
    /// The first one of a client that has a secret: its random number.
    SecretHello([u8; 16]),
    /// The proof that the client knows the secret.
    Proof([u8; TAG_BYTES]),
}

/// A message of a server.
#[derive(Clone, Debug, PartialEq)]
pub enum RemoteReply {
    /// The first one.
    Hello(ServerHello),
    /// An answer.
    Answer {
        /// Number of the request.
        id: u32,
        /// As many as there were positions.
        answers: Vec<RemoteAnswer>,
    },
    /// The server is there.
    Pong,
    /// A request was not evaluated.
    Failed {
        /// Its number.
        id: u32,
        /// Why.
        reason: String,
    },
    /// The connection ends.
    Error(String),
    /// The server's random number, and the proof that it knows the secret.
    Challenge {
        /// A random number.
        nonce: [u8; 16],
        /// The proof.
        proof: [u8; TAG_BYTES],
    },
}

impl RemoteRequest {
    /// The message as a frame, for a server whose network wants `format`.
    pub fn to_frame(&self, format: InputFormat) -> Vec<u8> {
        match self {
            Self::Hello => {
                let mut frame = FrameWriter::new(1);
                frame.0.extend(MAGIC);
                frame.u16(VERSION.into());
                frame.finish()
            }
            Self::Evaluate { id, positions } => evaluate_frame(*id, positions, format),
            Self::Ping => FrameWriter::new(3).finish(),
            Self::SecretHello(nonce) => {
                let mut frame = FrameWriter::new(4);
                frame.0.extend(MAGIC);
                frame.u16(VERSION.into());
                frame.0.extend(nonce);
                frame.finish()
            }
            Self::Proof(proof) => {
                let mut frame = FrameWriter::new(5);
                frame.0.extend(proof);
                frame.finish()
            }
        }
    }

    /// Reads what follows the length of a frame.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn from_body(body: &[u8], format: InputFormat) -> Result<Self, ProtocolError> {
        let (&kind, fields) = body.split_first().ok_or(ProtocolError::End)?;
        let mut fields = Fields(fields);
        match kind {
            1 => {
                fields.hello()?;
                fields.end(Self::Hello)
            }
            2 => {
                let id = fields.u32()?;
                let count = fields.count("positions", 1, MOST_POSITIONS)?;
                let positions = (0..count).map(|_| position(&mut fields, format));
                let positions = positions.collect::<Result<_, _>>()?;
                fields.end(Self::Evaluate { id, positions })
            }
            3 => fields.end(Self::Ping),
            4 => {
                fields.hello()?;
                let nonce = fields.array()?;
                fields.end(Self::SecretHello(nonce))
            }
            5 => {
                let proof = fields.array()?;
                fields.end(Self::Proof(proof))
            }
            other => Err(ProtocolError::Kind(other)),
        }
    }
}

/// A request as a frame.
fn evaluate_frame(id: u32, positions: &[PositionQuery], format: InputFormat) -> Vec<u8> {
    request_frame(id, positions.len(), &[encoded(positions, format)])
}

/// Positions as they are in a request.
pub(crate) fn encoded(positions: &[PositionQuery], format: InputFormat) -> Vec<u8> {
    let mut bytes = Vec::new();
    for position in positions {
        position.planes.write_bytes(format, &mut bytes);
        bytes.extend((position.labels.len() as u16).to_le_bytes());
        let labels = position.labels.iter();
        bytes.extend(labels.flat_map(|label| label.to_le_bytes()));
    }
    bytes
}

/// A request as a frame, from parts of [`encoded`] positions, `count` in all.
pub(crate) fn request_frame(id: u32, count: usize, parts: &[Vec<u8>]) -> Vec<u8> {
    let mut frame = FrameWriter::new(2);
    frame.u32(id);
    frame.u16(count);
    for part in parts {
        frame.0.extend_from_slice(part);
    }
    frame.finish()
}

fn position(fields: &mut Fields<'_>, format: InputFormat) -> Result<PositionQuery, ProtocolError> {
    let bytes = fields.bytes(InputPlanes::byte_count(format))?;
    let planes = InputPlanes::from_bytes(bytes, format).ok_or(ProtocolError::Bits)?;
    let count = fields.count("labels", 0, MOST_LABELS)?;
    let mut labels = Vec::with_capacity(count);
    for _ in 0..count {
        let label = fields.u16()?;
        let is_next = labels.last().is_none_or(|&last| last < label);
        if !is_next || usize::from(label) >= PolicyLabel::COUNT {
            return Err(ProtocolError::Label(label));
        }
        labels.push(label);
    }
    Ok(PositionQuery { planes, labels })
}

/// The answer to a request about these positions, as a frame.
pub(crate) fn answer_frame(
    id: u32,
    positions: &[PositionQuery],
    results: &[PolicyValue],
) -> Vec<u8> {
    let mut frame = FrameWriter::new(130);
    frame.u32(id);
    frame.u16(positions.len());
    for (position, result) in positions.iter().zip(results) {
        frame.f32(result.value);
        frame.u16(position.labels.len());
        for &label in &position.labels {
            frame.f32(result.logits[usize::from(label)]);
        }
    }
    frame.finish()
}

impl RemoteReply {
    /// The message as a frame.
    pub fn to_frame(&self) -> Vec<u8> {
        match self {
            Self::Hello(hello) => {
                let mut frame = FrameWriter::new(129);
                frame.0.extend(MAGIC);
                frame.u16(VERSION.into());
                frame.u16(hello.format.planes());
                frame.0.extend(hello.fingerprint.0.to_le_bytes());
                frame.text(&hello.name);
                frame.finish()
            }
            Self::Answer { id, answers } => {
                let mut frame = FrameWriter::new(130);
                frame.u32(*id);
                frame.u16(answers.len());
                for answer in answers {
                    frame.f32(answer.value);
                    frame.u16(answer.logits.len());
                    answer.logits.iter().for_each(|&logit| frame.f32(logit));
                }
                frame.finish()
            }
            Self::Pong => FrameWriter::new(131).finish(),
            Self::Failed { id, reason } => {
                let mut frame = FrameWriter::new(132);
                frame.u32(*id);
                frame.text(reason);
                frame.finish()
            }
            Self::Error(reason) => {
                let mut frame = FrameWriter::new(133);
                frame.text(reason);
                frame.finish()
            }
            Self::Challenge { nonce, proof } => {
                let mut frame = FrameWriter::new(134);
                frame.0.extend(nonce);
                frame.0.extend(proof);
                frame.finish()
            }
        }
    }

    /// Reads what follows the length of a frame.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn from_body(body: &[u8]) -> Result<Self, ProtocolError> {
        let (&kind, fields) = body.split_first().ok_or(ProtocolError::End)?;
        let mut fields = Fields(fields);
        match kind {
            129 => {
                fields.hello()?;
                let planes = fields.u16()?;
                let format = InputFormat::with_planes(planes.into());
                let hello = ServerHello {
                    format: format.ok_or(ProtocolError::Planes(planes))?,
                    fingerprint: ModelFingerprint(u128::from_le_bytes(fields.array()?)),
                    name: fields.text()?,
                };
                fields.end(Self::Hello(hello))
            }
            130 => {
                let id = fields.u32()?;
                let count = fields.count("positions", 1, MOST_POSITIONS)?;
                let answers = (0..count).map(|_| answer(&mut fields));
                let answers = answers.collect::<Result<_, _>>()?;
                fields.end(Self::Answer { id, answers })
            }
            131 => fields.end(Self::Pong),
            132 => {
                let id = fields.u32()?;
                let reason = fields.text()?;
                fields.end(Self::Failed { id, reason })
            }
            133 => {
                let reason = fields.text()?;
                fields.end(Self::Error(reason))
            }
            134 => {
                let (nonce, proof) = (fields.array()?, fields.array()?);
                fields.end(Self::Challenge { nonce, proof })
            }
            other => Err(ProtocolError::Kind(other)),
        }
    }
}

fn answer(fields: &mut Fields<'_>) -> Result<RemoteAnswer, ProtocolError> {
    let value = fields.f32()?;
    let count = fields.count("labels", 0, MOST_LABELS)?;
    let logits = fields.bytes(4 * count)?.chunks_exact(4);
    let logits: Vec<f32> = logits
        .map(|bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
        .collect();
    let is_number = |logit: &f32| logit.is_finite();
    if (0.0..=1.0).contains(&value) && logits.iter().all(is_number) {
        Ok(RemoteAnswer { value, logits })
    } else {
        Err(ProtocolError::Number)
    }
}
