//! Recorded dialogues of public programs: our answers have the same shape.

use std::sync::{Arc, Mutex};

use othello_engine::{
    Cassio, EdaxConsole, EgaroucidConsole, Gtp, Heard, LineOutput, NBoard, Session, XBoard,
};
use othello_eval::Weights;
use othello_search::{Control, PlayLevel, SearchSettings, Searcher};
use test_support::fixture_text;

fn session(level: PlayLevel) -> Session {
    let settings = SearchSettings {
        hash_bytes: 4 << 20,
        threads: 1,
    };
    Session::new(
        Searcher::new(settings, Arc::new(Weights::untrained())),
        level,
    )
}

fn transcript(name: &str) -> String {
    fixture_text(format!("othello/transcripts/{name}.txt"))
}

/// The commands of a dialogue with the lines that follow each.
fn dialogue(text: &str) -> Vec<(String, Vec<String>)> {
    let mut turns: Vec<(String, Vec<String>)> = Vec::new();
    for line in text.lines() {
        if let Some(command) = line.strip_prefix(">>> ") {
            turns.push((command.to_owned(), Vec::new()));
        } else if let Some((_, lines)) = turns.last_mut()
            && !line.trim().is_empty()
        {
            lines.push(line.to_owned());
        }
    }
    turns
}

/// All that a program answered in a dialogue, without prompts and empty lines.
fn answers<'a>(lines: impl Iterator<Item = &'a str>, prompt: &str) -> Vec<String> {
    let lines = lines.filter(|line| !line.starts_with(">>> ") && !line.starts_with("# "));
    let lines = lines.map(|line| line.strip_prefix(prompt).unwrap_or(line).trim_end());
    let lines = lines.filter(|line| !line.trim().is_empty());
    lines.map(str::to_owned).collect()
}

/// A line with every number as 0 and every square as `m`; runs of blanks are one.
fn shape(line: &str) -> String {
    let mut text = String::new();
    let signs: Vec<char> = line.chars().collect();
    let mut at = 0;
    while at < signs.len() {
        let is_word = |n: usize| signs.get(n).is_some_and(char::is_ascii_alphanumeric);
        let is_start = at == 0 || !is_word(at - 1) || text.ends_with('m');
        let next = signs.get(at + 1).copied().unwrap_or(' ');
        let is_file = matches!(signs[at].to_ascii_lowercase(), 'a'..='h');
        if is_start && is_file && ('1'..='8').contains(&next) {
            // A line of play is one, however long.
            if !text.ends_with('m') && !text.ends_with("m ") {
                text.push('m');
            }
            at += 2;
            continue;
        }
        match signs[at] {
            '0'..='9' => {
                if !text.ends_with('0') {
                    text.push('0');
                }
            }
            '+' | '-' if next.is_ascii_digit() => {}
            blank if blank.is_whitespace() => {
                if !text.ends_with(' ') {
                    text.push(' ');
                }
            }
            sign => text.push(sign),
        }
        at += 1;
    }
    text.trim().to_owned()
}

// Consoles.

/// A line of Egaroucid's console.
fn egaroucid_shape(line: &str) -> String {
    let is_board =
        line.len() >= 17 && line.as_bytes()[0].is_ascii_digit() && line[1..].starts_with(' ');
    if is_board {
        let cells = &line[2..17];
        assert!(cells.chars().all(|sign| "XO. ".contains(sign)), "{line}");
        let facts = line[17..].replace("BLACK to", "SIDE to");
        return format!("board {}", shape(&facts.replace("WHITE to", "SIDE to")));
    }
    if line.starts_with('|') {
        // Tables: where the columns end, and what is in them.
        let cells = line.split('|').map(|cell| {
            let content = match cell.trim() {
                "Disagree" | "Mistake" if cell.len() == 13 => String::new(),
                text => shape(text),
            };
            format!("{}:{content}", cell.len())
        });
        let is_header = line.contains("Level") || line.contains("Player");
        let verdict = line.ends_with("Judge|") || line.contains("Rate");
        return if is_header || verdict {
            line.to_owned()
        } else {
            cells.collect::<Vec<_>>().join("|")
        };
    }
    if line.starts_with("  |") || line.starts_with("     ") {
        return line.to_owned();
    }
    if line.starts_with("  ") {
        // The help: names alone.
        let end = if line.starts_with("  randboard") {
            line.find("<n_moves>").map_or(line.len(), |at| at + 9)
        } else {
            line.len().min(42)
        };
        return line[..end].trim().to_owned();
    }
    shape(line)
}

