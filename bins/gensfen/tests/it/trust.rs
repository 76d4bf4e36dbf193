//! Machines that may not be believed, over a real NATS server. Without `nats-server` on the path these tests are skipped.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use farm::Source as _;
use farm::queue::{ItemQueue, Queue};
use selfplay::{SelfplaySettings, Starts};
use test_support::{Process, SharedRun as _};

use crate::place::Place;

const SECRET: &str = "a secret that nobody knows";

/// The queue of the processes of a place, as somebody else has it.
fn as_peer(place: &Place) -> Queue {
    let settings = SelfplaySettings {
        nodes: 60,
        games: Some(place.games),
        ..SelfplaySettings::default()
    };
    let mut queue = selfplay::queue(&settings, &Starts::initial(), &place.nats.url());
    queue.access.lease = Duration::from_secs(2);
    queue
}

#[track_caller]
fn fails(command: &mut Command) -> String {
    let Output { status, stderr, .. } = command.output().unwrap();
    let text = String::from_utf8(stderr).unwrap();
    assert!(!status.success(), "{text}");
    text
}

/// Whoever reaches the NATS server, speaking its protocol by hand.
pub(crate) struct Stranger(BufReader<TcpStream>);

impl Stranger {
    pub(crate) fn new(url: &str) -> Self {
        let stream = TcpStream::connect(url.trim_start_matches("nats://")).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_millis(50)))
            .unwrap();
        let mut stranger = Self(BufReader::new(stream));
        stranger.say(b"CONNECT {\"verbose\":false}\r\n");
        stranger
    }

    fn say(&mut self, bytes: &[u8]) {
        self.0.get_mut().write_all(bytes).unwrap();
    }

    pub(crate) fn publish(&mut self, subject: &str, message: &[u8]) {
        let head = format!("PUB {subject} {}\r\n", message.len());
        self.say(&[head.as_bytes(), message, b"\r\n"].concat());
    }

    /// Messages that come within `time`, with their subjects.
    fn listen(&mut self, time: Duration) -> Vec<(String, Vec<u8>)> {
        let end = Instant::now() + time;
        let mut heard = Vec::new();
        let mut line = Vec::new();
        while Instant::now() < end {
            if self.0.read_until(b'\n', &mut line).is_err() || !line.ends_with(b"\n") {
                continue;
            }
            let words = String::from_utf8_lossy(&line).into_owned();
            line.clear();
            let words: Vec<_> = words.split_whitespace().collect();
            match words.as_slice() {
                ["PING"] => self.say(b"PONG\r\n"),
                ["MSG", subject, .., len] => {
                    let mut message = vec![0; len.parse::<usize>().unwrap() + 2];
                    let mut at = 0;
                    while at < message.len() {
                        use std::io::Read as _;
                        at += self.0.read(&mut message[at..]).unwrap_or(0);
                    }
                    message.truncate(message.len() - 2);
                    heard.push(((*subject).to_owned(), message));
                }
                _ => {}
            }
        }
        heard
    }
}

#[test]
fn a_worker_that_sends_garbage_spoils_no_game() {
    let Some(place) = Place::new(400) else {
        return;
    };
    let _server = place.nats.start();
    let mut serve = place.serve();
    let mut honest = place.work();
    place.some_more(&mut serve);
    let items = ItemQueue::<u64>::new(&as_peer(&place)).unwrap();
    let end = Instant::now() + Duration::from_secs(60);
    // The outline of a draw, and a hundred bytes that are no game.
    let random = (0..100u32).map(|n| (n * 89 + 7) as u8);
    let garbage: Vec<u8> = [120, 0, 0, 0, 0, 1].into_iter().chain(random).collect();
    for number in 0..24 {
        let item = items.next(&|| Instant::now() > end).expect("an item");
        if number % 2 == 0 {
            items.put(item, garbage.clone()).unwrap();
        } else {
            // The number alone.
            items.put(item, Vec::new()).unwrap();
        }
    }
    items.finish(&|| Instant::now() > end);
    serve.succeeds();
    honest.succeeds();
    place.assert_same();
}

