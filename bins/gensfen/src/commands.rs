//! Commands from the keyboard.

use std::io::{BufRead as _, Write as _};

use selfplay::Control;

use crate::is_interactive;
use crate::screen::Screen;

const PROMPT: &str = "[Q]uit [G]ensfen [P]ause [H]elp> ";
const HELP: &str = "\
g : play games
p : pause, or go on (engines finish the move that they think about)
q : quit; all finished games are saved
h : this help";

fn prompt() {
    if is_interactive() {
        eprint!("{PROMPT}");
        std::io::stderr().flush().ok();
    }
}

/// Reads commands until there is one to begin; false when it is to be left at that.
pub(crate) fn wait_for_start(control: &Control, screen: &Screen) -> bool {
    prompt();
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        match line.trim() {
            "g" | "G" | "gensfen" => return true,
            "q" | "Q" | "quit" | "!" => return false,
            "h" | "H" | "help" => screen.say(HELP),
            "" => {}
            other => screen.say(&format!("unknown command {other:?}; h shows all")),
        }
        if control.is_quitting() {
            break;
        }
        prompt();
    }
    false
}

/// Carries out commands while games are played, on a thread of its own that ends with the program. That
/// nothing can be read any more means nothing.
pub(crate) fn listen(control: Control) {
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
                            "paused; p goes on"
                        } else {
                            "going on"
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
