//! The list of names.

/// The name of an opening, in Japanese and in English.
///
/// Openings are kinds of others: 角交換四間飛車 is a kind of 四間飛車, which is a kind of 振り飛車.
#[derive(Debug, PartialEq, Eq)]
pub struct OpeningName {
    /// The name in this list, which stays: `FourthFileRook`.
    pub id: &'static str,
    /// The Japanese name.
    pub ja: &'static str,
    /// The English name.
    pub en: &'static str,
    /// What it is a kind of.
    kind_of: Option<Opening>,
}

impl OpeningName {
    /// The opening that this one is a kind of.
    pub fn parent(&self) -> Option<&'static Self> {
        self.kind_of.map(Opening::name)
    }

    /// Returns whether `text` names this opening, or one that it is a kind of: in either language, in whatever case.
    ///
    /// ```
    /// let name = shogi_openings::OpeningName::find("角交換四間飛車").unwrap();
    /// assert!(name.is_called("四間飛車") && name.is_called("ranging rook") && !name.is_called("右四間飛車"));
    /// ```
    pub fn is_called(&self, text: &str) -> bool {
        let text = text.trim();
        let is = |name: &Self| {
            name.ja == text
                || [name.en, name.id]
                    .iter()
                    .any(|own| own.eq_ignore_ascii_case(text))
        };
        is(self) || self.parent().is_some_and(|parent| parent.is_called(text))
    }

    /// The opening of this name, in either language.
    pub fn find(text: &str) -> Option<&'static Self> {
        let text = text.trim();
        let is = |name: &&Self| {
            name.ja == text
                || [name.en, name.id]
                    .iter()
                    .any(|own| own.eq_ignore_ascii_case(text))
        };
        OPENINGS.iter().find(is)
    }
}

/// Makes the enumeration that rules use, and the table of names in the same order.
macro_rules! openings {
    ($($id:ident $(: $parent:ident)?, $ja:literal, $en:literal;)*) => {
        /// The openings that have names.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub(crate) enum Opening { $($id),* }

        /// All names, those of openings before those of their kinds.
        pub static OPENINGS: &[OpeningName] = &[$(
            OpeningName { id: stringify!($id), ja: $ja, en: $en, kind_of: openings!(@parent $($parent)?) }
        ),*];
    };
    (@parent) => { None };
    (@parent $parent:ident) => { Some(Opening::$parent) };
}

impl Opening {
    /// The names of an opening.
    pub(crate) fn name(self) -> &'static OpeningName {
        &OPENINGS[self as usize]
    }
}

