//! The options about the opening book, with the defaults of [`ProbeOptions::new`].

use shogi_core::{ByColor, Color};
use yane_book::probe::{ProbeOptions, Profile};

use super::Row;
use crate::options::settings::{EngineSettings, NO_BOOK};

/// Default of `BookFile`.
const DEFAULT_BOOK: &str = "standard_book.db";
/// The same with the options of the profile V2.
const DEFAULT_BOOK_V2: &str = "user_book1.db";
/// Suggestions of `BookFile` in GUIs.
const BOOK_FILES: [&str; 10] = [
    NO_BOOK,
    DEFAULT_BOOK,
    "yaneura_book1.db",
    "yaneura_book2.db",
    "yaneura_book3.db",
    "yaneura_book4.db",
    DEFAULT_BOOK_V2,
    "user_book2.db",
    "user_book3.db",
    "book.bin",
];
/// Longest line of the book that can be shown, in plies.
const MAX_PV_MOVES: i64 = 246;
/// Largest value, difference of values and depth that an option can have.
const MAX_LIMIT: i64 = 99_999;

/// The name of `BookFile` when it was left.
const fn default_book(profile: Profile) -> &'static str {
    match profile {
        Profile::Classic => DEFAULT_BOOK,
        Profile::V2 => DEFAULT_BOOK_V2,
    }
}

/// What an option of both sides, of black and of white does.
type SidePuts = [fn(&mut EngineSettings, i64); 3];

const EVAL_DIFF: SidePuts = [
    |s, n| s.book.probe.eval_diff = ByColor([n as i32; 2]),
    |s, n| s.book.probe.eval_diff[Color::Black] = n as i32,
    |s, n| s.book.probe.eval_diff[Color::White] = n as i32,
];
const DEPTH_LIMIT: SidePuts = [
    |s, n| s.book.probe.depth_limit = ByColor([n as i32; 2]),
    |s, n| s.book.probe.depth_limit[Color::Black] = n as i32,
    |s, n| s.book.probe.depth_limit[Color::White] = n as i32,
];

/// The option of a profile that is one for both sides, or one for each.
fn of_sides(
    profile: Profile,
    name: fn(Profile, Color) -> &'static str,
    default: ByColor<i32>,
    [both, black, white]: SidePuts,
) -> Vec<Row> {
    let row = |side, put| {
        let range = (default[side].into(), 0, MAX_LIMIT);
        Row::spin(name(profile, side), range, put)
    };
    match profile {
        Profile::Classic => vec![row(Color::Black, both)],
        Profile::V2 => vec![row(Color::Black, black), row(Color::White, white)],
    }
}

pub(super) fn rows(profile: Profile) -> Vec<Row> {
    let v2 = profile == Profile::V2;
    let default = ProbeOptions::new(profile);
    let limit = |side: Color| (default.eval_limit[side].into(), -MAX_LIMIT, MAX_LIMIT);
    let mut rows = vec![Row::check("USI_OwnBook", default.own_book, |s, on| {
        s.book.probe.own_book = on;
    })];
    if !v2 {
        rows.push(Row::check("NarrowBook", default.narrow, |s, on| {
            s.book.probe.narrow = on;
        }));
    }
    rows.extend([
        Row::spin("BookMoves", (default.max_ply.into(), 0, 10_000), |s, n| {
            s.book.probe.max_ply = n as u32;
        }),
        Row::spin(
            "BookIgnoreRate",
            (default.ignore_rate.into(), 0, 100),
            |s, n| s.book.probe.ignore_rate = n as u32,
        ),
        Row::suggestions("BookFile", default_book(profile), &BOOK_FILES, |s, file| {
            file.clone_into(&mut s.book.file);
            s.book.is_named = file != default_book(s.book.probe.profile);
        }),
        Row::string("BookDir", if v2 { "." } else { "book" }, |s, dir| {
            dir.clone_into(&mut s.book.dir);
        }),
    ]);
    let diff_name = Profile::eval_diff_name;
    rows.extend(of_sides(profile, diff_name, default.eval_diff, EVAL_DIFF));
    rows.extend([
        Row::spin(
            profile.eval_limit_name(Color::Black),
            limit(Color::Black),
            |s, n| s.book.probe.eval_limit[Color::Black] = n as i32,
        ),
        Row::spin(
            profile.eval_limit_name(Color::White),
            limit(Color::White),
            |s, n| s.book.probe.eval_limit[Color::White] = n as i32,
        ),
    ]);
    let depth_name = Profile::depth_limit_name;
    rows.extend(of_sides(
        profile,
        depth_name,
        default.depth_limit,
        DEPTH_LIMIT,
    ));
    rows.push(Row::check("BookOnTheFly", v2, |s, on| {
        s.book.open.on_the_fly = on;
    }));
    if !v2 {
        let counts = default.consider_count;
        rows.push(Row::check("ConsiderBookMoveCount", counts, |s, on| {
            s.book.probe.consider_count = on;
        }));
    }
    rows.extend([
        Row::spin(
            "BookPvMoves",
            (default.pv_moves.into(), 1, MAX_PV_MOVES),
            |s, n| s.book.probe.pv_moves = n as u32,
        ),
        Row::check("IgnoreBookPly", v2, |s, on| s.book.open.ignore_ply = on),
        Row::check("FlippedBook", default.flipped, |s, on| {
            s.book.probe.flipped = on;
        }),
    ]);
    rows
}
