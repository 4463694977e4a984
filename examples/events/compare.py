"""The queries by Awkward Array (eager) and by hand with Numba, beside those of the command `nestled-events`, on one Parquet file of events.

    cargo build --release -p nestled-events
    python -m venv venv && venv/bin/pip install awkward pyarrow numba
    target/release/nestled-events make events.parquet --events 1000000
    venv/bin/python examples/events/compare.py events.parquet target/release/nestled-events

Each query of each system runs in a process of its own; the first run, which compiles, is not timed; the least of several times counts.
"""

import resource
import subprocess
import sys
import time

BINS = 100
COLUMNS = {
    "dimuon": ["Muon.pt", "Muon.eta", "Muon.phi", "Muon.charge"],
    "Q1": ["MET.pt"],
    "Q2": ["Jet.pt"],
    "Q3": ["Jet.pt", "Jet.eta"],
    "Q4": ["MET.pt", "Jet.pt"],
    "Q5": ["MET.pt", "Muon.pt", "Muon.eta", "Muon.phi", "Muon.charge"],
    "Q6": ["Jet.pt", "Jet.eta", "Jet.phi", "Jet.mass", "Jet.btag"],
    "Q7": ["Jet.pt", "Jet.eta", "Jet.phi", "Muon.pt", "Muon.eta", "Muon.phi", "Electron.pt", "Electron.eta", "Electron.phi"],
    "Q8": ["MET.pt", "MET.phi"] + [f"{kind}.{field}" for kind in ("Muon", "Electron") for field in ("pt", "eta", "phi", "charge")],
}


def histogram(np, values, low, high):
    return np.histogram(values, BINS, (low, high))[0]


def mass(np, a, b):
    return np.sqrt(2 * a.pt * b.pt * (np.cosh(a.eta - b.eta) - np.cos(a.phi - b.phi)))


def dimuon(ak, np, events):
    two = events.Muon[ak.num(events.Muon) == 2]
    a, b = two[:, 0], two[:, 1]
    opposite = a.charge != b.charge
    return [histogram(np, mass(np, a[opposite], b[opposite]), 0, 150)]


def q1(ak, np, events):
    return [histogram(np, events.MET.pt, 0, 200)]


def q2(ak, np, events):
    return [histogram(np, ak.flatten(events.Jet.pt), 15, 60)]


def q3(ak, np, events):
    return [histogram(np, ak.flatten(events.Jet.pt[abs(events.Jet.eta) < 1]), 15, 60)]


def q4(ak, np, events):
    return [histogram(np, events.MET.pt[ak.sum(events.Jet.pt > 40, axis=1) >= 2], 0, 200)]


def q5(ak, np, events):
    a, b = ak.unzip(ak.combinations(events.Muon, 2))
    m = mass(np, a, b)
    near = (a.charge != b.charge) & (m >= 60) & (m <= 120)
    return [histogram(np, events.MET.pt[ak.any(near, axis=1)], 0, 200)]


def q6(ak, np, events):
    jets = events.Jet
    x, y, z = jets.pt * np.cos(jets.phi), jets.pt * np.sin(jets.phi), jets.pt * np.sinh(jets.eta)
    jets = ak.zip({"x": x, "y": y, "z": z, "e": np.sqrt(x * x + y * y + z * z + jets.mass**2), "btag": jets.btag})
    a, b, c = ak.unzip(ak.combinations(jets, 3))
    x, y, z, e = a.x + b.x + c.x, a.y + b.y + c.y, a.z + b.z + c.z, a.e + b.e + c.e
    across = x * x + y * y
    m = np.sqrt(np.maximum(e * e - across - z * z, 0))
    best = ak.argmin(abs(m - 172.5), axis=1, keepdims=True)
    pt = ak.drop_none(ak.firsts(np.sqrt(across)[best]))
    btag = ak.drop_none(ak.firsts(np.maximum(np.maximum(a.btag, b.btag), c.btag)[best]))
    return [histogram(np, pt, 15, 40), histogram(np, btag, 0, 1)]


def q7(ak, np, events):
    jets = events.Jet[events.Jet.pt > 30]
    leptons = ak.concatenate([events.Muon, events.Electron], axis=1)
    leptons = leptons[leptons.pt > 10]
    j, lepton = ak.unzip(ak.cartesian([jets, leptons], nested=True))
    phi = (j.phi - lepton.phi + np.pi) % (2 * np.pi) - np.pi
    apart = ak.all((j.eta - lepton.eta) ** 2 + phi**2 >= 0.16, axis=2)
    return [histogram(np, ak.sum(jets.pt[apart], axis=1), 15, 200)]


