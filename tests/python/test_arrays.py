# SPDX-License-Identifier: MIT
"""Arrays of all libraries as arguments: none is copied, and what a kernel cannot take is named."""

import sys
import tempfile
import types
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from smemprobe import SmemprobeError, Tensor
from smemprobe._arrays import Arguments, tensor_of


class ByInterface:
    """The interface by which CuPy-like libraries expose an array, on the CPU."""

    def __init__(self, array: Any) -> None:
        self.array = array
        self.__array_interface__ = array.__array_interface__


class ByDlpack:
    def __init__(self, array: Any) -> None:
        self.array = array

    def __dlpack__(self, **words: Any) -> Any:
        return self.array.__dlpack__(**words)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


class OnGpu:
    __cuda_array_interface__: dict[str, int] = {}


def stand_in_for_torch() -> types.ModuleType:
    """The part of PyTorch's interface that the package uses."""
    torch: Any = types.ModuleType("torch")
    torch.strided, torch.uint8, torch.int16 = "torch.strided", np.uint8, np.int16

    class Made:
        def __init__(self, bits: Any, dtype: str, device: str = "cpu", layout: str = "torch.strided") -> None:
            self.bits, self.dtype, self.layout = bits, f"torch.{dtype}", layout
            self.device = types.SimpleNamespace(type=device)

        def data_ptr(self) -> int:
            return int(self.bits.ctypes.data)

        def storage_offset(self) -> int:
            return 3

        def element_size(self) -> int:
            return int(self.bits.itemsize)

        def detach(self) -> Any:
            return self

        def view(self, dtype: Any) -> Any:
            return Made(self.bits.view(dtype), np.dtype(dtype).name)

        def numpy(self) -> Any:
            if self.dtype.startswith(("torch.bf", "torch.float8")):
                raise TypeError("Got unsupported ScalarType")
            return self.bits

    Made.__module__ = "torch"
    torch.Tensor = Made
    return torch


