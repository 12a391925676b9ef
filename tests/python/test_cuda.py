"""CUDA tensors: the bits of the CPU, in the order of the caller's stream, faults reported without waiting."""

import os
import unittest

import torch
import torch.nn.functional as F
from test_modules import Network
from test_torch import FLOATS, LAST, POOLS, WINDOWS, value_and_gradient
from test_workspace import SIZE, Asking

import cairn
import cairn.torch
from cairn import _operators

NO_DEVICE = "no CUDA device here"


def cuda_error():
    """Why there is nothing to test here, or nothing."""
    if not torch.cuda.is_available() or os.environ.get("CAIRN_DEVICE") == "cpu":
        return NO_DEVICE
    try:
        return "" if cairn.backend() == "cuda" else "this Cairn has no CUDA backend"
    except cairn.CairnError as error:
        return str(error)


def layouts(tensor):
    """The same elements laid out in different ways."""
    yield tensor.contiguous()
    yield tensor.contiguous(memory_format=LAST[tensor.dim()])
    wide = torch.zeros([2 * size for size in tensor.shape], dtype=tensor.dtype, device=tensor.device)
    every_second = wide[tuple(slice(None, None, 2) for _ in tensor.shape)]
    every_second.copy_(tensor)
    yield every_second


class CudaTest(unittest.TestCase):
    def setUp(self):
        problem = cuda_error()
        if problem not in ("", NO_DEVICE) and os.environ.get("CAIRN_TEST_CUDA") == "ON":
            self.fail("PyTorch finds a CUDA device that Cairn does not use")  # CAIRN_DEVICE=cpu asks for less
        if problem:
            self.skipTest(problem)
        torch.manual_seed(0)

    def tearDown(self):
        if not cuda_error():
            cairn.synchronize()

    def assertSame(self, function, *tensors):
        """One call on the CPU and in every layout on CUDA gives the same bits."""
        expected = function(*tensors)
        expected = expected if isinstance(expected, tuple) else (expected,)
        for laid_out in zip(*(layouts(tensor.cuda()) for tensor in tensors)):
            results = function(*laid_out)
            for result, wanted in zip(results if isinstance(results, tuple) else (results,), expected):
                self.assertTrue(result.is_cuda)
                self.assertTrue(torch.equal(result.cpu(), wanted))


