//! Games of a stream.

use std::io;
use std::io::{Read, Write};
use std::marker::PhantomData;

use super::{FileGame, GameProblem, GameReadError, InvalidGame, read};

/// Bytes asked of a stream at once.
const READ: usize = 256 << 10;

/// The games of a stream. Ends after the first error; the games before it are good.
///
/// Memory is bounded by the longest game.
#[derive(Debug)]
pub struct GameReader<R, G: FileGame> {
    stream: R,
    buffer: Vec<u8>,
    /// Offset of the next game in the buffer.
    at: usize,
    /// Offset of the buffer in the stream.
    base: u64,
    game: u64,
    replayer: G::Replayer,
    ended: bool,
    failed: bool,
}

impl<R: Read, G: FileGame> GameReader<R, G> {
    /// Returns a reader.
    pub fn new(stream: R) -> Self {
        Self::with_replayer(stream, G::Replayer::default())
    }

    /// A reader of games that are played by `replayer`.
    pub(crate) fn with_replayer(stream: R, replayer: G::Replayer) -> Self {
        Self {
            stream,
            buffer: Vec::new(),
            at: 0,
            base: 0,
            game: 1,
            replayer,
            ended: false,
            failed: false,
        }
    }

    /// Offset of the next game, or of the damaged one after a problem.
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

    fn read(&mut self) -> Result<Option<G>, GameReadError<G::Problem>> {
        loop {
            let rest = &self.buffer[self.at..];
            if !self.ended && G::frame(rest).is_err_and(|problem| problem.is_truncated()) {
                self.fill()?;
                continue;
            }
            if rest.is_empty() {
                return Ok(None);
            }
            let (game, len) = read(rest, &mut self.replayer).map_err(|problem| InvalidGame {
                game: self.game,
                offset: self.base + self.at as u64,
                problem,
            })?;
            self.at += len;
            self.game += 1;
            return Ok(Some(game));
        }
    }
}

impl<R: Read, G: FileGame> Iterator for GameReader<R, G> {
    type Item = Result<G, GameReadError<G::Problem>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let game = self.read();
        self.failed = game.is_err();
        game.transpose()
    }
}

// Games to a stream.

/// Bytes collected before they are written.
const BUFFER: usize = 64 << 10;

/// Writes games. Dropping it without [`Self::finish`] loses what is still in its buffer.
#[derive(Debug)]
pub struct GameWriter<W, G> {
    stream: W,
    buffer: Vec<u8>,
    games: u64,
    /// A file holds games of one format.
    format: PhantomData<G>,
}

impl<W: Write, G: FileGame> GameWriter<W, G> {
    /// Returns a writer.
    pub const fn new(stream: W) -> Self {
        Self {
            stream,
            buffer: Vec::new(),
            games: 0,
            format: PhantomData,
        }
    }

    /// Writes a game.
    ///
    /// # Errors
    /// When the stream refuses bytes.
    pub fn write(&mut self, game: &G) -> io::Result<()> {
        game.encode(&mut self.buffer);
        self.games += 1;
        if self.buffer.len() >= BUFFER {
            self.drain()?;
        }
        Ok(())
    }

    /// Games written.
    pub const fn games(&self) -> u64 {
        self.games
    }

    /// Passes everything to the stream and flushes it, which a self-play run does after each game.
    ///
    /// # Errors
    /// When the stream refuses bytes.
    pub fn flush(&mut self) -> io::Result<()> {
        self.drain()?;
        self.stream.flush()
    }

    /// Ends the file: all bytes are with the stream, which is given back.
    ///
    /// # Errors
    /// When the stream refuses bytes.
    pub fn finish(mut self) -> io::Result<W> {
        self.flush()?;
        Ok(self.stream)
    }

    fn drain(&mut self) -> io::Result<()> {
        self.stream.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }
}
