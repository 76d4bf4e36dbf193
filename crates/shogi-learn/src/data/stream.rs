//! Reading: files in pieces, decoded by several threads, in an order that depends on nothing but the seed.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;

use pack_format::games::walk;
use pack_format::record::{InvalidRecord, TeacherRecordProblem};
use pack_format::stream::{Batch, Batches, Input};
use pack_format::{
    Hcpe, Hcpe3Game, InvalidData, MoverOutcome, Psv, TeacherError, TeacherFormat, TeacherResult,
    TeacherScore, hcpe3, pack,
};
use shogi_core::{Move, Move16, Position};
use yane_base::random::Sequence;
use yane_io::OrderedParallelMap;

use super::single::RecordOfPosition;
use super::{Record, SEARCHED_AT_ONCE, Visits, lines_of};
use crate::filter::{LeafSearch, SampleFilter, SharpJudge};
use crate::left_out::{FilterCounts, FilterReason};
use crate::options::{LearnOptions, LearnSource, TargetOptions};
use crate::unit::ScoreUnit;
use crate::{LearnError, Result};

/// Files that are read side by side, so that their positions mix.
const OPEN: usize = 8;

/// Records of a block in files that do not tell games apart.
const BLOCK: u64 = 256;

/// The sources and filters of a reading.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    pub(crate) sources: Arc<Vec<LearnSource>>,
    pub(crate) filter: SampleFilter,
    pub(crate) threads: usize,
    /// True if positions and moves are checked that need not be looked at otherwise.
    pub(crate) check: bool,
    /// See [`TargetOptions::ahead`].
    pub(crate) ahead: u8,
    /// The unit of scores.
    pub(crate) unit: ScoreUnit,
    /// True if the visits of moves are read where the format has them.
    pub(crate) visits: bool,
}

/// Records of a piece of a file.
struct Piece {
    records: Vec<Record>,
    /// Of each record, if they are wanted.
    visits: Vec<Visits>,
    /// Positions that were read, and how many of them were filtered out.
    read: u64,
    filtered: FilterCounts,
    /// Scores and outcomes of those that were left out as they disagree, when the data are checked.
    upsets: Vec<(i16, i8)>,
    /// Tells positions to be left out by their static evaluation.
    judge: Option<SharpJudge>,
    /// The format's games are known.
    has_games: bool,
}

/// A record with the number of its game.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OfGame {
    pub(crate) record: Record,
    pub(crate) game: u64,
}

/// The records of all files.
pub(crate) struct Records {
    pieces: OrderedParallelMap<Piece, LearnError>,
    current: VecDeque<OfGame>,
    /// Of each current record, if they are wanted; then those of the last one.
    visits: VecDeque<Visits>,
    last_visits: Visits,
    wants_visits: bool,
    games: Vec<GameCounter>,
    pub(crate) read: u64,
    pub(crate) filtered: FilterCounts,
    /// Scores and outcomes of positions that were left out as they disagree, when the data are checked.
    pub(crate) upsets: Vec<(i16, i8)>,
}

/// Tells the games of a file apart whose format does not.
#[derive(Clone, Copy, Debug, Default)]
struct GameCounter {
    ply: u16,
    game: u64,
    /// The number of the last record: those on the way to a leaf have the same.
    number: Option<u64>,
}

impl GameCounter {
    /// The number of the game of the next record.
    fn next(&mut self, record: &Record, has_games: bool) -> u64 {
        if has_games {
            return record.number() >> 16;
        }
        if record.ply == 0 {
            return record.number() / BLOCK;
        }
        if record.ply <= self.ply && self.number != Some(record.number()) {
            self.game += 1;
        }
        self.ply = record.ply;
        self.number = Some(record.number());
        self.game
    }
}

impl Reading {
    /// The data to train on.
    pub(crate) fn new(options: &LearnOptions) -> Self {
        Self {
            sources: Arc::new(options.sources.clone()),
            filter: options.filter.clone(),
            threads: options.threads,
            check: false,
            ahead: options.target.ahead,
            unit: options.target.unit,
            visits: false,
        }
    }

    /// All records, with files in the order of `sequence`.
    pub(crate) fn records(&self, sequence: Sequence) -> Result<Records> {
        let mut files = Files::new(&self.sources, sequence, self.ahead)?;
        let reading = self.clone();
        let source = move || files.next_batch();
        let work = move |(number, format, batch): (u16, TeacherFormat, Batch)| {
            reading.decode(number, format, &batch)
        };
        let pieces = match self.threads {
            0 | 1 => OrderedParallelMap::in_place(source, work),
            threads => OrderedParallelMap::new(threads, source, work),
        };
        Ok(Records {
            pieces,
            current: VecDeque::new(),
            visits: VecDeque::new(),
            last_visits: Visits::default(),
            wants_visits: self.visits,
            games: vec![GameCounter::default(); self.sources.len()],
            read: 0,
            filtered: FilterCounts::default(),
            upsets: Vec::new(),
        })
    }

