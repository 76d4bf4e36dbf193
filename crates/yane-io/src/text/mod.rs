//! Text files in every encoding that people have, read as UTF-8.
//!
//! Windows writes UTF-16 where nobody expects it (`>` of PowerShell, "Unicode" of the editor), and byte order marks
//! in front of UTF-8. [`TextReader`] gives the text without its mark, as UTF-8, and hands plain files through
//! untouched. [`TextFile`] opens a file in this way, and refuses what is no text of the expected kind.

mod encoding;
mod file;
mod japanese;
mod lines;

use std::io::{self, ErrorKind, Read};

use encoding::Decoder;
pub use encoding::Encoding as TextEncoding;
pub use japanese::{decode_euc_jp, decode_shift_jis, encode_shift_jis};
pub use lines::{BoundedLines, LONGEST_LINE, LineError, escaped, escaped_lines};

use crate::sniff::Head;
pub use file::TextFile;

/// Bytes that are decoded at a time.
const BLOCK: usize = 64 << 10;

/// Reads text as UTF-8, without its byte order mark.
#[derive(Debug)]
pub struct TextReader<R> {
    source: R,
    head: Head,
    encoding: TextEncoding,
    has_mark: bool,
    /// Text that was not handed out yet, from `at` on.
    ready: Vec<u8>,
    at: usize,
    /// The decoder of the rest into UTF-8; `None` when it is handed through as it is.
    decoder: Option<Decoder>,
}

impl<R: Read> TextReader<R> {
    /// Reads the first bytes of `source` and finds out how its characters are stored. `len` is the length in bytes if
    /// it is known.
    ///
    /// # Errors
    /// When `source` cannot be read.
    pub fn new(mut source: R, len: Option<u64>) -> io::Result<Self> {
        let head = Head::take(&mut source, len)?;
        let (encoding, mark) = TextEncoding::of(head.bytes());
        let start = &head.bytes()[mark..];
        let mut ready = Vec::new();
        let mut decoder = None;
        if encoding.is_utf16() {
            decoder
                .insert(Decoder::new(encoding))
                .push(start, &mut ready);
        } else {
            ready.extend_from_slice(start);
        }
        Ok(Self {
            source,
            encoding,
            has_mark: mark > 0,
            head,
            ready,
            at: 0,
            decoder,
        })
    }

    /// The first bytes as they are stored.
    pub const fn head(&self) -> &Head {
        &self.head
    }

    /// The encoding.
    pub const fn encoding(&self) -> TextEncoding {
        self.encoding
    }

    /// Returns whether a byte order mark was in front.
    pub const fn has_mark(&self) -> bool {
        self.has_mark
    }

    /// Appends up to `most` bytes of text to `bytes`, fewer only at the end, and tells how many.
    ///
    /// # Errors
    /// When the source cannot be read.
    pub fn read_up_to(&mut self, most: u64, bytes: &mut Vec<u8>) -> io::Result<u64> {
        let mut missing = most;
        loop {
            let here = &self.ready[self.at..];
            let now = here
                .len()
                .min(usize::try_from(missing).unwrap_or(usize::MAX));
            bytes.extend_from_slice(&here[..now]);
            self.at += now;
            missing -= now as u64;
            if missing == 0 {
                return Ok(most);
            }
            if self.decoder.is_none() {
                let read = read_all(&mut self.source, missing, bytes)?;
                return Ok(most - missing + read);
            }
            if !self.decode()? {
                return Ok(most - missing);
            }
        }
    }

    /// Decodes the next block; false at the end.
    fn decode(&mut self) -> io::Result<bool> {
        let Some(decoder) = &mut self.decoder else {
            return Ok(false);
        };
        self.ready.clear();
        self.at = 0;
        let mut block = Vec::with_capacity(BLOCK);
        if read_all(&mut self.source, BLOCK as u64, &mut block)? == 0 {
            decoder.finish(&mut self.ready);
        }
        decoder.push(&block, &mut self.ready);
        Ok(!block.is_empty() || !self.ready.is_empty())
    }
}

/// Appends up to `most` bytes, fewer only at the end, and tells how many.
pub(crate) fn read_all(source: &mut impl Read, most: u64, bytes: &mut Vec<u8>) -> io::Result<u64> {
    let before = bytes.len();
    loop {
        let read = (bytes.len() - before) as u64;
        match source.by_ref().take(most - read).read_to_end(bytes) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            result => {
                result?;
                return Ok((bytes.len() - before) as u64);
            }
        }
    }
}

