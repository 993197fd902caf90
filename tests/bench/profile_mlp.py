# SPDX-License-Identifier: MIT
"""A perceptron of three layers in single precision, trained for 20 steps, or as many as the last
argument says, after three that load code: prints the seconds of these. With the word compile it is
compiled, with graph one of its steps is a CUDA graph."""
import sys
import time

try:
    import torch
    from torch import nn
except ImportError as missing:
    print(missing, file=sys.stderr)
    sys.exit(77)
if not torch.cuda.is_available():
    sys.exit(77)
torch.manual_seed(1)
model = nn.Sequential(nn.Linear(1024, 4096), nn.GELU(), nn.Linear(4096, 4096), nn.GELU(),
                      nn.Linear(4096, 1024)).cuda()
if "compile" in sys.argv[1:]:
    model = torch.compile(model)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
rows = torch.randn(4096, 1024, device="cuda")


def step():
    model(rows).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none="graph" not in sys.argv[1:])


aside = torch.cuda.Stream()
with torch.cuda.stream(aside):
    for _ in range(3):
        step()
torch.cuda.synchronize()
run = step
if "graph" in sys.argv[1:]:
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    run = graph.replay
start = time.time()
for _ in range(int(sys.argv[-1]) if sys.argv[-1].isdigit() else 20):
    run()
torch.cuda.synchronize()
print(f"steps {time.time() - start:.3f}", flush=True)
