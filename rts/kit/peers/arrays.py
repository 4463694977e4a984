"""What CuPy, PyTorch or JAX take for the benches of our catalog, on one card: `arrays.py cupy`, `torch`, `torch-compile` or `jax`.

A line for each way to do a bench: peer, bench, milliseconds of the kernels by events of CUDA (`-` where there are none), milliseconds of the whole until the
host knows that all is done, and what is reached by the whole. Inputs stay on the device, and so do results; times are medians of eleven samples, each the least of five,
as in our own benches. Whatever is wrong, fails or is not done has a line, too.

`--here` is for trying the script without a card: the processor, and small inputs. `--seconds N` says after how long no other bench begins."""

import argparse
import functools
import math
import statistics
import time
import warnings

import numpy as np

from cases import CASES, HERE, LARGE, NORMAL, RATE, VOLATILITY

START = time.perf_counter()
# No bench is timed for much longer, whole and kernels each.
MOST_SECONDS = 0.5


# Formulas for PyTorch and JAX, whose module is `m`.


def chain(m, x, y):
    return m.sqrt(m.abs((1.5 * x + y) ** 2 - x)) * 0.7 + y


def polynomial(m, x):
    u = 1 / (1 + 0.2316419 * m.abs(x))
    tail = m.exp(-0.5 * x * x) / math.sqrt(2 * math.pi) * functools.reduce(lambda sum, b: u * (sum + b), NORMAL[::-1], 0.0)
    return m.where(x > 0, 1 - tail, tail)


def black_scholes(m, normal, price, strike, years):
    spread = VOLATILITY * m.sqrt(years)
    d = (m.log(price / strike) + (RATE + 0.5 * VOLATILITY**2) * years) / spread
    later = strike * m.exp(-RATE * years)
    call = price * normal(d) - later * normal(d - spread)
    return call, call - price + later


def life(m, cells):
    column = m.roll(cells, 1, 0) + cells + m.roll(cells, -1, 0)
    around = m.roll(column, 1, 1) + column + m.roll(column, -1, 1) - cells
    return m.where((around == 3) | ((around == 2) & (cells == 1)), 1.0, 0.0)


def shifted(pad, image, w):
    """A blur by sums of shifted images; `pad` repeats edges, so many rows and columns."""
    rows, columns = image.shape
    reach = len(w) // 2
    padded = pad(image, reach, 0)
    sums = sum(weight * padded[at : at + rows] for at, weight in enumerate(w))
    padded = pad(sums, 0, reach)
    return sum(weight * padded[:, at : at + columns] for at, weight in enumerate(w))


def klt(m, pad, blur, image, w, a):
    b = blur(image, w)
    across, down = pad(b, 0, 1), pad(b, 1, 0)
    gx, gy = 0.5 * (across[:, 2:] - across[:, :-2]), 0.5 * (down[2:] - down[:-2])
    xx, xy, yy = blur(gx * gx, a), blur(gx * gy, a), blur(gy * gy, a)
    half = 0.5 * (xx - yy)
    return 0.75 * (xx + yy) - 0.5 * m.sqrt(half * half + xy * xy)


# A peer has a method for each bench that it does, of the inputs on its device; it gives the ways to do it by what to call them.


