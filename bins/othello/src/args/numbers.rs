//! Numbers of arguments.

/// The number of lines that `--moves` asks for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moves(pub(crate) usize);

impl std::str::FromStr for Moves {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            _ if text == "all" => Ok(Self(usize::MAX)),
            Ok(0) | Err(_) => Err("a number from 1 on, or 'all', was expected".to_owned()),
            Ok(moves) => Ok(Self(moves)),
        }
    }
}
