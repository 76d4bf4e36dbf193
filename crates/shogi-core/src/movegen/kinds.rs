//! Which moves to generate, as types: each combination is compiled into a generator of its own.

/// A kind of move generation. Implemented by the unit types of this module.
pub trait GenKind: sealed::Sealed {
    /// Which part of the moves.
    #[doc(hidden)]
    const SELECT: Select;
    /// Whether moves that leave the own king in check are left out.
    #[doc(hidden)]
    const LEGAL: bool = true;
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
    Quiets,
    CapturesAndPromotions,
    QuietsWithoutPromotions,
    Checks,
    /// Only moves of this list's caller-supplied destination set.
    Recaptures,
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
    /// Moves that do not capture: promotions and drops included.
    Quiets = Quiets;
    /// Captures and every promotion.
    CapturesAndPromotions = CapturesAndPromotions;
    /// What [`CapturesAndPromotions`] leaves: neither captures nor promotions; drops included.
    QuietsWithoutPromotions = QuietsWithoutPromotions;
    /// Moves that give check.
    Checks = Checks;
    /// Moves to a given set of squares: see [`crate::Position::generate_to`].
    Recaptures = Recaptures;
}

/// The kind `G` with pointless non-promotions included.
#[derive(Clone, Copy, Debug)]
pub struct All<G>(G);

impl<G: GenKind> sealed::Sealed for All<G> {}

impl<G: GenKind> GenKind for All<G> {
    const SELECT: Select = G::SELECT;
    const LEGAL: bool = G::LEGAL;
    const ALL: bool = true;
}

/// Every legal move, pointless non-promotions included: what the rules allow.
pub type LegalAll = All<Legal>;

/// The kind `G` without regard to the safety of the mover's own king: moves of pinned pieces, king
/// moves into check and moves that leave a check standing are included.
/// [`crate::Position::is_legal_if_pseudo_legal`] decides about each.
#[derive(Clone, Copy, Debug)]
pub struct Pseudo<G>(G);

impl<G: GenKind> sealed::Sealed for Pseudo<G> {}

impl<G: GenKind> GenKind for Pseudo<G> {
    const SELECT: Select = G::SELECT;
    const LEGAL: bool = false;
    const ALL: bool = G::ALL;
}
