"""Awkward's own tests, with its operations computed by `nd.Nested` (`awkward_shim.py`): which files about operations that we have pass.

    python3 python/tests/awkward_suite.py [--source FOLDER] [--list] [PATTERN]

The tests come from the source distribution on PyPI of the version that is installed. A file is about operations that we have if at least one of its calls was computed here; it passes
if all of its tests do that pass without us.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile

#: Arrays of other systems, and layouts by themselves: nothing in them is about operations.
ELSEWHERE = "numba jax cuda rdataframe cppyy cling arrow parquet feather torch tensorflow raggedtensor avro pandas dlpack pybind virtual forth typetracer safetensors lazy".split()
HERE = pathlib.Path(__file__).resolve().parent
#: So many files are tested by one process.
BATCH = 12


def source(version: str) -> pathlib.Path:
    """The tests of a version, from PyPI by pip."""
    folder = pathlib.Path(tempfile.gettempdir()) / f"awkward-tests-{version}"
    if not (folder / "tests").is_dir():
        folder.mkdir(exist_ok=True)
        command = ["download", "--quiet", "--no-deps", "--no-binary", "awkward", f"awkward=={version}", "--dest", str(folder)]
        subprocess.run([sys.executable, "-m", "pip", *command], check=True)
        with tarfile.open(next(folder.glob("awkward-*.tar.gz"))) as archive:
            archive.extractall(folder, filter="data")
        unpacked = folder / f"awkward-{version}" / "tests"
        if not unpacked.is_dir():
            sys.exit(f"the source distribution of awkward {version} has no tests")
        unpacked.rename(folder / "tests")
    return folder


def tested(folder: pathlib.Path, files: list[str], with_us: bool) -> dict[str, dict[str, dict[str, object]]]:
    """The outcomes of the tests of some files."""
    with tempfile.TemporaryDirectory() as scratch:
        result = pathlib.Path(scratch) / "result.json"
        environment = os.environ | {"NESTLED_SUITE_RESULT": str(result), "PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])}
        environment.setdefault("NESTLED_DEVICE", "reference")
        environment["NESTLED_SUITE_PLAIN"] = "" if with_us else "1"
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "awkward_shim", "--tb=line", *files]
        try:
            subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=400, check=False)
        except subprocess.TimeoutExpired:
            pass
        return json.loads(result.read_text()) if result.is_file() else {}


def main() -> None:
    import awkward

    parser = argparse.ArgumentParser(description="Awkward's own tests, with its operations computed by nd.Nested")
    parser.add_argument("--source", type=pathlib.Path, help="a folder with the tests in its folder `tests`")
    parser.add_argument("--list", action="store_true", help="all files, also those that pass")
    parser.add_argument("--share", type=float, default=0.6, help="the least share of files that has to pass")
    parser.add_argument("pattern", nargs="?", default="", help="a part of the names of files")
    options = parser.parse_args()
    folder = options.source or source(awkward.__version__)
    names = sorted(f"tests/{path.name}" for path in (folder / "tests").glob("test_*.py") if options.pattern in path.name)
    names = [name for name in names if not any(word in name for word in ELSEWHERE)]
    found: dict[str, dict[str, dict[str, object]]] = {}
    for start in range(0, len(names), BATCH):
        batch = names[start : start + BATCH]
        some = tested(folder, batch, True)
        for name in [name for name in batch if name not in some]:
            some |= tested(folder, [name], True)
        found |= some
        print(f"{min(start + BATCH, len(names))} of {len(names)} files", file=sys.stderr)
    report(awkward.__version__, folder, found, options.list, options.share)


def report(version: str, folder: pathlib.Path, found: dict[str, dict[str, dict[str, object]]], everything: bool, least: float) -> None:
    calls: collections.Counter[str] = collections.Counter()
    ours = {}
    for name, file in found.items():
        counts = {key: int(str(number)) for key, number in file["counts"].items()}
        if any(number for key, number in counts.items() if key != "handed back"):
            ours[name] = file["outcomes"]
            calls.update(counts)
    failing = {name: {test for test, outcome in tests.items() if outcome == "failed"} for name, tests in ours.items()}
    plain = tested(folder, [name for name in ours if failing[name]], False) if any(failing.values()) else {}
    for name, tests in failing.items():
        tests -= {test for test, outcome in plain.get(name, {}).get("outcomes", {}).items() if outcome != "passed"}
    passed = [name for name in ours if not failing[name]]
    for name in sorted(ours):
        if everything or failing[name]:
            print(f"{'passes' if not failing[name] else 'fails '} {name}: {len(ours[name]) - len(failing[name])} of {len(ours[name])} tests")
    n_tests = sum(map(len, ours.values()))
    n_failing = sum(map(len, failing.values()))
    back = calls.pop("handed back", 0)
    share = len(passed) / max(1, len(ours))
    print(f"awkward {version}: {len(passed)} of {len(ours)} files about operations that we have pass ({share:.0%}); {n_tests - n_failing} of {n_tests} tests")
    print(f"{sum(calls.values())} calls were computed here, {back} handed back; most: {', '.join(f'{name} {number}' for name, number in calls.most_common(8))}")
    sys.exit(share < least)


if __name__ == "__main__":
    main()