    fn decode(&self, number: u16, format: TeacherFormat, batch: &Batch) -> Result<Piece> {
        let sharp = self.filter.sharp.as_ref();
        let mut piece = Piece {
            records: Vec::new(),
            visits: Vec::new(),
            read: 0,
            filtered: FilterCounts::default(),
            upsets: Vec::new(),
            judge: sharp.map(|filter| SharpJudge::new(filter, self.unit)),
            has_games: matches!(format, TeacherFormat::Pack | TeacherFormat::Hcpe3),
        };
        let damage = match format {
            TeacherFormat::Psv => self.decode_records::<Psv>(number, batch, &mut piece).err(),
            TeacherFormat::Hcpe => self.decode_records::<Hcpe>(number, batch, &mut piece).err(),
            TeacherFormat::Hcpe3 => self.decode_hcpe3(number, batch, &mut piece),
            _ => self.decode_pack(number, batch, &mut piece),
        };
        if let Some(damage) = damage {
            return Err(self.damaged(number, damage.moved(batch.offset, batch.before)));
        }
        piece.judge = None;
        if let Some(leaf) = &self.filter.leaf {
            self.move_to_leaves(leaf, &mut piece)?;
        }
        if self.visits {
            let records = piece.records.len();
            piece.visits.resize_with(records, Visits::default);
        }
        Ok(piece)
    }

    /// Replaces the records of `piece` by the leaves of their positions, and puts those on the way to a leaf before it if they count.
    fn move_to_leaves(&self, leaf: &LeafSearch, piece: &mut Piece) -> Result<()> {
        let has_way = self.filter.line_weight > 0.0;
        let records = std::mem::take(&mut piece.records);
        for records in records.chunks(SEARCHED_AT_ONCE) {
            for (mut record, side, line) in lines_of(leaf, records)? {
                let Some(line) = line else {
                    piece.filtered.count(FilterReason::NoLeaf);
                    continue;
                };
                let before = piece.records.len();
                record.on_the_way = u8::from(!line.is_empty());
                if line.is_empty() || has_way {
                    piece.records.push(record);
                }
                for (index, position) in (1..).zip(&line) {
                    record.on_the_way = u8::from(index < line.len());
                    if (index == line.len() || has_way)
                        && let Some(turned) = record.moved_to(side, position)
                    {
                        piece.records.push(turned);
                    }
                }
                if piece.records.len() == before {
                    piece.filtered.count(FilterReason::Incomplete);
                }
            }
        }
        Ok(())
    }

    fn damaged(&self, number: u16, damage: InvalidData) -> LearnError {
        TeacherError::invalid(self.path(number), damage).into()
    }

    fn path(&self, number: u16) -> &Path {
        &self.sources[usize::from(number)].path
    }

    fn decode_records<T: RecordOfPosition>(
        &self,
        number: u16,
        batch: &Batch,
        piece: &mut Piece,
    ) -> std::result::Result<(), InvalidData> {
        let needs_position = self.check || T::HCP || self.filter.needs_positions();
        let records = pack_format::record::records::<T>(&batch.bytes);
        piece.records.reserve(batch.bytes.len() / T::LEN);
        for (index, record) in records.enumerate() {
            let record = record?;
            let invalid = |problem: TeacherRecordProblem| InvalidRecord {
                record: index as u64 + 1,
                offset: (index * T::LEN) as u64,
                problem,
            };
            piece.read += 1;
            let at = batch.before + index as u64;
            if needs_position {
                let (position, mv) = record.open().map_err(invalid)?;
                let (score, outcome) = record.score(position.side_to_move());
                let labels = Labels {
                    score,
                    searched: score,
                    outcome,
                    ply: record.ply(),
                };
                self.make(&position, mv, labels, (number, at), piece);
            } else {
                let (score, outcome) = record.score(shogi_core::Color::Black);
                let made = Record {
                    position: record.packed(),
                    score: score.0,
                    ply: record.ply(),
                    source: number,
                    outcome: outcome as i8,
                    on_the_way: 0,
                    tag: Record::tag(at, record.mv()),
                };
                match self.reason(&made) {
                    None => piece.records.push(made),
                    Some(reason) => piece.filtered.count(reason),
                }
            }
        }
        Ok(())
    }

