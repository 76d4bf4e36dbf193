//! An engine behind a real sshd on this machine. Without `sshd` and `ssh` the test is skipped.

use std::ffi::OsStr;
use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;

use pack_format::EndReason;
use pack_format::pack::{Game, PackReader};
use test_support::{Process, UsiScript, wait_until};

fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .chain([PathBuf::from("/usr/sbin")])
        .map(|folder| folder.join(name))
        .find(|program| program.is_file())
}

/// A port that nobody listens on.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

fn make_key(path: &Path) {
    let made = Command::new("ssh-keygen")
        .args(["-q", "-t", "ed25519", "-N", "", "-f"])
        .arg(path)
        .status();
    assert!(made.unwrap().success());
}

/// An sshd that lets whoever runs the test in, with the key `key` of the folder.
fn sshd(program: &Path, folder: &Path, port: u16) -> Process {
    make_key(&folder.join("host"));
    make_key(&folder.join("key"));
    let here = folder.display();
    let config = format!(
        "Port {port}\nListenAddress 127.0.0.1\nHostKey {here}/host\nPidFile {here}/pid\nUsePAM no\n\
         AuthorizedKeysFile {here}/key.pub\nStrictModes no\nPasswordAuthentication no\n\
         PermitRootLogin prohibit-password\n"
    );
    fs::write(folder.join("config"), config).unwrap();
    // It insists on this folder when root runs it; nobody else could make it, or needs it.
    fs::create_dir_all("/run/sshd").ok();
    let config = folder.join("config");
    let process = Process::start(
        program,
        folder,
        [OsStr::new("-D"), OsStr::new("-f"), config.as_os_str()],
    );
    let listens = || TcpStream::connect(("127.0.0.1", port)).is_ok();
    wait_until(listens, "sshd does not listen");
    process
}

/// An engine that moves its rooks to and fro. The first one says that it was asked for its fifth move, and does
/// not answer.
fn engine(folder: &Path) -> PathBuf {
    let here = folder.display();
    let go = format!(
        "n=$((n + 1)); if [ $n = 5 ] && [ ! -e {here}/asked ]; then touch {here}/asked; sleep 1000; fi\n      \
         case $((n % 4)) in 1) m=2h3h;; 2) m=8b7b;; 3) m=3h2h;; 0) m=7b8b;; esac\n      \
         echo info score cp 7; echo bestmove $m"
    );
    UsiScript::new("rooks")
        .start("n=0")
        .ready("n=0")
        .go(&go)
        .write(&folder.join("engine"))
}

/// The `ssh` that process `parent` started.
fn ssh_of(parent: u32) -> Option<String> {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    for process in processes {
        // `pid (name) state parent …`
        let stat = fs::read_to_string(process.path().join("stat")).unwrap_or_default();
        let mut words = stat.split_ascii_whitespace();
        let (pid, name) = (words.next(), words.next());
        if name == Some("(ssh)") && words.nth(1) == Some(&parent.to_string()) {
            return pid.map(str::to_owned);
        }
    }
    None
}

#[test]
fn a_broken_connection_costs_one_game() {
    let (Some(server), Some(_)) = (program("sshd"), program("ssh")) else {
        eprintln!("SKIPPED: there is no sshd here (Debian: apt-get install openssh-server)");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let port = free_port();
    let _sshd = sshd(&server, folder, port);
    let settings = format!(
        "{{GAMES: 2, RANDOM_PLIES: 0, ENGINE_SETTING: [{{name: 'far', path: 'ssh -F /dev/null -p {port} -i {0}/key \
         -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR 127.0.0.1 {1}'}}]}}",
        folder.display(),
        engine(folder).display()
    );
    fs::write(folder.join("s.json5"), settings).unwrap();
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("gensfen"));
    command
        .current_dir(folder)
        .args(["s.json5", "--run", "-o", "out.pack"])
        .stderr(fs::File::create(folder.join("told")).unwrap());
    let mut run = Process::spawn(&mut command);
    wait_until(|| folder.join("asked").exists(), "the engine is not asked");
    let ssh = ssh_of(run.id()).expect("it is being talked to");
    let killed = Command::new("kill").args(["-9", &ssh]).status();
    assert!(killed.unwrap().success());
    let code = run.code();
    let told = fs::read_to_string(folder.join("told")).unwrap();
    assert_eq!(code, Some(0), "{told}");
    assert!(told.contains("starting it again"), "{told}");
    let bytes = fs::read(folder.join("out.pack")).unwrap();
    let games: Vec<Game> = PackReader::new(&bytes[..])
        .collect::<Result<_, _>>()
        .unwrap();
    assert_eq!(games.len(), 2);
    assert!(games.iter().all(|game| game.plies().len() == 12));
    assert!(
        games
            .iter()
            .all(|game| game.reason() == EndReason::REPETITION)
    );
}
