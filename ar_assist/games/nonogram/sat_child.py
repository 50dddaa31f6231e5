"""Finds models of CNFs with CaDiCaL; run as a script of its own, because it can't be interrupted.

Standard input, again and again: three int32 (variables of interest, models wanted, ints that
follow), then the clauses as int32, each ended by 0. Output: a line of 0 and 1 for each model (the
variables of interest, which are the first), and `end` when there are no further ones.
"""

import sys
from array import array

from pysat.solvers import Cadical195


def main() -> None:
    source = sys.stdin.buffer
    while header := source.read(12):
        width, wanted, length = array("i", header)
        answer(width, wanted, array("i", source.read(4 * length)).tolist())


def answer(width: int, wanted: int, literals: list[int]) -> None:
    with Cadical195() as solver:
        begin = 0
        for place, literal in enumerate(literals):
            if literal == 0:
                solver.add_clause(literals[begin:place])
                begin = place + 1
        for _ in range(wanted):
            if not solver.solve():
                print("end", flush=True)
                return
            model = solver.get_model()[:width]
            print("".join("1" if literal > 0 else "0" for literal in model), flush=True)
            solver.add_clause([-literal for literal in model])


if __name__ == "__main__":
    main()
