//! Adding lines to a record that is there.

use shogi_core::Move;

use crate::record::{GameNodeId, GameRecord, Step, advance};

impl GameRecord {
    /// Adds the moves of `line` behind a node, as far as they are legal there: after moves that the record has already, the rest of the
    /// line becomes a variation, or goes on with the game where that ends. Returns the node of the first move; `None` when it is not
    /// legal.
    ///
    /// ```
    /// use shogi_kifu::{GameRecord, KifuFormat};
    /// let mut record = KifuFormat::Usi.read("startpos moves 7g7f 3c3d")?;
    /// let line = ["2g2f", "8c8d"].map(|text| shogi_core::MoveText::from_usi(text).unwrap());
    /// let mut position = record.start().clone();
    /// let line: Vec<_> = line.iter().map(|&text| {
    ///     let m = position.move_from_text(text).unwrap();
    ///     let _ = position.try_do_move(m);
    ///     m
    /// }).collect();
    /// record.add_line(GameRecord::ROOT, &line).unwrap();
    /// assert_eq!((record.variations(), record.node_count()), (1, 5));
    /// # Ok::<(), shogi_kifu::KifuError>(())
    /// ```
    ///
    /// # Panics
    /// When `node` is of a larger record.
    pub fn add_line(&mut self, node: GameNodeId, line: &[Move]) -> Option<GameNodeId> {
        let mut position = self.position_before(node);
        if let Some(step) = self.node(node).step() {
            if !matches!(step, Step::Move(_)) {
                return None;
            }
            advance(&mut position, step);
        }
        let (mut at, mut first) = (node, None);
        for &m in line {
            if !position.is_legal(m) {
                break;
            }
            let _ = position.do_move_from_diagram_unchecked(m);
            let known = self.node(at).children().iter().copied();
            let known = known
                .into_iter()
                .find(|&id| self.node(id).legal_move() == Some(m));
            at = match known {
                Some(id) => id,
                None => self.push(at, Step::Move(m)),
            };
            first = first.or(Some(at));
        }
        first
    }
}
