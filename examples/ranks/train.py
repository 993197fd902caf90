# SPDX-License-Identifier: MIT
# A step of several ranks, one GPU each: what all do is equal, but rank 1 does the last part twice more.
# torchrun --standalone --nproc_per_node 2 train.py gloo|nccl
import os
import sys

import torch
import torch.distributed as dist

backend = sys.argv[1]
rank, local = int(os.environ["RANK"]), int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(local)
torch.manual_seed(1)
a = torch.randn(1024, 1024, device="cuda")
out = torch.softmax(a, 1).cumsum(0).t().contiguous()
for _ in range(3 if rank == 1 else 1):
    out = torch.sort(out.reshape(-1)[: 1 << 18]).values.cumsum(0)
torch.cuda.synchronize()
mean = out.double().mean() if backend == "nccl" else out.double().mean().cpu()
dist.init_process_group(backend)
dist.all_reduce(mean)
torch.cuda.synchronize()
dist.barrier()
print(f"rank {rank} of {dist.get_world_size()} on GPU {local}: {mean.item():.9e}", flush=True)
dist.destroy_process_group()
