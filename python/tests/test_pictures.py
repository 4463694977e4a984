"""Pictures: images of arrays, drawings by NESL, graphs of kernels, and lines of progress."""

import io
import struct
import time
import xml.etree.ElementTree
import zlib

import numpy as np
import pytest

import nestled as nd

SVG = "{http://www.w3.org/2000/svg}"


def pixels(picture):
    """The pixels of a PNG file whose rows are not filtered."""
    data = picture.png
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    at, parts = 8, {}
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        assert zlib.crc32(kind + body) == struct.unpack(">I", data[at + 8 + length : at + 12 + length])[0]
        parts[kind] = body
        at += 12 + length
    width, height, depth, kind, *_ = struct.unpack(">IIBBBBB", parts[b"IHDR"])
    assert depth == 8 and list(parts) == [b"IHDR", b"IDAT", b"IEND"]
    channels = {0: 1, 4: 2, 2: 3, 6: 4}[kind]
    rows = np.frombuffer(zlib.decompress(parts[b"IDAT"]), np.uint8).reshape(height, 1 + width * channels)
    assert (rows[:, 0] == 0).all()
    return rows[:, 1:].reshape(height, width, channels)


def test_bytes_are_taken_as_they_are():
    for shape in ((3, 5), (3, 5, 1), (3, 5, 2), (3, 5, 3), (3, 5, 4)):
        x = (np.arange(np.prod(shape)) * 7 % 256).astype(np.uint8).reshape(shape)
        assert (pixels(nd.image(nd.asarray(x))) == x.reshape(3, 5, -1)).all()
    picture = nd.image(np.array([[True, False]]), zoom=2)
    assert pixels(picture)[:, :, 0].tolist() == [[255, 255, 0, 0]] * 2
    assert (picture.width, picture.height) == (4, 2) and picture._repr_png_() == picture.png and "4 × 2" in repr(picture)


def test_numbers_are_scaled():
    assert pixels(nd.image(nd.asarray([[1.0, 2.0, 3.0]])))[0, :, 0].tolist() == [0, 128, 255]
    assert pixels(nd.image(nd.asarray([[-10, 0, 10]], dtype=nd.int32)))[0, :, 0].tolist() == [0, 128, 255]
    assert pixels(nd.image(nd.asarray([[0.0, 5.0, 20.0]]), low=0, high=10))[0, :, 0].tolist() == [0, 128, 255]
    assert pixels(nd.image(nd.asarray([[nd.nan, 1.0, 2.0]])))[0, :, 0].tolist() == [0, 0, 255]
    assert pixels(nd.image(nd.full((2, 2), 7.5)))[0, 0, 0] == 0
    assert pixels(nd.image(nd.full((1, 1, 3), 0.5, dtype=nd.float32))).tolist() == [[[128, 128, 128]]]
    for wrong, why in (((3,), "rows and columns"), ((2, 2, 5), "channels"), ((0, 3), "at least one pixel")):
        with pytest.raises(ValueError, match=why):
            nd.image(nd.zeros(wrong))
    with pytest.raises(ValueError, match="at least one pixel wide"):
        nd.image(nd.zeros((2, 2)), zoom=0)


def test_images_are_saved(tmp_path):
    picture = nd.image(nd.eye(3))
    picture.save(tmp_path / "eye.png")
    assert (tmp_path / "eye.png").read_bytes() == picture.png


DRAWING = """
    function corner(n) = (float(n), float(n * n));
    (window, box) = w_make_window_box(((0, 0), 90, 60), ((0.0, 0.0), 4.0, 16.0), "a curve", w_black, "");
    w_draw_lines({corner(n) : n in [0:5]}, 1, w_red, box);
    sum({n * n : n in [0:5]});
"""


def test_programs_in_nesl_draw(tmp_path):
    run = nd.run_nesl(DRAWING)
    (drawing,) = run.drawings
    assert drawing.title == "a curve" and "it = 30 : int" in run.printed
    root = xml.etree.ElementTree.fromstring(drawing.svg)
    assert root.tag == f"{SVG}svg" and root.get("width") == "90" and "#ff0000" in drawing.svg
    assert drawing._repr_svg_() == drawing.svg and repr(drawing) == "<drawing 'a curve'>"
    drawing.save(tmp_path / "curve.svg")
    assert (tmp_path / "curve.svg").read_text() == drawing.svg
    # Expressions do not run again when a function is wanted; its names do.
    assert run.functions.corner(3) == (3.0, 9.0) and "w_draw_lines" not in run.functions.source


