"""Reading link boards: drawn ones in many conditions, and real pictures."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from drawn import (
    PITCH,
    amid_noise,
    bordered,
    cells_of,
    cleared,
    on_waves,
    picture,
    same_partition,
    shuffled,
    toned,
)

from ar_assist import replay
from ar_assist.find import find
from ar_assist.games import GAMES
from ar_assist.games.link import reader
from ar_assist.games.link.advice import SURE
from ar_assist.games.link.board import LinkBoard, Rules
from ar_assist.games.link.paths import link, links
from ar_assist.look import TRUST
from ar_assist.scene import open_scene
from ar_assist.types import Frame, Image, Lattice
from ar_assist.warp import rectify


@pytest.mark.parametrize("tones", [3, 5])
def test_tiles_have_mates_though_few_share_the_colour_of_their_faces(tones: int) -> None:
    """One tone is no frame, though it is around different pictures, and those in others have none:
    pieces of a wallpaper would have no mates either."""
    truth = shuffled(8, 10, 20, 0)
    assert same_partition(cells_of(reader.read(*toned(truth, tones))), truth)


def test_textures_that_fill_their_squares_share_no_frame() -> None:
    """Rims of most kinds look alike here, so that a fifth of the tiles seem to lack the frame."""
    scene = open_scene("scene:tier=oblique45,seed=67403,seconds=8,look=stones")
    frame = next(iter(scene))
    seen = next(c for c in find(frame.image) if c.lattice)
    reading = reader.read(rectify(frame.image, seen.plane), seen.lattice)
    truth = np.array(scene.truth["frames"][0]["board"]["cells"])
    assert same_partition(cells_of(reading), truth)


@pytest.mark.parametrize("left", [56, 42, 28])
@pytest.mark.parametrize("seed", range(3))
def test_a_board_that_is_half_cleared_is_read_on_a_wallpaper(left: int, seed: int) -> None:
    """Most cells show a picture that no other does: the tiles are those with one frame."""
    full = shuffled(7, 12, 14, seed)
    truth = cleared_to(full, left, seed)
    image, lattice = picture(truth)
    bare = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY) == 60
    image[bare] = wallpaper(image, seed)[bare]
    assert same_partition(cells_of(reader.read(image, lattice)), truth)


def cleared_to(full: np.ndarray, left: int, seed: int) -> np.ndarray:
    """The board with so many tiles left, pairs of each kind; every outer line holds some."""
    rng, board = np.random.default_rng(seed), full.copy()
    while (board > 0).sum() > left:
        places = np.argwhere(board == rng.choice(board[board > 0]))
        fewer = board.copy()
        for place in rng.permutation(places)[:2]:
            fewer[tuple(place)] = 0
        if fewer[0].any() and fewer[-1].any() and fewer[:, 0].any() and fewer[:, -1].any():
            board = fewer
    return board


def wallpaper(image: Image, seed: int) -> Image:
    """Of the picture's size: blotches and leaves of many colours."""
    rng = np.random.default_rng(seed)
    size_wh = image.shape[1::-1]
    octaves = [
        cv2.resize(rng.normal(0, 60, (n, n, 3)), size_wh, interpolation=cv2.INTER_CUBIC)
        for n in (6, 20, 70)
    ]
    return np.clip(110 + np.sum(octaves, 0), 0, 255).astype(np.uint8)


def vignette(image: Image, rng: np.random.Generator) -> Image:
    h, w = image.shape[:2]
    y, x = np.mgrid[:h, :w]
    fall = 1 - 0.9 * ((x / w - 0.5) ** 2 + (y / h - 0.4) ** 2)
    return np.clip(
        image * fall[..., None] * 0.8 + 30 + rng.normal(0, 3, image.shape), 0, 255
    ).astype(np.uint8)


CONDITIONS = {
    "clean": lambda image, rng: image,
    "grey": lambda image, rng: cv2.cvtColor(
        cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR
    ),
    "noise": lambda image, rng: np.clip(image + rng.normal(0, 12, image.shape), 0, 255).astype(
        np.uint8
    ),
    "blur": lambda image, rng: cv2.GaussianBlur(image, (0, 0), 2),
    "vignette": vignette,
    "jpeg": lambda image, rng: cv2.imdecode(
        cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 30])[1], cv2.IMREAD_COLOR
    ),
}


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("pairs", [0, 8])
def test_reads_exactly(condition: str, pairs: int) -> None:
    truth = cleared(shuffled(7, 10, 14, 4), pairs)
    image, lattice = picture(truth)
    found = cells_of(reader.read(CONDITIONS[condition](image, np.random.default_rng(0)), lattice))
    assert same_partition(found, truth)
    assert ((found == 0) == (truth == 0)).all()


