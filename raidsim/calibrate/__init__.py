"""Fitting the free values of cards to the claims that may be fitted to.

``parameters``  the values that may change, their ranges and how they are written
``problem``     residuals of the calibration claims for given values
``fit``         least squares in the logarithms of the values, from several starts
``meter``       the progress of a fit, and its remaining time
``determined``  which values the claims determine, alone and in combination
``card_file``   values, claims, residuals and sensitivities back into the card
``report``      the result as text
"""

from __future__ import annotations

from raidsim.calibrate.fit import STARTS
from raidsim.calibrate.main import calibrate
from raidsim.calibrate.report import CalibrationReport

__all__ = ["STARTS", "CalibrationReport", "calibrate"]
