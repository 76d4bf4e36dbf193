//! Both rooks stay on their side.

use shogi_core::{Color, PieceKind};

use super::view::{Rule, View};
use crate::facts::at;
use crate::names::Opening;

pub(super) const RULES: &[Rule] = &[
    // The side pawn.
    (Opening::SidePawnBoth, |view| {
        view.us.took_side_pawn && view.them.took_side_pawn
    }),
    (Opening::SidePawnBishop45, |view| {
        view.us.took_side_pawn && view.them.dropped_bishop.contains(at(6, 5)) && view.ply() <= 30
    }),
    (Opening::Aono, |view| {
        view.us.took_side_pawn && view.us.is_aono
    }),
    (Opening::Yuki, |view| {
        view.us.took_side_pawn && view.us.is_yuki
    }),
    (Opening::SidePawnRook85, |view| {
        view.us.took_side_pawn && view.them.has(PieceKind::Rook, 2, 5)
    }),
    (Opening::SidePawnKnight33, |view| {
        view.us.took_side_pawn
            && view.them.has(PieceKind::Knight, 7, 7)
            && !view.them.has(PieceKind::Bishop, 7, 7)
    }),
    (Opening::SidePawnBishop33, |view| {
        view.us.took_side_pawn && view.them.has(PieceKind::Bishop, 7, 7)
    }),
    (Opening::SidePawn, |view| view.us.took_side_pawn),
    (Opening::TwistingRook, |view| {
        view.us.rook_was_out && view.us.pawn(7, 5) && view.us.is_rook_on(7, 6)
    }),
    // Bishops are off.
    (Opening::BishopExchangeRightKing, |view| {
        view.has_exchange() && is_right_king(view)
    }),
    (Opening::TempoLossClimbing, |view| {
        is_tempo_loss(view) && (is_climbing(view.us) || is_climbing(view.them))
    }),
    (Opening::TempoLossReclining, |view| {
        is_tempo_loss(view) && (is_reclining(view.us) || is_reclining(view.them))
    }),
    (Opening::TempoLossRushing, |view| {
        is_tempo_loss(view) && (is_rushing(view.us) || is_rushing(view.them))
    }),
    (Opening::TempoLoss, is_tempo_loss),
    (Opening::BishopExchangeClimbing, |view| {
        view.has_exchange() && is_climbing(view.us)
    }),
    (Opening::BishopExchangeDoubleReclining, |view| {
        view.has_exchange() && is_reclining(view.us) && is_reclining(view.them)
    }),
    (Opening::BishopExchangeReclining, |view| {
        view.has_exchange() && is_reclining(view.us)
    }),
    (Opening::BishopExchangeRushing, |view| {
        view.has_exchange() && is_rushing(view.us)
    }),
    (Opening::BishopExchange, |view| view.has_exchange()),
    // Castles of gold and silver.
    (Opening::WakiSystem, |view| {
        [view.us, view.them]
            .iter()
            .all(|player| is_yagura(player) && player.has(PieceKind::Bishop, 4, 6))
    }),
    (Opening::RapidYagura, |view| {
        let is_fast = view.us.pawn(5, 5) && !is_yagura(view.us) && view.us.is_king_at_home();
        is_yagura(view.them)
            && (is_fast || view.us.silver(6, 5) || view.us.silver(5, 5))
            && view.ply() <= 40
    }),
    (Opening::QuickCastleYagura, |view| {
        is_yagura(view.us) && view.us.king(7, 8) && !view.us.gold(7, 8)
    }),
    (Opening::YaguraClimbingSilver, |view| {
        is_yagura(view.us) && is_climbing(view.us)
    }),
    (Opening::YaguraSilver37, |view| {
        is_yagura(view.us) && is_yagura(view.them) && view.us.silver(3, 7)
    }),
    (Opening::RightFourthFile, |view| view.us.rook_file == 4),
    (Opening::DoubleYagura, |view| {
        is_yagura(view.us) && is_yagura(view.them)
    }),
    (Opening::DoubleGangi, |view| {
        is_gangi(view.us) && is_gangi(view.them)
    }),
    (Opening::RightKing, is_right_king),
    (Opening::Subway, |view| {
        [5, 6, 7, 8, 9]
            .iter()
            .any(|&file| view.us.has(PieceKind::Rook, file, 9))
    }),
    (Opening::Gangi, |view| is_gangi(view.us)),
    (Opening::Yagura, |view| is_yagura(view.us)),
    (Opening::SleeveRook, |view| view.us.rook_file == 3),
    // The bishop's pawn is protected by the bishop: an exchange is offered.
    (Opening::BishopExchange, |view| {
        let offers = view.us.has(PieceKind::Bishop, 7, 7)
            && view.us.has_open_diagonal()
            && view.them.has_open_diagonal();
        offers && (view.us.silver(6, 8) || view.us.silver(8, 8)) && view.ply() <= 24
    }),
    // Rooks' pawns run.
    (Opening::DoubleWingClimbing, |view| {
        is_double_wing(view) && is_climbing(view.us)
    }),
    (Opening::DoubleWingReclining, |view| {
        is_double_wing(view) && is_reclining(view.us)
    }),
    (Opening::DoubleWingRushing, |view| {
        is_double_wing(view) && is_rushing(view.us)
    }),
    (Opening::DoubleWingFloating, |view| {
        is_double_wing(view) && view.us.rook_was_out && view.us.is_rook_on(2, 6)
    }),
    (Opening::DoubleWing, is_double_wing),
    (Opening::ClimbingSilver, |view| is_climbing(view.us)),
    (Opening::RecliningSilver, |view| is_reclining(view.us)),
    (Opening::RushingSilver, |view| is_rushing(view.us)),
    (Opening::Yagura, |view| {
        // 7六歩, 8四歩, 6八銀: what was always a Yagura.
        let begins = view.us.made(0, PieceKind::Pawn, 7, 6)
            && (view.us.made(1, PieceKind::Silver, 6, 8)
                || view.us.made(2, PieceKind::Silver, 6, 8));
        begins && view.side == Color::Black && view.them.made(0, PieceKind::Pawn, 2, 6)
    }),
    (Opening::FreeStaticRook, |view| {
        view.ply() >= 24
            && (2..=4).contains(&view.us.rook_file)
            && view.us.pawn(2, 6)
            && view.them.pawn(2, 6)
    }),
];

