/* SPDX-License-Identifier: MIT */
/* The pages of predict, check, compare and fix: a headline, tables, and pictures of requests. */

const range = value => value === null || value === undefined ? null : typeof value === 'object' ? (value.min === value.max ? value.min : `${value.min} to ${value.max}`) : value;
const shown = value => typeof value === 'number' ? count(value) : value === null || value === undefined ? '–' : String(value);

/* columns: [[title, row => text or node, isText]]; empty columns are omitted. `pick(index)` selects a row. */
function table(label, all, rows, pick) {
    const columns = all.filter(([, value]) => rows.some(row => !['', '–'].includes(value(row))));
    const body = h('tbody', {}, rows.map((row, index) => h('tr', pick ? {class: 'pick', tabindex: '0', onclick: () => pick(index), onkeydown: event => event.key === 'Enter' && pick(index)} : {},
        columns.map(([, value, isText]) => h('td', {class: isText ? 'text' : null}, value(row))))));
    return scroll(h('table', {'aria-label': label}, h('thead', {}, h('tr', {}, columns.map(([title, , isText]) => h('th', {scope: 'col', class: isText ? 'text' : null}, title)))), body));
}

function chosen(box, index) {
    [...box.querySelectorAll('tbody tr')].forEach((row, i) => row.setAttribute('aria-selected', i === index));
}

/* The repaired text with the comments of the original. */
function withComments(before, after) {
    const a = linesOf(before), b = linesOf(after).filter(line => line[0] !== '#'), pairs = new Map(commonLines(a, b)), out = [];
    let j = 0;
    a.forEach((line, i) => {
        if (line[0] === '#')
            out.push(line);
        while (pairs.has(i) && j <= pairs.get(i))
            out.push(b[j++]);
    });
    return [...out, ...b.slice(j)].join('\n');
}

/* Repairs of a request, each with its bank map after the change. */
function repairsOf(index) {
    const repairs = more.repairs && more.repairs[index] || [];
    return repairs.map(one => h('div', {class: 'fix'}, h('b', {}, one.words), numbersOf(one), moreBytes(one.more_bytes),
        one.request === null ? null : h('details', {class: 'more'}, h('summary', {}, 'Bank map after the change'), h('div', {class: 'map'}, bankMap(more.requests[one.request], 'wave').box))));
}

/* One request: reason, picture, lanes and, unless the page has a repair of its own, repairs. */
function requestBox(index, isRepaired) {
    const request = index === null || index === undefined ? null : more.requests[index];
    if (!request)
        return h('p', {class: 'soft'}, 'Not modelled: there is no picture.');
    let view = 'wave';
    const box = h('div', {}), draw = () => {
        const drawn = request.map ? bankMap(request, view) : request.moved !== undefined ? sectorMap(request) : null;
        const set = name => () => { view = name; draw(); };
        replace(box, !request.map ? null : h('div', {class: 'bar-of'}, h('div', {class: 'choice', role: 'group', 'aria-label': 'Rows of the picture'}, pressed(view === 'wave', 'by wavefront', set('wave')), pressed(view === 'lane', 'by lane', set('lane')))),
            drawn ? [drawn.box, laneTable(request, drawn.point)] : null);
    };
    draw();
    const repairs = isRepaired ? [] : repairsOf(index);
    const cost = request.waves !== undefined ? `${plural(request.waves, 'wavefront')}, ideal ${count(request.ideal)}, ${request.ways}-way` : request.moved !== undefined ? `${plural(request.moved, request.unit)}, ${count(request.moved_bytes)} bytes moved` : '';
    return [h('div', {class: 'verdict'}, h('span', {class: request.ways > 1 ? 'chip' : 'chip good'}, request.ways > 1 ? `${request.ways}-way bank conflict` : request.ways === 1 ? 'conflict-free' : 'global memory'), h('span', {}, `${request.words}: ${cost}`)),
        h('p', {class: 'why'}, capital(request.why)), h('div', {class: 'map'}, box), repairs.length > 0 ? h('h3', {}, 'Repair of this request') : null, repairs];
}

function twoPanes(left, pickFirst) {
    const detail = h('section', {class: 'detail', id: 'detail', tabindex: '0', 'aria-label': 'The selected request'});
    document.querySelector('main').append(h('div', {class: 'panes'}, h('div', {class: 'left'}, h('div', {class: 'panel', id: 'body'}, left)), detail));
    pickFirst(detail);
}

