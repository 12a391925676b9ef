"""Packs the package for pip (the hooks of PEP 517 and 660). It is plain Python, so there is nothing to build.

``python3 pack.py TREE FOLDER`` makes a wheel in FOLDER that has the libraries of an install tree inside.
"""

import base64
import hashlib
import re
import sys
import tarfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
TREE = HERE.parent
VERSION = re.search(r'__version__ = "(.*)"', (HERE / "cairn" / "__init__.py").read_text(encoding="utf-8")).group(1)
NAME = f"cairn-{VERSION}"
METADATA = """Metadata-Version: 2.1
Name: cairn
Version: {version}
Summary: Ascend's aclnn pooling, unpooling and upsampling operators on any CPU and on NVIDIA GPUs
License: Apache-2.0
Requires-Python: >=3.9
"""
WHEEL = "Wheel-Version: 1.0\nGenerator: cairn\nRoot-Is-Purelib: {pure}\nTag: {tag}\n"


def _sources():
    return sorted(path for path in (HERE / "cairn").iterdir() if path.suffix == ".py" or path.name == "py.typed")


def _write_wheel(directory, files, tag="py3-none-any", version=VERSION):
    name = f"cairn-{version}"
    about = WHEEL.format(pure="true" if tag.endswith("-any") else "false", tag=tag)
    metadata = METADATA.format(version=version).encode()
    files = {**files, f"{name}.dist-info/METADATA": metadata, f"{name}.dist-info/WHEEL": about.encode()}
    record = f"{name}.dist-info/RECORD"
    lines = []
    for path, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{path},sha256={digest},{len(content)}\n")
    files[record] = ("".join(lines) + f"{record},,\n").encode()
    wheel = f"{name}-{tag}.whl"
    with zipfile.ZipFile(Path(directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    files = {f"cairn/{path.name}": path.read_bytes() for path in _sources()}
    if (TREE / "CMakeLists.txt").is_file():  # the tree whose libraries the package will find
        files["cairn/_tree.txt"] = str(TREE).encode()
    return _write_wheel(wheel_directory, files)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return _write_wheel(wheel_directory, {"cairn.pth": f"{HERE}\n".encode()})


def build_sdist(sdist_directory, config_settings=None):
    name = f"{NAME}.tar.gz"
    with tarfile.open(Path(sdist_directory) / name, "w:gz") as archive:
        for path in (HERE / "pyproject.toml", HERE / "pack.py", *_sources()):
            archive.add(path, f"{NAME}/{path.relative_to(HERE)}")
    return name


def build_wheel_with_libraries(tree, wheel_directory):
    """The libraries of an install tree go in as they are; libraries of packages need glibc 2.34 and nothing newer."""
    files = {f"cairn/{path.name}": path.read_bytes() for path in _sources()}
    for path in sorted((Path(tree) / "lib64").glob("lib*.so*")):
        if not path.is_symlink():  # a zip has no links, and nobody opens a library by those names here
            files[f"cairn/_home/lib64/{path.name}"] = path.read_bytes()
    processor = next(Path(tree).glob("*-linux")).name[: -len("-linux")]  # which need not be this machine's
    version = f"{VERSION}+cuda" if "cairn/_home/lib64/libcairn_cuda.so" in files else VERSION
    return _write_wheel(wheel_directory, files, f"py3-none-manylinux_2_34_{processor}", version)


if __name__ == "__main__":
    build_wheel_with_libraries(*sys.argv[1:])
