"""The median of numpy's exact searches, in milliseconds: numpy_scan.py VECTORS DIMENSIONS NEAREST SEARCHES."""

import sys
import time

import numpy as np

vectors, dimensions, nearest, searches = map(int, sys.argv[1:])
random = np.random.default_rng(11)
matrix = random.random((vectors, dimensions), dtype=np.float32) - np.float32(0.5)
matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
times = []
for _ in range(searches + 1):
    asked = random.random(dimensions, dtype=np.float32) - np.float32(0.5)
    asked /= np.linalg.norm(asked)
    began = time.perf_counter()
    likeness = matrix @ asked
    best = np.argpartition(-likeness, nearest)[:nearest]
    best = best[np.argsort(-likeness[best])]
    times.append(time.perf_counter() - began)
# The first one warms up.
print(sorted(times[1:])[searches // 2] * 1000)