class Cupy:
    CHAIN = "float t = 1.5f * x + y; z = sqrtf(fabsf(t * t - x)) * 0.7f + y"
    BLACK_SCHOLES = """
        float spread = 0.3f * sqrtf(t), d = (logf(s / k) + (0.02f + 0.5f * 0.3f * 0.3f) * t) / spread, later = k * expf(-0.02f * t), below[2];
        for (int side = 0; side < 2; side++) {
          float x = side ? d - spread : d, u = 1.0f / (1.0f + 0.2316419f * fabsf(x));
          float tail = expf(-0.5f * x * x) * 0.3989422804f
            * (u * (0.319381530f + u * (-0.356563782f + u * (1.781477937f + u * (-1.821255978f + u * 1.330274429f)))));
          below[side] = x > 0.0f ? 1.0f - tail : tail;
        }
        call = s * below[0] - later * below[1];
        put = call - s + later"""
    MANDELBROT = """
        float cx = (i % side) * step - 2.0f, cy = (i / side) * step - 1.25f, x = 0.0f, y = 0.0f;
        int rounds = 0;
        while (rounds < 255 && x * x + y * y <= 4.0f) {
          float next = x * x - y * y + cx;
          y = 2.0f * x * y + cy;
          x = next;
          rounds++;
        }
        count = rounds"""

    def __init__(self, here):
        import cupy as cp
        import cupyx.scipy.ndimage
        import cupyx.scipy.sparse

        self.cp, self.ndimage, self.sparse = cp, cupyx.scipy.ndimage, cupyx.scipy.sparse
        self.wait = cp.cuda.Device().synchronize
        self.put, self.get = cp.asarray, cp.asnumpy
        self.busy = cp.empty(1 << (16 if here else 26), cp.float32)

    def kernel_time(self, run):
        start, stop = self.cp.cuda.Event(), self.cp.cuda.Event()
        # While the card is busy, the host launches what is timed; else it would be the host that is timed.
        for value in range(4):
            self.busy.fill(value)
        start.record()
        run()
        stop.record()
        stop.synchronize()
        return self.cp.cuda.get_elapsed_time(start, stop) * 1e-3

    def copy(self, m):
        return {"": lambda: m.copy()}

    def saxpy(self, x, y):
        kernel = self.cp.ElementwiseKernel("float32 x, float32 y", "float32 z", "z = 2.5f * x + y", "saxpy")
        return {"a kernel of its own": lambda: kernel(x, y)}

    def chain(self, x, y):
        kernel = self.cp.ElementwiseKernel("float32 x, float32 y", "float32 z", self.CHAIN, "chain")
        return {"a kernel of its own": lambda: kernel(x, y), "operators": lambda: chain(self.cp, x, y)}

    def black_scholes(self, price, strike, years):
        kernel = self.cp.ElementwiseKernel("float32 s, float32 k, float32 t", "float32 call, float32 put", self.BLACK_SCHOLES, "black_scholes")
        return {"a kernel of its own": lambda: kernel(price, strike, years)}

    def mandelbrot(self, n, step):
        kernel = self.cp.ElementwiseKernel("int32 side, float32 step", "int32 count", self.MANDELBROT, "mandelbrot")
        return {"a kernel of its own": lambda: kernel(np.int32(n), np.float32(step), size=n * n).reshape(n, n)}

    def sum(self, x):
        return {"": lambda: x.sum()}

    def sum_abs(self, m):
        fused = self.cp.fuse(kernel_name="sum_abs")(lambda m: self.cp.sum(self.cp.absolute(m)))
        return {"fused": lambda: fused(m), "operators": lambda: self.cp.absolute(m).sum()}

    def dot(self, x, y):
        return {"": lambda: self.cp.dot(x, y)}

    def row_sums(self, m):
        return {"": lambda: m.sum(axis=1)}

    def column_sums(self, m):
        return {"": lambda: m.sum(axis=0)}

    def scan_f32(self, x):
        return {"": lambda: self.cp.cumsum(x)}

    def scan_i32(self, x):
        return {"": lambda: self.cp.cumsum(x, dtype=self.cp.int32)}

    def filter(self, x):
        return {"": lambda: x[x > 0]}

    def histogram(self, x):
        return {
            "histogram": lambda: self.cp.histogram(x, bins=256, range=(0.0, 1.0))[0],
            "bincount": lambda: self.cp.bincount((x * 256).astype(self.cp.int32), minlength=256),
        }

    def segmented_sum(self, x, offsets, ids):
        count = len(offsets) - 1
        ones = self.cp.ones(1, self.cp.float32)
        rows = self.matrix(x, self.cp.zeros(len(x), self.cp.int32), offsets, 1)
        return {
            "bincount, f64": lambda: self.cp.bincount(ids, weights=x, minlength=count),
            "sparse matrix × 1": lambda: rows @ ones,
        }

    def matrix(self, values, columns, offsets, width):
        rows = self.sparse.csr_matrix((values, columns, offsets), shape=(len(offsets) - 1, width))
        # Else the first product would add what is at the same place, and all that follow would have less to do.
        rows.has_canonical_format = True
        return rows

    def spmv(self, values, columns, offsets, ids, x):
        rows = self.matrix(values, columns, offsets, len(x))
        return {"csr_matrix": lambda: rows @ x}

    def sort(self, x):
        return {"": lambda: self.cp.sort(x)}

    def life(self, cells):
        nine = self.cp.ones((3, 3), self.cp.float32)
        rule = self.cp.ElementwiseKernel("float32 nine, float32 cell", "float32 lives", "lives = nine == 3.0f || (nine == 4.0f && cell == 1.0f)", "life")
        return {"convolve": lambda: rule(self.ndimage.convolve(cells, nine, mode="wrap"), cells)}

    def blur(self, image, w):
        down = self.ndimage.correlate1d(image, w, axis=0, mode="nearest")
        return self.ndimage.correlate1d(down, w, axis=1, mode="nearest")

    def gaussian(self, image, w):
        w = self.cp.asarray(w, self.cp.float32)
        return {"correlate1d": lambda: self.blur(image, w)}

    def klt(self, image, w, a):
        w, a, slope = (self.cp.asarray(weights, self.cp.float32) for weights in (w, a, [-0.5, 0.0, 0.5]))
        corner = self.cp.ElementwiseKernel(
            "float32 xx, float32 xy, float32 yy",
            "float32 out",
            "float half = 0.5f * (xx - yy); out = 0.75f * (xx + yy) - 0.5f * sqrtf(half * half + xy * xy)",
            "corner",
        )

        def corners():
            b = self.blur(image, w)
            gx = self.ndimage.correlate1d(b, slope, axis=1, mode="nearest")
            gy = self.ndimage.correlate1d(b, slope, axis=0, mode="nearest")
            return corner(self.blur(gx * gx, a), self.blur(gx * gy, a), self.blur(gy * gy, a))

        return {"correlate1d": corners}

    def matmul(self, a, b):
        return {"": lambda: a @ b}