openings! {
    // Both rooks stay on their side.
    StaticRook, "相居飛車", "Double Static Rook";
    Yagura: StaticRook, "矢倉", "Yagura";
    DoubleYagura: Yagura, "相矢倉", "Double Yagura";
    RapidYagura: Yagura, "急戦矢倉", "Rapid Yagura";
    QuickCastleYagura: Yagura, "矢倉早囲い", "Quick-Castle Yagura";
    YaguraSilver37: Yagura, "矢倉３七銀", "Yagura Silver-37";
    YaguraClimbingSilver: Yagura, "矢倉棒銀", "Yagura Climbing Silver";
    YaguraCentral: Yagura, "矢倉中飛車", "Yagura Central Rook";
    WakiSystem: Yagura, "脇システム", "Waki System";
    Gangi: StaticRook, "雁木", "Gangi";
    DoubleGangi: Gangi, "相雁木", "Double Gangi";
    BishopExchange: StaticRook, "角換わり", "Bishop Exchange";
    BishopExchangeClimbing: BishopExchange, "角換わり棒銀", "Bishop Exchange Climbing Silver";
    BishopExchangeRushing: BishopExchange, "角換わり早繰り銀", "Bishop Exchange Rushing Silver";
    BishopExchangeReclining: BishopExchange, "角換わり腰掛け銀", "Bishop Exchange Reclining Silver";
    BishopExchangeDoubleReclining: BishopExchangeReclining, "角換わり相腰掛け銀", "Bishop Exchange Double Reclining Silver";
    BishopExchangeRightKing: BishopExchange, "角換わり右玉", "Bishop Exchange Right King";
    TempoLoss: BishopExchange, "一手損角換わり", "Tempo-Loss Bishop Exchange";
    TempoLossClimbing: TempoLoss, "一手損角換わり棒銀", "Tempo-Loss Bishop Exchange Climbing Silver";
    TempoLossRushing: TempoLoss, "一手損角換わり早繰り銀", "Tempo-Loss Bishop Exchange Rushing Silver";
    TempoLossReclining: TempoLoss, "一手損角換わり腰掛け銀", "Tempo-Loss Bishop Exchange Reclining Silver";
    WrongDiagonalBishop: StaticRook, "筋違い角", "Wrong Diagonal Bishop";
    SidePawn: StaticRook, "横歩取り", "Side Pawn Capture";
    SidePawnBoth: SidePawn, "相横歩取り", "Mutual Side Pawn Capture";
    SidePawnBishop33: SidePawn, "横歩取り３三角", "Side Pawn Capture Bishop-33";
    SidePawnRook85: SidePawnBishop33, "横歩取り８五飛", "Side Pawn Capture Rook-85";
    SidePawnKnight33: SidePawn, "横歩取り３三桂", "Side Pawn Capture Knight-33";
    SidePawnBishop45: SidePawn, "横歩取り４五角", "Side Pawn Capture Bishop-45";
    Aono: SidePawn, "青野流", "Aono Variation";
    Yuki: SidePawn, "勇気流", "Yuki Variation";
    DoubleWing: StaticRook, "相掛かり", "Double Wing Attack";
    DoubleWingClimbing: DoubleWing, "相掛かり棒銀", "Double Wing Climbing Silver";
    DoubleWingRushing: DoubleWing, "相掛かり早繰り銀", "Double Wing Rushing Silver";
    DoubleWingReclining: DoubleWing, "相掛かり腰掛け銀", "Double Wing Reclining Silver";
    DoubleWingFloating: DoubleWing, "相掛かり浮き飛車", "Double Wing Floating Rook";
    TwistingRook: StaticRook, "ひねり飛車", "Twisting Rook";
    ClimbingSilver: StaticRook, "棒銀", "Climbing Silver";
    RushingSilver: StaticRook, "早繰り銀", "Rushing Silver";
    RecliningSilver: StaticRook, "腰掛け銀", "Reclining Silver";
    RightFourthFile, "右四間飛車", "Right Fourth-File Rook";
    SleeveRook, "袖飛車", "Sleeve Rook";
    RightKing: StaticRook, "右玉", "Right King";
    Subway: StaticRook, "地下鉄飛車", "Subway Rook";
    FreeStaticRook: StaticRook, "相居飛車力戦", "Irregular Static Rook";
    Ureshino, "嬉野流", "Ureshino";
    PacMan, "パックマン戦法", "Pac-Man";
    NewYonenagaKing, "新米長玉", "New Yonenaga King";
    BishopHeadPawn, "角頭歩戦法", "Bishop-Head Pawn";
    DemonSlayer, "鬼殺し", "Demon Slayer";
    // One rook goes over.
    RangingRook, "振り飛車", "Ranging Rook";
    Decoy: RangingRook, "陽動振り飛車", "Delayed Ranging Rook";
    Central: RangingRook, "中飛車", "Central Rook";
    Primitive: Central, "原始中飛車", "Primitive Central Rook";
    Gokigen: Central, "ゴキゲン中飛車", "Cheerful Central Rook";
    BlackCentral: Central, "先手中飛車", "Black Central Rook";
    GokigenSuperRapid: Gokigen, "ゴキゲン中飛車対超速", "Cheerful Central Rook vs Super Rapid Silver";
    GokigenVaccine: Gokigen, "ゴキゲン中飛車対丸山ワクチン", "Cheerful Central Rook vs Maruyama Vaccine";
    GokigenGold58: Gokigen, "ゴキゲン中飛車対５八金右", "Cheerful Central Rook vs Gold-58";
    HornSilvers: Central, "ツノ銀中飛車", "Horned Silvers Central Rook";
    Windmill: Central, "風車", "Windmill";
    EdgeBishopCentral: Central, "端角中飛車", "Edge Bishop Central Rook";
    CentralAnaguma: Central, "中飛車穴熊", "Central Rook Anaguma";
    FourthFile: RangingRook, "四間飛車", "Fourth-File Rook";
    FourthFileExchange: FourthFile, "角交換四間飛車", "Bishop-Exchange Fourth-File Rook";
    LegSpe: FourthFileExchange, "レグスペ", "Bishop-Exchange Fourth-File Rook Anaguma";
    Fujii: FourthFile, "藤井システム", "Fujii System";
    Tateishi: FourthFile, "立石流", "Tateishi";
    FourthFileAnaguma: FourthFile, "四間飛車穴熊", "Fourth-File Rook Anaguma";
    FourthVsAnaguma: FourthFile, "四間飛車対居飛車穴熊", "Fourth-File Rook vs Static Rook Anaguma";
    FourthVsLeftMino: FourthFile, "四間飛車対左美濃", "Fourth-File Rook vs Left Mino";
    FourthVsClimbing: FourthFile, "四間飛車対棒銀", "Fourth-File Rook vs Climbing Silver";
    FourthVsDiagonal: FourthFile, "四間飛車対斜め棒銀", "Fourth-File Rook vs Diagonal Climbing Silver";
    FourthVsPawn45: FourthFile, "四間飛車対４五歩早仕掛け", "Fourth-File Rook vs Pawn-45 Quick Attack";
    FourthVsRight: FourthFile, "四間飛車対右四間飛車", "Fourth-File Rook vs Right Fourth-File Rook";
    ThirdFile: RangingRook, "三間飛車", "Third-File Rook";
    ThirdFileExchange: ThirdFile, "角交換三間飛車", "Bishop-Exchange Third-File Rook";
    ThirdFileAnaguma: ThirdFile, "三間飛車穴熊", "Third-File Rook Anaguma";
    Tomahawk: ThirdFile, "トマホーク", "Tomahawk";
    Ishida: ThirdFile, "石田流", "Ishida";
    QuickIshida: Ishida, "早石田", "Quick Ishida";
    MasudaIshida: Ishida, "升田式石田流", "Masuda Ishida";
    FullIshida: Ishida, "石田流本組み", "Full Ishida";
    OppositeRook: RangingRook, "向かい飛車", "Opposing Rook";
    DirectOpposite: OppositeRook, "ダイレクト向かい飛車", "Direct Opposing Rook";
    ExchangeOpposite: OppositeRook, "角交換向かい飛車", "Bishop-Exchange Opposing Rook";
    Sakata: OppositeRook, "阪田流向かい飛車", "Sakata Opposing Rook";
    JumpingKnight: RangingRook, "対振りポンポン桂", "Jumping Knight vs Ranging Rook";
    // Both rooks go over.
    DoubleRanging, "相振り飛車", "Double Ranging Rook";
    DoubleCentral: DoubleRanging, "相中飛車", "Double Central Rook";
    DoubleFourth: DoubleRanging, "相四間飛車", "Double Fourth-File Rook";
    DoubleThird: DoubleRanging, "相三間飛車", "Double Third-File Rook";
    DoubleOpposite: DoubleRanging, "相向かい飛車", "Double Opposing Rook";
    // Handicaps.
    Handicap, "駒落ち", "Handicap";
    LanceHandicap: Handicap, "香落ち", "Lance Handicap";
    RightLanceHandicap: Handicap, "右香落ち", "Right Lance Handicap";
    BishopHandicap: Handicap, "角落ち", "Bishop Handicap";
    BishopHandicapCentral: BishopHandicap, "角落ち中飛車", "Bishop Handicap Central Rook";
    BishopHandicapThird: BishopHandicap, "角落ち三間飛車", "Bishop Handicap Third-File Rook";
    BishopHandicapYagura: BishopHandicap, "角落ち矢倉", "Bishop Handicap Yagura";
    RookHandicap: Handicap, "飛車落ち", "Rook Handicap";
    RookHandicapRightFourth: RookHandicap, "飛車落ち右四間飛車", "Rook Handicap Right Fourth-File Rook";
    RookHandicapCentral: RookHandicap, "飛車落ち中飛車", "Rook Handicap Central Rook";
    RookLanceHandicap: Handicap, "飛香落ち", "Rook-Lance Handicap";
    TwoPieces: Handicap, "二枚落ち", "Two-Piece Handicap";
    TwoPiecesTwoPawns: TwoPieces, "二枚落ち二歩突っ切り", "Two-Piece Handicap Two-Pawn Push";
    TwoPiecesSilvers: TwoPieces, "二枚落ち銀多伝", "Two-Piece Handicap Gintaden";
    ThreePieces: Handicap, "三枚落ち", "Three-Piece Handicap";
    FourPieces: Handicap, "四枚落ち", "Four-Piece Handicap";
    FivePieces: Handicap, "五枚落ち", "Five-Piece Handicap";
    LeftFivePieces: Handicap, "左五枚落ち", "Left Five-Piece Handicap";
    SixPieces: Handicap, "六枚落ち", "Six-Piece Handicap";
    SixPiecesEdge: SixPieces, "六枚落ち９筋攻め", "Six-Piece Handicap Ninth-File Attack";
    LeftSevenPieces: Handicap, "左七枚落ち", "Left Seven-Piece Handicap";
    RightSevenPieces: Handicap, "右七枚落ち", "Right Seven-Piece Handicap";
    EightPieces: Handicap, "八枚落ち", "Eight-Piece Handicap";
    TenPieces: Handicap, "十枚落ち", "Ten-Piece Handicap";
}
