//! The first line, and line ends.

/// The first line of every `.db` file, without its line end.
///
/// `ShogiHome` refuses a file whose first line is a comment other than exactly this one.
pub const HEADER: &str = "#YANEURAOU-DB2016 1.00";

/// How lines of a text file end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineEnd {
    /// CR LF, as the field's tools write `.db` files.
    #[default]
    CrLf,
    /// LF.
    Lf,
}

impl LineEnd {
    /// The bytes.
    pub const fn bytes(self) -> &'static [u8] {
        match self {
            Self::CrLf => b"\r\n",
            Self::Lf => b"\n",
        }
    }
}
