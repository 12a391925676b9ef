"""Every argument of every operator, with values that it does not take: whose exception that is, and that it says so."""

import itertools
import unittest
import warnings
from fractions import Fraction

import numpy as np

import cairn

X = np.arange(64, dtype=np.float32).reshape(1, 1, 4, 4, 4)
Y, WHERE = cairn.max_pool3d_with_argmax(X, 2)
X2, Y2, WHERE2 = X[:, :, 0], *cairn.max_pool2d_with_indices(X[:, :, 0], 2)


class Index:
    """An integer by its own word."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


class Interface:
    def __init__(self, interface, attribute="__array_interface__"):
        setattr(self, attribute, interface)


def interface(**changes):
    return Interface({"shape": X.shape, "typestr": "<f4", "data": (X.ctypes.data, False), "version": 3, **changes})


class DLPack:
    def __init__(self, capsule=None, device=(1, 0)):
        self.capsule, self.device = capsule, device

    def __dlpack__(self, stream=None):
        if isinstance(self.capsule, Exception):
            raise self.capsule
        return self.capsule

    def __dlpack_device__(self):
        return self.device


def used_capsule():
    capsule = X.__dlpack__()
    np.from_dlpack(DLPack(capsule))
    return capsule


WINDOW = {"kernel_size": "axes", "stride": "stride", "padding": "axes", "dilation": "axes", "ceil_mode": "flag"}
GOOD_WINDOW = {"kernel_size": 2, "stride": 2, "padding": 0, "dilation": 1, "ceil_mode": False}
# For each function a call that works, and of what kind its arguments are.
CALLS = {
    cairn.max_pool3d_with_argmax: (
        {"self": X, **GOOD_WINDOW, "indices_dtype": "int64", "dtype": None, "out": (Y.copy(), WHERE.copy())},
        {"self": "array", **WINDOW, "indices_dtype": "dtype", "dtype": "bfloat16", "out": "pair"},
    ),
    cairn.max_pool2d_with_indices: (
        {"self": X2, **GOOD_WINDOW, "indices_dtype": "int64", "dtype": None, "out": (Y2.copy(), WHERE2.copy())},
        {"self": "array", **WINDOW, "indices_dtype": "dtype", "dtype": "bfloat16", "out": "pair"},
    ),
    cairn.max_pool3d_with_argmax_backward: (
        {"grad_output": Y, "self": X, "indices": WHERE, **GOOD_WINDOW, "dtype": None, "out": X.copy()},
        {"grad_output": "array", "self": "array", "indices": "array", **WINDOW, "dtype": "bfloat16", "out": "out"},
    ),
    cairn.max_pool2d_with_indices_backward: (
        {"grad_output": Y2, "self": X2, "indices": WHERE2, **GOOD_WINDOW, "dtype": None, "out": X2.copy()},
        {"grad_output": "array", "self": "array", "indices": "array", **WINDOW, "dtype": "bfloat16", "out": "out"},
    ),
    cairn.adaptive_max_pool3d: (
        {"self": X, "output_size": 2, "indices_dtype": "int64", "dtype": None, "out": (Y.copy(), WHERE.copy())},
        {"self": "array", "output_size": "sizes", "indices_dtype": "dtype", "dtype": "bfloat16", "out": "pair"},
    ),
    cairn.adaptive_max_pool2d: (
        {"self": X2, "output_size": 2, "indices_dtype": "int64", "dtype": None, "out": (Y2.copy(), WHERE2.copy())},
        {"self": "array", "output_size": "sizes", "indices_dtype": "dtype", "dtype": "bfloat16", "out": "pair"},
    ),
    cairn.adaptive_max_pool3d_backward: (
        {"grad_output": Y, "self": X, "indices": WHERE, "dtype": None, "out": X.copy()},
        {"grad_output": "array", "self": "array", "indices": "array", "dtype": "bfloat16", "out": "out"},
    ),
    cairn.adaptive_max_pool2d_backward: (
        {"grad_output": Y2, "self": X2, "indices": WHERE2, "dtype": None, "out": X2.copy()},
        {"grad_output": "array", "self": "array", "indices": "array", "dtype": "bfloat16", "out": "out"},
    ),
    cairn.max_unpool3d: (
        {"self": Y, "indices": WHERE, "output_size": (4, 4, 4), "dtype": None, "out": X.copy()},
        {"self": "array", "indices": "array", "output_size": "plane", "dtype": "bfloat16", "out": "out"},
    ),
    cairn.max_unpool2d: (
        {"self": Y2, "indices": WHERE2, "output_size": (4, 4), "dtype": None, "out": X2.copy()},
        {"self": "array", "indices": "array", "output_size": "image", "dtype": "bfloat16", "out": "out"},
    ),
    cairn.max_unpool2d_backward: (
        {"grad_output": X2, "self": Y2, "indices": WHERE2, "output_size": (4, 4), "dtype": None,
         "out_dtype": "float32", "out": Y2.copy()},
        {"grad_output": "array", "self": "array", "indices": "array", "output_size": "image", "dtype": "bfloat16",
         "out_dtype": "out dtype", "out": "out"},
    ),
    lambda **arguments: cairn.max_unpool3d(Y, WHERE, **arguments): (
        {"kernel_size": 2, "stride": 2, "padding": 0},
        {"kernel_size": "axes or none", "stride": "stride", "padding": "axes"},
    ),
    cairn.max_unpool3d_backward: (
        {"grad_output": X, "self": Y, "indices": WHERE, "output_size": (4, 4, 4), "dtype": None, "out": Y.copy()},
        {"grad_output": "array", "self": "array", "indices": "array", "output_size": "plane", "dtype": "bfloat16",
         "out": "out"},
    ),
    cairn.upsample_nearest3d: (
        {"self": Y, "output_size": (4, 4, 4), "scale_factor": 2.0, "dtype": None, "out": X.copy()},
        {"self": "array", "output_size": "axes or none", "scale_factor": "scales", "dtype": "bfloat16", "out": "out"},
    ),
    cairn.upsample_nearest3d_backward: (
        {"grad_output": X, "output_size": (4, 4, 4), "input_size": (1, 1, 2, 2, 2), "scale_factor": 2.0,
         "dtype": None, "out": Y.copy()},
        {"grad_output": "array", "output_size": "axes or none", "input_size": "shape", "scale_factor": "scales",
         "dtype": "bfloat16", "out": "out"},
    ),
    cairn.upsample_nearest2d: (
        {"self": Y2, "output_size": (4, 4), "scale_factor": None, "dtype": None, "out": X2.copy()},
        {"self": "array", "output_size": "axes or none", "dtype": "bfloat16", "out": "out"},
    ),
    cairn.upsample_nearest_exact2d_backward: (
        {"grad_output": X2, "output_size": (4, 4), "input_size": (1, 1, 2, 2), "scale_factor": 2.0,
         "dtype": None, "out": Y2.copy()},
        {"grad_output": "array", "output_size": "axes or none", "dtype": "bfloat16", "out": "out"},
    ),
    cairn.upsample_trilinear3d: (
        {"self": Y, "output_size": (4, 4, 4), "align_corners": False, "scale_factor": 2.0, "dtype": None,
         "out": X.copy()},
        {"self": "array", "output_size": "axes or none", "align_corners": "flag", "scale_factor": "scales",
         "dtype": "bfloat16", "out": "out"},
    ),
    cairn.upsample_trilinear3d_backward: (
        {"grad_output": X, "output_size": (4, 4, 4), "input_size": (1, 1, 2, 2, 2), "align_corners": False,
         "scale_factor": 2.0, "dtype": None, "out": Y.copy()},
        {"grad_output": "array", "output_size": "axes or none", "input_size": "shape", "align_corners": "flag",
         "scale_factor": "scales", "dtype": "bfloat16", "out": "out"},
    ),
}  # fmt: skip


def wrong_integers(*given):
    """Of the values of a sequence that is given, the first is exchanged for what is no integer, or none of 64 bits."""
    rest = list(given[1:])
    for value in (2.9, 8.0, np.float32(2), "2", b"2", None, True, np.bool_(True), [2], 2j, Fraction(2), object()):
        yield [value, *rest], TypeError
    for value in (2**64 + 2, 2**63, -(2**63) - 1, 10**30, Index(2**64 + 2)):
        yield [value, *rest], ValueError


def wrong_numbers():
    """In the place of one integer."""
    for (value,), exception in wrong_integers(2):
        if value != [2] and value is not None:
            yield value, exception
    for value in ("222", b"222", bytearray(b"222"), {}, {2: 2}, {2}, iter([2, 2, 2]), np.array(2.5), float("nan")):
        yield value, TypeError
    yield np.array([2.0, 2.0, 2.0]), TypeError
    yield np.array([[2, 2, 2]]), (TypeError, ValueError)
    yield range(7), ValueError
    yield (2,) * 7, ValueError


def wrong_arrays():
    for value in (None, 5, 2.5, "abc", b"abc", [1.0], range(5), object(), memoryview(bytearray(16)), np.float32):
        yield value, TypeError
    for name in ("complex64", "S4", "U3", "object", "datetime64[s]", ">f4", [("a", "f4")]):
        yield np.zeros(X.shape, name), TypeError
    yield np.ma.zeros(X.shape, dtype="f4"), TypeError
    yield np.zeros(X.shape, [("a", "u1"), ("b", "f4")])["b"], ValueError
    yield from wrong_interfaces()
    yield from wrong_dlpacks()


def wrong_interfaces():
    for faulty in (5, "text", [], {}, {"shape": (1,)}, object()):
        yield Interface(faulty), TypeError
        yield Interface(faulty, "__cuda_array_interface__"), TypeError
    for changes in (
        {"data": None}, {"data": 5}, {"data": ("0", False)}, {"data": (1, 2, 3)}, {"shape": None}, {"shape": (2.5,)},
        {"shape": "44"}, {"strides": 5}, {"strides": (4.0,) * 5}, {"typestr": None}, {"typestr": ""}, {"typestr": 5},
        {"typestr": "zz"}, {"typestr": "<c8"}, {"typestr": ">f4"}, {"mask": X},
    ):  # fmt: skip
        yield interface(**changes), TypeError
    for changes in (
        {"data": (0, False)}, {"data": (None, False)}, {"data": (-8, False)}, {"data": (2**64 + 8, False)},
        {"shape": (1, 1, -4, 4, 4)}, {"shape": (1, 1, 2**70, 4, 4)}, {"strides": (1, 2)},
        {"strides": (2**70, 4, 4, 4, 4)}, {"strides": (256, 256, 64, 16, 5)},
    ):  # fmt: skip
        yield interface(**changes), ValueError


def wrong_dlpacks():
    for capsule in (None, 5, object(), RuntimeError("no"), BufferError("no"), used_capsule()):
        yield DLPack(capsule), ValueError
    for device in (None, 5, (), [object()], (99, 0)):
        yield DLPack(X.__dlpack__(), device), ValueError
    yield DLPack(X.__dlpack__(), (2, 0)), ValueError  # says CUDA, and is not


def wrong_outs():
    read_only = X.copy()
    read_only.flags.writeable = False
    yield read_only, ValueError
    yield interface(data=(X.ctypes.data, True)), ValueError
    yield from ((value, exception) for value, exception in wrong_arrays() if value is not None)


WRONG = {
    "axes or none": lambda: wrong_numbers(),
    "axes": lambda: itertools.chain(wrong_numbers(), wrong_integers(2, 2, 2), [(None, TypeError), ((), ValueError)]),
    "sizes": lambda: itertools.chain(
        wrong_numbers(),
        (case for case in wrong_integers(2, 2, 2) if case[0][0] is not None),  # which keeps the size of an axis
        [((), ValueError), ((None,) * 7, ValueError), ((None, "2", 2), TypeError), ([[None]], TypeError)],
    ),
    "stride": lambda: itertools.chain(wrong_numbers(), wrong_integers(2, 2, 2)),
    "plane": lambda: [
        *wrong_integers(4, 4, 4),
        *wrong_integers(1, 1, 4, 4, 4),
        *((8, TypeError), ("444", TypeError), ((4, 4), ValueError), ((4,) * 7, ValueError)),
    ],
    "image": lambda: [
        *wrong_integers(4, 4),
        *wrong_integers(1, 1, 4, 4),
        *((8, TypeError), ("44", TypeError), ((4,), ValueError), ((4,) * 7, ValueError)),
    ],
    "shape": lambda: [
        *wrong_integers(1, 1, 2, 2, 2),
        *((8, TypeError), (None, TypeError), ("11222", TypeError), ((2, 2, 2), ValueError), ((), ValueError)),
    ],
    "scales": lambda: [
        *(("2", TypeError), (b"2", TypeError), (2j, TypeError), (np.complex64(2), TypeError), (True, TypeError)),
        *((object(), TypeError), ({}, TypeError), (np.str_("2"), TypeError), ((2, "2", 2), TypeError)),
        *(((2, 2), ValueError), ((), ValueError), (float("nan"), ValueError), (float("inf"), ValueError)),
        *((-1.0, ValueError), (10**400, ValueError), ((2.0, 2.0, -2.0), ValueError)),
    ],
    "flag": lambda: ((value, TypeError) for value in (None, 0, 1, "no", "", [], np.array([True, False]))),
    "dtype": lambda: [("zzz", ValueError), ("complex64", ValueError), (None, TypeError), (5, TypeError)],
    "out dtype": lambda: [("zzz", ValueError), ("complex64", ValueError), ("float16", ValueError), (5, TypeError)],
    "bfloat16": lambda: [("zzz", ValueError), ("bfloat16", ValueError), ("float64", ValueError), (5, TypeError)],
    "array": wrong_arrays,
    "out": wrong_outs,
    "pair": lambda: [
        *((X, TypeError), (5, TypeError), ("ab", TypeError), ({}, TypeError), ((X,), ValueError)),
        *(((array, WHERE), exception) for array, exception in wrong_outs()),
        *(((Y, array), exception) for array, exception in wrong_outs()),
    ],
}

# Other ways to write the integer 2 (or 0, 1), and the scale 2.0.
SAME = {
    "axes": lambda n: [np.int64(n), np.uint8(n), np.array(n), Index(n), [n], (n,), [n] * 9, (np.int32(n),) * 9,
                       np.full(9, n), [Index(n)] * 9],
    "scales": lambda n: [2, 2.0, np.float32(2), np.float16(2), np.int64(2), Fraction(2), [2, 2.0, np.float64(2)],
                         np.full(3, 2.0), np.array(2.0)],
    "flag": lambda n: [np.bool_(False)],
    "plane": lambda n: [[4, 4, 4], np.full(3, 4), (1, 1, 4, 4, 4), np.array([1, 1, 4, 4, 4]), np.zeros((4,) * 3).shape],
    "image": lambda n: [[4, 4], np.full(2, 4), (1, 1, 4, 4), np.array([1, 1, 4, 4]), np.zeros((4, 4)).shape],
    "shape": lambda n: [[1, 1, 2, 2, 2], np.array([1, 1, 2, 2, 2])],
}  # fmt: skip
SAME["stride"] = SAME["axes or none"] = SAME["axes"]


def cases():
    for function, (good, kinds) in CALLS.items():
        for argument, kind in kinds.items():
            yield function, good, argument, kind


def spatial(function):
    return 2 if "2d" in function.__name__ else 3


class ArgumentTest(unittest.TestCase):
    def test_what_no_argument_takes(self):
        tried = 0
        for function, good, argument, kind in cases():
            for value, expected in WRONG[kind]():
                tried += 1
                with self.subTest(function.__name__, argument=argument, value=repr(value)[:60]):
                    with self.assertRaises((TypeError, ValueError)) as caught:
                        function(**{**good, argument: value})
                    self.assertIsInstance(caught.exception, expected)
                    self.assertNotIsInstance(caught.exception, cairn.CairnError)
        self.assertGreater(tried, 1000)

    def test_sentences_name_the_argument(self):
        for function, good, argument, kind in cases():
            if kind in ("axes", "stride", "plane", "image", "shape", "scales", "flag"):
                with self.subTest(function.__name__, argument=argument):
                    with self.assertRaisesRegex(TypeError, f"^{argument} is 'text', expected"):
                        function(**{**good, argument: "text"})

    def test_other_ways_to_write_the_same(self):
        for function, good, argument, kind in cases():
            if kind not in SAME or argument == "output_size" and kind not in ("plane", "image"):
                continue
            expected = function(**{**good, "out": None} if "out" in good else good)
            for value in SAME[kind](good[argument]):
                if hasattr(value, "__len__") and np.ndim(value) and len(value) == 9:
                    value = value[: spatial(function)]
                with self.subTest(function.__name__, argument=argument, value=repr(value)):
                    result = function(**{**good, argument: value})
                    np.testing.assert_array_equal(result[0], expected[0])

    def test_what_the_library_refuses_has_a_status(self):
        pool, up = cairn.max_pool3d_with_argmax, cairn.upsample_nearest3d
        for kernel in (0, -1, 5, 2**62, -(2**63), 2**63 - 1):
            for arguments in ({}, {"padding": 2**62}, {"padding": 2**63 - 1}, {"dilation": 2**63 - 1}, {"stride": -1}):
                with self.subTest(kernel=kernel, **arguments), self.assertRaises(cairn.CairnError) as caught:
                    pool(X, kernel, **arguments)
                self.assertEqual(caught.exception.status, 161002)
        for size in (0, -8, -(2**63)):
            with self.subTest(size=size), self.assertRaises(cairn.CairnError) as caught:
                up(X, size)
            self.assertEqual(caught.exception.status, 161002)
            with self.subTest(input_size=size), self.assertRaises(cairn.CairnError):
                cairn.upsample_nearest3d_backward(X, None, (1, 1, size, 4, 4))

    def test_results_larger_than_an_array(self):
        for wrong in (
            lambda: cairn.max_unpool3d(Y, WHERE, output_size=(2**62, 4, 4)),
            lambda: cairn.max_unpool3d(Y, WHERE, 2, stride=2**62),
            lambda: cairn.max_unpool3d(Y, WHERE, 2, stride=2**63 - 1),
            lambda: cairn.upsample_nearest3d(X, 2**62),
            lambda: cairn.upsample_nearest3d(X, scale_factor=1e30),
            lambda: cairn.upsample_nearest3d_backward(X, None, (2**62, 2**62, 1, 1, 1)),
        ):
            with self.assertRaises(ValueError):
                wrong()
        with self.assertRaises(MemoryError):
            cairn.max_unpool3d(Y, WHERE, output_size=(10**6, 10**6, 10**6))

    def test_no_warnings(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for function, good, argument, kind in cases():
                for value, _ in WRONG[kind]():
                    with self.subTest(function.__name__, argument=argument), self.assertRaises((TypeError, ValueError)):
                        function(**{**good, argument: value})


class ProductNameTest(unittest.TestCase):
    def test_unknown_names_are_refused_at_entering(self):
        for name in ("910b", "zzz", "atlas a2", "ü"):
            block = cairn.product(name)
            with self.subTest(name), self.assertRaisesRegex(ValueError, "names no product.*portable.*atlas-a2"):
                with block:
                    self.fail("the block is entered")
        with self.assertRaisesRegex(ValueError, r'^CAIRN_PRODUCT is "910b", which .*Ascend310$'):
            cairn.product("910b").__enter__()
        cairn.upsample_nearest3d(X, 4)  # nothing is left of them
        self.assertEqual(cairn.last_call().product, "portable")

    def test_what_is_no_name(self):
        for name in (None, 5, b"atlas-a2", ["atlas-a2"]):
            with self.subTest(name=name), self.assertRaisesRegex(TypeError, "expected its name"):
                cairn.product(name)
        with self.assertRaises(ValueError):
            cairn.product("atlas\0a2")

    def test_blocks_of_one_object_nest(self):
        block = cairn.product("atlas-a2")
        with block, cairn.product("portable"), block:
            cairn.upsample_nearest3d(X, 4)
            self.assertEqual(cairn.last_call().product, "atlas-a2")

        @block
        def decorated():
            cairn.upsample_nearest3d(X, 4)
            return cairn.last_call().product

        self.assertEqual(decorated(), "atlas-a2")
        cairn.upsample_nearest3d(X, 4)
        self.assertEqual(cairn.last_call().product, "portable")


if __name__ == "__main__":
    unittest.main()
