"""The same small call again and again takes a shorter way; nothing but the time may tell."""

import os
import unittest

import numpy
import torch

import cairn
import cairn.torch
from cairn import _again


def pooled(array, *arguments, **keywords):
    out, indices = cairn.max_pool3d_with_argmax(array, *arguments, **keywords)
    return numpy.asarray(out), numpy.asarray(indices)


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
                found = _again.pair(3, make(self.second), (2, None, 0, 1, False, "int64", None))
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
        self.assertIsNone(_again.pair(3, self.first.astype(numpy.float16), given))
        self.assertIsNone(_again.pair(3, self.first.transpose(0, 1, 2, 4, 3), given))
        self.assertIsNone(_again.pair(2, self.first[0], given))
        self.assertIsNone(_again.pair(3, self.first, ([2, 2, 2], *given[1:])))
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
            self.assertIsNone(_again.pair(3, self.first, given))
        finally:
            if before is None:
                del os.environ["CAIRN_PRODUCT"]
            else:
                os.environ["CAIRN_PRODUCT"] = before
        self.assertIsNotNone(_again.pair(3, self.first, given))

    def test_a_child_of_fork_begins_anew(self):
        pooled(self.first, 2)
        child = os.fork()
        if child == 0:
            fine = not _again._known and pooled(self.first, 2)[0].size == 4
            os._exit(0 if fine else 1)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)


if __name__ == "__main__":
    unittest.main()
