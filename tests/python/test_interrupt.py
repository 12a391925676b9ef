"""A signal in a long call: its handler runs at once, and memory that the operator still uses is not given back."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import unittest

import numpy as np

import cairn
from cairn import _call
from support import make_all_calls_long

# Each script makes a call that takes a minute and more on any machine (one sum, in order, of all those elements), and
# gets a signal a second after it has begun. That it does not wait for the end is told by LIMIT, far from both.
LIMIT = 30.0
PRELUDE = """
import os, signal, threading, time
import numpy as np
import cairn
from cairn import _call

waiting, wait = threading.Event(), _call._wait

def noted_wait(*arguments):
    waiting.set()
    return wait(*arguments)

_call._wait = noted_wait

def send(number):
    def when_it_has_begun():
        waiting.wait()
        time.sleep(1)
        os.kill(os.getpid(), number)
    threading.Thread(target=when_it_has_begun).start()

ones = np.broadcast_to(np.float32(1), (1, 1, 4096, 4096, 4096))
"""


def run(script):
    command = [sys.executable, "-c", PRELUDE + textwrap.dedent(script)]
    environment = {**os.environ, "CAIRN_THREADS": "1"}
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=250, check=False)


class InterruptTest(unittest.TestCase):
    def test_keyboard_interrupt_does_not_wait(self):
        done = run(f"""
            send(signal.SIGINT)
            begun = time.monotonic()
            try:
                cairn.upsample_nearest3d_backward(ones, None, (1,) * 5)
                raise SystemExit("no KeyboardInterrupt")
            except KeyboardInterrupt:
                pass
            # The thread has a new stream, which does not wait for the old one.
            small = np.arange(8, dtype=np.float32).reshape(1, 1, 2, 2, 2)
            assert cairn.upsample_nearest3d_backward(small, None, (1,) * 5).item() == 28
            waited = time.monotonic() - begun
            assert waited < {LIMIT}, waited
            assert len(_call._unfinished) == 1
            print("interrupted")
        """)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "interrupted\n", ""))

    def test_uncaught_it_ends_the_process(self):
        begun = time.monotonic()
        done = run("""
            send(signal.SIGINT)
            cairn.upsample_nearest3d_backward(ones, None, (1,) * 5)
        """)
        self.assertLess(time.monotonic() - begun, LIMIT + 10)  # the library gives what is under way some seconds
        self.assertTrue(done.stderr.rstrip().endswith("KeyboardInterrupt"), done.stderr)
        self.assertEqual(done.returncode, -signal.SIGINT)

    def test_other_handlers_run_meanwhile(self):
        done = run("""
            class Rang(Exception):
                pass
            def ring(*_):
                raise Rang
            signal.signal(signal.SIGUSR1, ring)
            send(signal.SIGUSR1)
            try:
                cairn.upsample_nearest3d_backward(ones, None, (1,) * 5)
            except Rang:
                print("rang")
        """)
        self.assertEqual((done.returncode, done.stdout), (0, "rang\n"), done.stderr)


class UnfinishedTest(unittest.TestCase):
    """The same within this process, with an interrupt that comes right behind the start of an operator."""

    def setUp(self):
        make_all_calls_long(self)
        self.x = np.random.default_rng(0).standard_normal((1, 4, 32, 64, 64)).astype(np.float32)
        self.expected = cairn.max_pool3d_with_argmax(self.x, 5, 1, 2)

    def interrupted(self, out):
        wait = _call._wait

        def raise_instead(*_):
            raise KeyboardInterrupt

        _call._wait = raise_instead
        try:
            with self.assertRaises(KeyboardInterrupt):
                cairn.max_pool3d_with_argmax(self.x, 5, 1, 2, out=out)
        finally:
            _call._wait = wait

    def test_synchronize_waits_for_it(self):
        out = tuple(np.zeros_like(array) for array in self.expected)
        self.interrupted(out)
        cairn.synchronize()
        self.assertEqual(_call._unfinished, set())
        for result, expected in zip(out, self.expected):
            np.testing.assert_array_equal(result, expected)

    def test_arrays_live_until_it_is_done(self):
        may_end, function = threading.Event(), _call.function

        def held_back(name, *types):
            if name == "aclrtSynchronizeStream":
                may_end.wait()
            return function(name, *types)

        before = sys.getrefcount(self.x)
        _call.function = held_back
        try:
            for _ in range(8):
                self.interrupted(None)
            self.assertGreaterEqual(sys.getrefcount(self.x), before + 8)
        finally:
            may_end.set()
            cairn.synchronize()
            _call.function = function
        self.assertEqual(sys.getrefcount(self.x), before)
        np.testing.assert_array_equal(cairn.max_pool3d_with_argmax(self.x, 5, 1, 2)[0], self.expected[0])

    def test_long_calls_in_other_threads(self):
        large = np.zeros((1, 1, 32, 512, 512), np.float32)
        results = []
        function = cairn.upsample_nearest3d_backward
        thread = threading.Thread(target=lambda: results.append(function(large, None, (1, 1, 32, 256, 256))))
        thread.start()
        thread.join()
        np.testing.assert_array_equal(results[0], function(large, None, (1, 1, 32, 256, 256)))

    def test_fault_of_a_long_call(self):
        g = np.zeros((1, 1, 32, 512, 512), np.float32)
        where = np.full((1, 1, 1, 1, 1), g.size)
        for _ in range(2):
            with self.assertRaisesRegex(cairn.CairnError, r"^\w+: \w+: indices\[0\] is \d+, expected") as caught:
                cairn.max_unpool3d_backward(g, np.zeros(where.shape, np.float32), where)
            self.assertEqual(caught.exception.status, 507035)


if __name__ == "__main__":
    unittest.main()
