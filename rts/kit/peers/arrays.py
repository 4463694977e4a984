"""What CuPy, PyTorch or JAX take for our benches, on one card: `arrays.py cupy`. A line for each: name, milliseconds (the least of eleven), GB/s."""

import sys
import time

N = 10_000_000
SIDE = 8000
PEER = sys.argv[1]


def cupy_side():
    import cupy as cp

    x = cp.random.random(N, dtype=cp.float32)
    y = cp.random.random(N, dtype=cp.float32)
    m = cp.random.random((SIDE, SIDE), dtype=cp.float32)
    i = cp.random.randint(-100, 101, N, dtype=cp.int32)
    a, b = m[:2048, :2048].copy(), m[2048:4096, :2048].copy()
    fused = cp.fuse(lambda x, y: cp.sqrt(cp.abs((1.5 * x + y) ** 2 - x)) * cp.float32(0.7) + y)
    jobs = {
        "copy": (8 * N, lambda: x.copy()),
        "chain": (12 * N, lambda: fused(x, y)),
        "sum": (4 * N, lambda: x.sum()),
        "dot": (8 * N, lambda: cp.dot(x, y)),
        "row-sums": (4 * SIDE * SIDE, lambda: m.sum(axis=1)),
        "column-sums": (4 * SIDE * SIDE, lambda: m.sum(axis=0)),
        "scan-f32": (8 * N, lambda: cp.cumsum(x)),
        "scan-i32": (8 * N, lambda: cp.cumsum(i, dtype=cp.int32)),
        "filter": (6 * N, lambda: x[x > 0.5]),
        "sort": (8 * N, lambda: cp.sort(i)),
        "matmul": (12 * 2048**2, lambda: a @ b),
    }
    return jobs, cp.cuda.Device().synchronize


def torch_side():
    import torch

    if not torch.cuda.is_available():
        sys.exit("torch has no card")
    card = torch.device("cuda")
    x, y = torch.rand(N, device=card), torch.rand(N, device=card)
    m = torch.rand(SIDE, SIDE, device=card)
    i = torch.randint(-100, 101, (N,), device=card, dtype=torch.int32)
    a, b = m[:2048, :2048].contiguous(), m[2048:4096, :2048].contiguous()

    def chain():
        return torch.sqrt(torch.abs((1.5 * x + y) ** 2 - x)) * 0.7 + y

    jobs = {
        "copy": (8 * N, lambda: x.clone()),
        "chain": (12 * N, chain),
        "sum": (4 * N, lambda: x.sum()),
        "dot": (8 * N, lambda: torch.dot(x, y)),
        "row-sums": (4 * SIDE * SIDE, lambda: m.sum(1)),
        "column-sums": (4 * SIDE * SIDE, lambda: m.sum(0)),
        "scan-f32": (8 * N, lambda: torch.cumsum(x, 0)),
        "scan-i32": (8 * N, lambda: torch.cumsum(i, 0, dtype=torch.int32)),
        "filter": (6 * N, lambda: x[x > 0.5]),
        "sort": (8 * N, lambda: torch.sort(i)),
        "matmul": (12 * 2048**2, lambda: a @ b),
    }
    return jobs, torch.cuda.synchronize


def jax_side():
    import jax
    import jax.numpy as jnp

    if jax.default_backend() != "gpu":
        sys.exit("jax has no card")
    keys = jax.random.split(jax.random.PRNGKey(1), 4)
    x, y = (jax.random.uniform(key, (N,)) for key in keys[:2])
    m = jax.random.uniform(keys[2], (SIDE, SIDE))
    i = jax.random.randint(keys[3], (N,), -100, 101, dtype=jnp.int32)
    a, b = m[:2048, :2048], m[2048:4096, :2048]

    def job(bytes_moved, function, *args):
        compiled = jax.jit(function)
        return bytes_moved, lambda: jax.block_until_ready(compiled(*args))

    jobs = {
        "copy": job(8 * N, lambda x: x + 1, x),
        "chain": job(12 * N, lambda x, y: jnp.sqrt(jnp.abs((1.5 * x + y) ** 2 - x)) * 0.7 + y, x, y),
        "sum": job(4 * N, jnp.sum, x),
        "dot": job(8 * N, jnp.dot, x, y),
        "row-sums": job(4 * SIDE * SIDE, lambda m: m.sum(1), m),
        "column-sums": job(4 * SIDE * SIDE, lambda m: m.sum(0), m),
        "scan-f32": job(8 * N, jnp.cumsum, x),
        "scan-i32": job(8 * N, jnp.cumsum, i),
        "sort": job(8 * N, jnp.sort, i),
        "matmul": job(12 * 2048**2, jnp.matmul, a, b),
    }
    return jobs, lambda: None


jobs, wait = {"cupy": cupy_side, "torch": torch_side, "jax": jax_side}[PEER]()
for name, (moved, run) in jobs.items():
    try:
        times = []
        for _ in range(13):
            wait()
            start = time.perf_counter()
            result = run()
            wait()
            times.append(time.perf_counter() - start)
            del result
        best = min(times[2:])
        print(f"{PEER:6} {name:14} {best * 1e3:9.3f} ms {moved / best / 1e9:8.1f} GB/s", flush=True)
    except Exception as error:
        print(f"{PEER:6} {name:14} failed: {error}", flush=True)
