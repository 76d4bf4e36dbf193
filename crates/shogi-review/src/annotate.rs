//! The result of an analysis in a record: evaluations as comments, best lines as variations.
//!
//! `ShogiHome` writes the result of an analysis into the comment of the move behind which the position stands, as lines
//! `#評価値=30`, `#詰み=先手勝ち:5手`, `#読み筋=△３四歩(33)…`, `#深さ=22`, `#ノード数=1000`, `#エンジン=…`, all from black's side;
//! it and other readers of KIF, KI2 and JKF find them there. In CSA files the form of floodgate is common, one line
//! `* 30 -3334FU +2726FU #1000`. `ShogiGUI` and 将棋所 have one line too, `解析 0 候補1 深さ 22 評価値 30 読み筋 △３四歩(33)…`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use shogi_core::{Color, Move, MoveText, Position};
use shogi_kifu::{CommentScore, CommentWriter, GameNodeId, GameRecord, csa_move};

use crate::language::{Language, move_text};
use crate::model::GameReview;
use crate::moves::ReviewedMove;
use crate::score::ReviewScore;
use crate::tree::{TreePosition, game_at, positions};

/// What an evaluation in [`CommentForm::ShogiGui`] begins with.
const SHOGI_GUI: &str = "解析 0 候補1";

/// The form of comments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CommentForm {
    /// `ShogiHome`'s, for KIF, KI2 and JKF.
    #[default]
    ShogiHome,
    /// `ShogiGUI`'s, for KIF and KI2.
    ShogiGui,
    /// floodgate's, for CSA.
    Floodgate,
}

/// What is written into a record.
#[derive(Clone, Copy, Debug)]
pub struct AnnotateOptions {
    /// The form of comments.
    pub form: CommentForm,
    /// Most moves of a best line that is added as a variation beside a judged move; 0 for no variations.
    pub variation_moves: usize,
    /// The language of judgements.
    pub language: Language,
}

impl Default for AnnotateOptions {
    /// `ShogiHome`'s form, variations of 10 moves, in Japanese.
    fn default() -> Self {
        Self {
            form: CommentForm::ShogiHome,
            variation_moves: 10,
            language: Language::Japanese,
        }
    }
}

/// The record with the result of its analysis: an evaluation beside each move, and a variation beside each judged one. Comments of an
/// earlier analysis are replaced, all others stay.
///
/// `review` must be of this record: where moves differ, nothing is written.
pub fn annotate(record: &GameRecord, review: &GameReview, options: AnnotateOptions) -> GameRecord {
    let mut annotated = record.clone();
    let with_variations = review.moves.iter().any(|mv| mv.line > 0);
    let places = positions(record, with_variations);
    let writer = Writer {
        form: form_for(record, options.form),
        options,
        engine: &review.engine,
        depths: depths(review, &places),
    };
    if let Some(first) = review.moves.first() {
        let lines = writer.evaluation(
            record.start(),
            side(first),
            first.best_score,
            &first.pv,
            first.depth,
        );
        replace_comments(&mut annotated, GameRecord::ROOT, lines);
    }
    for mv in &review.moves {
        let Some(place) = places.get(mv.index + 1) else {
            break;
        };
        if place.mv.map(MoveText::from) == Some(mv.mv) {
            writer.write(record, &mut annotated, &places, place, mv);
        }
    }
    annotated
}

/// The depths of the searches of positions, by their number: each is beside the move that is made there.
fn depths(review: &GameReview, places: &[TreePosition]) -> BTreeMap<usize, u32> {
    let of_move = |mv: &ReviewedMove| Some((places.get(mv.index + 1)?.before?, mv.depth));
    let mut depths: BTreeMap<usize, u32> = review.moves.iter().filter_map(of_move).collect();
    if let Some(last) = places.iter().rposition(|place| place.line == 0) {
        depths.insert(last, review.last.depth);
    }
    depths
}

/// floodgate's form says of a second evaluation not whose it is: where there are some, the other form is taken.
fn form_for(record: &GameRecord, wanted: CommentForm) -> CommentForm {
    let is_player = |node: &shogi_kifu::GameNode| {
        node.evaluations()
            .iter()
            .any(|eval| eval.writer == CommentWriter::Floodgate)
    };
    if wanted == CommentForm::Floodgate && record.nodes().any(is_player) {
        CommentForm::ShogiHome
    } else {
        wanted
    }
}

fn side(mv: &ReviewedMove) -> Color {
    mv.side.into()
}

struct Writer<'a> {
    form: CommentForm,
    options: AnnotateOptions,
    engine: &'a str,
    /// The depth of the search of each position.
    depths: BTreeMap<usize, u32>,
}

