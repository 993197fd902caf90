# SPDX-License-Identifier: MIT
"""Launches `transpose` of a cubin through the driver: python_launch.py CUBIN. The report must name the launching line."""
import ctypes
import sys

cuda = ctypes.CDLL("libcuda.so.1")


def check(status):
    assert status == 0, status


def handle():
    return ctypes.c_void_p()


context, module, function, memory = handle(), handle(), handle(), [ctypes.c_uint64(), ctypes.c_uint64()]
check(cuda.cuInit(0))
check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
check(cuda.cuCtxSetCurrent(context))
check(cuda.cuModuleLoad(ctypes.byref(module), sys.argv[1].encode()))
check(cuda.cuModuleGetFunction(ctypes.byref(function), module, b"_Z9transposePfPKfii"))
for at in memory:
    check(cuda.cuMemAlloc_v2(ctypes.byref(at), 4 * 64 * 64))
sizes = [ctypes.c_int(64), ctypes.c_int(64)]
arguments = (ctypes.c_void_p * 4)(*[ctypes.addressof(x) for x in memory + sizes])
check(cuda.cuLaunchKernel(function, 2, 2, 1, 32, 8, 1, 0, None, arguments, None))  # the line
check(cuda.cuCtxSynchronize())