class Torch:
    def __init__(self, here):
        import torch

        warnings.filterwarnings("ignore", "Sparse")  # It is called beta.
        self.torch = torch
        if not here and not torch.cuda.is_available():
            raise RuntimeError("PyTorch finds no card")
        self.device = torch.device("cpu" if here else "cuda")
        self.wait = (lambda: None) if here else torch.cuda.synchronize
        self.busy = None if here else torch.empty(1 << 26, device=self.device)
        # All others compute with whole floats, too.
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False

    def put(self, array):
        return self.torch.from_numpy(array).to(self.device)

    def get(self, result):
        return result.cpu().numpy()

    def kernel_time(self, run):
        if self.busy is None:
            return None
        start, stop = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        # While the card is busy, the host launches what is timed; else it would be the host that is timed.
        for value in range(4):
            self.busy.fill_(value)
        start.record()
        run()
        stop.record()
        stop.synchronize()
        return start.elapsed_time(stop) * 1e-3

    def pad(self, image, rows, columns):
        return self.torch.nn.functional.pad(image[None, None], (columns, columns, rows, rows), mode="replicate")[0, 0]

    def convolved(self, image, w):
        conv2d, reach = self.torch.nn.functional.conv2d, len(w) // 2
        w = self.torch.tensor(w, device=self.device)
        down = conv2d(self.pad(image, reach, 0)[None, None], w[None, None, :, None])[0, 0]
        return conv2d(self.pad(down, 0, reach)[None, None], w[None, None, None, :])[0, 0]

    def copy(self, m):
        return {"": lambda: m.clone()}

    def saxpy(self, x, y):
        return {"": lambda: self.torch.add(y, x, alpha=2.5)}

    def chain(self, x, y):
        return {"": lambda: chain(self.torch, x, y)}

    def black_scholes(self, *inputs):
        def by(normal):
            return lambda: black_scholes(self.torch, normal, *inputs)

        return {"polynomial": by(functools.partial(polynomial, self.torch)), "ndtr": by(self.torch.special.ndtr)}

    def mandelbrot(self, n, step):
        def rounds():
            at = self.torch.arange(n, device=self.device, dtype=self.torch.float32) * step
            cx, cy = at - 2.0, (at - 1.25)[:, None]
            x = y = self.torch.zeros(n, n, device=self.device)
            count = self.torch.zeros(n, n, device=self.device, dtype=self.torch.int32)
            for _ in range(255):
                # Who has left never comes back.
                count += x * x + y * y <= 4
                x, y = x * x - y * y + cx, 2 * x * y + cy
            return count

        return {"255 rounds of all": rounds}

    def sum(self, x):
        return {"": lambda: x.sum()}

    def sum_abs(self, m):
        return {"": lambda: m.abs().sum(), "norm": lambda: self.torch.linalg.vector_norm(m, 1)}

    def dot(self, x, y):
        return {"": lambda: self.torch.dot(x, y)}

    def row_sums(self, m):
        return {"": lambda: m.sum(1)}

    def column_sums(self, m):
        return {"": lambda: m.sum(0)}

    def scan_f32(self, x):
        return {"": lambda: self.torch.cumsum(x, 0)}

    def scan_i32(self, x):
        return {"": lambda: self.torch.cumsum(x, 0, dtype=self.torch.int32)}

    def filter(self, x):
        return {"": lambda: x[x > 0]}

    def histogram(self, x):
        return {
            "histc": lambda: self.torch.histc(x, 256, 0.0, 1.0),
            "bincount": lambda: self.torch.bincount((x * 256).int(), minlength=256),
        }

    def segmented_sum(self, x, offsets, ids):
        count = len(offsets) - 1
        lengths = (offsets[1:] - offsets[:-1]).long()
        return {
            "segment_reduce": lambda: self.torch.segment_reduce(x, "sum", lengths=lengths, initial=0.0, unsafe=True),
            "index_add": lambda: self.torch.zeros(count, device=self.device).index_add_(0, ids, x),
        }

    def spmv(self, values, columns, offsets, ids, x):
        rows = self.torch.sparse_csr_tensor(offsets, columns, values, size=(len(offsets) - 1, len(x)))
        return {"sparse_csr": lambda: rows @ x}

    def sort(self, x):
        return {"also gives places": lambda: self.torch.sort(x).values}

    def life(self, cells):
        return {"rolled": lambda: life(self.torch, cells)}

    def gaussian(self, image, w):
        return {"conv2d": lambda: self.convolved(image, w), "shifted": lambda: shifted(self.pad, image, w)}

    def klt(self, image, w, a):
        def by(blur):
            return lambda: klt(self.torch, self.pad, blur, image, w, a)

        return {"conv2d": by(self.convolved), "shifted": by(functools.partial(shifted, self.pad))}

    def matmul(self, a, b):
        return {"": lambda: a @ b}


