"""A subject as it is looked for: one, however it is typed."""

import unicodedata
from typing import Final

from firmmem.patterns import lazy
from firmmem.text.normal_form import normal_form

# Letters of other alphabets that look like a Latin one, in lower case: Cyrillic, Greek, Armenian, and dotless i.
_LOOK_ALIKES: Final = str.maketrans(
    "аеорсухіјѕһԁԛԝѵӏкмтвнгпь" + "αορνυικτχεηγβ" + "օոսհց" + "ıɑɡ",
    "aeopcyxijshdqwvlkmtbhrnb" + "aopvuiktxenyb" + "onuhg" + "iag",
)
_SEPARATORS = lazy(r"[\s._\-/:·・‧•|,;、。]+")
_BETWEEN_DIGITS = lazy(r"(?<=\d)[\s._\-/:·・‧•|,;、。]+(?=\d)")


def subject_key(subject: str) -> str:
    """Return what two spellings of one subject share: no case, accents apart, and no sign between its words.

    `User City`, `user_city`, `userCity`, `user.city` and the same with a Cyrillic с are one. Between two digits a
    sign is kept, since release 1.12 is not 11.2. A subject of nothing but signs is its own key.
    """
    folded = fold_look_alikes(normal_form(subject))
    parted = _BETWEEN_DIGITS.sub("\0", folded)
    return _SEPARATORS.sub("", parted).replace("\0", ".") or folded


def fold_look_alikes(text: str) -> str:
    """Return a text in lower case with its letters that look like Latin ones replaced by these."""
    return text if text.isascii() else unicodedata.normalize("NFC", text.lower().translate(_LOOK_ALIKES))
