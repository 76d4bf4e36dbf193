//! Examples at the end of each `--help`.

pub(crate) const OTHELLO: &str = "\
Examples:
  othello book info book.egbk3                       show statistics
  othello book lookup book.dat f5d6c3                look up a position
  othello book convert book.dat book.egbk3           from Edax to Egaroucid
  othello perft 9                                    count positions

Moves and positions can be given in any of these forms, as an argument or as a file:
  f5d6c3, F5 D6 C3, 1. f5 d6 2. c3, f5-d6-c3, with passes (pa, --) or without
  64 squares from a1 to h8 and who moves: X black, O white, - empty (many other signs too), in a row or in rows
  two hexadecimal numbers, the mover's and the opponent's discs, h8 = bit 0; or black ... white ...
  .obf, GGF, SGF, PGN, WTHOR, JSON of Othello Quest; what these commands print

Exit codes: 0 done, 1 it failed or found something, 2 wrong usage, 130 interrupted.";

pub(crate) const BOOK: &str = "\
Examples:
  othello book info book.egbk3
  othello book lookup book.dat f5d6c3
  othello book merge old.egbk3 new.egbk3 -o both.egbk3
  othello book fix both.egbk3 -o fixed.egbk3
  othello book check fixed.egbk3 --list";

pub(crate) const INFO: &str = "\
Examples:
  othello book info book.egbk3
  othello book info book.dat --json";

pub(crate) const CONVERT: &str = "\
Examples:
  othello book convert book.dat book.egbk3                  for Egaroucid, with a side-car
  othello book convert book.egbk3 book.dat --level 21       for Edax, all positions at level 21
  othello book convert book.dat book.egbk3 --leaf-positions as Egaroucid itself imports it
  othello book convert book.dat book.txt                    as Edax's book export writes it
  othello book convert book.dat book.egbk3 --dry-run        only show what would be written";

pub(crate) const MERGE: &str = "\
Examples:
  othello book merge old.egbk3 new.egbk3 -o both.egbk3
  othello book merge a.dat b.egbk3 c.egbk -o all.egbk3 --egbk-level 21";

pub(crate) const FIX: &str = "\
Examples:
  othello book fix book.egbk3 -o fixed.egbk3                as Egaroucid fixes its books
  othello book fix book.dat -o fixed.dat                    as Edax's own fix computes values
  othello book fix book.egbk3 -o fixed.egbk3 --remove-isolated";

pub(crate) const PRUNE: &str = "\
Examples:
  othello book prune book.egbk3 -o small.egbk3 --depth 30 --error 4
  othello book prune book.dat -o small.dat --edax
  othello book prune book.egbk3 -o small.egbk3 --start f5d6 --sum 6";

pub(crate) const LINES: &str = "\
Examples:
  othello book lines book.egbk3 -o counted.egbk3";

pub(crate) const ISOLATED: &str = "\
Examples:
  othello book isolated book.egbk3 -o reached.egbk3
  othello book isolated book.egbk3 -o reached.egbk3 --dry-run";

pub(crate) const SUBTREE: &str = "\
Examples:
  othello book subtree book.egbk3 -o tiger.egbk3 --start f5d6c3d3c4
  othello book subtree book.egbk3 -o rest.egbk3 --start '0x0000100010100000 0x000020380c000000'";

pub(crate) const ACCURACY: &str = "\
Examples:
  othello book accuracy book.egbk3                          how many positions have which grade
  othello book accuracy book.egbk3 f5d6c3                   the grade after some moves
  othello book accuracy book.egbk3 mismatched_positions.txt of all games of a file";

pub(crate) const ERRORS: &str = "\
Examples:
  othello book errors book.egbk3                            of all moves of the book
  othello book errors book.egbk3 f5d6c3d3c4                 of the moves of a game
  othello book errors book.egbk3 game.ggf                   of a game in a file";

pub(crate) const DUMP: &str = "\
Examples:
  othello book dump book.dat | head
  othello book dump book.egbk3 --json > positions.jsonl";

pub(crate) const LOOKUP: &str = "\
Examples:
  othello book lookup book.dat                              the start
  othello book lookup book.dat f5d6c3
  othello book lookup book.dat '1. F5 D6 2. C3'
  othello book lookup book.dat '------------------XO------XXX------OXX-----O-------------------- O'
  othello book lookup book.dat '0x0000100010100000 0x000020380c000000'
  othello book lookup book.dat problems.obf                 all positions of a file";

pub(crate) const CHECK: &str = "\
Examples:
  othello book check book.dat
  othello book check book.egbk3 --list                      each problem with its byte";

pub(crate) const PERFT: &str = "\
Examples:
  othello perft 9
  othello perft 9 --counting moves                          as Edax counts
  othello perft 5 --start f5d6c3d3c4";
