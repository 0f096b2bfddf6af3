"""Digests, without OpenSSL: loading that takes a tenth of the time that a hook may take."""

from __future__ import annotations

try:
    from _blake2 import blake2b
except ImportError:  # another Python
    from hashlib import blake2b


def digest_of(text: str, length: int = 32) -> str:
    """The digest of a text, of any text that can be a path, in hexadecimal digits.

    >>> digest_of("a"), len(digest_of("a", 16))
    ('27c35e6e9373877f29e562464e46497e', 16)
    """
    return str(blake2b(text.encode(errors="surrogatepass"), digest_size=length // 2).hexdigest())
