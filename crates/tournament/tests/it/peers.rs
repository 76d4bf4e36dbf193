//! Engines that are shell scripts.

use std::sync::Arc;
use std::time::Duration;

use test_support::{TestFolder, write_program};
use tournament::{
    Conditions, Contestant, EngineChecks, EngineSpec, GameName, MatchAdjudication, ShogiRules, Team,
};

/// An engine that walks about with a rook and resigns after as many moves as its option `Quality` says. It writes what it is
/// told to a file.
const WALKER: &str = r#"#!/bin/sh
quality=5
while read -r line; do
  echo "$line" >> "$0.input"
  case "$line" in
    usi)
      echo "id name walker"
      echo "option name Quality type spin default 5 min 0 max 20"
      echo "option name DebugLogFile type string default <empty>"
      echo usiok ;;
    isready) echo readyok ;;
    "setoption name Quality"*) quality="${line##* }" ;;
    position*) set -- $line; plies=$(($# - 3)); [ $plies -lt 0 ] && plies=0 ;;
    go*)
      turn=$((plies / 2)); side=$((plies % 2)); step=$((turn % 10))
      if [ $turn -ge $quality ]; then echo "bestmove resign"
      else
        if [ $step -lt 5 ]; then from=$((2 + step)); to=$((3 + step)); else from=$((12 - step)); to=$((11 - step)); fi
        if [ $side = 0 ]; then echo "info depth 3 nodes 7 score cp 0"; echo "bestmove ${from}h${to}h"
        else echo "bestmove $((10 - from))b$((10 - to))b"; fi
      fi ;;
    quit) exit 0 ;;
  esac
done
"#;

/// The description of a walker.
pub(crate) fn walker(folder: &TestFolder, name: &str) -> EngineSpec {
    let path = write_program(&folder.path(name), WALKER);
    EngineSpec {
        name: Some(name.to_owned()),
        ..EngineSpec::new(path.to_string_lossy())
    }
}

pub(crate) fn conditions() -> Conditions {
    Conditions {
        margin: Duration::ZERO,
        hang: Duration::from_secs(60),
        max_plies: 512,
        adjudication: MatchAdjudication::default(),
    }
}

/// Starts each engine once.
pub(crate) fn team(engines: &[EngineSpec]) -> Team {
    let checks = EngineChecks::new(Duration::from_secs(60));
    let contestants = Contestant::open_all(engines, &GameName::Shogi.protocol(), &checks);
    Team {
        contestants: contestants.expect("engines"),
        rules: Arc::new(ShogiRules),
        conditions: conditions(),
    }
}
