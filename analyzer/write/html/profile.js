/* SPDX-License-Identifier: MIT */
/* A profile: the worst lines, the kernels, the source with its heat; beside them the selected line with its reason, bank map,
 * repair and machine code. */

/* ---- Sums: a line is one source line of one kernel, or without line information one instruction ---- */

const none = () => ({requests: 0, wavefronts: 0, ideal: 0, sectors: 0, ideal_sectors: 0, ways: 0, unknown: 0});

function addTo(sums, site) {
    sums.requests += site.requests;
    sums.unknown += site.modelled ? 0 : site.requests;
    sums.wavefronts += site.wavefronts || 0;
    sums.ideal += site.ideal || 0;
    sums.sectors += site.sectors || 0;
    sums.ideal_sectors += site.ideal_sectors || 0;
    sums.ways = Math.max(sums.ways, site.ways || 0);
    return sums;
}

const excess = sums => sums.wavefronts - sums.ideal;
const excessSectors = sums => sums.sectors - sums.ideal_sectors;
const loss = sums => excess(sums) + excessSectors(sums);

function placeOf(file, line, offset) {
    return file ? `${baseName(file)}:${line}` : hex(offset);
}

function collect(profile, shown) {
    const lines = new Map(), all = none(), scaled = {waves: 0, sectors: 0};
    const kernels = profile.kernels.map((kernel, index) => {
        const sums = none();
        kernel.instructions.forEach((site, number) => {
            const key = site.file ? `${index} ${site.line} ${site.file}` : `${index} +${site.offset}`;
            if (!lines.has(key))
                lines.set(key, {key, kernel: index, file: site.file, line: site.line, offset: site.offset, sites: [], sums: none(),
                    place: placeOf(site.file, site.line, site.offset), fix: null});
            lines.get(key).sites.push(number);
            addTo(lines.get(key).sums, site);
            addTo(sums, site);
            addTo(all, site);
        });
        const {scale, title} = shown.kernels[index];
        scaled.waves += scale * excess(sums);
        scaled.sectors += scale * excessSectors(sums);
        return {index, kernel, sums, scale, title, gain: 0};
    });
    const cost = (line, number) => {
        const one = addTo(none(), profile.kernels[line.kernel].instructions[number]);
        return loss(one) * 1e9 + one.wavefronts + one.sectors;
    };
    for (const line of lines.values())
        line.sites.sort((a, b) => cost(line, b) - cost(line, a));
    return {lines, kernels, all, scaled};
}

/* Of all excess, in all launches. */
const shareOfWaves = line => book.kernels[line.kernel].scale * excess(line.sums) / book.scaled.waves;
const shareOfSectors = line => book.kernels[line.kernel].scale * excessSectors(line.sums) / book.scaled.sectors;

function instrumentFindings(book) {
    const seen = new Set();
    book.findings = more.findings.map(finding => {
        const site = data.kernels[finding.kernel].instructions[finding.site];
        const line = book.lines.get(site.file ? `${finding.kernel} ${site.line} ${site.file}` : `${finding.kernel} +${site.offset}`);
        line.fix = finding.fix;
        const change = bestChange(line.fix), name = `${finding.kernel} ${line.fix && line.fix.array}`;
        if (change && !seen.has(name))
            book.kernels[finding.kernel].gain += change.before - change.after;
        seen.add(name);
        return line;
    });
    book.ranked = more.order.map(index => book.kernels[index]).sort((a, b) => b.gain - a.gain || loss(b.sums) - loss(a.sums));
}

/* A change of the array, or else a wider access. */
const bestChange = fix => !fix ? null : [fix.padding, fix.swizzle].filter(one => one).sort((a, b) => a.after - b.after)[0] || fix.wider;

/* A change that saves less than a fifth is not recommended. */
const helpsLittle = change => (change.before - change.after) * 5 < change.before;
const savedBy = change => percent(change.before - change.after, change.before);

/* ---- Texts ---- */

function sourceOf(file) {
    const source = more.sources.find(one => one.file === file);
    if (source && source.text !== null && !source.lines)
        source.lines = linesOf(source.text);
    return source;
}