class Compiled(Torch):
    """`torch.compile` where it has something to fuse; a way of its own, because compiling takes seconds each time."""

    WITHOUT = dict.fromkeys(
        "copy sum dot row-sums column-sums scan-f32 scan-i32 filter histogram segmented-sum spmv sort matmul".split(),
        "little to fuse with what the library calls",
    )
    WITHOUT["mandelbrot"] = "its loop would be unrolled 255 times"

    def compiled(self, function, *inputs):
        function = self.torch.compile(function, dynamic=False)
        return {"": lambda: function(*inputs)}

    def saxpy(self, x, y):
        return self.compiled(lambda x, y: 2.5 * x + y, x, y)

    def chain(self, x, y):
        return self.compiled(lambda x, y: chain(self.torch, x, y), x, y)

    def black_scholes(self, *inputs):
        normal = functools.partial(polynomial, self.torch)
        return self.compiled(lambda *inputs: black_scholes(self.torch, normal, *inputs), *inputs)

    def sum_abs(self, m):
        return self.compiled(lambda m: m.abs().sum(), m)

    def life(self, cells):
        return self.compiled(lambda cells: life(self.torch, cells), cells)

    def gaussian(self, image, w):
        return self.compiled(lambda image: shifted(self.pad, image, w), image)

    def klt(self, image, w, a):
        blur = functools.partial(shifted, self.pad)
        return self.compiled(lambda image: klt(self.torch, self.pad, blur, image, w, a), image)