def test_labels_are_numbered_in_reading_order() -> None:
    image, lattice = picture(shuffled(6, 8, 10, 5))
    kinds = list(dict.fromkeys(cells_of(reader.read(image, lattice)).ravel().tolist()))
    assert kinds == list(range(1, len(kinds) + 1))


@pytest.mark.parametrize("pairs", [0, 4, 12])
@pytest.mark.parametrize("ground", [0, 60, 150])
def test_light_frames_that_touch_each_other_are_no_ground(ground: int, pairs: int) -> None:
    truth = cleared(shuffled(7, 10, 14, 6), pairs)
    image, lattice = picture(truth, ground)
    found = cells_of(reader.read(bordered(image, np.argwhere(truth), (230, 230, 230)), lattice))
    assert same_partition(found, truth)
    assert ((found == 0) == (truth == 0)).all()


def test_a_plain_cell_of_the_colour_beside_the_board_is_empty() -> None:
    """Two are cleared, so that the ground runs on nowhere, and a strip of it is all around."""
    truth = shuffled(7, 10, 14, 6)
    mate = next(tuple(cell) for cell in np.argwhere(truth == truth[2, 3]) if tuple(cell) != (2, 3))
    truth[mate], truth[5, 7], truth[2, 3] = truth[5, 7], 0, 0
    image, lattice = picture(truth, ground=200)
    framed = bordered(amid_noise(image), np.argwhere(truth), (90, 20, 60))
    for r, c in np.argwhere(truth):  # a side that shows below a thick tile ends its ground
        y, x = (r + 4) * PITCH, (c + 3) * PITCH
        framed[y : y + 5, x + 1 : x + PITCH - 1] = (120, 70, 40)
    found = cells_of(reader.read(framed, lattice))
    assert ((found == 0) == (truth == 0)).all()


def on_leather(image: Image, truth: np.ndarray) -> Image:
    """Thick tiles on a rough ground, brighter at the top: cells beside them show a side."""
    rough = np.random.default_rng(0).normal(0, 9, image.shape[:2])
    light = np.linspace(1.6, 0.4, len(image))[:, None, None]
    ground = (cv2.GaussianBlur(rough, (0, 0), 1)[..., None] + (15, 55, 75)) * light
    drawn = ground.clip(0, 255).astype(np.uint8)
    corners = [((r + 3) * PITCH, (c + 3) * PITCH) for r, c in np.argwhere(truth)]
    for y, x in corners:
        drawn[y + 3 : y + PITCH + 6, x : x + PITCH + 10] = (40, 150, 40)
        drawn[y + 2 : y + PITCH + 3, x : x + PITCH + 5] = (150, 200, 210)
    for y, x in corners:
        drawn[y : y + PITCH, x : x + PITCH] = image[y : y + PITCH, x : x + PITCH]
    return drawn


@pytest.mark.parametrize("seed", range(3))
def test_the_sides_of_tiles_that_show_in_empty_cells_are_no_tiles(seed: int) -> None:
    """Two cells show the same side, and are mates."""
    truth = shuffled(7, 12, 14, seed)
    gaps, corners = ((2, 4), (3, 4), (5, 7), (5, 8)), ((0, 0), (0, 11), (6, 0), (6, 11))
    for gap, corner in zip(gaps, corners, strict=True):
        mate = next(tuple(m) for m in np.argwhere(truth == truth[gap])[::-1] if tuple(m) != gap)
        truth[mate], truth[corner], truth[gap] = truth[corner], 0, 0
    image, lattice = picture(truth)
    framed = bordered(image, np.argwhere(truth), (210, 230, 240))
    found = cells_of(reader.read(on_leather(framed, truth), lattice))
    assert ((found == 0) == (truth == 0)).all()