function lineText(file, line) {
    const source = file ? sourceOf(file) : null;
    return source && source.lines && source.lines[line - 1] !== undefined ? source.lines[line - 1] : null;
}

function opcodeText(kernel, number) {
    const site = data.kernels[kernel].instructions[number], own = more.kernels[kernel].sites[number];
    return site.opcode ? `${site.opcode}${own.operands ? ' ' + own.operands : ''}` : `${site.op || site.space} (not disassembled)`;
}

function launchText(kernel) {
    const at = kernel.block[0] ? `, <<<(${kernel.grid.join(', ')}), (${kernel.block.join(', ')})>>>` : '';
    return `${plural(kernel.launches, 'launch').replace(/launchs$/, 'launches')}${kernel.launches_skipped ? ` seen, ${count(kernel.launches_skipped)} not` : ''}${at}`;
}

/* The script lines that launched the kernel, and the text of the first. */
function callersOf(kernel) {
    const callers = kernel.callers || [];
    if (callers.length === 0)
        return null;
    const text = lineText(callers[0].file, callers[0].line), name = frame => `${frame.file ? baseName(frame.file) : '?'}:${frame.line}`;
    return h('p', {class: 'soft callers'}, 'called by ', callers.map((frame, i) => [i > 0 ? ', ' : '', h('code', {title: frame.file || ''}, name(frame))]),
        text === null ? null : [' ', h('code', {}, text.trim())]);
}

/* The NVTX ranges around the launches. */
function rangesOf(kernel) {
    const ranges = kernel.nvtx || [];
    return ranges.length === 0 ? null : h('p', {class: 'soft ranges'}, 'in ranges ', ranges.map((path, i) => [i > 0 ? ', ' : '', h('code', {}, path)]));
}

/* ---- State ---- */

const isProfile = data !== null && more !== null && more.kind === 'profile';
const book = isProfile ? collect(data, more) : null;
if (isProfile)
    instrumentFindings(book);
const state = {tab: 'lines', line: null, site: 0, request: 0, change: '', view: 'wave', file: null, row: 0, query: ''};
const place = {};

function select(line, options = {}) {
    if (!line)
        return;
    Object.assign(state, {line, site: line.sites[0], request: 0, change: ''}, options);
    if (line.file && state.tab !== 'source')
        openFile(line.file, line.line);
    if (!options.silent)
        try { history.replaceState(null, '', `#${encodeURIComponent(line.place)}`); } catch { /* not from a file, there */ }
    drawDetail();
    mark();
    showDetail(place.detail, options.silent || options.stays);
}

function mark() {
    for (const node of document.querySelectorAll('[data-line]'))
        node.setAttribute('aria-selected', state.line !== null && node.dataset.line === state.line.key);
    const list = document.querySelector('[role=listbox]'), chosen = list && list.querySelector('[aria-selected=true]');
    if (list && chosen)
        list.setAttribute('aria-activedescendant', chosen.id);
}

/* ---- Findings, above all costs ---- */

const errorsOf = list => list.filter(one => one.severity === 'error').length;

function countFound(list) {
    const limits = list.filter(one => one.kind === 'not understood' && one.severity === 'error').length;
    const errors = errorsOf(list) - limits, notes = list.length - errors - limits;
    const found = [errors > 0 || list.length === 0 ? plural(errors, 'error') : null, notes > 0 ? plural(notes, 'note') : null].filter(text => text);
    const reached = limits > 0 ? `${plural(limits, 'limit')} of the emulator reached` : null;
    return [found.length > 0 ? `${found.join(' and ')} found in the kernels` : null, reached].filter(text => text).join('; ');
}

const triple = value => `(${value.join(',')})`;

/* One side of a finding: line, its text, thread, instruction. */
function foundAt(place, kernel) {
    const text = lineText(place.file, place.line), where = place.file ? placeOf(place.file, place.line) : null;
    return h('div', {class: 'side'}, where === null ? null : h('b', {title: place.file}, where), where === null || kernel === null ? null : ' ', kernel === null ? null : h('span', {class: 'soft'}, `in ${kernel}`),
        text === null ? null : h('code', {class: 'code', tabindex: '0'}, colored(text.trim())),
        h('div', {class: 'soft'}, place.thread ? `thread ${triple(place.thread)} of block ${triple(place.block)}` : null,
            place.instruction ? [place.thread ? ', ' : null, h('code', {}, `${hex(place.instruction.offset)} ${place.instruction.text}`)] : null));
}

