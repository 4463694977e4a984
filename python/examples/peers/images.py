"""Programs for images, as a user of arrays writes them: A4 to A10."""

import functools
import math
import operator

import nestled as nd


def shifted(image, dy, dx, mode="edge"):
    """Each pixel's neighbour, so many rows below and columns to the right; beyond a border is the pixel at the border, or the mirrored one."""
    return nd.shift(image, (-dy, -dx), mode=mode)


def life(g):
    rows = g + nd.roll(g, 1, axis=0) + nd.roll(g, -1, axis=0)
    nine = rows + nd.roll(rows, 1, axis=1) + nd.roll(rows, -1, axis=1)
    return nd.astype((nine == 3) | ((nine == 4) & (g == 1)), nd.float32)


def demosaic(raw):
    """Malvar, He and Cutler: what each pixel lacks, from its neighbours and the change of its own colour."""
    at = lambda dy, dx: shifted(raw, dy, dx, "reflect")  # noqa: E731
    near = {"v": at(-1, 0) + at(1, 0), "h": at(0, -1) + at(0, 1)}
    far = {"v": at(-2, 0) + at(2, 0), "h": at(0, -2) + at(0, 2)}
    corners = at(-1, -1) + at(-1, 1) + at(1, -1) + at(1, 1)
    green = (4 * raw + 2 * (near["v"] + near["h"]) - far["v"] - far["h"]) / 8
    same = 5 * raw - corners
    along = (same + 4 * near["h"] - far["h"] + far["v"] / 2) / 8
    across = (same + 4 * near["v"] - far["v"] + far["h"] / 2) / 8
    opposite = (6 * raw + 2 * corners - 1.5 * (far["v"] + far["h"])) / 8
    odd_row, odd_column = nd.arange(raw.shape[0])[:, None] % 2 == 1, nd.arange(raw.shape[1])[None, :] % 2 == 1
    pick = lambda a, b, c, d: nd.where(odd_row, nd.where(odd_column, d, c), nd.where(odd_column, b, a))  # noqa: E731
    return pick(raw, along, across, opposite), pick(green, raw, raw, green), pick(opposite, across, along, raw)


def gauss(image, radius, sigma):
    """Rows, then columns, with weights of a bell."""
    weights = [math.exp(-(k * k) / (2 * sigma * sigma)) for k in range(-radius, radius + 1)]
    weights = [weight / sum(weights) for weight in weights]
    for dy, dx in ((1, 0), (0, 1)):
        image = sum(weight * shifted(image, k * dy, k * dx) for k, weight in zip(range(-radius, radius + 1), weights))
    return image


def turn(image):
    """An image turned by 10° about its centre."""
    n, m = image.shape[:2]
    sin, cos = math.sin(math.radians(10)), math.cos(math.radians(10))
    middle = (n - 1) / 2
    y, x, _ = (place - middle for place in nd.indices((n, m, 1), dtype=nd.float32))
    sx, sy = cos * x + sin * y + middle, cos * y - sin * x + middle
    left, above = nd.floor(sx), nd.floor(sy)
    ix, iy = nd.astype(left, nd.int32), nd.astype(above, nd.int32)
    fx, fy = sx - left, sy - above
    channel = nd.indices((1, 1, image.shape[2]), dtype=nd.int32)[2]
    tap = lambda dy, dx: nd.gather(image, [iy + dy, ix + dx, channel], mode="constant")  # noqa: E731
    mix = lambda a, b, f: a * (1 - f) + b * f  # noqa: E731
    return mix(mix(tap(0, 0), tap(0, 1), fx), mix(tap(1, 0), tap(1, 1), fx), fy)


def corners(image):
    """The lesser eigenvalue of what changes around each pixel, and more."""
    smooth = gauss(image, 2, 1)
    gx = (shifted(smooth, 0, 1) - shifted(smooth, 0, -1)) / 2
    gy = (shifted(smooth, 1, 0) - shifted(smooth, -1, 0)) / 2
    xx, xy, yy = gauss(gx * gx, 4, 2), gauss(gx * gy, 4, 2), gauss(gy * gy, 4, 2)
    half, difference = (xx + yy) / 2, (xx - yy) / 2
    return 1.5 * half - 0.5 * nd.sqrt(difference * difference + xy * xy)


def halved(image):
    return ((image[::2, ::2] + image[::2, 1::2]) + (image[1::2, ::2] + image[1::2, 1::2])) / 4


def search(current, reference, my, mx, size, unit, radius, step):
    """The best of the displacements around those that were found, in units of 1/unit pixels. Axes are block row, block column, candidate, row, column."""
    n, width = my.shape[0], 2 * radius + 1
    row, column, _, below, beside = nd.indices((n, n, 1, size, size))
    y, x = row * size + below, column * size + beside
    candidate = nd.arange(width * width)
    try_y = my[:, :, None] + (candidate // width - radius) * step
    try_x = mx[:, :, None] + (candidate % width - radius) * step
    deep_y, deep_x = try_y[..., None, None], try_x[..., None, None]
    iy, ix = y + deep_y // unit, x + deep_x // unit
    tap = lambda dy, dx: nd.gather(reference, [iy + dy, ix + dx], mode="clip")  # noqa: E731
    sample = tap(0, 0)
    if unit > 1:
        fy, fx = (nd.astype(tried % unit, nd.float32) / unit for tried in (deep_y, deep_x))
        mix = lambda a, b, f: (1 - f) * a + f * b  # noqa: E731
        sample = mix(mix(sample, tap(0, 1), fx), mix(tap(1, 0), tap(1, 1), fx), fy)
    own = nd.gather(current, [y, x], mode="clip")
    best = nd.argmin(nd.sum(abs(own - sample), axis=(3, 4)), axis=2)[:, :, None]
    return tuple(nd.take_along_axis(tried, best, axis=2)[:, :, 0] for tried in (try_y, try_x))


def motion(current, reference):
    """Where each block of 16×16 pixels came from, in quarters of a pixel: a search on coarse images first."""
    n = current.shape[0] // 16
    images = [(current, reference)]
    for _ in range(2):
        images.append((halved(images[-1][0]), halved(images[-1][1])))
    my = mx = nd.zeros((n, n), dtype=nd.int64)
    for level, scale, size, unit, radius, step in ((2, 1, 4, 1, 3, 1), (1, 2, 8, 1, 1, 1), (0, 2, 16, 1, 1, 1), (0, 4, 16, 4, 1, 2), (0, 1, 16, 4, 1, 1)):
        my, mx = search(*images[level], my * scale, mx * scale, size, unit, radius, step)
    return my, mx


def seven(image, axis):
    """The sum of seven neighbours along an axis."""
    return functools.reduce(operator.add, [nd.shift(image, by, axis=axis) for by in range(-3, 4)])


def stereo(left, right, candidates):
    """How far each pixel is displaced in the other image."""
    best = found = None
    for d in range(candidates):
        cost = seven(seven((left - shifted(right, 0, -d)) ** 2, 0), 1)
        better = cost < (math.inf if best is None else best)
        found = nd.where(better, nd.full(left.shape, d, dtype=nd.int32), nd.zeros(left.shape, dtype=nd.int32) if found is None else found)
        best = cost if best is None else nd.minimum(best, cost)
    return found
