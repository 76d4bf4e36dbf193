//! Moves that wait for others, or do not count in the sum.

use shogi_core::{Bitboard, Move};

use super::Searcher;
use super::frame::{Child, NONE};

impl Searcher {
    /// Lets the defender's drops wait: for drops of lesser pieces on the same square, and, where nothing
    /// guards the square, for drops on other such squares.
    pub(super) fn link_drops(&mut self, start: usize) {
        let position = &self.position;
        let checks = position
            .king(self.attacker)
            .map(|_| position.check_squares());
        let mut last_floating = NONE;
        let (mut seen, mut guarded) = (Bitboard::EMPTY, Bitboard::EMPTY);
        for index in start..self.children.len() {
            let m = self.children[index].m;
            if !m.is_drop() {
                continue;
            }
            if !seen.contains(m.to()) {
                seen |= m.to().into();
                if position.is_attacked_by(self.attacker.flip(), m.to()) {
                    guarded |= m.to().into();
                }
            }
            let gives_check = checks.as_ref().is_some_and(|c| position.gives_check(m, c));
            let floating = !guarded.contains(m.to()) && !gives_check;
            let before = if floating && last_floating != NONE {
                Some(start + last_floating as usize)
            } else {
                let is_last = |c: &Child| c.m.is_drop() && c.m.to() == m.to() && c.next == NONE;
                (start..index).rev().find(|&i| is_last(&self.children[i]))
            };
            if floating {
                last_floating = (index - start) as u16;
            }
            if let Some(before) = before {
                self.children[before].next = (index - start) as u16;
                self.children[index].active = false;
            }
        }
    }

    /// Lets the defender's moves that could promote and do not wait for those that do. The attacker's are
    /// only left out of the sum: waiting would hide the point of problems in which not promoting is the key.
    pub(super) fn link_non_promotions(&mut self, start: usize, or: bool) {
        for index in start..self.children.len() {
            let m = self.children[index].m;
            if m.is_drop() || !self.position.is_pointless_non_promotion(m) {
                continue;
            }
            let promoted = |other: Move| {
                other.is_promotion() && other.from() == m.from() && other.to() == m.to()
            };
            let found = (start..self.children.len()).find(|&i| promoted(self.children[i].m));
            let Some(better) = found else { continue };
            let this = (index - start) as u16;
            if or {
                let frame = self.frames.last_mut().expect("the root is on the stack");
                frame.exclude(this);
            } else {
                self.children[better].next = this;
                self.children[index].active = false;
            }
        }
    }
}
