"""Reads a text as a model would: through look-alike letters, leetspeak, s p a c e d words and codes such as base64.

Every reading is in lower case and without the accents of Latin letters. Most texts have one reading.
"""

import base64
import binascii
import html
import unicodedata
from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote

from firmmem.patterns import lazy
from firmmem.text.normal_form import as_read

_ACCENT = lazy("([a-z])[\u0300-\u036f]+")
_HAS_ACCENT = lazy("[\u0300-\u036f]")
_MIXED = lazy("[a-z][\u0370-\u058f\u13a0-\u13ff\u1d00-\u1d7f]|[\u0370-\u058f\u13a0-\u13ff\u1d00-\u1d7f][a-z]")
_LOOK_ALIKES: Final = str.maketrans(
    {
        **dict(zip("авекмнорстухѕіїјԁԛԝӏһьпгд", "abekmhopctyxsiijdqwlhbnrd", strict=True)),
        **dict(zip("αβεηικνορτυχγωσ", "abenikvoptuxywo", strict=True)),
        **dict(zip("ոսօհց", "nuohg", strict=True)),
        **dict(zip("ᴀᴄᴅᴇᴋᴍᴏᴘᴛᴜᴠᴡᴢ", "acdekmoptuvwz", strict=True)),
    }
)
_OTHER_ALPHABET = lazy("[\u0370-\u058f\u13a0-\u13ff\u1d00-\u1d7f]")
_LEET_SIGN = lazy("[013457@$!|][a-z]")
LEAST_LEET: Final = 3  # letters before which a digit stands: 5th and 3d are words too
_LEET: Final = tuple(str.maketrans("013457@$!|", letters) for letters in ("oieastasil", "oleastasil"))
_SPACED = lazy(r"(?<!\w)[^\W_](?:[ .\-_*·/|]{1,3}[^\W_]){5,}(?!\w)")
_WIDE_GAP = lazy(r"[ .\-_*·/|]{2,}")
_NARROW_GAP = lazy(r"[ .\-_*·/|]")
_UNSPACED_GAP = lazy(r"(?<=[\u3040-\u30ff\u3400-\u9fff])[ \t.·_*\-|/]{1,3}(?=[\u3040-\u30ff\u3400-\u9fff])")
_CODE = lazy(r"(?<![\w+/=-])(?:[A-Za-z0-9+/_-]{20,8000}={0,2})(?![\w+/=])")
_HEX = lazy(r"(?:[0-9A-Fa-f]{2})+")
_ESCAPED = lazy(r"(?:%[0-9A-Fa-f]{2}){3}|(?:&#x?[0-9A-Fa-f]{2,6};){3}")
_WORDS = (
    "ignore disregard forget override bypass previous prior above earlier system instructions instruction "
    "prompt rules "
    "guidelines safety filters restrictions obey comply reveal print show delete all your the and tell user "
    "send password "
    "passwords api keys memories following command run execute hidden developer from now must only never "
    "without you are "
    "not do me this file unrestricted assistant dan new any every to of"
)
# A run of letters without gaps is parted by the words that orders are made of, the longest first.
_WORD = lazy("|".join(sorted(_WORDS.split(), key=len, reverse=True)))
READ_CODES: Final = 4  # codes in one text
SHORTEST_CODE: Final = 20  # characters
LONG_WORD: Final = 9
FEWEST_SPACED: Final = 5  # letters


def readings(text: str) -> Iterator[str]:
    """Yield the text as it may be read; the first is the plain one."""
    plain = fold(text)
    yield plain
    for other in dict.fromkeys(_undisguised(text, plain)):
        if other != plain:
            yield other


def fold(text: str) -> str:
    """Return the text in lower case, without the accents of Latin letters and the gaps between Chinese characters."""
    folded = as_read(text).lower().replace("ß", "ss").replace("’", "'")
    if folded.isascii():
        return folded
    parted = unicodedata.normalize("NFD", folded)
    if _HAS_ACCENT.search(parted):
        folded = unicodedata.normalize("NFC", _ACCENT.sub(r"\1", parted))
    return _UNSPACED_GAP.sub("", folded)


def _undisguised(text: str, plain: str) -> Iterator[str]:
    words = plain.split()
    long = [word for word in words if len(word) >= LONG_WORD]  # most texts are cleared by having none
    if sum(len(word) == 1 for word in words) >= FEWEST_SPACED or any(map(_is_spaced, long)):
        yield _SPACED.sub(lambda run: _close(run[0]), plain)
    if any(word.count("_") + word.count("-") > 1 for word in long):
        yield plain.replace("_", " ").replace("-", " ")
    seen = plain
    if not plain.isascii() and _OTHER_ALPHABET.search(plain) and _MIXED.search(plain):
        seen = plain.translate(_LOOK_ALIKES)
        yield seen
    if len(_LEET_SIGN.findall(seen)) >= LEAST_LEET:
        for letters in _LEET:
            yield seen.translate(letters)
    if any(len(word) >= SHORTEST_CODE for word in long):
        for code in _CODE.findall(text)[:READ_CODES]:
            yield fold(_decode(code))  # what is coded twice stays unread
    if ("%" in text or "&#" in text) and _ESCAPED.search(text):
        yield fold(html.unescape(unquote(text)))


def _is_spaced(word: str) -> bool:
    return sum(map(word.count, ".-_*·/|")) >= FEWEST_SPACED


def _close(run: str) -> str:
    """Return spaced letters as words: wide gaps part them, else the words that are known do."""
    words = _WIDE_GAP.split(run)
    if len(words) > 1 and any(len(word) > 2 for word in words):
        return " ".join(_NARROW_GAP.sub("", word) for word in words)
    return " ".join(_WORD.sub(r" \g<0> ", _NARROW_GAP.sub("", run)).split())


def _decode(code: str) -> str:
    """Return the text that a code holds, or nothing."""
    try:
        if _HEX.fullmatch(code):
            held = bytes.fromhex(code)
        else:
            bare = code.rstrip("=").replace("-", "+").replace("_", "/")
            held = base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True)
        text = held.decode("utf-8")
    except (binascii.Error, ValueError):
        return ""
    return text if text.isprintable() or "\n" in text else ""