#[test]
fn messages_of_strangers_and_old_ones_do_nothing() {
    let Some(place) = Place::new(150) else {
        return;
    };
    let _server = place.nats.start();
    let secret = place.folder.path("secret");
    fs::write(&secret, SECRET).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(&secret, fs::Permissions::from_mode(0o600)).unwrap();
    }
    let mut stranger = Stranger::new(&place.nats.url());
    let id = as_peer(&place).id().to_owned();
    stranger.say(format!("SUB farm.{id}.* 1\r\n").as_bytes());
    let mut serve = Process::spawn(place.serving().args(["--secret-file", "secret"]));
    let mut honest = Process::spawn(place.working().env("YANE_SECRET", SECRET));
    // Without the secret, and with another one, nobody gets work.
    let mut others = [
        place.work(),
        Process::spawn(
            place
                .working()
                .env("YANE_SECRET", "another secret altogether"),
        ),
    ];
    place.some_more(&mut serve);
    let mut heard = stranger.listen(Duration::from_millis(500));
    assert!(heard.len() > 20, "{}", heard.len());
    heard.truncate(200);
    let result = format!("farm.{id}.result");
    for number in 0..place.games {
        // As earlier versions sent it, and as long as a sealed one.
        let old = [&number.to_le_bytes()[..], &[9; 20]].concat();
        stranger.publish(&result, &old);
        stranger.publish(&result, &[2; 120]);
        stranger.publish(&format!("farm.{id}.unit"), &number.to_le_bytes());
    }
    for (subject, message) in &heard {
        stranger.publish(subject, message);
        let mut changed = message.clone();
        changed[20] ^= 1;
        stranger.publish(subject, &changed);
    }
    stranger.say(b"PING\r\n");
    serve.succeeds();
    honest.succeeds();
    for other in &mut others {
        assert!(!other.has_ended(), "it worked");
        other.kill();
    }
    place.assert_same();
    // The results of this run, which is over, are none of the same run when it is begun again.
    for name in ["shared.pack", "shared.pack.json"] {
        fs::remove_file(place.folder.path(name)).ok();
    }
    let mut serve = Process::spawn(place.serving().args(["--secret-file", "secret"]));
    let stream = stranger.listen(Duration::from_millis(500));
    assert!(!stream.is_empty(), "nothing is served");
    let len = || place.len("shared.pack.journal");
    let before = len();
    for (subject, message) in &heard {
        if *subject == result {
            stranger.publish(subject, message);
        }
    }
    stranger.listen(Duration::from_millis(500));
    assert_eq!(len(), before, "replayed games");
    let mut honest = Process::spawn(place.working().env("YANE_SECRET", SECRET));
    serve.succeeds();
    honest.succeeds();
    place.assert_same();
}

#[test]
fn one_process_serves_a_run() {
    let Some(place) = Place::new(100_000) else {
        return;
    };
    let _server = place.nats.start();
    let mut serve = place.serve();
    let _worker = place.work();
    place.some_more(&mut serve);
    let text = fails(&mut place.queue(&["--serve", "-o", "second.pack"]));
    assert!(
        text.contains("another process serves the same run"),
        "{text}"
    );
    assert!(!serve.has_ended());
    // When it is gone, others may.
    serve.kill();
    let mut second = Process::spawn(&mut place.queue(&["--serve", "-o", "second.pack"]));
    second.writes(2000, || place.len("second.pack.journal"));
}

#[test]
fn other_machines_are_not_believed_without_a_secret_and_passwords_not_shown() {
    let Some(place) = Place::new(1) else {
        return;
    };
    for role in [&["--work"][..], &["--serve", "-o", "x.pack"]] {
        let url = ["--queue", "nats://user:pa55word@192.0.2.1:4222"];
        let text = fails(place.command(&url).args(role));
        assert!(text.contains("--secret-file"), "{text}");
        assert!(
            text.contains("192.0.2.1") && !text.contains("pa55word"),
            "{text}"
        );
    }
    place.folder.write("open", SECRET);
    let short = fails(place.queue(&["--work"]).env("YANE_SECRET", "short"));
    assert!(short.contains("YANE_SECRET: 5 bytes"), "{short}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let open = place.folder.path("open");
        fs::set_permissions(open, fs::Permissions::from_mode(0o644)).unwrap();
        let text = fails(&mut place.queue(&["--work", "--secret-file", "open"]));
        assert!(text.contains("chmod 600"), "{text}");
    }
}

#[test]
fn a_log_in_comes_from_a_variable() {
    let Some(place) = Place::new(4) else {
        return;
    };
    let _server = place
        .nats
        .start_with(&["--user", "farm", "--pass", "pa55word"]);
    let mut stranger = place.work();
    let mut serve = Process::spawn(place.serving().env("YANE_QUEUE_LOGIN", "farm:pa55word"));
    let mut worker = Process::spawn(place.working().env("YANE_QUEUE_LOGIN", "farm:pa55word"));
    serve.succeeds();
    worker.succeeds();
    assert!(!stranger.has_ended(), "it got in");
    stranger.kill();
    place.assert_same();
}
