"""Fitting the free values of cards to the claims that may be fitted to.

``parameters``  the values that may move, their ranges and how they are written
``problem``     residuals of the calibration claims for given values
``fit``         least squares in the logarithms of the values, from several starts
``meter``       how far a fit is, and how long it will take
``determined``  which values the claims determine, alone and in combination
``card_file``   values, claims, residuals and sensitivities back into the card
``report``      what came of it
"""

from __future__ import annotations

from raidsim.calibrate.fit import STARTS
from raidsim.calibrate.main import calibrate
from raidsim.calibrate.report import CalibrationReport

__all__ = ["STARTS", "CalibrationReport", "calibrate"]
