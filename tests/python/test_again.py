"""The same small call again and again takes a shorter way; nothing but the time may tell."""

import os
import threading
import unittest
from unittest import mock

import numpy
import torch

import cairn
import cairn.torch
from cairn import _again


def pooled(array, *arguments, **keywords):
    out, indices = cairn.max_pool3d_with_argmax(array, *arguments, **keywords)
    return numpy.asarray(out), numpy.asarray(indices)


# The pooling, its arguments, and the axes of its input behind the channels.
POOLINGS = [
    (cairn.avg_pool2d, (3, 2, 1), 2),
    (cairn.avg_pool2d, ((2, 3), (1, 2), 0, True, False, 5), 2),
    (cairn.avg_pool3d, (2, 1, 1, False, False), 3),
    (cairn.adaptive_avg_pool2d, ((3, None),), 2),
    (cairn.adaptive_avg_pool3d, (2,), 3),
    (cairn.adaptive_max_pool2d, ((None, 3),), 2),
    (cairn.adaptive_max_pool3d, (2,), 3),
    (cairn.max_pool2d_with_indices, (3, 2, 1), 2),
    (cairn.max_pool3d_with_argmax, (2,), 3),
]
TORCHES = [
    (cairn.torch.avg_pool2d, (3, 2, 1), 2),
    (cairn.torch.avg_pool3d, (2, 1, 1, False, False), 3),
    (cairn.torch.adaptive_avg_pool2d, ((3, None),), 2),
    (cairn.torch.adaptive_avg_pool3d, (2,), 3),
    (cairn.torch.adaptive_max_pool2d, ((None, 3),), 2),
    (cairn.torch.adaptive_max_pool3d, (2,), 3),
    (cairn.torch.max_pool2d, (3, 2, 1), 2),
    (cairn.torch.max_pool3d, (2,), 3),
]


def array_of(spatial, seed, dtype="float32", channels_last=False):
    """Random values, with some that a comparison of numbers would not tell apart."""
    shape = (2, 3, 4, 5, 6)[: 2 + spatial]
    array = numpy.random.default_rng(seed).standard_normal(shape).astype(dtype)
    array.flat[[1, 7, 11, 20]] = numpy.nan, -0.0, 0.0, numpy.inf
    return numpy.moveaxis(numpy.ascontiguousarray(numpy.moveaxis(array, 1, -1)), -1, 1) if channels_last else array


def bits(results):
    """Of each result its type, shape, strides and bytes."""
    found = []
    for result in results if isinstance(results, tuple) else (results,):
        dtype = result.dtype
        if isinstance(result, torch.Tensor):
            strides = result.stride()
            result = (result.view(torch.int16) if dtype == torch.bfloat16 else result).numpy()
        else:
            strides = result.strides
        found.append((dtype, result.shape, strides, result.tobytes()))
    return found


def counted_runs():
    """Counts the calls that take the short way."""
    return mock.patch.object(_again._Known, "run", autospec=True, side_effect=_again._Known.run)