def q8(ak, np, events):
    muons = ak.with_field(events.Muon, 0, "flavour")
    leptons = ak.concatenate([muons, ak.with_field(events.Electron, 1, "flavour")], axis=1)
    enough = ak.num(leptons) >= 3
    met, leptons = events.MET[enough], leptons[enough]
    leptons = ak.with_field(leptons, ak.local_index(leptons.pt), "place")
    pairs = ak.combinations(leptons, 2)
    a, b = ak.unzip(pairs)
    pairs = pairs[(a.flavour == b.flavour) & (a.charge != b.charge)]
    a, b = ak.unzip(pairs)
    best = ak.argmin(abs(mass(np, a, b) - 91.2), axis=1, keepdims=True)
    a, b = ak.firsts(a[best]), ak.firsts(b[best])
    there = ~ak.is_none(a)
    met, leptons, a, b = met[there], leptons[there], a[there], b[there]
    others = leptons[(leptons.place != a.place) & (leptons.place != b.place)]
    leading = ak.firsts(others[ak.argmax(others.pt, axis=1, keepdims=True)])
    mt = np.sqrt(2 * met.pt * leading.pt * (1 - np.cos(met.phi - leading.phi)))
    return [histogram(np, ak.drop_none(mt), 0, 250)]


QUERIES = {"dimuon": dimuon, "Q1": q1, "Q2": q2, "Q3": q3, "Q4": q4, "Q5": q5, "Q6": q6, "Q7": q7, "Q8": q8}


def by_hand(name, events):
    """Loops over the columns, compiled by Numba; nothing for queries where that is not short."""
    import awkward as ak
    import numba
    import numpy as np

    def flat(array):
        array = ak.to_packed(array)
        return ak.to_numpy(ak.flatten(array))

    def offsets(array):
        return np.concatenate([[0], np.cumsum(ak.to_numpy(ak.num(array)))])

    @numba.njit
    def count(counts, value, low, high):
        if low <= value <= high:
            counts[min(int((value - low) / (high - low) * BINS), BINS - 1)] += 1

    @numba.njit
    def pair(pt, eta, phi, i, j):
        return np.sqrt(2 * pt[i] * pt[j] * (np.cosh(eta[i] - eta[j]) - np.cos(phi[i] - phi[j])))

    @numba.njit
    def loop_dimuon(begin, pt, eta, phi, charge):
        counts = np.zeros(BINS, np.int64)
        for n in range(len(begin) - 1):
            i = begin[n]
            if begin[n + 1] - i == 2 and charge[i] != charge[i + 1]:
                count(counts, pair(pt, eta, phi, i, i + 1), 0.0, 150.0)
        return counts

    @numba.njit
    def loop_q4(begin, pt, met):
        counts = np.zeros(BINS, np.int64)
        for n in range(len(met)):
            hard = 0
            for i in range(begin[n], begin[n + 1]):
                hard += pt[i] > 40
            if hard >= 2:
                count(counts, met[n], 0.0, 200.0)
        return counts

    @numba.njit
    def loop_q5(begin, pt, eta, phi, charge, met):
        counts = np.zeros(BINS, np.int64)
        for n in range(len(met)):
            near = False
            for i in range(begin[n], begin[n + 1]):
                for j in range(i + 1, begin[n + 1]):
                    if charge[i] != charge[j]:
                        m = pair(pt, eta, phi, i, j)
                        near = near or 60 <= m <= 120
            if near:
                count(counts, met[n], 0.0, 200.0)
        return counts

    @numba.njit
    def loop_q6(begin, pt, eta, phi, mass, btag):
        pts, btags = np.zeros(BINS, np.int64), np.zeros(BINS, np.int64)
        x, y, z = pt * np.cos(phi), pt * np.sin(phi), pt * np.sinh(eta)
        e = np.sqrt(x * x + y * y + z * z + mass * mass)
        for n in range(len(begin) - 1):
            least, best, tag = np.inf, np.float32(-1), np.float32(-1)
            for i in range(begin[n], begin[n + 1]):
                for j in range(i + 1, begin[n + 1]):
                    for k in range(j + 1, begin[n + 1]):
                        sx, sy = x[i] + x[j] + x[k], y[i] + y[j] + y[k]
                        sz, se = z[i] + z[j] + z[k], e[i] + e[j] + e[k]
                        across = sx * sx + sy * sy
                        off = abs(np.sqrt(max(se * se - across - sz * sz, np.float32(0))) - np.float32(172.5))
                        if off < least:
                            least, best, tag = off, np.sqrt(across), max(btag[i], btag[j], btag[k])
            if least < np.inf:
                count(pts, best, 15.0, 40.0)
                count(btags, tag, 0.0, 1.0)
        return pts

    columns = {name: flat(events.Muon[name]) for name in events.Muon.fields} if "Muon" in events.fields else {}
    jets = {name: flat(events.Jet[name]) for name in events.Jet.fields} if "Jet" in events.fields else {}
    if name == "dimuon":
        begin = offsets(events.Muon.pt)
        return lambda: loop_dimuon(begin, columns["pt"], columns["eta"], columns["phi"], columns["charge"])
    if name == "Q1":
        met = ak.to_numpy(events.MET.pt)
        return lambda: histogram(np, met, 0, 200)
    if name == "Q2":
        return lambda: histogram(np, jets["pt"], 15, 60)
    if name == "Q3":
        return lambda: histogram(np, jets["pt"][abs(jets["eta"]) < 1], 15, 60)
    if name == "Q4":
        begin, met = offsets(events.Jet.pt), ak.to_numpy(events.MET.pt)
        return lambda: loop_q4(begin, jets["pt"], met)
    if name == "Q5":
        begin, met = offsets(events.Muon.pt), ak.to_numpy(events.MET.pt)
        return lambda: loop_q5(begin, columns["pt"], columns["eta"], columns["phi"], columns["charge"], met)
    if name == "Q6":
        begin = offsets(events.Jet.pt)
        return lambda: loop_q6(begin, jets["pt"], jets["eta"], jets["phi"], jets["mass"], jets["btag"])
    return None