fn egaroucid(name: &str) {
    let text = transcript(name);
    let mut console =
        EgaroucidConsole::new(session(PlayLevel::Egaroucid(4)), "1.0", Control::default());
    let mut own = String::new();
    console.start(&mut |text| own.push_str(text));
    for (command, _) in dialogue(&text) {
        let heard = console.line(&command, &mut |text| own.push_str(text));
        assert_eq!(heard == Heard::Quit, command == "quit");
        // As after a line that was typed.
        own.push('\n');
    }
    // The version and a command are ours; problems and advice were not recorded.
    let is_ours = |line: &String| {
        let begins = ["yaneura othello", "  @", "  opening "];
        begins.iter().any(|begin| line.starts_with(begin)) || line.ends_with(';')
    };
    let own = answers(own.lines(), "> ")
        .into_iter()
        .filter(|line| !is_ours(line));
    let own: Vec<_> = own.map(|line| egaroucid_shape(&line)).collect();
    let recorded = answers(text.lines(), "> ");
    let recorded: Vec<_> = recorded.iter().map(|line| egaroucid_shape(line)).collect();
    assert!(recorded.len() > 100);
    for (n, (own, recorded)) in own.iter().zip(&recorded).enumerate() {
        // Level 37 has a slip in Egaroucid.
        if !recorded.starts_with("  |   37|") {
            assert_eq!(own, recorded, "line {n}");
        }
    }
    assert!(own.len() >= recorded.len());
}

#[test]
fn egaroucids_console() {
    egaroucid("egaroucid79_console");
    egaroucid("egaroucid79_console_b");
}

/// A line of Edax's console.
fn edax_shape(line: &str) -> String {
    let is_board = line.len() > 70 && line.as_bytes()[0].is_ascii_digit();
    if is_board {
        assert!(
            line[2..17].chars().all(|sign| "*O-. ".contains(sign)),
            "{line}"
        );
        assert_eq!(line[43..].find('|'), Some(2), "{line}");
        let facts = line[19..43]
            .replace("White's turn (O)", "turn")
            .replace("Black's turn (*)", "turn");
        return format!("board {} {}", line.len(), shape(&facts));
    }
    if line.contains("<-") || line.contains(" > ") || line.contains(" < ") || line.contains(" = ") {
        let line = line.trim().split("<-").next().unwrap_or_default();
        return format!("analysed {}", shape(&line.replace(['<', '=', '>'], "?")));
    }
    if line.starts_with("    ") && line.len() > 50 && line.contains(':') {
        // Depth, score, time, nodes; a rate there is only after some time.
        return format!("hint {}", shape(&line[..41]));
    }
    shape(&line.replace("Edax", "NAME").replace("-nan", "-"))
}

#[test]
fn edaxs_console() {
    let text = transcript("edax46_console");
    let session = session(PlayLevel::Edax(4));
    let mut console = EdaxConsole::new(session, "NAME", "1.0", Control::default());
    let mut own = String::new();
    console.start(&mut |text| own.push_str(text));
    for (command, _) in dialogue(&text) {
        console.line(&command, &mut |text| own.push_str(text));
        own.push('\n');
    }
    let own: Vec<_> = answers(own.lines(), ">")
        .iter()
        .map(|line| edax_shape(line))
        .collect();
    let recorded = answers(text.lines(), ">");
    let recorded: Vec<_> = recorded.iter().map(|line| edax_shape(line)).collect();
    assert!(recorded.len() > 100);
    for (n, (own, recorded)) in own.iter().zip(&recorded).enumerate() {
        assert_eq!(own, recorded, "line {n}");
    }
    assert_eq!(own.len(), recorded.len());
}

// GTP.

/// The replies of a dialogue: success or failure, and what is behind it.
fn gtp_replies(text: &str) -> Vec<(char, String)> {
    let mut replies: Vec<(char, String)> = Vec::new();
    for line in text.lines() {
        let sign = line
            .chars()
            .next()
            .filter(|&sign| sign == '=' || sign == '?');
        if let Some(sign) = sign {
            let rest = line[1..].trim_start_matches(|c: char| c == ' ' || c.is_ascii_digit());
            replies.push((sign, rest.trim().to_owned()));
        } else if let Some((_, reply)) = replies.last_mut()
            && !line.starts_with(">>> ")
            && !line.trim().is_empty()
        {
            reply.push('\n');
            reply.push_str(line);
        }
    }
    replies
}

