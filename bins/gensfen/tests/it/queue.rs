//! Games of many machines, over a real NATS server. Without `nats-server` on the path these tests are skipped.

use std::time::Duration;

use test_support::{Process, SharedRun as _, fixture};

use crate::place::Place;

/// The option that names the small network.
const NETWORK: &str = concat!(
    "EvalDir=",
    env!("CARGO_MANIFEST_DIR"),
    "/../../crates/shogi-deep/assets/small.onnx"
);

#[test]
fn two_workers_give_what_one_machine_gives() {
    let Some(place) = Place::new(60) else {
        return;
    };
    place.is_shared_by_two_workers();
}

#[test]
fn a_server_with_tls_is_believed_by_its_certificate_alone() {
    let Some(place) = Place::new(4) else {
        return;
    };
    // Certificates for tests.
    let file = |name: &str| fixture("farm").join(name).to_str().unwrap().to_owned();
    let (certificate, key) = (file("server.pem"), file("server.key"));
    let _server = place
        .nats
        .start_with(&["--tls", "--tlscert", &certificate, "--tlskey", &key]);
    let url = place.nats.url().replace("nats://", "tls://");
    let queue =
        |more: &[&str]| place.command(&[&["--nodes", "60", "--queue", &url], more].concat());
    let trusting = |more: &[&str]| {
        let mut command = queue(more);
        command
            .env("SSL_CERT_FILE", file("ca.pem"))
            .env_remove("SSL_CERT_DIR");
        Process::spawn(&mut command)
    };
    // Nobody vouches for the certificate here, so that nothing is worked.
    let mut distrusting = Process::spawn(&mut queue(&["--work", "--multi", "1"]));
    let mut serve = trusting(&["--serve", "-o", "shared.pack"]);
    let mut worker = trusting(&["--work", "--multi", "1"]);
    serve.succeeds();
    worker.succeeds();
    std::thread::sleep(Duration::from_millis(300));
    assert!(!distrusting.has_ended(), "it believed the server");
    distrusting.kill();
    place.assert_same();
}

#[test]
fn any_process_may_be_killed() {
    // Enough that there is something left after all of it, also where this test has to wait for others.
    let Some(place) = Place::new(600) else {
        return;
    };
    place.survives_kills();
}

#[test]
fn games_of_the_deep_engine_are_those_of_one_machine() {
    let Some(place) = Place::new(6) else {
        return;
    };
    let settings = "{MAX_GAME_PLY: 14, RANDOM_PLIES: 4, RANDOM_VISITS_PLIES: 6, NODES: 8}";
    place.folder.write("settings.json5", settings);
    let url = place.nats.url();
    let gensfen = |more: &[&str]| {
        let settings = ["settings.json5", "--option", NETWORK];
        Process::spawn(&mut place.command(&[&settings[..], more].concat()))
    };
    let queue = ["--queue", url.as_str(), "--lease", "2"];
    let _server = place.nats.start();
    for name in ["hcpe3", "pack"] {
        // The format is that of the settings where no file is written.
        let format = format!("{{OUTPUT_FORMAT: '{name}', {}", &settings[1..]);
        place.folder.write("settings.json5", format);
        let work = || gensfen(&[&queue[..], &["--work", "--multi", "1"]].concat());
        let mut workers = [work(), work()];
        let shared = format!("shared.{name}");
        let serve = [&queue[..], &["--serve", "-o", &shared]].concat();
        gensfen(&serve).succeeds();
        workers.iter_mut().for_each(Process::succeeds);
        let alone = format!("alone.{name}");
        gensfen(&["--multi", "2", "-o", &alone]).succeeds();
        let alone = place.folder.read(&alone);
        assert!(alone.len() > 200);
        assert!(place.folder.read(&shared) == alone, "{name}");
    }
}
