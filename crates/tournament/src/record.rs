//! Games of matches as game records, and game records as openings.

use std::path::Path;

use shogi_core::{Color, Position, parse_position_line};
use shogi_kifu::{
    ArchiveGame, GameEnding, GameRecord, KifuError, KifuFormat, RecordBuilder, detect_file,
    open_archive,
};
use yane_io::Error;

use crate::error::{MatchRecordError, Result};
use crate::log::{LogHeader, LoggedGame};
use crate::rules::{EndOfGame, GameName, PlayerColor};

/// A game of the match `header` as a record: names, moves with times and scores (as floodgate's records have them), the end.
///
/// # Errors
/// When it is a game of another kind, or its moves are none of shogi.
pub fn match_record(header: &LogHeader, game: &LoggedGame) -> Result<GameRecord, MatchRecordError> {
    if header.game != GameName::Shogi {
        return Err(MatchRecordError::OtherGame);
    }
    let played = &game.played;
    let line = parse_position_line(&played.position)?;
    let mut start = line.clone();
    while start.undo().is_some() {}
    let mut builder = RecordBuilder::new(start.position().clone());
    let names = game.players.map(|player| {
        let engine = header.engines.get(player);
        engine.map_or("?", |engine| engine.name.as_str())
    });
    builder.headers().set("先手", names[0]);
    builder.headers().set("後手", names[1]);
    let event = format!("{} {}", header.pairing, game.number + 1);
    builder.headers().set("棋戦", event);
    builder
        .node_mut()
        .remarks
        .push(format!("limit: {}", header.limit));
    let moves: Vec<_> = line.moves().collect();
    // The moves of the opening come first, and nobody thought about them.
    let opening = moves.len().saturating_sub(played.thoughts.len());
    for (ply, &m) in moves.iter().enumerate() {
        if !builder.play(m) {
            return Err(MatchRecordError::IllegalMove(m.to_string()));
        }
        let thought = ply
            .checked_sub(opening)
            .and_then(|index| played.thoughts.get(index));
        if let Some(thought) = thought {
            let sign = if m.color() == Color::Black { 1 } else { -1 };
            let node = builder.node_mut();
            node.time = Some(thought.ms);
            let score = thought.score_cp.map(|score| format!("* {}", sign * score));
            node.comments.extend(score);
        }
    }
    if let Some(ending) = ending(played.reason, played.winner, builder.side()) {
        builder.end(ending);
    }
    builder.node_mut().remarks.push(summary(game, names));
    if let Some(detail) = &played.detail {
        let detail = detail.replace(char::is_control, " ");
        builder.node_mut().remarks.push(detail);
    }
    Ok(builder.finish())
}

/// The ending with `side` to move. `None`: records have no word for it, and the remark about the result says all.
fn ending(reason: EndOfGame, winner: Option<PlayerColor>, side: Color) -> Option<GameEnding> {
    let mover = match side {
        Color::Black => PlayerColor::Black,
        Color::White => PlayerColor::White,
    };
    let mover_wins = winner == Some(mover);
    let foul = if mover_wins {
        GameEnding::FoulWin
    } else {
        GameEnding::FoulLoss
    };
    let lost = |ending| (!mover_wins).then_some(ending);
    match reason {
        EndOfGame::Mate => Some(GameEnding::Mate),
        // By agreement the loser may be the one that has just moved, who cannot resign.
        EndOfGame::Resign | EndOfGame::AgreedWin => lost(GameEnding::Resign),
        EndOfGame::Declaration => Some(GameEnding::EnteringKing),
        EndOfGame::Repetition => Some(GameEnding::Repetition),
        EndOfGame::PerpetualCheck | EndOfGame::IllegalMove => Some(foul),
        EndOfGame::Counted => None,
        EndOfGame::MaxPlies => Some(GameEnding::MaxMoves),
        EndOfGame::AgreedDraw => Some(GameEnding::Draw),
        EndOfGame::TimeForfeit => lost(GameEnding::TimeUp),
        EndOfGame::Crash => Some(GameEnding::Failure),
    }
}

/// `summary:resign:a lose:b win`, in the form of the records of shogi-server.
fn summary(game: &LoggedGame, names: [&str; 2]) -> String {
    let result = |color: PlayerColor| match game.played.winner {
        None => "draw",
        Some(winner) if winner == color => "win",
        Some(_) => "lose",
    };
    let reason = serde_json::to_value(game.played.reason).unwrap_or_default();
    format!(
        "summary:{}:{} {}:{} {}",
        reason.as_str().unwrap_or_default(),
        names[0],
        result(PlayerColor::Black),
        names[1],
        result(PlayerColor::White),
    )
}

