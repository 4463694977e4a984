"""Explanations: how something is computed, in words; and the kernels as a picture, each with its bytes and the time that the model of the device predicts."""

from __future__ import annotations

from typing import NamedTuple

#: Pixels: of a box, between boxes, of a letter.
_WIDTH, _HEIGHT, _APART, _BELOW, _LETTER = 210, 64, 24, 36, 7


class Step(NamedTuple):
    """A kernel, or an operation that the device does natively."""

    name: str
    #: The combinators of a kernel.
    does: list[str]
    #: The positions of the steps whose results it needs.
    after: list[int]
    #: Bytes of what it takes and gives.
    bytes: float
    #: The predicted time of a kernel.
    nanoseconds: float | None


def _amount(number: float, units: str, by: float = 1000.0) -> str:
    names = units.split()
    at = 0
    while number >= by and at + 1 < len(names):
        number, at = number / by, at + 1
    return f"{number:.3g} {names[at]}"


def _summary(does: list[str]) -> str:
    """The combinators, equal neighbours together."""
    parts: list[tuple[str, int]] = []
    for name in does:
        if parts and parts[-1][0] == name:
            parts[-1] = (name, parts[-1][1] + 1)
        else:
            parts.append((name, 1))
    return ", ".join(name if count == 1 else f"{count} × {name}" for name, count in parts)


def _layers(steps: list[Step]) -> list[list[int]]:
    """Steps in layers: each below those that it needs, at the middle of where these stand."""
    depth: list[int] = []
    for step in steps:
        depth.append(1 + max((depth[at] for at in step.after), default=-1))
    layers: list[list[int]] = [[] for _ in range(1 + max(depth, default=-1))]
    for at, row in enumerate(depth):
        layers[row].append(at)
    place: dict[int, float] = {}
    for layer in layers:
        above = {at: [place[one] for one in steps[at].after] for at in layer}
        layer.sort(key=lambda at: sum(above[at]) / len(above[at]) if above[at] else at)
        for number, at in enumerate(layer):
            place[at] = number - len(layer) / 2
    return layers


def _text(x: float, y: float, text: str, more: str = "") -> str:
    import html

    most = (_WIDTH - 16) // _LETTER
    short = text if len(text) <= most else text[: most - 1] + "…"
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="middle"{more}>{html.escape(short)}</text>'


def svg(steps: list[Step]) -> str:
    """The graph of steps; the darker a box, the longer its part of the time."""
    layers = _layers(steps)
    widest = max((len(layer) for layer in layers), default=1)
    width = max(1, widest) * (_WIDTH + _APART) + _APART
    height = max(1, len(layers)) * (_HEIGHT + _BELOW) + _BELOW
    corner: dict[int, tuple[float, float]] = {}
    for row, layer in enumerate(layers):
        left = (width - len(layer) * (_WIDTH + _APART) + _APART) / 2
        for number, at in enumerate(layer):
            corner[at] = (left + number * (_WIDTH + _APART), _BELOW + row * (_HEIGHT + _BELOW))
    longest = max((step.nanoseconds or 0.0 for step in steps), default=0.0)
    lines, boxes = [], []
    for at, step in enumerate(steps):
        x, y = corner[at]
        middle = x + _WIDTH / 2
        for one in step.after:
            from_x, from_y = corner[one][0] + _WIDTH / 2, corner[one][1] + _HEIGHT
            half = (from_y + y) / 2
            lines.append(f'<path d="M{from_x:.0f} {from_y:.0f}C{from_x:.0f} {half:.0f} {middle:.0f} {half:.0f} {middle:.0f} {y:.0f}" fill="none" stroke="#888888"/>')
        part = (step.nanoseconds or 0.0) / longest if longest else 0.0
        boxes.append(f'<rect x="{x:.0f}" y="{y:.0f}" width="{_WIDTH}" height="{_HEIGHT}" rx="6" fill="#3b82c4" fill-opacity="{0.08 + 0.42 * part:.2f}" stroke="#3b82c4"/>')
        boxes.append(_text(middle, y + 19, step.name, ' font-weight="bold"'))
        boxes.append(_text(middle, y + 37, _summary(step.does)))
        time = "" if step.nanoseconds is None else f", {_amount(step.nanoseconds, 'ns µs ms s')}"
        boxes.append(_text(middle, y + 54, _amount(step.bytes, "B KiB MiB GiB TiB", 1024.0) + time))
    if not steps:
        boxes.append(_text(width / 2, height / 2, "nothing is left to compute"))
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    # A background, for pages that are dark.
    body = "\n".join(['<rect width="100%" height="100%" fill="#ffffff"/>', *lines, *boxes])
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="monospace" font-size="12">\n{body}\n</svg>\n'


class Explanation(str):
    """How something is computed: a text, with the steps beside it, which notebooks show as a picture."""

    steps: list[Step]

    @staticmethod
    def of(explained: tuple[str, list[tuple[str, list[str], list[int], float, float | None]]]) -> Explanation:
        """What the extension module says."""
        made = Explanation(explained[0])
        made.steps = [Step(*step) for step in explained[1]]
        return made

    def svg(self) -> str:
        """The picture."""
        return svg(self.steps)

    def _repr_svg_(self) -> str:
        return self.svg()

    def _repr_pretty_(self, printer: object, cycle: bool) -> None:
        """Lines as lines where the picture is not shown."""
        getattr(printer, "text")(str(self))
