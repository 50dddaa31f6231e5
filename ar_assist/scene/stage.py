"""What stands before the camera: desk, device, things with a height, mirrored lamps, a hand.

All are pictures in planes, drawn over each other from back to front in linear light. A *layer* is
(h, w, 4): light times shape, and shape.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from ar_assist.scene import desk, hand
from ar_assist.scene.camera import Light, Pose
from ar_assist.scene.show import Slab
from ar_assist.scene.world import World
from ar_assist.srgb import to_light
from ar_assist.types import Homography, transform

FINER = 1.3  # texels per ideal px: less blurs, more aliases
DESK_WIDTH = 4.5  # of the desk's picture, in longer sides of the screen; it is mirrored beyond
# Depth behind the screen in screen widths: of desk or wall, and of the room as glass mirrors it.
BEHIND = {"phone": 0.06, "monitor": 0.6, "table": 0.04}
MIRRORED = 2.5
MIRRORED_WIDTH = 2.0  # screen widths
LEAST_GLARE = 0.03  # below it no lamp is mirrored
BLACK_LEVEL = 0.002  # of a display, in units of its white
SCREEN_ON_HAND = 0.15  # of the screen's light falls on the hand before it
COARSE = 12  # points on each side of the grid on which slowly varying light is worked out


@dataclass(frozen=True, eq=False)
class Shining:
    """The light of the device in one state of the show."""

    state: Any
    face: Light  # times the device's shape
    slabs: Sequence[tuple[float, Light]]  # height in world px, layer


class Stage:
    """The layers of a world, and their light as a camera of intrinsic matrix `matrix` sees it."""

    def __init__(self, world: World, matrix: Homography, size_wh: tuple[int, int], rng: Generator):
        self.world, self.matrix, self.size_wh = world, matrix, size_wh
        self.screen_wh = world.show.size_wh
        self.lit_by_room = world.show.device == "table"
        self.linear = to_light()
        self.ambient = np.array(world.light.tint, np.float32) * np.float32(world.light.ambient)
        self._set_desk(rng)
        self._set_device(rng)
        self.room = self.linear[desk.room(rng)] if world.light.glare > LEAST_GLARE else None
        self.hand = self._hand(rng) if world.reach else None
        self.shining: Shining | None = None

    def light(self, pose: Pose, time: float) -> Light:
        """(H, W, 3) all layers at a time, seen from a pose."""
        on_desk = BEHIND[self.world.show.device] * self.screen_wh[0]
        place = pose.ideal_from_plane(self.matrix, on_desk) @ self.plane_from_desk
        scene = self.warp(self.desk, place, cv2.BORDER_REFLECT)
        cv2.patchNaNs(scene, 0)  # on its horizon OpenCV divides by zero, …
        scene = scene.clip(0, self.desk.max())  # …and beside it interpolates far beyond
        flat = pose.ideal_from_plane(self.matrix) @ self.plane_from_device
        shape = self.warp(self.shape, flat)[..., None]
        shining = self._device(time)
        face = self.warp(shining.face, flat)
        if not self.lit_by_room:
            face *= self._dimming(pose) * self._bands(time)
        if self.room is not None:
            face += self._mirrored(pose) * shape
        scene = scene * (1 - shape) + face
        for height, slab in shining.slabs:
            place = pose.ideal_from_plane(self.matrix, -height) @ self.plane_from_slab
            scene = _over(scene, self.warp(slab, place))
        if self.hand is not None and self.world.reach:
            above = pose.ideal_from_plane(self.matrix, -hand.HOVER * self.screen_wh[0])
            place = above @ self.world.reach.plane_from_hand(time)
            scene = _over(scene, self.warp(self.hand, place, cv2.BORDER_REPLICATE))
        return scene

    def warp(
        self, texture: Light, to_canvas: Homography, border: int = cv2.BORDER_CONSTANT
    ) -> Light:
        """A texture as it lies on the canvas."""
        flags = cv2.INTER_LINEAR
        seen = cv2.warpPerspective(texture, to_canvas, self.size_wh, flags=flags, borderMode=border)
        return np.asarray(seen, np.float32)

    def _set_desk(self, rng: Generator) -> None:
        """The background, lit more from one side."""
        picture = desk.desk(rng.uniform(*self.world.tier.clutter), rng)
        height, width = picture.shape[:2]
        slope = 1 + rng.uniform(-0.4, 0.4) * np.linspace(-1, 1, width, dtype=np.float32)
        self.desk = self.linear[picture] * (slope[:, None] * self.ambient)
        scale = DESK_WIDTH * max(self.screen_wh) / width
        share = rng.uniform(0.42, 0.58, 2)  # of the desk's picture, where the screen's middle lies
        corner = np.array(self.screen_wh) / 2 - scale * np.array([width, height]) * share
        self.plane_from_desk = _scaled(np.array([scale, scale]), corner)

    def _set_device(self, rng: Generator) -> None:
        """Bezel and shape of the device, at the resolution that the camera needs."""
        picture, shape, self.screen_at = desk.body(self.world.show.device, self.screen_wh, rng)
        self.bezel = self.linear[picture] * self.ambient
        whole_wh = picture.shape[1], picture.shape[0]
        self.device_wh = self._texels(whole_wh)
        small = cv2.resize(shape, self.device_wh, interpolation=cv2.INTER_AREA)
        self.shape = np.asarray(small, np.float32)[..., None]
        self.plane_from_device = _plane_from_texels(whole_wh, self.device_wh, self.screen_at)
        self.slab_wh = self._texels(self.screen_wh)
        self.plane_from_slab = _plane_from_texels(self.screen_wh, self.slab_wh, (0, 0))

    def _texels(self, size_wh: tuple[int, int]) -> tuple[int, int]:
        """A size for textures of the screen's plane that is a little finer than the view of it."""
        ideal = self.world.path.at(0.0).ideal_from_plane(self.matrix)
        x, y = np.array(self.screen_wh) / 2
        middle, right, below = transform(ideal, np.array([[x, y], [x + 1, y], [x, y + 1]]))
        steps = np.linalg.norm([right - middle, below - middle], axis=1)
        width, height = np.ceil(np.array(size_wh) * np.minimum(1.0, FINER * steps))
        return int(width), int(height)

    def _device(self, time: float) -> Shining:
        """What the device and the things on it send out now; kept until the show changes."""
        state = self.world.show.at(time)
        if self.shining is None or self.shining.state != state:
            slabs = [(slab.height, self._layer(slab)) for slab in self.world.show.relief(state)]
            self.shining = Shining(state, self._face(state), slabs)
        return self.shining

    def _face(self, state: Any) -> Light:
        """The device's light with what the screen shows, times its shape."""
        light, (x, y), (w, h) = self.world.light, self.screen_at, self.screen_wh
        shown = self.linear[self.world.show.paint(state)]
        if self.lit_by_room:
            shown *= self.ambient
        else:
            shown *= np.float32(light.brightness)
            shown += np.float32(light.haze * light.ambient + BLACK_LEVEL)
        whole = self.bezel.copy()
        whole[y : y + h, x : x + w] = shown
        small = cv2.resize(whole, self.device_wh, interpolation=cv2.INTER_AREA)
        return np.asarray(small, np.float32) * self.shape

    def _layer(self, slab: Slab) -> Light:
        shape = slab.picture[..., 3:].astype(np.float32) / np.float32(255)
        light = self.linear[slab.picture[..., :3]] * self.ambient
        both = np.concatenate([light * shape, shape], -1)
        return np.asarray(cv2.resize(both, self.slab_wh, interpolation=cv2.INTER_AREA), np.float32)

    def _hand(self, rng: Generator) -> Light:
        """The hand's layer, in px of its own picture."""
        setting = self.world.light
        lit = max(setting.ambient, SCREEN_ON_HAND * setting.brightness)
        shape = hand.shape()[..., None]
        light = self.linear[hand.picture(rng)] * shape * np.float32(lit)
        return np.concatenate([light, shape], -1)

    def _mirrored(self, pose: Pose) -> Light:
        """Lamps and windows as the glass throws them back: a picture as far behind as they are."""
        assert self.room is not None
        width, height = self.screen_wh
        scale = MIRRORED_WIDTH * width / self.room.shape[1]
        corner = np.array([width, height]) / 2 - scale * np.array(self.room.shape[1::-1]) / 2
        place = pose.ideal_from_plane(self.matrix, MIRRORED * width)
        lamps = self.warp(self.room, place @ _scaled(np.array([scale, scale]), corner))
        return lamps * np.float32(self.world.light.glare)

    def _dimming(self, pose: Pose) -> Light:
        """(H, W, 1) how much of the screen's light goes towards each px, by the angle of view."""
        width, height = self.size_wh
        x, y = np.meshgrid(np.linspace(0, width, COARSE), np.linspace(0, height, COARSE))
        rays = np.stack([x, y, np.ones_like(x)], -1) @ np.linalg.inv(self.matrix).T @ pose.rotation
        cosine = np.abs(rays[..., 2]) / np.linalg.norm(rays, axis=-1)
        coarse = (cosine**self.world.light.fall).astype(np.float32)
        return np.asarray(cv2.resize(coarse, self.size_wh), np.float32)[..., None]

    def _bands(self, time: float) -> Light:
        """(H, 1, 1) the screen's flicker as a rolling shutter records it: rows dim in turn."""
        light = self.world.light
        rows = np.linspace(0, 1 / light.band_rows, self.size_wh[1]) + light.band_hz * time
        wave = 1 + light.bands * np.sin(2 * np.pi * rows)
        return wave.astype(np.float32)[:, None, None]


def _over(scene: Light, layer: Light) -> Light:
    """The scene behind a layer."""
    return scene * (1 - layer[..., 3:]) + layer[..., :3]


def _scaled(scale: NDArray[np.float64], shift: ArrayLike) -> Homography:
    """(3, 3) of a scaling in x and y and a shift."""
    matrix = np.diag([*scale, 1.0])
    matrix[:2, 2] = shift
    return matrix


def _plane_from_texels(
    size_wh: tuple[int, int], texels_wh: tuple[int, int], corner: tuple[int, int]
) -> Homography:
    """(3, 3) world px from texels of a picture whose px `corner` lies at the world's origin."""
    factor = np.array(size_wh) / np.array(texels_wh)
    return _scaled(factor, factor / 2 - 0.5 - np.array(corner))  # pixel centres at integers
