"""Published figures as data, and how far a simulation agrees with them.

A claim is one published statement. The road from a claim to a verdict, a module each:

``schema``   the files in ``validation/`` and what may stand in them
``claims``   a claim, and the measurements that it compares
``select``   which claims were asked for
``jobs``     the runs that those need, each distinct one once
``execute``  the runs, on several threads
``metrics``  one number from the points of a run
``verdict``  claim and numbers: the error, and whether the claim holds
``summary``  coverage and errors by document, kind and role
``report``   all that as data, and as JSON
``tables``   what the terminal shows of it
``page``     what the HTML page shows of it
"""

from __future__ import annotations

from raidsim.validate.main import validate
from raidsim.validate.report import ValidationReport

__all__ = ["ValidationReport", "validate"]
