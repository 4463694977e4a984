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


def steps(cx, cy):
    """How many steps a point takes until it leaves."""
    x, y, k = 0.0, 0.0, 0
    while k < 255 and x * x + y * y <= 4.0:
        x, y = x * x - y * y + cx, 2.0 * x * y + cy
        k += 1
    return k


@nd.fn
def mandelbrot(n):
    return [steps(-2.0 + 2.5 / n * (i % n), -1.25 + 2.5 / n * (i // n)) for i in range(n * n)]


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
