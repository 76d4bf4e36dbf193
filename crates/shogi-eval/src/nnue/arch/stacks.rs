//! The selection of a layer stack of an SFNN network: by hands, kings and the progress of
//! the game.

use shogi_core::{Color, Hand, HandKind, Position, Square};

/// Numbers of progress buckets that exist; 1 is "not by progress".
pub const PROGRESS_BUCKETS: [usize; 7] = [1, 2, 3, 4, 8, 16, 32];

/// The selection by hands. The number of either player's hand classes is the root of the number in the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HandScheme {
    /// Not at all.
    None,
    /// `hand4`: has a bishop.
    Hand4,
    /// `hand16`: has pawns, a bishop.
    Hand16,
    /// `hand64`: has pawns, lances or knights; golds, silvers or rooks; a bishop.
    Hand64,
    /// `hand64z`: the value of the hand in eight steps.
    Hand64z,
    /// `hand256`: has pawns, lances or knights; silvers or golds; a bishop; a rook.
    Hand256,
    /// `hand1024`: has pawns; lances or knights; silvers or golds; a bishop; a rook.
    Hand1024,
}

impl HandScheme {
    /// All schemes, in the order in which they are tried when a file does not name its own.
    pub const ALL: [Self; 7] = [
        Self::None,
        Self::Hand4,
        Self::Hand16,
        Self::Hand64,
        Self::Hand64z,
        Self::Hand256,
        Self::Hand1024,
    ];

    /// Classes of one hand.
    const fn classes(self) -> usize {
        match self {
            Self::None => 1,
            Self::Hand4 => 2,
            Self::Hand16 => 4,
            Self::Hand64 | Self::Hand64z => 8,
            Self::Hand256 => 16,
            Self::Hand1024 => 32,
        }
    }

    /// Part of an architecture's name; empty for [`Self::None`].
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Hand4 => "hand4",
            Self::Hand16 => "hand16",
            Self::Hand64 => "hand64",
            Self::Hand64z => "hand64z",
            Self::Hand256 => "hand256",
            Self::Hand1024 => "hand1024",
        }
    }

    fn class_of(self, hand: Hand) -> usize {
        use HandKind::{Bishop, Gold, Knight, Lance, Pawn, Rook, Silver};
        // Bit n is set when the hand has one of the n-th group.
        let bits = |groups: &[&[HandKind]]| {
            groups.iter().enumerate().fold(0, |bits, (n, group)| {
                bits | usize::from(group.iter().any(|&kind| hand.has(kind))) << n
            })
        };
        match self {
            Self::None => 0,
            Self::Hand4 => bits(&[&[Bishop]]),
            Self::Hand16 => bits(&[&[Pawn], &[Bishop]]),
            Self::Hand64 => bits(&[&[Pawn, Lance, Knight], &[Gold, Silver, Rook], &[Bishop]]),
            Self::Hand64z => {
                let count = |kind| usize::from(hand.count(kind));
                let points = count(Pawn)
                    + 2 * (count(Lance) + count(Knight))
                    + 3 * (count(Silver) + count(Gold))
                    + 5 * (count(Bishop) + count(Rook));
                points.div_ceil(4).min(7)
            }
            Self::Hand256 => bits(&[&[Pawn, Lance, Knight], &[Silver, Gold], &[Bishop], &[Rook]]),
            Self::Hand1024 => bits(&[
                &[Pawn],
                &[Lance, Knight],
                &[Silver, Gold],
                &[Bishop],
                &[Rook],
            ]),
        }
    }
}

/// The selection by the squares of both kings (king buckets). Each king is looked at from its owner's side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KingScheme {
    /// Not at all.
    None,
    /// `k3k3`: ranks in threes.
    K3,
    /// `k9k9`: ranks.
    K9,
    /// `k9k9z`: 1st to 3rd rank, 4th to 6th, 7th, three zones each of the 8th and 9th.
    K9z,
    /// `k13k13z`: ranks, three zones each of the 8th and 9th.
    K13z,
    /// `k21k21`: 1st to 3rd rank, 4th to 6th, 7th, squares of the 8th and 9th.
    K21,
    /// `k29k29`: 1st to 3rd rank, 4th to 6th, squares of the 7th to 9th.
    K29,
}

impl KingScheme {
    /// All schemes, in the order in which they are tried when a file does not name its own.
    pub const ALL: [Self; 7] = [
        Self::None,
        Self::K3,
        Self::K9,
        Self::K9z,
        Self::K13z,
        Self::K21,
        Self::K29,
    ];