/* Its kernel, and the line if that has requests. */
function placeFound(one) {
    const kernel = book.kernels.find(of => of.kernel.name === one.kernel);
    return {kernel, line: kernel && one.file ? book.lines.get(`${kernel.index} ${one.line} ${one.file}`) : null};
}

function foundRow(one) {
    const {kernel, line} = placeFound(one);
    const more = [one.count > 1 ? `${count(one.count)} times` : null, one.array ? `array: ${one.array}` : null].filter(text => text).join('; ');
    return h('li', {class: `found ${one.severity}`}, h('p', {}, h('span', {class: one.severity === 'error' ? 'chip' : 'chip note'}, one.severity === 'error' ? one.kind : `note: ${one.kind}`), ' ', capital(one.message)),
        one.missing ? h('p', {}, h('b', {}, 'Missing: '), one.missing) : null, h('div', {class: 'sides'}, foundAt(one, kernel ? kernel.title : one.kernel), one.other ? foundAt(one.other, null) : null),
        more || line ? h('p', {class: 'soft'}, more, line ? [more ? ' ' : null, h('button', {class: 'link', onclick: () => { select(line); openTab('source'); place.panes.scrollIntoView(); }}, 'Show it in the source')] : null) : null);
}

const foundBefore = () => more.against ? more.against.findings_before : [];

function foundSection() {
    const before = foundBefore();
    if (data.findings.length + before.length === 0)
        return null;
    return h('section', {class: data.findings.some(one => one.severity === 'error') ? 'faults' : 'faults notes', 'aria-label': 'Findings'}, h('h1', {}, `${countFound(data.findings)}.`), more.against ? h('p', {class: 'soft'}, `Before: ${countFound(before)}.`) : null,
        h('ul', {}, data.findings.map(foundRow)));
}

/* ---- Summary ---- */

function stat(label, whole, bad, word) {
    return h('div', {class: 'figure'}, h('div', {class: 'label'}, label), h('div', {class: 'value'}, whole > 0 ? count(whole) : 'none'),
        whole > 0 ? bar(whole - bad, bad, whole) : null,
        h('div', {class: 'note'}, whole > 0 ? `${count(bad)} of them excess (${percent(bad, whole)})` : `no ${word} seen`));
}

function headline() {
    if (more.against) {
        const texts = ['wavefronts', 'sectors'].map(name => [name, more.against.before[name], more.against.after[name]]).filter(([, was, is]) => was !== is)
            .map(([name, was, is]) => `${was > 0 ? percent(Math.abs(is - was), was) : count(is)} ${is < was ? 'fewer' : 'more'} ${name}`);
        return texts.length === 0 ? 'No cost changed.' : `${texts.join(', ')} than before.`;
    }
    const waves = excess(book.all), sectors = excessSectors(book.all);
    if (waves + sectors === 0 && data.findings.length > 0)
        return 'No access has excess cost.';
    if (waves + sectors === 0)
        return book.all.requests === 0 ? 'No memory access was seen.' : 'Every access is optimal.';
    const by = waves >= sectors;
    return by ? `${percent(waves, book.all.wavefronts)} of all wavefronts of shared memory are bank conflicts.`
        : `${percent(sectors, book.all.sectors)} of the global memory traffic is wasted.`;
}

function advice() {
    const first = book.findings[0];
    if (!first && data.findings.length > 0)
        return 'Fix the findings above first: the figures of a launch that ended early are incomplete.';
    if (!first)
        return data.kernels.length === 0 ? 'No kernel was launched.' : book.all.requests === 0 ? 'There is no access to judge.' : 'Every request takes as few wavefronts and sectors as its bytes need.';
    const change = bestChange(first.fix), kernel = book.kernels[first.kernel].title;
    const share = excess(first.sums) > 0 ? `${percent(shareOfWaves(first), 1)} of all excess wavefronts`
        : `${percent(shareOfSectors(first), 1)} of all excess sectors`;
    return [`Look first at `, h('b', {}, first.place), ` in ${kernel}: ${share}. `, !change ? '' : helpsLittle(change) ? `No layout of its array helps much: at best it saves ${savedBy(change)}.` : `Advice: ${change.words}.`];
}

