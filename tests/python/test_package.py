"""The package around the operators: where it finds the library, pip, threads, fork, its own examples."""

import doctest
import os
import re
import site
import subprocess
import sys
import tempfile
import threading
import unittest
import zipfile
from pathlib import Path

import numpy as np
from test_operators import needs

import cairn
from cairn import _adaptive_max, _call, _mean_pooling, _operators, _pooling2d, _resampling, _unpooling, _upsampling

TREE = Path(__file__).resolve().parents[2]
ADDS = (
    "import cairn, numpy; print(cairn.upsample_nearest3d_backward(numpy.ones((1, 1, 2, 2, 2)), None, (1,) * 5).item())"
)


def python(*words, **environment):
    """Runs this python3 as someone would whose shell knows nothing of Cairn."""
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "CAIRN_HOME")}
    command = [sys.executable, *words]
    return subprocess.run(command, env={**clean, **environment}, capture_output=True, text=True, check=False)


class FindingTest(unittest.TestCase):
    def test_home_is_beside_the_package(self):
        self.assertTrue((cairn.home() / "lib64" / "libopapi.so").is_file())

    def test_cairn_home_comes_first(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "lib64").symlink_to(cairn.home() / "lib64")
            package = str(Path(cairn.__file__).parents[1])
            done = python("-c", "import cairn; print(cairn.home())", PYTHONPATH=package, CAIRN_HOME=folder)
            self.assertEqual(done.stdout.strip(), folder, done.stderr)

    def test_cairn_home_without_libraries(self):
        package = str(Path(cairn.__file__).parents[1])
        done = python("-c", ADDS, PYTHONPATH=package, CAIRN_HOME="/nowhere")
        self.assertIn("CairnError: CAIRN_HOME is /nowhere, which holds no lib64/libopapi.so", done.stderr)

    def test_no_library_at_all(self):
        with tempfile.TemporaryDirectory() as folder:
            package = Path(folder, "a", "b", "cairn")
            package.mkdir(parents=True)
            for source in Path(cairn.__file__).resolve().parent.glob("*.py"):
                (package / source.name).write_bytes(source.read_bytes())
            done = python("-c", ADDS, PYTHONPATH=str(package.parent))
            self.assertRegex(done.stderr, "CairnError: Cairn's libraries were not found in .*; build them with")

    def test_library_without_an_operator(self):
        missing = _call.Operator("aclnnSomethingOfTomorrow", "tt")
        with self.assertRaisesRegex(cairn.CairnError, "a Cairn without aclnnSomethingOfTomorrow.*older") as caught:
            _call.call(missing, [_call.shape_only(0, (1,))] * 2, ())
        self.assertIsNone(caught.exception.status)

    def test_version_is_the_projects(self):
        project = re.search(r"project\(cairn VERSION ([\d.]+)", (TREE / "CMakeLists.txt").read_text())
        self.assertEqual(cairn.__version__, project.group(1))

    def test_backend_and_last_call(self):
        self.assertEqual(cairn.backend(), "cpu")
        cairn.upsample_nearest3d_backward(np.ones((1, 1, 2, 2, 2)), None, (1,) * 5)
        call = cairn.last_call()
        self.assertEqual((call.operator, call.backend), ("aclnnUpsampleNearest3dBackward", "cpu"))


