"""Fitting the free values of cards to the claims that may be fitted to.

``parameters``  the values that may move, their bounds and how they are written
``problem``     residuals of the calibration claims for given values
``fit``         least squares in the logarithms of the values
``card_file``   values, claims and residuals back into the card
``report``      what came of it
"""

from __future__ import annotations

from raidsim.calibrate.main import calibrate
from raidsim.calibrate.report import CalibrationReport

__all__ = ["CalibrationReport", "calibrate"]