    fn decode_pack(&self, number: u16, batch: &Batch, piece: &mut Piece) -> Option<InvalidData> {
        let replayer = &mut pack::PackReplayer::default();
        let mut game = batch.before;
        let mut scores = Vec::new();
        walk::<pack::Game>(&batch.bytes, replayer, |replayer, frame, _| {
            let mut at = game << 16;
            scores.clear();
            if self.ahead > 0 {
                let score = |&[_, _, low, high]: &[u8; 4]| Some(i16::from_le_bytes([low, high]));
                scores.extend(frame.plies.iter().map(score));
            }
            let mut index = 0;
            replayer.replay(frame, |position, ply, result| {
                let score = score_ahead(ply.score, &scores, index, self.ahead);
                index += 1;
                let labels = labels(position, [score, ply.score], result);
                self.make(position, Some(ply.mv), labels, (number, at), piece);
                piece.read += 1;
                at = next_ply(at);
            })?;
            game += 1;
            Ok(())
        })
    }

    fn decode_hcpe3(&self, number: u16, batch: &Batch, piece: &mut Piece) -> Option<InvalidData> {
        let replayer = &mut hcpe3::Hcpe3Replayer::default();
        let mut game = batch.before;
        let mut scores = Vec::new();
        walk::<Hcpe3Game>(&batch.bytes, replayer, |replayer, frame, _| {
            let mut at = game << 16;
            scores.clear();
            if self.ahead > 0 {
                let searched =
                    |ply: hcpe3::RawPly<'_>| (!ply.candidates.is_empty()).then_some(ply.score.0);
                scores.extend(frame.plies().map(searched));
            }
            let mut index = 0;
            replayer.replay(frame, |position, ply, candidates, result| {
                let score = score_ahead(ply.score, &scores, index, self.ahead);
                index += 1;
                // Plies without candidates are those that are not to be trained on.
                if !candidates.is_empty() {
                    let labels = labels(position, [score, ply.score], result);
                    let before = piece.records.len();
                    self.make(position, Some(ply.mv), labels, (number, at), piece);
                    piece.read += 1;
                    if self.visits && piece.records.len() > before {
                        piece.visits.resize_with(before, Visits::default);
                        let visits = candidates.iter();
                        piece
                            .visits
                            .push(visits.map(|c| (c.mv.into(), c.visits)).collect());
                    }
                }
                at = next_ply(at);
            })?;
            game += 1;
            Ok(())
        })
    }

    /// Appends the records of a position to `piece`, if the filter lets it pass.
    fn make(
        &self,
        position: &Position,
        mv: Option<Move>,
        labels: Labels,
        (source, number): (u16, u64),
        piece: &mut Piece,
    ) {
        let is_capture =
            |mv: Move| mv.is_promotion() || (!mv.is_drop() && position.piece_on(mv.to()).is_some());
        let record = Record {
            position: [0; 32],
            score: labels.score.0,
            ply: labels.ply,
            source,
            outcome: labels.outcome as i8,
            on_the_way: 0,
            tag: Record::tag(number, mv.map_or(Move16(0), Move16::from)),
        };
        let mut reason = if self.filter.in_check && position.in_check() {
            Some(FilterReason::Check)
        } else if self.filter.captures && mv.is_some_and(is_capture) {
            Some(FilterReason::Capture)
        } else {
            self.reason(&record)
        };
        if reason.is_none()
            && let Some(judge) = &mut piece.judge
            && judge.is_sharp(position, labels.searched.0)
        {
            reason = Some(FilterReason::Sharp);
        }
        if reason == Some(FilterReason::Upset) && self.check {
            piece.upsets.push((record.score, record.outcome));
        }
        let side = position.side_to_move();
        match reason.map_or_else(|| record.moved_to(side, position), |_| None) {
            Some(packed) => piece.records.push(packed),
            None => piece
                .filtered
                .count(reason.unwrap_or(FilterReason::Incomplete)),
        }
    }

    /// The reason why the labels of a record leave it out, if they do.
    fn reason(&self, record: &Record) -> Option<FilterReason> {
        let labels = (record.score, record.outcome, record.ply);
        let place = (record.source, record.number());
        self.filter.reason(labels, place)
    }
}

/// What a teacher says of a position.
#[derive(Clone, Copy)]
struct Labels {
    score: TeacherScore,
    /// The score of its own search, without those of other plies.
    searched: TeacherScore,
    outcome: MoverOutcome,
    ply: u16,
}

