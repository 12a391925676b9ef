"""Cairn's operators inside PyTorch: modules that replace torch.nn's one for one, and the functions they call.

Forward and backward run through Cairn, on the CPU and on CUDA, in the order of the current stream. Results are the same
bits at every run, so torch.use_deterministic_algorithms(True) has nothing to refuse.

>>> model = cairn.torch.replace(model)
"""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence, Tuple, Union

import torch
import torch.nn.functional as F
from torch.nn.modules import pooling, upsampling

from . import _again as again
from . import _operators as ops
from . import _unpooling as unpooling
from ._adaptive_torch import adaptive_max_pool2d, adaptive_max_pool3d
from ._arrays import INT64, Torch
from ._autograd import Like, check_tensor, gathered, in_place_of, is_followed, smallest_index_type
from ._call import shape_only
from ._interpolation import MODES, interpolate, takes, upsample_nearest3d
from ._mean_torch import (
    AdaptiveAvgPool2d,
    AdaptiveAvgPool3d,
    AvgPool2d,
    AvgPool3d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    avg_pool2d,
    avg_pool3d,
)
from ._values import sizes

__all__ = [
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "AvgPool2d",
    "AvgPool3d",
    "MaxPool2d",
    "MaxPool3d",
    "MaxUnpool2d",
    "MaxUnpool3d",
    "Upsample",
    "UpsampleNearest3d",
    "UpsamplingBilinear2d",
    "UpsamplingNearest2d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool2d",
    "adaptive_max_pool3d",
    "avg_pool2d",
    "avg_pool3d",
    "interpolate",
    "max_pool2d",
    "max_pool3d",
    "max_unpool2d",
    "max_unpool3d",
    "replace",
    "upsample_nearest3d",
]

Tensor = torch.Tensor


class _MaxPool(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, input: Tensor, spatial: int, window: tuple, ceil_mode: bool, index_code: int) -> Any:
        output, indices = ops._max_pool(spatial, input, window, ceil_mode, index_code, None, None)
        ctx.mark_non_differentiable(indices)
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(indices)
        ctx.call = (spatial, window, ceil_mode, Like.of(input))
        return output, indices

    @staticmethod
    def backward(ctx: Any, grad_output: Optional[Tensor], _: Any) -> Any:
        if grad_output is None:
            return None, None, None, None, None
        (indices,) = ctx.saved_tensors
        return _MaxPoolBackward.apply(grad_output, indices, *ctx.call), None, None, None, None


class _MaxPoolBackward(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, grad_output: Tensor, indices: Tensor, spatial: int, window: tuple, ceil_mode: bool, like: Like
    ) -> Tensor:
        ctx.save_for_backward(indices)
        ctx.spatial = spatial
        out = torch.empty(like.shape, dtype=like.dtype, device=grad_output.device, memory_format=like.memory_format)
        source = shape_only(Torch.codes[like.dtype], like.shape)
        return ops._max_pool_backward(spatial, grad_output, source, indices, window, ceil_mode, None, out)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        (indices,) = ctx.saved_tensors
        return gathered(grad, indices, ctx.spatial), None, None, None, None, None


class _MaxUnpool(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, input: Tensor, indices: Tensor, plane: Tuple[int, ...]) -> Tensor:
        ctx.save_for_backward(indices)
        ctx.spatial = len(plane)
        return unpooling._max_unpool(len(plane), input, indices, None, None, 0, plane, None, None)

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Any:
        (indices,) = ctx.saved_tensors
        if torch.is_grad_enabled():  # a second derivative is wanted
            return gathered(grad_output, indices, ctx.spatial), None, None
        source = shape_only(Torch.codes[grad_output.dtype], indices.shape)
        backward = unpooling._max_unpool_backward
        return backward(ctx.spatial, grad_output, source, indices, None, None, None, None), None, None


def _max_pool(
    spatial: int,
    input: Tensor,
    kernel_size: ops.Ints,
    stride: Optional[ops.Ints],
    padding: ops.Ints,
    dilation: ops.Ints,
    ceil_mode: bool,
    return_indices: bool,
) -> Any:
    check_tensor(input)
    window = ops._window(spatial, kernel_size, stride, padding, dilation)
    wanted = INT64 if return_indices else smallest_index_type(input, spatial)
    follows = is_followed(input)
    index_code = ops.index_type_of_max_pool(spatial, wanted, follows)
    if not (return_indices or follows):
        given = (kernel_size, stride, padding, dilation, ceil_mode)
        return ops._values_of_max_pool(spatial, input, window, ceil_mode, index_code, given)
    output, indices = _MaxPool.apply(input, spatial, window, ceil_mode, index_code)
    if index_code != INT64 and return_indices:
        indices = indices.long()
    return (output, indices) if return_indices else output


