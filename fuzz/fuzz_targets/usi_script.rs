//! Any text as a GUI's commands to a session: no panic, exactly one decision for each search, and every
//! move of a decision or line legal.
#![no_main]

use libfuzzer_sys::fuzz_target;
use yaneura_fuzz::session::run_script;

fuzz_target!(|text: &str| run_script(text));