const headSection = (title, ...lines) => h('section', {class: 'summary', 'aria-label': 'Summary'}, h('div', {}, h('h1', {}, title), lines.map(line => line ? h('p', {}, line) : null)));

const pages = {
    predict() {
        const reports = Array.isArray(data) ? data : [data], worst = Math.max(...reports.map(one => one.ways || 0));
        const box = table('Architectures', [['architecture', one => [h('code', {}, one.arch.name), ' ', h('span', {class: 'soft'}, one.arch.bank_bytes === 8 ? `${one.arch.cc}, 8-byte banks` : one.arch.cc)], true], ['wavefronts', one => shown(range(one.wavefronts))], ['ideal', one => shown(one.ideal)], ['ways', one => shown(one.ways)],
            ['transactions', one => shown(one.transactions)], ['measured', one => one.measured ? shown(one.measured.wavefronts ?? one.measured.count) : '–']], reports, index => pick(index));
        let detail = null;
        function pick(index, isFirst) {
            chosen(box, index);
            showDetail(detail, isFirst);
            replace(detail, h('h2', {}, h('code', {}, reports[index].op), ` on ${reports[index].arch.name}`), requestBox(more.reports[index]), codeText('This request alone', `smemprobe ${reports[index].pattern}`));
        }
        return [headSection(worst > 1 ? `${worst}-way bank conflict.` : worst === 1 ? 'Free of bank conflicts.' : 'A memory access.', `${reports[0].op}, ${reports[0].width_bytes} bytes per lane`), () => twoPanes(box, node => { detail = node; pick(reports.length - 1, true); })];
    },
    layout() {
        const reports = Array.isArray(data) ? data : [data];
        const rows = reports.flatMap((report, i) => report.accesses.map((access, j) => ({access, arch: report.arch, request: more.reports[i][j]})));
        const lost = rows.reduce((sum, row) => sum + (row.access.excess || 0), 0);
        const box = table('Accesses', [['access', row => [h('code', {}, row.access.text), h('div', {class: 'soft'}, `${row.arch.name}, line ${row.access.line}`)], true], ['ways', row => shown(row.access.ways)], ['wavefronts', row => shown(range(row.access.wavefronts))], ['excess', row => shown(row.access.excess)], ['sectors', row => shown(row.access.transactions)]],
            rows, index => pick(index));
        let detail = null;
        function pick(index, isFirst) {
            chosen(box, index);
            showDetail(detail, isFirst);
            replace(detail, h('h2', {}, h('code', {}, rows[index].access.text)), h('p', {class: 'soft'}, `Its worst request on ${rows[index].arch.name}`), requestBox(rows[index].request));
        }
        return [headSection(lost > 0 ? `${plural(lost, 'excess wavefront')}.` : 'No access has excess wavefronts.', more.file, `${plural(rows.length, 'access').replace(/accesss$/, 'accesses')}, ${reports[0].block.join(' x ')} threads, ${count(reports[0].shared_bytes)} bytes of shared memory`),
            () => twoPanes(box, node => { detail = node; pick(rows.reduce((best, row, i) => (row.access.excess || 0) > (rows[best].access.excess || 0) ? i : best, 0), true); })];
    },
    check() {
        const bad = data.cases.filter(one => one.verdict !== 'holds');
        const chip = one => h('span', {class: one.verdict === 'holds' ? 'chip good' : 'chip'}, one.verdict);
        const columns = [['verdict', chip, true], ['access', one => [h('code', {}, one.access || ''), h('div', {class: 'soft', title: one.file}, `${baseName(one.file)}${one.line ? ':' + one.line : ''}${one.arch ? ` on ${one.arch}` : ''}`)], true], ['expected', one => h('code', {}, one.rule || ''), true], ['found', one => one.message || '', true]];
        return [headSection(bad.length === 0 ? 'All expectations hold.' : [[data.violated, 'violated'], [data.errors, 'in error'], [data.not_judged, 'not judged']].filter(([number]) => number > 0).map(([number, words]) => `${count(number)} ${words}`).join(', ') + '.', `${plural(data.files, 'file')}, ${data.accesses} accesses, ${plural(data.cases.length, 'case')}`),
            () => {
                const cases = [...bad, ...data.cases.filter(one => one.verdict === 'holds')], requests = cases.map(one => more.reports[data.cases.indexOf(one)]), first = requests.findIndex(one => one !== null);
                if (first < 0) {
                    document.querySelector('main').append(h('section', {class: 'sheet'}, table('Cases', columns, cases)));
                    return;
                }
                let detail = null;
                const box = table('Cases', columns, cases, index => pick(index)), pick = (index, isFirst) => {
                    chosen(box, index);
                    replace(detail, h('h2', {}, h('code', {}, cases[index].access || cases[index].file)), h('p', {class: 'soft'}, cases[index].message || 'holds'), requests[index] === null ? null : requestBox(requests[index]));
                    showDetail(detail, isFirst);
                };
                twoPanes(box, node => { detail = node; pick(first, true); });
            }];
    },
    compare() {
        const cases = Array.isArray(data) ? data : [data], longest = Math.max(1, ...cases.map(one => one.measured && one.measured.time_us || 0));
        const waves = one => one.predicted.wavefronts_ld + one.predicted.wavefronts_st + one.predicted.wavefronts_atom, sectors = one => one.predicted.sectors_ld + one.predicted.sectors_st + one.predicted.sectors_red;
        const columns = [['variant', one => [h('code', {}, one.variant), h('div', {class: 'soft'}, `${one.family}, ${one.type}, ${one.arch}`)], true], ['ways', one => shown(one.predicted.ways)], ['wavefronts', one => shown(waves(one))], ['excess', one => shown(one.predicted.excess)], ['sectors', one => shown(sectors(one))],
            ['measured', one => one.measured && one.measured.counted ? (one.measured.agrees ? h('span', {class: 'better'}, 'as predicted') : h('span', {class: 'worse'}, 'differs')) : '–'], ['time', one => one.measured ? `${one.measured.time_us.toFixed(1)} µs` : '–'], ['relative time', one => one.measured ? bar(one.measured.time_us, 0, longest) : '']];
        const best = cases.filter(one => one.measured).sort((a, b) => a.measured.time_us - b.measured.time_us)[0];
        return [headSection(best ? `${best.variant} took the least time of ${plural(cases.length, 'variant')}.` : `${plural(cases.length, 'variant')} of ${cases[0].family}.`, `${cases[0].rows} x ${cases[0].columns} ${cases[0].type}`, best && best.measured.provenance),
            () => document.querySelector('main').append(h('section', {class: 'sheet'}, table('Variants', columns, cases)))];
    },
    fix() {
        const result = data.result, code = [['smp', 'as a layout file'], ['cuda', 'as CUDA'], ['cute', 'as CuTe']].filter(([name]) => typeof data[name] === 'string');
        const layouts = array => table(array.name, [['layout', one => [h('code', {}, one.text), ' ', one.chosen ? h('span', {class: 'chip good'}, 'chosen') : ''], true], ['kind', one => one.kind, true], ['excess', one => shown(one.excess)], ['ways', one => shown(one.ways)], ['bytes', one => shown(one.bytes)], ['instructions', one => shown(one.instructions)], ['blocks', one => shown(one.blocks)]], array.layouts);
        const change = name => one => [h('span', {class: 'soft'}, shown(one.before[name])), ' → ', h('span', {class: better(one.before[name], one.after[name])}, shown(one.after[name]))];
        const accesses = data.accesses.flatMap(access => access.on.map(on => ({...on, text: access.text, line: access.line})));
        return [headSection(result.needed ? `${plural(result.excess_before, 'excess wavefront')} become ${count(result.excess_after)}.` : data.notes.some(note => note.kind === 'global' || note.kind === 'wider') ? 'No bank conflict, but see the notes below.' : 'Nothing to repair.', `${plural(result.candidates, 'candidate')}, ${data.archs.join(', ')}, ${count(result.bytes_before)} bytes before, ${count(result.bytes_after)} after`),
            () => document.querySelector('main').append(h('section', {class: 'sheet'}, !result.needed || typeof data.smp !== 'string' || typeof more.text !== 'string' ? null : [h('h2', {}, 'The repair'), patchBox('of this file', more.file || 'layout.smp', unifiedDiff(more.file || 'layout.smp', more.text, withComments(more.text, data.smp)))], code.map(([name, title]) => codeText(title, data[name])),
                data.arrays.map(array => [h('h2', {}, h('code', {}, array.name)), array.fixed_because ? h('p', {class: 'soft'}, array.fixed_because) : null, layouts(array)]),
                h('h2', {}, 'Accesses'), table('Accesses', [['access', one => [h('code', {}, one.text), h('div', {class: 'soft'}, `${one.arch}, line ${one.line}`)], true], ['wavefronts', change('wavefronts')], ['excess', change('excess')], ['ways', change('ways')]], accesses), data.notes.length > 0 ? h('h2', {}, 'Notes') : null, data.notes.map(note => h('p', {class: 'soft'}, note.text)),
                data.accesses.map((access, i) => [access, more.reports[i]]).filter(([, index]) => index !== null && (more.requests[index].ways || 0) > 1).slice(0, 20).map(([access, index]) => [h('h2', {}, 'Before: ', h('code', {}, access.text)), requestBox(index, true)])))];
    },
    repair() {
        const kept = data.tries.filter(one => one.kept), rest = data.tries.filter(one => !one.kept), box = h('div', {});
        const moved = (a, b) => [a.wavefronts === b.wavefronts && a.sectors !== b.sectors ? null : `wavefronts ${count(a.wavefronts)} → ${count(b.wavefronts)}`, a.sectors === b.sectors ? null : `sectors of global memory ${count(a.sectors)} → ${count(b.sectors)}`].filter(Boolean).join(', ');
        const time = one => one.time ? `, ${one.time.before_us.toFixed(1)} → ${one.time.after_us.toFixed(1)} us` : '', ways = one => one.before.ways === one.after.ways ? '' : `${one.before.ways} → ${one.after.ways} ways, `;
        const gain = one => one.races ? `${count(one.races.before)} → ${count(one.races.after)} races` : one.after ? ways(one) + moved(one.before, one.after) + time(one) : '';
        const room = one => one.after ? `registers ${one.before.registers} → ${one.after.registers}, ${one.before.local_bytes + one.after.local_bytes > 0 ? `local memory ${one.before.local_bytes} → ${one.after.local_bytes} bytes per thread, ` : ''}shared memory ${count(one.before.shared_bytes)} → ${count(one.after.shared_bytes)} bytes, ${shown(one.before.resident_blocks)} → ${shown(one.after.resident_blocks)} blocks per multiprocessor` : '';
        const place = one => [h('code', {}, one.change), h('div', {class: 'soft'}, `${one.kernel}, line ${one.line}`)];
        const proof = data.refused ? `${capital(data.refused)}.` : (!data.patch ? 'No patch is proven.' : data.races ? 'Compiled and run again.' : `Compiled, run and compared: ${count(data.bytes_compared)} bytes are equal.`);
        replace(box, data.patch ? [h('h2', {}, 'The patch'), patchBox(data.races ? 'compiled and run' : 'compiled, run and compared', data.file, data.patch)] : null,
            kept.length > 0 ? [h('h2', {}, 'What it changes'), table('What it changes', [['change', place, true], ['gain', gain, true], ['room', room, true]], kept)] : null,
            rest.length > 0 ? [h('h2', {}, 'Tried and not kept'), table('Tried and not kept', [['change', place, true], ['gain', gain, true], ['because', one => one.why_not, true]], rest)] : null,
            data.advice.length > 0 ? [h('h2', {}, 'Not proven'), data.advice.map(one => h('p', {}, h('code', {}, one.array || `${one.memory} memory`), ` in ${one.kernel}: ${one.text}`))] : null);
        const end = data.refused ? 'Not repaired.' : data.races ? `${count(data.races.before)} → ${count(data.races.after)} races.` : capital(moved(data.before, data.after)) + '.';
        return [headSection(end, data.file, `${data.arch}, run on the CPU${data.gpu ? `, timed on ${data.gpu}` : ''}`, proof), () => document.querySelector('main').append(h('section', {class: 'sheet'}, box))];
    },
};

function startDocument() {
    place.top = topLine({repair: 'fix', layout: 'predict'}[more.kind] || more.kind, [['t', 'dark or light'], ['?', 'this help']], null);
    const [head, rest] = pages[more.kind]();
    root.dataset.kind = more.kind;
    document.body.append(h('main', {}, head));
    rest();
    document.body.append(againBox());
    document.addEventListener('keydown', event => {
        const action = {t: nextTheme, '?': () => place.top.help.showModal()}[event.key];
        if (action && !event.ctrlKey && !event.metaKey && !event.altKey && !place.top.help.open)
            action();
    });
    root.dataset.ready = 'yes';
}
