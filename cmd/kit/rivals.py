"""Times what others offer for the operations of Grove, on the arrays that kit arrays wrote.

Reads the .npy files in the folder that the first argument names; the second one is the device (cuda or cpu), the third
the number of columns. Prints one JSON object: "absent" says of every library that could not be used why, "figures" has
for every operation who computed it, the median seconds of five samples, and the sum of the entries of the result. What
fails says so in "errors" and ends nothing else.
"""
import json
import sys
import time

folder, device, columns = sys.argv[1], sys.argv[2], int(sys.argv[3])
absent, figures, errors = {}, [], []


def found(name):
    try:
        return __import__(name, fromlist=["x"])
    except Exception as error:  # a library may also fail to load what it needs
        absent[name] = f"{type(error).__name__}: {error}".splitlines()[0]


def sample(run, wait):
    def calls(n):
        start = time.perf_counter()
        for _ in range(n):
            run()
        wait()
        return (time.perf_counter() - start) / n

    took = [calls(1) for _ in range(3)][-1]
    return sorted(calls(int(max(1, min(1e5, 0.05 / took)))) for _ in range(5))[2]


def measure(operation, by, run, wait, total):
    try:
        figures.append({"operation": operation, "by": by, "seconds": sample(run, wait), "sum": total(run())})
    except Exception as error:
        errors.append(f"{by}, {operation}: {type(error).__name__}: {error}".splitlines()[0])


numpy, torch, cupy = found("numpy"), found("torch"), found("cupy")
if torch and device == "cuda" and not torch.cuda.is_available():
    absent["torch"] = "torch has no CUDA here"
    torch = None


def array(name, *shape):
    loaded = numpy.load(f"{folder}/{name}.npy")
    return loaded.reshape(shape) if shape else loaded


def with_torch():
    def total(result):
        return float(result.sum(dtype=torch.float64))

    by = f"torch {torch.__version__}"
    wait = torch.cuda.synchronize if device == "cuda" else (lambda: None)
    torch.backends.cuda.matmul.allow_tf32 = False

    def load(name, *shape):
        return torch.from_numpy(array(name, *shape)).to(device)

    x, z, k = load("x", -1, columns), load("z", columns, columns), load("k", 4, columns, columns)
    row_ptr, col, offsets = load("row_ptr"), load("col"), load("offsets")
    measure("product", by, lambda: x @ z, wait, total)
    a = torch.sparse_csr_tensor(row_ptr, col, torch.ones(col.shape[0], device=device), size=(x.shape[0], x.shape[0]))
    measure("CSR product", by, lambda: a @ x, wait, total)
    lengths = (offsets[1:] - offsets[:-1]).long()
    measure("segment sum", by, lambda: torch.segment_reduce(x, "sum", lengths=lengths, unsafe=True), wait, total)

    def root():
        e, v = torch.linalg.eigh(k)
        return v / (e.clamp(min=0).sqrt() + 0.01).unsqueeze(1) @ v.mT

    measure("inverse square root", by, root, wait, total)
    parameter = torch.zeros(load("gradient").shape, device=device, requires_grad=True)
    parameter.grad = load("gradient")
    for name, options in {"fused": {"fused": True}, "foreach": {"foreach": True}}.items():
        try:
            adam = torch.optim.Adam([parameter], lr=1e-3, **options)
        except Exception as error:
            errors.append(f"{by}, Adam, {name}: {error}".splitlines()[0])
            continue
        measure("Adam", f"{by}, {name}", adam.step, wait, lambda _: 0.0)


def with_cupy():
    def total(result):
        return float(result.sum(dtype=cupy.float64))

    by = f"cupy {cupy.__version__}"
    wait = cupy.cuda.Device().synchronize
    x, z = cupy.asarray(array("x", -1, columns)), cupy.asarray(array("z", columns, columns))
    measure("product", by, lambda: x @ z, wait, total)
    sparse = found("cupyx.scipy.sparse")
    if sparse:
        row_ptr, col = cupy.asarray(array("row_ptr")), cupy.asarray(array("col"))
        a = sparse.csr_matrix((cupy.ones(col.shape[0], cupy.float32), col, row_ptr), shape=(x.shape[0], x.shape[0]))
        measure("CSR product", by, lambda: a @ x, wait, total)
    k = cupy.asarray(array("k", 4, columns, columns))

    def root():
        e, v = cupy.linalg.eigh(k)
        return v / (cupy.sqrt(cupy.maximum(e, 0)) + 0.01)[:, None, :] @ v.transpose(0, 2, 1)

    measure("inverse square root", by, root, wait, total)


def gin(layers=4, width=32, batch=32):
    """An epoch of a graph isomorphism network: batches of 32, 32 columns, as many graphs as the arrays have."""
    geometric = found("torch_geometric.nn")
    if not geometric:
        return
    data = found("torch_geometric.data")
    loader = found("torch_geometric.loader")
    offsets, row_ptr, col = array("offsets"), array("row_ptr").astype("int64"), array("col").astype("int64")
    source = numpy.repeat(numpy.arange(len(row_ptr) - 1), numpy.diff(row_ptr))
    labels = numpy.random.default_rng(1).integers(0, 37, offsets[-1])
    graphs = []
    for g in range(len(offsets) - 1):
        low, high = offsets[g], offsets[g + 1]
        arcs = slice(row_ptr[low], row_ptr[high])
        edges = torch.from_numpy(numpy.stack([source[arcs], col[arcs]]) - low)
        one_hot = torch.nn.functional.one_hot(torch.from_numpy(labels[low:high]), 37).float()
        graphs.append(data.Data(x=one_hot, edge_index=edges, y=torch.tensor([g % 2])))
    model = geometric.GIN(37, width, layers, out_channels=width, norm="batch_norm").to(device)
    last = torch.nn.Linear(width, 2).to(device)
    adam = torch.optim.Adam([*model.parameters(), *last.parameters()], lr=1e-3)

    def epoch():
        for b in loader.DataLoader(graphs, batch_size=batch, shuffle=True):
            b = b.to(device)
            adam.zero_grad()
            pooled = geometric.global_add_pool(model(b.x, b.edge_index), b.batch, size=b.num_graphs)
            torch.nn.functional.cross_entropy(last(pooled), b.y).backward()
            adam.step()

    wait = torch.cuda.synchronize if device == "cuda" else (lambda: None)
    measure("epoch", "GIN of torch_geometric", epoch, wait, lambda _: 0.0)


for name, run, needed in [("torch", with_torch, torch), ("cupy", with_cupy, cupy), ("torch_geometric", gin, torch)]:
    if numpy and needed and not (name == "cupy" and device == "cpu"):
        try:
            run()
        except Exception as error:
            errors.append(f"{name}: {type(error).__name__}: {error}".splitlines()[0])
if not torch:
    absent.setdefault("torch_geometric", "needs torch")
json.dump({"absent": absent, "figures": figures, "errors": errors}, sys.stdout)
