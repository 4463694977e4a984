# Measures one peer on one workload by run.py's protocol, in this process, and prints one line of JSON; or lists the peers that are installed.
#
#   SHIM list | SHIM IMPL WORKLOAD SIZE        in the folder of the peers
import importlib.util
import os
import pathlib
import shutil
import signal
import sys
import zlib

sys.path.insert(0, os.getcwd())
shim, impl = sys.argv[1:3]
NEEDS = dict(numpy="numpy", numexpr="numexpr", scipy="scipy", numba="numba", jax="jax", torch="torch", torchc="torch",
             drjit="drjit", taichi="taichi")

if impl == "list":
    have = [name for name, module in dict(NEEDS, python="nestled").items() if importlib.util.find_spec(module)]
    print(*(["c"] if shutil.which(os.environ.get("CC", "gcc")) else []) + have)
    sys.exit()

import run  # noqa: E402

run.set_threads()
import data  # noqa: E402

workload, size = sys.argv[3:5]
signal.alarm(run.TIMEOUT)
memory = {}


def held(key):
    try:
        return next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith(key))
    except (OSError, StopIteration):
        return 0


def load(*args, load=data.load, **more):
    inputs = load(*args, **more)
    try:
        open("/proc/self/clear_refs", "w").write("5")
    except OSError:
        pass
    memory["inputs"] = held("VmRSS")
    return inputs


def load_ref(*args, load_ref=data.load_ref):
    # The first call is over; what the check takes does not count.
    memory["peak"] = held("VmHWM")
    return load_ref(*args)


data.load, data.load_ref = load, load_ref
if impl == "c":
    import impls.impl_c as c
    if "avx512f" not in open("/proc/cpuinfo").read():
        c.FLAGS += ["-include", shim, "-DSHIM=%d" % zlib.crc32(open(shim, "rb").read())]
if impl == "python":
    # Ours, from Python, are one more module of the folder of implementations.
    import impls
    ours = str(pathlib.Path(shim).resolve().parents[4] / "python/examples/peers")
    sys.path.insert(0, ours)
    impls.__path__.append(ours)
    impl = "nestled"
measured = run.measure(workload, impl, size)
if measured:
    measured["peak_bytes"] = max(0, memory["peak"] - memory["inputs"])
print(run.json.dumps(measured))
