//! What messages do not carry of a record, taken over from the game that it was loaded from.

use shogi_kifu::{GameNode, GameNodeId, GameRecord, RecordBuilder, Step};

/// A node of the record or of the old game, or the same in both, and how many steps lead to it.
#[derive(Clone, Copy)]
struct Pair {
    new: Option<GameNodeId>,
    old: Option<GameNodeId>,
    depth: usize,
}

/// The record with what messages do not carry: remarks, bookmarks, the own words of endings, and moves behind those against the rules.
pub(super) fn with_unknown(new: GameRecord, old: &GameRecord) -> GameRecord {
    if new.start() != old.start() {
        return new;
    }
    let mut builder = RecordBuilder::new(new.start().clone());
    builder.headers().clone_from(&new.headers);
    let mut waiting = vec![Pair {
        new: Some(GameRecord::ROOT),
        old: Some(GameRecord::ROOT),
        depth: 0,
    }];
    while let Some(pair) = waiting.pop() {
        builder.back_to(pair.depth);
        let (mine, known) = (
            pair.new.map(|id| new.node(id)),
            pair.old.map(|id| old.node(id)),
        );
        let Some(node) = mine.or(known) else { continue };
        let is_played = match node.step() {
            None => true,
            Some(Step::Move(m) | Step::Illegal(m)) => builder.play_on(*m),
            Some(Step::End(ending)) => builder.end(ending.clone()),
        };
        if !is_played {
            continue;
        }
        write(builder.node_mut(), node, known);
        let depth = builder.depth();
        let pairs = children(&new, mine, old, known);
        waiting.extend(
            pairs
                .into_iter()
                .rev()
                .map(|(new, old)| Pair { new, old, depth }),
        );
    }
    builder.finish()
}

/// The nodes behind a pair, in their order.
fn children(
    new: &GameRecord,
    mine: Option<&GameNode>,
    old: &GameRecord,
    known: Option<&GameNode>,
) -> Vec<(Option<GameNodeId>, Option<GameNodeId>)> {
    let known_ids = known.map_or(&[][..], GameNode::children);
    let Some(mine) = mine else {
        return known_ids.iter().map(|&id| (None, Some(id))).collect();
    };
    let mut pairs: Vec<_> = { mine.children().iter() }
        .map(|&id| {
            let step = new.node(id).step();
            let same = known_ids.iter().copied();
            (
                Some(id),
                { same }.find(|&other| old.node(other).step() == step),
            )
        })
        .collect();
    if matches!(mine.step(), Some(Step::Illegal(_))) {
        for (at, &id) in known_ids.iter().enumerate() {
            if !matches!(old.node(id).step(), Some(Step::End(_))) {
                pairs.insert(at.min(pairs.len()), (None, Some(id)));
            }
        }
    }
    pairs
}

/// Writes what stands beside a node, and what only the old one has.
fn write(to: &mut GameNode, node: &GameNode, known: Option<&GameNode>) {
    to.time = node.time;
    to.comments.clone_from(&node.comments);
    to.remarks.clone_from(&node.remarks);
    to.bookmark.clone_from(&node.bookmark);
    to.word.clone_from(&node.word);
    if let Some(known) = known {
        if to.remarks.is_empty() {
            to.remarks.clone_from(&known.remarks);
        }
        to.bookmark = to.bookmark.take().or_else(|| known.bookmark.clone());
        to.word = to.word.take().or_else(|| known.word.clone());
    }
}

#[cfg(test)]
mod tests {
    use page_messages::PageFailure;
    use shogi_kifu::KifuFormat;
    use shogi_page::{NamesChoice, RecordFields};

    use super::*;

    #[test]
    fn what_messages_do_not_carry_is_kept() -> Result<(), PageFailure> {
        let text = "手合割：平手\n# made by hand\n1 ７六歩(77)\n&here\n2 ３四歩(33)\n3 ５五玉(59)\n4 ８四歩(83)\n\
            5 ２六歩(27)\n6 投了\n\n変化：3手\n3 ２六歩(27)\n4 以下詰み\n";
        let old = KifuFormat::Kif.read(text).unwrap();
        let sent = RecordFields::of(&old, NamesChoice::None).record()?;
        assert_ne!(sent, old);
        assert_eq!(with_unknown(sent, &old), old);
        // A line that was taken away stays away.
        let short = KifuFormat::Usi.read("startpos moves 7g7f").unwrap();
        let kept = with_unknown(short, &old);
        assert_eq!((kept.moves().count(), kept.variations()), (1, 0));
        assert!(kept.nodes().any(|node| node.bookmark.is_some()));
        Ok(())
    }
}
