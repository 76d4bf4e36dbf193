//! The options about the opening book: names, kinds, defaults and ranges, and what they mean.

use shogi_core::{ByColor, Color};
use shogi_usi::{OptionSpec, Options};
use yane_book::probe::{OpenOptions, ProbeOptions, Profile};

/// `BookFile` for "no book".
pub(crate) const NO_BOOK: &str = "no_book";
/// `BookFile` unless the user says otherwise.
const DEFAULT_BOOK: &str = "standard_book.db";
/// Suggestions of `BookFile` in GUIs.
const BOOK_FILES: [&str; 10] = [
    NO_BOOK,
    DEFAULT_BOOK,
    "yaneura_book1.db",
    "yaneura_book2.db",
    "yaneura_book3.db",
    "yaneura_book4.db",
    "user_book1.db",
    "user_book2.db",
    "user_book3.db",
    "book.bin",
];
/// Longest line of the book that can be shown, in plies.
const MAX_PV_MOVES: i64 = 246;
/// Largest value, difference of values and depth that an option can have.
const MAX_LIMIT: i64 = 99_999;

/// The options of a profile, with the defaults of [`ProbeOptions::new`].
pub(crate) fn book_options(profile: Profile) -> Vec<OptionSpec> {
    let v2 = profile == Profile::V2;
    let default = ProbeOptions::new(profile);
    let colors = if v2 {
        &[Color::Black, Color::White][..]
    } else {
        &[Color::Black]
    };
    let file = if v2 { "user_book1.db" } else { DEFAULT_BOOK };
    let mut specs = vec![OptionSpec::check("USI_OwnBook", default.own_book)];
    if !v2 {
        specs.push(OptionSpec::check("NarrowBook", default.narrow));
    }
    specs.extend([
        OptionSpec::spin("BookMoves", default.max_ply.into(), 0, 10_000),
        OptionSpec::spin("BookIgnoreRate", default.ignore_rate.into(), 0, 100),
        OptionSpec::suggestions("BookFile", file, &BOOK_FILES),
        OptionSpec::string("BookDir", if v2 { "." } else { "book" }),
    ]);
    let of_sides = |name: fn(Profile, Color) -> &'static str, values: ByColor<i32>, min| {
        colors.iter().map(move |&side| {
            OptionSpec::spin(name(profile, side), values[side].into(), min, MAX_LIMIT)
        })
    };
    specs.extend(of_sides(Profile::eval_diff_name, default.eval_diff, 0));
    specs.extend([Color::Black, Color::White].map(|side| {
        let value = default.eval_limit[side].into();
        OptionSpec::spin(profile.eval_limit_name(side), value, -MAX_LIMIT, MAX_LIMIT)
    }));
    specs.extend(of_sides(Profile::depth_limit_name, default.depth_limit, 0));
    specs.push(OptionSpec::check("BookOnTheFly", v2));
    if !v2 {
        specs.push(OptionSpec::check(
            "ConsiderBookMoveCount",
            default.consider_count,
        ));
    }
    specs.extend([
        OptionSpec::spin("BookPvMoves", default.pv_moves.into(), 1, MAX_PV_MOVES),
        OptionSpec::check("IgnoreBookPly", v2),
        OptionSpec::check("FlippedBook", default.flipped),
    ]);
    specs
}

/// The options of the book probe.
pub(crate) fn probe_options(options: &Options, profile: Profile) -> ProbeOptions {
    let number = |name| options.spin(name) as i32;
    let of_sides = |name: fn(Profile, Color) -> &'static str| {
        ByColor([Color::Black, Color::White].map(|side| number(name(profile, side))))
    };
    let classic = profile == Profile::Classic;
    ProbeOptions {
        profile,
        own_book: options.check("USI_OwnBook"),
        narrow: classic && options.check("NarrowBook"),
        max_ply: options.spin("BookMoves") as u32,
        ignore_rate: options.spin("BookIgnoreRate") as u32,
        eval_diff: of_sides(Profile::eval_diff_name),
        eval_limit: of_sides(Profile::eval_limit_name),
        depth_limit: of_sides(Profile::depth_limit_name),
        consider_count: classic && options.check("ConsiderBookMoveCount"),
        pv_moves: options.spin("BookPvMoves") as u32,
        flipped: options.check("FlippedBook"),
    }
}

/// The options of opening the file.
pub(crate) fn open_options(options: &Options) -> OpenOptions {
    OpenOptions {
        on_the_fly: options.check("BookOnTheFly"),
        ignore_ply: options.check("IgnoreBookPly"),
    }
}

/// Whether the user has named a book, rather than left the default.
pub(crate) fn is_book_named(options: &Options) -> bool {
    let default = options
        .get("BookFile")
        .map(|(spec, _)| spec.kind.default_value());
    default.is_none_or(|default| default.to_string() != options.text("BookFile"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_those_of_the_book_crate() {
        for profile in [Profile::Classic, Profile::V2] {
            let mut options = Options::default();
            for spec in book_options(profile) {
                options.define(spec).unwrap();
            }
            assert_eq!(probe_options(&options, profile), ProbeOptions::new(profile));
            assert!(!is_book_named(&options));
            options.set("BookFile", Some("my book.db")).unwrap();
            assert_eq!(options.text("BookFile"), "my book.db");
            assert!(is_book_named(&options));
        }
    }
}