def least(run):
    """The least time of several runs, and the mean processor time."""
    run()
    times, begin, busy = [], time.perf_counter(), time.process_time()
    while len(times) < 3 or time.perf_counter() - begin < 2:
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times), (time.process_time() - busy) / len(times)


def one(file, system, name):
    """Runs one query of one system, and prints its least time, the time to decode (ms), the most memory (MB), and the histograms."""
    import awkward as ak
    import numpy as np

    start = time.perf_counter()
    events = ak.from_parquet(file, columns=COLUMNS[name])
    read = time.perf_counter() - start
    # Read by column, elements of lists come as such that may be missing; no query should pay for that.
    for kind in set(events.fields) & {"Muon", "Electron", "Jet"}:
        lists = ak.to_layout(events[kind]).to_ListOffsetArray64()
        if lists.content.is_option:
            events[kind] = ak.Array(ak.contents.ListOffsetArray(lists.offsets, lists.content.project()))
    if system == "awkward":
        run = lambda: QUERIES[name](ak, np, events)
    else:
        run = by_hand(name, events)
        if run is None:
            return
    taken, busy = least(run)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    made = [[int(count) for count in counts] for counts in run()] if system == "awkward" else []
    print(f"{taken * 1e3:.2f} {busy * 1e3:.2f} {read * 1e3:.2f} {peak * 1.024:.0f} {made}")


def apart(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def moved(ours, theirs):
    """How many numbers are in other bins."""
    return sum(abs(a - b) for one, other in zip(ours, theirs) for a, b in zip(one, other))


def main(file, nestled, wanted):
    print("ms without decoding (processor time), with decoding; most memory in MB; bins: numbers in other bins than with Awkward")
    print(f"{'':8}{'nestled':>10} (cpu) decoded |{'Awkward':>10} (cpu) decoded | ratio (cpu) | {'Numba':>8} (cpu) | streamed  memory Awkward ratio | bins")
    for name in wanted:
        memory = apart(nestled, "one", file, name, "memory").split()
        streamed = apart(nestled, "one", file, name, "streamed").split()
        ours = eval(apart(nestled, "one", file, name, "counts"))
        theirs = apart(sys.executable, __file__, "--one", file, "awkward", name).split(maxsplit=4)
        hand = apart(sys.executable, __file__, "--one", file, "numba", name).split()
        own, busy, read = map(float, memory[:3])
        other, other_busy, decode, peak = map(float, theirs[:4])
        through, low = float(streamed[0]), float(streamed[3])
        by_hand = f"{float(hand[0]):8.1f} {float(hand[1]):5.0f}" if hand else " " * 14
        print(
            f"{name:8}{own:10.2f} {busy:5.0f} {own + read:7.0f} |{other:10.1f} {other_busy:5.0f} {other + decode:7.0f} | {other / own:5.1f} {other_busy / busy:5.1f} | {by_hand} |"
            f" {through:8.1f} {low:7.0f} {peak:7.0f} {peak / low:5.1f} | {moved(ours, eval(theirs[4]))}",
            flush=True,
        )


if __name__ == "__main__":
    if sys.argv[1] == "--one":
        one(*sys.argv[2:])
    else:
        main(sys.argv[1], sys.argv[2], sys.argv[3:] or list(QUERIES))
