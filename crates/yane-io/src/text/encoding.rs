//! Encodings of text files, and the conversion of UTF-16 to UTF-8.

/// The encoding of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// UTF-8, ASCII, or another encoding whose ASCII characters are single bytes (Shift JIS).
    #[default]
    Utf8,
    /// UTF-16, low byte first, as Windows writes it.
    Utf16Le,
    /// UTF-16, high byte first.
    Utf16Be,
}

const UTF8_MARK: &[u8] = b"\xef\xbb\xbf";

impl Encoding {
    /// The encoding of the text that begins with `head`, and the length of the byte order mark there (0: none).
    ///
    /// Without a mark it is UTF-16 only when that is clear: at least half of it is ASCII in UTF-16, and nothing is
    /// a control character or half a character.
    pub fn of(head: &[u8]) -> (Self, usize) {
        if head.starts_with(UTF8_MARK) {
            return (Self::Utf8, UTF8_MARK.len());
        }
        for (encoding, mark) in [(Self::Utf16Le, b"\xff\xfe"), (Self::Utf16Be, b"\xfe\xff")] {
            if head.starts_with(mark) {
                return (encoding, mark.len());
            }
        }
        let utf16 = [Self::Utf16Le, Self::Utf16Be];
        let found = utf16.into_iter().find(|encoding| encoding.is_clear(head));
        (found.unwrap_or_default(), 0)
    }

    /// Name for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Utf16Le => "UTF-16 (little endian)",
            Self::Utf16Be => "UTF-16 (big endian)",
        }
    }

    /// Returns whether a character takes two bytes or four.
    pub const fn is_utf16(self) -> bool {
        matches!(self, Self::Utf16Le | Self::Utf16Be)
    }

    /// The code unit in two bytes.
    pub(super) const fn unit(self, bytes: [u8; 2]) -> u16 {
        match self {
            Self::Utf16Be => u16::from_be_bytes(bytes),
            Self::Utf16Le | Self::Utf8 => u16::from_le_bytes(bytes),
        }
    }

    /// Returns whether text without a byte order mark is in this kind of UTF-16, beyond doubt.
    fn is_clear(self, head: &[u8]) -> bool {
        let (units, _) = head.as_chunks();
        let mut ascii = 0;
        let mut high = false;
        for &bytes in units {
            let unit = self.unit(bytes);
            let low = (0xDC00..0xE000).contains(&unit);
            if low != high || !(unit >= 0x20 || matches!(unit, 0x09 | 0x0A | 0x0D)) {
                return false;
            }
            high = (0xD800..0xDC00).contains(&unit);
            ascii += usize::from(unit < 0x7F);
        }
        !units.is_empty() && ascii * 2 >= units.len()
    }
}

/// Turns UTF-16 into UTF-8, piece by piece.
#[derive(Clone, Debug)]
pub(super) struct Decoder {
    encoding: Encoding,
    /// The first byte of a code unit that is cut in two.
    byte: Option<u8>,
    /// The first half of a character that is cut in two.
    high: Option<u16>,
}

impl Decoder {
    pub(super) const fn new(encoding: Encoding) -> Self {
        Self {
            encoding,
            byte: None,
            high: None,
        }
    }

    /// Appends what `bytes` say to `text`.
    pub(super) fn push(&mut self, mut bytes: &[u8], text: &mut Vec<u8>) {
        if let (Some(first), [second, rest @ ..]) = (self.byte, bytes) {
            self.unit(self.encoding.unit([first, *second]), text);
            self.byte = None;
            bytes = rest;
        }
        let (units, rest) = bytes.as_chunks();
        for &unit in units {
            self.unit(self.encoding.unit(unit), text);
        }
        self.byte = rest.first().copied().or(self.byte);
    }

    /// The end of the text: what is cut off there is told by a replacement character.
    pub(super) fn finish(&mut self, text: &mut Vec<u8>) {
        if self.byte.take().is_some() | self.high.take().is_some() {
            push_char(char::REPLACEMENT_CHARACTER, text);
        }
    }

