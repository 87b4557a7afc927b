"""Times the product of a sparse matrix (CSR) and a dense one by torch.sparse.

Reads row_ptr.npy, col.npy and x.npy in the folder that the first argument names and prints one JSON
object: the median seconds of a product, the sum of the entries of the result, and what computed it.
The second argument is the device (cpu or cuda), the third the number of threads on a CPU.
"""
import json
import sys
import time

import numpy
import torch

folder, device, threads = sys.argv[1], sys.argv[2], int(sys.argv[3])
torch.set_num_threads(threads)


def load(name):
    return torch.from_numpy(numpy.load(f"{folder}/{name}.npy")).to(device)


def wait():
    if device != "cpu":
        torch.cuda.synchronize()


row_ptr, col = load("row_ptr"), load("col")
x = load("x").reshape(row_ptr.shape[0] - 1, -1)
a = torch.sparse_csr_tensor(row_ptr, col, torch.ones(col.shape[0], device=device), size=(row_ptr.shape[0] - 1, x.shape[0]))
y = a @ x
y = a @ x  # the second call finds everything loaded
wait()
start = time.perf_counter()
a @ x
wait()
calls = max(1, int(0.05 / max(time.perf_counter() - start, 1e-6)))
seconds = []
for _ in range(5):
    start = time.perf_counter()
    for _ in range(calls):
        a @ x
    wait()
    seconds.append((time.perf_counter() - start) / calls)
name = torch.cuda.get_device_name() if device != "cpu" else f"cpu, {threads} threads"
print(json.dumps({"seconds": sorted(seconds)[2], "sum": y.double().sum().item(), "name": f"torch.sparse {torch.__version__}, {name}"}))
