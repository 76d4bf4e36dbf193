//! Commands that convert and filter files of game records: one harness for every game.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::{ProgramRun, TestFolder, run_program};

/// Longest time of a run.
const LIMIT: Duration = Duration::from_secs(120);

/// A game whose record says all that commands may ask for.
#[derive(Clone, Copy, Debug)]
pub struct RecordedGame {
    /// The players: black and white.
    pub players: [&'static str; 2],
    /// Their ratings.
    pub ratings: [u32; 2],
    /// The year and the month.
    pub date: (u32, u32),
    /// The number of moves. Black wins if it is odd, else white.
    pub moves: usize,
}

/// Twelve games, no two of which say the same.
fn games() -> Vec<RecordedGame> {
    let names = ["Ada", "Bob", "Cleo", "Dan"];
    let game = |number: usize| RecordedGame {
        players: [names[number % 4], names[(number / 2 + 1) % 4]],
        ratings: [1000 + 100 * number as u32, 2000 - 50 * number as u32],
        date: (2001 + number as u32 / 2, 1 + 6 * (number as u32 % 2)),
        moves: 1 + number * 5 % 6,
    };
    (0..12).map(game).collect()
}

/// A program with the commands `convert` and `filter`.
#[derive(Clone, Copy, Debug)]
pub struct RecordCommands<'a> {
    /// The program.
    pub program: &'a Path,
    /// The words that stand before the command.
    pub prefix: &'a str,
    /// The extension of a format whose records follow each other in a file, and its name on command lines.
    pub format: &'a str,
    /// A record of a game in that format.
    pub record: fn(&RecordedGame) -> String,
    /// A record that begins like one, and cannot be read.
    pub bad: &'a str,
    /// The option that asks who has won.
    pub winner: &'a str,
}

