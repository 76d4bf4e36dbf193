//! Commands that think with the deep engine: a small network of random weights.

use std::net::TcpListener;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use shogi_core::Position;
use shogi_core::movegen::{Legal, LegalAll};
use shogi_deep::{DeepModel, DeepRuntime, EvalServer, ServerSettings};
use test_support::TestFolder;

use crate::thinking::{book, check};
use crate::util::RunMakebook;

/// `line` with the network.
fn with_network(line: &str) -> String {
    let network = test_support::fixture("deep/mtiny.onnx");
    let network = network.to_str().unwrap();
    format!("{line} --option EvalDir={network} -q")
}

#[test]
fn think() {
    let folder = TestFolder::new();
    folder.write("games.sfen", "startpos moves 7g7f 3c3d 2g2f\n");
    let line = |book: &str, multi: u32| {
        with_network(&format!(
            "think games.sfen {book} nodes 60 multipv 5 --multi {multi}"
        ))
    };
    folder.run(&line("one.db", 1)).silent();
    folder.run(&line("two.db", 2)).silent();
    // Playouts are counted exactly, so results can be repeated.
    assert!(folder.read("one.db") == folder.read("two.db"));
    // Nor do they depend on a queue that the searchers share.
    let queued = format!("{} --option DNN_Queue=on", line("queue.db", 3));
    folder.run(&queued).silent();
    assert!(folder.read("one.db") == folder.read("queue.db"));
    let made = book(&folder.read("one.db"));
    assert_eq!(made.len(), 4);
    for (sfen, moves) in &made {
        check(sfen, moves);
        assert_eq!(moves.len(), 5);
    }
    let again = folder.run(&line("one.db", 1)).silent();
    assert!(again.text().contains("thought   = 0"), "{again:?}");
    // More moves than playouts go through: the engine is asked about the others.
    let few = "think games.sfen few.db moves 1 nodes 4 multipv 30";
    folder.run(&with_network(few)).silent();
    let made = book(&folder.read("few.db"));
    let moves = made.values().next().unwrap();
    let legal = Position::startpos().moves::<Legal>().len();
    assert_eq!((made.len(), moves.len()), (1, legal));
}

#[test]
fn s_tera() {
    let folder = TestFolder::new();
    folder.write("roots.txt", "startpos\nstartpos moves 7g7f\n");
    let line = |most: u32| {
        with_network(&format!(
            "s_tera write_book book.db root_sfens_name roots.txt nodes_limit 50 think_limit {most} --multi 1"
        ))
    };
    let first = folder.run(&line(6)).silent();
    assert!(first.text().contains("thought   = 6"), "{first:?}");
    // The book goes on with what it has.
    let more = format!("{} read_book book.db", line(10));
    let more = folder
        .run(&more.replace("write_book book.db", "write_book more.db"))
        .silent();
    assert!(more.text().contains("thought   = 10"), "{more:?}");
    let (first, all) = (book(&folder.read("book.db")), book(&folder.read("more.db")));
    assert_eq!((first.len(), all.len()), (6, 16));
    for (sfen, moves) in &all {
        check(sfen, moves);
        let legal = Position::from_sfen(sfen).unwrap().moves::<LegalAll>().len();
        assert_eq!(moves.len(), legal, "{sfen}");
    }
    assert!(first.keys().all(|sfen| all.contains_key(sfen)));
    let tree = "stera_convert read_book more.db write_book tera.db root_sfens_name roots.txt";
    folder.run(tree).silent();
}

#[test]
fn mine() {
    let folder = TestFolder::new();
    let line =
        with_network("mine book.db --positions 12 --batch 4 --nodes 40 --multipv 3 --multi 2");
    let run = folder.run(&line).silent();
    assert!(run.text().contains("in all    = 12 positions"), "{run:?}");
    let made = book(&folder.read("book.db"));
    assert_eq!(made.len(), 12);
    for (sfen, moves) in &made {
        check(sfen, moves);
    }
}

