# SPDX-License-Identifier: MIT
"""Layouts, repairs, tiles of CuTe and Triton, compared with the program and with formulas."""

import json
import types
import unittest
from pathlib import Path

import smemprobe
from smemprobe import SmemprobeError, fix, layout, predict, tile_layout

EXAMPLES = Path(__file__).parents[2] / "examples"
ELEMENTS = {"float": 4, "half": 2, "double": 8, "int8": 1}


class Layouts(unittest.TestCase):
    def test_examples_cost_what_the_program_says(self) -> None:
        seen = 0
        for path in sorted(EXAMPLES.glob("*.smp")):
            text = path.read_text()
            ran = smemprobe.run(["predict", path, "--format", "json"])
            documents = json.loads(ran.stdout)
            for document in documents if isinstance(documents, list) else [documents]:
                arch = document["arch"]["name"]
                costs = layout(text, arch=arch)
                self.assertEqual(len(costs), len(document["accesses"]), path.name)
                for cost, access in zip(costs, document["accesses"], strict=True):
                    self.assertEqual(cost.broken, (), f"{path.name} on {arch}")
                    self.assertEqual(cost.requests, access["requests"])
                    if access["wavefronts"]:
                        want = (access["wavefronts"]["max"], access["excess"], access["ways"])
                        self.assertEqual((cost.wavefronts, cost.excess, cost.ways), want)
                        seen += 1
        self.assertGreater(seen, 40)

    def test_what_was_expected_and_is_not(self) -> None:
        cost = layout("shared float t[32][32]", "ld t[threadIdx.x][0]", "expect ways <= 1")[0]
        self.assertEqual(len(cost.broken), 1)
        self.assertIn("32", cost.broken[0])

    def test_the_worst_request_is_a_prediction(self) -> None:
        text = "shared float t[32][32]\nblock 32x2\nld t[threadIdx.x * threadIdx.y][0]"
        cost = layout(text)[0]
        self.assertEqual((cost.worst.ways, cost.worst_place), (32, "warp 1"))
        self.assertEqual(predict(cost.worst.offsets).ways, 32)
        self.assertEqual(len(cost.worst.bank_map), 32)

    def test_errors_name_their_place(self) -> None:
        for call in (fix, layout):
            with self.assertRaisesRegex(SmemprobeError, "k.cu is the name of a file"):
                call("k.cu")
        with self.assertRaisesRegex(SmemprobeError, "^line 3, column 4: ") as raised:
            layout("shared float t[32]", "block 32\nld nothing[0]")
        self.assertEqual((raised.exception.line, raised.exception.position), (3, 3))
        with self.assertRaisesRegex(SmemprobeError, "at most 232448"):
            layout("shared float t[1000000]", "ld t[0]")
        with self.assertRaisesRegex(SmemprobeError, "unknown architecture"):
            layout("shared float t[32]", "ld t[0]", arch="sm_1")

    def test_values_of_an_expression(self) -> None:
        got = smemprobe.values("threadIdx.x * n ^ 1", "block 64", "define n = 3", warp=1)
        self.assertEqual(got, tuple((32 + lane) * 3 ^ 1 for lane in range(32)))
        with self.assertRaisesRegex(SmemprobeError, "column 14"):
            smemprobe.values("threadIdx.x + ", "block 64")


class Fixes(unittest.TestCase):
    def test_examples_are_freed_as_by_the_program(self) -> None:
        for name in ("transpose-32x32", "soa-aos", "gemm-ldmatrix-64"):
            path = EXAMPLES / f"{name}.smp"
            found = fix(path.read_text())
            document = json.loads(smemprobe.run(["fix", path, "--format", "json"]).stdout)
            for field in ("needed", "free", "proven", "excess_before", "excess_after", "candidates"):
                self.assertEqual(getattr(found, field), document["result"][field], name)
            for array in document["arrays"]:
                chosen = [one for one in array["layouts"] if one["chosen"]]
                if chosen:
                    self.assertEqual(found.forms[array["name"]].text, chosen[0]["text"], name)

    def test_the_texts_are_the_program_s(self) -> None:
        path = EXAMPLES / "transpose-32x32.smp"
        found = fix(path.read_text())
        self.assertTrue(all(cost.excess == 0 for cost in layout(found.layout)))
        self.assertIn("tile", found.cuda)
        self.assertIn("Swizzle<5,0,5>", found.cute)

    def test_wishes(self) -> None:
        text = "shared float t[32][32]\nld t[threadIdx.x][0]"
        self.assertEqual(fix(text, keep=["t"]).excess_after, 31)
        self.assertEqual(fix(text, kinds=["rotate"]).forms["t"].kind, "rotate")
        both = fix(text, arch=["sm_90", "sm_35"])
        self.assertGreater(both.excess_before, 31)
        with self.assertRaisesRegex(SmemprobeError, "unknown kind 'padding'"):
            fix(text, kinds=["padding"])


def direct(place, rows: list[int], columns: list[int], element: str, width: int) -> int:
    """The ways of an access whose indices `place` computes."""
    size = ELEMENTS[element]
    offsets = [place(r, c) * size for r, c in zip(rows, columns, strict=True)]
    ways = predict(offsets, width).ways
    assert ways is not None
    return ways