/// The different openings of a file of game records: at most `plies` moves of each game, from its start. `None` when the file is of USI
/// lines, or no records at all.
///
/// # Errors
/// When the file cannot be read, a game is none, or there is none.
pub(crate) fn openings_of_records(path: &Path, plies: usize) -> Result<Option<Vec<String>>> {
    if matches!(detect_file(path)?, None | Some(KifuFormat::Usi)) {
        return Ok(None);
    }
    let opening = move |game: std::result::Result<ArchiveGame, KifuError>| {
        game.map(|game| opening_of(&game.record, plies))
    };
    let mut openings = Vec::new();
    let mut known = std::collections::HashSet::new();
    for batch in open_archive(path, 1, opening)? {
        for opening in batch?.items {
            let named = |error: KifuError| {
                let error = KifuError {
                    path: None,
                    ..error
                };
                Error::file(path, error.to_string())
            };
            let line = opening.map_err(named)?;
            if known.insert(line.clone()) {
                openings.push(line);
            }
        }
    }
    if openings.is_empty() {
        return Err(Error::file(path, "there are no games in it").into());
    }
    Ok(Some(openings))
}

/// The first moves of a game as a position line; it does not end in a position without moves.
fn opening_of(record: &GameRecord, plies: usize) -> String {
    let mut moves: Vec<_> = record.moves().take(plies).collect();
    while !moves.is_empty() && record.position_at(moves.len()).0.has_no_legal_move() {
        moves.pop();
    }
    let start = record.start();
    let mut line = if *start == Position::startpos() {
        "startpos".to_owned()
    } else {
        format!("sfen {}", start.to_sfen())
    };
    if !moves.is_empty() {
        line.push_str(" moves");
    }
    for m in moves {
        line.push(' ');
        line.push_str(&m.to_string());
    }
    line
}

#[cfg(test)]
mod tests {
    use shogi_kifu::{CsaVersion, GameOutcome, write_csa};
    use test_support::{TestFolder, fixture};

    use super::*;
    use crate::engine::EngineSpec;
    use crate::game::PlayedGame;
    use crate::log::LoggedEngine;
    use crate::player::{MoveThought, TimeUsage};
    use crate::rules::Openings;
    use crate::{RuleBook as _, ShogiRules};

    fn header() -> LogHeader {
        let spec = EngineSpec::new("e");
        LogHeader {
            game: GameName::Shogi,
            pairing: "match".to_owned(),
            engines: ["new", "old"]
                .map(|name| LoggedEngine::new(name, &spec))
                .into(),
            limit: "100 nodes a move".to_owned(),
            margin_ms: 0,
            openings: String::new(),
            opening_contents: String::new(),
            max_plies: 512,
            adjudication: String::new(),
        }
    }

    fn game(position: &str, reason: EndOfGame, winner: Option<PlayerColor>) -> LoggedGame {
        let thought = |ms, score_cp| MoveThought { ms, score_cp };
        LoggedGame {
            number: 6,
            players: [1, 0],
            played: PlayedGame {
                winner,
                reason,
                position: position.to_owned(),
                plies: 3,
                lead: None,
                usage: [TimeUsage::default(); 2],
                detail: None,
                thoughts: vec![thought(1500, Some(40)), thought(20, None)],
            },
        }
    }

    const BLACK: Option<PlayerColor> = Some(PlayerColor::Black);
    const WHITE: Option<PlayerColor> = Some(PlayerColor::White);

    #[test]
    fn a_game_becomes_a_record() {
        let game = game("startpos moves 7g7f 3c3d 2g2f", EndOfGame::Resign, BLACK);
        let record = match_record(&header(), &game).unwrap();
        let (text, losses) = write_csa(&record, CsaVersion::V3);
        assert!(losses.is_empty(), "{losses}");
        assert_eq!(
            text,
            "'CSA encoding=UTF-8\nV3.0\nN+old\nN-new\n$EVENT:match 7\nPI\n+\n'limit: 100 nodes a move\n+7776FU\n\
             -3334FU\nT1.500\n'** -40\n+2726FU\nT0.020\n%TORYO\n'summary:resign:old win:new lose\n"
        );
    }