def test_programs_in_nesl_say_what_is_wrong():
    with pytest.raises(nd.NeslError, match=r"nesl:2"):
        nd.run_nesl("x = 1;\ny = x + ;")
    with pytest.raises(nd.Fault, match="nesl:3"):
        nd.run_nesl("x = [1, 2];\n\nx[x[1] + 5];")
    with pytest.raises(nd.NeslError, match="line 2: commands"):
        nd.run_nesl("1;\nset print_length 3;")
    assert nd.run_nesl("").printed == ""
    assert nd.run_nesl("x = 2;\nfunction times(y) = x * y;").functions.times(21) == 42


def test_explanations_are_pictures():
    x = nd.random.uniform((1000,), seed=1)
    explained = (nd.sort(x * 2.0) + x.sum()).explain()
    assert isinstance(explained, str) and "kernels" in explained
    names = [step.does for step in explained.steps]
    sort = names.index(["sort"])
    assert explained.steps[sort].nanoseconds is None and explained.steps[sort].bytes >= 16_000
    assert explained.steps[sort].after and sort in explained.steps[-1].after
    assert any("reduce" in does for does in names)
    assert all(step.nanoseconds > 0 for step in explained.steps if step.does[0] in ("map", "reduce"))
    root = xml.etree.ElementTree.fromstring(explained._repr_svg_())
    assert len(root.findall(f"{SVG}path")) == sum(len(step.after) for step in explained.steps)
    assert len(root.findall(f"{SVG}rect")) == 1 + len(explained.steps)
    assert "KiB" in explained.svg()
    # More work, more time.
    large = (nd.random.uniform((1_000_000,), seed=1) * 2.0).explain()
    small = (x * 2.0).explain()
    assert large.steps[-1].nanoseconds > 10 * small.steps[-1].nanoseconds


def test_explanations_of_programs():
    @nd.jit
    def step(x, y):
        return x + y, (x * y).sum()

    x = nd.ones(10)
    assert step.explain(x, x).steps and "<svg" in step.explain(x, x).svg()
    assert "nothing is left" in x.eval().explain().svg()
    both = nd.explain(x + 1.0, x.sum())
    assert "kernels" in both


def test_boxes_do_not_lie_on_each_other():
    from nestled._explained import Step, svg

    steps = [Step("a", ["map"], [], 8.0, 5.0), Step("b", ["map", "map", "reduce"], [0], 8.0, 5.0), Step("<c>", ["sort"], [0], 2e9, None), Step("d", ["scan"], [1, 2], 0.0, 5e6)]
    root = xml.etree.ElementTree.fromstring(svg(steps))
    boxes = [(float(box.get("x")), float(box.get("y"))) for box in root.findall(f"{SVG}rect")[1:]]
    assert len(set(boxes)) == 4 and boxes[0][1] < boxes[1][1] == boxes[2][1] < boxes[3][1]
    texts = [text.text for text in root.findall(f"{SVG}text")]
    assert "2 × map, reduce" in texts and "<c>" in texts and "1.86 GiB" in texts and "0 B, 5 ms" in texts


def test_progress_of_scans(tmp_path):
    path = tmp_path / "rows.parquet"
    nd.Nested.from_iter([{"x": i} for i in range(1000)]).write(path)
    file = io.StringIO()
    scan = nd.Scan(path, rows=100)
    work = nd.progress(scan, file=file)
    total = 0
    for number, piece in enumerate(work):
        total += piece.x.sum()
        if number == 4:
            assert "40 %" in work.line() and "400 of 1 000" in work.line() and "left" in work.line()
            time.sleep(0.8)
    assert total == 499_500 and work.done == 1000
    assert "400 of 1 000" in file.getvalue() and file.getvalue().endswith("\n") and "100 %" in file.getvalue()


def test_progress_of_blocks():
    file = io.StringIO()
    with nd.progress("a wait", file=file) as work:
        (nd.random.uniform((1237,), seed=3) * 2.25 + 1.0).sum().eval()
        time.sleep(0.8)
        line = work.line()
    assert line.startswith("a wait  0:00") and "\ra wait" in file.getvalue()
    quick = io.StringIO()
    with nd.progress("quick", file=quick):
        pass
    assert quick.getvalue() == ""
    assert list(nd.progress([1, 2, 3], file=quick)) == [1, 2, 3] and quick.getvalue() == ""
    assert list(nd.progress((i for i in range(3)), total=3, file=quick)) == [0, 1, 2]
    with pytest.raises(TypeError, match="not iterated over"):
        list(nd.progress("name"))


def test_progress_ends_with_an_exception():
    file = io.StringIO()
    with pytest.raises(KeyError):
        for _ in nd.progress(range(3), file=file):
            time.sleep(0.7)
            raise KeyError
    assert file.getvalue().endswith("\n")