/// `differs` are commands that the other program has, or refuses, as that one does.
fn gtp(name: &str, differs: &[&str]) {
    let text = transcript(name);
    let commands = dialogue(&text);
    let replies = gtp_replies(&text);
    assert_eq!(commands.len(), replies.len());
    let mut gtp = Gtp::new(session(PlayLevel::Egaroucid(4)), "1.0", Control::default());
    for ((command, _), (sign, recorded)) in commands.iter().zip(&replies) {
        let own = gtp.line(command).text;
        let id = command
            .split(' ')
            .next()
            .filter(|word| word.parse::<u32>().is_ok());
        assert_eq!(
            own[1..].split([' ', '\n']).next(),
            id.or(Some("")),
            "{command}: {own}"
        );
        let (own_sign, own) = gtp_replies(&own).remove(0);
        let bare = command.trim_start_matches(|c: char| c == ' ' || c.is_ascii_digit());
        if differs.contains(&bare) {
            continue;
        }
        assert_eq!(own_sign, *sign, "{command}: {own}");
        // These may be numbers, which are no text here.
        if !["protocol_version", "final_score"].contains(&bare) {
            assert_eq!(own.is_empty(), recorded.is_empty(), "{command}: {own}");
        }
        match bare.split(' ').next().unwrap_or_default() {
            "genmove" | "reg_genmove" if *sign == '=' => {
                assert_eq!(shape(&own), "m", "{command}: {own}");
            }
            "list_commands" => {
                let own: Vec<_> = own.lines().collect();
                assert!(
                    recorded.lines().all(|name| own.contains(&name)),
                    "{recorded}"
                );
            }
            "known_command" | "gogui-rules_board_size" | "gogui-rules_game_id" | "list_games" => {
                assert_eq!(&own, recorded);
            }
            "showboard" | "gogui-rules_board" => {
                assert!(own.lines().count() + 1 >= recorded.lines().count(), "{own}");
            }
            _ => {}
        }
    }
}

#[test]
fn gtp_of_edax_and_egaroucid() {
    // These are Egaroucid's.
    let of_egaroucid = [
        "final_score",
        "gogui-rules_game_id",
        "gogui-rules_board",
        "gogui-rules_board_size",
        "gogui-rules_legal_moves",
        "gogui-rules_side_to_move",
        "gogui-rules_final_result",
    ];
    gtp("edax46_gtp", &of_egaroucid);
    // These are Edax's; Egaroucid takes any size of board and any color.
    let of_edax = [
        "time_settings 60 0 0",
        "time_left black 30 0",
        "set_game Othello",
        "boardsize 9",
        "genmove white",
        // It follows on that.
        "reg_genmove black",
        "loadsgf nofile.sgf",
    ];
    gtp("egaroucid79_gtp", &of_edax);
}

// Windows: what kinds of lines answer a command.

/// Runs commands, waiting after each that searches; returns what was written after each.
fn turns(
    commands: &[(String, Vec<String>)],
    mut line: impl FnMut(&str),
    lines: &Mutex<Vec<String>>,
) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    for (command, _) in commands {
        line(command);
        all.push(std::mem::take(&mut *lines.lock().unwrap()));
    }
    all
}

fn collector() -> (LineOutput, Arc<Mutex<Vec<String>>>) {
    let lines: Arc<Mutex<Vec<String>>> = Arc::default();
    let own = Arc::clone(&lines);
    (
        Arc::new(move |line: &str| own.lock().unwrap().push(line.to_owned())),
        lines,
    )
}

