//! Bytes in base64, as pages send files that are no text.

/// The bytes of a text in base64, with or without padding and line breaks; `None` if it is none.
pub(crate) fn from_base64(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0);
    let text = text.trim_end();
    let text = text
        .strip_suffix("==")
        .or(text.strip_suffix('='))
        .unwrap_or(text);
    for letter in text.bytes().filter(|byte| !byte.is_ascii_whitespace()) {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    (count < 6).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_out() {
        for (text, bytes) in [
            ("", Some("")),
            ("TQ==", Some("M")),
            ("TWE=", Some("Ma")),
            ("TWFu", Some("Man")),
            ("TWFu\nTWE", Some("ManMa")),
            ("T", None),
            ("TW!u", None),
            ("あ", None),
        ] {
            assert_eq!(
                from_base64(text).as_deref(),
                bytes.map(str::as_bytes),
                "{text}"
            );
        }
    }
}
