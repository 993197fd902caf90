# SPDX-License-Identifier: MIT
"""One access and many: the package agrees with the program."""

import csv
import ctypes
import io
import pickle
import random
import threading
import time
import tracemalloc
import unittest
import xml.etree.ElementTree as ElementTree

import numpy as np

import smemprobe
from smemprobe import SmemprobeError, predict, predict_many

OFFSETS = ("ld.shared", "st.shared", "atom.shared", "red.shared", "ldmatrix.x4", "stmatrix.x2")
WIDTHS = {"atom.shared": (4, 8), "red.shared": (4, 8), "ldmatrix.x4": (16,), "stmatrix.x2": (16,)}


def some_accesses(count: int, seed: int) -> list[tuple[str, int, int, list[int]]]:
    """Operation, width, mask and offsets of random accesses within 16 KiB."""
    chance = random.Random(seed)
    out = []
    for i in range(count):
        op = OFFSETS[i % len(OFFSETS)]
        width = chance.choice(WIDTHS.get(op, (1, 2, 4, 8, 16)))
        whole = op.endswith(("x4", "x2"))
        mask = 0xFFFFFFFF if whole or chance.random() < 0.5 else chance.randrange(1, 2**32)
        step = chance.choice([0, 1, 2, 3, 8, 31, 32, 33])
        if chance.random() < 0.5:
            offsets = [lane * step * width for lane in range(32)]
        else:
            offsets = [chance.randrange(0, 16384 // width) * width for _ in range(32)]
        out.append((op, width, mask, [value % 16384 for value in offsets]))
    return out


def lines_of(accesses: list[tuple[str, int, int, list[int]]]) -> str:
    return "".join(
        f"{op} {width} {mask:08x} {' '.join(map(str, offsets))}\n"
        for op, width, mask, offsets in accesses
    )


class OneAccess(unittest.TestCase):
    def test_it_costs_what_the_program_says(self) -> None:
        accesses = some_accesses(300, 1)
        for arch in ("sm_13", "sm_35", "sm_90"):
            ran = smemprobe.run(["batch", "--arch", arch, "-"], input=lines_of(accesses))
            rows = {int(row["line"]): row for row in csv.DictReader(io.StringIO(ran.stdout))}
            seen = 0
            for i, (op, width, mask, offsets) in enumerate(accesses):
                row = rows.get(i + 1)
                try:
                    of = predict(offsets, width, op, arch, mask=mask)
                except SmemprobeError as error:
                    self.assertIsNone(row, str(error))
                    continue
                assert row is not None
                for name in ("wavefronts_min", "wavefronts_max", "ideal", "ways"):
                    want = int(row[name]) if row[name] else None
                    self.assertEqual(getattr(of, name), want, f"{name} on {arch} of line {i + 1}")
                seen += 1
            self.assertGreater(seen, 80, arch)

    def test_global_accesses_have_transactions(self) -> None:
        of = predict([lane * 4 for lane in range(32)], op="ld.global")
        self.assertEqual((of.transactions, of.bytes, of.wavefronts), (4, 128, None))
        self.assertEqual(of.bank_map, ())
        self.assertIsNone(of._repr_svg_())
        self.assertIn("4 transactions", of._repr_html_())
        self.assertEqual(repr(of), "<Prediction ld.global on sm_90: 4 transactions of 128 bytes in all>")

    def test_a_copy_has_two_lists(self) -> None:
        lanes = [lane * 4 for lane in range(32)]
        of = predict(lanes, 4, "cp.async", addresses=lanes)
        self.assertEqual(of.transactions, 4)
        with self.assertRaisesRegex(SmemprobeError, "also needs addresses="):
            predict(lanes, 4, "cp.async")
        with self.assertRaisesRegex(SmemprobeError, "not for ld.shared"):
            predict(lanes, 4, addresses=lanes)

    def test_inactive_lanes_are_none(self) -> None:
        of = predict([0, 128, *[None] * 30])
        self.assertEqual((of.active_lanes, of.ways, of.mask), (2, 2, 3))
        self.assertEqual(predict([0] * 32, mask=1).active_lanes, 1)

    def test_the_bank_mode_is_kepler_s(self) -> None:
        lanes = [lane * 8 for lane in range(32)]
        self.assertEqual(predict(lanes, 8, arch="sm_35", bank_bytes=8).wavefronts, 1)
        with self.assertRaisesRegex(SmemprobeError, "no banks of 8 bytes"):
            predict(lanes, 8, arch="sm_90", bank_bytes=8)

    def test_what_is_wrong_is_said(self) -> None:
        good = [lane * 4 for lane in range(32)]
        for words, text in (
            ((good[:31],), "31 numbers; a warp has 32 lanes"),
            (([*good[:31], 6],), "lane 31: offset 6 is not a multiple"),
            (([*good[:31], -4],), "lane 31 has -4"),
            (([*good[:31], 1.5],), "lane 31 has 1.5, which is not a whole number"),
            (([*good[:31], np.ma.masked],), "lane 31 has masked, which is not a whole number"),
            (([*good[:31], 1 << 20],), "lane 31"),
            ((good, 3), "no form of 3 bytes"),
            (("ld tile[threadIdx.x][0]",), "offsets are numbers; layout\\(\\) takes source text"),
            ((good, 4, "load"), r"unknown operation 'load'; smemprobe.op_names\(\) lists them"),
            ((good, 4, "ld.shard"), "unknown operation 'ld.shard'; did you mean 'ld.shared'"),
            ((good, 4, "ld", "sm_1"), r"unknown architecture 'sm_1'; smemprobe.arch_names\(\) lists them"),
            ((good, 4, "ld", "H300"), "unknown architecture 'H300'; did you mean 'H100'"),
            (([None] * 32,), "no lane that gives an address is active"),
        ):
            with self.assertRaisesRegex(SmemprobeError, text):
                predict(*words)
        with self.assertRaisesRegex(SmemprobeError, "lane 5 is active in the mask"):
            predict([*good[:5], None, *good[6:]], mask=0xFFFFFFFF)

    def test_an_error_survives_a_pickle(self) -> None:
        with self.assertRaises(SmemprobeError) as raised:
            predict([2] * 32)
        again = pickle.loads(pickle.dumps(raised.exception))
        self.assertEqual(str(again), str(raised.exception))
        self.assertEqual((again.status, again.position), ("SMP_E_MISALIGNED", 0))

    def test_the_map_shows_every_lane_once_a_word(self) -> None:
        for op, width, mask, offsets in some_accesses(120, 2):
            try:
                of = predict(offsets, width, op, mask=mask)
            except SmemprobeError:
                continue
            if not of.bank_map:
                continue
            # Except for compare-and-swap, a row of the map is a wavefront.
            self.assertEqual(len(of.bank_map), of.wavefronts)
            words: dict[int, int] = {}
            for wave in of.bank_map:
                for cell in wave.cells:
                    for lane in cell.lanes:
                        words[lane] = words.get(lane, 0) + 1
            self.assertEqual(set(words.values()), {max(1, width // 4)})
            self.assertEqual(set(words), {lane.lane for lane in of.lanes if lane.lane in words})

    def test_the_picture_is_sound_and_tells_the_cells(self) -> None:
        of = predict([lane * 8 for lane in range(32)])
        root = ElementTree.fromstring(of.svg())
        self.assertTrue(root.tag.endswith("svg"))
        titles = [node.text for node in root.iter("{http://www.w3.org/2000/svg}title")]
        self.assertEqual(len(titles), 32)
        self.assertIn("bank 2, row 0: lane 1", titles)
        with self.assertRaisesRegex(SmemprobeError, "ld.global has no bank map"):
            predict([lane * 4 for lane in range(32)], op="ld.global").svg()


class ManyAccesses(unittest.TestCase):
    def test_rows_are_single_accesses(self) -> None:
        accesses = some_accesses(600, 3)
        codes = smemprobe.op_names()
        counts = predict_many(
            np.array([access[3] for access in accesses]),
            np.array([access[1] for access in accesses]),
            np.array([codes.index(access[0]) for access in accesses]),
            mask=np.array([access[2] for access in accesses]),
            errors="mark",
        )
        wrong = 0
        for row, (op, width, mask, offsets) in zip(counts.array, accesses, strict=True):
            try:
                of = predict(offsets, width, op, mask=mask)
            except SmemprobeError:
                wrong += 1
                self.assertNotEqual(row["status"], 0)
                continue
            for name in ("wavefronts_min", "wavefronts_max", "ideal", "excess", "ways"):
                self.assertEqual(row[name], getattr(of, name) or 0)
            self.assertEqual(row["active_lanes"], of.active_lanes)
        self.assertEqual(counts.totals()["wrong"], wrong)

    def test_numbers_may_lie_anyhow(self) -> None:
        rows = np.arange(32) * np.arange(500)[:, None] % 4096 * 4
        want = predict_many(rows).array
        shapes = {
            "int32": rows.astype(np.int32),
            "uint32": rows.astype(np.uint32),
            "uint64": rows.astype(np.uint64),
            "Fortran": np.asfortranarray(rows),
            "every other": np.repeat(np.repeat(rows, 2, 0), 3, 1)[::2, ::3],
            "backwards": rows[::-1][::-1],
            "a memoryview": memoryview(rows),
            "not aligned": np.frombuffer(b"x" + rows.tobytes(), np.int64, offset=1).reshape(-1, 32),
        }
        for name, given in shapes.items():
            np.testing.assert_array_equal(predict_many(given).array, want, name)
        for threads in (1, 2, 5):
            many = np.tile(rows, (400, 1))
            got = predict_many(many, threads=threads).array
            np.testing.assert_array_equal(got, np.tile(want, 400))

    def test_nothing_is_copied(self) -> None:
        rows = np.zeros((200_000, 32), np.int64)
        tracemalloc.start()
        counts = predict_many(rows)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        self.assertLess(peak, counts.array.nbytes + 2_000_000)
        self.assertGreater(rows.nbytes, 4 * peak)

    def test_dlpack_is_taken_where_it_lies(self) -> None:
        rows = np.arange(64).reshape(2, 32) * 4

        class Exporter:
            def __dlpack__(self, **options: object) -> object:
                return rows.__dlpack__()

            def __dlpack_device__(self) -> tuple[int, int]:
                return (1, 0)

        class OnGpu(Exporter):
            def __dlpack_device__(self) -> tuple[int, int]:
                return (2, 0)

            def __dlpack__(self, **options: object) -> object:
                raise BufferError("memory of a GPU")

        self.assertEqual(predict_many(Exporter())["ways"].tolist(), [1, 1])
        with self.assertRaisesRegex(SmemprobeError, "copy it to the host"):
            predict_many(OnGpu())

    def test_other_threads_go_on(self) -> None:
        """Another Python thread goes on counting during a call."""
        rows = np.broadcast_to(np.arange(32) * 36 % 4096, (65536, 32))
        ticks: list[float] = []
        stop = threading.Event()

        def tick() -> None:
            while not stop.is_set():
                ticks.append(time.perf_counter())
                time.sleep(0.0001)

        thread = threading.Thread(target=tick)
        thread.start()
        library = smemprobe._library.lib
        many = smemprobe._library.CMany(width_bytes=4, active_mask=smemprobe.ALL_LANES)
        many.offsets, kept = smemprobe._many._lane_array(rows, "offsets")
        out = np.empty(len(rows), smemprobe.ROW_DTYPE)
        arch = smemprobe.find_arch("sm_90")
        start = time.perf_counter()
        while time.perf_counter() - start < 0.05:
            last = time.perf_counter()
            library.smp_predict_many(
                arch.pointer, many, 0, len(rows), ctypes.c_void_p(out.ctypes.data), None, None
            )
            end = time.perf_counter()
            if any(last < tick < end for tick in ticks):
                break
        stop.set()
        thread.join()
        self.assertTrue(any(last < tick < end for tick in ticks), "the lock was held all the time")

    def test_the_wrong_row_is_named(self) -> None:
        rows = np.zeros((200_000, 32), np.int64)
        rows[150_000, 7] = 2
        rows[190_000, 0] = -4
        with self.assertRaisesRegex(SmemprobeError, "row 150000: lane 7: offset 2") as raised:
            predict_many(rows)
        self.assertEqual((raised.exception.row, raised.exception.position), (150_000, 7))
        marked = predict_many(rows, errors="mark")
        self.assertEqual(np.flatnonzero(marked["status"]).tolist(), [150_000, 190_000])
        self.assertEqual(marked.totals()["wrong"], 2)
        self.assertEqual(str(marked.first_bad), str(raised.exception))

    def test_what_is_wrong_is_said(self) -> None:
        good = np.zeros((3, 32), np.int64)
        for given, options, text in (
            (good[:, :31], {}, r"shape \(3, 31\); rows of 32 lanes"),
            (good[0], {}, r"shape \(32,\)"),
            (good.astype(float), {}, "float64 numbers"),
            (good.astype(np.int16), {}, "int16 numbers"),
            (good.astype(">i8"), {}, ">i8 numbers"),
            ([[0] * 32], {}, "list is not an array"),
            (np.ma.array(good, mask=np.arange(96).reshape(3, 32) > 90), {}, "lanes by mask="),
            (good, {"mask": np.ma.array([1, 1, 1], mask=[0, 0, 1])}, "mask: a masked array"),
            (good, {"mask": True}, "mask: True; a number"),
            (good, {"mask": np.zeros(2, np.uint32)}, r"mask: an array of shape \(2,\), not \(3,\)"),
            (good, {"mask": np.array([1, -1, 1])}, "mask: row 1 has -1"),
            (good, {"mask": 1 << 32}, "mask: 4294967296"),
            (good, {"width": np.array([4, 4, 300])}, "width: row 2 has 300"),
            (good, {"width": np.array([4, 3, 4])}, "row 1: "),
            (good, {"op": np.array([0, 99, 0])}, "row 1: unknown operation"),
            (good, {"op": "cp.async"}, "row 0: a copy also needs"),
            (good, {"op": "cp.async", "addresses": good[:2]}, "2 rows, but offsets has 3"),
            (good, {"errors": "drop"}, "'raise' or 'mark'"),
        ):
            with self.assertRaisesRegex(SmemprobeError, text):
                predict_many(given, **options)
        self.assertEqual(len(predict_many(np.zeros((0, 32), np.int64))), 0)
        self.assertEqual(len(predict_many(np.ma.array(good))), 3)  # nothing is masked


if __name__ == "__main__":
    unittest.main()
