use super::*;

/// A table file of the given kind, converted.
fn recode(
    table: KpptTable,
    from: KpptLayout,
    to: KpptLayout,
    turn: TurnValues,
    bytes: &[u8],
) -> Result<Vec<u8>, String> {
    let mut output = Vec::new();
    let mut read = 0;
    let recode = Recode::new(table, from, to, turn);
    let result = recode.file(bytes, Path::new("in.bin"), |bytes, size| {
        output.extend_from_slice(bytes);
        read += size;
        Ok(())
    });
    result.map_err(|error| error.to_string())?;
    assert_eq!(read, bytes.len() as u64);
    Ok(output)
}

fn wide(values: &[i32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn narrow(values: &[i16]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

const KEEP: TurnValues = TurnValues::MustBeZero;

#[test]
fn kings_files_change_their_width() {
    use KpptLayout::{KppKkpt, Kppt, Kppt16};
    let (values, same) = ([-32768, 32767, -1, 0], [-32768, 32767, -1, 0]);
    for table in [KpptTable::Kk, KpptTable::Kkp] {
        for other in [Kppt, KppKkpt] {
            let bytes = recode(table, other, Kppt16, KEEP, &wide(&values));
            assert_eq!(bytes, Ok(narrow(&same)));
            let bytes = recode(table, Kppt16, other, KEEP, &narrow(&same));
            assert_eq!(bytes, Ok(wide(&values)));
        }
        let bytes = recode(table, Kppt, KppKkpt, KEEP, &wide(&values));
        assert_eq!(bytes, Ok(wide(&values)));
    }
}

#[test]
fn a_value_that_does_not_fit_is_an_error_with_its_place() {
    // Beyond the first piece of the file, so that the offset has both its parts.
    let mut values = vec![0; CHUNK / 4 + 10];
    values[CHUNK / 4 + 3] = 32_768;
    let problem = recode(
        KpptTable::Kkp,
        KpptLayout::Kppt,
        KpptLayout::Kppt16,
        KEEP,
        &wide(&values),
    )
    .unwrap_err();
    let offset = CHUNK + 8;
    let expected = format!("in.bin: byte {offset}: 32768 does not fit into 16 bits");
    assert_eq!(problem, expected);
}

#[test]
fn turn_values_come_and_go() {
    use KpptLayout::{KppKkpt, Kppt, Kppt16};
    for other in [Kppt, Kppt16] {
        let bytes = recode(KpptTable::Kpp, KppKkpt, other, KEEP, &narrow(&[5, -6]));
        assert_eq!(bytes, Ok(narrow(&[5, 0, -6, 0])));
        let bytes = recode(
            KpptTable::Kpp,
            other,
            KppKkpt,
            KEEP,
            &narrow(&[5, 0, -6, 0]),
        );
        assert_eq!(bytes, Ok(narrow(&[5, -6])));
        let with_turn = narrow(&[5, 0, -6, 7]);
        let bytes = recode(KpptTable::Kpp, other, KppKkpt, TurnValues::Drop, &with_turn);
        assert_eq!(bytes, Ok(narrow(&[5, -6])));
        let problem = recode(KpptTable::Kpp, other, KppKkpt, KEEP, &with_turn).unwrap_err();
        assert!(
            problem.starts_with("in.bin: byte 4: the turn value is 7"),
            "{problem}"
        );
    }
}

#[test]
fn three_files_appear_together_or_not_at_all() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("new");
    let names = || {
        let entries = std::fs::read_dir(&folder).unwrap();
        let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let result = write_files(&folder, |table, output| {
        output.put(b"half")?;
        match table {
            KpptTable::Kpp => Err(KpptError::File(Error::Cancelled)),
            _ => Ok(()),
        }
    });
    assert!(matches!(result, Err(KpptError::File(Error::Cancelled))));
    assert!(names().is_empty());
    write_files(&folder, |table, output| {
        Ok(output.put(table.file_name().as_bytes())?)
    })
    .unwrap();
    let mut expected = KpptTable::ALL.map(KpptTable::file_name);
    expected.sort_unstable();
    assert_eq!(names(), expected);
    for name in expected {
        assert_eq!(std::fs::read_to_string(folder.join(name)).unwrap(), name);
    }
}

#[test]
fn a_cancelled_job_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let job = Job::default();
    job.cancel();
    let result = write_zeros(folder.path(), KpptLayout::KppKkpt, &job);
    assert!(matches!(result, Err(KpptError::File(Error::Cancelled))));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
#[cfg(unix)]
fn inputs_are_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    for table in KpptTable::ALL {
        let file = std::fs::File::create(table.path(folder.path())).unwrap();
        file.set_len(KpptLayout::Kppt.file_len(table)).unwrap();
    }
    let path = folder.path();
    let result = convert(
        path,
        path,
        KpptLayout::Kppt16,
        KEEP,
        Overwrite::Refuse,
        &Job::default(),
    );
    let expected = matches!(
        result,
        Err(KpptError::File(Error::OverwritesInput(path))) if path.ends_with("KK_synthesized.bin")
    );
    assert!(expected);
}