class Number:
    """An integer that may become another one."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


class AgainTest(unittest.TestCase):
    def setUp(self):
        _again._known.clear()
        self.first = numpy.arange(32, dtype=numpy.float32).reshape(1, 1, 2, 4, 4)
        self.second = -self.first

    def test_the_short_way_is_taken_and_gives_the_same(self):
        for make in (lambda x: x, torch.from_numpy):
            with self.subTest(make=make):
                _again._known.clear()
                new = pooled(make(self.second), 2)
                _again._known.clear()
                pooled(make(self.first), 2)
                self.assertEqual(len(_again._known), 1)
                found = _again.results(3, make(self.second), (2, None, 0, 1, False, "int64", None))
                self.assertIsNotNone(found)
                for short, long in zip(found, new):
                    numpy.testing.assert_array_equal(numpy.asarray(short), long)
                    self.assertEqual(numpy.asarray(short).dtype, long.dtype)

    def test_values_of_a_tensor(self):
        first, second = torch.from_numpy(self.first), torch.from_numpy(self.second)
        new = cairn.torch.max_pool3d(second, 2)
        _again._known.clear()
        cairn.torch.max_pool3d(first, 2)
        self.assertIsNotNone(_again.values(3, second, (2, None, 0, 1, False)))
        self.assertTrue(torch.equal(cairn.torch.max_pool3d(second, 2), new))

    def test_equal_arguments_of_wrong_types_are_refused_as_before(self):
        pooled(self.first, 1)
        tensor = torch.from_numpy(self.first)
        cairn.torch.max_pool3d(tensor, 1)
        for wrong in (True, 1.0, (1.0, 1, 1), numpy.float64(1)):
            with self.subTest(wrong=wrong):
                with self.assertRaises(TypeError):
                    pooled(self.first, wrong)
                with self.assertRaises(TypeError):
                    cairn.torch.max_pool3d(tensor, wrong)

    def test_other_geometry_types_and_lists_take_the_long_way(self):
        pooled(self.first, 2)
        given = (2, None, 0, 1, False, "int64", None)
        self.assertIsNone(_again.results(3, self.first.astype(numpy.float16), given))
        self.assertIsNone(_again.results(3, self.first.transpose(0, 1, 2, 4, 3), given))
        self.assertIsNone(_again.results(2, self.first[0], given))
        self.assertIsNone(_again.results(3, self.first, ([2, 2, 2], *given[1:])))
        for _ in range(2):
            numpy.testing.assert_array_equal(pooled(self.first, [2, 2, 2])[0], pooled(self.first, 2)[0])

    def test_negated_and_sparse_tensors_are_refused_as_before(self):
        tensor = torch.from_numpy(self.first)
        cairn.torch.max_pool3d(tensor, 2)
        negated = torch._neg_view(tensor)
        with self.assertRaisesRegex(ValueError, "negated"):
            cairn.torch.max_pool3d(negated, 2)
        with self.assertRaises((TypeError, ValueError)):
            cairn.torch.max_pool3d(tensor.to_sparse(), 2)

    def test_a_gradient_is_still_followed(self):
        tensor = torch.from_numpy(self.first)
        cairn.torch.max_pool3d(tensor, 2)
        leaf = tensor.clone().requires_grad_()
        cairn.torch.max_pool3d(leaf, 2).sum().backward()
        self.assertEqual(float(leaf.grad.sum()), 4.0)

    def test_a_product_that_is_set_counts(self):
        pooled(self.first, 2)
        given = (2, None, 0, 1, False, "int64", None)
        before = os.environ.get("CAIRN_PRODUCT")
        os.environ["CAIRN_PRODUCT"] = "portable"
        try:
            self.assertIsNone(_again.results(3, self.first, given))
        finally:
            if before is None:
                del os.environ["CAIRN_PRODUCT"]
            else:
                os.environ["CAIRN_PRODUCT"] = before
        self.assertIsNotNone(_again.results(3, self.first, given))

    def test_every_pooling_gives_the_bits_of_a_first_call(self):
        ways = [(case, dtype, make) for case in POOLINGS for dtype, make in (
            ("float32", numpy.asarray), ("float16", numpy.asarray), ("float32", torch.from_numpy),
            ("float16", torch.from_numpy), ("float32", lambda array: torch.from_numpy(array).bfloat16()),
        )]  # fmt: skip
        ways += [(case, "float32", torch.from_numpy) for case in TORCHES]
        for (function, arguments, spatial), dtype, make in ways:
            with self.subTest(function.__module__, name=function.__name__, arguments=arguments, dtype=dtype):
                one, other = (make(array_of(spatial, seed, dtype)) for seed in (1, 2))
                new = bits(function(other, *arguments))
                _again._known.clear()
                with counted_runs() as runs:
                    first = function(one, *arguments)
                    kept = bits(first)
                    self.assertEqual(runs.call_count, 0)
                    self.assertEqual(bits(function(other, *arguments)), new)
                    self.assertEqual(runs.call_count, 1)
                    self.assertEqual(bits(function(one, *arguments)), kept)
                    self.assertEqual(runs.call_count, 2)
                self.assertEqual(bits(first), kept)  # later results are others

    def test_what_differs_takes_the_long_way(self):
        for function, arguments, spatial in POOLINGS + TORCHES:
            of_torch = function.__module__ == "cairn.torch"
            with self.subTest(function.__module__, name=function.__name__):
                make = torch.from_numpy if of_torch else numpy.asarray
                function(make(array_of(spatial, 1)), *arguments)
                with counted_runs() as runs:
                    last = make(array_of(spatial, 2, channels_last=True))
                    found = bits(function(last, *arguments))
                    self.assertEqual(bits(function(last, *arguments)), found)
                    self.assertEqual(runs.call_count, 0)
                    expected = bits(function(make(array_of(spatial, 2)), *arguments))
                    self.assertEqual(runs.call_count, 1)
                    self.assertEqual([one[-1] for one in found], [one[-1] for one in expected])
                    function(make(array_of(spatial, 2)[:1]), *arguments)
                    function(make(array_of(spatial, 2))[..., ::2], *arguments)
                    if of_torch:
                        function(make(array_of(spatial, 2)).requires_grad_(), *arguments)
                    self.assertEqual(runs.call_count, 1)

    def test_an_argument_that_became_another_is_read_anew(self):
        x = array_of(2, 1)
        for function in (cairn.avg_pool2d, cairn.max_pool2d_with_indices, cairn.adaptive_avg_pool2d,
                         cairn.adaptive_max_pool2d, cairn.torch.avg_pool2d, cairn.torch.max_pool2d,
                         cairn.torch.adaptive_avg_pool2d, cairn.torch.adaptive_max_pool2d):  # fmt: skip
            for make in (torch.tensor, Number, lambda value: (2, Number(value))):
                with self.subTest(function.__module__, name=function.__name__):
                    array = torch.from_numpy(x) if function.__module__ == "cairn.torch" else x
                    argument = make(1)
                    for _ in range(2):
                        function(array, argument)
                    if isinstance(argument, torch.Tensor):
                        argument.fill_(3)
                    else:
                        (argument[1] if isinstance(argument, tuple) else argument).value = 3
                    expected = (2, 3) if isinstance(argument, tuple) else 3
                    self.assertEqual(bits(function(array, argument)), bits(function(array, expected)))

    def test_equal_arguments_of_wrong_types_are_refused_by_all(self):
        for function, arguments, spatial in POOLINGS + TORCHES:
            array = array_of(spatial, 1)
            array = torch.from_numpy(array) if function.__module__ == "cairn.torch" else array
            for _ in range(2):
                function(array, 1)
            for wrong in (True, 1.0, numpy.float64(1), (1.0,) * spatial, (True,) * spatial, "1", [1.0] * spatial):
                with self.subTest(function.__module__, name=function.__name__, wrong=wrong):
                    with self.assertRaisesRegex(TypeError, "kernel_size|output_size"):
                        function(array, wrong)

    def test_an_out_is_written(self):
        for function, arguments, spatial in POOLINGS:
            x = array_of(spatial, 1)
            expected = function(x, *arguments)
            function(x, *arguments)
            pair = isinstance(expected, tuple)
            out = tuple(numpy.empty_like(array) for array in expected) if pair else numpy.empty_like(expected)
            found = function(x, *arguments, out=out)
            self.assertEqual(bits(out), bits(expected))
            for one, other in zip(found if pair else (found,), out if pair else (out,)):
                self.assertIs(one, other)

    def test_threads_have_results_of_their_own(self):
        def results(array):
            return bits((cairn.avg_pool2d(array, 2), cairn.torch.max_pool2d(torch.from_numpy(array), 2)))

        expected = {seed: results(array_of(2, seed)) for seed in range(4)}
        wrong = list(expected)

        def work(seed):
            array = array_of(2, seed)
            if all(results(array) == expected[seed] for _ in range(200)):
                wrong.remove(seed)

        threads = [threading.Thread(target=work, args=(seed,)) for seed in expected]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_a_child_of_fork_begins_anew(self):
        pooled(self.first, 2)
        child = os.fork()
        if child == 0:
            fine = not _again._known and pooled(self.first, 2)[0].size == 4
            os._exit(0 if fine else 1)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)


if __name__ == "__main__":
    unittest.main()