impl Writer<'_> {
    fn write(
        &self,
        record: &GameRecord,
        annotated: &mut GameRecord,
        places: &[TreePosition],
        place: &TreePosition,
        mv: &ReviewedMove,
    ) {
        let Some((before, played)) = place.before.zip(place.mv) else {
            return;
        };
        let game = game_at(record, places, before);
        let mut behind = game.position().clone();
        if behind.try_do_move(played).is_err() {
            return;
        }
        let after = a_ply_after(mv.score);
        let mut lines = self.judgement(mv);
        let depth = self.depths.get(&(mv.index + 1)).copied().unwrap_or(0);
        lines.extend(self.evaluation(&behind, side(mv), after, &mv.reply, depth));
        replace_comments(annotated, place.node, lines);
        if mv.judge.is_some() && mv.best.is_some_and(|best| best != mv.mv) {
            self.add_best(annotated, places[before].node, game.position(), mv);
        }
    }

    /// The best line as a variation, with its evaluation beside its first move.
    fn add_best(
        &self,
        annotated: &mut GameRecord,
        node: GameNodeId,
        position: &Position,
        mv: &ReviewedMove,
    ) {
        let line = moves(position, &mv.pv, self.options.variation_moves);
        let Some(&first) = line.first() else {
            return;
        };
        let nodes = annotated.node_count();
        let Some(id) = annotated.add_line(node, &line) else {
            return;
        };
        let mut behind = position.clone();
        if annotated.node_count() > nodes
            && behind.try_do_move(first).is_ok()
            && annotated.node(id).comments.is_empty()
        {
            let score = a_ply_after(mv.best_score);
            let rest = mv.pv.get(1..).unwrap_or(&[]);
            annotated.node_mut(id).comments =
                self.evaluation(&behind, side(mv), score, rest, mv.depth);
        }
    }

    /// `【悪手】最善は▲２四歩(25) (勝率-23.4%)`.
    fn judgement(&self, mv: &ReviewedMove) -> Vec<String> {
        let Some(judge) = mv.judge else {
            return Vec::new();
        };
        let language = self.options.language;
        let mut text = format!("【{}】", language.judge(judge));
        if let Some(best) = &mv.best_ja {
            let _ = write!(text, "{}{best} ", language.of("best: ", "最善は"));
        }
        let kind = mv.kind.map_or("", |kind| language.kind(kind));
        let _ = write!(
            text,
            "({}-{:.1}%, {kind})",
            language.of("win ", "勝率"),
            mv.loss * 100.0
        );
        vec![text]
    }

    /// The evaluation of `position`, whose score is `score` from the side of `color`.
    fn evaluation(
        &self,
        position: &Position,
        color: Color,
        score: ReviewScore,
        pv: &[MoveText],
        depth: u32,
    ) -> Vec<String> {
        let score = score.seen_from_black(color).comment();
        let line = moves(position, pv, usize::MAX);
        match self.form {
            CommentForm::Floodgate => {
                let mut text = format!("* {}", score.centipawns());
                for &m in &line {
                    let _ = write!(text, " {}", csa_move(m));
                }
                vec![text]
            }
            CommentForm::ShogiGui => {
                let mut text = SHOGI_GUI.to_owned();
                if depth > 0 {
                    let _ = write!(text, " 深さ {depth}");
                }
                let score = match score {
                    CommentScore::Centipawns(score) => score.to_string(),
                    CommentScore::Mate(winner, plies) => {
                        let sign = if winner == Color::Black { '+' } else { '-' };
                        let plies = plies.map_or_else(String::new, |plies| format!(" {plies}"));
                        format!("{sign}詰{plies}")
                    }
                };
                let _ = write!(text, " 評価値 {score}");
                if !line.is_empty() {
                    let names = line.iter().map(|&m| move_text(m));
                    let _ = write!(text, " 読み筋 {}", names.collect::<String>());
                }
                vec![text]
            }
            CommentForm::ShogiHome => {
                let mut lines = vec![match score {
                    CommentScore::Centipawns(score) => format!("#評価値={score}"),
                    CommentScore::Mate(winner, plies) => {
                        let winner = if winner == Color::Black {
                            "先手勝ち"
                        } else {
                            "後手勝ち"
                        };
                        plies.map_or_else(
                            || format!("#詰み={winner}"),
                            |plies| format!("#詰み={winner}:{plies}手"),
                        )
                    }
                }];
                if !line.is_empty() {
                    lines.push(format!(
                        "#読み筋={}",
                        line.iter().map(|&m| move_text(m)).collect::<String>()
                    ));
                }
                if depth > 0 {
                    lines.push(format!("#深さ={depth}"));
                }
                lines.push(format!("#エンジン={}", self.engine));
                lines
            }
        }
    }
}

/// The score of the position behind a move: a mate is a ply nearer, and one that is on the board has no length.
fn a_ply_after(score: ReviewScore) -> ReviewScore {
    match score {
        ReviewScore::Mate(plies) if plies.get().abs() == 1 => {
            ReviewScore::mate(plies.get() * ReviewScore::UNKNOWN_MATE)
        }
        ReviewScore::Mate(plies) if plies.get().abs() < ReviewScore::UNKNOWN_MATE => {
            ReviewScore::mate(plies.get() - plies.get().signum())
        }
        score => score,
    }
}

/// The legal moves of a line, at most `most`.
fn moves(position: &Position, line: &[MoveText], most: usize) -> Vec<Move> {
    let mut position = position.clone();
    let mut found = Vec::new();
    for &text in line.iter().take(most) {
        let Some(m) = position.move_from_text(text) else {
            break;
        };
        if position.try_do_move(m).is_err() {
            break;
        }
        found.push(m);
    }
    found
}

/// Puts `lines` in the place of what an earlier analysis wrote.
fn replace_comments(record: &mut GameRecord, node: GameNodeId, lines: Vec<String>) {
    const OURS: [&str; 7] = [
        SHOGI_GUI,
        "#評価値=",
        "#詰み=",
        "#読み筋=",
        "#深さ=",
        "#ノード数=",
        "#エンジン=",
    ];
    let is_judgement = |comment: &str| {
        let judges = [Language::English, Language::Japanese]
            .map(|language| crate::Judgement::ALL.map(|judge| language.judge(judge)));
        let word = comment
            .strip_prefix('【')
            .and_then(|rest| rest.split_once('】'));
        word.is_some_and(|(word, _)| judges.iter().flatten().any(|judge| *judge == word))
    };
    let comments = &mut record.node_mut(node).comments;
    comments.retain(|comment| {
        !OURS.iter().any(|own| comment.starts_with(own)) && !is_judgement(comment)
    });
    comments.extend(lines);
}
