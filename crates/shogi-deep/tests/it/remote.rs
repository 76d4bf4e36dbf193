//! Searches whose network is on a server, in this process: the same results, lost connections, foreign clients.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use shogi_core::{Game, Position};
use shogi_deep::{
    BatchEvaluator, DeepBackend, DeepModel, DeepRuntime, EvalServer, EvaluationError,
    EvaluationQueue, FrameReader, InputFormat, InputPlanes, NativeNetwork, NetworkModel,
    PolicyValue, PolicyValueEvaluator, PositionQuery, PuctParams, PuctRun, PuctSearch,
    QueueSettings, RemoteReply, RemoteRequest, RootMove, ServerEvent, ServerHello, ServerSettings,
    VectorLimit,
};
use test_support::fixture;
use yane_io::secret::{Secret, Trust};

/// Longest wait of a test for something that has to come.
const LONG: Duration = Duration::from_secs(60);
pub(crate) const FORMAT: InputFormat = InputFormat::Wcsc28;

fn network() -> PathBuf {
    fixture("deep/mtiny.onnx")
}

pub(crate) fn local() -> DeepModel {
    DeepModel::open(&network(), &DeepRuntime::default()).unwrap()
}

fn nowhere() -> PathBuf {
    PathBuf::from("no-such-model.onnx")
}

fn listener() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").unwrap()
}

/// A server and what happened at it.
struct Served {
    server: EvalServer,
    events: Arc<Mutex<Vec<ServerEvent>>>,
}

impl Served {
    fn with(
        listener: TcpListener,
        queue: EvaluationQueue,
        hello: ServerHello,
        most: usize,
    ) -> Self {
        let settings = ServerSettings {
            connections: most,
            ..ServerSettings::default()
        };
        Self::with_settings(listener, queue, hello, settings)
    }

    fn with_settings(
        listener: TcpListener,
        queue: EvaluationQueue,
        hello: ServerHello,
        settings: ServerSettings,
    ) -> Self {
        let events = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&events);
        let on_event = move |event: &ServerEvent| seen.lock().unwrap().push(event.clone());
        let queue = Arc::new(queue);
        let server = EvalServer::start(listener, queue, hello, settings, on_event).unwrap();
        Self { server, events }
    }

    fn at(listener: TcpListener) -> Self {
        let model = local();
        let queue = model.start_queue(Some(2), 8).unwrap();
        Self::with(listener, queue, model.hello("mtiny"), 100)
    }

    fn new() -> Self {
        Self::at(listener())
    }

    fn address(&self) -> SocketAddr {
        self.server.address()
    }

    /// What clients did wrong.
    fn reasons(&self) -> Vec<String> {
        let events = self.events.lock().unwrap();
        let reason = |event: &ServerEvent| match event {
            ServerEvent::Refused { reason, .. } => Some(reason.clone()),
            _ => None,
        };
        events.iter().filter_map(reason).collect()
    }
}

fn runtime(address: SocketAddr, timeout: Duration) -> DeepRuntime {
    DeepRuntime {
        backend: DeepBackend::Remote,
        server: address.to_string(),
        server_timeout: timeout,
        ..DeepRuntime::default()
    }
}

fn remote(path: &Path, address: SocketAddr) -> DeepModel {
    DeepModel::open(path, &runtime(address, LONG)).unwrap()
}

/// Waits until `is_so`.
#[track_caller]
fn wait_until(mut is_so: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < LONG, "it never came");
        thread::sleep(Duration::from_millis(1));
    }
}

pub(crate) fn game() -> Game {
    let mut game = Game::new(Position::startpos());
    for m in ["7g7f", "3c3d", "2g2f"] {
        game.play_unchecked(game.position().move_from_usi(m).unwrap());
    }
    game
}

/// Exactly so many playouts on one thread.
fn search(model: &DeepModel, batch: usize, playouts: u32) -> Vec<RootMove> {
    let mut evaluator = model.evaluator(batch, 0);
    let mut search = PuctSearch::new(game(), PuctParams::default(), &mut evaluator);
    search.run(&mut evaluator, playouts);
    assert_eq!(search.visits(), playouts);
    search.root_moves()
}

