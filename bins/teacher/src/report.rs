//! Damage as text and as JSON.

use pack_format::Damage;
use pack_format::convert::Lost;
use pack_format::text::FaultyLine;
use serde_json::{Value, json};
use yane_cli::HumanCount;

/// A number of things: `1 game`, `2,000 games`.
pub(crate) fn counted(count: u64, thing: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {thing}{plural}", HumanCount(count))
}

/// A damaged place: file, byte or line, game or record, what is wrong, what is lost by it.
pub(crate) fn lost_text(lost: &Lost) -> String {
    let Lost {
        input,
        damage,
        from,
        to,
    } = lost;
    let extent = match to {
        _ if damage.begins_at().is_none() => return format!("{input}: {damage}"),
        Some(to) => format!("bytes {from} to {to} ({})", HumanCount(to - from)),
        None => format!("everything from byte {from}"),
    };
    format!("{input}: {damage}; lost: {extent}")
}

/// The same for scripts.
pub(crate) fn lost_json(lost: &Lost) -> Value {
    let mut value = damage_json(&lost.damage);
    value["file"] = json!(lost.input);
    if lost.damage.begins_at().is_some() {
        value["lost_from"] = json!(lost.from);
        value["lost_to"] = json!(lost.to);
    }
    value
}

/// What is wrong and where, for scripts.
pub(crate) fn damage_json(damage: &Damage) -> Value {
    let mut value = json!({
        "begins_at": damage.begins_at(),
        "text": damage.to_string(),
    });
    match damage {
        Damage::Game(fault) => {
            value["game"] = json!(fault.game);
            value["byte"] = json!(fault.byte());
        }
        Damage::Hcpe3(fault) => {
            value["game"] = json!(fault.game);
            value["byte"] = json!(fault.byte());
        }
        Damage::Record(fault) => {
            value["record"] = json!(fault.record);
            value["byte"] = json!(fault.byte());
        }
        Damage::Line(FaultyLine { line, .. }) | Damage::UnsayableLine { line, .. } => {
            value["line"] = json!(line);
        }
        _ => value["byte"] = json!(damage.begins_at()),
    }
    value
}
