//! Messages between a search and the server of its network: read as they are written, or an error.

use shogi_deep::{
    FrameReader, InputFormat, InputPlanes, ProtocolError, RemoteAnswer, RemoteReply, RemoteRequest,
};

use crate::remote::{FORMAT, game, local, request};

/// Messages of every kind, as frames without their lengths.
fn bodies() -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
    let clients = [
        RemoteRequest::Hello,
        request(3, vec![0, 5, 2186]),
        RemoteRequest::Ping,
        RemoteRequest::SecretHello([7; 16]),
        RemoteRequest::Proof([9; 32]),
    ];
    let servers = [
        RemoteReply::Hello(local().hello("名前")),
        RemoteReply::Answer {
            id: 9,
            answers: vec![
                RemoteAnswer {
                    value: 0.25,
                    logits: vec![-3.5, 0.0],
                },
                RemoteAnswer {
                    value: 1.0,
                    logits: Vec::new(),
                },
            ],
        },
        RemoteReply::Pong,
        RemoteReply::Failed {
            id: 1,
            reason: "why".to_owned(),
        },
        RemoteReply::Error("over".to_owned()),
        RemoteReply::Challenge {
            nonce: [1; 16],
            proof: [2; 32],
        },
    ];
    let mut bodies = (Vec::new(), Vec::new());
    for message in clients {
        let body = message.to_frame(FORMAT).split_off(4);
        assert_eq!(RemoteRequest::from_body(&body, FORMAT), Ok(message));
        bodies.0.push(body);
    }
    for message in servers {
        let body = message.to_frame().split_off(4);
        assert_eq!(RemoteReply::from_body(&body), Ok(message));
        bodies.1.push(body);
    }
    bodies
}

#[test]
fn messages_are_read_as_they_are_written_or_not_at_all() {
    let (clients, servers) = bodies();
    for body in &clients {
        for end in 0..body.len() {
            assert!(
                RemoteRequest::from_body(&body[..end], FORMAT).is_err(),
                "{end}"
            );
        }
        let longer = [&body[..], &[0]].concat();
        assert_eq!(
            RemoteRequest::from_body(&longer, FORMAT),
            Err(ProtocolError::End)
        );
    }
    // Texts go to the end of a message.
    for body in &servers[1..3] {
        for end in 0..body.len() {
            assert!(RemoteReply::from_body(&body[..end]).is_err(), "{end}");
        }
    }
    // A damaged byte is an error, or another message that is written as it is read.
    let mut read = 0;
    for body in clients.iter().chain(&servers) {
        for place in 0..body.len() {
            for mask in [1, 0x80, 0xff] {
                let mut damaged = body.clone();
                damaged[place] ^= mask;
                if let Ok(message) = RemoteRequest::from_body(&damaged, FORMAT) {
                    assert_eq!(message.to_frame(FORMAT)[4..], damaged);
                    read += 1;
                }
                if let Ok(message) = RemoteReply::from_body(&damaged) {
                    assert_eq!(message.to_frame()[4..], damaged);
                    read += 1;
                }
            }
        }
    }
    assert!(read > 100, "{read}");
}

#[test]
fn frames_come_in_parts() {
    let frame = request(5, vec![1, 2, 3]).to_frame(FORMAT);
    let stream = [&frame[..], &frame, &frame].concat();
    for size in [1, 3, 700, 5000] {
        let mut frames = FrameReader::default();
        let mut found = 0;
        for mut part in stream.chunks(size) {
            frames.read_from(&mut part).unwrap();
            while let Some(body) = frames.take(1000).unwrap() {
                assert_eq!(body, frame[4..]);
                found += 1;
            }
        }
        assert!(found == 3 && !frames.is_within_frame(), "{size}");
    }
    let mut frames = FrameReader::default();
    frames.read_from(&mut &[0xff; 9][..]).unwrap();
    let error = ProtocolError::Length {
        found: u32::MAX,
        most: 1000,
    };
    assert_eq!(frames.take(1000), Err(error));
}

#[test]
fn planes_are_bits() {
    for format in InputFormat::ALL {
        let planes = InputPlanes::new(game().position());
        let mut bytes = Vec::new();
        planes.write_bytes(format, &mut bytes);
        assert_eq!(bytes.len(), InputPlanes::byte_count(format));
        let read = InputPlanes::from_bytes(&bytes, format).unwrap();
        assert!(read.board_bits().eq(planes.board_bits()));
        assert!(read.state_planes(format).eq(planes.state_planes(format)));
        assert!(InputPlanes::from_bytes(&bytes[1..], format).is_none());
        let last = bytes.len() - 1;
        bytes[last] |= 0x80;
        assert!(InputPlanes::from_bytes(&bytes, format).is_none());
    }
}