#[test]
fn searches_are_the_same_as_without_a_server() {
    let served = Served::new();
    let here = local();
    for path in [network(), nowhere()] {
        let there = remote(&path, served.address());
        assert_eq!(there.format(), here.format());
        let text = format!("server {}", served.address());
        assert!(there.description().starts_with(&text), "{there:?}");
        for batch in [1, 7] {
            // To the last bit of sums and priors.
            assert_eq!(search(&there, batch, 300), search(&here, batch, 300));
        }
        assert!(there.take_notices().is_empty());
    }
    assert!(served.server.counts().queue.positions > 4 * 200);
    assert_eq!(served.server.counts().clients, 2);
}

#[test]
fn many_clients_and_threads_share_a_server() {
    let served = Served::new();
    let there = remote(&nowhere(), served.address());
    let expected = search(&local(), 3, 100);
    thread::scope(|scope| {
        for number in 0..6 {
            let (there, expected, address) = (&there, &expected, served.address());
            scope.spawn(move || {
                let own = (number % 2 == 0).then(|| remote(&nowhere(), address));
                assert_eq!(search(own.as_ref().unwrap_or(there), 3, 100), *expected);
            });
        }
    });
    // A search on several threads makes exactly as many playouts as it should.
    let mut evaluators: Vec<_> = (0..3).map(|_| there.evaluator(4, 0)).collect();
    let mut search = PuctSearch::new(game(), PuctParams::default(), &mut evaluators[0]);
    search.run_threads(&mut evaluators, 500, &AtomicBool::new(false));
    assert_eq!(search.visits(), 500);
    assert_eq!(served.server.counts().clients, 4);
    drop((there, evaluators));
    wait_until(|| served.server.counts().connections == 0);
    assert_eq!(served.reasons(), [""; 0]);
}

#[test]
fn a_batch_may_be_larger_than_a_request() {
    let served = Served::new();
    let (there, here) = (remote(&nowhere(), served.address()), local());
    let mut evaluators = [&there, &here].map(|model| model.evaluator(300, 0));
    for evaluator in &mut evaluators {
        for place in 0..300 {
            let mut game = game();
            let moves = game.position().moves::<shogi_core::movegen::Legal>();
            let m = moves[place % moves.len()];
            game.play_unchecked(m);
            evaluator.put(place, game.position());
        }
        evaluator.evaluate(300);
    }
    for place in 0..300 {
        let [there, here] = [0, 1].map(|number| evaluators[number].output(place).value);
        assert!(there.to_bits() == here.to_bits(), "{place}");
    }
}

#[test]
fn the_network_here_takes_over_when_the_server_goes() {
    let mut served = Some(Served::new());
    let address = served.as_ref().unwrap().address();
    let there = remote(&network(), address);
    let mut evaluators = [there.evaluator(2, 0)];
    let search = PuctSearch::new(game(), PuctParams::default(), &mut evaluators[0]);
    let never = AtomicBool::new(false);
    let run = PuctRun::new(1500, &never);
    let mut before = 0;
    search.run_watched(&mut evaluators, &mut [], &run, || {
        if run.playouts() > 200
            && let Some(served) = served.take()
        {
            before = served.server.counts().queue.positions;
            drop(served);
        }
    });
    assert!(served.is_none() && before > 0, "the server was not used");
    assert_eq!(search.visits(), 1500);
    let expected = {
        let mut here = local().evaluator(2, 0);
        let mut search = PuctSearch::new(game(), PuctParams::default(), &mut here);
        search.run(&mut here, 1500);
        search.root_moves()
    };
    assert_eq!(search.root_moves(), expected);
    let notices = there.take_notices();
    let [notice] = &notices[..] else {
        panic!("{notices:?}")
    };
    assert!(
        notice.starts_with(&format!("DNN_Server {address}: ")),
        "{notice}"
    );
    assert!(
        notice.ends_with("evaluated here until it is back"),
        "{notice}"
    );
    // The server comes back, and is used again.
    let served = Served::at(TcpListener::bind(address).unwrap());
    wait_until(|| served.server.counts().clients == 1);
    wait_until(|| {
        there
            .take_notices()
            .iter()
            .any(|text| text.ends_with("connected again"))
    });
    let mut evaluator = there.evaluator(1, 0);
    evaluator.put(0, &Position::startpos());
    evaluator.evaluate(1);
    assert_eq!(served.server.counts().queue.positions, 1);
    // It comes back with another network, which is told and not used.
    let queue = local().start_queue(Some(1), 1).unwrap();
    let hello = ServerHello {
        fingerprint: shogi_deep::ModelFingerprint::of(b"another file"),
        ..local().hello("other")
    };
    drop(served);
    let served = Served::with(TcpListener::bind(address).unwrap(), queue, hello, 10);
    let mut notices = Vec::new();
    wait_until(|| {
        notices.extend(there.take_notices());
        notices.len() >= 2
    });
    assert!(notices[0].contains("closed"), "{notices:?}");
    assert!(notices[1].contains("another network"), "{notices:?}");
    evaluator.put(0, game().position());
    evaluator.evaluate(1);
    assert_eq!(served.server.counts().queue.positions, 0);
}

