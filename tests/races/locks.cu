// SPDX-License-Identifier: MIT
// Locks between blocks: who takes one needs an acquire, who gives it back a release, whoever comes
// first.
#include <cuda/atomic>
__device__ int lock_l[32];
__device__ int lock_v[32];

template <bool ACQ, bool REL> __device__ void spin(int *to, const int *from, int *lock, int *v) {
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0)
            ;
        if (ACQ)
            __threadfence();
        *v += from[blockIdx.x]; // lock_spin
        if (REL)
            __threadfence();
        atomicExch(lock, 0);
    }
}
__global__ void lock_spin_right(int *to, const int *from) {
    spin<true, true>(to, from, &lock_l[0], &lock_v[0]);
}
__global__ void lock_spin_noacq(int *to, const int *from) {
    spin<false, true>(to, from, &lock_l[1], &lock_v[1]);
}
__global__ void lock_spin_norel(int *to, const int *from) {
    spin<true, false>(to, from, &lock_l[2], &lock_v[2]);
}
// Only the first owner lacks it.
__global__ void lock_first_noacq(int *to, const int *from) {
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock_l[3], 0, 1) != 0)
            ;
        if (blockIdx.x != 0)
            __threadfence();
        lock_v[3] += from[blockIdx.x]; // lock_first
        __threadfence();
        atomicExch(&lock_l[3], 0);
    }
}
// Different lines.
__global__ void lock_roles_noacq(int *to, const int *from) {
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock_l[4], 0, 1) != 0)
            ;
        if (blockIdx.x == 0)
            lock_v[4] = from[0]; // lock_role_w
        else {
            __threadfence();
            to[blockIdx.x] = lock_v[4]; // lock_role_r
        }
        __threadfence();
        atomicExch(&lock_l[4], 0);
    }
}
// Test and set.
template <bool ACQ> __device__ void tas(const int *from, int *lock, int *v) {
    if (threadIdx.x == 0) {
        while (atomicExch(lock, 1) != 0)
            ;
        if (ACQ || blockIdx.x)
            __threadfence();
        *v += from[blockIdx.x]; // lock_tas
        __threadfence();
        atomicExch(lock, 0);
    }
}
__global__ void lock_tas_right(int *to, const int *from) {
    tas<true>(from, &lock_l[5], &lock_v[5]);
}
__global__ void lock_tas_noacq(int *to, const int *from) {
    tas<false>(from, &lock_l[6], &lock_v[6]);
}
// cuda::atomic
template <cuda::memory_order A, cuda::memory_order R, cuda::thread_scope S>
__device__ void cas(const int *from, int *lock, int *v) {
    if (threadIdx.x == 0) {
        cuda::atomic_ref<int, S> l(*lock);
        int expected = 0;
        while (!l.compare_exchange_strong(expected, 1, A, cuda::memory_order_relaxed))
            expected = 0;       // lock_cas_l
        *v += from[blockIdx.x]; // lock_cas
        l.store(0, R);          // lock_cas_s
    }
}
__global__ void lock_cas_right(int *to, const int *from) {
    cas<cuda::memory_order_acquire, cuda::memory_order_release, cuda::thread_scope_device>(
        from, &lock_l[7], &lock_v[7]);
}
__global__ void lock_cas_relaxed(int *to, const int *from) {
    cas<cuda::memory_order_relaxed, cuda::memory_order_release, cuda::thread_scope_device>(
        from, &lock_l[8], &lock_v[8]);
}
__global__ void lock_cas_norel(int *to, const int *from) {
    cas<cuda::memory_order_acquire, cuda::memory_order_relaxed, cuda::thread_scope_device>(
        from, &lock_l[9], &lock_v[9]);
}
// Ticket lock
template <bool ACQ> __device__ void ticket_lock(const int *from, int *next, int *now, int *v) {
    if (threadIdx.x == 0) {
        int mine = atomicAdd(next, 1);
        while (atomicAdd(now, 0) != mine)
            ;
        if (ACQ)
            __threadfence();
        *v += from[blockIdx.x]; // lock_ticket
        __threadfence();
        atomicAdd(now, 1);
    }
}
__global__ void lock_ticket_right(int *to, const int *from) {
    ticket_lock<true>(from, &lock_l[10], &lock_l[11], &lock_v[10]);
}
__global__ void lock_ticket_noacq(int *to, const int *from) {
    ticket_lock<false>(from, &lock_l[12], &lock_l[13], &lock_v[12]);
}
// A stack of nodes.
__device__ int lock_next[64], lock_data[64], lock_head = -1;
__global__ void lock_stack_right(int *to, const int *from) {
    if (threadIdx.x == 0) {
        for (int k = 0; k < 2; k++) {
            int node = blockIdx.x * 2 + k;
            lock_data[node] = from[node];
            int head = atomicAdd(&lock_head, 0), old;
            do {
                old = head;
                atomicExch(&lock_next[node], old);
                __threadfence();
                head = atomicCAS(&lock_head, old, node);
            } while (head != old);
        }
        int at = atomicAdd(&lock_head, 0);
        __threadfence();
        int sum = 0;
        for (int i = 0; at >= 0 && i < 64; i++) {
            sum += lock_data[at];
            at = atomicAdd(&lock_next[at], 0);
        }
        to[blockIdx.x] = sum;
    }
}
// Whole block under a lock.
template <bool ACQ> __device__ void block_lock(int *to, const int *from, int *lock) {
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0)
            ;
        if (ACQ)
            __threadfence();
    }
    __syncthreads();
    to[threadIdx.x] += from[threadIdx.x] * blockIdx.x; // lock_block
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicExch(lock, 0);
    }
}
__global__ void lock_block_right(int *to, const int *from) {
    block_lock<true>(to, from, &lock_l[14]);
}
__global__ void lock_block_noacq(int *to, const int *from) {
    block_lock<false>(to, from, &lock_l[15]);
}
// PTX
__global__ void lock_ptx_right(int *to, const int *from) {
    if (threadIdx.x == 0) {
        int got;
        do
            asm volatile("atom.acquire.gpu.global.cas.b32 %0, [%1], 0, 1;"
                         : "=r"(got)
                         : "l"(&lock_l[16])
                         : "memory");
        while (got != 0);
        lock_v[16] += from[blockIdx.x];
        asm volatile("st.release.gpu.global.b32 [%0], 0;" ::"l"(&lock_l[16]) : "memory");
    }
}
__global__ void lock_ptx_relaxed(int *to, const int *from) {
    if (threadIdx.x == 0) {
        int got;
        do
            asm volatile("atom.relaxed.gpu.global.cas.b32 %0, [%1], 0, 1;"
                         : "=r"(got)
                         : "l"(&lock_l[17])
                         : "memory");
        while (got != 0);
        lock_v[17] += from[blockIdx.x]; // lock_ptx
        asm volatile("st.release.gpu.global.b32 [%0], 0;" ::"l"(&lock_l[17]) : "memory");
    }
}
__global__ void lock_cta_scope(int *to, const int *from) {
    if (threadIdx.x == 0) {
        int got;
        do
            asm volatile("atom.acquire.cta.global.cas.b32 %0, [%1], 0, 1;"
                         : "=r"(got)
                         : "l"(&lock_l[18])
                         : "memory"); // lock_scope_l
        while (got != 0);
        lock_v[18] += from[blockIdx.x]; // lock_scope
        asm volatile("st.release.cta.global.b32 [%0], 0;" ::"l"(&lock_l[18])
                     : "memory"); // lock_scope_u
    }
}
// Signals with an exchange, more than once.
__global__ void lock_twice_right(int *to, const int *from) {
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        to[0] = from[0];
        __threadfence();
        atomicExch(&lock_l[19], 1);
        to[1] = from[1];
        __threadfence();
        atomicExch(&lock_l[19], 2);
    } else if (threadIdx.x == 0 && blockIdx.x == 1) {
        while (atomicAdd(&lock_l[19], 0) != 2)
            ;
        __threadfence();
        to[8] = to[0] + to[1];
    }
}
void launch_locks(int *to, const int *from) {
    lock_spin_right<<<4, 64>>>(to, from);   // silent
    lock_spin_noacq<<<4, 64>>>(to, from);   // lock_spin lock_spin
    lock_spin_norel<<<4, 64>>>(to, from);   // lock_spin lock_spin
    lock_first_noacq<<<4, 64>>>(to, from);  // lock_first lock_first
    lock_roles_noacq<<<4, 64>>>(to, from);  // lock_role_r lock_role_w
    lock_tas_right<<<4, 64>>>(to, from);    // silent
    lock_tas_noacq<<<4, 64>>>(to, from);    // lock_tas lock_tas
    lock_cas_right<<<4, 64>>>(to, from);    // silent
    lock_cas_relaxed<<<4, 64>>>(to, from);  // lock_cas lock_cas
    lock_cas_norel<<<4, 64>>>(to, from);    // lock_cas lock_cas
    lock_ticket_right<<<4, 64>>>(to, from); // silent
    lock_ticket_noacq<<<4, 64>>>(to, from); // lock_ticket lock_ticket
    lock_stack_right<<<4, 64>>>(to, from);  // silent
    lock_block_right<<<4, 64>>>(to, from);  // silent
    lock_block_noacq<<<4, 64>>>(to, from);  // lock_block lock_block
    lock_ptx_right<<<4, 64>>>(to, from);    // silent
    lock_ptx_relaxed<<<4, 64>>>(to, from);  // lock_ptx lock_ptx
    lock_cta_scope<<<4, 64>>>(
        to, from); // lock_scope lock_scope, lock_scope_u lock_scope_l, lock_scope_l lock_scope_l
    lock_twice_right<<<4, 64>>>(to, from); // silent
}
