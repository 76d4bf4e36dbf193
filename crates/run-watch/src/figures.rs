//! The figures of events: which fields are curves, and over what.

/// A curve that events of a name add a point to.
pub(crate) struct Figure {
    pub(crate) event: &'static str,
    /// The field of the value.
    pub(crate) value: &'static str,
    /// The name of the curve.
    pub(crate) name: &'static str,
    pub(crate) unit: &'static str,
    /// The field of the place, and what is counted there.
    pub(crate) at: (&'static str, &'static str),
    /// The fields of the bounds of the value.
    pub(crate) bounds: Option<(&'static str, &'static str)>,
}

const EPOCH: (&str, &str) = ("epoch", "epoch");
const GAMES: (&str, &str) = ("games", "games");

const fn figure(
    event: &'static str,
    value: &'static str,
    name: &'static str,
    unit: &'static str,
    at: (&'static str, &'static str),
) -> Figure {
    Figure {
        event,
        value,
        name,
        unit,
        at,
        bounds: None,
    }
}

/// All curves of events that have names of their own; events `figure` say themselves what they are.
pub(crate) const FIGURES: &[Figure] = &[
    figure("loss", "loss", "loss", "loss", EPOCH),
    figure("loss", "rate", "learning_rate", "", EPOCH),
    figure("epoch", "train_excess", "train_loss", "loss", EPOCH),
    figure("epoch", "valid_excess", "valid_loss", "loss", EPOCH),
    figure(
        "epoch",
        "policy_accuracy",
        "policy_accuracy",
        "share",
        EPOCH,
    ),
    figure("epoch", "value_accuracy", "value_accuracy", "share", EPOCH),
    Figure {
        bounds: Some(("elo.low", "elo.high")),
        ..figure("score", "elo.difference", "elo", "elo", GAMES)
    },
    figure("score", "superiority", "superiority", "probability", GAMES),
    figure("score", "llr", "llr", "", GAMES),
    figure("listed", "lines", "listed", "lines", ("loop", "round")),
    figure(
        "listed",
        "visited",
        "visited",
        "positions",
        ("loop", "round"),
    ),
    figure(
        "listed",
        "chosen",
        "listed",
        "positions",
        ("round", "round"),
    ),
    figure(
        "listed",
        "positions",
        "book",
        "positions",
        ("round", "round"),
    ),
    // Of makebook s_tera.
    figure(
        "grown",
        "positions",
        "book",
        "positions",
        ("finished", "positions"),
    ),
    figure(
        "grown",
        "root_value",
        "root_value",
        "cp",
        ("finished", "positions"),
    ),
];

/// The field of events that say which round begins.
pub(crate) const ROUNDS: [&str; 2] = ["round", "loop"];
