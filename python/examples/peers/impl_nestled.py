"""Nestled from Python, for the runner of the peers: a table of workloads, each a pair of what is timed and what gives its result to NumPy."""

import images
import nested
import numpy as np

import nestled as nd
from nestled import Nested


def program(function, *names, of=lambda x: x):
    """A program of the inputs of these names; `of` says what becomes of its results."""

    def setup(inputs, parameters):
        arrays = [nd.asarray(inputs[name]) for name in names]
        nd.evaluate(*arrays)

        def call():
            made = function(*arrays, parameters) if function.__code__.co_argcount > len(arrays) else function(*arrays)
            nd.evaluate(*[part for part in (made if isinstance(made, tuple) else (made,)) if isinstance(part, nd.Array)])
            return made

        return call, lambda made: np.asarray(of(made))

    return setup


def stacked(parts):
    return np.stack([np.asarray(part, dtype=np.float32) for part in parts])


def black_scholes(s, k, t):
    def normal(d):
        return 0.5 + 0.5 * nd.erf(d * 0.7071067811865476)

    spread = 0.3 * nd.sqrt(t)
    d1 = (nd.log(s / k) + (0.02 + 0.5 * 0.3**2) * t) / spread
    later = k * nd.exp(-0.02 * t)
    call = s * normal(d1) - later * normal(d1 - spread)
    return call, call - s + later


def rows(values, offsets):
    """The sum of each row."""
    return nd.asarray(Nested.from_array(values).unflatten(offsets[1:] - offsets[:-1]).sum(axis=-1))


def chain(x, y):
    t = 1.5 * x + y
    return nd.sqrt(abs(t * t - x)) * 0.7 + y


SETUP = {
    "A1": program(lambda x: nd.sum(abs(x)), "x"),
    "A2": program(lambda a, x: a @ x, "a", "x"),
    "A3": program(lambda a, b: a @ b, "a", "b"),
    "A4": program(images.life, "g"),
    "A5": program(images.demosaic, "raw"),
    "A6": program(lambda image: images.gauss(image, 2, 1), "img"),
    "A7": program(images.turn, "img"),
    "A8": program(images.corners, "img"),
    "A9": program(images.motion, "cur", "ref", of=lambda made: nd.astype(made, nd.int32)),
    "A10": program(lambda left, right, given: images.stereo(left, right, given["d"]), "left", "right"),
    "N1": program(lambda x, y: nd.sum(x * y), "x", "y"),
    "N2": program(lambda x: nd.sort(x), "x"),
    "N2Q": program(lambda x: nested.quicksort.on_device(x), "x", of=lambda made: nd.astype(made, nd.int32)),
    "N3": program(black_scholes, "s", "k", "t", of=stacked),
    "N4C": program(lambda x, y: nested.quickhull.on_device(x, y), "x", "y"),
    "N4S": program(lambda x, y: nested.quickhull.on_device(x, y), "x", "y"),
    "N5": program(lambda x, y, m: nested.barnes_hut(x, y, m), "x", "y", "m", of=stacked),
    "N5B": program(lambda x, y, m: nested.all_pairs(x, y, m, 1e-4), "x", "y", "m", of=stacked),
    "N6": program(lambda val, col, x, ptr: rows(val * nd.take(x, col), ptr), "val", "col", "x", "ptr"),
    "N7": program(rows, "x", "off"),
    "N8F": program(lambda x: nd.cumulative_sum(x), "x"),
    "N8I": program(lambda x: nd.cumulative_sum(x, dtype=nd.int32), "x"),
    "N9": program(lambda given: nested.mandelbrot.on_device(given["n"]), of=lambda made: nd.astype(made.reshape(int(made.size**0.5), -1), nd.int32)),
    "N10": program(lambda x: x[x > 0], "x"),
    "N11": program(lambda x: nd.bincount(nd.astype(x * 256, nd.int64), minlength=256), "x", of=lambda made: nd.astype(made, nd.int32)),
    "N12": program(chain, "x", "y"),
}
