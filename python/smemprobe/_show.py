# SPDX-License-Identifier: MIT
"""Predictions as a sentence and a bank map in SVG; profiles in notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._lines import Line
    from ._predict import Cell, Prediction
    from ._profile import Profile

CELL, GAP, LEFT, TOP, RIGHT = 17, 2, 50, 20, 40
ROWS_MAX = 32
# The colours of pages and terminals.
IDLE, FIRST, LATER, SHARED = "#e8e8e8", "#226b5c", "#b23818", 'stroke="#1f2124" stroke-width="1.5"'


def sentence(of: Prediction) -> str:
    """One line: the operation, the architecture, the cost."""
    head = f"{of.op} on {of.arch.name}: "
    parts: list[str] = []
    if of.wavefronts_max is not None:
        parts.append("conflict-free" if of.excess == 0 else f"{of.ways}-way bank conflict")
        least, most = of.wavefronts_min, of.wavefronts_max
        waves = f"{most}" if least == most else f"{least} to {most}"
        parts.append(f"{waves} wavefront{'s' if waves != '1' else ''}")
        parts.append(f"ideal {of.ideal}")
        parts.append(f"excess {of.excess}")
    if of.transactions is not None:
        s = "s" if of.transactions != 1 else ""
        parts.append(f"{of.transactions} transaction{s} of {of.bytes:,} bytes in all")
    if not parts:
        parts.append(f"not modelled ({of.note})")
    return head + ", ".join(parts)


def _ranges(lanes: tuple[int, ...]) -> str:
    return ", ".join(str(lane) for lane in lanes)


def _cell(cell: Cell, bank: int, x: int, y: int, is_first: bool) -> str:
    if not cell.lanes:
        return f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" fill="{IDLE}"/>'
    several = len(cell.lanes) > 1
    look = f'fill="{FIRST if is_first else LATER}"' + (f" {SHARED}" if several else "")
    title = f"bank {bank}, row {cell.row}: lane{'s' if several else ''} {_ranges(cell.lanes)}"
    mark = f"×{len(cell.lanes)}" if several else str(cell.lanes[0])
    return (
        f'<g><title>{title}</title><rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" '
        f'{look}/><text x="{x + CELL / 2}" y="{y + 12}" fill="#fff" '
        f'text-anchor="middle">{mark}</text></g>'
    )


def bank_map_svg(of: Prediction) -> str:
    """The bank map. A cell shows the lane that it serves, or their number; a tooltip lists them."""
    from ._library import SmemprobeError

    rows = of.bank_map
    if not rows:
        raise SmemprobeError(f"{of.op} has no bank map" + (f": {of.note}" if of.note else ""))
    banks, step = len(rows[0].cells), CELL + GAP
    shown = rows[:ROWS_MAX]
    width = LEFT + banks * step + RIGHT
    height = TOP + len(shown) * step + 18 + (14 if len(rows) > len(shown) else 0)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-label="{escape(sentence(of))}" '
        'font-family="sans-serif" font-size="9">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        f'<text x="4" y="{TOP - 7}" fill="#333">wavefront</text>',
        f'<text x="{LEFT + banks * step + 2}" y="{TOP - 7}" fill="#333">busy</text>',
    ]
    for bank in range(0, banks, 4):
        x = LEFT + bank * step + CELL / 2
        out.append(f'<text x="{x}" y="{TOP - 7}" fill="#333" text-anchor="middle">{bank}</text>')
    for i, row in enumerate(shown):
        y = TOP + i * step
        out.append(f'<text x="4" y="{y + 12}" fill="#333">{i + 1}</text>')
        out += [
            _cell(cell, bank, LEFT + bank * step, y, row.is_first)
            for bank, cell in enumerate(row.cells)
        ]
        busy = sum(1 for cell in row.cells if cell.lanes)
        out.append(f'<text x="{LEFT + banks * step + 6}" y="{y + 12}" fill="#333">{busy}</text>')
    end = TOP + len(shown) * step + 12
    if len(rows) > len(shown):
        out.append(f'<text x="4" y="{end}" fill="#333">{len(rows) - len(shown)} more</text>')
        end += 14
    x = LEFT
    for look, what in (
        (f'fill="{FIRST}"', "served in the first pass"),
        (f'fill="{LATER}"', "waits for another pass"),
        (f'fill="{FIRST}" {SHARED}', "one word for several lanes"),
        (f'fill="{IDLE}"', "idle bank"),
    ):
        out.append(f'<rect x="{x}" y="{end - 8}" width="9" height="9" {look}/>')
        out.append(f'<text x="{x + 13}" y="{end}" fill="#333">{what}</text>')
        x += 30 + 5 * len(what)
    return "".join(out) + "</svg>"


def html(of: Prediction) -> str:
    """The sentence, and the bank map if there is one."""
    text = f"<div><code>{escape(sentence(of))}</code></div>"
    return text + (bank_map_svg(of) if of.bank_map else "")


# ---- Profiles ----

LINES_SHOWN = 12
_COLUMNS = ("line", "ways", "excess", "wavefronts", "ideal", "sectors", "ideal sectors", "source")


def _number(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


def _line_html(one: Line) -> str:
    cells = [escape(one.place)] + [
        _number(value)
        for value in (one.ways, one.excess, one.wavefronts, one.ideal, one.sectors, one.ideal_sectors)
    ]
    cells.append(f"<code>{escape(one.source)}</code>")
    styles = ["text-align:left", *["text-align:right"] * 6, "text-align:left"]
    row = "".join(
        f'<td style="{style}">{cell}</td>' for style, cell in zip(styles, cells, strict=True)
    )
    weight = ' style="font-weight:bold"' if (one.ways or 1) > 1 and one.excess else ""
    return f"<tr{weight}>{row}</tr>"


def profile_html(of: Profile) -> str:
    """Findings, and the costliest lines."""
    out = [f"<div>{escape(repr(of)[1:-1])}</div>"]
    if of.findings:
        rows = "".join(f"<li>{escape(str(one))}</li>" for one in of.findings)
        out.append(f'<ul style="color:#b00020">{rows}</ul>')
    head = "".join(f"<th>{name}</th>" for name in _COLUMNS)
    body = "".join(_line_html(one) for one in of.lines[:LINES_SHOWN])
    out.append(f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")
    if len(of.lines) > LINES_SHOWN:
        out.append(f"<div>{len(of.lines) - LINES_SHOWN} more lines</div>")
    return "".join(out)
