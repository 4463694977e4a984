"""Programs with lists of any lengths and recursion, as ordinary Python functions: N2Q, N4, N5B, N9; and Barnes-Hut in NESL."""

import pathlib

import nestled as nd

EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "examples"


@nd.fn
def quicksort(a):
    if len(a) < 2:
        return a
    p = a[len(a) // 2]
    less, more = [quicksort(v) for v in [[x for x in a if x < p], [x for x in a if x > p]]]
    return less + [x for x in a if x == p] + more


def area(p, q, x):
    return (q[0] - p[0]) * (x[1] - p[1]) - (q[1] - p[1]) * (x[0] - p[0])


def chain(points, p, q):
    """The hull from p to q, without q, of points to the left of the line."""
    if len(points) == 0:
        return [p]
    areas = [area(p, q, x) for x in points]
    farthest = points[areas.index(max(areas))]
    first, second = [
        chain([x for x in points if area(a, b, x) > 0], a, b) for a, b in [(p, farthest), (farthest, q)]
    ]
    return first + second


@nd.fn
def quickhull(xs, ys):
    """The numbers of the corners of the hull, clockwise."""
    points = [(xs[i], ys[i], i) for i in range(len(xs))]
    left, right = points[xs.index(min(xs))], points[xs.index(max(xs))]
    above, below = [
        chain([x for x in points if area(a, b, x) > 0], a, b) for a, b in [(left, right), (right, left)]
    ]
    return [i for x, y, i in above + below]


#: How many points are looked at first, and columns of equal width, each with a part that is certainly inside.
SAMPLE, COLUMNS = 16_384, 2048


def hull(x, y):
    """The numbers of the corners: the hull of a few points tells which others are certainly inside, and quickhull does the rest."""
    if x.size < 4 * SAMPLE:
        return quickhull.on_device(x, y)
    step = x.size // SAMPLE
    sample = x[::step], y[::step]
    corners = quickhull.on_device(*sample)
    px, py = (nd.astype(at(one, corners), nd.float64) for one in sample)
    left, right = nd.min(px).item(), nd.max(px).item()
    numbers = nd.arange(x.size)[outside(x, y, px, py, left, COLUMNS / (right - left))]
    return at(numbers, quickhull.on_device(at(x, numbers), at(y, numbers)))


def at(x, places):
    """The elements at places, or the nearest ones."""
    return nd.gather(x, [places], mode="clip")


def outside(x, y, px, py, left, scale):
    """False only for points inside of the hull of a sample."""
    low, high = bounds(px, py, left, scale)
    # Rounded, a point may come into the next column; bounds hold there, too.
    column = nd.astype(nd.floor((x - left) * scale), nd.int64) + 1
    return (y <= at(low, column)) | (y >= at(high, column))


def bounds(px, py, left, scale):
    """For each column, and one more at each end where nothing is inside: from where on and up to where points are inside of a hull."""
    dx, dy = nd.roll(px, -1) - px, nd.roll(py, -1) - py
    # Where the line of each edge meets the left side of each column.
    side = (nd.arange(COLUMNS + 1, dtype=nd.float64) / scale + left)[:, None]
    meets = py + (side - px) * (dy / dx)
    # The hull goes clockwise: to the right above, and back below.
    lowest = nd.min(nd.where(dx > 0, meets, nd.inf), axis=1)
    highest = nd.max(nd.where(dx < 0, meets, -nd.inf), axis=1)
    margin = (nd.max(py) - nd.min(py)) * 1e-5
    columns = nd.arange(COLUMNS + 2)
    is_end = (columns < 2) | (columns >= COLUMNS)

    def sides(of, strict):
        """The hull is convex: within a column, and its neighbours, a bound is strictest at a side."""
        own = [at(of, columns + by) for by in (-2, -1, 0, 1)]
        return strict(strict(own[0], own[1]), strict(own[2], own[3]))

    low, high = sides(highest, nd.maximum) + margin, sides(lowest, nd.minimum) - margin
    return nd.astype(nd.where(is_end, nd.inf, low), nd.float32), nd.astype(nd.where(is_end, -nd.inf, high), nd.float32)


def mandelbrot(n):
    """How many steps each point of a grid takes until it leaves."""
    row, column = (place * (2.5 / n) for place in nd.indices((n, n), dtype=nd.float32))
    zero = nd.zeros((n, n), dtype=nd.float32)
    return nd.while_loop(
        lambda x, y, cx, cy, k: (x * x + y * y <= 4.0) & (k < 255),
        lambda x, y, cx, cy, k: (x * x - y * y + cx, x * y * 2.0 + cy, cx, cy, k + 1),
        (zero, zero, column - 2.0, row - 1.25, nd.zeros((n, n), dtype=nd.int32)),
    )[4]


def all_pairs(x, y, mass, softening):
    dx, dy = x[None, :] - x[:, None], y[None, :] - y[:, None]
    d2 = dx * dx + dy * dy + softening
    pull = mass[None, :] / (d2 * nd.sqrt(d2))
    return nd.sum(pull * dx, axis=1), nd.sum(pull * dy, axis=1)


_functions, _ = (EXAMPLES / "barnes_hut.nesl").read_text().split("\nn = ")
barnes_hut = nd.nesl(
    _functions
    + """
    function forces(xs, ys, masses) =
      let pulls = accelerations({(x, y, m) : x in xs; y in ys; m in masses}, 0.5, 0.0001)
      in ({ax : (ax, ay) in pulls}, {ay : (ax, ay) in pulls});
    """
).forces
