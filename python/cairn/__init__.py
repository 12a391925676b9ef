"""Ascend's aclnn pooling, unpooling and upsampling operators, on any CPU and on NVIDIA GPUs.

Takes numpy arrays, torch tensors and whatever has DLPack or an array interface, without copying. ``cairn.torch`` has
the same operators as PyTorch modules.

A value of the wrong kind (a float or a text where an integer belongs, an object that is no array) is a TypeError, one
that cannot be meant (an integer beyond 64 bits, the wrong number of them, an unknown name, a read-only ``out``) is a
ValueError, and what the library refuses is a CairnError with its status and its sentence. Integers are what Python
takes as an index, a numpy.int64 for one, but not a bool.
"""

from ._adaptive_max import (
    adaptive_max_pool2d,
    adaptive_max_pool2d_backward,
    adaptive_max_pool3d,
    adaptive_max_pool3d_backward,
)
from ._call import backend, last_call, synchronize
from ._library import CairnError, home
from ._mean_pooling import (
    adaptive_avg_pool2d,
    adaptive_avg_pool2d_backward,
    adaptive_avg_pool3d,
    adaptive_avg_pool3d_backward,
    avg_pool2d,
    avg_pool2d_backward,
    avg_pool3d,
    avg_pool3d_backward,
)
from ._operators import (
    max_pool2d_with_indices,
    max_pool2d_with_indices_backward,
    max_pool3d_with_argmax,
    max_pool3d_with_argmax_backward,
)
from ._pooling2d import max_pool2d, max_pool2d_with_mask, max_pool2d_with_mask_backward
from ._product import product
from ._resampling import (
    upsample_bicubic2d,
    upsample_bicubic2d_aa,
    upsample_bicubic2d_aa_backward,
    upsample_bicubic2d_backward,
    upsample_bilinear2d,
    upsample_bilinear2d_aa,
    upsample_bilinear2d_aa_backward,
    upsample_bilinear2d_backward,
    upsample_linear1d,
    upsample_linear1d_backward,
    upsample_trilinear3d,
    upsample_trilinear3d_backward,
)
from ._unpooling import max_unpool2d, max_unpool2d_backward, max_unpool3d, max_unpool3d_backward
from ._upsampling import (
    upsample_nearest1d,
    upsample_nearest1d_backward,
    upsample_nearest2d,
    upsample_nearest2d_backward,
    upsample_nearest3d,
    upsample_nearest3d_backward,
    upsample_nearest_exact1d,
    upsample_nearest_exact1d_backward,
    upsample_nearest_exact2d,
    upsample_nearest_exact2d_backward,
    upsample_nearest_exact3d,
    upsample_nearest_exact3d_backward,
)

__version__ = "0.2.0"

__all__ = [
    "CairnError",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool2d_backward",
    "adaptive_avg_pool3d",
    "adaptive_avg_pool3d_backward",
    "adaptive_max_pool2d",
    "adaptive_max_pool2d_backward",
    "adaptive_max_pool3d",
    "adaptive_max_pool3d_backward",
    "avg_pool2d",
    "avg_pool2d_backward",
    "avg_pool3d",
    "avg_pool3d_backward",
    "backend",
    "home",
    "last_call",
    "max_pool2d",
    "max_pool2d_with_indices",
    "max_pool2d_with_indices_backward",
    "max_pool2d_with_mask",
    "max_pool2d_with_mask_backward",
    "max_pool3d_with_argmax",
    "max_pool3d_with_argmax_backward",
    "max_unpool2d",
    "max_unpool2d_backward",
    "max_unpool3d",
    "max_unpool3d_backward",
    "product",
    "synchronize",
    "upsample_bicubic2d",
    "upsample_bicubic2d_aa",
    "upsample_bicubic2d_aa_backward",
    "upsample_bicubic2d_backward",
    "upsample_bilinear2d",
    "upsample_bilinear2d_aa",
    "upsample_bilinear2d_aa_backward",
    "upsample_bilinear2d_backward",
    "upsample_linear1d",
    "upsample_linear1d_backward",
    "upsample_nearest1d",
    "upsample_nearest1d_backward",
    "upsample_nearest2d",
    "upsample_nearest2d_backward",
    "upsample_nearest3d",
    "upsample_nearest3d_backward",
    "upsample_nearest_exact1d",
    "upsample_nearest_exact1d_backward",
    "upsample_nearest_exact2d",
    "upsample_nearest_exact2d_backward",
    "upsample_nearest_exact3d",
    "upsample_nearest_exact3d_backward",
    "upsample_trilinear3d",
    "upsample_trilinear3d_backward",
]
