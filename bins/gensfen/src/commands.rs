//! Commands from the keyboard.

use std::io::{BufRead as _, Write as _};

use farm::RunControl;

use crate::is_interactive;
use crate::screen::Screen;

const PROMPT: &str = "[Q]uit [G]ensfen [P]ause [H]elp> ";
const HELP: &str = "\
g : play games
p : pause or resume (engines finish the move that they think about)
q : quit; all finished games are saved
h : this help";

fn prompt() {
    if is_interactive() {
        eprint!("{PROMPT}");
        std::io::stderr().flush().ok();
    }
}

/// Reads commands until one starts the run; false when the program is to end.
pub(crate) fn wait_for_start(control: &RunControl, screen: &Screen) -> bool {
    prompt();
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        match line.trim() {
            "g" | "G" | "gensfen" => return true,
            "q" | "Q" | "quit" | "!" => return false,
            "h" | "H" | "help" => screen.note(HELP),
            "" => {}
            other => screen.note(&format!("unknown command {other:?}; h shows all")),
        }
        if control.is_quitting() {
            break;
        }
        prompt();
    }
    false
}

/// Executes commands while games are played, on a thread of its own that ends with the program. The end of the
/// input does not end the run.
pub(crate) fn listen(control: RunControl) {
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            let Ok(line) = line else { return };
            match line.trim() {
                "p" | "P" | "pause" => {
                    let paused = !control.is_paused();
                    control.pause(paused);
                    eprintln!(
                        "{}",
                        if paused {
                            "Paused. p resumes."
                        } else {
                            "Resumed."
                        }
                    );
                }
                "q" | "Q" | "quit" | "!" => {
                    control.quit();
                    return;
                }
                "h" | "H" | "help" => eprintln!("{HELP}"),
                _ => {}
            }
        }
    });
}
