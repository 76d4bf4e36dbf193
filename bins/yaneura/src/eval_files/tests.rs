use super::*;

fn words(line: &str) -> Vec<String> {
    line.split(' ').map(str::to_owned).collect()
}

fn why(line: &str) -> String {
    let line = format!("{PROGRAM} {line}");
    let error = Cli::try_parse_from(line.split(' ')).unwrap_err();
    assert!(error.use_stderr());
    cli::reason(&error)
}

#[test]
fn commands_are_known_with_and_without_the_old_word() {
    for line in ["nn info x", "evalconvert", "evalzero kppt32 x"] {
        assert_eq!(command(&words(line)), Some(words(line).as_slice()));
        let old = format!("test {line}");
        assert_eq!(command(&words(&old)), Some(words(line).as_slice()));
    }
    for line in ["usi", "test", "test nothing", "position nn"] {
        assert_eq!(command(&words(line)), None, "{line}");
    }
}

#[test]
fn wrong_arguments_are_told_on_one_line() {
    assert_eq!(
        why("evalconvert kppt8 a kppt32 b"),
        "invalid value 'kppt8' for '<KIND>': expected one of kppt32, kppt16, kpp_kkpt32"
    );
    let text = why("evalconvert kppt16 a kppt32");
    assert!(text.contains("<TO>"), "{text}");
    let text = why("evalzero halfkp_7 b");
    assert!(
        text.contains("expected one of kppt32") && text.contains("architecture"),
        "{text}"
    );
    let text = why("nn info --arch nothing f");
    assert!(text.contains("nothing") && !text.contains('\n'), "{text}");
}

#[test]
fn kinds_have_their_other_names() {
    for (line, from, to) in [
        ("evalconvert kppt16 a kppt b", "kppt16", "kppt32"),
        ("evalconvert kpp_kkpt a kppt32 b", "kpp_kkpt32", "kppt32"),
    ] {
        let line = format!("{PROGRAM} {line}");
        let cli = Cli::try_parse_from(line.split(' ')).unwrap();
        let cli::Command::Evalconvert(convert) = cli.command else {
            panic!("{line}")
        };
        let kinds = [convert.from_kind, convert.to_kind];
        assert_eq!(kinds.map(shogi_eval::kppt::KpptLayout::name), [from, to]);
    }
}
