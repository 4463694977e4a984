"""The twenty-six programs from Python beside the same programs from Rust: pairs of processes in turns, and a table of the ratios of their medians.

    python python/benches/peers.py FOLDER RUST [A4 N3 ...] [--size large] [--pairs 5] [--md python/docs/performance.md] [--json FILE]

FOLDER is that of the peers (their `data.py` makes the inputs and checks the results), RUST the program `nestled-peers`, built with `cargo build --release -p nestled-peers`.
The package that is measured is the one that is installed: `python/check --install`.
"""

import argparse
import datetime
import importlib.util
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE.parent / "examples" / "peers"
MARKS = ("<!-- measured -->", "<!-- until here -->")
#: As much slower than Rust a program may be.
BOUND = 1.03


def module(name, folder):
    """A module of a folder."""
    found = importlib.util.spec_from_file_location(name, folder / f"{name}.py")
    made = importlib.util.module_from_spec(found)
    found.loader.exec_module(made)
    return made


def timed(call):
    start = time.perf_counter()
    made = call()
    return time.perf_counter() - start, made


def measured(folder, workload, size, check):
    """One program in this process, by the protocol of `nestled-peers run`: earlier results are dropped between two calls."""
    data = module("data", folder)
    sys.path.insert(0, str(PROGRAMS))
    import impl_nestled

    meta, inputs, _ = data.load(workload, size, refs=False)
    call, fetch = impl_nestled.SETUP[workload](inputs, meta["params"])
    first, made = timed(call)
    verdict = "ok"
    if check:
        right, why = data.check(workload, fetch(made), data.load_ref(workload, size), inputs, meta["params"])
        verdict = "ok" if right else f"wrong: {why}"
    del made
    warm = timed(call)[0]
    times, begin = [warm] if warm > 5 else [], time.perf_counter()
    fewest = 2 if warm > 5 else 3
    while True:
        # Only the time is kept, so that the result is dropped after it was taken.
        times.append(timed(call)[0])
        took = time.perf_counter() - begin
        if len(times) >= 7 and took >= 0.5 or len(times) >= fewest and took >= 2 or len(times) >= 20_000:
            break
    return {"check": verdict, "first": first, "median": statistics.median(times), "least": min(times), "repeats": len(times)}


def last_json(command):
    done = subprocess.run(command, capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode or not lines:
        raise RuntimeError((done.stderr.strip().splitlines() or ["no output"])[-1][:200])
    return json.loads(lines[-1])


def pairs(options, workload):
    """The measurements of one program, Python's and Rust's in turns; which of them begins changes."""
    made = subprocess.run([sys.executable, "data.py", "--make", workload, "--size", options.size], cwd=options.folder, capture_output=True, text=True, check=True)
    place = made.stdout.split()[-1]
    ours = [sys.executable, __file__, str(options.folder), str(options.rust), workload, "--size", options.size, "--child"]
    theirs = [str(options.rust), "run", workload, "--data", place, "--size", options.size]
    found = []
    for number in range(options.pairs):
        turns = {"python": lambda: last_json([*ours, "--check"] if number == 0 else ours), "rust": lambda: last_json(theirs)}
        order = list(turns) if number % 2 == 0 else list(turns)[::-1]
        one = {name: turns[name]() for name in order}
        found.append(one)
    return found


def summary(workload, found):
    """What the table has of a program."""
    medians = {name: [one[name].get("median", one[name].get("seconds_median")) * 1e3 for one in found] for name in ("python", "rust")}
    ratios = [python / rust for python, rust in zip(medians["python"], medians["rust"])]
    return {
        "workload": workload,
        "check": found[0]["python"]["check"],
        "python": statistics.median(medians["python"]),
        "rust": statistics.median(medians["rust"]),
        "ratio": statistics.median(ratios),
        "ratios": sorted(ratios),
    }


def table(rows, options):
    machine = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "a processor")
    date = datetime.date.today().isoformat()
    lines = [
        f"Size `{options.size}`, {options.pairs} pairs each, {os.environ['NESTLED_THREADS']} threads, {machine}, {date}; {options.note}.",
        "",
        "| Program | Python, ms | Rust, ms | ratio | least and greatest |",
        "|---|---|---|---|---|",
    ]
    for row in rows:
        wrong = "" if row["check"] == "ok" else f" ({row['check']})"
        ratios = row["ratios"]
        lines.append(f"| {row['workload']}{wrong} | {row['python']:.3f} | {row['rust']:.3f} | {row['ratio']:.3f} | {ratios[0]:.2f}–{ratios[-1]:.2f} |")
    within = sum(row["ratio"] <= BOUND for row in rows)
    mean = statistics.geometric_mean(row["ratio"] for row in rows)
    return "\n".join([*lines, "", f"{within} of {len(rows)} are at most {BOUND - 1:.0%} slower than from Rust; the geometric mean of the ratios is {mean:.3f}."])


def on_page(page, text):
    """The page with the table between its marks."""
    begin, end = (page.index(mark) for mark in MARKS)
    return f"{page[: begin + len(MARKS[0])]}\n\n{text}\n\n{page[end:]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("rust", type=pathlib.Path)
    parser.add_argument("workloads", nargs="*")
    parser.add_argument("--size", default="large", choices=["small", "large"])
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--note", default="the machine did nothing else", help="what the table says about the machine")
    parser.add_argument("--md", type=pathlib.Path, help="a page that has the marks of a table")
    parser.add_argument("--json", type=pathlib.Path, help="what was measured; measurements that are there already are kept, and programs that are measured again replaced")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--check", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_intermixed_args()
    os.environ.setdefault("NESTLED_THREADS", "2")
    options.folder = options.folder.resolve()
    if options.child:
        print(json.dumps(measured(options.folder, options.workloads[0], options.size, options.check)))
        return
    sys.path.insert(0, str(PROGRAMS))
    import impl_nestled

    rows = {row["workload"]: row for row in json.loads(options.json.read_text())} if options.json and options.json.exists() else {}
    for workload in options.workloads or impl_nestled.SETUP:
        try:
            row = rows[workload] = summary(workload, pairs(options, workload))
        except Exception as error:  # the others are to be measured nevertheless
            print(f"{workload:5} {type(error).__name__}: {error}", flush=True)
            continue
        print(f"{workload:5} {row['python']:10.3f} ms  {row['rust']:10.3f} ms  {row['ratio']:.3f}  {' '.join(f'{one:.2f}' for one in row['ratios'])}  {row['check']}", flush=True)
        if options.json:
            options.json.write_text(json.dumps(list(rows.values()), indent=1))
    text = table([rows[name] for name in impl_nestled.SETUP if name in rows], options)
    print(f"\n{text}")
    if options.md:
        options.md.write_text(on_page(options.md.read_text(), text))


if __name__ == "__main__":
    main()