    /// Classes of one king.
    const fn classes(self) -> usize {
        match self {
            Self::None => 1,
            Self::K3 => 3,
            Self::K9 | Self::K9z => 9,
            Self::K13z => 13,
            Self::K21 => 21,
            Self::K29 => 29,
        }
    }

    /// Part of an architecture's name; empty for [`Self::None`].
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "",
            Self::K3 => "k3k3",
            Self::K9 => "k9k9",
            Self::K9z => "k9k9z",
            Self::K13z => "k13k13z",
            Self::K21 => "k21k21",
            Self::K29 => "k29k29",
        }
    }

    /// The class of a king on `square` as its owner sees it.
    fn class_of(self, square: Square) -> usize {
        let (rank, file) = (square.rank().index(), square.file().index());
        match (self, rank) {
            (Self::None, _) => 0,
            (Self::K3, _) | (Self::K9z | Self::K21 | Self::K29, 0..6) => rank / 3,
            (Self::K9, _) | (Self::K13z, 0..7) => rank,
            (Self::K9z | Self::K21, 6) => 2,
            (Self::K9z, _) => 3 + (rank - 7) * 3 + file / 3,
            (Self::K13z, _) => 7 + (rank - 7) * 3 + file / 3,
            (Self::K21, _) => 3 + (rank - 7) * 9 + file,
            (Self::K29, _) => 2 + (rank - 6) * 9 + file,
        }
    }
}

/// All three ways to choose, combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stacks {
    hands: HandScheme,
    kings: KingScheme,
    progress: usize,
}

/// Whether stacks are chosen by the progress of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgressUse {
    /// They are.
    Chooses,
    /// They are not.
    None,
}

impl Stacks {
    /// One stack for all positions.
    pub const ONE: Self = Self::of_kings(KingScheme::None);

    /// Choice by kings alone.
    pub(crate) const fn of_kings(kings: KingScheme) -> Self {
        Self {
            hands: HandScheme::None,
            kings,
            progress: 1,
        }
    }

    /// Choice by hands, kings and `progress` buckets; `None` if there is no such number of buckets
    /// (see [`PROGRESS_BUCKETS`]).
    pub fn new(hands: HandScheme, kings: KingScheme, progress: usize) -> Option<Self> {
        PROGRESS_BUCKETS.contains(&progress).then_some(Self {
            hands,
            kings,
            progress,
        })
    }

    /// All combinations with `count` stacks, chosen by progress or not. The first is what
    /// a file that does not name its scheme is taken to mean: hands not at all before hands, ranks
    /// before zones.
    pub fn with_count(count: usize, progress: ProgressUse) -> impl Iterator<Item = Self> {
        let by_progress = progress == ProgressUse::Chooses;
        HandScheme::ALL
            .into_iter()
            .flat_map(|hands| KingScheme::ALL.map(|kings| (hands, kings)))
            .flat_map(|(hands, kings)| {
                PROGRESS_BUCKETS.map(|progress| Self {
                    hands,
                    kings,
                    progress,
                })
            })
            .filter(move |stacks| stacks.count() == count && (stacks.progress > 1) == by_progress)
    }

    /// The selection by hands.
    pub const fn hands(self) -> HandScheme {
        self.hands
    }

    /// The selection by kings.
    pub const fn kings(self) -> KingScheme {
        self.kings
    }

    /// Number of progress buckets, 1 without.
    pub const fn progress(self) -> usize {
        self.progress
    }

    /// Number of stacks.
    pub const fn count(self) -> usize {
        let (hands, kings) = (self.hands.classes(), self.kings.classes());
        hands * hands * kings * kings * self.progress
    }

    /// The stack for `position`, at `progress` of the game (0 to 255; does not matter without progress
    /// buckets). `own_king` tells where a player's king is as that player sees it.
    #[inline]
    pub fn index(
        self,
        position: &Position,
        own_king: impl Fn(Color) -> Square,
        progress: u8,
    ) -> usize {
        let us = position.side_to_move();
        let pair =
            |class: &dyn Fn(Color) -> usize, classes: usize| class(us) * classes + class(us.flip());
        let hands = pair(
            &|color| self.hands.class_of(position.hand(color)),
            self.hands.classes(),
        );
        let kings = pair(
            &|color| self.kings.class_of(own_king(color)),
            self.kings.classes(),
        );
        let king_count = self.kings.classes() * self.kings.classes();
        (hands * king_count + kings) * self.progress + usize::from(progress) * self.progress / 256
    }
}