class Arrays(unittest.TestCase):
    def look(self, value: Any, element: str, memory: Any) -> None:
        found = tensor_of(value, "x")
        assert found is not None
        self.assertEqual(found.element, element)
        self.assertTrue(np.shares_memory(found.data, memory))

    def test_are_not_copied(self) -> None:
        array = np.arange(12, dtype=np.float32).reshape(3, 4)
        for value in (array, ByInterface(array), ByDlpack(array), Tensor(array, "float32")):
            self.look(value, "float32", array)
        for number in (3, 2.5, True, np.int32(4), None):
            self.assertIsNone(tensor_of(number, "x"))
        self.assertIsNone(tensor_of("text", "x"))

    def test_of_pytorch(self) -> None:
        torch: Any = stand_in_for_torch()
        bits = np.arange(8, dtype=np.uint16)
        with mock.patch.dict(sys.modules, torch=torch):
            self.look(torch.Tensor(bits, "bfloat16"), "bfloat16", bits)
            self.look(torch.Tensor(bits.view(np.uint8), "float8_e4m3fn"), "float8_e4m3fn", bits)
            self.look(torch.Tensor(bits.view(np.float16), "float16"), "float16", bits)
            found = tensor_of(torch.Tensor(bits, "bfloat16"), "x")
            assert found is not None
            self.assertEqual(found.offset, 6)
            for wrong, text in (
                (torch.Tensor(bits, "int16", device="cuda"), "argument x is on .*cpu"),
                (torch.Tensor(bits, "int16", layout="torch.sparse_coo"), "argument x is sparse"),
            ):
                with self.assertRaisesRegex(SmemprobeError, text):
                    tensor_of(wrong, "x")

    def test_what_is_wrong_names_the_argument(self) -> None:
        floats = np.zeros(8, np.float32)
        for value, text in (
            (floats[::-1], "argument x has strides of ..4,. bytes"),
            (floats[:0], "argument x is empty"),
            (np.ma.masked_array(floats, floats > 0), "argument x is masked"),
            (np.array([None, 1]), "argument x holds object"),
            (floats.astype(">f4"), "argument x holds >f4"),
            (OnGpu(), "argument x is on a GPU"),
        ):
            with self.assertRaisesRegex(SmemprobeError, text):
                tensor_of(value, "x")

    def texts(self, given: Arguments, *values: Any) -> list[str]:
        """What a launch has for these arrays, without the folder."""
        texts = given.texts([found for value in values if (found := tensor_of(value, "x"))])
        return [text.replace(f"{given.folder}/", "") for text in texts]

    def run_kernel(self, given: Arguments, *changes: tuple[str, Any]) -> None:
        """Writes each array that is read back: unchanged, or as a function of its bytes."""
        for path, _ in given.saved:
            change = dict(changes).get(path.name, lambda data: data)
            change(np.fromfile(path.with_name(path.name.replace("out", "in")), np.int32)).tofile(path)
        given.restore()

    def test_as_a_launch_writes_them(self) -> None:
        for value, text in (
            (np.zeros(4, np.float32), "float x[4] = @in1 -> out1"),
            (np.zeros((2, 3), np.int64), "int64_t x[6] = @in1 -> out1"),
            (np.broadcast_to(np.zeros(1, np.int32), (2, 3)), "int32_t x[1] = @in1"),  # read-only
            (Tensor(np.zeros(4, np.uint16), "bfloat16"), "bf16 x[4] = @in1 -> out1"),
            (Tensor(np.zeros(4, np.uint8), "float8_e5m2"), "uint8_t x[4] = @in1 -> out1"),
            (np.zeros(2, np.complex64), "uint8_t x[16] = @in1 -> out1"),
        ):
            with tempfile.TemporaryDirectory() as name:
                self.assertEqual(self.texts(Arguments(Path(name)), value), [text])

    def test_views_start_where_they_would_on_a_gpu(self) -> None:
        """Allocations start at multiples of 256 there, so a view starts as far from one as from its array's start."""
        whole = np.zeros((8, 100), np.float32)
        for value, offset in (
            (whole, 0),
            (whole[:, 1:], 4),
            (whole[1:].reshape(-1)[5:], 164),  # (100 + 5) * 4 % 256
            (np.lib.stride_tricks.as_strided(whole[0, 3:], (2, 4), (8, 4)), 12),
            (ByInterface(whole[:, 5:]), 4),  # 20 % 16
            (ByDlpack(whole[:, 5:]), 4),
            (np.frombuffer(bytearray(404), np.float32, offset=4), 4),  # only its address modulo 16 is known
            (Tensor(whole, "float32", 260), 4),
        ):
            with tempfile.TemporaryDirectory() as name:
                (text,) = self.texts(Arguments(Path(name)), value)
            self.assertRegex(text, rf"^float x\[\d+\]{rf'[+]{offset}' if offset else ''} =")

    def test_arguments_share_memory_as_on_a_gpu(self) -> None:
        whole = np.arange(12, dtype=np.int32)
        other = np.zeros(2, np.float32)
        frozen = whole[:2]
        frozen.setflags(write=False)
        for values, want in (
            ((whole, whole), ["int32_t x[12] = @in1 -> out1", "$1+0"]),
            ((whole[2:], other, whole[:11]), ["$3+8", None, "int32_t x[12] = @inN -> outN"]),
            ((whole[1:9:2], whole[4:]), ["int32_t x[11]+4 = @in1 -> out1", "$1+12"]),
            ((whole[:2], whole[2:]), ["int32_t x[2] = @in1 -> out1", "int32_t x[10]+8 = @in2 -> out2"]),
            ((frozen, whole[1:3]), ["int32_t x[3] = @in1 -> out1", "$1+4"]),
            ((frozen,), ["int32_t x[2] = @in1"]),
        ):
            with tempfile.TemporaryDirectory() as name:
                texts = self.texts(Arguments(Path(name)), *values)
            for text, wanted in zip(texts, want, strict=True):
                if wanted:
                    self.assertEqual(text, wanted.replace("N", text[-1]))

    def test_what_a_kernel_writes_is_in_the_array(self) -> None:
        """Also what it writes between the elements of a view."""
        for views, change, want in (
            ([[slice(0, 12, 4)]], lambda data: -data, [0, -1, -2, -3, -4, -5, -6, -7, -8, 9, 10, 11]),
            ([[slice(0, 2)], [slice(0, 2)]], lambda data: data + 1, [1, 2, *range(2, 12)]),
            ([[slice(2, 4)], [slice(1, 3)]], lambda data: data * 5, [0, 5, 10, 15, *range(4, 12)]),
        ):
            whole = np.arange(12, dtype=np.int32)
            with tempfile.TemporaryDirectory() as name:
                given = Arguments(Path(name))
                self.texts(given, *(whole[tuple(view)] for view in views))
                self.run_kernel(given, ("out1", change))
            self.assertEqual(whole.tolist(), want)


if __name__ == "__main__":
    unittest.main()
