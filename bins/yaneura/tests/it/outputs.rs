//! Commands that write files: outputs that exist are kept, `--json` is JSON.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

const SHAPE: &str = "SFNN_ka2_16_7_8_hand4_k3k3_progress2";
const PROBLEM: &str = "4k4/9/4P4/9/9/9/9/9/9 b G 1\n";

/// Runs it in a folder; exit code, standard output, standard error.
fn run(folder: &TempDir, line: &str) -> (i32, String, String) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_yaneura"));
    let output = program
        .current_dir(folder)
        .args(line.split(' '))
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let code = output.status.code().unwrap();
    (code, text(output.stdout), text(output.stderr))
}

#[test]
fn a_file_that_exists_is_replaced_only_by_force() {
    let folder = TempDir::new().unwrap();
    let at = |name: &str| folder.path().join(name);
    assert_eq!(run(&folder, &format!("evalzero {SHAPE} -o in")).0, 0);
    fs::write(at("problems.sfen"), PROBLEM).unwrap();
    for (line, file) in [
        (
            "nn export in/nn.bin -o out.bin --json".to_owned(),
            "out.bin",
        ),
        (format!("evalzero {SHAPE} -o out --json"), "out/nn.bin"),
        (
            "mate problems.sfen --hash 4 --json -o out.jsonl".to_owned(),
            "out.jsonl",
        ),
    ] {
        let (code, out, error) = run(&folder, &line);
        assert_eq!(code, 0, "{line}: {error}");
        assert!(
            serde_json::from_str::<Value>(&out).unwrap().is_object(),
            "{line}: {out}"
        );
        let made = fs::read(at(file)).unwrap();
        fs::write(at(file), "old").unwrap();
        let (code, out, error) = run(&folder, &line);
        let told = format!("{file} exists; choose another output, or pass --force");
        assert!(
            code == 1 && out.is_empty() && error.contains(&told),
            "{line}: {error}"
        );
        assert_eq!(fs::read(at(file)).unwrap(), b"old", "{line}");
        assert_eq!(run(&folder, &format!("{line} --force")).0, 0, "{line}");
        // How long a search took is another number each time.
        assert_eq!(
            fs::read(at(file)).unwrap().len() > 10,
            made.len() > 10,
            "{line}"
        );
        assert_ne!(fs::read(at(file)).unwrap(), b"old", "{line}");
    }
    assert_eq!(
        run(&folder, "nn export in/nn.bin other.bin -o out.bin").0,
        2
    );
    assert_eq!(run(&folder, "nn export in/nn.bin").0, 2);
}

#[test]
fn behind_the_inputs_a_file_is_replaced() {
    let folder = TempDir::new().unwrap();
    assert_eq!(run(&folder, &format!("evalzero {SHAPE} in")).0, 0);
    let out = folder.path().join("out.bin");
    fs::write(&out, "old").unwrap();
    assert_eq!(run(&folder, "nn export in/nn.bin out.bin").0, 0);
    assert!(fs::read(&out).unwrap() == fs::read(folder.path().join("in/nn.bin")).unwrap());
}

fn check(command: &clap::Command, path: &Path) {
    let path = path.join(command.get_name());
    let mut commands = command
        .get_subcommands()
        .filter(|command| command.get_name() != "help")
        .peekable();
    // Mate problems are solved by the command and judged by one below it.
    if commands.peek().is_some() {
        commands.for_each(|command| check(command, &path));
        if command.get_name() != "mate" {
            return;
        }
    }
    for (long, short) in [("json", None), ("quiet", Some('q'))] {
        let mut arguments = command.get_arguments();
        let found = arguments.any(|arg| arg.get_long() == Some(long) && arg.get_short() == short);
        assert!(found, "{}: --{long}", path.display());
    }
    for argument in command
        .get_arguments()
        .filter(|arg| arg.get_short() == Some('o'))
    {
        assert_eq!(argument.get_long(), Some("output"), "{}", path.display());
    }
}

#[test]
fn every_command_keeps_the_convention() {
    let mut program = yaneura::command();
    program.build();
    for command in program
        .get_subcommands()
        .filter(|command| command.get_name() != "help")
    {
        check(command, Path::new("yaneura"));
    }
}
