"""From a world to pictures: its light through lens, exposure and sensor."""

from __future__ import annotations

import math

import cv2
import numpy as np

from ar_assist.scene.camera import Canvas, Light, Pose
from ar_assist.scene.sensor import Sensor
from ar_assist.scene.stage import Stage
from ar_assist.scene.world import World
from ar_assist.types import Image, Points, transform

STEP_PX = 1.3  # of motion between two slices of an exposure
MOST_SLICES = 9
ROWS = 24  # that a rolling shutter exposes as one; the view hardly moves by 0.2 px meanwhile
STRIPES = (171, 85, 0)  # where blue, green and red lie in a display's pixel, 256ths of it
ROW_SHARE = 0.4  # the gaps between a display's rows are fainter than those between its stripes


class Renderer:
    """Draws a world's frames; they must come in order, for exposure follows what was seen."""

    def __init__(self, world: World) -> None:
        self.world = world
        rng = np.random.default_rng(world.seed)
        self.canvas = Canvas(world.optics)
        self.sensor = Sensor(world.chip, world.optics.size_wh, rng)
        self.stage = Stage(world, self.canvas.matrix, self.canvas.size_wh, rng)

    def frame(self, index: int) -> Image:
        """The picture of a frame."""
        time = self.world.time(index)
        pose = self.world.path.at(time)
        where = self._rolled(pose, time)
        light = self.canvas.bend(self._gathered(self.stage.light(pose, time), pose, time), where)
        if self.world.light.moire:
            self._beat(light, pose, where)
        return self.sensor.expose(light, time, 1 / self.world.wanted.fps)

    def _rolled(self, pose: Pose, time: float) -> Points:
        """(H, W, 2) canvas px, seen from `pose`, of a frame whose rows are exposed in turn."""
        world, matrix, where = self.world, self.canvas.matrix, self.canvas.map
        if not world.readout_s:
            return where
        now, rolled = pose.ideal_from_plane(matrix), np.empty_like(where)
        for top in range(0, len(where), ROWS):
            then = world.path.at(world.row_time(time, top + (ROWS - 1) / 2))
            now_from_then = now @ np.linalg.inv(then.ideal_from_plane(matrix))
            rows = slice(top, top + ROWS)
            rolled[rows] = transform(now_from_then, where[rows])
        return rolled

    def _gathered(self, light: Light, pose: Pose, time: float) -> Light:
        """The light over the whole exposure: the canvas moved as the camera moves."""
        world, matrix = self.world, self.canvas.matrix
        half = world.exposure_s / 2
        corners = world.screen_corners
        ends = [world.path.at(time + d).ideal_from_plane(matrix) for d in (-half, half)]
        way = transform(ends[1], corners) - transform(ends[0], corners)
        slices = min(MOST_SLICES, math.ceil(np.linalg.norm(way, axis=1).max() / STEP_PX))
        if slices < 2:
            return light
        plane_from_now = np.linalg.inv(pose.ideal_from_plane(matrix))
        total = np.zeros_like(light)
        for k in range(slices):
            then = world.path.at(time + half * (2 * k + 1 - slices) / slices)
            moved = then.ideal_from_plane(matrix) @ plane_from_now
            total += self.stage.warp(light, moved, cv2.BORDER_REPLICATE)
        return total / np.float32(slices)

    def _beat(self, light: Light, pose: Pose, where: Points) -> None:
        """Dim the frame by the display's own pixels, in place: they beat with the sensor's.

        Only the first harmonic of stripes and rows passes a lens; sampled at the frame's px it
        folds down to the slow coloured waves that are seen in such pictures.
        """
        setting, (width, height) = self.world.light, self.world.show.size_wh
        plane_from_canvas = np.linalg.inv(pose.ideal_from_plane(self.canvas.matrix))
        flat = cv2.perspectiveTransform(where.reshape(1, -1, 2), plane_from_canvas)
        x, y = np.moveaxis(flat.reshape(*light.shape[:2], 2), -1, 0)
        on = (x > 0) & (x < width) & (y > 0) & (y < height)
        turn = np.linspace(0, 2 * np.pi, 256, endpoint=False)
        wave = (setting.moire * np.cos(turn)).astype(np.float32)
        column, row = ((v * (256 / setting.grid_px)).astype(np.int32) for v in (x, y))
        rows = 1 + ROW_SHARE * wave[row & 255]
        for channel, stripe in enumerate(STRIPES):
            light[..., channel] *= np.where(on, rows * (1 + wave[column - stripe & 255]), 1)
