"""The examples and the benchmark do what their pages say; on the CPU and small."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TREE = Path(__file__).resolve().parents[2]


class ExampleTest(unittest.TestCase):
    def run_script(self, name, *words):
        done = subprocess.run([sys.executable, str(TREE / name), *words], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_max_pool3d(self):
        output = self.run_script("examples/python/max_pool3d.py")
        self.assertIn("cells that get a gradient: [21 23 29 31 53 55 61 63]", output)
        self.assertIn("an Atlas A2 refuses that with 161002", output)

    def test_unet3d(self):
        words = ("--device", "cpu", "--size", "8", "--width", "4", "--steps", "3")
        for more in ((), ("--channels-last",), ("--upsample", "trilinear", "--down", "convolution")):
            output = self.run_script("examples/python/unet3d.py", *words, *more)
            self.assertRegex(output, "cairn: .* ms a step; run twice: the same bits")
            worst = float(output.rsplit(": ", 1)[1])
            self.assertLess(worst, 1e-4)

    def test_benchmark(self):
        with tempfile.TemporaryDirectory() as folder:
            files = {name: Path(folder, name) for name in ("json", "markdown", "plot")}
            words = [word for name, path in files.items() for word in (f"--{name}", str(path))]
            words += ["--device", "cpu", "--quick", "--fraction", "0.001", "--rows-only"]
            output = self.run_script("bench/pytorch.py", *words, "--filter", "(u3|n3-vae|p2-resnet).* FLOAT ")
            report = json.loads(files["json"].read_text())
            names = {(row["id"], row["direction"], row["layout"]) for row in report["rows"]}
            self.assertEqual(len(names), 8)
            for row in report["rows"]:
                self.assertGreater(row["share_of_copy"], 0)
                self.assertGreater(row["peers"]["pytorch"], 0)
                self.assertIn(row["id"], output)
            self.assertEqual(files["markdown"].read_text().count("\n| "), 1 + 1 + 8)
            self.assertTrue(files["plot"].read_text().rstrip().endswith("</svg>"))

    def test_benchmark_interrupted(self):
        with tempfile.TemporaryDirectory() as folder:
            files = {name: Path(folder, name) for name in ("json", "markdown")}
            words = [word for name, path in files.items() for word in (f"--{name}", str(path))]
            words += ["--device", "cpu", "--quick", "--fraction", "0.001", "--rows-only"]
            words += ["--filter", " FLOAT "]  # old versions of PyTorch lack half types, which is said between the rows
            command = [sys.executable, str(TREE / "bench/pytorch.py"), *words]
            with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as run:
                said = [run.stderr.readline() for _ in range(3)]
                run.terminate()
            self.assertNotEqual(run.returncode, 0)
            rows = json.loads(files["json"].read_text())["rows"]
            self.assertGreaterEqual(len(rows), 3)
            for row, line in zip(rows, said):
                self.assertIn(row["id"], line)
                self.assertIn(f"{row['ms']:.4f} ms", line)
            self.assertGreaterEqual(files["markdown"].read_text().count("\n| "), 1 + 1 + 3)


if __name__ == "__main__":
    unittest.main()
