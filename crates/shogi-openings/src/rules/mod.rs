//! The rules: which name the facts have.
//!
//! In every list the first rule that fits decides, so that exact names stand above those that they are kinds of.

mod handicap;
mod odd;
mod ranging;
mod stationary;
mod view;

use shogi_core::Color;

use crate::facts::Facts;
use crate::names::Opening;
use view::{Rule, View};

/// The opening that the facts show, and whose it is where it is one player's.
pub(crate) fn opening(facts: &Facts) -> Option<(Opening, Color)> {
    let views = Color::ALL.map(|side| View {
        side,
        us: &facts.players[side],
        them: &facts.players[side.flip()],
        facts,
    });
    if let Some(lacking) = facts.handicap {
        return Some((handicap::opening(lacking, &views[0]), Color::White));
    }
    let found = first(odd::RULES, &views);
    if found.is_some() {
        return found;
    }
    let ranged = views.map(|view| view.us.ranged.is_some());
    match ranged {
        [false, false] => first(stationary::RULES, &views),
        [true, true] => first(ranging::BOTH, &views),
        [black, _] => first(ranging::ONE, &views[usize::from(!black)..][..1]),
    }
}

/// The first rule that fits one of the views.
fn first(rules: &[Rule], views: &[View<'_>]) -> Option<(Opening, Color)> {
    rules.iter().find_map(|(opening, fits)| {
        let view = views.iter().find(|view| fits(view))?;
        Some((*opening, view.side))
    })
}