#[test]
fn nboard_of_edax_and_ntest() {
    for name in ["edax46_nboard", "edaxavx_nboard", "ntest_nboard"] {
        let commands = dialogue(&transcript(name));
        let (output, lines) = collector();
        let mut engine = NBoard::new(session(PlayLevel::Egaroucid(4)), output);
        let own = turns(
            &commands,
            |command| {
                engine.line(command);
                engine.wait();
            },
            &lines,
        );
        for ((command, recorded), own) in commands.iter().zip(own) {
            let kind = |line: &String| line.split(' ').next().unwrap_or_default().to_owned();
            let kinds: Vec<_> = own.iter().map(kind).collect();
            // Version 1 is refused by nobody any more; what is unknown is ignored, and positions are not learned.
            let words = match command.split(' ').next().unwrap_or_default() {
                "learn" => {
                    assert!(kinds.contains(&"learned".to_owned()));
                    continue;
                }
                "analyze" => {
                    assert!(kinds.contains(&"analysis".to_owned()));
                    continue;
                }
                "hint" => ["status", "search"].as_slice(),
                "go" => &["==="],
                "ping" => &["pong"],
                "set" if command.starts_with("set depth") => &["set"],
                _ => &[],
            };
            for word in words {
                assert!(
                    recorded.iter().any(|line| kind(line) == *word) || name == "edaxavx_nboard",
                    "{name}: {command}: {recorded:?}"
                );
                assert!(kinds.iter().any(|kind| kind == word), "{command}: {own:?}");
            }
            for line in own.iter().filter(|line| line.starts_with("search ")) {
                // PV, value, 0, depth.
                assert_eq!(line.split_whitespace().count(), 5, "{line}");
            }
        }
    }
}

#[test]
fn xboard_of_edax() {
    let commands = dialogue(&transcript("edax46_xboard"));
    let (output, lines) = collector();
    let mut engine = XBoard::new(session(PlayLevel::Egaroucid(4)), "NAME", output);
    let own = turns(
        &commands,
        |command| {
            engine.line(command);
            if command == "analyze" {
                std::thread::sleep(std::time::Duration::from_millis(300));
            } else {
                engine.wait();
            }
        },
        &lines,
    );
    let kind = |line: &String| {
        let first = line.split_whitespace().next().unwrap_or_default();
        match first {
            number if number.parse::<i32>().is_ok() && !line.contains("games") => {
                // Depth, value, time, boards, play.
                let numbers = line.split_whitespace().take(4);
                assert!(
                    numbers.clone().all(|word| word.parse::<i64>().is_ok()),
                    "{line}"
                );
                assert!(line.split_whitespace().count() > 4, "{line}");
                "thought".to_owned()
            }
            "move" => {
                assert!(line.starts_with("move P@") && line.len() == 9, "{line}");
                "move".to_owned()
            }
            _ => shape(&line.replace("Edax 4.6", "NAME")),
        }
    };
    for ((command, recorded), own) in commands.iter().zip(&own) {
        let mut own: Vec<_> = own.iter().map(kind).collect();
        let mut recorded: Vec<_> = recorded.iter().map(kind).collect();
        own.dedup();
        recorded.dedup();
        // Edax thinks on in the other side's time, and tells it.
        if let Some(at) = recorded.iter().position(|kind| kind == "move") {
            recorded.truncate(at + 1);
        }
        match command.as_str() {
            "ping 1" => assert_eq!(own, ["pong 0"]),
            "variant reversi" => {
                assert_eq!(own, recorded);
            }
            // Numbers of boards a second are of no use to it.
            "protover 2" => assert_eq!(own.len(), 1),
            // Another move may have been played before; thoughts may come until the next line.
            "usermove f6" | "exit" => {}
            _ => assert_eq!(own, recorded, "{command}"),
        }
    }
}

#[test]
fn cassio_of_edax() {
    let commands = dialogue(&transcript("edax46_cassio"));
    let (output, lines) = collector();
    let mut engine = Cassio::new(session(PlayLevel::Edax(21)), "NAME 4.6", output);
    let own = turns(
        &commands,
        |command| {
            engine.line(command);
            engine.wait();
        },
        &lines,
    );
    let cassio_shape = |line: &String| {
        // The board is what was asked; another program may find another winner, and passes are part of the play.
        let line = line.find(", move").map_or(line.as_str(), |at| &line[at..]);
        shape(
            &line
                .replace("Edax", "NAME")
                .replace("W+", "B+")
                .replace("pa", ""),
        )
    };
    for ((command, recorded), own) in commands.iter().zip(&own) {
        let own: Vec<_> = own.iter().map(cassio_shape).collect();
        let recorded: Vec<_> = recorded.iter().map(cassio_shape).collect();
        // The answer to this came late.
        if command != "ENGINE-PROTOCOL empty-hash" {
            assert_eq!(own, recorded, "{command}");
        }
    }
    // The exact score is that of Edax.
    let end = &own[5][0];
    assert!(end.contains("B+38.00 <= v <= B+38.00"), "{end}");
}