@in_place_of(F.max_pool3d)
def max_pool3d(
    input: Tensor,
    kernel_size: ops.Ints,
    stride: Optional[ops.Ints] = None,
    padding: ops.Ints = 0,
    dilation: ops.Ints = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """torch.nn.functional.max_pool3d through Cairn, for float32, float16 and bfloat16.

    >>> y = cairn.torch.max_pool3d(x, 2)
    """
    if not return_indices and type(input) is Tensor and not is_followed(input):
        found = again.values(3, input, (kernel_size, stride, padding, dilation, ceil_mode))
        if found is not None:
            return found
    return _max_pool(3, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


@in_place_of(F.max_pool2d)
def max_pool2d(
    input: Tensor,
    kernel_size: ops.Ints,
    stride: Optional[ops.Ints] = None,
    padding: ops.Ints = 0,
    dilation: ops.Ints = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """torch.nn.functional.max_pool2d through Cairn, for float32, float16 and bfloat16.

    >>> y, where = cairn.torch.max_pool2d(x, 3, stride=2, padding=1, return_indices=True)
    """
    if not return_indices and type(input) is Tensor and not is_followed(input):
        found = again.values(2, input, (kernel_size, stride, padding, dilation, ceil_mode))
        if found is not None:
            return found
    return _max_pool(2, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def _max_unpool(
    spatial: int,
    input: Tensor,
    indices: Tensor,
    kernel_size: ops.Ints,
    stride: Optional[ops.Ints],
    padding: ops.Ints,
    output_size: Optional[Sequence[int]],
) -> Tensor:
    check_tensor(input)
    plane = unpooling.unpooled_size(input.shape, spatial, kernel_size, stride, padding)
    if output_size is not None:
        plane = _chosen_size(plane, unpooling.unpooling_steps(spatial, kernel_size, stride), output_size)
    if is_followed(input):
        return _MaxUnpool.apply(input, indices, plane)
    return unpooling._max_unpool(spatial, input, indices, None, None, 0, plane, None, None)


@in_place_of(F.max_unpool3d)
def max_unpool3d(
    input: Tensor,
    indices: Tensor,
    kernel_size: ops.Ints,
    stride: Optional[ops.Ints] = None,
    padding: ops.Ints = 0,
    output_size: Optional[Sequence[int]] = None,
) -> Tensor:
    """torch.nn.functional.max_unpool3d through Cairn.

    >>> x = cairn.torch.max_unpool3d(y, where, 2)
    """
    return _max_unpool(3, input, indices, kernel_size, stride, padding, output_size)


@in_place_of(F.max_unpool2d)
def max_unpool2d(
    input: Tensor,
    indices: Tensor,
    kernel_size: ops.Ints,
    stride: Optional[ops.Ints] = None,
    padding: ops.Ints = 0,
    output_size: Optional[Sequence[int]] = None,
) -> Tensor:
    """torch.nn.functional.max_unpool2d through Cairn.

    >>> x = cairn.torch.max_unpool2d(y, where, 2)
    """
    return _max_unpool(2, input, indices, kernel_size, stride, padding, output_size)


def _chosen_size(default: Sequence[int], steps: Sequence[int], wanted: Sequence[int]) -> Tuple[int, ...]:
    """The wanted size, which a pooling with these steps must be able to have come from, as torch.nn asks."""
    spatial = len(default)
    chosen = sizes(wanted, (spatial, spatial + 2), "output_size")[-spatial:]
    if any(abs(c - d) >= s for c, d, s in zip(chosen, default, steps)):
        raise ValueError(
            f"output_size is {tuple(wanted)}, expected sizes that differ from {tuple(default)} by less than the stride "
            f"{tuple(steps)}"
        )
    return chosen


class AdaptiveMaxPool2d(torch.nn.AdaptiveMaxPool2d):
    """torch.nn.AdaptiveMaxPool2d through Cairn."""

    def forward(self, input: Tensor) -> Any:
        return adaptive_max_pool2d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool3d(torch.nn.AdaptiveMaxPool3d):
    """torch.nn.AdaptiveMaxPool3d through Cairn."""

    def forward(self, input: Tensor) -> Any:
        return adaptive_max_pool3d(input, self.output_size, self.return_indices)


class MaxPool2d(torch.nn.MaxPool2d):
    """torch.nn.MaxPool2d through Cairn."""

    def forward(self, input: Tensor) -> Any:
        return max_pool2d(
            input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode, self.return_indices
        )


class MaxPool3d(torch.nn.MaxPool3d):
    """torch.nn.MaxPool3d through Cairn."""

    def forward(self, input: Tensor) -> Any:
        return max_pool3d(
            input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode, self.return_indices
        )


class MaxUnpool2d(torch.nn.MaxUnpool2d):
    """torch.nn.MaxUnpool2d through Cairn."""

    def forward(self, input: Tensor, indices: Tensor, output_size: Optional[Sequence[int]] = None) -> Tensor:
        return max_unpool2d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool3d(torch.nn.MaxUnpool3d):
    """torch.nn.MaxUnpool3d through Cairn."""

    def forward(self, input: Tensor, indices: Tensor, output_size: Optional[Sequence[int]] = None) -> Tensor:
        return max_unpool3d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class Upsample(torch.nn.Upsample):
    """torch.nn.Upsample through Cairn; what torch.nn.Upsample would refuse goes to it, for its sentence."""

    def forward(self, input: Tensor) -> Tensor:
        if not takes(self.mode, input):
            return torch.nn.Upsample.forward(self, input)
        corners, recompute = self.align_corners, self.recompute_scale_factor
        return interpolate(input, self.size, self.scale_factor, self.mode, corners, recompute)


class UpsampleNearest3d(Upsample):
    """Upsample in the mode "nearest"."""

    def __init__(
        self,
        size: Union[None, int, Tuple[int, ...]] = None,
        scale_factor: Union[None, float, Tuple[float, ...]] = None,
        recompute_scale_factor: Optional[bool] = None,
    ) -> None:
        super().__init__(size, scale_factor, mode="nearest", recompute_scale_factor=recompute_scale_factor)


class UpsamplingBilinear2d(torch.nn.UpsamplingBilinear2d):
    """torch.nn.UpsamplingBilinear2d through Cairn: corners are aligned."""

    forward = Upsample.forward


class UpsamplingNearest2d(torch.nn.UpsamplingNearest2d):
    """torch.nn.UpsamplingNearest2d through Cairn."""

    forward = Upsample.forward


_REPLACEMENTS = {
    torch.nn.AdaptiveAvgPool2d: AdaptiveAvgPool2d,
    torch.nn.AdaptiveAvgPool3d: AdaptiveAvgPool3d,
    torch.nn.AdaptiveMaxPool2d: AdaptiveMaxPool2d,
    torch.nn.AdaptiveMaxPool3d: AdaptiveMaxPool3d,
    torch.nn.AvgPool2d: AvgPool2d,
    torch.nn.AvgPool3d: AvgPool3d,
    torch.nn.MaxPool2d: MaxPool2d,
    torch.nn.MaxPool3d: MaxPool3d,
    torch.nn.MaxUnpool2d: MaxUnpool2d,
    torch.nn.MaxUnpool3d: MaxUnpool3d,
    torch.nn.Upsample: Upsample,
    torch.nn.UpsamplingBilinear2d: UpsamplingBilinear2d,
    torch.nn.UpsamplingNearest2d: UpsamplingNearest2d,
}
_OURS = (*_REPLACEMENTS.values(), UpsampleNearest3d)

# torch.jit.script compiles the source of what a function wraps, here PyTorch's own, in which F is what it is here.
for _theirs, _ours in _REPLACEMENTS.items():
    _ours.forward.__wrapped__ = _theirs.forward

_LAYERS = {getattr(file, name): name for file in (pooling, upsampling) for name in file.__all__}


def replace(model: torch.nn.Module, *, report: Optional[Callable[[str], Any]] = None) -> torch.nn.Module:
    """Makes a model's MaxPool, AvgPool, their adaptive kin, MaxUnpool (2d, 3d) and Upsample modules Cairn's.

    The modules stay the objects they are, with their hooks, names and settings; only what they run changes.
    Subclasses of torch.nn's and calls of torch.nn.functional are left alone. ``report`` is called with a line for each
    module that was replaced or, being another pooling or upsampling, left, and at last with one that counts them.

    >>> model = cairn.torch.replace(model, report=print)
    """
    if not isinstance(model, torch.nn.Module):
        raise TypeError(f"model is a {type(model).__name__}, expected a torch.nn.Module")
    if isinstance(model, torch.jit.ScriptModule):
        raise TypeError(f"model is a {type(model).__name__}, compiled already: replace its modules before that")
    if report is not None and not callable(report):
        raise TypeError(f"report is a {type(report).__name__}, expected a function such as print")
    lines, replaced = [], 0
    for name, module in model.named_modules():
        replacement = _REPLACEMENTS.get(type(module))
        if replacement is Upsample and module.mode not in MODES:
            replacement = None
        fate = _why_left(module) if replacement is None else "replaced"
        if replacement is not None:
            module.__class__ = replacement
            replaced += 1
        if fate:
            lines.append(f"{name or 'the model'} ({_class_name(module)}): {fate}")
    if report is not None:
        counts = f"{replaced} replaced, {len(lines) - replaced} left"
        for line in (*lines, f"{counts}; calls of torch.nn.functional in a forward() are not seen and stay PyTorch's"):
            report(line)
    return model


def _class_name(module: torch.nn.Module) -> str:
    return module.original_name if isinstance(module, torch.jit.ScriptModule) else type(module).__name__


def _why_left(module: torch.nn.Module) -> str:
    """Nothing for a module that neither pools nor upsamples."""
    if isinstance(module, torch.jit.ScriptModule):
        return "left, compiled already" if _class_name(module) in _LAYERS.values() else ""
    if isinstance(module, _OURS):
        return "left, Cairn's already"
    if type(module) in _LAYERS:
        return "left, Cairn has none"
    names = [name for layer, name in _LAYERS.items() if isinstance(module, layer)]
    return f"left, a subclass of {names[-1]} that may compute something else" if names else ""


# Also what private files define: graphs, pickles and names say where users find it.
for _name in __all__:
    globals()[_name].__module__ = __name__