class OperatorTest(CudaTest):
    def test_workspace(self):
        with Asking(_operators._POOL[3]) as asking:
            self.assertSame(lambda x: cairn.max_pool3d_with_argmax(x, 2), torch.randn(1, 2, 6, 8, 8))
        self.assertGreaterEqual(len(asking.given), 4)
        self.assertEqual({size for _, size in asking.given}, {SIZE})

    def test_backend(self):
        self.assertEqual(cairn.backend(), "cuda")
        cairn.upsample_nearest3d_backward(torch.ones(1, 1, 2, 2, 2, device="cuda"), None, (1,) * 5)
        self.assertEqual(cairn.last_call().backend, "cuda")

    def test_max_pool(self):
        for forward, backward, shape in (
            (cairn.max_pool2d_with_indices, cairn.max_pool2d_with_indices_backward, (2, 5, 17, 19)),
            (cairn.max_pool3d_with_argmax, cairn.max_pool3d_with_argmax_backward, (2, 3, 9, 10, 11)),
        ):
            for dtype in FLOATS:
                for index_type in ("int32", "int64"):
                    for window in WINDOWS:
                        with self.subTest(shape=shape, dtype=dtype, indices=index_type, window=window):
                            x = torch.randn(shape).to(dtype)
                            self.assertSame(lambda t: forward(t, *window, indices_dtype=index_type), x)
                            y, where = forward(x, *window, indices_dtype=index_type)
                            g = torch.randn(y.shape).to(dtype)
                            self.assertSame(lambda a, b, c: backward(a, b, c, *window), g, x, where)

    def test_max_unpool(self):
        for dtype in (*FLOATS, torch.float64, torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64):
            with self.subTest(dtype):
                y = torch.randint(0, 100, (2, 3, 4, 5, 6)).to(dtype)
                where = torch.stack([torch.randperm(8 * 9 * 10)[:120] for _ in range(6)]).view(y.shape)
                self.assertSame(lambda a, b: cairn.max_unpool3d(a, b, output_size=(8, 9, 10)), y, where)
                g = torch.randint(0, 100, (2, 3, 8, 9, 10)).to(dtype)
                self.assertSame(lambda a, b, c: cairn.max_unpool3d_backward(a, b, c), g, y, where)
                flat_y, flat_where, flat_g = y.flatten(2, 3), where.flatten(2, 3), g.flatten(2, 3)
                self.assertSame(lambda a, b: cairn.max_unpool2d(a, b, output_size=(72, 10)), flat_y, flat_where)
                self.assertSame(lambda a, b, c: cairn.max_unpool2d_backward(a, b, c), flat_g, flat_y, flat_where)
                if dtype not in FLOATS or dtype == torch.float32:  # a conversion to float of whatever there is
                    wanted = {"out_dtype": "float16" if dtype == torch.float32 else "float32"}
                    self.assertSame(
                        lambda a, b, c: cairn.max_unpool2d_backward(a, b, c, **wanted), flat_g, flat_y, flat_where
                    )

    def test_upsample(self):
        for dtype in (*FLOATS, torch.float64):
            for size in ((8, 10, 12), (9, 7, 13), (3, 4, 5)):
                with self.subTest(dtype=dtype, size=size):
                    x, g = torch.randn(2, 3, 4, 5, 6).to(dtype), torch.randn(2, 3, *size).to(dtype)
                    self.assertSame(lambda t: cairn.upsample_nearest3d(t, size), x)
                    self.assertSame(lambda t: cairn.upsample_nearest3d_backward(t, None, (2, 3, 4, 5, 6)), g)

    def test_out_and_layout_of_results(self):
        g = torch.randn(2, 3, 8, 8, 8, device="cuda").contiguous(memory_format=torch.channels_last_3d)
        result = cairn.upsample_nearest3d_backward(g, None, (2, 3, 4, 4, 4))
        self.assertTrue(result.is_contiguous(memory_format=torch.channels_last_3d))
        out = torch.empty_like(result)
        self.assertIs(cairn.upsample_nearest3d_backward(g, None, (2, 3, 4, 4, 4), out=out), out)
        self.assertTrue(torch.equal(out, result))

    def test_cpu_tensors_stay_on_the_cpu(self):
        g = torch.randn(1, 2, 4, 4, 4)
        result = cairn.upsample_nearest3d_backward(g, None, (1, 2, 2, 2, 2))
        self.assertFalse(result.is_cuda)
        self.assertEqual(cairn.last_call().backend, "cpu")
        torch.testing.assert_close(result, F.avg_pool3d(g, 2) * 8)

    def test_two_devices_in_one_call(self):
        g, out = torch.zeros(1, 1, 2, 2, 2, device="cuda"), torch.zeros(1, 1, 1, 1, 1)
        with self.assertRaisesRegex(ValueError, "CUDA device 0 and on the CPU"):
            cairn.upsample_nearest3d_backward(g, None, out.shape, out=out)

    def test_cupy_arrays(self):
        try:
            import cupy
        except ImportError:
            self.skipTest("no cupy here")
        g = cupy.arange(16, dtype=cupy.float32).reshape(1, 2, 2, 2, 2)
        result = cairn.upsample_nearest3d_backward(g, None, (1, 2, 1, 1, 1))
        self.assertIsInstance(result, cupy.ndarray)
        self.assertEqual(result.ravel().tolist(), [28.0, 92.0])