class Jax:
    def __init__(self, here):
        import jax

        if here:
            jax.config.update("jax_platforms", "cpu")
        elif jax.default_backend() != "gpu":
            raise RuntimeError("JAX finds no card")
        self.jax, self.jnp = jax, jax.numpy
        self.put, self.get = jax.numpy.asarray, np.asarray
        self.wait = lambda: None

    def kernel_time(self, run):
        return None

    def jit(self, function, *inputs):
        function = self.jax.jit(function)
        return lambda: self.jax.block_until_ready(function(*inputs))

    def pad(self, image, rows, columns):
        return self.jnp.pad(image, ((rows, rows), (columns, columns)), mode="edge")

    def copy(self, m):
        return {"": self.jit(self.jnp.copy, m)}

    def saxpy(self, x, y):
        return {"": self.jit(lambda x, y: 2.5 * x + y, x, y)}

    def chain(self, x, y):
        return {"": self.jit(lambda x, y: chain(self.jnp, x, y), x, y)}

    def black_scholes(self, *inputs):
        def by(normal):
            return self.jit(lambda *inputs: black_scholes(self.jnp, normal, *inputs), *inputs)

        return {"polynomial": by(functools.partial(polynomial, self.jnp)), "ndtr": by(self.jax.scipy.special.ndtr)}

    def mandelbrot(self, n, step):
        jnp = self.jnp

        def rounds(step):
            at = jnp.arange(n, dtype=jnp.float32) * step
            cx, cy = at - 2.0, (at - 1.25)[:, None]

            def one(_, state):
                x, y, count = state
                # Who has left never comes back.
                count += x * x + y * y <= 4
                return x * x - y * y + cx, 2 * x * y + cy, count

            zero = jnp.zeros((n, n), jnp.float32)
            return self.jax.lax.fori_loop(0, 255, one, (zero, zero, jnp.zeros((n, n), jnp.int32)))[2]

        return {"255 rounds of all": self.jit(rounds, np.float32(step))}

    def sum(self, x):
        return {"": self.jit(self.jnp.sum, x)}

    def sum_abs(self, m):
        return {"": self.jit(lambda m: self.jnp.abs(m).sum(), m)}

    def dot(self, x, y):
        return {"": self.jit(lambda x, y: self.jnp.dot(x, y, precision="highest"), x, y)}

    def row_sums(self, m):
        return {"": self.jit(lambda m: m.sum(1), m)}

    def column_sums(self, m):
        return {"": self.jit(lambda m: m.sum(0), m)}

    def scan_f32(self, x):
        return {"": self.jit(self.jnp.cumsum, x)}

    def scan_i32(self, x):
        return {"": self.jit(self.jnp.cumsum, x)}

    def filter(self, x):
        # Under `jit` shapes are known before; so this is three calls, and the host waits in between.
        return {"without jit": lambda: self.jax.block_until_ready(x[x > 0])}

    def histogram(self, x):
        return {"bincount": self.jit(lambda x: self.jnp.bincount((x * 256).astype(self.jnp.int32), length=256), x)}

    def segmented_sum(self, x, offsets, ids):
        count, segment_sum = len(offsets) - 1, self.jax.ops.segment_sum
        return {"segment_sum": self.jit(lambda x, ids: segment_sum(x, ids, count, indices_are_sorted=True), x, ids)}

    def spmv(self, values, columns, offsets, ids, x):
        rows, segment_sum = len(offsets) - 1, self.jax.ops.segment_sum
        product = lambda values, columns, ids, x: segment_sum(values * x[columns], ids, rows, indices_are_sorted=True)
        return {"segment_sum": self.jit(product, values, columns, ids, x)}

    def sort(self, x):
        return {"": self.jit(self.jnp.sort, x)}

    def life(self, cells):
        return {"rolled": self.jit(lambda cells: life(self.jnp, cells), cells)}

    def gaussian(self, image, w):
        return {"shifted": self.jit(lambda image: shifted(self.pad, image, w), image)}

    def klt(self, image, w, a):
        blur = functools.partial(shifted, self.pad)
        return {"shifted": self.jit(lambda image: klt(self.jnp, self.pad, blur, image, w, a), image)}

    def matmul(self, a, b):
        # By default JAX takes shorter floats.
        return {"": self.jit(lambda a, b: self.jnp.matmul(a, b, precision="highest"), a, b)}


