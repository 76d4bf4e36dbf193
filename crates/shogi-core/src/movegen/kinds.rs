//! Which moves to generate, as types: each combination is compiled into a generator of its own.

/// A kind of move generation. Implemented by the unit types of this module.
pub trait GenKind: sealed::Sealed {
    /// Which part of the moves.
    #[doc(hidden)]
    const SELECT: Select;
    /// Whether pointless non-promotions are included.
    #[doc(hidden)]
    const ALL: bool = false;
}

/// Parts of the set of moves.
#[doc(hidden)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Select {
    Everything,
    Captures,
    CapturesAndPromotions,
    QuietsWithoutPromotions,
    Checks,
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $select:ident;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug)]
            pub struct $name;

            impl sealed::Sealed for $name {}

            impl GenKind for $name {
                const SELECT: Select = Select::$select;
            }
        )*
    };
}

kinds! {
    /// All legal moves except pointless non-promotions: a pawn, bishop or rook that could promote
    /// does, and so does a lance that arrives on the second rank from the edge.
    Legal = Everything;
    /// Answers to a check; the same moves as [`Legal`], named for callers that know the side to move
    /// is in check.
    Evasions = Everything;
    /// Moves that capture, promoting or not.
    Captures = Captures;
    /// Captures and every promotion.
    CapturesAndPromotions = CapturesAndPromotions;
    /// What [`CapturesAndPromotions`] leaves: neither captures nor promotions; drops included.
    QuietsWithoutPromotions = QuietsWithoutPromotions;
    /// Moves that give check.
    Checks = Checks;
}

/// The kind `G` with pointless non-promotions included.
#[derive(Clone, Copy, Debug)]
pub struct All<G>(G);

impl<G: GenKind> sealed::Sealed for All<G> {}

impl<G: GenKind> GenKind for All<G> {
    const SELECT: Select = G::SELECT;
    const ALL: bool = true;
}

/// Every legal move, pointless non-promotions included: what the rules allow.
pub type LegalAll = All<Legal>;