    #[test]
    fn all_ends_have_an_outcome_or_a_remark() {
        // White is to move.
        let position = "startpos moves 7g7f 3c3d 2g2f";
        let wins = |color| GameOutcome::Win(color);
        for (reason, winner, expected) in [
            (EndOfGame::Mate, BLACK, wins(Color::Black)),
            (EndOfGame::Resign, BLACK, wins(Color::Black)),
            (EndOfGame::Declaration, WHITE, wins(Color::White)),
            (EndOfGame::Repetition, None, GameOutcome::Draw),
            (EndOfGame::PerpetualCheck, BLACK, wins(Color::Black)),
            (EndOfGame::PerpetualCheck, WHITE, wins(Color::White)),
            (EndOfGame::MaxPlies, None, GameOutcome::Draw),
            (EndOfGame::AgreedWin, BLACK, wins(Color::Black)),
            // No word, but the line about the result.
            (EndOfGame::AgreedWin, WHITE, wins(Color::White)),
            (EndOfGame::AgreedDraw, None, GameOutcome::Draw),
            (EndOfGame::IllegalMove, BLACK, wins(Color::Black)),
            (EndOfGame::TimeForfeit, BLACK, wins(Color::Black)),
            (EndOfGame::Crash, BLACK, wins(Color::Black)),
        ] {
            let record = match_record(&header(), &game(position, reason, winner)).unwrap();
            assert_eq!(record.outcome(), expected, "{reason:?} {winner:?}");
            let (text, _) = write_csa(&record, CsaVersion::V3);
            let result = match winner {
                None => "old draw:new draw",
                BLACK => "old win:new lose",
                _ => "old lose:new win",
            };
            assert!(
                text.contains("'summary:") && text.contains(result),
                "{text}"
            );
        }
        assert!(
            match_record(&header(), &game("startpos moves x", EndOfGame::Mate, BLACK)).is_err()
        );
    }

    #[test]
    fn records_are_openings_by_content() {
        let expected = "startpos moves 7g7f 3c3d 2g2f";
        let openings = |path: &Path, plies| match Openings::read(path, &ShogiRules, plies).unwrap()
        {
            Openings::Listed(openings) => openings,
            Openings::Random { .. } => unreachable!("a file was read"),
        };
        let folder = TestFolder::new();
        let texts = [
            "N+a\nPI\n+\n+7776FU\nT3\n-3334FU\n+2726FU\n-8384FU\n%TORYO\n/\nPI\n+\n+7776FU\n-3334FU\n+2726FU\n%CHUDAN\n",
            "手合割：平手\n手数----指手---------消費時間--\n1 ７六歩(77) ( 0:01/)\n2 ３四歩(33)\n3 ２六歩(27)\n4 投了\n",
            "手合割：平手\n▲７六歩 △３四歩 ▲２六歩\n",
        ];
        for text in texts {
            // The name says nothing.
            folder.write("openings.sfen", text);
            let path = folder.path("openings.sfen");
            assert_eq!(openings(&path, Some(3)), [expected], "{text}");
            assert_eq!(openings(&path, Some(1)), ["startpos moves 7g7f"]);
        }
        folder.write(
            "o",
            "startpos moves 7g7f 3c3d 2g2f\nsfen 4k4/9/9/9/9/9/9/9/4K3R b - 1\n",
        );
        let lines = openings(&folder.path("o"), Some(1));
        assert_eq!(
            lines,
            ["startpos moves 7g7f", "sfen 4k4/9/9/9/9/9/9/9/4K3R b - 1"]
        );
        assert_eq!(openings(&folder.path("o"), None)[0], expected);
        for name in [
            "game.csa",
            "game.kif",
            "game-sjis.kif",
            "game.ki2",
            "game.jkf",
        ] {
            let lines = openings(&fixture(format!("kifu/{name}")), None);
            assert_eq!(lines.len(), 1, "{name}");
            let game = parse_position_line(&lines[0]).unwrap();
            assert!(game.len() <= Openings::PLIES_OF_RECORDS);
            assert!(
                ShogiRules
                    .referee(&lines[0], 512)
                    .unwrap()
                    .verdict()
                    .is_none()
            );
        }
    }

    #[test]
    fn a_wrong_game_is_reported_with_its_line() {
        let folder = TestFolder::new();
        folder.write("o", "PI\n+\n+7776FU\n-7776FU\n");
        let error = Openings::read(&folder.path("o"), &ShogiRules, None).unwrap_err();
        assert!(error.to_string().contains("line 4"), "{error}");
    }
}
