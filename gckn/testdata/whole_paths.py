"""Golden values of GCKN with the norms of whole paths, by its definition.

Chen, Jacob and Mairal (ICML 2020), section 3.4, and docs/conventions.md, 2: plain Python in double precision, which
shares nothing with Grove. `python3 whole_paths.py > whole_paths.json`
"""
import json
import math
import random


def inverse_root(k, epsilon):
    """V diag(1 / (sqrt(max(e, 0)) + epsilon)) V' of a symmetric matrix, by rotations of Jacobi."""
    n = len(k)
    a = [row[:] for row in k]
    v = [[float(i == j) for j in range(n)] for i in range(n)]
    for _ in range(100):
        if sum(a[i][j] ** 2 for i in range(n) for j in range(i)) < 1e-30:
            break
        for p in range(n):
            for q in range(p + 1, n):
                if a[p][q] == 0:
                    continue
                angle = 0.5 * math.atan2(2 * a[p][q], a[q][q] - a[p][p])
                c, s = math.cos(angle), math.sin(angle)
                for m in (a, v):
                    for row in m:
                        row[p], row[q] = c * row[p] - s * row[q], s * row[p] + c * row[q]
                a[p], a[q] = ([c * x - s * y for x, y in zip(a[p], a[q])], [s * x + c * y for x, y in zip(a[p], a[q])])
    w = [1 / (math.sqrt(max(a[i][i], 0)) + epsilon) for i in range(n)]
    return [[sum(v[i][m] * w[m] * v[j][m] for m in range(n)) for j in range(n)] for i in range(n)]


def dot(x, y):
    return sum(a * b for a, b in zip(x, y))


def kernel(x, z, size, alpha, in_sum):
    """|x| |z| exp(alpha (cos(x, z) - 1)) of the vectors of two paths, divided by the root of their size."""
    x, z = [v / math.sqrt(size) for v in x], [v / math.sqrt(size) for v in z]
    lengths = math.sqrt(dot(x, x) * dot(z, z))
    if lengths == 0:
        return 0.0
    return lengths * math.exp((alpha * size if in_sum else alpha) * (dot(x, z) / lengths - 1))


def routes(neighbours, start, size, walk):
    """All paths, or walks, of so many vertices from one of them."""
    found = [[start]]
    for _ in range(size - 1):
        found = [r + [v] for r in found for v in neighbours[r[-1]] if walk or v not in r]
    return found


def pool(rows, how, width):
    if not rows:
        return [0.0] * width
    if how == "max":
        return [max(c) for c in zip(*rows)]
    return [sum(c) / (len(rows) if how == "mean" else 1) for c in zip(*rows)]


def represent(case):
    edges, n = case["edges"], len(case["attributes"])
    neighbours = [sorted({b for a, b in edges if a == v} | {a for a, b in edges if b == v}) for v in range(n)]
    channels = [case["attributes"]]
    for anchors, sigma in zip(case["anchors"], case["sigmas"]):
        size, q, alpha, out = len(anchors), len(anchors[0]), 1 / sigma**2, []
        for x in channels:
            for j in range(1, size + 1) if case["all"] else [size]:
                z = []
                for f in range(q):
                    whole = sum((anchors[i][f] for i in range(j)), [])
                    length = math.sqrt(dot(whole, whole) / j)
                    z.append([v / length for v in whole])
                root = inverse_root([[kernel(a, b, j, alpha, case["sum"]) for b in z] for a in z], 0.01)
                rows = []
                for u in range(n):
                    vectors = [sum((x[v] for v in r), []) for r in routes(neighbours, u, j, case["walk"])]
                    pooled = pool([[kernel(p, a, j, alpha, case["sum"]) for a in z] for p in vectors], case["local"], q)
                    rows.append([dot(pooled, [root[m][f] for m in range(q)]) for f in range(q)])
                out.append(rows)
        channels = out
    whole = [pool(rows, case["global"], len(rows[0])) for rows in channels]
    return [whole[c][f] for f in range(len(whole[0])) for c in range(len(whole))]


def case(seed, name, sizes, walk=False, all=True, sum=False, local="sum", pooling="sum"):
    rng = random.Random(seed)

    def normal(scale=1.0):
        return round(scale * rng.gauss(0, 1), 3)

    n, d = 7, 3
    edges = [[v, rng.randrange(v)] for v in range(1, n - 1)] + [[0, 3], [2, 5]]
    c = {"name": name, "walk": walk, "all": all, "sum": sum, "local": local, "global": pooling,
         "edges": sorted({tuple(sorted(e)) for e in map(tuple, edges)}), "sigmas": [0.7, 0.9, 1.1][:len(sizes)],
         "attributes": [[normal(rng.choice([0.3, 1, 3])) for _ in range(d)] for _ in range(n)], "anchors": []}
    for size in sizes:
        c["anchors"].append([[[normal() for _ in range(d)] for _ in range(3)] for _ in range(size)])
    c["representations"] = represent(c)
    return c


if __name__ == "__main__":
    print(json.dumps([
        case(1, "paths", [3]), case(2, "walks", [3], walk=True), case(3, "the last length", [3], all=False),
        case(4, "exponent as a sum", [2], sum=True), case(5, "means", [3], local="mean", pooling="mean"),
        case(6, "maxima", [3], local="max", pooling="max"), case(7, "subtree", [3, 1]), case(8, "three layers", [2, 2, 1]),
    ], indent=None))