class PipTest(unittest.TestCase):
    def install(self, folder, *options):
        command = ("-m", "pip", "install", "--no-index", "--quiet", "--disable-pip-version-check", *options)
        done = python(*command, "--target", folder, str(TREE / "python"), PIP_ROOT_USER_ACTION="ignore")
        if "No module named pip" in done.stderr:
            self.skipTest("no pip here")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_installs_from_the_tree_without_a_network(self):
        with tempfile.TemporaryDirectory() as folder:
            self.install(folder)
            done = python("-c", ADDS, PYTHONPATH=folder, CAIRN_HOME=str(cairn.home()))
            self.assertEqual(done.stdout.strip(), "8.0", done.stderr)
            self.assertTrue(Path(folder, "cairn", "py.typed").is_file())
            self.assertEqual(Path(folder, "cairn", "_tree.txt").read_text(), str(TREE))

    def test_wheel_has_its_libraries_inside(self):
        with tempfile.TemporaryDirectory() as folder:
            pack = python(str(TREE / "python" / "pack.py"), str(cairn.home()), folder)
            self.assertEqual(pack.returncode, 0, pack.stderr)
            (wheel,) = Path(folder).glob("*.whl")
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(folder)
            done = python("-c", ADDS, PYTHONPATH=folder, LD_LIBRARY_PATH="")
            self.assertEqual(done.stdout.strip(), "8.0", done.stderr)
            done = python("-c", "import cairn; print(cairn.home())", PYTHONPATH=folder)
            self.assertEqual(done.stdout.strip(), str(Path(folder, "cairn", "_home")), done.stderr)

    def test_command_line(self):
        package = str(Path(cairn.__file__).parents[1])
        done = python("-m", "cairn", PYTHONPATH=package)
        self.assertRegex(done.stdout, rf"cairn {cairn.__version__} for .*numpy")
        self.assertEqual(python("-m", "cairn", "frobnicate", PYTHONPATH=package).returncode, 2)

    def test_command_line_that_cannot_write(self):
        package = str(Path(cairn.__file__).parents[1])
        with open("/dev/full", "w") as full:
            command = [sys.executable, "-m", "cairn"]
            environment = {**os.environ, "PYTHONPATH": package}
            done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, env=environment, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "cairn: the output could not be written: No space left on device\n")

    @unittest.skipUnless(sys.prefix == sys.base_prefix and site.ENABLE_USER_SITE, "no site of the user's own here")
    def test_link_without_a_place_to_write(self):
        package = str(Path(cairn.__file__).parents[1])
        for base, sentence in (("/dev/null", "cannot be written: .*Not a dir"), ("relative", "expected an absolute")):
            done = python("-m", "cairn", "link", PYTHONPATH=package, PYTHONUSERBASE=base)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertRegex(done.stderr, f"^cairn: .*{sentence}")
            self.assertNotIn("Traceback", done.stderr)

    @unittest.skipUnless(sys.prefix == sys.base_prefix and site.ENABLE_USER_SITE, "no site of the user's own here")
    def test_link_makes_the_import_work(self):
        package = str(Path(cairn.__file__).parents[1])
        with tempfile.TemporaryDirectory() as folder:
            done = python("-m", "cairn", "link", PYTHONPATH=package, PYTHONUSERBASE=folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("import cairn now works", done.stdout)
            self.assertEqual(python("-c", ADDS, PYTHONUSERBASE=folder).stdout.strip(), "8.0")


class ProcessTest(unittest.TestCase):
    def sum(self, value):
        return cairn.upsample_nearest3d_backward(np.full((1, 1, 2, 2, 2), value), None, (1,) * 5).item()

    def test_threads_do_not_mix_up_their_arrays(self):
        wrong = []

        def work(value):
            for _ in range(200):
                if self.sum(float(value)) != 8.0 * value:
                    wrong.append(value)

        threads = [threading.Thread(target=work, args=(value,)) for value in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def of_a_child(self):
        """0 when a child of fork() computes, and is told of its own faults alone."""
        try:
            if self.sum(2.0) != 16.0:
                return 1
            cairn.upsample_nearest3d_backward(np.ones((1, 1, 2, 2, 2)), None, (0,) * 5)
        except cairn.CairnError as error:
            return 0 if str(error).count("\n") == 0 else 2
        return 3

    def test_child_of_fork(self):
        self.assertEqual(self.sum(1.0), 8.0)
        child = os.fork()
        if child == 0:
            os._exit(self.of_a_child())
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(self.sum(3.0), 24.0)

    def test_plans_are_forgotten_in_the_end(self):
        for size in range(1, 2 * _call._MOST_PLANS):
            cairn.upsample_nearest3d_backward(np.ones((1, 1, 1, 1, size), np.float32), None, (1,) * 5)
        self.assertLessEqual(len(_call._plans), _call._MOST_PLANS)


@needs("aclnnMaxPool3dWithArgmax", "aclnnMaxPool2dWithIndices", "aclnnMaxUnpool3d", "aclnnUpsampleNearest3d")
class ExampleTest(unittest.TestCase):
    def test_examples_of_the_docstrings(self):
        for module in (_adaptive_max, _mean_pooling, _operators, _pooling2d, _resampling, _unpooling, _upsampling):
            failed, tried = doctest.testmod(module, extraglobs={"cairn": cairn, "numpy": np})
            self.assertGreaterEqual(tried, 4)
            self.assertEqual(failed, 0)


if __name__ == "__main__":
    unittest.main()