#[test]
fn a_server_that_does_not_answer_is_left() {
    let listener = listener();
    let address = listener.local_addr().unwrap();
    let hello = RemoteReply::Hello(local().hello("silent")).to_frame();
    // Says hello, and nothing more.
    thread::spawn(move || {
        let mut kept = Vec::new();
        while let Ok((mut stream, _)) = listener.accept() {
            stream.write_all(&hello).ok();
            kept.push(stream);
        }
    });
    let timeout = Duration::from_millis(200);
    let there = DeepModel::open(&network(), &runtime(address, timeout)).unwrap();
    assert_eq!(search(&there, 4, 60), search(&local(), 4, 60));
    let notices = there.take_notices();
    assert!(
        notices[0].contains("no answer within 200 ms"),
        "{notices:?}"
    );
    // Without a network here it is an error, after a while.
    let there = DeepModel::open(&nowhere(), &runtime(address, timeout)).unwrap();
    let mut evaluator = there.evaluator(1, 0);
    evaluator.put(0, &Position::startpos());
    let error = evaluator.try_evaluate(1).unwrap_err().to_string();
    assert!(error.contains(&address.to_string()), "{error}");
}

#[test]
fn without_a_server_and_a_network_there_is_an_error() {
    // A port that nobody listens on.
    let address = listener().local_addr().unwrap();
    let error = DeepModel::open(&nowhere(), &runtime(address, LONG)).unwrap_err();
    let text = error.to_string();
    assert!(text.starts_with(&format!("remote: {address}: ")), "{text}");
    let nameless = DeepRuntime {
        server: String::new(),
        ..runtime(address, LONG)
    };
    let text = DeepModel::open(&nowhere(), &nameless)
        .unwrap_err()
        .to_string();
    assert!(text.contains("DNN_Server"), "{text}");
    // With a network here it is none.
    let there = remote(&network(), address);
    assert_eq!(search(&there, 1, 50), search(&local(), 1, 50));
    assert_eq!(there.take_notices().len(), 1);
}

#[test]
fn another_network_is_refused() {
    let hello = local().hello("other");
    let other = ServerHello {
        fingerprint: shogi_deep::ModelFingerprint::of(b"another file"),
        ..hello.clone()
    };
    let larger = ServerHello {
        format: InputFormat::Wcsc35,
        ..hello
    };
    for (hello, words) in [(other, "another network"), (larger, "dlshogi-WCSC35")] {
        let queue = local().start_queue(Some(1), 1).unwrap();
        let served = Served::with(listener(), queue, hello, 10);
        let error = DeepModel::open(&network(), &runtime(served.address(), LONG)).unwrap_err();
        let text = error.to_string();
        assert!(
            text.starts_with("remote: ") && text.contains(words),
            "{text}"
        );
        // Alone it is as good as any.
        remote(&nowhere(), served.address());
    }
}

