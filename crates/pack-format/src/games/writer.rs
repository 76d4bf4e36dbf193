//! Games to a stream.

use std::io::{self, Write};
use std::marker::PhantomData;

use super::FileGame;

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
    /// A writer.
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
