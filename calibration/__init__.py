"""Camera calibration: what a lens does to a picture, measured on a flat target.

Imports nothing of ar_assist. Conventions are those of OpenCV: pixel centres at integers, intrinsics
fx, fy, cx, cy in px, distortion (k1, k2, p1, p2, k3) after Brown (1966).
"""

from calibration.camera import Camera
from calibration.fit import calibrate
from calibration.target import Target

__all__ = ["Camera", "Target", "calibrate"]
