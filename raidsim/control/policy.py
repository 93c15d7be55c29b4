"""Settings of a volume that an administrator changes during a run: cache modes, work rates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from raidsim.control.arguments import Arguments
from raidsim.control.maintenance import Maintained
from raidsim.errors import quote, quoted
from raidsim.intervene import cache_modes
from raidsim.scenario.array_checks import check_cache
from raidsim.scenario.models import CACHE_CHOICES


class Governed(Maintained):
    """A volume whose policies can be set anew."""

    above: Sequence[Maintained]

    def set_policy(
        self,
        *,
        write: str | None = None,
        read_ahead: str | None = None,
        io: str | None = None,
        rate: str | None = None,
    ) -> None:
        """Set the cache modes of the volume, and the share of its background work.

        Arguments that are left out do not change. When writes are set to go through, dirty data is
        written to the drives at once; until this is done, reads still find it in the cache. When
        the volume begins to use the cache again, its old data there is dropped, since it may have
        been overwritten meanwhile.

        Parameters
        ----------
        write
            "through", "back" (while the battery is good) or "back-bad-battery".
        read_ahead
            "none", "ahead" or "adaptive".
        io
            "direct" or "cached".
        rate
            Share of the time that rebuilds, checks and the like take while hosts have I/Os under
            way, such as "60 %": of work under way, and of later work.

        Raises
        ------
        InputError
            If its controller has no such mode, or that is no share.
        """
        check = Arguments(f"{self.name}.set_policy()")
        given = {"write": write, "read_ahead": read_ahead, "io": io}
        modes = {key: value for key, value in given.items() if value is not None}
        for key, value in modes.items():
            if value not in CACHE_CHOICES[key]:
                remedy = f"give one of {quoted(CACHE_CHOICES[key])}"
                check.wrong(key, f"{quote(value)} is no such mode", remedy)
        share = check.quantity("rate", rate, "share", "1 %", "100 %") if rate is not None else None
        if modes and self.above:
            cause = f"{self.name} is a part of {self.above[0].name}, whose modes count"
            check.wrong(next(iter(modes)), cause, "leave it out")
        card = None if self.controller is None else self.controller.card
        for lacking in check_cache(modes, card):
            check.wrong(*lacking)
        check.raise_if_wrong()
        self.env.sync()
        if modes and self.controller is not None and card is not None and card.has("cache.size"):
            before = self.spec
            self.spec = before.model_copy(update=modes)
            cache_modes.set_read_modes(self.system, self.row, before, self.spec, card)
            self.controller.ownership.set_write_mode(self.spec, self.row)
        if share is not None:
            self._pace = replace(self._pace, rate=share)
            for operation in self.operations:
                if not operation.is_over:
                    operation.set_rate(str(rate))
