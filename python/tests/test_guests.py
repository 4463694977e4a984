"""Compiled functions under other engines: they go to other processes with their source, and keep to the threads that a worker is given."""

import os
import pickle
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import nestled as nd

scale = 3


@nd.fn
def squares(numbers):
    return [n * n for n in numbers]


def local_functions():
    """Functions that no name leads to: lambdas, with captured values, that call themselves and others."""
    shift = 10

    @nd.fn
    def ordered(a):
        if len(a) < 2:
            return a
        p = a[len(a) // 2]
        less, more = [ordered(v) for v in [[x for x in a if x < p], [x for x in a if x > p]]]
        return less + [x for x in a if x == p] + more

    @nd.fn
    def with_default(a, by=2):
        return [x * by * scale for x in a]

    return [nd.fn(lambda a: [x + shift for x in a]), ordered, with_default, nd.fn(lambda a: ordered([x % 3 for x in a]) + squares(a))]


def elsewhere(code, *, stdin=b"", **variables):
    """The output of a program in a process of its own."""
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], input=stdin, env=dict(os.environ, **variables), capture_output=True, timeout=300
    )
    assert run.returncode == 0, run.stderr.decode()
    return run.stdout.decode()


@pytest.mark.parametrize("number", range(4))
def test_functions_without_a_name_arrive(number):
    function = local_functions()[number]
    data = [5, 3, 8, 1, 3]
    assert pickle.loads(pickle.dumps(function))(data) == function(data)
    found = elsewhere(
        "import pickle, sys, nestled\nfunction = pickle.load(sys.stdin.buffer)\nprint(function([5, 3, 8, 1, 3]), function.python([5, 3, 8, 1, 3]), function.source_nesl() != '')",
        stdin=pickle.dumps(function),
    )
    assert found == f"{function(data)} {function.python(data)} True\n"


def test_traced_functions_arrive():
    factor = 4.0
    function = nd.jit(lambda x: nd.exp(x) * factor)
    found = elsewhere(
        "import pickle, sys, nestled as nd\nprint(pickle.load(sys.stdin.buffer)(nd.asarray([0.0, 1.0])).tolist())", stdin=pickle.dumps(function)
    )
    assert found == f"{function(nd.asarray([0.0, 1.0])).tolist()}\n"


def test_functions_of_modules_go_by_name():
    assert pickle.loads(pickle.dumps(squares)) is squares
    assert b"numbers" not in pickle.dumps(squares)


def test_another_python_is_told():
    made, state = nd.fn(lambda a: [x for x in a]).__reduce__()[1:]
    with pytest.raises(ValueError, match="one version of Python"):
        nd._carried.unpacked(("cpython-27", 2), *made[1:])


SPAWNED = """
import multiprocessing, nestled as nd

@nd.fn
def cubes(numbers):
    return [n * n * n for n in numbers]

if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.map(cubes, [[1, 2], [3]]), pool.apply(nd.fn(lambda a: sum(a)), ([1, 2, 3],)))
"""


def test_processes_of_multiprocessing(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SPAWNED)
    run = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=300)
    assert run.stdout == "[[1, 8], [27]] 6\n", run.stderr


@pytest.mark.parametrize(("variables", "threads"), [({"OMP_NUM_THREADS": "1"}, 1), ({"OMP_NUM_THREADS": "3,2"}, 3), ({"OMP_NUM_THREADS": "1", "NESTLED_THREADS": "2"}, 2)])
def test_workers_keep_to_their_threads(variables, threads):
    variables = {"NESTLED_THREADS": "", **variables}
    found = elsewhere("import nestled as nd\nprint(nd.threads())", **{k: v for k, v in variables.items()})
    assert found == f"{threads}\n"


def test_joblib():
    joblib = pytest.importorskip("joblib", reason="the package `joblib` is not installed, so its workers were not tried")
    function = local_functions()[0]
    with joblib.parallel_config(backend="loky", inner_max_num_threads=1):
        found = joblib.Parallel(n_jobs=2)([joblib.delayed(function)([1, 2]), joblib.delayed(nd.threads)(), joblib.delayed(squares.python)([3])])
    assert found == [[11, 12], 1, [9]]


def test_dask():
    distributed = pytest.importorskip("distributed", reason="the package `distributed` is not installed, so Dask's workers were not tried")
    functions = local_functions()
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=2, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        tasks = [client.submit(f, [5, 3, 8]) for f in functions] + [client.submit(nd.threads)]
        array = client.submit(lambda x: (x * 2.0).eval(), nd.asarray(np.arange(4.0)))
        assert client.gather(tasks) == [f([5, 3, 8]) for f in functions] + [1]
        assert array.result().tolist() == [0.0, 2.0, 4.0, 6.0]


def test_ray(monkeypatch):
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    ray = pytest.importorskip("ray", reason="the package `ray` is not installed, so its workers were not tried")

    def call(function, *args):
        return function(*args)

    functions = local_functions()
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        remote = ray.remote(call)
        tasks = [remote.remote(function, [5, 3, 8]) for function in functions] + [remote.remote(nd.threads)]
        array = remote.remote(lambda x: (x * 2.0).eval(), nd.asarray(np.arange(4.0)))
        assert ray.get(tasks, timeout=300) == [function([5, 3, 8]) for function in functions] + [1]
        assert ray.get(array, timeout=300).tolist() == [0.0, 2.0, 4.0, 6.0]
    finally:
        ray.shutdown()
