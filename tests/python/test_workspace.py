"""An operator that asks for workspace gets it, on the right device, for itself alone and until its work is done."""

import ctypes
import threading
import unittest
import weakref

import numpy as np

import cairn
from cairn import _again, _call, _operators
from cairn._arrays import CPU
from cairn._library import function
from support import make_all_calls_long

SIZE = 1000


class Asking:
    """Makes an operator answer SIZE bytes in phase 1 for the length of a with. Phase 2 then gets the workspace, fills
    it, and computes as ever: the library takes more workspace than it asked for."""

    def __init__(self, operator):
        self.operator = operator
        self.given = []

    def __enter__(self):
        phase1, self.real = self.operator.phase1(), _call.function

        def asking(*arguments):
            status = phase1(*arguments)
            arguments[-2]._obj.value = SIZE
            return status

        def noting(name, *types):
            real = self.real(name, *types)

            def given(executor, addresses, count, workspace, size, stream):
                self.given.append((workspace, size))
                if size and self.on_cpu(stream):
                    ctypes.memset(workspace, 0xA5, size)
                return real(executor, addresses, count, workspace, size, stream)

            return given if name in ("cairnCompute", "cairnLaunch") else real

        self.operator.phase1, _call.function = (lambda: asking), noting
        _call._plans.clear()
        _again._known.clear()
        return self

    @staticmethod
    def on_cpu(stream):
        return stream not in _call._wrapped.values()

    def __exit__(self, *_):
        del self.operator.phase1
        _call.function = self.real
        _call._plans.clear()
        _again._known.clear()


class WorkspaceTest(unittest.TestCase):
    operator = _operators._POOL[3]

    def setUp(self):
        self.x = np.random.default_rng(0).standard_normal((1, 2, 6, 8, 8)).astype(np.float32)
        self.expected = cairn.max_pool3d_with_argmax(self.x, 2)
        self.made = []

        def noted(size, device):
            workspace = Workspace(size, device)
            self.made.append((weakref.ref(workspace), device))
            return workspace

        Workspace = _call.Workspace
        _call.Workspace = noted
        self.addCleanup(setattr, _call, "Workspace", Workspace)

    def call(self):
        for result, expected in zip(cairn.max_pool3d_with_argmax(self.x, 2), self.expected):
            np.testing.assert_array_equal(result, expected)

    def test_without_need_there_is_none(self):
        self.call()
        self.assertEqual(self.made, [])

    def test_each_call_has_one(self):
        with Asking(self.operator) as asking:
            self.call()
            self.call()
        self.assertEqual([size for _, size in asking.given], [SIZE, SIZE])
        for address, _ in asking.given:
            self.assertEqual(address % 16, 0)
        self.assertEqual([device for _, device in self.made], [CPU, CPU])

    def test_it_is_given_back_when_the_call_returns(self):
        with Asking(self.operator):
            self.call()
        self.assertIsNone(self.made[0][0]())

    def test_calls_at_the_same_time_do_not_share(self):
        # Each waits until the other is about to compute, too.
        both, stream = threading.Barrier(2, timeout=60), _call._stream

        def met(*arguments):
            both.wait()
            return stream(*arguments)

        _call._stream = met
        try:
            with Asking(self.operator) as asking:
                threads = [threading.Thread(target=self.call) for _ in range(2)]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
        finally:
            _call._stream = stream
        first, second = sorted(address for address, _ in asking.given)
        self.assertGreaterEqual(second - first, SIZE)

    def test_interrupted_it_lives_until_the_work_is_done(self):
        make_all_calls_long(self)
        may_end, real_function, wait = threading.Event(), _call.function, _call._wait

        def held_back(name, *types):
            if name == "aclrtSynchronizeStream":
                may_end.wait()
            return real_function(name, *types)

        def interrupted(*_):
            raise KeyboardInterrupt

        _call.function, _call._wait = held_back, interrupted
        try:
            with Asking(self.operator):
                with self.assertRaises(KeyboardInterrupt):
                    cairn.max_pool3d_with_argmax(self.x, 2)
            self.assertIsNotNone(self.made[0][0]())
        finally:
            may_end.set()
            cairn.synchronize()
            _call.function, _call._wait = real_function, wait
        self.assertIsNone(self.made[0][0]())

    def test_what_a_device_gives(self):
        # Of device 0 of this process, as a CUDA device has it; the thread had no context, then one of its own.
        result = []

        def in_a_new_thread():
            context = ctypes.c_void_p()
            for _ in range(2):
                workspace = _call.Workspace(SIZE, 0)
                result.append(workspace.address % 16)
                function("aclrtGetCurrentContext")(ctypes.byref(context))
                result.append(context.value)
            del workspace
            result.append(function("aclGetRecentErrMsg")())

        thread = threading.Thread(target=in_a_new_thread)
        thread.start()
        thread.join()
        self.assertEqual(result, [0, result[1], 0, result[1], None])


if __name__ == "__main__":
    unittest.main()
