"""Passwords, keys and tokens that only their label tells: `password=…`, `api_key: …`, `密码是…`.

What is labelled so is often no secret but a rule, a place or a placeholder: "password: at least 12 characters", "the
password is kept in 1Password", `api_key=${KEY}`. A secret is one word, and no name of anything.
"""

import re
from typing import Final

from firmmem.patterns import lazy

_OPENING: Final = r"[\"'`“”‘’「『]{0,2}"
_SEPARATOR: Final = r"[\"'`\])]{0,2}[ \t]{0,3}(?:[:=：＝]|=>|\bis\b:?|\bwas\b|是|为|為|はい?|:=)[ \t]{0,3}"
_PASSWORD = lazy(
    r"(?:(?:password|passwd|passphrase|passcode|pwd|[_-]pass|mot de passe|passwort|kennwort|contrase[nñ]a|senha|"
    r"пароль|"
    r"密码|密碼|口令|パスワード|暗証番号|비밀번호)"
    rf"(?: (?:for|of|to) [^:=：\n]{{1,30}}?)?{_SEPARATOR}|--?(?:password|passwd|pass|pwd)[ =]|(?:密码|密碼|口令|"
    rf"パスワード)[ \t]|"
    rf"(?<![A-Za-z])mysql\b[^\n]{{0,60}} -p){_OPENING}(?P<value>[^\s\"'`“”「」『』,;，。；、（）()]{{4,80}})",
    re.IGNORECASE,
)
_PHRASE = lazy(
    rf"(?:passphrase|seed phrase|recovery phrase|mnemonic|助记词)(?: (?:for|"
    rf"of) [^:=：\n]{{1,30}}?)?{_SEPARATOR}[\"'“](?P<value>[^\"'”\n]{{12,200}})[\"'”]",
    re.IGNORECASE,
)
_PIN = lazy(
    r"(?<![A-Za-z])(?:PIN|CVV|CVC|PUK)(?: (?:code|number|of|for|the|my|a)\b| (?:debit|credit|bank|sim|card|"
    r"phone|door|safe))*"
    rf"{_SEPARATOR}(?P<value>\d{{3,8}})(?!\d)"
)
_KEY = lazy(
    r"(?:api[ _-]?keys?|apikey|(?:secret|access|private|encryption|signing|master|auth|app|client|consumer|"
    r"webhook|license)"
    r"[ _-]?(?:key|secret|token)(?:[ _-]?secret)?|(?<![A-Za-z])(?:secret|token)|[_-](?:secret|token)|appsecret|"
    r"accesskeysecret|"
    rf"密钥|密鑰|秘钥|私钥|令牌|秘密鍵|ключ api){_SEPARATOR}{_OPENING}(?P<value>[\w+/=.~-]{{16,4000}})",
    re.IGNORECASE,
)
_PLACEHOLDER = lazy(
    r"^(?:[$<{%*]|os\.|process\.|env\b|getenv|settings\.|config\.|self\.|secrets?\.|var\.|vault|file:|https?:|"
    r"1password|bitwarden|"
    r"keepass|lastpass|your|my[_-]|the[_-])|example|placeholder|changeme|change[_-]me|redacted|dummy|sample|xxx|"
    r"\*\*\*|\.\.\.|…",
    re.IGNORECASE,
)
_SHA1 = lazy("[0-9a-f]{40}")
_LETTER, _DIGIT = lazy(r"[^\W\d_]"), lazy(r"\d")
LEAST_DIGITS: Final = 4  # of a password that is digits alone
LEAST_KINDS: Final = 7  # different characters of a key


def labelled_secret(text: str) -> str:
    """Return "password" or "key or token" where a text names one and gives it, or nothing."""
    if (
        any(_is_password(found["value"]) for found in _PASSWORD.finditer(text))
        or _PHRASE.search(text)
        or _PIN.search(text)
    ):
        return "password"
    return "key or token" if any(map(_is_key, _KEY.finditer(text))) else ""


def _is_password(value: str) -> bool:
    if _PLACEHOLDER.search(value):
        return False
    digits = len(_DIGIT.findall(value))
    if digits == len(value):
        return digits >= LEAST_DIGITS
    return len(value) >= 6 and digits > 0 and _LETTER.search(value) is not None and value.isascii()


def _is_key(found: re.Match[str]) -> bool:
    bare = found["value"].strip("=.")
    if _SHA1.fullmatch(bare) and "access" in found[0].lower():  # whose keys have capitals
        return False
    if _PLACEHOLDER.search(bare) or len(set(bare)) < LEAST_KINDS or not bare.isascii():
        return False
    if _DIGIT.search(bare):
        return _LETTER.search(bare) is not None
    return len(bare) >= 24 and bare.isalpha()
