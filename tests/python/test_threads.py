"""Results are the same bits with any number of threads, whoever they belong to."""

import ctypes
import ctypes.util
import os
import subprocess
import sys
import unittest

SCRIPT = """
import ctypes, hashlib, sys, threading
{imports}
import numpy as np
import cairn

def compute():
    digest = hashlib.sha256()

    def note(*arrays):
        for array in arrays:
            digest.update(np.ascontiguousarray(array).tobytes())

    random = np.random.default_rng(1)
    x = random.standard_normal((2, 9, 16, 62, 66)).astype(np.float32)
    for window in ((2,), (3, 2, 1), (3, 1, 1)):
        y, where = cairn.max_pool3d_with_argmax(x, *window)
        g = random.standard_normal(y.shape).astype(np.float32)
        note(y, where, cairn.max_pool3d_with_argmax_backward(g, x, where, *window))
    y, where = cairn.max_pool3d_with_argmax(x, 2)
    back = cairn.max_unpool3d(y, where, 2, output_size=x.shape[2:])
    note(back, cairn.max_unpool3d_backward(x, y, where))
    big = cairn.upsample_nearest3d(y, scale_factor=2)
    note(big, cairn.upsample_nearest3d_backward(big, None, y.shape))
    digests.add(digest.hexdigest())

digests = set()
threads = [threading.Thread(target=compute) for _ in range({callers})]
compute()
[thread.start() for thread in threads]
[thread.join() for thread in threads]
cpu = ctypes.CDLL(str(cairn.home() / "lib64" / "libacl_rt.so"))
text = ctypes.create_string_buffer(256)
cpu.cairnGetDeviceDescription(0, text, ctypes.c_size_t(256))
print(*digests, text.value.decode().split("pool: ")[1].rstrip(")"), sep=", ")
"""


def outcome(imports="", callers=0, **variables):
    """The digest of all results, more than one if they differ; the pool; the OpenMP runtime if it is one."""
    environment = {**os.environ, "CAIRN_DEVICE": "cpu", "OMP_NUM_THREADS": "3", **variables}
    script = SCRIPT.format(imports=imports, callers=callers)
    words = [sys.executable, "-c", script]
    return subprocess.check_output(words, env=environment, text=True, timeout=200).strip().split(", ")


class ThreadsTest(unittest.TestCase):
    expected: str

    @classmethod
    def setUpClass(cls):
        cls.expected = outcome(CAIRN_THREADS="1")[0]

    def test_of_our_own(self):
        for threads in ("2", "5"):
            self.assertEqual(outcome(CAIRN_THREADS=threads, CAIRN_POOL="own"), [self.expected, "own"])

    @unittest.skipUnless(ctypes.util.find_library("gomp"), "no libgomp here")
    def test_of_openmp(self):
        for threads in ("2", "5"):
            found = outcome(CAIRN_THREADS=threads, CAIRN_POOL="openmp")
            self.assertEqual(found[:2], [self.expected, "openmp"])

    def test_of_torch(self):
        use = "import torch; torch.set_num_threads(3); torch.ones(1000000).exp()"
        try:
            found = outcome(use, CAIRN_THREADS="3")
        except subprocess.CalledProcessError:
            self.skipTest("no torch that works here")
        self.assertEqual(found[:2], [self.expected, "openmp"])

    def test_of_callers_side_by_side(self):
        for pool in ("own", "auto"):
            self.assertEqual(outcome(callers=3, CAIRN_THREADS="3", CAIRN_POOL=pool), [self.expected, "own"])


if __name__ == "__main__":
    unittest.main()