impl RecordCommands<'_> {
    /// Checks that games come out the same whatever way they go in and out, that those are selected that fit, that bad games end a
    /// run or are counted, and that nothing is overwritten or left behind.
    ///
    /// # Panics
    /// When one of that is not so.
    #[track_caller]
    pub fn check(&self) {
        self.all_ways_are_the_same();
        self.selections_take_what_fits();
        self.bad_games_end_a_run_or_are_counted();
        self.nothing_is_overwritten();
    }

    #[track_caller]
    fn run(&self, folder: &TestFolder, line: &str, input: Vec<u8>) -> ProgramRun {
        let line = format!("{} {line}", self.prefix).replace("EXT", self.format);
        let words = line.split_whitespace();
        run_program(self.program, &folder.path(""), words, input, LIMIT)
    }

    fn text(&self, games: impl IntoIterator<Item = RecordedGame>) -> String {
        games.into_iter().map(|game| (self.record)(&game)).collect()
    }

    /// The bytes of a file with these games as the program writes it.
    #[track_caller]
    fn written(&self, games: impl IntoIterator<Item = RecordedGame>) -> Vec<u8> {
        let folder = TestFolder::new();
        let text = self.text(games);
        let to = format!("convert - -o - --to {}", self.format);
        self.run(&folder, &to, text.into_bytes()).succeeded().out
    }

    /// Two files of six games each.
    fn two_files(&self) -> TestFolder {
        let folder = TestFolder::new();
        for (name, games) in ["a", "b"].iter().zip(games().chunks(6)) {
            let text = self.text(games.iter().copied());
            folder.write(format!("{name}.{}", self.format), text);
        }
        folder
    }

    #[track_caller]
    fn all_ways_are_the_same(&self) {
        let expected = self.written(games());
        let folder = self.two_files();
        for line in [
            "convert a.EXT b.EXT -o - --to EXT --threads 1",
            "convert a.EXT b.EXT -o - --to EXT --threads 3",
            "convert . -o - --to EXT",
            "convert ?.EXT -o - --to EXT -q",
            "filter a.EXT b.EXT -o - --to EXT",
        ] {
            let run = self.run(&folder, line, Vec::new()).succeeded();
            assert!(run.out == expected, "{line}: {run:?}");
        }
        // The standard input among files, in its place.
        let bytes = folder.read(format!("b.{}", self.format));
        let run = self.run(&folder, "convert a.EXT - -o - --to EXT", bytes);
        assert!(run.succeeded().out == expected);
        let line = "convert a.EXT b.EXT --to EXT --out-dir out --json";
        let told = self.run(&folder, line, Vec::new()).succeeded().json();
        let count = |what: &str| told[what].as_u64().expect("a number");
        let counts = ["games", "bad", "written", "files"].map(count);
        assert_eq!(counts, [12, 0, 12, 2], "{told}");
        let run = self.run(&folder, "convert out -o - --to EXT", Vec::new());
        assert!(run.succeeded().out == expected, "written and read again");
    }

    #[track_caller]
    fn selections_take_what_fits(&self) {
        type Fits = fn(&RecordedGame) -> bool;
        let rows: [(&str, Fits); 13] = [
            ("--player Ada", |it| it.players.contains(&"Ada")),
            ("--player Ada --player Cle", |it| {
                it.players.contains(&"Ada") || it.players.contains(&"Cleo")
            }),
            ("--black Bob", |it| it.players[0] == "Bob"),
            ("--white Dan", |it| it.players[1] == "Dan"),
            ("--since 2004", |it| it.date.0 >= 2004),
            ("--until 2003", |it| it.date.0 <= 2003),
            ("--since 2002-07 --until 2003-01", |it| {
                ((2002, 7)..=(2003, 1)).contains(&it.date)
            }),
            ("--min-moves 4", |it| it.moves >= 4),
            ("--max-moves 3", |it| it.moves <= 3),
            ("--min-rating 1500", |it| {
                it.ratings.iter().all(|&rating| rating >= 1500)
            }),
            ("WINNER black", |it| it.moves % 2 == 1),
            ("WINNER white --player Bob", |it| {
                it.moves.is_multiple_of(2) && it.players.contains(&"Bob")
            }),
            ("--min-moves 0", |_| true),
        ];
        let folder = self.two_files();
        for (options, fits) in rows {
            let wanted: Vec<_> = games().into_iter().filter(fits).collect();
            assert!(!wanted.is_empty(), "{options}");
            let line = format!("filter a.EXT b.EXT -o - --to EXT {options}");
            let line = line.replace("WINNER", self.winner);
            let run = self.run(&folder, &line, Vec::new()).succeeded();
            assert!(run.out == self.written(wanted), "{options}: {run:?}");
        }
        let before = folder.names();
        let line = "filter a.EXT b.EXT -o none.EXT --player Nobody";
        let words = ["no game is left to be written (12 read, 0 bad)"];
        self.run(&folder, line, Vec::new()).failed(1, &words);
        assert_eq!(folder.names(), before);
    }

    #[track_caller]
    fn bad_games_end_a_run_or_are_counted(&self) {
        let folder = TestFolder::new();
        let [first, last] = [games()[0], games()[7]];
        let texts = [self.text([first]), self.bad.to_owned(), self.text([last])];
        let input = format!("in.{}", self.format);
        folder.write(&input, texts.concat());
        let line = "convert in.EXT -o out.EXT";
        let place = format!("{input}: line ");
        self.run(&folder, line, Vec::new()).failed(1, &[&place]);
        assert_eq!(folder.names(), [&input[..]]);
        let line = format!("{line} --skip-bad --json");
        let told = self.run(&folder, &line, Vec::new()).failed(1, &[&place]);
        let told = told.json();
        let count = |what: &str| told[what].as_u64().expect("a number");
        let counts = ["games", "bad", "written", "files"].map(count);
        assert_eq!(counts, [2, 1, 2, 1], "{told}");
        assert_eq!(told["problems"].as_array().map(Vec::len), Some(1), "{told}");
        let output = folder.read(format!("out.{}", self.format));
        assert!(output == self.written([first, last]));
    }

    #[track_caller]
    fn nothing_is_overwritten(&self) {
        let folder = self.two_files();
        let path = folder.path(format!("a.{}", self.format));
        let before = fs::read(&path).expect("a file that is there");
        for (line, words) in [
            ("convert a.EXT b.EXT -o a.EXT", "is an input"),
            ("filter a.EXT -o b.EXT", "exists"),
            ("convert b.EXT --to EXT", "is an input"),
        ] {
            self.run(&folder, line, Vec::new()).failed(1, &[words]);
        }
        assert!(fs::read(&path).expect("a file that is there") == before);
        let force = "filter a.EXT -o b.EXT --force";
        self.run(&folder, force, Vec::new()).succeeded();
        let six = games().into_iter().take(6);
        assert!(folder.read(format!("b.{}", self.format)) == self.written(six));
        self.run(&folder, "convert - --to EXT", before)
            .failed(2, &["the standard input has no name: add -o OUT"]);
    }
}
