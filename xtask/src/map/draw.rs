//! The picture of the floors and the table of the crates, as text.

use std::fmt::Write as _;
use std::iter;

use super::crates::{FLOORS, Member, SUBJECTS};

/// Letters of a column of the picture.
const WIDTH: usize = 34;

/// Returns the picture: a row for each floor, the highest first, and a column for each subject.
pub(super) fn picture(members: &[Member]) -> String {
    let mut text = String::from("```\n");
    let row = |text: &mut String, floor: &str, cells: [&str; 3]| {
        let line = format!(
            "{floor:>9} | {:WIDTH$} | {:WIDTH$} | {}",
            cells[0], cells[1], cells[2]
        );
        writeln!(text, "{}", line.trim_end()).expect("a string takes all");
    };
    row(&mut text, "", ["shogi", "any game", "othello"]);
    for (floor, name) in FLOORS.iter().enumerate().rev() {
        let line = "-".repeat(WIDTH + 2);
        writeln!(text, "{}+{line}+{line}+{line}", "-".repeat(10)).expect("a string takes all");
        let columns: [Vec<String>; 3] = std::array::from_fn(|subject| {
            let names = members
                .iter()
                .filter(|member| member.floor == floor && member.subject == subject);
            wrapped(names.map(|member| member.name.as_str()))
        });
        let rows = columns.iter().map(Vec::len).max().unwrap_or(0);
        for line in 0..rows {
            let cells = [0, 1, 2].map(|column: usize| {
                let cell = columns[column].get(line);
                cell.map_or("", String::as_str)
            });
            row(&mut text, if line == 0 { name } else { "" }, cells);
        }
    }
    text.push_str("```\n");
    debug_assert_eq!(SUBJECTS.len(), 3);
    text
}

/// Names side by side, in lines that fit into a column.
fn wrapped<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for name in names {
        match lines.last_mut() {
            Some(line) if line.len() + 2 + name.len() <= WIDTH => {
                line.push_str("  ");
                line.push_str(name);
            }
            _ => lines.push(name.to_owned()),
        }
    }
    lines
}

/// Returns the table of the crates, the lowest floor first.
pub(super) fn table(members: &[Member]) -> String {
    let head = "| part | is | stands on | never knows about |\n| --- | --- | --- | --- |\n";
    let rows = members.iter().map(|member| {
        let folder = member.folder.display().to_string().replace('\\', "/");
        format!(
            "| `{folder}` | {} | {} | {} |\n",
            member.description,
            member.stands_on.join(", "),
            member.never
        )
    });
    iter::once(head.to_owned()).chain(rows).collect()
}