def median(sample):
    """The median of eleven samples, each the least of five, or of fewer where they take long; nothing if there is nothing to measure."""
    end, samples = time.perf_counter() + MOST_SECONDS, []
    while len(samples) < 11 and (not samples or time.perf_counter() < end):
        times = [sample()]
        while times[0] is not None and len(times) < 5 and time.perf_counter() < end:
            times.append(sample())
        if times[0] is None:
            return None
        samples.append(min(times))
    return statistics.median(samples)


def whole_time(peer, run):
    peer.wait()
    start = time.perf_counter()
    run()
    peer.wait()
    return time.perf_counter() - start


def line(bench, *columns):
    print(f"{PEER:13} {bench:14}", *columns, flush=True)


def first_line(error):
    return (str(error).strip() or type(error).__name__).splitlines()[0][:150]


def measure(peer, bench, case):
    results = lambda found: tuple(map(peer.get, found)) if isinstance(found, tuple) else peer.get(found)
    ways = getattr(peer, bench.replace("-", "_"))(*map(peer.put, case.inputs), **case.numbers)
    for way, run in ways.items():
        try:
            found = results(run())
            wrong = case.wrong(found)
            if wrong:
                line(bench, f"WRONG: {wrong}", way)
                continue
            amount = case.amount(found) if callable(case.amount) else case.amount
            del found
            run()
            whole, kernels = median(lambda: whole_time(peer, run)), median(lambda: peer.kernel_time(run))
            shown = "-" if kernels is None else f"{kernels * 1e3:.4f}"
            line(bench, f"{shown:>10} {whole * 1e3:>10.4f} {amount / whole * 1e-9:>9.1f} {case.unit:7}", way)
        except Exception as error:
            line(bench, f"failed: {first_line(error)}", way)


def main(options):
    try:
        peer = PEERS[PEER](options.here)
    except Exception as error:
        print(f"{PEER} is left out: {first_line(error)}")
        return
    print(f"{'peer':13} {'bench':14} {'kernels ms':>10} {'whole ms':>10} {'rate':>9}")
    without = getattr(peer, "WITHOUT", {})
    for reason in dict.fromkeys(without.values()):
        print(f"{PEER:13} not done: {', '.join(bench for bench in without if without[bench] == reason)}: {reason}")
    for bench, make in CASES.items():
        if options.only and bench not in options.only:
            continue
        if bench in without:
            continue
        if time.perf_counter() - START > options.seconds:
            line(bench, "left out: the time is over")
            continue
        try:
            measure(peer, bench, make(HERE if options.here else LARGE))
        except Exception as error:
            line(bench, f"failed: {first_line(error)}")


PEERS = {"cupy": Cupy, "torch": Torch, "torch-compile": Compiled, "jax": Jax}
if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peer", choices=PEERS)
    parser.add_argument("--here", action="store_true")
    parser.add_argument("--seconds", type=float, default=math.inf)
    parser.add_argument("--only", nargs="*", metavar="BENCH")
    options = parser.parse_args()
    PEER = options.peer
    main(options)
