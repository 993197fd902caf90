# SPDX-License-Identifier: MIT
"""What bench_profile runs if it is given no other script: a bit of everything that PyTorch has,
twice. Prints the seconds of each pass; the first loads code. With the word float32 the matrix
product is one of single precision, which copies with cp.async; with the word start it ends before
the passes."""
import sys
import time

try:
    import torch
    import torch.nn.functional as nn
except ImportError as missing:
    print(missing, file=sys.stderr)
    sys.exit(77)
if not torch.cuda.is_available():
    sys.exit(77)

gpu = torch.device("cuda")
kind = torch.float32 if "float32" in sys.argv[1:] else torch.float16
square = torch.randn(4096, 4096, device=gpu)
factor = square.to(kind)
heads = torch.randn(8, 16, 1024, 64, device=gpu, dtype=torch.float16)
images = torch.randn(16, 64, 56, 56, device=gpu)
weights = torch.randn(64, 64, 3, 3, device=gpu)
torch.cuda.synchronize()
if "start" in sys.argv[1:]:
    sys.exit(0)


def step():
    square.cumsum(1)
    square.flatten()[: 1 << 22].sort()
    square.softmax(1)
    nn.layer_norm(square, (4096,))
    factor @ factor
    nn.scaled_dot_product_attention(heads, heads, heads)
    square.topk(16, 1)
    nn.conv2d(images, weights, padding=1)
    torch.histc(square, 256)


for number in range(2):
    start = time.time()
    step()
    torch.cuda.synchronize()
    print(f"pass {number} {time.time() - start:.3f}", flush=True)
