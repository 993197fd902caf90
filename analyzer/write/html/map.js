/* SPDX-License-Identifier: MIT */
/* One request as a picture: which bank delivers which lane's words in which wavefront, or, for global memory, which bytes of
 * which sectors were requested. The model computed where each cell is; this only draws it. */
const lanesOf = mask => {
    const lanes = [];
    for (let lane = 0; lane < 32; lane++)
        if (Math.floor(mask / 2 ** lane) % 2 === 1)
            lanes.push(lane);
    return lanes;
};

function lanesText(lanes) {
    const runs = [];
    for (const lane of lanes) {
        const last = runs[runs.length - 1];
        if (last && last[1] + 1 === lane)
            last[1] = lane;
        else
            runs.push([lane, lane]);
    }
    return (lanes.length === 1 ? 'lane ' : 'lanes ') + runs.map(([a, b]) => a === b ? a : `${a}–${b}`).join(', ');
}

/* The cells of a bank map: {wave, group, first, bank, lanes, pair}; `first` marks the pass that every group needs. */
function cellsOf(map) {
    const cells = [];
    map.waves.forEach((wave, number) => {
        const first = number === 0 || map.waves[number - 1].group !== wave.group;
        for (let i = 0; i < wave.cells.length; i += 2)
            cells.push({wave: number, group: wave.group, first, bank: wave.cells[i], lanes: lanesOf(wave.cells[i + 1]),
                pair: (wave.pairs || []).includes(wave.cells[i])});
    });
    return cells;
}

const STEP = 17, LEFT = 56, TOP = 30;

function idlePath(busy, banks, y) {
    let path = '';
    for (let bank = 0; bank < banks; bank++)
        if (!busy.has(bank))
            path += `M${LEFT + bank * STEP + STEP / 2} ${y + STEP / 2}h.01`;
    return path;
}

/* rows: [{label, y, cells[{at, class, text, lanes, say}]}]; names: titles of the columns, the rows, and the text after a row. */
function picture(rows, columns, title, foot, names) {
    const height = rows.length ? rows[rows.length - 1].y + STEP + 4 : TOP;
    const out = svg('svg', {viewBox: `0 0 ${LEFT + columns * STEP + 34} ${height}`, role: 'img', 'aria-label': title});
    out.style.maxWidth = `${(LEFT + columns * STEP + 34) * 1.02}px`;
    out.append(svg('text', {x: LEFT + columns * STEP / 2, y: 10, 'text-anchor': 'middle'}, names[0]), svg('text', {x: 0, y: TOP - 5}, names[1]), svg('text', {x: LEFT + columns * STEP + 5, y: TOP - 5}, names[2]));
    for (let column = 0; column < columns; column += 4)
        out.append(svg('text', {x: LEFT + column * STEP + STEP / 2, y: TOP - 5, 'text-anchor': 'middle'}, String(column)));
    for (const row of rows) {
        const busy = new Set(row.cells.map(cell => cell.at));
        out.append(svg('text', {x: LEFT - 6, y: row.y + STEP - 5, 'text-anchor': 'end'}, row.label),
            svg('path', {class: 'idle', d: idlePath(busy, columns, row.y)}));
        if (row.end)
            out.append(svg('text', {x: LEFT + columns * STEP + 5, y: row.y + STEP - 5}, row.end));
        for (const cell of row.cells) {
            const x = LEFT + cell.at * STEP;
            const box = svg('rect', {class: `cell ${cell.class}${cell.lanes.length > 1 ? ' many' : ''}`, x: x + 1, y: row.y + 1,
                width: STEP - 2, height: STEP - 2, rx: 3});
            box.cell = cell;
            out.append(box);
            if (cell.text !== '')
                out.append(svg('text', {class: 'in', x: x + STEP / 2, y: row.y + STEP / 2 + 3}, cell.text));
        }
    }
    const say = h('p', {class: 'say', 'aria-live': 'off'}, foot);
    const boxes = [...out.querySelectorAll('rect.cell')];
    const point = lanes => {
        out.classList.toggle('picks', lanes.length > 0);
        for (const box of boxes)
            box.classList.toggle('on', box.cell.lanes.some(lane => lanes.includes(lane)));
    };
    out.addEventListener('pointermove', event => {
        const cell = event.target.cell;
        point(cell ? cell.lanes : []);
        say.textContent = cell ? cell.say : foot;
    });
    out.addEventListener('pointerleave', () => {
        point([]);
        say.textContent = foot;
    });
    return {out, say, point};
}

function byWave(request, cells) {
    const rows = [];
    let y = TOP, group = 0;
    request.map.waves.forEach((wave, number) => {
        y += wave.group !== group ? 6 : 0;
        group = wave.group;
        const own = cells.filter(cell => cell.wave === number);
        rows.push({label: String(number + 1), y, end: own.length === request.map.banks ? 'full' : `${own.length}`,
            cells: own.map(cell => ({at: cell.bank, class: cell.first ? 'need' : 'extra', lanes: cell.lanes,
                text: cell.lanes.length === 1 ? String(cell.lanes[0]) : '', say: sayCell(request, cell)}))});
        y += STEP;
    });
    return rows;
}

function byLane(request, cells) {
    const rows = [];
    let y = TOP;
    for (let lane = 0; lane < 32; lane++) {
        const own = cells.filter(cell => cell.lanes.includes(lane));
        rows.push({label: String(lane), y, end: request.offsets[lane] === null ? 'off' : '', cells: own.map(cell => ({
            at: cell.bank, class: cell.first ? 'need' : 'extra', lanes: [lane], text: String(cell.wave + 1), say: sayCell(request, cell, lane)}))});
        y += STEP;
    }
    return rows;
}

