"""From a world to pictures: layers in linear light, lens, exposure, sensor."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from ar_assist.scene import desk, hand
from ar_assist.scene.camera import Canvas, Pose
from ar_assist.scene.sensor import Light, Sensor, to_light
from ar_assist.scene.show import Slab
from ar_assist.scene.world import World
from ar_assist.types import Homography, Image, transform

FINER = 1.3  # texels per ideal px: less blurs, more aliases
STEP_PX = 1.3  # of motion between two slices of an exposure
MOST_SLICES = 9
BEHIND = {"phone": 0.06, "monitor": 0.6, "table": 0.04}  # depth of desk or wall, screen widths
BLACK_LEVEL = 0.002  # of a display, in units of its white
MIRRORED = 2.5  # depth of the mirrored room, in screen widths
ROOM_LIGHT = 1.0  # of a lamp at glare 1, screen whites
WEDGE = 12  # columns of the coarse grid on which slowly varying light is worked out


@dataclass(frozen=True, eq=False)
class Shining:
    """The light of the device in one state of the show."""

    state: Any
    face: Light  # times the device's shape
    slabs: Sequence[tuple[float, Light]]  # height in world px; light times shape, and shape


class Renderer:
    """Draws a world's frames; they must come in order, for exposure follows what was seen."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.rng = np.random.default_rng(world.seed)
        self.canvas = Canvas(world.optics)
        self.sensor = Sensor(world.chip, world.optics.size_wh, self.rng)
        self.linear = to_light()
        self.device = world.show.device
        tint = np.array(world.light.tint, np.float32)
        self.ambient = np.float32(world.light.ambient) * tint
        self._set_desk()
        self._set_device()
        self.room = self.linear[desk.room(self.rng)] if world.light.glare > 0.03 else None
        self.hand = self._hand() if world.reach else None
        self.shining: Shining | None = None

    def frame(self, index: int) -> Image:
        """The picture of a frame."""
        world = self.world
        time = world.time(index)
        pose = world.path.at(time)
        light = self._exposed(self._layers(pose, time), pose, time)
        bent = self.canvas.bend(light)
        if world.light.moire:
            bent = self._beaten(bent, pose)
        return self.sensor.expose(bent, time, 1 / world.wanted.fps)

    def _set_desk(self) -> None:
        """The background, lit from one side, four screens wide."""
        world = self.world
        low, high = world.tier.clutter
        picture = desk.desk(self.rng.uniform(low, high), self.rng)
        height, width = picture.shape[:2]
        slope = 1 + self.rng.uniform(-0.4, 0.4) * np.linspace(-1, 1, width)[None, :, None]
        self.desk = (self.linear[picture] * slope * self.ambient).astype(np.float32)
        largest = max(world.show.size_wh)
        scale = 4.5 * largest / width
        middle = np.array(world.show.size_wh) / 2
        corner = middle - scale * np.array([width, height]) * self.rng.uniform(0.42, 0.58, 2)
        self.plane_from_desk = np.array([[scale, 0, corner[0]], [0, scale, corner[1]], [0, 0, 1.0]])
        self.desk_depth = BEHIND[self.device] * world.show.size_wh[0]

    def _set_device(self) -> None:
        """Bezel and shape of the device, at the resolution that the camera needs."""
        world = self.world
        picture, shape, corner = desk.body(self.device, world.show.size_wh, self.rng)
        middle = np.array(world.show.size_wh) / 2
        ideal = world.path.at(0.0).ideal_from_plane(self.canvas.matrix)
        probe = transform(ideal, np.array([middle, middle + [1, 0], middle + [0, 1]]))
        steps = np.linalg.norm(np.diff(probe[[1, 0, 2]], axis=0), axis=1)
        size = np.array([picture.shape[1], picture.shape[0]])
        self.device_wh = tuple(int(v) for v in np.ceil(size * np.minimum(1.0, FINER * steps)))
        self.screen_at = corner
        self.bezel = self.linear[picture] * self.ambient
        self.shape = cv2.resize(shape, self.device_wh, interpolation=cv2.INTER_AREA)[..., None]
        self.plane_from_device = _plane_from_texels(size, self.device_wh, corner)
        screen_wh = world.show.size_wh
        self.slab_wh = tuple(
            int(v) for v in np.ceil(np.array(screen_wh) * np.minimum(1.0, FINER * steps))
        )
        self.plane_from_slab = _plane_from_texels(screen_wh, self.slab_wh, (0, 0))

    def _device(self, time: float) -> Shining:
        """What the device and the things on it send out now; kept until the show changes."""
        state = self.world.show.at(time)
        if self.shining is None or self.shining.state != state:
            slabs = [(slab.height, self._lit(slab)) for slab in self.world.show.relief(state)]
            self.shining = Shining(state, self._shine(state), slabs)
        return self.shining

    def _shine(self, state: Any) -> Light:
        """The device's light with what the screen shows, times its shape."""
        light, show = self.world.light, self.world.show
        whole = self.bezel.copy()
        x, y = self.screen_at
        w, h = show.size_wh
        shown = self.linear[show.paint(state)]
        if self.device == "table":
            shown *= self.ambient
        else:
            haze = light.haze * light.ambient + BLACK_LEVEL
            shown = shown * np.float32(light.brightness) + np.float32(haze)
        whole[y : y + h, x : x + w] = shown
        return cv2.resize(whole, self.device_wh, interpolation=cv2.INTER_AREA) * self.shape

    def _lit(self, slab: Slab) -> Light:
        """(h, w, 4) a slab's light times its shape, and its shape."""
        shape = slab.picture[..., 3:].astype(np.float32) / 255
        light = self.linear[slab.picture[..., :3]] * self.ambient * shape
        both = np.concatenate([light, shape], -1)
        return cv2.resize(both, self.slab_wh, interpolation=cv2.INTER_AREA)

    def _layers(self, pose: Pose, time: float) -> Light:
        """Desk, device and mirrored lamps on the canvas."""
        matrix = self.canvas.matrix
        scene = self._warp(
            self.desk,
            pose.ideal_from_plane(matrix, self.desk_depth) @ self.plane_from_desk,
            cv2.BORDER_REFLECT,
        )
        flat = pose.ideal_from_plane(matrix) @ self.plane_from_device
        shape = self._warp(self.shape, flat)[..., None]
        shining = self._device(time)
        device = self._warp(shining.face, flat)
        if self.device != "table":
            device *= self._dimming(pose)
        if self.room is not None:
            w, h = self.world.show.size_wh
            size = 2.0 * w / self.room.shape[1]
            place = np.array(
                [[size, 0, w / 2 - size * 256], [0, size, h / 2 - size * 256], [0, 0, 1.0]]
            )
            mirrored = pose.ideal_from_plane(matrix, MIRRORED * w) @ place
            device += self._warp(self.room, mirrored) * (
                shape * np.float32(ROOM_LIGHT * self.world.light.glare)
            )
        scene = scene * (1 - shape) + device
        for height, slab in shining.slabs:
            place = pose.ideal_from_plane(matrix, -height) @ self.plane_from_slab
            scene = _over(scene, self._warp(slab, place))
        return self._with_hand(scene, pose, time) if self.hand is not None else scene

    def _hand(self) -> NDArray[np.float32]:
        """(H, W, 4) the hand's light times its shape, and its shape."""
        shape, picture = hand.shape()[..., None], self.linear[hand.picture(self.rng)]
        lit = max(
            self.world.light.ambient, 0.15 * self.world.light.brightness
        )  # also by the screen
        return np.concatenate([picture * shape * np.float32(lit), shape], -1)

    def _with_hand(self, scene: Light, pose: Pose, time: float) -> Light:
        """The scene behind the hand."""
        assert self.world.reach and self.hand is not None
        hover = pose.ideal_from_plane(self.canvas.matrix, -hand.HOVER * self.world.show.size_wh[0])
        place = hover @ self.world.reach.plane_from_hand(time)
        return _over(scene, self._warp(self.hand, place, cv2.BORDER_REPLICATE))

    def _warp(
        self, texture: NDArray[np.float32], to_canvas: Homography, border: int = cv2.BORDER_CONSTANT
    ) -> Light:
        return cv2.warpPerspective(
            texture, to_canvas, self.canvas.size_wh, flags=cv2.INTER_LINEAR, borderMode=border
        )  # type: ignore[return-value]

    def _dimming(self, pose: Pose) -> NDArray[np.float32]:
        """How much of the screen's light goes towards each canvas px, by angle of view."""
        width, height = self.canvas.size_wh
        x, y = np.meshgrid(np.linspace(0, width, WEDGE), np.linspace(0, height, WEDGE))
        pixels = np.stack([x, y, np.ones_like(x)], -1)
        rays = pixels @ np.linalg.inv(self.canvas.matrix).T @ pose.rotation
        cosine = np.abs(rays[..., 2]) / np.linalg.norm(rays, axis=-1)
        coarse = (cosine**self.world.light.fall).astype(np.float32)
        return cv2.resize(coarse, self.canvas.size_wh)[..., None]

    def _exposed(self, light: Light, pose: Pose, time: float) -> Light:
        """The canvas's light gathered over the exposure while the camera moves."""
        world, matrix = self.world, self.canvas.matrix
        half = world.exposure_s / 2
        corners = world.screen_corners
        now = pose.ideal_from_plane(matrix)
        ends = [world.path.at(time + d).ideal_from_plane(matrix) for d in (-half, half)]
        moved = np.linalg.norm(
            transform(ends[1], corners) - transform(ends[0], corners), axis=1
        ).max()
        slices = min(MOST_SLICES, math.ceil(moved / STEP_PX))
        if slices < 2:
            return light
        total = np.zeros_like(light)
        for k in range(slices):
            then = world.path.at(time + half * (2 * k + 1 - slices) / slices).ideal_from_plane(
                matrix
            )
            cv2.accumulate(
                self._warp(light, then @ np.linalg.inv(now), cv2.BORDER_REPLICATE), total
            )
        return total / np.float32(slices)

    def _beaten(self, light: Light, pose: Pose) -> Light:
        """The light through the display's pixel grid: stripes of red, green and blue."""
        setting = self.world.light
        plane_from_ideal = np.linalg.inv(pose.ideal_from_plane(self.canvas.matrix))
        flat = cv2.perspectiveTransform(self.canvas.map.reshape(1, -1, 2), plane_from_ideal)
        x, y = np.moveaxis(flat.reshape(*light.shape[:2], 2), -1, 0)
        w, h = self.world.show.size_wh
        on = (x > 0) & (x < w) & (y > 0) & (y < h)
        wave = (
            np.cos(np.linspace(0, 2 * np.pi, 256, endpoint=False)).astype(np.float32)
            * setting.moire
            * 0.3
        )
        phase = (x * (256 / setting.grid_px)).astype(np.int32)
        for channel, stripe in enumerate((171, 85, 0)):  # B, G, R: thirds of a pixel apart
            light[..., channel] *= 1 + wave[(phase - stripe) & 255] * on
        rows = (y * (256 / setting.grid_px)).astype(np.int32)
        return light * (1 + 0.4 * wave[rows & 255] * on)[..., None]


def _over(scene: Light, layer: Light) -> Light:
    """The scene behind a layer of (H, W, 4) light times shape, and shape."""
    covered: Light = scene * (1 - layer[..., 3:]) + layer[..., :3]
    return covered


def _plane_from_texels(
    size: Any, texels_wh: tuple[int, ...], corner: tuple[int, int]
) -> Homography:
    """(3, 3) world px from texels of a picture of `size` px whose px `corner` lies at the origin."""
    factor = np.array(size) / np.array(texels_wh)
    shift = factor / 2 - 0.5 - np.array(corner)  # centres: (texel + ½) · factor − ½ − corner
    return np.array([[factor[0], 0, shift[0]], [0, factor[1], shift[1]], [0, 0, 1.0]])
