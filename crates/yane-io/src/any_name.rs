//! Names of files and folders that are no UTF-8, carried in text.
//!
//! Names on Unix are bytes, such as names in Shift JIS. Between the command line or a line of a protocol and the file
//! system they are values of options, which are text. [`text_of_bytes`] and [`text_of_name`] put a byte that is no
//! part of UTF-8 into a character for private use (U+F780 to U+F7FF, its value above U+F700), and do so with the bytes
//! of these characters themselves and of the controls U+0080 to U+009F, which pairs of such bytes look like: so
//! [`path_of_text`] and [`bytes_of_text`] give every name back as it was. All other text is the same in both forms.
//!
//! Where names are no bytes (Windows), what is no text is replaced by U+FFFD.
//!
//! ```
//! # #[cfg(unix)] {
//! use std::os::unix::ffi::OsStrExt as _;
//!
//! // A folder named in Shift JIS.
//! let line = b"setoption name EvalDir value \x95\x5d\x89\xbf";
//! let text = yane_io::text_of_bytes(line);
//! let folder = yane_io::path_of_text(text.rsplit(' ').next().unwrap());
//! assert_eq!(folder.as_os_str().as_bytes(), b"\x95\x5d\x89\xbf");
//! # }
//! ```

use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::PathBuf;

/// The characters in which bytes of 0x80 and above are carried lie this far above them.
const ABOVE: u32 = 0xf700;

/// The byte that a character carries.
fn carried_byte(letter: char) -> Option<u8> {
    let byte = u8::try_from(u32::from(letter).checked_sub(ABOVE)?).ok()?;
    (byte >= 0x80).then_some(byte)
}

/// Returns whether a character is carried in its bytes.
fn needs_carrying(letter: char) -> bool {
    carried_byte(letter).is_some() || matches!(letter, '\u{80}'..='\u{9f}')
}

/// Text that carries these bytes, most of them UTF-8.
pub fn text_of_bytes(bytes: &[u8]) -> String {
    if cfg!(not(unix)) {
        return String::from_utf8_lossy(bytes).into_owned();
    }
    let mut text = String::with_capacity(bytes.len());
    let carry = |text: &mut String, bytes: &[u8]| {
        let letters = bytes
            .iter()
            .filter_map(|&byte| char::from_u32(ABOVE + u32::from(byte)));
        text.extend(letters);
    };
    for chunk in bytes.utf8_chunks() {
        let mut rest = chunk.valid();
        while let Some((at, letter)) = rest
            .char_indices()
            .find(|&(_, letter)| needs_carrying(letter))
        {
            let end = at + letter.len_utf8();
            text.push_str(&rest[..at]);
            carry(&mut text, &rest.as_bytes()[at..end]);
            rest = &rest[end..];
        }
        text.push_str(rest);
        carry(&mut text, chunk.invalid());
    }
    text
}

/// Text that carries a word of the command line, or the name of a file.
pub fn text_of_name(name: &OsStr) -> String {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt as _;
        text_of_bytes(name.as_bytes())
    }
    #[cfg(not(unix))]
    name.to_string_lossy().into_owned()
}

/// The bytes that text carries.
pub fn bytes_of_text(text: &str) -> Cow<'_, [u8]> {
    if cfg!(not(unix)) || !text.contains(|letter| carried_byte(letter).is_some()) {
        return text.as_bytes().into();
    }
    let mut bytes = Vec::with_capacity(text.len());
    for letter in text.chars() {
        match carried_byte(letter) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    bytes.into()
}

/// The file or folder that text names.
pub fn path_of_text(text: &str) -> PathBuf {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt as _;
        PathBuf::from(OsStr::from_bytes(&bytes_of_text(text)))
    }
    #[cfg(not(unix))]
    PathBuf::from(text)
}

/// Text for people: bytes that are no UTF-8 become U+FFFD.
pub fn shown_text(text: &str) -> Cow<'_, str> {
    match bytes_of_text(text) {
        Cow::Borrowed(_) => text.into(),
        Cow::Owned(bytes) => String::from_utf8_lossy(&bytes).into_owned().into(),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::ffi::OsStrExt as _;

    use super::*;

    /// 評価, 表 and ﾂ亜 in Shift JIS; the last looks like a control and a letter.
    const SHIFT_JIS: [&[u8]; 3] = [b"\x95\x5d\x89\xbf", b"\x95\x5c", b"\xc2\x88\x9f"];

    #[test]
    fn names_come_back_as_they_were() {
        let mut names: Vec<Vec<u8>> = SHIFT_JIS.map(<[u8]>::to_vec).to_vec();
        names.extend((0..=255).map(|byte| vec![b'a', byte, b'b']));
        for letter in [
            '\u{7f}', '\u{80}', '\u{9f}', '\u{a0}', '\u{f77f}', '\u{f780}', '\u{f7ff}', '\u{f800}',
            '評',
        ] {
            names.push(format!("a{letter}b").into_bytes());
        }
        for name in names {
            let text = text_of_bytes(&name);
            assert_eq!(bytes_of_text(&text), name, "{text:?}");
            assert_eq!(path_of_text(&text).as_os_str().as_bytes(), name);
            assert_eq!(text_of_name(OsStr::from_bytes(&name)), text);
            assert_eq!(shown_text(&text), String::from_utf8_lossy(&name));
        }
    }

    #[test]
    fn text_stays_as_it_is() {
        for text in [
            "",
            "eval",
            "setoption name EvalDir value 評価/ｱ",
            "\u{a0}\u{f77f}\u{f800}",
        ] {
            assert_eq!(text_of_bytes(text.as_bytes()), text);
            assert!(matches!(bytes_of_text(text), Cow::Borrowed(_)));
        }
    }

    #[test]
    fn carried_names_have_no_blanks_and_controls() {
        let bytes: Vec<u8> = (0x80..=0xff).collect();
        let pairs = bytes.iter().map(|&byte| [0xc2, byte]);
        for name in pairs.chain(bytes.iter().map(|&byte| [byte, b'a'])) {
            let text = text_of_bytes(&name);
            let is_blank = name == [0xc2, 0xa0];
            let blanks = text.contains(char::is_whitespace) || text.contains(char::is_control);
            assert_eq!(blanks, is_blank, "{name:?}");
        }
    }
}
