"""Times epochs of a graph isomorphism network in plain PyTorch, on a CPU.

Reads row_ptr.npy, col.npy (the arcs of all graphs), labels.npy (of the vertices), offsets.npy (of the graphs) and
classes.npy (of the graphs) in the folder that the first argument names and prints one JSON object: the median seconds of
an epoch, the loss of the last one, and what computed it. Further arguments are the number of threads, layers, width,
batch size and epochs. With one thread the seconds are those of the processor. Laying out the batches is part of an epoch. Neighbours are added up by index_add, which is faster
here than products of sparse tensors.
"""
import json
import sys
import time

import numpy
import torch
from torch import nn

folder, threads, layers, width, size, epochs = sys.argv[1], *map(int, sys.argv[2:7])
torch.set_num_threads(threads)
torch.manual_seed(0)
row_ptr, col, labels, offsets, classes = (
    torch.from_numpy(numpy.load(f"{folder}/{name}.npy")).long()
    for name in ("row_ptr", "col", "labels", "offsets", "classes"))
one_hot = torch.eye(int(labels.max()) + 1)
head = torch.repeat_interleave(torch.arange(len(labels)), row_ptr[1:] - row_ptr[:-1])


class GIN(nn.Module):
    def __init__(self):
        super().__init__()
        def half(inputs):
            return nn.Sequential(nn.Linear(inputs, width, bias=False), nn.BatchNorm1d(width), nn.ReLU())
        self.layers = nn.ModuleList(
            nn.Sequential(half(one_hot.shape[1] if l == 0 else width), half(width)) for l in range(layers))
        self.dropout = nn.Dropout(0.5)
        self.out = nn.Linear(layers * width, int(classes.max()) + 1)

    def forward(self, x, source, target, graph, graphs):
        pooled = []
        for mlp in self.layers:
            x = mlp(x.index_add(0, target, x[source]))
            pooled.append(x.new_zeros(graphs, width).index_add(0, graph, x))
        return self.out(self.dropout(torch.cat(pooled, 1)))


def batch(graphs):
    """The features, arcs and graph of every vertex of some graphs."""
    first, count = offsets[graphs], offsets[graphs + 1] - offsets[graphs]
    graph = torch.repeat_interleave(torch.arange(len(graphs)), count)
    shift = torch.cumsum(count, 0) - count - first
    vertices = torch.arange(int(count.sum())) - shift[graph]
    arcs = row_ptr[vertices + 1] - row_ptr[vertices]
    at = torch.repeat_interleave(torch.arange(len(vertices)), arcs)
    entry = torch.arange(int(arcs.sum())) - (torch.cumsum(arcs, 0) - arcs - row_ptr[vertices])[at]
    return one_hot[labels[vertices]], col[entry] + shift[graph[at]], at, graph


model = GIN()
optimiser = torch.optim.Adam(model.parameters(), lr=0.01)
clock = time.process_time if threads == 1 else time.perf_counter
seconds, loss = [], None
for _ in range(epochs):
    start, total = clock(), 0.0
    for graphs in torch.randperm(len(classes)).split(size):
        x, source, target, graph = batch(graphs)
        loss = nn.functional.cross_entropy(model(x, source, target, graph, len(graphs)), classes[graphs])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        total += loss.item() * len(graphs)
    seconds.append(clock() - start)
print(json.dumps({
    "seconds": sorted(seconds)[len(seconds) // 2], "loss": total / len(classes),
    "name": f"PyTorch {torch.__version__}, cpu, {threads} threads"}))