impl<R: Read> Read for TextReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.ready.len() {
            if self.decoder.is_none() {
                return self.source.read(buffer);
            }
            if !self.decode()? {
                return Ok(0);
            }
        }
        let here = &self.ready[self.at..];
        let now = here.len().min(buffer.len());
        buffer[..now].copy_from_slice(&here[..now]);
        self.at += now;
        Ok(now)
    }
}

/// Text in memory, as UTF-8 without its byte order mark.
pub fn decode_text(bytes: &[u8]) -> Vec<u8> {
    let (encoding, mark) = TextEncoding::of(&bytes[..bytes.len().min(Head::LEN)]);
    let rest = &bytes[mark..];
    if !encoding.is_utf16() {
        return rest.to_vec();
    }
    let mut text = Vec::with_capacity(rest.len() / 2);
    let mut decoder = Decoder::new(encoding);
    decoder.push(rest, &mut text);
    decoder.finish(&mut text);
    text
}

impl Head {
    /// The bytes as UTF-8 without a byte order mark.
    pub fn text(&self) -> Vec<u8> {
        decode_text(&self.bytes)
    }
}

/// Two hexadecimal digits for each byte.
pub fn hexadecimal(bytes: impl AsRef<[u8]>) -> String {
    use std::fmt::Write as _;
    let mut text = String::with_capacity(2 * bytes.as_ref().len());
    for byte in bytes.as_ref() {
        write!(text, "{byte:02x}").expect("a String takes any text");
    }
    text
}

#[cfg(test)]
mod tests {
    use crate::sniff::Expected;

    use super::*;

    /// `text` in every encoding, with and without a byte order mark.
    fn encoded(text: &str) -> Vec<(Vec<u8>, TextEncoding)> {
        let le: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let be: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let marked = |mark: &[u8], bytes: &[u8]| [mark, bytes].concat();
        vec![
            (text.as_bytes().to_vec(), TextEncoding::Utf8),
            (marked(b"\xef\xbb\xbf", text.as_bytes()), TextEncoding::Utf8),
            (marked(b"\xff\xfe", &le), TextEncoding::Utf16Le),
            (marked(b"\xfe\xff", &be), TextEncoding::Utf16Be),
            (le, TextEncoding::Utf16Le),
            (be, TextEncoding::Utf16Be),
        ]
    }

    #[test]
    fn every_encoding_gives_the_same_text() {
        let line = |n: usize| format!("startpos moves 7g7f 3c3d 将棋 {}\r\n", "x".repeat(n % 41));
        let long: String = (0..5000).map(line).collect();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.sfen");
        for text in [long.as_str(), "a", "startpos\n"] {
            for (bytes, encoding) in encoded(text) {
                std::fs::write(&path, &bytes).unwrap();
                let mut file = TextFile::open(&path, &Expected::text("games")).unwrap();
                assert_eq!(file.encoding(), encoding);
                let mut whole = Vec::new();
                file.read_up_to(u64::MAX, &mut whole).unwrap();
                assert!(whole == text.as_bytes());
                assert!(decode_text(&bytes) == text.as_bytes());

                let mut file = TextFile::open_any(&path).unwrap();
                let mut pieces = Vec::new();
                while file.read_up_to(777, &mut pieces).unwrap() == 777 {}
                assert!(pieces == text.as_bytes());

                let mut through_read = String::new();
                let mut file = TextFile::open_any(&path).unwrap();
                file.read_to_string(&mut through_read).unwrap();
                assert!(through_read == text);
            }
        }
    }

    #[test]
    fn binary_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.sfen");
        std::fs::write(&path, b"\x1f\x8b\x08\0abc").unwrap();
        let error = TextFile::open(&path, &Expected::text("games, one a line")).unwrap_err();
        let expected =
            "games.sfen: this is a gzip file; expected games, one a line; unpack it first";
        assert!(error.to_string().ends_with(expected), "{error}");
        assert!(TextFile::open_any(&path).is_ok());
        let error = TextFile::open_any(folder.path()).unwrap_err();
        assert!(error.to_string().ends_with("is a folder, expected a file"));
    }
}