/// What a server says to bytes, until it closes the connection.
fn say(address: SocketAddr, bytes: &[u8]) -> Vec<RemoteReply> {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(LONG)).unwrap();
    stream.write_all(bytes).unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let mut answer = Vec::new();
    // What was not read may end the connection early.
    stream.read_to_end(&mut answer).ok();
    let mut frames = FrameReader::default();
    let mut rest = &answer[..];
    while frames.read_from(&mut rest).unwrap() > 0 {}
    let mut messages = Vec::new();
    while let Some(body) = frames.take(1 << 20).unwrap() {
        messages.push(RemoteReply::from_body(&body).unwrap());
    }
    messages
}

pub(crate) fn request(id: u32, labels: Vec<u16>) -> RemoteRequest {
    RemoteRequest::Evaluate {
        id,
        positions: vec![PositionQuery {
            planes: InputPlanes::new(&Position::startpos()),
            labels,
        }],
    }
}

/// A file with a secret, which nobody else may read.
fn secret_file(folder: &test_support::TestFolder, name: &str, secret: &str) -> PathBuf {
    let path = folder.path(name);
    std::fs::write(&path, secret).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
    path
}

#[test]
fn a_server_with_a_secret_serves_those_who_know_it() {
    let folder = test_support::TestFolder::new();
    let right = secret_file(&folder, "right", "the secret of these tests");
    let wrong = secret_file(&folder, "wrong", "another one altogether");
    let model = local();
    let queue = model.start_queue(Some(2), 8).unwrap();
    let settings = ServerSettings {
        trust: Trust::Secret(Secret::read(&right).unwrap()),
        ..ServerSettings::default()
    };
    let served = Served::with_settings(listener(), queue, model.hello("mtiny"), settings);
    let with = |address: SocketAddr, secret: Option<&PathBuf>| {
        let runtime = DeepRuntime {
            secret_file: secret.cloned(),
            ..runtime(address, LONG)
        };
        DeepModel::open(&nowhere(), &runtime)
    };
    let there = with(served.address(), Some(&right)).unwrap();
    assert_eq!(search(&there, 7, 300), search(&model, 7, 300));
    for (secret, words) in [(None, "wants a secret"), (Some(&wrong), "another secret")] {
        let error = with(served.address(), secret).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
    // Nor is a server believed that cannot prove that it knows the secret.
    let open = Served::new();
    let error = with(open.address(), Some(&right)).unwrap_err().to_string();
    assert!(error.contains("no secret"), "{error}");
    assert_eq!(served.server.counts().clients, 1);
}

#[test]
fn other_machines_are_served_with_a_secret_only() {
    let model = local();
    let start = |trust| {
        let queue = Arc::new(model.start_queue(Some(1), 1).unwrap());
        let listener = TcpListener::bind("0.0.0.0:0").unwrap();
        let settings = ServerSettings {
            trust,
            ..ServerSettings::default()
        };
        EvalServer::start(listener, queue, model.hello("mtiny"), settings, |_| {})
    };
    let error = start(Trust::ThisMachine).err().unwrap().to_string();
    assert!(error.contains("--secret-file"), "{error}");
    assert!(start(Trust::Network).is_ok());
}

/// Requests of 64 positions each.
fn requests(count: u32) -> Vec<u8> {
    let one = PositionQuery {
        planes: InputPlanes::new(&Position::startpos()),
        labels: (0..500).collect(),
    };
    let frames = (0..count).flat_map(|id| {
        let positions = vec![one.clone(); 64];
        RemoteRequest::Evaluate { id, positions }.to_frame(FORMAT)
    });
    frames.collect()
}

#[test]
fn clients_that_do_not_read_take_little_memory_and_are_left() {
    /// Answers at once.
    struct Quick;
    impl BatchEvaluator for Quick {
        fn evaluate_batch(
            &mut self,
            _: &[PositionQuery],
            _: &mut [PolicyValue],
        ) -> Result<(), EvaluationError> {
            Ok(())
        }
    }
    const MEMORY: usize = 8 << 20;
    let settings = QueueSettings {
        largest: 256,
        patience: Duration::ZERO,
    };
    let queue = EvaluationQueue::new(vec![Box::new(Quick)], settings).unwrap();
    let limits = ServerSettings {
        connections: 8,
        memory: MEMORY,
        patience: Duration::from_secs(1),
        ..ServerSettings::default()
    };
    let served = Served::with_settings(listener(), queue, local().hello("quick"), limits);
    let address = served.address();
    let (most, is_over) = (Mutex::new(0), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
                let memory = served.server.counts().memory;
                let mut most = most.lock().unwrap();
                *most = memory.max(*most);
                drop(most);
                thread::sleep(Duration::from_millis(1));
            }
        });
        let flooding: Vec<_> = (0..6)
            .map(|_| {
                scope.spawn(move || {
                    let mut stream = TcpStream::connect(address).unwrap();
                    stream
                        .write_all(&RemoteRequest::Hello.to_frame(FORMAT))
                        .ok();
                    // It is left at some time, which ends the writing.
                    stream.write_all(&requests(400)).ok();
                    stream
                })
            })
            .collect();
        // Others are served meanwhile.
        let there = remote(&nowhere(), address);
        let mut evaluator = there.evaluator(1, 0);
        evaluator.put(0, &Position::startpos());
        evaluator.evaluate(1);
        let streams: Vec<_> = flooding.into_iter().map(|it| it.join().unwrap()).collect();
        wait_until(|| served.server.counts().connections == 1);
        is_over.store(true, std::sync::atomic::Ordering::Relaxed);
        drop(streams);
    });
    let most = most.into_inner().unwrap();
    assert!(most > MEMORY / 8 && most <= MEMORY, "{most} bytes");
    wait_until(|| served.server.counts().memory == 0);
}

