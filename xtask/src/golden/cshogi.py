"""Tells what the Python package cshogi reads in hcpe and PSV files: a line a record.

usage: cshogi.py hcpe|psv FILE

Each line: SFEN without ply, move in USI, score, result, and the packed position as cshogi writes it.
"""

import sys

import cshogi
import numpy as np

kind, path = sys.argv[1:]
board = cshogi.Board()
if kind == "hcpe":
    for record in np.fromfile(path, cshogi.HuffmanCodedPosAndEval):
        board.set_hcp(np.ascontiguousarray(record["hcp"]))
        packed = np.empty(1, cshogi.HuffmanCodedPos)
        board.to_hcp(packed)
        move = board.move_from_move16(int(record["bestMove16"]))
        result = int(record["gameResult"])
        print(
            board.sfen().rsplit(" ", 1)[0],
            cshogi.move_to_usi(move),
            int(record["eval"]),
            result,
            packed.tobytes().hex(),
        )
else:
    for record in np.fromfile(path, cshogi.PackedSfenValue):
        board.set_psfen(np.ascontiguousarray(record["sfen"]))
        packed = np.empty(1, cshogi.PackedSfen)
        board.to_psfen(packed)
        move = board.move_from_psv(int(record["move"]))
        print(
            board.sfen().rsplit(" ", 1)[0],
            cshogi.move_to_usi(move),
            int(record["score"]),
            int(record["game_result"]),
            packed.tobytes().hex(),
        )