const bytesText = (first, width) => width === 1 ? `byte ${first}` : `bytes ${first} to ${first + width - 1}`;

function sayCell(request, cell, lane) {
    const who = lane === undefined ? cell.lanes : [lane];
    const where = who.length === 1 ? `, ${bytesText(request.offsets[who[0]], request.width)}` : ' read the same word, which is delivered once';
    return `Wavefront ${cell.wave + 1}, bank ${cell.bank}: ${lanesText(who)}${where}${cell.pair ? '; two words of one 64-word segment, read together' : ''}.`;
}

const legend = (...rows) => h('div', {class: 'legend'}, rows.map(([name, text]) => h('span', {}, h('i', {class: name}), text)));

/* Shared memory. `view` is 'wave' or 'lane'. */
function bankMap(request, view) {
    const cells = cellsOf(request.map), number = request.map.waves.length;
    const title = `Bank map: ${plural(number, 'wavefront')}, ideal ${request.ideal}. ${request.why}`;
    const rows = view === 'lane' ? byLane(request, cells) : byWave(request, cells);
    const foot = view === 'lane' ? 'One row per lane; each cell shows the wavefront that serves it. Point at or tap a cell.'
        : 'One row per wavefront; each cell shows the lane that it serves. Point at or tap a cell.';
    const drawn = picture(rows, request.map.banks, title, foot, view === 'lane' ? ['bank', 'lane', ''] : ['bank', 'wavefront', 'busy']);
    const twice = request.map.passes > 1 ? h('p', {class: 'soft'}, 'Each row counts twice: compare-and-swap takes every pass twice.') : null;
    return {...drawn, box: h('div', {}, drawn.out, drawn.say, legend(['', 'served in the first pass'], ['extra', 'waits for another pass'],
        ['many', 'one word for several lanes'], ['idle', 'idle bank']), twice)};
}

/* Global memory: lines of 128 bytes, moved in sectors of 32. */
function sectorMap(request) {
    const asked = new Map(), touched = new Set();
    request.offsets.forEach((offset, lane) => {
        for (let at = offset === null ? 1 : 0; offset !== null && at < request.width; at++) {
            const word = Math.floor((offset + at) / 4);
            touched.add(Math.floor(word / 8));
            if (!asked.has(word))
                asked.set(word, new Set());
            asked.get(word).add(lane);
        }
    });
    const lines = [...new Set([...touched].map(sector => Math.floor(sector / 4)))].sort((a, b) => a - b);
    const rows = [];
    let y = TOP;
    lines.forEach((line, i) => {
        y += i > 0 && lines[i - 1] + 1 !== line ? 7 : 0;
        const cells = [];
        for (let at = 0; at < 32; at++) {
            const word = line * 32 + at;
            if (!touched.has(Math.floor(word / 8)))
                continue;
            const lanes = [...asked.get(word) || []];
            cells.push({at, class: lanes.length ? 'need' : 'vain', lanes, text: lanes.length === 1 ? String(lanes[0]) : '',
                say: `${bytesText(word * 4, 4)}, sector ${Math.floor(word / 8)}: ${lanes.length ? lanesText(lanes) : 'wasted, no lane requested them'}.`});
        }
        rows.push({label: `+${line * 128}`, y, end: '', cells});
        y += STEP;
    });
    const foot = 'One row per 128 bytes, one cell per 4; each cell shows the lane that requested it. Memory moves in sectors of 8 cells. Point at or tap a cell.';
    const drawn = picture(rows, 32, `Sectors: ${plural(touched.size, 'sector')} moved. ${request.why}`, foot, ['4-byte word in the line', 'line', '']);
    return {...drawn, box: h('div', {}, drawn.out, drawn.say, legend(['', 'requested'], ['vain', 'wasted'], ['idle', 'not moved']))};
}

let lanesOpen = false; // kept for the next picture

function laneRows(request, point) {
    const cells = request.map ? cellsOf(request.map) : [];
    return request.offsets.map((offset, lane) => {
        const own = cells.filter(cell => cell.lanes.includes(lane));
        return h('tr', {tabindex: request.map ? 0 : null, onpointerenter: () => point([lane]), onfocus: () => point([lane]),
            onpointerleave: () => point([]), onblur: () => point([])},
            h('td', {}, String(lane)), h('td', {}, offset === null ? 'inactive' : count(offset)),
            request.map ? h('td', {}, [...new Set(own.map(cell => cell.bank))].sort((a, b) => a - b).join(' ')) : null,
            request.map ? h('td', {}, [...new Set(own.map(cell => cell.wave + 1))].join(' ')) : h('td', {}, offset === null ? '' : count(Math.floor(offset / 32))));
    });
}

/* Folded; the rows are made when it is first opened. */
function laneTable(request, point) {
    const body = h('tbody', {}), fill_in = () => body.children.length > 0 || put(body, laneRows(request, point));
    const box = h('details', {class: 'more', open: lanesOpen, ontoggle: () => { lanesOpen = box.open; if (lanesOpen) fill_in(); }}, h('summary', {}, 'Lane by lane'), scroll(h('table', {},
        h('thead', {}, h('tr', {}, ['lane', 'byte offset', ...(request.map ? ['bank', 'wavefront'] : ['sector'])]
            .map(name => h('th', {scope: 'col'}, name)))), body)));
    if (lanesOpen)
        fill_in();
    return box;
}