function runText(run) {
    const parts = [run.source === 'gpu' ? `ran on ${run.device || 'an unknown GPU'}` : run.source === 'source' ? `from the source, for ${run.device || '?'}; the compiler may join accesses` : `emulated for ${run.device || '?'}, on the CPU`,
        run.driver ? `driver ${run.driver}` : null, run.date, run.memory ? `observed ${run.memory === 'shared' ? 'all but global and local' : run.memory} memory` : null];
    return parts.filter(part => part).join(', ');
}

/* Emulated instructions that were never compared with a GPU. */
function describedText() {
    const forms = [...new Set(data.kernels.flatMap(kernel => kernel.described || []))].sort();
    return forms.length === 0 ? null : h('li', {class: 'described'}, `${plural(forms.length, 'form')} of instructions implemented from documentation only, not compared with a GPU: `,
        forms.map((form, i) => [i > 0 ? ', ' : '', h('code', {}, form)]));
}

/* The sums of each architecture, if there are several. */
function archText(arch) {
    const parts = [[arch.wavefronts, arch.excess, 'wavefronts'], [arch.sectors, arch.excess_sectors, 'sectors']];
    return parts.filter(([whole]) => whole > 0).map(([whole, bad, words]) => `${count(whole)} ${words}, ${count(bad)} (${percent(bad, whole)}) of them excess`).join('; ');
}
const archs = () => more.archs.length < 2 ? null : h('ul', {class: 'archs', 'aria-label': 'Architectures'}, more.archs.map(arch => h('li', {}, h('code', {}, arch.name), ` ${archText(arch)}`)));

function summary() {
    const ended = data.runs.filter(run => run.ended);
    return h('section', {class: 'summary', 'aria-label': 'Summary'}, h('div', {}, h(data.findings.length + foundBefore().length > 0 ? 'h2' : 'h1', {}, headline()), archs(), h('p', {}, advice()), h('p', {}, h('button', {class: 'link', onclick: () => place.top.help.showModal()}, 'What the words mean')),
        ended.map(run => h('p', {class: 'warning'}, `Incomplete: ${run.ended}`))),
        stat('Wavefronts of shared memory', book.all.wavefronts, excess(book.all), 'access of shared memory'),
        stat('Sectors of global memory', book.all.sectors, excessSectors(book.all), 'access of global memory'),
        h('details', {class: 'runs'}, h('summary', {}, [plural(data.kernels.length, 'kernel'), data.runs[0] ? runText({...data.runs[0], memory: data.runs.length > 1 ? null : data.runs[0].memory}) : null, data.runs.length > 1 ? `${data.runs.length} runs` : null].filter(Boolean).join(', ')),
            h('ul', {}, data.runs.map(run => h('li', {}, `${run.command || '?'}: ${runText(run)}`)), describedText(),
                h('li', {}, `Written by smemprobe ${more.version}.`)), againBox()));
}

/* ---- The worst lines ---- */

function findingRow(line, rank) {
    const waves = excess(line.sums), sectors = excessSectors(line.sums), change = bestChange(line.fix);
    const text = lineText(line.file, line.line), kernel = book.kernels[line.kernel].title;
    const byWaves = waves >= sectors;
    const share = byWaves ? shareOfWaves(line) : shareOfSectors(line);
    return h('div', {class: 'finding', role: 'option', id: `finding-${rank}`, 'data-line': line.key, 'aria-selected': false, onclick: () => select(line)},
        h('span', {class: 'rank'}, String(rank)),
        h('div', {class: 'where'}, h('b', {}, line.place), ' ', h('span', {class: 'soft'}, `in ${kernel}`),
            h('span', {class: 'code'}, text === null ? opcodeText(line.kernel, line.sites[0]) : text.trim()),
            !change ? null : helpsLittle(change) ? h('span', {class: 'gain soft'}, `no layout helps much: at best ${savedBy(change)}`) : h('span', {class: 'gain'}, `a new layout saves ${savedBy(change)} of its array's wavefronts`)),
        h('div', {class: 'cost'}, h('span', {class: 'chip'}, byWaves ? waysText(line) : 'sectors'),
            bar(0, share, 1), `${count(byWaves ? waves : sectors)} excess ${byWaves ? 'wavefronts' : 'sectors'}`));
}

