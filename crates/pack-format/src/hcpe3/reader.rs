//! Games one after the other.

use std::io::{self, Read};

use thiserror::Error;

use super::{Fault, Hcpe3Game, Replayer, frame};

/// Bytes asked of a stream at once.
const READ: usize = 256 << 10;

/// A fault with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("byte {}: game {game} (begins at byte {offset}): {fault}", offset + fault.at() as u64)]
pub struct GameFault {
    /// Number of the game, from 1.
    pub game: u64,
    /// Offset of its first byte.
    pub offset: u64,
    /// What is wrong with it.
    pub fault: Fault,
}

impl GameFault {
    /// Offset of the wrong bytes.
    pub const fn byte(&self) -> u64 {
        self.offset + self.fault.at() as u64
    }
}

/// Why there is no next game.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The stream failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The next game is damaged.
    #[error(transparent)]
    Fault(#[from] GameFault),
}

/// The games of `bytes`, each checked. Ends after the first fault.
pub fn games(bytes: &[u8]) -> Games<'_> {
    Games {
        bytes,
        at: 0,
        game: 1,
        replayer: Replayer::default(),
    }
}

/// The games of bytes in memory, for example a mapped file; see [`games`].
#[derive(Clone, Debug)]
pub struct Games<'a> {
    bytes: &'a [u8],
    at: usize,
    game: u64,
    replayer: Replayer,
}

impl Games<'_> {
    /// Offset of the next game: that of the first damaged one after a fault.
    pub const fn offset(&self) -> usize {
        self.at
    }
}

impl Iterator for Games<'_> {
    type Item = Result<Hcpe3Game, GameFault>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.bytes.get(self.at..).filter(|rest| !rest.is_empty())?;
        Some(match read_game(rest, &mut self.replayer) {
            Ok((game, len)) => {
                self.at += len;
                self.game += 1;
                Ok(game)
            }
            Err(fault) => {
                self.bytes = &self.bytes[..self.at];
                Err(GameFault {
                    game: self.game,
                    offset: self.at as u64,
                    fault,
                })
            }
        })
    }
}

/// The game at the start of `bytes` and its length.
fn read_game(bytes: &[u8], replayer: &mut Replayer) -> Result<(Hcpe3Game, usize), Fault> {
    let frame = frame(bytes).map_err(|fault| replayer.first_fault(bytes, fault))?;
    Ok((Hcpe3Game::from_frame(&frame, replayer)?, frame.len))
}

/// The games of a stream. Ends after the first error; the games before it are good.
///
/// Memory is bounded by the longest game.
#[derive(Debug)]
pub struct Reader<R> {
    stream: R,
    buffer: Vec<u8>,
    /// Where in the buffer the next game begins.
    at: usize,
    /// Offset of the buffer in the stream.
    base: u64,
    game: u64,
    replayer: Replayer,
    ended: bool,
    failed: bool,
}

impl<R: Read> Reader<R> {
    /// A reader.
    pub fn new(stream: R) -> Self {
        Self {
            stream,
            buffer: Vec::new(),
            at: 0,
            base: 0,
            game: 1,
            replayer: Replayer::default(),
            ended: false,
            failed: false,
        }
    }

    /// Offset of the next game, or of the damaged one after a fault.
    pub const fn offset(&self) -> u64 {
        self.base + self.at as u64
    }

    /// Reads on; false at the end of the stream.
    fn fill(&mut self) -> io::Result<bool> {
        self.buffer.drain(..self.at);
        self.base += self.at as u64;
        self.at = 0;
        let wanted = READ.max(self.buffer.len()) as u64;
        let read = self
            .stream
            .by_ref()
            .take(wanted)
            .read_to_end(&mut self.buffer)?;
        self.ended = read == 0;
        Ok(read > 0)
    }

    fn read(&mut self) -> Result<Option<Hcpe3Game>, ReadError> {
        loop {
            let rest = &self.buffer[self.at..];
            if !self.ended && matches!(frame(rest), Err(Fault::Truncated { .. })) {
                self.fill()?;
                continue;
            }
            if rest.is_empty() {
                return Ok(None);
            }
            let game = read_game(rest, &mut self.replayer);
            let (game, len) = game.map_err(|fault| GameFault {
                game: self.game,
                offset: self.base + self.at as u64,
                fault,
            })?;
            self.at += len;
            self.game += 1;
            return Ok(Some(game));
        }
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Result<Hcpe3Game, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let game = self.read();
        self.failed = game.is_err();
        game.transpose()
    }
}
