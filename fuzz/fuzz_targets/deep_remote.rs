//! Any bytes on a connection between an evaluation server and its client, in any parts, are messages or an error; a message is written as it was read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shogi_deep::{RemoteRequest, FrameReader, InputFormat, RemoteReply};

/// Longer than any message.
const MOST: usize = 1 << 20;

fuzz_target!(|input: (u16, &[u8])| {
    let (size, bytes) = input;
    let mut frames = FrameReader::default();
    for mut part in bytes.chunks(usize::from(size).max(1)) {
        while frames.read_from(&mut part).unwrap() > 0 {}
        while let Some(body) = match frames.take(MOST) {
            Ok(body) => body,
            Err(error) => {
                assert!(!error.to_string().is_empty());
                return;
            }
        } {
            for format in InputFormat::ALL {
                match RemoteRequest::from_body(&body, format) {
                    Ok(message) => assert_eq!(message.to_frame(format)[4..], body),
                    Err(error) => assert!(!error.to_string().is_empty()),
                }
            }
            match RemoteReply::from_body(&body) {
                Ok(message) => assert_eq!(message.to_frame()[4..], body),
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }
    }
});
