"""Two processes under DistributedDataParallel get the gradients of one."""

import os
import socket
import tempfile
import unittest
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from test_operators import needs

import cairn.torch

BATCH = 4


def model():
    torch.manual_seed(1)
    layers = [
        torch.nn.Conv3d(1, 4, 3, padding=1),
        torch.nn.MaxPool3d(3, 2, 1),
        torch.nn.Conv3d(4, 2, 3, padding=1),
        torch.nn.Upsample(scale_factor=2, mode="nearest"),
    ]
    return cairn.torch.replace(torch.nn.Sequential(*layers))


def data():
    return torch.randn(BATCH, 1, 6, 8, 10, generator=torch.Generator().manual_seed(2))


def step(network, batch):
    network(batch).square().mean().backward()


def gradients(network):
    return [parameter.grad for parameter in network.parameters()]


def worker(rank, port, folder):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), USE_LIBUV="0")  # Debian's PyTorch has no libuv
    torch.set_num_threads(1)
    dist.init_process_group("gloo", rank=rank, world_size=2)
    network = torch.nn.parallel.DistributedDataParallel(model())
    step(network, data()[rank * BATCH // 2 : (rank + 1) * BATCH // 2])
    torch.save(gradients(network), Path(folder, str(rank)))
    dist.destroy_process_group()


@unittest.skipUnless(dist.is_available() and dist.is_gloo_available(), "this torch has no gloo")
@needs("aclnnMaxPool3dWithArgmax", "aclnnUpsampleNearest3d")
class DistributedTest(unittest.TestCase):
    def test_gradients_of_two_processes_are_those_of_one(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        with tempfile.TemporaryDirectory() as folder:
            mp.spawn(worker, (port, folder), nprocs=2)
            first, second = (torch.load(Path(folder, str(rank))) for rank in range(2))
        torch.set_num_threads(1)
        whole = model()
        step(whole, data())
        # The same two halves, one after the other: then not even the rounding differs.
        halves = []
        for half in data().split(BATCH // 2):
            network = model()
            step(network, half)
            halves.append(gradients(network))
        for a, b, one, two, all_at_once in zip(first, second, *halves, gradients(whole)):
            self.assertTrue(torch.equal(a, b))
            self.assertTrue(torch.equal(a, one / 2 + two / 2))
            torch.testing.assert_close(a, all_at_once)


if __name__ == "__main__":
    unittest.main()