def test_squares_of_plain_colour() -> None:
    truth = cleared(shuffled(6, 8, 8, 8), 5)
    palette = np.array(
        [
            [255, 255, 255],
            [0, 0, 220],
            [220, 0, 0],
            [0, 180, 0],
            [0, 220, 220],
            [0, 0, 0],
            [70, 70, 70],
            [140, 140, 140],
            [220, 0, 220],
        ],
        np.uint8,
    )
    image, lattice = picture(np.zeros_like(truth), ground=255)
    for (r, c), kind in np.ndenumerate(truth):
        y, x = (r + 3) * PITCH, (c + 3) * PITCH
        image[y + 2 : y + PITCH - 2, x + 2 : x + PITCH - 2] = palette[kind]
    found = cells_of(reader.read(image, lattice))
    assert same_partition(found, truth)
    assert ((found == 0) == (truth == 0)).all()


@pytest.mark.parametrize("noise", [3, 8])
def test_squares_of_near_colours_seen_by_a_camera(noise: float) -> None:
    truth = cleared(shuffled(6, 9, 9, 1), 5, 1)
    image, lattice = picture(np.zeros_like(truth), ground=225)
    greys = [[level] * 3 for level in (0, 60, 140, 250)]
    bright = [[0, 0, 220], [220, 0, 0], [0, 180, 0], [0, 220, 220], [220, 0, 220]]
    for (r, c), kind in np.ndenumerate(truth):
        if kind:
            y, x = (r + 3) * PITCH, (c + 3) * PITCH
            image[y + 2 : y + PITCH - 2, x + 2 : x + PITCH - 2] = (greys + bright)[kind - 1]
    rng = np.random.default_rng(0)
    seen = vignette(cv2.GaussianBlur(image, (0, 0), 2), rng) + rng.normal(0, noise, image.shape)
    found = cells_of(reader.read(np.clip(seen, 0, 255).astype(np.uint8), lattice))
    assert same_partition(found, truth)
    assert ((found == 0) == (truth == 0)).all()


@pytest.mark.parametrize("seed", range(3))
def test_sprites_on_a_picture(seed: int) -> None:
    truth = cleared(shuffled(6, 10, 10, seed), 4)
    _, lattice = picture(truth)
    found = cells_of(reader.read(on_waves(truth, seed), lattice))
    assert same_partition(found, truth)
    assert ((found == 0) == (truth == 0)).all()


@pytest.mark.slow
def test_real_pictures_by_their_true_corners(data: Path) -> None:
    """Nearly every board is exact; no reading that is trusted offers a wrong pair."""
    exact, files = 0, sorted((data / "link").glob("*.json"))
    for path in files:
        truth = json.loads(path.read_text())
        cells = np.array(truth["cells"])
        rows, cols = cells.shape
        lattice = Lattice((3 * PITCH - 0.5, 3 * PITCH - 0.5), (PITCH, PITCH), rows, cols)
        image = cv2.imread(str(path.parent / truth["image"]))
        plane = cv2.getPerspectiveTransform(np.float32(truth["corners"]), lattice.corners)
        size = (cols + 6) * PITCH, (rows + 6) * PITCH
        reading = reader.read(cv2.warpPerspective(image, plane, size), lattice)
        for r, c in truth.get("link", []):
            cells[r, c] = -1
        if reading is None or reading.certainty.shape != cells.shape:
            continue
        found = np.array(reading.board.cells)
        sure = cells >= 0
        right = same_partition(found[sure], cells[sure])
        exact += right
        if reading.confidence >= TRUST:
            clear = reading.certainty >= SURE
            for pair in links(reading.board, Rules()):
                if clear[pair.a] and clear[pair.b] and sure[pair.a] and sure[pair.b]:
                    assert cells[pair.a] == cells[pair.b] > 0, (path.stem, pair)
    assert exact >= len(files) - 2


def test_real_pictures_as_the_program_sees_them(data: Path) -> None:
    """Found, read and advised upon: all exact but where a pair fades, and every hint right."""
    for path in sorted((data / "link").glob("*.json")):
        truth = json.loads(path.read_text())
        cells = np.array(truth["cells"])
        image = cv2.imread(str(path.parent / truth["image"]))
        view = replay.still(Frame(0, 0.0, image), [GAMES["link"]])
        assert view.reading is not None, path.stem
        assert view.reading.certainty.shape == cells.shape, path.stem
        sure = np.ones(cells.shape, bool)
        for cell in truth.get("link", []):
            sure[tuple(cell)] = False
        found = np.array(view.reading.board.cells)
        assert same_partition(found[sure], cells[sure]), path.stem
        assert view.advice is not None and view.advice.moves, path.stem
        hint = view.advice.moves[0].link
        board = LinkBoard(tuple(map(tuple, cells.tolist())))
        assert link(board, Rules(), hint.a, hint.b) is not None, path.stem