function findingList() {
    const matches = book.findings.filter(line => matchesQuery([line.place, line.file || '', book.kernels[line.kernel].title, lineText(line.file, line.line) || '']));
    place.shown = matches;
    if (matches.length === 0)
        return h('div', {class: 'panel'}, h('p', {class: 'empty'}, state.query ? 'Nothing found.' : data.findings.length > 0 ? 'No line has excess cost; the findings are above.' : book.all.requests === 0 ? 'No access was seen.' : 'Every line is optimal.'));
    return h('div', {class: 'panel', role: 'listbox', tabindex: '0', 'aria-label': 'Lines by excess cost'}, matches.map(line => findingRow(line, book.findings.indexOf(line) + 1)));
}

const matchesQuery = texts => state.query === '' || texts.some(text => text.toLowerCase().includes(state.query.toLowerCase()));

/* ---- Kernels ---- */

const ROWS_MAX = 500; // rows of a table that is not virtual


/* The costliest line of each kernel. */
function firstLineOf(kernel) {
    if (!book.first) {
        book.first = new Map();
        for (const line of book.lines.values())
            if (!book.first.has(line.kernel) || loss(line.sums) > loss(book.first.get(line.kernel).sums))
                book.first.set(line.kernel, line);
    }
    return book.first.get(kernel);
}

const costCell = (part, whole) => h('td', {}, whole > 0 ? count(part) : '–', h('div', {class: 'soft'}, whole > 0 ? `of ${count(whole)}` : ' '));

function kernelTable() {
    const most = Math.max(1, ...book.kernels.map(one => loss(one.sums)));
    const found = book.ranked.filter(one => matchesQuery([one.title, one.kernel.name || ''])), shown = found.slice(0, ROWS_MAX);
    place.shown = shown.map(one => firstLineOf(one.index));
    return h('div', {class: 'panel'}, h('table', {class: 'sticky'}, h('thead', {}, h('tr', {}, h('th', {class: 'text', scope: 'col'}, 'kernel'),
        ['a layout saves', 'excess wavefronts', 'excess sectors', 'relative cost'].map(name => h('th', {scope: 'col'}, name)))),
    h('tbody', {}, shown.map(one => h('tr', {class: 'pick', tabindex: '0', 'data-kernel': one.index, onclick: () => select(firstLineOf(one.index)),
        onkeydown: event => event.key === 'Enter' && select(firstLineOf(one.index))},
        h('td', {class: 'text'}, h('code', {}, one.title), h('div', {class: 'soft'}, launchText(one.kernel)), callersOf(one.kernel), rangesOf(one.kernel),
            one.sums.unknown ? h('div', {class: 'soft'}, `not modelled: ${plural(one.sums.unknown, 'request')}`) : null,
            one.kernel.not_seen ? h('div', {class: 'warning'}, `incomplete: ${one.kernel.not_seen}`) : null),
        h('td', {class: one.gain ? 'better' : ''}, one.gain ? count(one.gain) : '–'), costCell(excess(one.sums), one.sums.wavefronts),
        costCell(excessSectors(one.sums), one.sums.sectors), h('td', {}, bar(0, loss(one.sums), most)))))),
        found.length > shown.length ? h('p', {class: 'tools soft'}, `${count(found.length - shown.length)} more kernels: search for them by name.`) : null);
}

/* ---- Source ---- */

/* The listings: the lines of each file and the instructions of each kernel. */
const books = !isProfile ? [] : [...more.sources.map(source => ({name: source.file, file: source.file})),
    ...data.kernels.map((kernel, index) => ({name: `machine code of ${more.kernels[index].title}`, kernel: index}))];

