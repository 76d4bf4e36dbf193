//! Any text is a game in KIF and KI2 or an error in one of its lines; a game is written in every format, and what was written is read
//! as what was written.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shogi_kifu::KifuFormat;

fuzz_target!(|text: &str| yaneura_fuzz::check_record_text(KifuFormat::Kif, text));
