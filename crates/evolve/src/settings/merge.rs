//! Settings over settings.

use serde_json::Value;

/// Keys of which one takes the place of the others.
const ALTERNATIVES: [&[&str]; 2] = [&["games", "positions"], &["nodes", "movetime", "level"]];

/// Puts `over` over `value`: objects key by key, anything else as a whole. Of keys that stand for the same thing, a value of one takes
/// away those of the others.
pub(super) fn merge(value: &mut Value, over: &Value) {
    let (Value::Object(fields), Value::Object(new)) = (&mut *value, over) else {
        value.clone_from(over);
        return;
    };
    for names in ALTERNATIVES {
        let has_all = |names: &[&str]| {
            names
                .iter()
                .filter(|name| fields.contains_key(**name))
                .count()
                > 1
        };
        let given = |name: &&str| new.get(*name).is_some_and(|value| !value.is_null());
        if has_all(names) && names.iter().any(given) {
            for name in names.iter().filter(|name| !given(name)) {
                if let Some(old) = fields.get_mut(*name) {
                    *old = Value::Null;
                }
            }
        }
    }
    for (name, new) in new {
        match fields.get_mut(name) {
            Some(old) => merge(old, new),
            None => drop(fields.insert(name.clone(), new.clone())),
        }
    }
}
