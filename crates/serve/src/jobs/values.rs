//! Values that pages give to options, as words of a command line.

use page_messages::{PageFailure, PageFile};
use serde_json::Value;

/// Letters of a value at most.
const MOST_LETTERS: usize = 4096;

/// Values of an option that may be given several times.
const MOST_VALUES: usize = 1000;

/// The text of a number or a text, of one line.
///
/// # Errors
///
/// Anything else, under the name of the option.
pub fn value_text(name: &str, value: &Value) -> Result<String, PageFailure> {
    let text = match value {
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        _ => String::new(),
    };
    let is_plain =
        !text.trim().is_empty() && text.len() <= MOST_LETTERS && !text.contains(['\0', '\n']);
    if is_plain {
        return Ok(text);
    }
    let text = format!("{name}: a number or a text of one line was expected");
    Err(PageFailure::new(text))
}

/// The values of an option that may be given several times: a list, or one alone.
///
/// # Errors
///
/// Too many.
pub fn value_list<'a>(name: &str, value: &'a Value) -> Result<&'a [Value], PageFailure> {
    let one = std::slice::from_ref(value);
    let values = value.as_array().map_or(one, Vec::as_slice);
    if values.len() > MOST_VALUES {
        let text = format!("{name}: a list of at most 1,000 values was expected");
        return Err(PageFailure::new(text));
    }
    Ok(values)
}

/// The lines of a file that a command reads.
///
/// # Errors
///
/// What is no list of texts of one line.
pub fn value_lines(name: &str, value: &Value) -> Result<Vec<String>, PageFailure> {
    let expected = || PageFailure::new(format!("{name}: a list of lines was expected"));
    let lines = value.as_array().ok_or_else(expected)?;
    lines.iter().map(|line| value_text(name, line)).collect()
}

/// Whether a switch is given.
///
/// # Errors
///
/// What is neither true nor false.
pub fn value_switch(name: &str, value: &Value) -> Result<bool, PageFailure> {
    let expected = || PageFailure::new(format!("{name}: true or false was expected"));
    value.as_bool().ok_or_else(expected)
}

/// A file as a page names it.
///
/// # Errors
///
/// What is none.
pub fn value_file(name: &str, value: &Value) -> Result<PageFile, PageFailure> {
    serde_json::from_value(value.clone())
        .map_err(|error| PageFailure::new(format!("{name}: {error}")))
}

/// The words of an option with a value. Nothing that a page sends is taken for an option.
pub fn option_words(name: &str, text: String) -> Vec<String> {
    if text.starts_with('-') {
        vec![format!("--{name}={text}")]
    } else {
        vec![format!("--{name}"), text]
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_of_one_line_and_no_options() {
        assert_eq!(value_text("n", &json!(17)).unwrap(), "17");
        for wrong in [
            json!(""),
            json!(" "),
            json!("a\nb"),
            json!("a\0"),
            json!([]),
            json!(null),
        ] {
            let told = value_text("n", &wrong).unwrap_err();
            assert!(told.text.starts_with("n: a number or a text"), "{told}");
        }
        assert_eq!(option_words("eval", "-50".to_owned()), ["--eval=-50"]);
        assert_eq!(option_words("eval", "50".to_owned()), ["--eval", "50"]);
        assert_eq!(value_list("n", &json!("a")).unwrap().len(), 1);
        value_list("n", &json!(vec![1; 1001])).unwrap_err();
        value_switch("n", &json!("true")).unwrap_err();
        value_file("n", &json!("/etc/passwd")).unwrap_err();
    }
}
