"""Scores what the assistant says against what is so. Below the runner nothing sees a picture."""

from ar_assist.evaluate.figures import FIGURES, Figure, Figures, figures
from ar_assist.evaluate.score import ClipScore, score
from ar_assist.evaluate.truth import Record, Truth, load_log, load_truth, parse_record, parse_truth

__all__ = [
    "FIGURES",
    "ClipScore",
    "Figure",
    "Figures",
    "Record",
    "Truth",
    "figures",
    "load_log",
    "load_truth",
    "parse_record",
    "parse_truth",
    "score",
]
