"""What counts as an array, what is refused as one, and what results are made like."""

import sys
import unittest

import numpy as np
import support as s

import cairn

UP = (1, 2, 4, 6, 8)
DOWN = (1, 2, 2, 3, 4)


class Interface:
    """An object that has nothing but __array_interface__."""

    def __init__(self, array, **changes):
        self.array = array
        self.__array_interface__ = {**array.__array_interface__, **changes}


class DLPack:
    """An object that has nothing but DLPack."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class ArrayTest(unittest.TestCase):
    def setUp(self):
        self.g = np.random.default_rng(0).standard_normal(UP).astype(np.float32)
        self.expected = s.upsample_backward(self.g, s.Type("float32"), DOWN)

    def sums(self, g, **keywords):
        return cairn.upsample_nearest3d_backward(g, None, DOWN, **keywords)

    def test_objects_with_an_array_interface(self):
        result = self.sums(Interface(self.g))
        self.assertIsInstance(result, np.ndarray)
        np.testing.assert_array_equal(result, self.expected)
        for name, laid_out in s.layouts(self.g):
            with self.subTest(name):
                np.testing.assert_array_equal(self.sums(Interface(laid_out)), self.expected)
        out = np.empty(DOWN, np.float32)
        given = Interface(out)
        self.assertIs(self.sums(self.g, out=given), given)
        np.testing.assert_array_equal(out, self.expected)

    @unittest.skipUnless(hasattr(np.ndarray, "__dlpack__"), "this numpy has no DLPack")
    def test_objects_with_dlpack(self):
        for name, laid_out in s.layouts(self.g):
            with self.subTest(name):
                np.testing.assert_array_equal(self.sums(DLPack(laid_out)), self.expected)
        flags = np.array([[[False, True]]])
        for wrapper in (DLPack, Interface) if np.lib.NumpyVersion(np.__version__) >= "1.25.0" else (Interface,):
            result = cairn.max_unpool2d_backward(wrapper(flags), wrapper(flags), np.array([[[1, 0]]]))
            self.assertEqual(result.tolist(), [[[True, False]]])
        where = np.arange(2).reshape(1, 1, 1, 1, 2)
        for dtype in (np.float32, np.float64, np.float16, np.int8, np.int16, np.int32, np.int64, np.uint8):
            with self.subTest(dtype):
                g = np.arange(8).reshape(1, 1, 2, 2, 2).astype(dtype)
                result = cairn.max_unpool3d_backward(DLPack(g), DLPack(where.astype(dtype)), DLPack(where))
                self.assertEqual(result.dtype, dtype)
                self.assertEqual(result.ravel().tolist(), [0, 1])

    @unittest.skipUnless(hasattr(np.ndarray, "__dlpack__"), "this numpy has no DLPack")
    def test_dlpack_capsules_are_given_back(self):
        before = sys.getrefcount(self.g)
        for _ in range(10):
            self.sums(DLPack(self.g))
        self.assertEqual(sys.getrefcount(self.g), before)

    def test_results_are_laid_out_like_the_input(self):
        channels_last = np.moveaxis(np.ascontiguousarray(np.moveaxis(self.g, 1, -1)), -1, 1)
        result = self.sums(channels_last)
        self.assertEqual(result.strides[1], result.itemsize)
        np.testing.assert_array_equal(result, self.expected)
        self.assertTrue(self.sums(self.g).flags.c_contiguous)
        self.assertTrue(self.sums(self.g[:, :, ::1]).flags.c_contiguous)

    def test_bfloat16_in_uint16(self):
        type_ = s.Type("bfloat16")
        g = type_.of(self.g)
        result = self.sums(g, dtype="bfloat16")
        self.assertEqual(result.dtype, np.uint16)
        np.testing.assert_array_equal(result, s.upsample_backward(g, type_, DOWN))
        out = np.empty(DOWN, np.uint16)
        self.assertIs(self.sums(g, dtype="bfloat16", out=out), out)
        np.testing.assert_array_equal(out, result)

    def test_bfloat16_of_ml_dtypes(self):
        try:
            from ml_dtypes import bfloat16
        except ImportError:
            self.skipTest("no ml_dtypes here")
        result = self.sums(self.g.astype(bfloat16))
        self.assertEqual(result.dtype, bfloat16)
        np.testing.assert_array_equal(result.view(np.uint16), self.sums(s.to_bfloat16(self.g), dtype="bfloat16"))

    def refused(self, exception, pattern, *arguments, **keywords):
        with self.assertRaisesRegex(exception, pattern):
            self.sums(*arguments, **keywords)

    def test_what_is_no_array(self):
        self.refused(TypeError, "grad_output is a list, expected a numpy array", [1.0])
        self.refused(TypeError, "grad_output is a NoneType", None)

    def test_types_that_do_not_exist_here(self):
        self.refused(TypeError, "dtype of grad_output is complex64", self.g.astype(np.complex64))
        self.refused(TypeError, "dtype of grad_output is object", self.g.astype(object))
        self.refused(TypeError, "<c8", Interface(self.g.astype(np.complex64)))
        self.refused(ValueError, "dtype is complex64", self.g, dtype="complex64")
        self.refused(ValueError, "holds float32, which cannot be read as bfloat16", self.g, dtype="bfloat16")

    def test_foreign_byte_order(self):
        self.refused(TypeError, "byte order >f4", self.g.astype(">f4"))
        self.refused(TypeError, ">f4", Interface(self.g.astype(">f4")))

    def test_read_only_output(self):
        out = np.empty(DOWN, np.float32)
        out.flags.writeable = False
        self.refused(ValueError, "out is read-only", self.g, out=out)
        self.refused(ValueError, "out is read-only", self.g, out=Interface(out))

    def test_strides_between_elements(self):
        raw = np.zeros((*UP[:-1], UP[-1] * 6), np.uint8)
        odd = np.ndarray(UP, np.float32, raw, strides=(raw.strides[0], *raw.strides[1:4], 6))
        self.refused(ValueError, "not multiples of its 4-byte elements", odd)

    def test_masked_arrays(self):
        self.refused(TypeError, "grad_output is masked", np.ma.masked_less(self.g, 0))
        self.refused(TypeError, "grad_output is masked", Interface(self.g, mask=self.g))

    def test_addresses_between_elements(self):
        raw = np.zeros(4 * self.g.size + 1, np.uint8)
        self.refused(cairn.CairnError, "not aligned", raw[1:].view(np.float32).reshape(UP))


if __name__ == "__main__":
    unittest.main()
