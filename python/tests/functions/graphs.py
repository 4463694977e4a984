"""Graph algorithms: searches, components, orders, shortest paths."""

from .kinds import *


def bfs_levels(graph: Graph, source: Small):
    if source >= len(graph):
        return []
    level = [-1] * len(graph)
    level[source] = 0
    frontier = [source]
    depth = 0
    while frontier:
        depth += 1
        found = []
        for u in frontier:
            for v in graph[u]:
                if level[v] < 0:
                    level[v] = depth
                    found.append(v)
        frontier = found
    return level


def dfs_order(graph: Graph):
    if not graph:
        return []
    seen = [False] * len(graph)
    order = []
    stack = [0]
    while stack:
        u = stack.pop()
        if seen[u]:
            continue
        seen[u] = True
        order.append(u)
        for v in reversed(graph[u]):
            if not seen[v]:
                stack.append(v)
    return order


def component_labels(graph: Graph):
    label = list(range(len(graph)))
    changed = True
    while changed:
        changed = False
        for u, nbrs in enumerate(graph):
            for v in nbrs:
                m = min(label[u], label[v])
                if label[u] != m or label[v] != m:
                    label[u] = label[v] = m
                    changed = True
    return label


def union_find_count(n: Pos, edges: Pairs):
    up = list(range(n))
    count = n
    for a, b in edges:
        a, b = a % n, b % n
        while up[a] != a:
            a = up[a]
        while up[b] != b:
            b = up[b]
        if a != b:
            up[a] = b
            count -= 1
    return count


def topological_order(graph: Dag):
    n = len(graph)
    indegree = [0] * n
    for nbrs in graph:
        for v in nbrs:
            indegree[v] += 1
    ready = [u for u in range(n) if indegree[u] == 0]
    order = []
    while ready:
        u = ready.pop()
        order.append(u)
        for v in graph[u]:
            indegree[v] -= 1
            if indegree[v] == 0:
                ready.append(v)
    return order


def count_triangles(graph: Graph):
    return sum(1 for u in range(len(graph)) for v in graph[u] for w in graph[v] if w in graph[u])


def degree_histogram(graph: Graph):
    degrees = [len(nbrs) for nbrs in graph]
    return [degrees.count(d) for d in range(max(degrees, default=0) + 1)]


def reachable(graph: Graph, a: Small, b: Small):
    if a >= len(graph) or b >= len(graph):
        return False
    seen = {a}
    todo = [a]
    while todo:
        u = todo.pop()
        if u == b:
            return True
        for v in graph[u]:
            if v not in seen:
                seen.add(v)
                todo.append(v)
    return False


def bellman_ford(n: Pos, edges: Pairs):
    far = 10**9
    dist = [far] * n
    dist[0] = 0
    for _ in range(n - 1):
        for a, b in edges:
            u, v = a % n, b % n
            if dist[u] < far and dist[u] + a + b < dist[v]:
                dist[v] = dist[u] + a + b
    return dist


def floyd_warshall(m: Square):
    n = len(m)
    d = [[abs(x) for x in row] for row in m]
    for k in range(n):
        d = [[min(d[i][j], d[i][k] + d[k][j]) for j in range(n)] for i in range(n)]
    return d


def prim_cost(m: Square):
    n = len(m)
    if n == 0:
        return 0.0
    inside = [False] * n
    near = [float("inf")] * n
    near[0] = 0.0
    total = 0.0
    for _ in range(n):
        u = min((i for i in range(n) if not inside[i]), key=lambda i: near[i])
        inside[u] = True
        total += near[u]
        for v in range(n):
            if not inside[v]:
                near[v] = min(near[v], abs(m[u][v]) + abs(m[v][u]))
    return total