function rowsOf(listed) {
    if (listed.rows)
        return listed;
    const mine = [...book.lines.values()];
    if (listed.file !== undefined) {
        const source = sourceOf(listed.file), hot = new Map();
        for (const line of mine.filter(one => one.file === listed.file))
            hot.set(line.line, [...hot.get(line.line) || [], line].sort((a, b) => loss(b.sums) - loss(a.sums)));
        const known = [...hot.keys()].sort((a, b) => a - b);
        listed.rows = source.lines ? source.lines.map((text, i) => ({number: i + 1, text, lines: hot.get(i + 1) || []}))
            : known.map(number => ({number, text: `(${source.why})`, lines: hot.get(number)}));
    } else {
        const byNumber = new Map(mine.filter(one => one.kernel === listed.kernel).flatMap(line => line.sites.map(number => [number, line])));
        listed.rows = data.kernels[listed.kernel].instructions.map((site, number) => ({number: '+' + site.offset.toString(16),
            text: opcodeText(listed.kernel, number) + (site.file ? `    // ${baseName(site.file)}:${site.line}` : ''), lines: [byNumber.get(number)],
            site: number, sums: addTo(none(), site)}));
    }
    for (const row of listed.rows)
        if (!row.sums) {
            row.sums = none();
            for (const line of row.lines) {
                for (const name of ['requests', 'wavefronts', 'ideal', 'sectors', 'ideal_sectors', 'unknown'])
                    row.sums[name] += line.sums[name];
                row.sums.ways = Math.max(row.sums.ways, line.sums.ways);
            }
        }
    listed.most = listed.rows.reduce((most, row) => Math.max(most, excess(row.sums), excessSectors(row.sums)), 1);
    return listed;
}

function heatCell(value, most, applies) {
    const cell = h('span', {class: value > 0 ? 'heat' : 'heat zero', role: 'cell'}, applies ? count(value) : '');
    if (value > 0)
        cell.style.backgroundColor = `rgba(var(--heat), ${(0.10 + 0.62 * Math.sqrt(value / most)).toFixed(3)})`;
    return cell;
}

/* Excess wavefronts and sectors of the earlier run on this source line; line numbers are those of the later run. */
function beforeText(listed, row) {
    if (listed.file === undefined)
        return '';
    if (!book.before) {
        book.before = new Map();
        for (const one of more.against.lines.filter(change => change.before)) {
            const key = `${one.file}:${one.line}`;
            const [waves, sectors] = book.before.get(key) || [0, 0];
            book.before.set(key, [waves + excess(one.before), sectors + excessSectors(one.before)]);
        }
    }
    const was = book.before.get(`${listed.file}:${row.number}`);
    return was === undefined ? '' : [row.sums.wavefronts > 0 || was[0] > 0 ? count(was[0]) : null, row.sums.sectors > 0 || was[1] > 0 ? count(was[1]) : null].filter(text => text !== null).join(' | ') || '0';
}

/* The text beside a row: the memory instructions of a source line, or the source of an instruction. */
function besideText(listed, row) {
    if (row.beside === undefined && row.site !== undefined) {
        const site = data.kernels[listed.kernel].instructions[row.site];
        row.beside = (site.file && lineText(site.file, site.line) || '').trim();
    } else if (row.beside === undefined) {
        const times = new Map();
        for (const line of row.lines)
            for (const number of line.sites) {
                const site = data.kernels[line.kernel].instructions[number], name = site.opcode || site.op || site.space;
                times.set(name, (times.get(name) || 0) + 1);
            }
        row.beside = [...times].map(([name, often]) => often > 1 ? `${often} ${name}` : name).join(', ');
    }
    return row.beside;
}

function sourceRow(index) {
    const listed = place.listed, row = listed.rows[index], hot = row.lines.length > 0;
    const isThis = state.line !== null && row.lines.includes(state.line) && (row.site === undefined || row.site === state.site);
    const found = state.query !== '' && row.text.toLowerCase().includes(state.query.toLowerCase());
    return h('div', {class: `row${hot ? ' hot' : ''}${found ? ' found' : ''}${isThis ? ' this' : ''}`, role: 'row', 'aria-rowindex': index + 1, 'aria-selected': index === state.row,
        onclick: () => pickRow(index)},
        h('span', {class: 'number', role: 'rowheader'}, String(row.number)),
        heatCell(excess(row.sums), listed.most, row.sums.wavefronts > 0), heatCell(excessSectors(row.sums), listed.most, row.sums.sectors > 0),
        h('span', {role: 'cell'}, row.sums.ways > 0 ? String(row.sums.ways) : ''), more.against ? h('span', {class: 'before soft', role: 'cell'}, beforeText(listed, row)) : null,
        h('span', {class: 'source', role: 'cell'}, colored(row.text)), h('span', {class: 'beside', role: 'cell', title: besideText(listed, row) || null}, besideText(listed, row)));
}

