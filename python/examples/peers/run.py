"""Runs and checks the twenty-six programs with the runner of the peers, in whose folder `data.py` and `run.py` lie.

    python python/examples/peers/run.py FOLDER [A4 N3 ...] [--size small] [--seconds 0.5]
"""

import argparse
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent


def main():
    parser = argparse.ArgumentParser(description="The programs of the peers, in Python")
    parser.add_argument("folder", type=pathlib.Path, help="the folder of the peers")
    parser.add_argument("workloads", nargs="*", help="names of workloads; all of them without one")
    parser.add_argument("--size", default="small")
    parser.add_argument("--seconds", type=float, default=0.0, help="how long each is repeated at least")
    options = parser.parse_args()
    # Ours is one more module of the folder of implementations.
    sys.path[:0] = [str(options.folder), str(HERE)]
    import impl_nestled
    import impls

    impls.__path__.append(str(HERE))
    import importlib.util

    found = importlib.util.spec_from_file_location("peers_run", options.folder / "run.py")
    runner = importlib.util.module_from_spec(found)
    found.loader.exec_module(runner)
    failed = 0
    for workload in options.workloads or impl_nestled.SETUP:
        try:
            made = runner.measure(workload, "nestled", options.size, budget=options.seconds)
        except Exception as error:  # the others are to run nevertheless
            print(f"{workload:5} {type(error).__name__}: {str(error).splitlines()[0][:150] if str(error) else ''}")
            failed += 1
            continue
        print(f"{workload:5} {made['check']:4} first {made['first_call_s']:7.3f} s, then {made['seconds_min']:9.6f} s", flush=True)
        failed += made["check"] != "ok"
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
