//! Texts in the encodings of Japanese before UTF-8.
//!
//! Modules for the tab of a browser know none of them: their tables would be a twelfth of what is loaded, and every browser has them, so that the
//! page hands over texts that are decoded.

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
pub use none::*;
#[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
pub use tables::*;

#[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
mod tables {
    use std::borrow::Cow;

    use encoding_rs::{EUC_JP, SHIFT_JIS};

    /// A text in `Shift_JIS`; `None` if the bytes are none. In the tab of a browser none are.
    pub fn decode_shift_jis(bytes: &[u8]) -> Option<Cow<'_, str>> {
        SHIFT_JIS.decode_without_bom_handling_and_without_replacement(bytes)
    }

    /// A text in EUC-JP; `None` if the bytes are none. In the tab of a browser none are.
    pub fn decode_euc_jp(bytes: &[u8]) -> Option<Cow<'_, str>> {
        EUC_JP.decode_without_bom_handling_and_without_replacement(bytes)
    }

    /// The bytes of a text in `Shift_JIS`, and true if it has a character that the encoding does not have: something else stands for it. In the
    /// tab of a browser the encoding is ASCII.
    pub fn encode_shift_jis(text: &str) -> (Cow<'_, [u8]>, bool) {
        let (bytes, _, is_lossy) = SHIFT_JIS.encode(text);
        (bytes, is_lossy)
    }
}

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
#[expect(missing_docs, reason = "as those with tables")]
mod none {
    use std::borrow::Cow;

    pub fn decode_shift_jis(_: &[u8]) -> Option<Cow<'_, str>> {
        None
    }

    pub fn decode_euc_jp(_: &[u8]) -> Option<Cow<'_, str>> {
        None
    }

    pub fn encode_shift_jis(text: &str) -> (Cow<'_, [u8]>, bool) {
        let ascii = |c: char| if c.is_ascii() { c as u8 } else { b'?' };
        let is_lossy = !text.is_ascii();
        (text.chars().map(ascii).collect(), is_lossy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_decoded_and_encoded() {
        let (bytes, is_lossy) = encode_shift_jis("先手");
        assert_eq!((&*bytes, is_lossy), (b"\x90\xe6\x8e\xe8".as_slice(), false));
        assert_eq!(decode_shift_jis(&bytes).unwrap(), "先手");
        assert_eq!(decode_euc_jp(b"\xc0\xe8\xbc\xea").unwrap(), "先手");
        assert!(encode_shift_jis("♞").1);
        assert_eq!(decode_shift_jis(b"\x90"), None);
        assert_eq!(decode_euc_jp(b"\xff"), None);
    }
}
