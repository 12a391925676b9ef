"""What sees the calls of cairn.torch: tracers, scripting, torch.fx, torch.export, tensors with a __torch_function__."""

import copy
import inspect
import pickle
import unittest
import warnings

import torch
import torch.fx
import torch.nn.functional as F
from test_operators import needs

import cairn
import cairn.torch

IMAGE, VOLUME = (2, 3, 8, 9), (1, 2, 4, 5, 6)
# A module of torch.nn, the shape of an input, and what PyTorch's own operator is called in a graph.
MODULES = [
    (torch.nn.AvgPool2d(3, 2, 1, count_include_pad=False), IMAGE, "avg_pool2d"),
    (torch.nn.AvgPool3d(2), VOLUME, "avg_pool3d"),
    (torch.nn.AdaptiveAvgPool2d((3, 2)), IMAGE, "adaptive_avg_pool2d"),
    (torch.nn.AdaptiveAvgPool3d(2), VOLUME, "adaptive_avg_pool3d"),
    (torch.nn.MaxPool2d(2, return_indices=True), IMAGE, "max_pool2d"),
    (torch.nn.MaxPool3d(2), VOLUME, "max_pool3d"),
    (torch.nn.AdaptiveMaxPool2d((3, 2)), IMAGE, "adaptive_max_pool2d"),
    (torch.nn.AdaptiveMaxPool3d(2, return_indices=True), VOLUME, "adaptive_max_pool3d"),
    (torch.nn.Upsample(scale_factor=2), VOLUME, "upsample_nearest3d"),
    (torch.nn.UpsamplingNearest2d(scale_factor=2), IMAGE, "upsample_nearest2d"),
    (torch.nn.UpsamplingBilinear2d(scale_factor=2), IMAGE, "upsample_bilinear2d"),
]
FUNCTIONS = [
    (lambda x: cairn.torch.avg_pool2d(x, 2), IMAGE),
    (lambda x: cairn.torch.max_pool2d(input=x, kernel_size=2), IMAGE),
    (lambda x: cairn.torch.adaptive_max_pool2d(x, output_size=2), IMAGE),
    (lambda x: cairn.torch.adaptive_avg_pool3d(input=x, output_size=2), VOLUME),
    (lambda x: cairn.torch.interpolate(x, size=(5, 7), mode="bicubic"), IMAGE),
    (lambda x: cairn.torch.upsample_nearest3d(x, size=(6, 7, 8)), VOLUME),
    (lambda x: cairn.torch.max_unpool2d(*F.max_pool2d(x[..., :8], 2, return_indices=True), 2), IMAGE),
    (lambda x: cairn.torch.max_unpool3d(*F.max_pool3d(x[..., :4, :], 2, return_indices=True), 2), VOLUME),
]


