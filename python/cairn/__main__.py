"""python3 -m cairn: what this package finds. python3 -m cairn link: makes `import cairn` work in this python3."""

import importlib.util
import os
import site
import subprocess
import sys
import sysconfig
from pathlib import Path

import cairn


def _versions() -> str:
    found = []
    for name in ("numpy", "torch"):
        if importlib.util.find_spec(name) is not None:
            found.append(f"{name} {__import__(name).__version__}")
    return " and ".join(found) or "neither numpy nor torch: install one, as with apt-get install python3-numpy"


def show() -> int:
    print(f"cairn {cairn.__version__} for {sys.executable} ({_versions()})")
    try:
        print(f"libraries: {cairn.home() / 'lib64'}")
        print(f"backend: {cairn.backend()}")
    except cairn.CairnError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _site_folder() -> Path:
    """Where this python3 looks for packages that are not the system's."""
    if sys.prefix != sys.base_prefix or not site.ENABLE_USER_SITE:
        return Path(sysconfig.get_paths()["purelib"])
    return Path(site.getusersitepackages())


def link() -> int:
    package = Path(cairn.__file__).absolute().parent.parent
    place = _site_folder() / "cairn.pth"
    if not place.is_absolute():
        print(f"cairn: the folder for packages is {place.parent}, expected an absolute path; HOME?", file=sys.stderr)
        return 1
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"{package}\n", encoding="utf-8")
    except OSError as error:
        print(f"cairn: {place} cannot be written: {error}", file=sys.stderr)
        print(f"Without it: export PYTHONPATH={package}", file=sys.stderr)
        return 1
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "CAIRN_HOME")}
    check = [sys.executable, "-c", "import cairn; cairn.backend()"]
    if subprocess.run(check, env=environment, cwd=place.parent, check=False).returncode != 0:
        print(f"cairn: {sys.executable} still cannot use cairn, although {place} names it", file=sys.stderr)
        return 1
    print(f"import cairn now works in {sys.executable} ({_versions()})")
    print(f"To undo it, delete {place}")
    return 0


def main(words: list) -> int:
    if words not in ([], ["link"]):
        print(f"usage: {Path(sys.executable).name} -m cairn [link]", file=sys.stderr)
        return 2
    return link() if words else show()


def run(words: list) -> int:
    """main(), and a sentence where what it prints cannot be written, as to a full disk."""
    try:
        status = main(words)
        sys.stdout.flush()
        return status
    except OSError as error:
        print(f"cairn: the output could not be written: {error.strerror}", file=sys.stderr)
        os._exit(1)  # at an ordinary end Python would try again


sys.exit(run(sys.argv[1:]))
