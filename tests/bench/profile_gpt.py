# SPDX-License-Identifier: MIT
"""A GPT of 6 layers in bf16, trained for 20 steps, or as many as the argument says, after one that
loads code: prints the seconds of these."""
import sys
import time

try:
    import torch
    from torch import nn
    from torch.nn import functional
except ImportError as missing:
    print(missing, file=sys.stderr)
    sys.exit(77)
if not torch.cuda.is_available():
    sys.exit(77)
WIDTH, HEADS, WORDS, LAYERS = 768, 12, 50304, 6


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.before, self.between = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.wide, self.narrow = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        rows, length, _ = x.shape
        parts = self.qkv(self.before(x)).chunk(3, -1)
        heads = (p.view(rows, length, HEADS, WIDTH // HEADS).transpose(1, 2) for p in parts)
        seen = functional.scaled_dot_product_attention(*heads, is_causal=True)
        x = x + self.out(seen.transpose(1, 2).reshape(rows, length, WIDTH))
        return x + self.narrow(functional.gelu(self.wide(self.between(x))))


torch.manual_seed(1)
model = nn.Sequential(nn.Embedding(WORDS, WIDTH), *(Block() for _ in range(LAYERS)),
                      nn.Linear(WIDTH, WORDS, bias=False)).cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
words = torch.randint(0, WORDS, (8, 1024), device="cuda")


def step():
    with torch.autocast("cuda", torch.bfloat16):
        loss = functional.cross_entropy(model(words).view(-1, WORDS), words.view(-1))
    loss.backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)


step()
torch.cuda.synchronize()
start = time.time()
for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 20):
    step()
torch.cuda.synchronize()
print(f"steps {time.time() - start:.3f}", flush=True)