#[test]
fn silent_connections_make_room() {
    let model = local();
    let queue = model.start_queue(Some(1), 1).unwrap();
    let served = Served::with(listener(), queue, model.hello("mtiny"), 3);
    let silent: Vec<_> = (0..3)
        .map(|_| TcpStream::connect(served.address()).unwrap())
        .collect();
    wait_until(|| served.server.counts().connections == 3);
    // As soon as they had time for a hello.
    wait_until(|| DeepModel::open(&nowhere(), &runtime(served.address(), LONG)).is_ok());
    // Told when the place is free.
    let is_silent = |reason: &String| reason.starts_with("silent");
    wait_until(|| served.reasons().iter().any(is_silent));
    drop(silent);
}

#[test]
fn foreign_and_damaged_clients_get_one_error() {
    let served = Served::new();
    let hello = RemoteRequest::Hello.to_frame(FORMAT);
    let mut version = hello.clone();
    version[9] = 2;
    let good = request(7, vec![5, 80]).to_frame(FORMAT);
    let mut damaged = good.clone();
    // The last bit of the board's bytes stands for nothing.
    damaged[4 + 1 + 4 + 2 + 627] |= 0x80;
    let descending = request(7, vec![80, 5]).to_frame(FORMAT);
    let mut unknown = RemoteRequest::Ping.to_frame(FORMAT);
    unknown[4] = 77;
    let after = |bytes: &[u8]| [&hello, bytes].concat();
    let cases: [(Vec<u8>, &str); 9] = [
        (b"GET / HTTP/1.1\r\n\r\n".to_vec(), "a message of"),
        (vec![0; 100], "wrong length"),
        (version, "protocol version 2"),
        (good.clone(), "a message of"),
        (
            RemoteRequest::Ping.to_frame(FORMAT),
            "the hello comes first",
        ),
        (after(&damaged), "bits that stand for nothing"),
        (after(&descending), "the label 5"),
        (after(&unknown), "unknown kind 77"),
        (after(&good[..50]), "without its end"),
    ];
    for (number, (bytes, words)) in cases.iter().enumerate() {
        let messages = say(served.address(), bytes);
        let Some(RemoteReply::Error(reason)) = messages.last() else {
            panic!("{words}: {messages:?}")
        };
        assert!(reason.contains(words), "{reason}");
        let errors = messages
            .iter()
            .filter(|message| matches!(message, RemoteReply::Error(_)));
        assert_eq!(errors.count(), 1);
        wait_until(|| served.reasons().len() == number + 1);
    }
    // Others are served meanwhile and after.
    let messages = say(served.address(), &after(&good));
    assert!(matches!(messages[0], RemoteReply::Hello(_)));
    let there = remote(&nowhere(), served.address());
    assert_eq!(search(&there, 1, 50), search(&local(), 1, 50));
    assert_eq!(served.server.counts().refused, cases.len() as u64);
}