function pickRow(index) {
    const row = place.listed.rows[index];
    state.row = index;
    if (row && row.lines.length > 0)
        select(row.lines[0], row.site === undefined ? {} : {site: row.site});
    place.table.draw();
    place.table.box.setAttribute('aria-label', `${place.listed.name}, line ${row ? row.number : ''}`);
}

function openFile(file, line) {
    const listed = books.find(one => one.file === file);
    if (listed) {
        place.listed = rowsOf(listed);
        state.row = Math.max(0, listed.rows.findIndex(row => row.number === line));
    }
}

function hotRows() {
    const listed = place.listed;
    listed.hot = listed.hot || listed.rows.map((row, index) => [loss(row.sums), index]).filter(([cost]) => cost > 0).map(([, index]) => index);
    return listed.hot;
}

function jump(step) {
    const hot = hotRows();
    const next = step > 0 ? hot.find(index => index > state.row) : [...hot].reverse().find(index => index < state.row);
    if (next !== undefined) {
        pickRow(next);
        place.table.show(next);
    }
}

function sourcePanel() {
    place.listed = place.listed || (books.length ? rowsOf(books[0]) : null);
    if (!place.listed)
        return h('p', {class: 'empty'}, 'No kernel ran.');
    const head = h('div', {class: 'head', 'aria-hidden': 'true'}, h('span', {}, 'line'), h('span', {}, 'excess wavefr.'), h('span', {}, 'excess sectors'), h('span', {}, 'ways'),
        more.against ? h('span', {class: 'before'}, 'excess before') : null, h('span', {class: 'source'}), h('span', {class: 'beside'}));
    const title = () => {
        const names = place.listed.file === undefined ? ['machine code', 'source'] : ['source', 'machine code'];
        ['.source', '.beside'].forEach((name, i) => replace(head.querySelector(name), names[i]));
    };
    title();
    const choose = h('select', {'aria-label': 'File or kernel', onchange: event => {
        place.listed = rowsOf(books[Number(event.target.value)]);
        state.row = 0;
        title();
        place.table.set(place.listed.rows.length);
        place.table.show(0);
    }}, books.map((one, index) => h('option', {value: index, selected: one === place.listed}, one.name)));
    place.table = lineTable('Source', head, sourceRow);
    return h('div', {class: 'panel'}, h('div', {class: 'tools'}, choose, h('span', {class: 'fill'}),
        h('button', {class: 'button', title: 'Previous hot line (p)', onclick: () => jump(-1)}, '↑ hot'), h('button', {class: 'button', title: 'Next hot line (n)', onclick: () => jump(1)}, '↓ hot')), place.table.outer);
}

/* ---- Two runs ---- */

const better = (before, after) => after < before ? 'better' : after > before ? 'worse' : 'soft';

function changeCell(change, figure) {
    const before = change.before ? figure(change.before) : null, after = change.after ? figure(change.after) : null;
    return h('td', {}, h('span', {class: 'soft'}, count(before)), ' → ', h('span', {class: better(before || 0, after || 0)}, count(after)));
}

/* The change in wavefronts, or else in sectors; the two are never added. */
const changeIn = (change, name) => (change.after ? change.after[name] : 0) - (change.before ? change.before[name] : 0);
const changeOf = change => changeIn(change, 'wavefronts') || changeIn(change, 'sectors');
const changeWord = change => !change.before ? 'new' : !change.after ? 'gone' : changeIn(change, 'wavefronts') * changeIn(change, 'sectors') < 0 ? 'mixed' : changeOf(change) < 0 ? 'better' : changeOf(change) > 0 ? 'worse' : 'same';

const changeKey = (name, file, line) => JSON.stringify([name, file, file === null ? null : line]);

