//! The devices that evaluate a network: those that can.

use crate::RuntimeError;

/// Devices, the form in which all of them take the network, and an evaluator on each.
pub(super) struct ChosenDevices<F, E> {
    pub(super) form: F,
    pub(super) devices: Vec<u32>,
    /// Each with the place of its device.
    pub(super) evaluators: Vec<(usize, E)>,
    /// What was wrong with others, as lines for people.
    pub(super) notices: Vec<String>,
}

/// Asks `open` for an evaluator on each device, in the first of `forms` that the first device takes; `name` is that of a device.
///
/// # Errors
/// When no device evaluates: what the first one says.
pub(super) fn choose<F: Clone, E>(
    numbers: &[u32],
    forms: &[F],
    name: impl Fn(u32) -> String,
    mut open: impl FnMut(&[F], u32) -> Result<(F, E), RuntimeError>,
) -> Result<ChosenDevices<F, E>, RuntimeError> {
    let mut form = None;
    let (mut devices, mut evaluators, mut notices) = (Vec::new(), Vec::new(), Vec::new());
    let mut first_reason = None;
    for &device in numbers {
        let forms = form.as_ref().map_or(forms, std::slice::from_ref);
        match open(forms, device) {
            Ok((found, evaluator)) => {
                form = Some(found);
                evaluators.push((devices.len(), evaluator));
                devices.push(device);
            }
            Err(reason) => {
                notices.push(format!("{}: {reason} : it is left out", name(device)));
                first_reason.get_or_insert(reason);
            }
        }
    }
    match form {
        Some(form) => Ok(ChosenDevices {
            form,
            devices,
            evaluators,
            notices,
        }),
        None => {
            Err(first_reason
                .unwrap_or_else(|| RuntimeError::NoDevice("there is no device".to_owned())))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missing(device: u32) -> RuntimeError {
        RuntimeError::NoDevice(format!("no {device}"))
    }

    #[test]
    fn devices_that_are_missing_are_left_out() {
        let mut asked = Vec::new();
        let chosen = choose(
            &[0, 1, 2, 3],
            &["fast", "plain"],
            |device| format!("card {device}"),
            |forms, device| {
                asked.push((forms.to_vec(), device));
                let takes = [None, Some("plain"), None, Some("plain")][device as usize];
                let form = takes.filter(|form| forms.contains(form));
                form.map(|form| (form, device * 10))
                    .ok_or_else(|| missing(device))
            },
        );
        let chosen = chosen.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((chosen.form, &chosen.devices[..]), ("plain", &[1, 3][..]));
        assert_eq!(chosen.evaluators, [(0, 10), (1, 30)]);
        let expected = [
            "card 0: no 0 : it is left out",
            "card 2: no 2 : it is left out",
        ];
        assert_eq!(chosen.notices, expected);
        // Those after the first that works are asked for its form alone.
        assert_eq!(asked[1].0, ["fast", "plain"]);
        assert_eq!(asked[3].0, ["plain"]);
    }

    #[test]
    fn without_any_the_first_reason_counts() {
        let chosen = choose::<_, ()>(
            &[4, 5],
            &["plain"],
            |_| String::new(),
            |_, device| Err(missing(device)),
        );
        assert_eq!(
            chosen.err().map(|error| error.to_string()).as_deref(),
            Some("no 4")
        );
        let none = choose::<_, ()>(
            &[],
            &["plain"],
            |_| String::new(),
            |_, device| Err(missing(device)),
        );
        assert!(none.is_err());
    }
}