#[test]
fn endless_extend_tree() {
    let folder = TestFolder::new();
    folder.write("roots.txt", "startpos\n");
    let line = |name: &str, rounds: u32, multi: u32| {
        with_network(&format!(
            "endless_extend_tree {name}.db roots.txt {name}.txt nodes 24 moves 4 multipv 3 \
             black_eval_limit -9999 white_eval_limit -9999 loop {rounds} --multi {multi}"
        ))
    };
    folder.run(&line("one", 9, 1)).silent();
    let made = book(&folder.read("one.db"));
    assert!(made.len() > 20, "{}", made.len());
    for (sfen, moves) in &made {
        check(sfen, moves);
        assert_eq!(moves.len(), 3, "{sfen}");
    }
    // As many rounds in several calls, on more workers.
    for rounds in [1, 2, 9] {
        folder.run(&line("two", rounds, 2)).silent();
    }
    assert!(folder.read("two.db") == folder.read("one.db"));
}

#[test]
fn a_search_needs_an_end() {
    let folder = TestFolder::new();
    folder.write("games.sfen", "startpos\n");
    let words = ["deep engine", "--nodes", "--time"];
    for line in [
        "think games.sfen book.db depth 3",
        "endless_extend_tree book.db games.sfen list.txt depth 3",
        "mine book.db --depth 3 --positions 1",
    ] {
        folder.run(&with_network(line)).failed(2, &words);
    }
    assert_eq!(folder.names(), ["games.sfen"]);
    folder
        .run(&with_network("think games.sfen book.db time 50"))
        .silent();
    assert_eq!(book(&folder.read("book.db")).len(), 1);
}

#[test]
fn a_wrong_network_is_told() {
    let folder = TestFolder::new();
    folder.write("games.sfen", "startpos\n");
    folder.write("wrong.onnx", "no network");
    let line = "think games.sfen book.db nodes 10 --option EvalDir=wrong.onnx";
    folder.run(line).failed(1, &["wrong.onnx"]);
    assert_eq!(folder.names(), ["games.sfen", "wrong.onnx"]);
}

/// A server with the network of the tests, in this process.
fn serve(listener: TcpListener) -> EvalServer {
    let network = test_support::fixture("deep/mtiny.onnx");
    let model = DeepModel::open(&network, &DeepRuntime::default()).unwrap();
    let queue = Arc::new(model.start_queue(Some(1), 8).unwrap());
    EvalServer::start(
        listener,
        queue,
        model.hello("small"),
        ServerSettings::default(),
        |_| {},
    )
    .unwrap()
}

/// Ends a server after so many positions.
fn end_after(server: EvalServer, positions: u64) -> JoinHandle<()> {
    thread::spawn(move || {
        while server.counts().queue.positions < positions {
            thread::sleep(Duration::from_millis(1));
        }
    })
}

#[test]
fn a_server_that_is_lost_is_told_of() {
    let folder = TestFolder::new();
    folder.write("games.sfen", "startpos moves 7g7f 3c3d 2g2f\n");
    folder.write("roots.txt", "startpos\n");
    let stera = "write_book stera.db root_sfens_name roots.txt nodes_limit 80 think_limit 4";
    for (line, book) in [
        ("think games.sfen think.db nodes 80 multipv 5", "think.db"),
        (&format!("s_tera {stera}"), "stera.db"),
    ] {
        // Several searchers would choose other positions from run to run.
        let line = format!("{} --multi 1", with_network(line).trim_end_matches(" -q"));
        folder.run(&line).succeeded();
        let expected = folder.read(book);
        std::fs::remove_file(folder.path(book)).unwrap();
        let server = serve(TcpListener::bind("127.0.0.1:0").unwrap());
        let address = server.address();
        let lost = end_after(server, 40);
        let remote = format!("--option DNN_Runtime=remote --option DNN_Server={address}");
        let run = folder.run(&format!("{line} {remote}")).succeeded();
        lost.join().unwrap();
        let told = format!("DNN_Server {address}: ");
        let told: Vec<_> = run.err.lines().filter(|it| it.contains(&told)).collect();
        assert_eq!(told.len(), 1, "{run:?}");
        assert!(told[0].ends_with("evaluated here until it is back"));
        assert!(folder.read(book) == expected, "{line}");
    }
}
