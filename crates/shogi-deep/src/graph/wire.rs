//! Fields of a message as bytes, so that a model can be changed here and there without losing what nobody asked about.
//!
//! Source: the encoding of Protocol Buffers. The bytes were decoded before, so that a field that cannot be read is the end.

use prost::encoding::{WireType, decode_varint, encode_key, encode_varint};

/// A field of a message.
pub(super) struct Field<'a> {
    pub(super) number: u32,
    /// The bytes of a message or a text; none for numbers.
    pub(super) payload: Option<&'a [u8]>,
    /// All bytes, the key included.
    pub(super) whole: &'a [u8],
}

/// The fields of a message, in order.
pub(super) fn fields(message: &[u8]) -> impl Iterator<Item = Field<'_>> {
    let mut rest = message;
    std::iter::from_fn(move || {
        let begin = rest;
        let key = decode_varint(&mut rest).ok()?;
        let mut payload = None;
        match key & 7 {
            0 => drop(decode_varint(&mut rest).ok()?),
            1 => rest = rest.get(8..)?,
            2 => {
                let length = usize::try_from(decode_varint(&mut rest).ok()?).ok()?;
                let (here, after) = rest.split_at_checked(length)?;
                (payload, rest) = (Some(here), after);
            }
            5 => rest = rest.get(4..)?,
            _ => return None,
        }
        Some(Field {
            number: u32::try_from(key >> 3).ok()?,
            payload,
            whole: &begin[..begin.len() - rest.len()],
        })
    })
}

/// Appends a field that is a message or a text.
pub(super) fn put_bytes(out: &mut Vec<u8>, number: u32, payload: &[u8]) {
    encode_key(number, WireType::LengthDelimited, out);
    encode_varint(payload.len() as u64, out);
    out.extend_from_slice(payload);
}

/// Appends a field that is a whole number.
pub(super) fn put_number(out: &mut Vec<u8>, number: u32, value: u64) {
    encode_key(number, WireType::Varint, out);
    encode_varint(value, out);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_and_written_as_they_were() {
        let mut message = Vec::new();
        put_number(&mut message, 1, 300);
        put_bytes(&mut message, 7, b"graph");
        message.extend([0x0d | 0x10, 1, 2, 3, 4]);
        let numbers: Vec<_> = fields(&message)
            .map(|field| (field.number, field.payload.map(<[u8]>::to_vec)))
            .collect();
        let expected = [(1, None), (7, Some(b"graph".to_vec())), (3, None)];
        assert_eq!(numbers, expected);
        let again: Vec<u8> = fields(&message)
            .flat_map(|field| field.whole.to_vec())
            .collect();
        assert_eq!(again, message);
        // Where the bytes end too early, so do the fields.
        assert_eq!(fields(&message[..6]).count(), 1);
        assert_eq!(fields(&[0x3a, 0xff, 0xff, 0xff, 0xff, 0x0f]).count(), 0);
    }
}
