"""The rendered world: a webcam in front of a screen with a game on it, and the exact truth."""

from ar_assist.scene.source import Scene, open_scene

__all__ = ["Scene", "open_scene"]