/// The number of the next ply of a game, whose low 16 bits begin anew after the last.
const fn next_ply(number: u64) -> u64 {
    number & !0xffff | (number + 1) & 0xffff
}

/// The score of ply `index` of a game whose plies have these scores (`None` without a search), mixed with up to `ahead` plies after it:
/// see [`TargetOptions::ahead`].
fn score_ahead(own: TeacherScore, scores: &[Option<i16>], index: usize, ahead: u8) -> TeacherScore {
    let is_open = |score: i16| score.unsigned_abs() <= TargetOptions::CLEAR.unsigned_abs();
    if ahead == 0 || !is_open(own.0) {
        return own;
    }
    let scores = scores.get(index..).unwrap_or_default();
    let known = scores
        .iter()
        .map_while(|&score| score.filter(|&score| is_open(score)));
    let count = known.clone().take(usize::from(ahead) + 1).count() as i64;
    let (mut weight, mut sum, mut total) = (1, 0, 0);
    for (ply, score) in (0..count).zip(known) {
        let score = i64::from(score);
        sum += weight * if ply % 2 == 0 { score } else { -score };
        total += weight;
        weight = weight * (count - 1 - ply) / (ply + 1);
    }
    let mean = if total > 0 { sum / total } else { own.0.into() };
    TeacherScore(i16::try_from(mean).unwrap_or(own.0))
}

fn labels(
    position: &Position,
    [score, searched]: [TeacherScore; 2],
    result: TeacherResult,
) -> Labels {
    Labels {
        score,
        searched,
        outcome: result.seen_by(position.side_to_move()),
        ply: u16::try_from(position.ply()).unwrap_or(u16::MAX),
    }
}

/// The files, some of them open.
struct Files {
    sources: Vec<(u16, LearnSource)>,
    open: VecDeque<(u16, TeacherFormat, Batches)>,
}

impl Files {
    fn new(sources: &[LearnSource], sequence: Sequence, ahead: u8) -> Result<Self> {
        for source in sources.iter().filter(|_| ahead > 0) {
            let format = source.format()?;
            if !matches!(format, TeacherFormat::Pack | TeacherFormat::Hcpe3) {
                return Err(LearnError::Option(format!(
                    "scores of plies ahead need data that tell games, pack or hcpe3; {} is {format}",
                    source.path.display()
                )));
            }
        }
        let mut order: Vec<(u16, LearnSource)> = (0..).zip(sources.iter().cloned()).collect();
        if order.len() < sources.len() {
            return Err(LearnError::Option("at most 65,535 files".to_owned()));
        }
        for index in (1..order.len()).rev() {
            order.swap(
                index,
                sequence.below(index as u64, index as u64 + 1) as usize,
            );
        }
        // They are taken from the end.
        Ok(Self {
            sources: order,
            open: VecDeque::new(),
        })
    }

    /// The next piece of the next file in turn.
    fn next_batch(&mut self) -> Result<Option<(u16, TeacherFormat, Batch)>> {
        loop {
            while self.open.len() < OPEN
                && let Some((number, source)) = self.sources.pop()
            {
                let format = source.format()?;
                let batches = Batches::open(&Input::named(&source.path), format)?;
                self.open.push_back((number, format, batches));
            }
            let Some((number, format, mut batches)) = self.open.pop_front() else {
                return Ok(None);
            };
            if let Some(batch) = batches.next_batch()? {
                self.open.push_back((number, format, batches));
                return Ok(Some((number, format, batch)));
            }
        }
    }
}

impl Records {
    /// The next record; `None` at the end of all files.
    pub(crate) fn next(&mut self) -> Result<Option<OfGame>> {
        loop {
            if let Some(record) = self.current.pop_front() {
                self.last_visits = self.visits.pop_front().unwrap_or_default();
                return Ok(Some(record));
            }
            let Some(piece) = self.pieces.next().transpose()? else {
                return Ok(None);
            };
            self.read += piece.read;
            self.filtered.add(&piece.filtered);
            self.upsets.extend(piece.upsets);
            self.visits.extend(piece.visits);
            for record in piece.records {
                let counter = &mut self.games[usize::from(record.source)];
                let game = counter.next(&record, piece.has_games);
                self.current.push_back(OfGame { record, game });
            }
        }
    }
}

/// The choice of games that are kept for validation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chosen {
    sequence: Sequence,
    /// Below this hash, of 2^64.
    end: u64,
    /// Records of the first file below this number.
    first: u64,
}

impl Chosen {
    pub(crate) fn new(seed: u64, share: f64) -> Self {
        Self {
            sequence: Sequence::new(seed, "validation"),
            end: (share * u64::MAX as f64) as u64,
            first: 0,
        }
    }