/* The line of a change, and the change of a line, by maps that are built once. */
function lineOfChange(change) {
    if (!book.byChange) {
        book.byChange = new Map();
        for (const line of book.lines.values()) {
            const key = changeKey(data.kernels[line.kernel].name, line.file, line.line);
            if (!book.byChange.has(key))
                book.byChange.set(key, line);
        }
        book.changes = new Map(more.against.lines.map(one => [book.byChange.get(changeKey(one.name, one.file, one.line)), one]));
    }
    return book.byChange.get(changeKey(change.name, change.file, change.line));
}

const figures = [['excess wavefronts', excess], ['wavefronts', sums => sums.wavefronts], ['excess sectors', excessSectors], ['ways', sums => sums.ways]];

function changeTable() {
    const changes = more.against.lines.filter(change => matchesQuery([change.kernel, change.file || '', String(change.line)]))
        .sort((a, b) => Math.abs(changeIn(b, 'wavefronts')) - Math.abs(changeIn(a, 'wavefronts')) || Math.abs(changeIn(b, 'sectors')) - Math.abs(changeIn(a, 'sectors')));
    const same = changes.filter(change => changeOf(change) === 0).length, changed = changes.filter(change => changeOf(change) !== 0), listed = changed.slice(0, ROWS_MAX);
    place.shown = listed.map(lineOfChange).filter(line => line);
    const row = (name, change, line) => h('tr', {class: line ? 'pick' : null, tabindex: line ? '0' : null, 'data-line': line ? line.key : null, onclick: () => line && select(line),
        onkeydown: event => event.key === 'Enter' && line && select(line)}, h('td', {class: 'text'}, name), h('td', {}, h('span', {class: {worse: 'worse', new: 'worse', better: 'better', gone: 'better'}[changeWord(change)] || 'soft'}, changeWord(change))),
        figures.map(([, figure]) => changeCell(change, figure)));
    return h('div', {class: 'panel'}, h('p', {class: 'tools soft'}, `Before: ${more.against.run ? `${more.against.run.command || '?'}, ${runText(more.against.run)}` : 'nothing'}`),
        h('table', {class: 'sticky changes'}, h('thead', {}, h('tr', {}, h('th', {class: 'text', scope: 'col'}, 'line'), ['is', ...figures.map(([name]) => name)].map(name => h('th', {scope: 'col'}, name)))),
            h('tbody', {}, row(h('b', {}, 'total'), more.against), listed.map(change => row([h('code', {}, placeOf(change.file, change.line, 0)), h('div', {class: 'soft'}, change.kernel)], change, lineOfChange(change))))),
        h('p', {class: 'tools soft'}, `${changed.length > listed.length ? `${count(changed.length - listed.length)} more lines changed: search for them by name.  ` : ''}${same > 0 ? `${plural(same, 'line')} unchanged.` : ''}`));
}

function changeBlock(line) {
    if (!more.against || more.against.lines.length === 0)
        return null;
    lineOfChange(more.against.lines[0]);
    const change = book.changes.get(line);
    return !change ? null : [h('h3', {}, 'Before and after'), scroll(h('table', {}, h('thead', {}, h('tr', {}, figures.map(([name]) => h('th', {scope: 'col'}, name)))),
        h('tbody', {}, h('tr', {}, figures.map(([, figure]) => changeCell(change, figure))))))];
}

/* ---- The left side ---- */

const tabs = [['lines', 'Lines', () => book.findings.length, findingList], ['kernels', 'Kernels', () => data.kernels.length, kernelTable], ['source', 'Source', () => null, sourcePanel],
    ...(isProfile && more.against ? [['changes', 'Changes', () => more.against.lines.filter(change => changeOf(change) !== 0).length, changeTable]] : [])];

function openTab(name) {
    state.tab = name;
    place.panes.classList.toggle('is-source', name === 'source');
    place.panes.classList.toggle('is-compared', Boolean(more.against));
    for (const tab of place.tabs.querySelectorAll('[role=tab]')) {
        tab.setAttribute('aria-selected', tab.dataset.tab === name);
        tab.tabIndex = tab.dataset.tab === name ? 0 : -1;
    }
    place.body.replaceChildren(tabs.find(([own]) => own === name)[3]());
    if (name === 'source' && place.table) {
        place.table.set(place.listed.rows.length);
        place.table.show(state.row);
    }
    mark();
}
