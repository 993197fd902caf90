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
        for value in (array, ByInterface(array), ByDlpack(array), memory := Tensor(array, "float32")):
            self.look(value, "float32", array)
        self.assertIs(tensor_of(memory, "x"), memory)
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

    def test_as_a_launch_writes_them(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            given = Arguments(Path(name))
            for value, text in (
                (np.zeros(4, np.float32), "float[4] = @"),
                (np.zeros((2, 3), np.int64), "int64_t[6] = @"),
                (Tensor(np.zeros(4, np.uint16), "bfloat16"), "bf16[4] = @"),
                (Tensor(np.zeros(4, np.uint8), "float8_e5m2"), "uint8_t[4] = @"),
                (np.zeros(2, np.complex64), "uint8_t[16] = @"),
            ):
                found = tensor_of(value, "x")
                assert found is not None
                self.assertTrue(given.array(found).startswith(text), text)
            path, array = given.saved[0]
            np.full(4, 7, np.float32).tofile(path)
            for path, _ in given.saved[1:]:
                path.write_bytes(path.with_name(path.name.replace("out", "in")).read_bytes())
            given.restore()
            self.assertEqual(array.tolist(), [7, 7, 7, 7])

    def test_views_of_one_array_are_restored_apart(self) -> None:
        whole = np.arange(12, dtype=np.int32).reshape(3, 4)
        views = [whole[:, :2], whole[:, 2:].T, whole[::2, 1:3], np.broadcast_to(whole[0], (2, 4))]
        with tempfile.TemporaryDirectory() as name:
            given = Arguments(Path(name))
            texts = [given.array(Tensor(view, "int32")) for view in views]
            self.assertEqual([text.partition(" ")[0] for text in texts],
                             ["int32_t[10]", "int32_t[10]", "int32_t[10]", "int32_t[4]"])
            self.assertEqual(np.fromfile(given.folder / "in1", np.int32).tolist(), list(range(10)))
            self.assertEqual(len(given.saved), 3)  # a broadcast array is read-only
            for factor, (path, _) in zip((10, 100, 1), given.saved, strict=True):
                (factor * np.fromfile(path.with_name(path.name.replace("out", "in")), np.int32)).tofile(path)
            given.saved.pop()
            given.restore()
        self.assertEqual(whole.tolist(), [[0, 10, 200, 300], [40, 50, 600, 700], [80, 90, 1000, 1100]])


if __name__ == "__main__":
    unittest.main()