#[test]
fn there_are_no_more_connections_than_allowed() {
    let model = local();
    let queue = model.start_queue(Some(1), 1).unwrap();
    let served = Served::with(listener(), queue, model.hello("mtiny"), 1);
    let first = remote(&nowhere(), served.address());
    let error = DeepModel::open(&nowhere(), &runtime(served.address(), LONG)).unwrap_err();
    assert!(
        error.to_string().contains("too many connections"),
        "{error}"
    );
    drop(first);
    wait_until(|| served.server.counts().connections == 0);
    remote(&nowhere(), served.address());
}

#[test]
fn an_evaluation_that_fails_is_no_answer() {
    struct Failing;
    impl BatchEvaluator for Failing {
        fn evaluate_batch(
            &mut self,
            _: &[PositionQuery],
            _: &mut [PolicyValue],
        ) -> Result<(), EvaluationError> {
            Err(EvaluationError::Failed("out of memory".to_owned()))
        }
    }
    let settings = QueueSettings {
        largest: 4,
        patience: Duration::ZERO,
    };
    let queue = EvaluationQueue::new(vec![Box::new(Failing)], settings).unwrap();
    let served = Served::with(listener(), queue, local().hello("failing"), 10);
    let there = remote(&network(), served.address());
    assert_eq!(search(&there, 2, 50), search(&local(), 2, 50));
    let notices = there.take_notices();
    assert!(notices[0].contains("out of memory"), "{notices:?}");
}

#[test]
fn pieces_that_nobody_can_play_have_a_value_too() {
    let served = Served::new();
    let diagram = shogi_core::Diagram::from_sfen("9/9/9/4k4/4K4/9/9/9/9 b - 1").unwrap();
    let models = [remote(&nowhere(), served.address()), local()];
    let values = models.map(|model| {
        let mut evaluator = model.evaluator(1, 0);
        evaluator.put(0, diagram.pieces());
        evaluator.evaluate(1);
        evaluator.output(0).value.to_bits()
    });
    assert_eq!(values[0], values[1]);
}

#[test]
fn many_searches_of_one_client_fill_the_batches_of_the_server() {
    const SEARCHES: usize = 256;
    /// A card: what it is given takes as long as a full batch would.
    struct Card(Box<dyn BatchEvaluator>);
    impl BatchEvaluator for Card {
        fn evaluate_batch(
            &mut self,
            positions: &[PositionQuery],
            results: &mut [PolicyValue],
        ) -> Result<(), EvaluationError> {
            let begin = Instant::now();
            self.0.evaluate_batch(positions, results)?;
            let full = Duration::from_millis(60);
            thread::sleep(full.saturating_sub(begin.elapsed()));
            Ok(())
        }
    }
    let native = || {
        let model = NetworkModel::read(&network()).unwrap();
        Box::new(NativeNetwork::new(Arc::new(model), 1, VectorLimit::Best))
    };
    let settings = QueueSettings {
        largest: SEARCHES,
        patience: Duration::from_millis(1),
    };
    let cards: Vec<Box<dyn BatchEvaluator>> =
        vec![Box::new(Card(native())), Box::new(Card(native()))];
    let queue = EvaluationQueue::new(cards, settings).unwrap();
    let served = Served::with(listener(), queue, local().hello("card"), 10);
    let there = remote(&nowhere(), served.address());
    let expected = search(&local(), 1, 60);
    thread::scope(|scope| {
        for _ in 0..SEARCHES {
            scope.spawn(|| assert_eq!(search(&there, 1, 60), expected));
        }
    });
    let counts = served.server.counts().queue;
    assert!(counts.positions >= (SEARCHES * 30) as u64);
    // The first and the last ones are smaller.
    let mean = counts.positions as f64 / counts.batches as f64;
    assert!(mean >= 0.9 * SEARCHES as f64, "{mean} in {counts:?}");
}
