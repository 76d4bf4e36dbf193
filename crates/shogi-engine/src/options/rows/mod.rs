//! The table of all options: the name, kind, default and range of each as GUIs see it, and what it sets, in the order in which
//! options are announced.
//!
//! Names, ranges, defaults and order are those of `YaneuraOu`, which GUIs know and translate. `DebugLogFile` and
//! `PARAMETERS_LOG_FILE_PATH` are implemented by the program that talks to the GUI.

mod book;
mod deep;
mod eval;
mod general;
mod mate;
mod row;
mod skill;

use shogi_search::Params;
use shogi_usi::OptionSpec;
use yane_book::probe::Profile;

use super::settings::Edition;

use row::Effect;
pub(super) use row::{Action, Row};
pub(super) use skill::FULL_SKILL;

/// All options; those that both engines know have the defaults of `edition`.
pub(super) fn table(profile: Profile, edition: Edition) -> Vec<Row> {
    let log = Row::string("PARAMETERS_LOG_FILE_PATH", "", |s, file| {
        file.clone_into(&mut s.parameters_log);
    });
    let mut rows = general::rows(edition);
    rows.extend(book::rows(profile));
    rows.extend(mate::rows());
    rows.extend(eval::rows());
    rows.extend(skill::rows());
    rows.push(log);
    rows.extend(deep::rows());
    rows.extend(tuning());
    rows
}

/// The parameters of the search under their own names, with the feature `tune`; else nothing.
fn tuning() -> impl Iterator<Item = Row> {
    let specs = if cfg!(feature = "tune") {
        Params::SPECS
    } else {
        &[]
    };
    specs.iter().map(|spec| {
        let [default, min, max] = [spec.default, spec.min, spec.max].map(i64::from);
        Row::new(
            OptionSpec::spin(spec.name, default, min, max),
            Effect::Param(spec.name),
        )
    })
}
