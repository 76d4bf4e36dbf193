//! Results byte for byte: JSON, pages, pictures, records. `UPDATE_GOLDENS=1` writes them anew.

use shogi_kifu::{CsaVersion, KifuFormat};
use shogi_review::{
    AnnotateOptions, CommentForm, Language, ReviewOptions, ReviewTotals, annotate, review,
    review_chart, review_page, totals_page,
};
use test_support::assert_golden;

use crate::{record, scripted};

#[test]
fn results_are_the_same_bytes() {
    let record = record();
    let review = review(&record, ReviewOptions::default(), &mut scripted(), |_| {}).unwrap();
    let golden = |name: &str, text: &str| assert_golden(&format!("review/{name}"), text.as_bytes());
    golden(
        "game.json",
        &(serde_json::to_string_pretty(&review).unwrap() + "\n"),
    );
    golden("game.svg", &review_chart(&review, Language::Japanese));
    golden(
        "game.ja.html",
        &review_page(&record, &review, Language::Japanese),
    );
    golden(
        "game.en.html",
        &review_page(&record, &review, Language::English),
    );
    let mut totals = ReviewTotals::default();
    totals.add(&review, |_| true);
    golden(
        "totals.html",
        &totals_page(std::slice::from_ref(&review), &totals, Language::English),
    );
    let kif = annotate(&record, &review, AnnotateOptions::default());
    golden("game.kif", &KifuFormat::Kif.write(&kif, CsaVersion::V22).0);
    let options = AnnotateOptions {
        form: CommentForm::Floodgate,
        language: Language::English,
        ..AnnotateOptions::default()
    };
    let csa = annotate(&record, &review, options);
    golden("game.csa", &KifuFormat::Csa.write(&csa, CsaVersion::V22).0);
}
