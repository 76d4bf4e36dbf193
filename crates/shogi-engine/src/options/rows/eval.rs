//! The options about the evaluation.

use shogi_eval::MaterialLevel;
use shogi_eval::nnue::FvScale;
use shogi_search::SearchUnit;

use super::Row;
use crate::options::settings::{DEFAULT_DIR, DEFAULT_SAVE_DIR, EvalChoice};

/// Largest value of `SearchUnit`, in per cent.
const MAX_SEARCH_UNIT: i64 = 1600;
/// Value of `EvalArchitecture` for the architecture that the file states.
const BY_FILE: &str = "auto";

pub(super) fn rows() -> [Row; 9] {
    let choices = EvalChoice::ALL.map(EvalChoice::name);
    let (first, last) = (MaterialLevel::FIRST.get(), MaterialLevel::LAST.get());
    let levels = (first.into(), first.into(), last.into());
    let scales = (FvScale::DEFAULT.get().into(), 1, FvScale::MAX.into());
    [
        Row::combo("Evaluation", &choices, |s, word| {
            let mut all = EvalChoice::ALL.into_iter();
            s.eval.choice = all.find(|choice| choice.name() == word).unwrap_or_default();
        }),
        Row::spin("MaterialLevel", levels, |s, n| {
            let level = u8::try_from(n).ok().and_then(MaterialLevel::new);
            s.eval.level = level.unwrap_or_default();
        }),
        Row::string("EvalDir", DEFAULT_DIR, |s, dir| {
            dir.clone_into(&mut s.eval.dir);
        }),
        Row::string("EvalSaveDir", DEFAULT_SAVE_DIR, |s, dir| {
            dir.clone_into(&mut s.eval.save_dir);
        }),
        Row::string("EvalArchitecture", BY_FILE, |s, name| {
            let by_file = name.is_empty() || name.eq_ignore_ascii_case(BY_FILE);
            s.eval.architecture = (!by_file).then(|| name.to_owned());
        }),
        Row::spin("FV_SCALE", scales, |s, n| {
            s.eval.scale = FvScale::new(n as i32).unwrap_or(FvScale::DEFAULT);
        })
        .or_fixed(|s, is_fixed| s.eval.scale_is_fixed = is_fixed),
        Row::spin("SearchUnit", (75, 1, MAX_SEARCH_UNIT), |s, n| {
            s.eval.unit = SearchUnit::times(n as f64 / 100.0);
        }),
        Row::check("EvalShare", false, |s, on| s.eval.share = on),
        Row::check("SkipLoadingEval", false, |s, on| s.eval.skip = on),
    ]
}