def input_of(shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def tuple_of(results):
    return results if isinstance(results, tuple) else (results,)


class Other(torch.Tensor):
    """A class of tensors that changes nothing."""


class Told:
    """No tensor, and yet told of what it is given to."""

    calls = []

    @classmethod
    def __torch_function__(cls, function, types, arguments=(), keywords=None):
        cls.calls.append((function, arguments, keywords or {}))
        return "told"


@needs("aclnnAvgPool2d", "aclnnAdaptiveMaxPool3d", "aclnnMaxUnpool3d", "aclnnUpsampleBicubic2d")
class TracingTest(unittest.TestCase):
    def assertSame(self, ours, theirs):
        for one, other in zip(tuple_of(ours), tuple_of(theirs)):
            torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-6)

    def modules(self):
        for theirs, shape, name in MODULES:
            with self.subTest(name):
                yield theirs, cairn.torch.replace(copy.deepcopy(theirs)), shape, name

    def test_a_trace_has_pytorchs_operators_and_follows_its_input(self):
        for theirs, ours, shape, name in self.modules():
            ours(input_of(shape))  # a call that is known by now must not be taken for one of a trace
            traced = torch.jit.trace(ours, input_of(shape))
            kinds = [node.kind() for node in traced.inlined_graph.nodes()]
            self.assertTrue(any(kind.startswith(f"aten::{name}") for kind in kinds), kinds)
            self.assertSame(traced(input_of(shape, 1)), theirs(input_of(shape, 1)))

    def test_functions_are_traced(self):
        for number, (function, shape) in enumerate(FUNCTIONS):
            with self.subTest(number):
                function(input_of(shape))
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", torch.jit.TracerWarning)  # of max_unpool's own sizes
                    traced = torch.jit.trace(function, input_of(shape))
                self.assertSame(traced(input_of(shape, 1)), function(input_of(shape, 1)))

    def test_a_traced_gradient(self):
        traced = torch.jit.trace(lambda x: cairn.torch.avg_pool2d(x, 2), input_of(IMAGE).requires_grad_())
        results = []
        for function in (traced, lambda x: F.avg_pool2d(x, 2)):
            leaf = input_of(IMAGE, 1).requires_grad_()
            function(leaf).square().sum().backward()
            results.append(leaf.grad)
        self.assertSame(*results)

    def test_plain_functions_refuse_what_is_traced(self):
        for function in (
            lambda x: cairn.avg_pool2d(x, 2),
            lambda x: cairn.max_pool2d_with_indices(x, 2)[0],
            lambda x: cairn.adaptive_max_pool2d(x, 2)[0],
            lambda x: cairn.adaptive_avg_pool2d(x, 2),
            lambda x: cairn.upsample_nearest2d(x, 16),
            lambda x: cairn.avg_pool2d(torch.ones(1, 1, 4, 4), 2, out=x[:1, :1, :2, :2]),
        ):
            function(input_of(IMAGE))  # the next would be a repeated call
            with self.assertRaisesRegex(ValueError, "^(self|out) is traced by torch.jit.*see cairn.torch$"):
                torch.jit.trace(function, input_of(IMAGE))
            function(input_of(IMAGE))  # outside a trace nothing has changed

    def test_scripted_modules(self):
        for theirs, ours, shape, _ in self.modules():
            scripted = torch.jit.script(ours)
            self.assertSame(scripted(input_of(shape)), theirs(input_of(shape)))
        model = torch.nn.Sequential(torch.nn.MaxPool2d(2), torch.nn.ReLU(), torch.nn.AvgPool2d(2))
        scripted = torch.jit.script(cairn.torch.replace(copy.deepcopy(model)))
        self.assertSame(scripted(input_of(IMAGE)), model(input_of(IMAGE)))

    def test_fx_sees_a_call_of_cairn(self):
        for _, ours, shape, name in self.modules():
            traced = torch.fx.symbolic_trace(ours)
            (node,) = [node for node in traced.graph.nodes if node.op == "call_function"]
            self.assertIs(getattr(cairn.torch, node.target.__name__), node.target)
            self.assertIn("cairn_torch_", traced.code)
            for found, expected in zip(tuple_of(traced(input_of(shape))), tuple_of(ours(input_of(shape)))):
                self.assertTrue(torch.equal(found, expected))
            again = torch.fx.symbolic_trace(traced)
            self.assertSame(again(input_of(shape)), ours(input_of(shape)))

    def test_fx_sees_functions_with_keywords(self):
        def model(x, y):
            return cairn.torch.max_pool2d(input=x, kernel_size=2) + cairn.torch.avg_pool2d(y + 1, 2)

        traced = torch.fx.symbolic_trace(model)
        x, y = input_of(IMAGE), input_of(IMAGE, 1)
        self.assertTrue(torch.equal(traced(x, y), model(x, y)))

    def test_classes_of_tensors_stay(self):
        for number, (function, shape) in enumerate(FUNCTIONS):
            with self.subTest(number):
                x = input_of(shape)
                found = function(x.as_subclass(Other))
                self.assertIs(type(found), Other)
                self.assertTrue(torch.equal(found.as_subclass(torch.Tensor), function(x)))

    def test_whoever_has_a_torch_function_is_told(self):
        told = Told()
        Told.calls.clear()
        self.assertEqual(cairn.torch.avg_pool2d(told, 2, padding=1), "told")
        self.assertEqual(cairn.torch.max_unpool2d(input_of(IMAGE), told, 2), "told")
        self.assertEqual(cairn.torch.interpolate(input=told, size=4), "told")
        self.assertEqual([call[0] for call in told.calls], [
            cairn.torch.avg_pool2d, cairn.torch.max_unpool2d, cairn.torch.interpolate
        ])  # fmt: skip
        self.assertEqual(told.calls[0][1:], ((told, 2), {"padding": 1}))

    def test_what_is_no_tensor_is_refused_in_a_trace_too(self):
        def model(x):
            return cairn.torch.avg_pool2d("text", 2)

        with self.assertRaises(TypeError):
            torch.jit.trace(model, input_of(IMAGE))
        with self.assertRaisesRegex(TypeError, "input is a str, expected a tensor"):
            model(None)

    @unittest.skipUnless(
        hasattr(torch, "export") and hasattr(getattr(torch, "compiler", None), "is_exporting"),
        f"PyTorch {torch.__version__} does not say when it exports",
    )
    def test_an_exported_program_has_pytorchs_operators(self):
        for theirs, ours, shape, name in self.modules():
            program = torch.export.export(ours, (input_of(shape),), strict=False)
            targets = [str(node.target) for node in program.graph.nodes if node.op == "call_function"]
            self.assertTrue(targets and not any("cairn" in target for target in targets), targets)
            self.assertSame(program.module()(input_of(shape)), theirs(input_of(shape)))

    @unittest.skipUnless(
        hasattr(getattr(torch, "compiler", None), "is_compiling"), f"PyTorch {torch.__version__} has no torch.compile"
    )
    def test_a_compiled_function_calls_cairn(self):
        for number, (function, shape) in enumerate(FUNCTIONS):
            with self.subTest(number):
                x = input_of(shape)
                compiled = torch.compile(lambda x: function(x * 2) + 1, backend="eager")
                self.assertTrue(torch.equal(compiled(x), function(x * 2) + 1))


class NameTest(unittest.TestCase):
    def test_everything_is_found_under_its_name(self):
        for name in cairn.torch.__all__:
            thing = getattr(cairn.torch, name)
            self.assertEqual((thing.__module__, thing.__name__), ("cairn.torch", name))
            self.assertIs(pickle.loads(pickle.dumps(thing)), thing)

    def test_functions_take_what_pytorchs_take(self):
        compared = 0
        for name in cairn.torch.__all__:
            theirs = getattr(F, name, None)
            names = list(inspect.signature(theirs).parameters) if inspect.isfunction(theirs) else []
            if names[:1] == ["input"]:  # not where it only says *args, or is no function of Python's
                compared += 1
                self.assertEqual(list(inspect.signature(getattr(cairn.torch, name)).parameters), names, name)
        self.assertGreaterEqual(compared, 5)


if __name__ == "__main__":
    unittest.main()
