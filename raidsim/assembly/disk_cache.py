"""What a hard disk's cache takes of writes, and whether a power cut costs it."""

from __future__ import annotations

from raidsim.cards import Card


def cache_size(card: Card) -> int:
    """Bytes of writes that a disk answers before they are on the medium.

    With the disk cache off that is what a power cut does not cost. With it on, all of the cache is
    volatile: a drive has one of two modes, not both.
    """
    on = card.flag("write_cache.enabled")
    return card.integer("write_cache.size" if on else "write_cache.protected_size")


def is_protected(card: Card) -> bool:
    """Whether the writes that it has answered survive a power cut."""
    return not card.flag("write_cache.enabled") and cache_size(card) > 0