    /// The first records of the first file.
    pub(crate) fn first(records: u64) -> Self {
        Self {
            first: records,
            ..Self::new(0, 0.0)
        }
    }

    pub(crate) fn has(&self, record: &OfGame) -> bool {
        let games = self.sequence.child(u64::from(record.record.source));
        let is_first = record.record.source == 0 && record.record.number() < self.first;
        is_first || (self.end > 0 && games.at(record.game) < self.end)
    }
}

/// Records in a random order: each is drawn from a buffer that is filled up again.
pub(crate) struct Mixed {
    records: Records,
    chosen: Chosen,
    buffer: Vec<Record>,
    /// Of each record in the buffer, if they are wanted; then those of the record that was drawn last.
    visits: Vec<Visits>,
    last_visits: Visits,
    capacity: usize,
    sequence: Sequence,
    drawn: u64,
    ended: bool,
}

impl Mixed {
    /// The records that are trained on in `epoch`.
    pub(crate) fn new(
        reading: &Reading,
        chosen: Chosen,
        capacity: usize,
        (seed, epoch): (u64, u32),
    ) -> Result<Self> {
        let sequence = Sequence::new(seed, "epoch").child(u64::from(epoch));
        Ok(Self {
            records: reading.records(sequence.child(0))?,
            chosen,
            buffer: Vec::new(),
            visits: Vec::new(),
            last_visits: Visits::default(),
            capacity,
            sequence: sequence.child(1),
            drawn: 0,
            ended: false,
        })
    }

    /// The next record; `None` when all have been drawn.
    pub(crate) fn next(&mut self) -> Result<Option<Record>> {
        while !self.ended && self.buffer.len() < self.capacity {
            match self.records.next()? {
                Some(record) if self.chosen.has(&record) => {}
                Some(record) => {
                    self.buffer.push(record.record);
                    if self.records.wants_visits {
                        self.visits
                            .push(std::mem::take(&mut self.records.last_visits));
                    }
                }
                None => self.ended = true,
            }
        }
        if self.buffer.is_empty() {
            return Ok(None);
        }
        let index = self.sequence.below(self.drawn, self.buffer.len() as u64);
        self.drawn += 1;
        let index = index as usize;
        if self.records.wants_visits {
            self.last_visits = self.visits.swap_remove(index);
        }
        Ok(Some(self.buffer.swap_remove(index)))
    }

    /// The visits of the record that was drawn last; none unless they are wanted and known.
    pub(crate) fn take_visits(&mut self) -> Visits {
        std::mem::take(&mut self.last_visits)
    }
}

/// The position mirrored left to right.
///
/// # Panics
/// Never: a mirrored position is as valid as it was.
pub(crate) fn mirrored(position: &Position) -> Position {
    let mut setup = position.to_setup();
    setup.board = [None; 81];
    for square in position.occupied() {
        setup.board[square.mirror().index()] = position.piece_on(square);
    }
    Position::from_setup(&setup).expect("mirroring the board keeps a position valid")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ahead(scores: &[i16], plies: u8) -> i16 {
        let known: Vec<_> = scores.iter().copied().map(Some).collect();
        score_ahead(TeacherScore(scores[0]), &known, 0, plies).0
    }

    #[test]
    fn scores_of_plies_ahead_take_the_favour_of_the_mover_away() {
        // Both sides think that they are 300 ahead: nobody is.
        assert_eq!(ahead(&[300, 300, 300], 0), 300);
        for plies in 1..=TargetOptions::MAX_AHEAD {
            assert_eq!(ahead(&[300; 40], plies), 0, "{plies}");
            // The one is 100 ahead.
            let game: Vec<_> = (0..40)
                .map(|ply| if ply % 2 == 0 { 400 } else { 200 })
                .collect();
            assert_eq!(ahead(&game, plies), 100, "{plies}");
        }
        assert_eq!(ahead(&[100, -200, 300, 0], 2), (100 + 2 * 200 + 300) / 4);
        assert_eq!(ahead(&[100; 2], TargetOptions::MAX_AHEAD), 0);
        // What is not known and what is decided does not count, nor does what comes after it.
        assert_eq!(ahead(&[100, -200, 3001, 0], 3), 150);
        assert_eq!(ahead(&[3001, -200], 3), 3001);
        assert_eq!(ahead(&[100], 3), 100);
        let unknown = [Some(100), None, Some(300)];
        assert_eq!(score_ahead(TeacherScore(100), &unknown, 0, 2).0, 100);
    }
}
