"""Icons from open fonts: emoji, signs, letters; and what drawn icons share with them."""

from __future__ import annotations

import colorsys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TypeVar

from numpy.random import Generator
from PIL import Image as Pil
from PIL import ImageDraw, ImageFont

T = TypeVar("T")
Icon = Pil.Image  # RGBA; square, but for mahjong faces
Colour = tuple[int, int, int]  # sRGB

FONTS = Path(__file__).parent / "fonts"
SIZE = 128  # px of an icon; a tile is seldom larger on a screen
FINE = 3  # drawn icons are drawn this much larger, then reduced
EMOJI_PX = 109  # the one bitmap size of Noto Color Emoji

EMOJI = {
    "animals": (
        "🐵🐒🐶🐺🦊🐱🦁🐯🐴🦄🦓🦌🐮🐷🐗🐏🐑🐐🐪🦙🦒🐘🦏🐭🐹🐰🐿🦔🦇🐻🐨🐼🦘🦡🐾🦃🐔🐣"
        "🐥🐦🐧🦆🦅🦉🐸🐊🐢🦎🐍🐲🐳🐬🐟🐠🐡🦈🐙🐚🐌🦋🐛🐜🐝🐞🦗🦂"
    ),
    "food": (
        "🍇🍈🍉🍊🍋🍌🍍🥭🍎🍏🍐🍑🍒🍓🥝🍅🥥🥑🍆🥔🥕🌽🌶🥒🥬🥦🍄🥜🌰🍞🥐🥖🥨🥞🧀🍖🍗🥩"
        "🥓🍔🍟🍕🌭🥪🌮🌯🍳🥘🍿🍱🍘🍙🍜🍝🍣🍤🥮🍡🍦🍩🍪🎂🍰🍫🍬🍭🍯🍼☕🍵🍷🍹🍺"
    ),
    "things": (
        "⚽🏀🏈⚾🎾🏐🎱🏓🎯🎮🎲🧩🎸🎺🎻🥁📷📺📻💡🔑🔒🔔🔨🔧🔍📌📎📅📚🎁🎈🎀👑👒👟👠👜"
        "🎩💎🚗🚕🚌🚑🚒🚓🚜🚲🚂🚀🚁⛵🏠🏰⛺🌈⭐🌙☀☁⛄🔥💧🌸🌹🌻🌷🌵🌲🍀🍁"
    ),
    "faces": ("😀😂🙂😉😍😘😜🤔😐😏🙄😴😷🤢🤠😎🤓😕😮😳😨😭😱😡😈💀👻👽🤖😺😻😼😿🙈🙉🙊"),
}
SYMBOLS = "♈♉♊♋♌♍♎♏♐♑♒♓☀☂☃★☘☠☢☣☮☯♔♕♖♗♘♙♞♣♥♦♨♫♻⚑⚒⚓⚔⚖⚙⚛⚜✂✆✈✌✎✜✠✪✱✳✵✶✸✾❀❂❄❖➤"
LETTERS = "ABCDEFGHJKLMNPRSTUVWXYZ2345679&%?ΓΔΘΛΞΠΣΦΨΩБДЖИЛФЦЧШЭЮЯ"


@cache
def font(name: str, size: int) -> ImageFont.FreeTypeFont:
    """One of the fonts in fonts/."""
    return ImageFont.truetype(str(FONTS / name), size)


def one_of(choices: Sequence[T], rng: Generator) -> T:
    """One of them."""
    return choices[int(rng.integers(len(choices)))]


def choose(pool: str, count: int, rng: Generator) -> list[str]:
    """`count` different characters of a pool."""
    return [pool[i] for i in rng.permutation(len(pool))[:count]]


def hues(count: int, rng: Generator, saturation: float = 0.75, value: float = 0.9) -> list[Colour]:
    """Colours that are spread evenly over the hues, lighter and darker in turn."""
    start = rng.random()
    values = (value, value * 0.62, min(1.0, value * 1.1))
    colours = []
    for i in range(count):
        paler = saturation * (0.55 if i % 3 == 2 else 1.0)
        rgb = colorsys.hsv_to_rgb((start + i / count) % 1.0, paler, values[i % 3])
        colours.append(tuple(round(255 * channel) for channel in rgb))
    return colours  # type: ignore[return-value]


def sheet(width: int = SIZE, height: int = SIZE) -> tuple[Icon, ImageDraw.ImageDraw]:
    """An empty icon, FINE times too large, and its pen."""
    picture = Pil.new("RGBA", (width * FINE, height * FINE))
    return picture, ImageDraw.Draw(picture)


def reduced(picture: Icon) -> Icon:
    """A finely drawn icon at its final size."""
    size = (picture.width // FINE, picture.height // FINE)
    return picture.resize(size, Pil.Resampling.BOX)


def trimmed(picture: Icon) -> Icon:
    """The drawn part of a glyph, centred in a square of SIZE px."""
    part = picture.crop(picture.getbbox())
    scale = SIZE / max(part.size)
    part = part.resize((max(1, round(part.width * scale)), max(1, round(part.height * scale))))
    square = Pil.new("RGBA", (SIZE, SIZE))
    square.paste(part, ((SIZE - part.width) // 2, (SIZE - part.height) // 2))
    return square


def glyph(character: str, name: str, colour: str | Colour) -> Icon:
    """A character in one colour."""
    picture = Pil.new("RGBA", (2 * SIZE, 2 * SIZE))
    pen = ImageDraw.Draw(picture)
    pen.text((SIZE, SIZE), character, colour, font(name, SIZE), anchor="mm")
    return trimmed(picture)


def emoji(name: str, count: int, rng: Generator) -> list[Icon]:
    """Colour emoji of one subject."""
    return [_emoji(name, character) for character in choose(EMOJI[name], count, rng)]


@cache
def _emoji(name: str, character: str) -> Icon:
    picture = Pil.new("RGBA", (2 * SIZE, 2 * SIZE))
    letters = font(f"NotoColorEmoji-{name}.ttf", EMOJI_PX)
    ImageDraw.Draw(picture).text((20, 20), character, font=letters, embedded_color=True)
    return trimmed(picture)


def symbols(count: int, rng: Generator) -> list[Icon]:
    """Signs that differ in shape only: all of one light colour."""
    (colour,) = hues(1, rng, 0.45, 0.95)
    return [glyph(c, "DejaVuSans-symbols.ttf", colour) for c in choose(SYMBOLS, count, rng)]


def letters(count: int, rng: Generator) -> list[Icon]:
    """Capitals and digits of one dark colour."""
    (colour,) = hues(1, rng, 0.3, 0.25)
    return [glyph(c, "DejaVuSans-symbols.ttf", colour) for c in choose(LETTERS, count, rng)]