class Tiles(unittest.TestCase):
    """Triton's definition, written in Python."""

    def test_swizzled(self) -> None:
        seen = set()
        for vec, per, most in ((1, 1, 1), (1, 1, 8), (2, 1, 16), (8, 1, 8), (8, 2, 4), (4, 4, 2)):
            for order in ((1, 0), (0, 1)):
                for element in ("half", "float"):
                    tile = smemprobe.SwizzledShared((64, 64), vec, per, most, order, element)

                    def place(r: int, c: int) -> int:
                        slow, fast = (r, c) if order == (1, 0) else (c, r)
                        phase = slow // per % most
                        return slow * 64 + (fast // vec ^ phase) * vec + fast % vec

                    for row, column, rows, columns in (
                        ("threadIdx.x", "3", list(range(32)), [3] * 32),
                        ("5", "threadIdx.x", [5] * 32, list(range(32))),
                        (
                            "threadIdx.x / 4",
                            "threadIdx.x % 4 * 2",
                            [x // 4 for x in range(32)],
                            [x % 4 * 2 for x in range(32)],
                        ),
                    ):
                        cost = tile.cost(row, column)
                        want = direct(place, rows, columns, element, ELEMENTS[element])
                        self.assertEqual(cost.ways, want, (tile, row, column))
                        seen.add(want)
        self.assertGreater(len(seen), 3)

    def test_padded(self) -> None:
        for pads in (((32, 1),), ((64, 4),), ((32, 4), (128, 8))):
            tile = smemprobe.PaddedShared((32, 64), pads)

            def place(r: int, c: int) -> int:
                plain = r * 64 + c
                return plain + sum(plain // interval * padding for interval, padding in pads)

            want = direct(place, list(range(32)), [0] * 32, "float", 4)
            self.assertEqual(tile.cost("threadIdx.x", "0").ways, want, pads)
            self.assertIsNotNone(tile.cost("31", "63"))

    def test_texts_of_triton(self) -> None:
        swizzled = "#ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [0, 1]}>"
        self.assertEqual(
            tile_layout(swizzled, (64, 64), "half"),
            smemprobe.SwizzledShared((64, 64), 8, 2, 4, (0, 1), "half"),
        )
        padded = "#ttg.padded_shared<[32:+4, 128:+8] {order = [1, 0], shape = [32, 64]}>"
        self.assertEqual(
            tile_layout(padded), smemprobe.PaddedShared((32, 64), ((32, 4), (128, 8)))
        )
        nvmma = (
            "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>"
        )
        self.assertEqual(
            tile_layout(nvmma, (64, 64), "half"),
            smemprobe.SwizzledShared((64, 64), 8, 1, 8, (1, 0), "half"),
        )

    def test_nvmma_is_cute_s_swizzle_of_128_bytes(self) -> None:
        """Sw<3,4,3> on bytes, as in CUTLASS's layouts for TMA and wgmma."""
        for wide, bits in ((128, 3), (64, 2), (32, 1)):
            text = f"swizzlingByteWidth = {wide}, transposed = false, elementBitWidth = 16"
            triton = tile_layout(f"#ttg.nvmma_shared<{{{text}}}>", (64, wide // 2), "half")
            cute = tile_layout(f"Swizzle<{bits},3,3> o (64,{wide // 2}):({wide // 2},1)", None, "half")
            for row, column in (("threadIdx.x", "0"), ("threadIdx.x % 8", "threadIdx.x / 8 % 2 * 8")):
                of = [t.cost(row, column).worst.offsets for t in (triton, cute)]
                self.assertEqual(*of)

    def test_padded_layouts_with_bases_keep_their_padding(self) -> None:
        """Triton 3.9 gives a padded layout the bases of its order; other bases would move elements."""
        across, down = [[0, 1 << bit] for bit in range(5)], [[1 << bit, 0] for bit in range(5)]
        for bases, order in ((across + down, (1, 0)), (down + across, (0, 1))):
            padded = types.SimpleNamespace(interval_padding_pairs=[[32, 1]], offset_bases=bases, shape=[32, 32])
            wanted = smemprobe.PaddedShared((32, 32), ((32, 1),), order)
            self.assertEqual(tile_layout(padded), wanted)
            self.assertEqual(wanted.cost("threadIdx.x", "0").ways, 1)
            self.assertEqual(tile_layout(f"#ttg.padded_shared<[32:+1] {{offset = {bases}, block = []}}>", (32, 32)), wanted)

    def test_what_is_not_known_is_refused(self) -> None:
        for of, shape, text in (
            ("#ttg.padded_shared<[32:+1] {offset = [[0, 2], [0, 1], [1, 0], [2, 0]], block = []}>", (4, 4), "only tiles in order"),
            ("#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>", None,
             "shape= is needed"),
            ("#ttg.swizzled_shared<{vec = 8, perPhase = 1, order = [1, 0]}>", (64, 64), "maxPhase"),
            ("#ttg.linear<{}>", (64, 64), "only Triton.s swizzled_shared"),
            ("(32,32):(32", None, "column"),
            (3, (64, 64), "int: only CuTe"),
            ("#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 16, order = [1, 0]}>",
             (64, 64), "more than the 64 elements"),
            ("#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 32}>",
             (64, 64), "in pieces of 64"),
        ):
            with self.assertRaisesRegex(SmemprobeError, text):
                tile_layout(of, shape).cost("threadIdx.x", "0")
        with self.assertRaisesRegex(SmemprobeError, "element='f8'"):
            tile_layout("(32,32):(32,1)", element="f8").cost("0", "0")


if __name__ == "__main__":
    unittest.main()