    #[inline]
    fn unit(&mut self, unit: u16, text: &mut Vec<u8>) {
        if unit < 0x80 && self.high.is_none() {
            text.push(unit as u8);
        } else {
            self.wide(unit, text);
        }
    }

    fn wide(&mut self, unit: u16, text: &mut Vec<u8>) {
        match (self.high.take(), unit) {
            (Some(high), 0xDC00..=0xDFFF) => {
                let code = 0x10000 + ((u32::from(high) - 0xD800) << 10) + u32::from(unit) - 0xDC00;
                push_char(char::from_u32(code).unwrap_or_default(), text);
            }
            (Some(_), _) => {
                push_char(char::REPLACEMENT_CHARACTER, text);
                self.unit(unit, text);
            }
            (None, 0xD800..=0xDBFF) => self.high = Some(unit),
            (None, _) => {
                let found = char::from_u32(unit.into());
                push_char(found.unwrap_or(char::REPLACEMENT_CHARACTER), text);
            }
        }
    }
}

fn push_char(char: char, text: &mut Vec<u8>) {
    text.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf16(text: &str, encoding: Encoding) -> Vec<u8> {
        let bytes = |unit: u16| match encoding {
            Encoding::Utf16Be => unit.to_be_bytes(),
            _ => unit.to_le_bytes(),
        };
        text.encode_utf16().flat_map(bytes).collect()
    }

    #[test]
    fn encodings_are_detected() {
        for (head, expected) in [
            (&b"startpos moves 7g7f"[..], (Encoding::Utf8, 0)),
            (b"\xef\xbb\xbfstartpos", (Encoding::Utf8, 3)),
            (b"\xff\xfes\0t\0", (Encoding::Utf16Le, 2)),
            (b"\xfe\xff\0s\0t", (Encoding::Utf16Be, 2)),
            (b"s\0t\0a\0r\0t\0\r\0\n\0", (Encoding::Utf16Le, 0)),
            (b"\0s\0t\0a\0r\0t\0\n", (Encoding::Utf16Be, 0)),
            (b"", (Encoding::Utf8, 0)),
            (b"a", (Encoding::Utf8, 0)),
            // Binary data with zeros here and there.
            (b"\x10\0\x20\0\0\0\x05\0", (Encoding::Utf8, 0)),
            (b"\0\0\0\0", (Encoding::Utf8, 0)),
        ] {
            assert_eq!(Encoding::of(head), expected, "{head:?}");
        }
        let text = "# 定跡 \u{1F600}\nstartpos moves 7g7f 3c3d\n";
        for encoding in [Encoding::Utf16Le, Encoding::Utf16Be] {
            assert_eq!(Encoding::of(&utf16(text, encoding)), (encoding, 0));
        }
        assert_eq!(Encoding::of(text.as_bytes()), (Encoding::Utf8, 0));
    }

    #[test]
    fn text_is_the_same_however_it_is_cut() {
        let text = "sfen 9/9 b - 1\r\n7g7f 将棋 \u{1F600}x";
        for encoding in [Encoding::Utf16Le, Encoding::Utf16Be] {
            let bytes = utf16(text, encoding);
            for size in 1..bytes.len() {
                let mut decoder = Decoder::new(encoding);
                let mut found = Vec::new();
                for piece in bytes.chunks(size) {
                    decoder.push(piece, &mut found);
                }
                decoder.finish(&mut found);
                assert_eq!(String::from_utf8(found).unwrap(), text, "{size}");
            }
        }
    }

    #[test]
    fn halves_of_characters_are_replaced() {
        for (bytes, expected) in [
            (&b"a\0\x3d\xd8b\0"[..], "a\u{fffd}b"),
            (b"a\0\x3d\xd8", "a\u{fffd}"),
            (b"a\0\x00\xde", "a\u{fffd}"),
            (b"a\0b", "a\u{fffd}"),
        ] {
            let mut decoder = Decoder::new(Encoding::Utf16Le);
            let mut found = Vec::new();
            decoder.push(bytes, &mut found);
            decoder.finish(&mut found);
            assert_eq!(String::from_utf8(found).unwrap(), expected);
        }
    }
}
