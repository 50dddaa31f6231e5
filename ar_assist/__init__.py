"""A webcam augmented-reality assistant for puzzles on a screen."""

__version__ = "0.1.0"
