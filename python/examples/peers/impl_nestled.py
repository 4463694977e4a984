"""Nestled from Python, for the runner of the peers: a table of workloads, each a pair of what is timed and what gives its result to NumPy."""

import images
import nested
import numpy as np

import nestled as nd
from nestled import Nested


def program(function, *names, of=lambda x: x, given=()):
    """A program of the inputs of these names, compiled at its first call; `given` are names of parameters, and `of` says what becomes of results."""
    compiled = nd.jit(function)

    def setup(inputs, parameters):
        arrays = [nd.asarray(inputs[name]) for name in names]
        nd.evaluate(*arrays)
        constants = [parameters[name] for name in given]
        return lambda: compiled(*arrays, *constants), lambda made: np.asarray(of(made))

    return setup


def called(function, *names, of=lambda x: x, to=lambda inputs: inputs):
    """Any function that computes, on the inputs of these names; before the first call, `to` makes of them what it takes."""

    def setup(inputs, parameters):
        arrays = to([nd.asarray(inputs[name]) for name in names] or [parameters["n"]])
        nd.evaluate(*[array for array in arrays if isinstance(array, nd.Array)])

        def call():
            made = function(*arrays)
            nd.evaluate(*(made if isinstance(made, tuple) else (made,)))
            return made

        return call, lambda made: np.asarray(of(made))

    return setup


def wide(dtype):
    """Inputs in the type that functions in NESL have."""
    return lambda inputs: [nd.astype(x, dtype) for x in inputs]


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


def in_rows(values, offsets):
    """Rows between offsets."""
    return Nested.from_array(values).unflatten(offsets[1:] - offsets[:-1])


def multiply(entries, columns, x):
    """A sparse matrix times a vector: each entry with the element of its column."""
    return nd.asarray((entries * Nested.from_array(nd.gather(x, [columns], mode="clip")).unflatten(entries)).sum(axis=-1))


def chain(x, y):
    t = 1.5 * x + y
    return nd.sqrt(abs(t * t - x)) * 0.7 + y


def histogram(x):
    return nd.bincount(nd.astype(nd.floor(x * 256), nd.int32), length=256)


def narrow(made):
    return nd.astype(made, nd.int32)


SETUP = {
    "A1": program(lambda x: nd.sum(abs(x)), "x"),
    "A2": program(lambda a, x: a @ x, "a", "x"),
    "A3": program(lambda a, b: a @ b, "a", "b"),
    "A4": program(images.life, "g"),
    "A5": program(images.demosaic, "raw", of=stacked),
    "A6": program(lambda image: images.gauss(image, 2, 1), "img"),
    "A7": program(images.turn, "img"),
    "A8": program(images.corners, "img"),
    "A9": program(images.motion, "cur", "ref", of=lambda made: narrow(nd.stack(made, axis=-1))),
    "A10": program(images.stereo, "left", "right", given=["d"]),
    "N1": program(lambda x, y: nd.sum(x * y), "x", "y"),
    "N2": program(lambda x: nd.sort(x), "x"),
    "N2Q": called(nested.quicksort.on_device, "x", of=narrow, to=wide(nd.int64)),
    "N3": program(black_scholes, "s", "k", "t", of=stacked),
    "N4C": called(nested.hull, "x", "y"),
    "N4S": called(nested.hull, "x", "y"),
    "N5": called(nested.barnes_hut, "x", "y", "m", of=stacked, to=wide(nd.float64)),
    "N5B": program(lambda x, y, m: nested.all_pairs(x, y, m, 1e-4), "x", "y", "m", of=stacked),
    "N6": called(multiply, "val", "col", "x", "ptr", to=lambda inputs: [in_rows(inputs[0], inputs[3]), inputs[1], inputs[2]]),
    "N7": called(lambda rows: nd.asarray(rows.sum(axis=-1)), "x", "off", to=lambda inputs: [in_rows(*inputs)]),
    "N8F": program(lambda x: nd.cumulative_sum(x), "x"),
    "N8I": program(lambda x: nd.cumulative_sum(x, dtype=nd.int32), "x"),
    "N9": called(nested.mandelbrot),
    "N10": called(lambda x: x[x > 0], "x"),
    "N11": program(histogram, "x", of=narrow),
    "N12": program(chain, "x", "y"),
}