type Player = crate::facts::PlayerFacts;

fn is_climbing(player: &Player) -> bool {
    player.silver(2, 7) || player.silver(2, 6) || player.silver(1, 5)
}

fn is_rushing(player: &Player) -> bool {
    player.silver(3, 7) && player.silver(4, 6)
}

fn is_reclining(player: &Player) -> bool {
    player.silver(5, 6) && player.silver(4, 7)
}

fn is_yagura(player: &Player) -> bool {
    let has_gold = player.gold(7, 8)
        || player.king(7, 8) && (player.gold(6, 8) || player.gold(6, 7) || player.gold(5, 8));
    player.silver(7, 7) && has_gold && (player.pawn(6, 6) || player.gold(5, 8) || player.gold(6, 7))
}

fn is_gangi(player: &Player) -> bool {
    player.silver(6, 7) && player.gold(7, 8) && !player.silver(7, 7) && player.pawn(6, 6)
}

fn is_right_king(view: &View<'_>) -> bool {
    let king = view.us.king(3, 8) || view.us.king(4, 8) && view.us.has(PieceKind::Rook, 2, 9);
    king && view.us.silver(4, 7) && view.us.rook_file == 2
}

/// Asked from the side that lost the move.
fn is_tempo_loss(view: &View<'_>) -> bool {
    let exchange = view.facts.exchanged_by(24);
    exchange.is_some_and(|exchange| {
        exchange.loses_tempo && exchange.by == view.side && view.side == Color::White
    })
}

fn is_double_wing(view: &View<'_>) -> bool {
    let both = view.us.pawn(2, 5) && view.them.pawn(2, 5);
    // Later pawns of an open game are no sign.
    let early = |player: &Player| {
        let pushes =
            player.first.iter().flatten().filter(|&&(kind, to)| {
                kind == PieceKind::Pawn && (to == at(2, 6) || to == at(2, 5))
            });
        pushes.count() == 2
    };
    both && early(view.us) && early(view.them)
}
