//! Both kinds of streams against a shell.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::{Deadline, NoLine, lines};

const LONG: Duration = Duration::from_secs(20);
const SHORT: Duration = Duration::from_millis(100);

fn shell(script: &str) -> std::process::Child {
    Command::new("sh")
        .args(["-c", script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a shell")
}

/// The same tests for each kind.
macro_rules! kind {
    ($name:ident) => {
        mod $name {
            use super::*;
            use crate::client::pipes::$name::Pipes;

            fn line(pipes: &mut Pipes, timeout: Duration) -> Result<String, NoLine> {
                let line = pipes.line(&mut Deadline::new(timeout));
                line.map(std::borrow::Cow::into_owned)
            }

            #[test]
            fn lines_come_one_by_one_and_then_the_end() {
                let mut child =
                    shell("read -r word; echo \"got $word\"; echo; echo b; printf rest");
                let mut pipes = Pipes::new(&mut child).unwrap();
                assert_eq!(line(&mut pipes, SHORT), Err(NoLine::Timeout));
                pipes.write(b"it\n").unwrap();
                for expected in ["got it", "", "b", "rest"] {
                    assert_eq!(line(&mut pipes, LONG).as_deref(), Ok(expected));
                }
                assert_eq!(line(&mut pipes, LONG), Err(NoLine::Closed));
                assert_eq!(line(&mut pipes, LONG), Err(NoLine::Closed));
                child.wait().unwrap();
            }

            #[test]
            fn long_lines_and_bytes_that_are_no_text() {
                let mut child =
                    shell("head -c 3000000 /dev/zero; echo; printf '\\377\\n'; echo end");
                let mut pipes = Pipes::new(&mut child).unwrap();
                assert_eq!(line(&mut pipes, LONG).unwrap().len(), lines::LONGEST);
                assert_eq!(line(&mut pipes, LONG).as_deref(), Ok("\u{fffd}"));
                assert_eq!(line(&mut pipes, LONG).as_deref(), Ok("end"));
                child.wait().unwrap();
            }

            #[test]
            fn a_flood_without_end_is_listened_to_for_some_time() {
                let mut child = shell("while :; do echo info; done");
                let mut pipes = Pipes::new(&mut child).unwrap();
                let begin = Instant::now();
                let mut deadline = Deadline::new(SHORT);
                while pipes.line(&mut deadline).is_ok() {}
                assert!(begin.elapsed() >= SHORT && begin.elapsed() < LONG);
                child.kill().unwrap();
                child.wait().unwrap();
            }

            #[test]
            fn remarks_do_not_block() {
                let script = "head -c 300000 /dev/zero >&2; echo told; echo last >&2";
                let mut child = shell(script);
                let mut pipes = Pipes::new(&mut child).unwrap();
                assert_eq!(line(&mut pipes, LONG).as_deref(), Ok("told"));
                assert_eq!(line(&mut pipes, LONG), Err(NoLine::Closed));
                assert!(pipes.stderr().ends_with("last\n"));
                child.wait().unwrap();
            }

            #[test]
            fn who_is_told_to_end_may_write_before() {
                let mut child = shell("read -r word; head -c 300000 /dev/zero; echo");
                let mut pipes = Pipes::new(&mut child).unwrap();
                pipes.write(b"quit\n").unwrap();
                pipes.close_input();
                assert!(pipes.write(b"quit\n").is_err());
                let end = Instant::now() + LONG;
                while child.try_wait().unwrap().is_none() {
                    assert!(Instant::now() < end);
                    pipes.discard(Duration::from_millis(2));
                }
            }
        }
    };
}

kind!(threads);
#[cfg(unix)]
kind!(poll);

#[cfg(unix)]
#[test]
fn a_command_waits_until_there_is_room() {
    // It writes more than a pipe holds before it reads, and then slowly.
    let script = "head -c 200000 /dev/zero; echo; sleep 0.2; n=$(wc -c); echo $n";
    let mut child = shell(script);
    let mut pipes = super::Pipes::new(&mut child).unwrap();
    pipes.write(&vec![b'x'; 1_000_000]).unwrap();
    pipes.close_input();
    let mut deadline = Deadline::new(LONG);
    assert_eq!(pipes.line(&mut deadline).unwrap().len(), 200_000);
    assert_eq!(pipes.line(&mut deadline).unwrap().trim(), "1000000");
    child.wait().unwrap();
}

#[test]
fn the_end_is_kept() {
    let mut tail = super::Tail::default();
    for number in 0..2000 {
        tail.push(format!("{number} ").as_bytes());
    }
    assert!(tail.text().len() == super::TAIL_BYTES && tail.text().ends_with("1998 1999 "));
}