class StreamTest(CudaTest):
    def test_runs_in_the_order_of_the_current_stream(self):
        expected = cairn.upsample_nearest3d_backward(torch.full((1, 1, 2, 2, 2), 3.0), None, (1,) * 5)
        slow = torch.randn(4096, 4096, device="cuda")
        for stream in (torch.cuda.current_stream(), torch.cuda.Stream()):
            g = torch.zeros(1, 1, 2, 2, 2, device="cuda")
            torch.cuda.synchronize()
            with torch.cuda.stream(stream):
                for _ in range(20):
                    slow @ slow
                g.fill_(3.0)
                result = cairn.upsample_nearest3d_backward(g, None, (1,) * 5)
                busy = not stream.query()  # nobody has waited for the products
                doubled = result * 2
                g.fill_(0.0)
            stream.synchronize()
            self.assertTrue(busy)
            self.assertEqual(doubled.item(), 2 * expected.item())

    def test_fault_is_reported_by_the_next_call_or_synchronize(self):
        x = torch.zeros(1, 1, 4, 4, 4, device="cuda")
        y = torch.zeros(1, 1, 2, 2, 2, device="cuda")
        where = torch.zeros(1, 1, 2, 2, 2, dtype=torch.int32, device="cuda")
        faulty = where.clone()
        faulty.view(-1)[6] = 64
        for report in (cairn.synchronize, lambda: cairn.max_pool3d_with_argmax_backward(y, x, where, 2)):
            cairn.max_pool3d_with_argmax_backward(y, x, faulty, 2)
            torch.cuda.synchronize()
            with self.assertRaisesRegex(cairn.CairnError, r"indices\[6\] is 64, expected 0 to 63") as caught:
                report()
            self.assertEqual(caught.exception.status, 507035)
            cairn.max_pool3d_with_argmax_backward(y, x, where, 2)
            cairn.synchronize()

    def test_cuda_graph(self):
        x = torch.randn(2, 3, 8, 8, 8, device="cuda", requires_grad=True)
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            cairn.torch.max_pool3d(x, 2).sum().backward()  # the first call on a stream allocates
        torch.cuda.synchronize()
        x.grad = None
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=side):
            cairn.torch.max_pool3d(x, 2).square().sum().backward()
        for _ in range(2):
            with torch.no_grad():
                x.normal_()
            x.grad.zero_()
            graph.replay()
            torch.cuda.synchronize()
            expected = x.detach().cpu().requires_grad_()
            F.max_pool3d(expected, 2).square().sum().backward()
            self.assertTrue(torch.equal(x.grad.cpu(), expected.grad))


class TorchTest(CudaTest):
    def test_max_pool_gradients_are_the_bits_of_pytorch_on_the_cpu(self):
        for spatial, (ours, theirs) in POOLS.items():
            shape = {2: (3, 4, 30, 31), 3: (2, 3, 12, 13, 14)}[spatial]
            for window in WINDOWS:
                with self.subTest(spatial=spatial, window=window):
                    x = torch.randn(shape)
                    y, gradient = value_and_gradient(lambda t: ours(t, *window), x.cuda())
                    expected, expected_gradient = value_and_gradient(lambda t: theirs(t, *window), x)
                    self.assertTrue(torch.equal(y.cpu(), expected))
                    self.assertTrue(torch.equal(gradient.cpu(), expected_gradient))

    def test_deterministic_mode_refuses_torch_and_not_us(self):
        x = torch.randn(2, 3, 8, 8, 8, device="cuda", requires_grad=True)
        torch.use_deterministic_algorithms(True)
        try:
            with self.assertRaisesRegex(RuntimeError, "deterministic"):
                F.max_pool3d(x, 3, 1, 1).sum().backward()
            cairn.torch.max_pool3d(x, 3, 1, 1).sum().backward()
        finally:
            torch.use_deterministic_algorithms(False)

    def test_replaced_model_under_autocast(self):
        model = cairn.torch.replace(Network()).cuda()
        x = torch.randn(2, 2, 8, 8, 8, device="cuda")
        gradients = []
        for _ in range(2):
            model.zero_grad()
            with torch.autocast("cuda", dtype=torch.float16):
                y, where = model.pool(model.conv(x))
                self.assertEqual(y.dtype, torch.float16)
                loss = model(x)
            loss.backward()
            gradients.append(model.conv.weight.grad.clone())
        self.assertTrue(torch.equal(*gradients))

    def test_gradcheck(self):
        y = torch.randn(1, 2, 2, 3, 2, dtype=torch.float64, device="cuda", requires_grad=True)
        _, where = F.max_pool3d(torch.randn(1, 2, 4, 6, 4, device="cuda"), 2, return_indices=True)
        self.assertTrue(torch.autograd.gradcheck(lambda t: cairn.torch.max_unpool3d(t, where, 2), (y,)))
        self.assertTrue(torch.autograd.gradcheck(lambda t: cairn.torch.upsample_nearest3d(t, (3, 7, 4)), (y,)))


if __name__ == "__main__":
    unittest.main()
