/* SPDX-License-Identifier: MIT */
/* The right side: one line, with its reason, picture, repair and machine code. */

function excerpt(line, around) {
    const source = line.file ? sourceOf(line.file) : null;
    if (!source)
        return h('p', {class: 'soft'}, 'No line information in the machine code: compile with nvcc -lineinfo to see the source.');
    if (!source.lines)
        return h('p', {class: 'soft'}, `${line.file}: ${source.why}.`);
    const from = Math.max(1, line.line - around), to = Math.min(source.lines.length, line.line + around), rows = [];
    for (let number = from; number <= to; number++)
        rows.push(h('div', {class: number === line.line ? 'this' : null}, h('span', {class: 'number'}, String(number)), colored(source.lines[number - 1])));
    return h('div', {class: excess(line.sums) + excessSectors(line.sums) > 0 ? 'excerpt' : 'excerpt free', tabindex: '0', role: 'group', 'aria-label': 'Source'}, rows);
}

/* The most ways of any request; "up to" if the request whose map is shown has fewer. */
function waysText(line) {
    const first = more.kernels[line.kernel].sites[line.sites[0]].requests[0], shown = first && first[0] !== null ? more.requests[first[0]] : null;
    return `${shown && shown.ways !== undefined && shown.ways !== line.sums.ways ? 'up to ' : ''}${line.sums.ways}-way`;
}

function verdict(line) {
    const waves = excess(line.sums), sectors = excessSectors(line.sums);
    const parts = [];
    if (line.sums.ways > 1)
        parts.push(h('span', {class: 'chip'}, `${waysText(line)} bank conflict`));
    if (waves > 0)
        parts.push(h('span', {}, `${count(waves)} of ${plural(line.sums.wavefronts, 'wavefront')} are excess, ${percent(shareOfWaves(line), 1)} of all excess`));
    if (sectors > 0)
        parts.push(h('span', {}, `${count(sectors)} of ${plural(line.sums.sectors, 'sector')} are excess, ${percent(shareOfSectors(line), 1)} of all excess`));
    const found = data.findings.filter(one => one.severity === 'error' && one.file === line.file && one.line === line.line);
    parts.push(...found.map(one => h('span', {class: 'chip'}, one.kind)));
    if (parts.length === 0)
        parts.push(h('span', {class: 'chip good'}, 'optimal'));
    if (line.sums.unknown > 0)
        parts.push(h('span', {class: 'soft'}, `not modelled: ${plural(line.sums.unknown, 'request')}`));
    return h('div', {class: 'verdict'}, parts);
}

/* The request that is shown, one of the worst: with the current layout, or after a change. */
function requestShown() {
    const own = ownSite().requests[state.request];
    const change = state.change && state.line.fix && state.site === state.line.sites[0] ? state.line.fix[state.change] : null;
    const index = change ? change.requests[state.request] : own && own[0];
    return index === null || index === undefined ? null : more.requests[index];
}

const ownSite = () => more.kernels[state.line.kernel].sites[state.site];

/* The requests of a line's instructions, [site, number of it], the costliest of each first. */
function requestsOf(line) {
    if (!line.requests) {
        const seen = new Set(), all = line.sites.flatMap(site => more.kernels[line.kernel].sites[site].requests.map((one, number) => [site, number, one[0]]));
        line.requests = all.filter(([, , index]) => index !== null && !seen.has(index) && seen.add(index));
        const excessOf = index => (more.requests[index].waves || 0) - (more.requests[index].ideal || 0);
        line.requests.sort((a, b) => excessOf(b[2]) - excessOf(a[2]));
    }
    return line.requests;
}

/* The index of the shown request among them; equal requests share one. */
function requestNumber() {
    const own = ownSite().requests[state.request];
    return own ? requestsOf(state.line).findIndex(([, , index]) => index === own[0]) : -1;
}

function stepRequest(by) {
    const all = requestsOf(state.line);
    if (all.length < 2)
        return;
    const [site, request] = all[(requestNumber() + by + all.length) % all.length], held = document.activeElement && document.activeElement.id, top = place.detail.scrollTop;
    const isNew = site !== state.site;
    Object.assign(state, {site, request}, isNew ? {change: ''} : {});
    if (isNew)
        drawDetail();
    else
        drawPicture();
    place.detail.scrollTop = top;
    if (/^request-/.test(held || ''))
        document.getElementById(held).focus();
}

/* The buttons to step through the worst requests, and how often the shown one occurred. */
function requestSteps() {
    const own = ownSite(), shown = own.requests[state.request], all = requestsOf(state.line);
    if (!shown)
        return null;
    const often = shown[1] === 0 ? '' : `, made ${shown[1] === 1 ? 'once' : `${count(shown[1])} times`}${shown[2] > 1 ? ` by ${count(shown[2])} instructions, this one included` : ''}`;
    const others = own.shapes > own.requests.length ? `; the worst ${own.requests.length} of ${count(own.shapes)} patterns` : '';
    const button = (id, sign, label, by) => h('button', {id, title: label, 'aria-label': label, onclick: () => stepRequest(by)}, sign);
    const steps = all.length < 2 ? null : h('div', {class: 'choice', role: 'group', 'aria-label': 'Worst requests of the line'}, button('request-before', '‹', 'Previous request ( [ )', -1),
        h('span', {class: 'which', 'aria-live': 'polite'}, `${requestNumber() + 1} of ${all.length}`), button('request-next', '›', 'Next request ( ] )', 1));
    return h('div', {class: 'bar-of'}, steps, h('span', {class: 'soft'}, h('code', {}, opcodeText(state.line.kernel, state.site)), `${often}${others}${own.lost > 0 ? `; ${count(own.lost)} more requests were not kept` : ''}`));
}

const pressed = (on, text, onclick) => h('button', {'aria-pressed': on, onclick}, text);

function mapTools(request) {
    const fix = state.site === state.line.sites[0] ? state.line.fix : null;
    const tools = h('div', {class: 'bar-of'});
    const set = changed => () => { Object.assign(state, changed); drawPicture(); };
    if (fix && (fix.padding || fix.swizzle))
        tools.append(h('div', {class: 'choice', role: 'group', 'aria-label': 'Layout'}, pressed(state.change === '', 'current', set({change: ''})),
            fix.padding ? pressed(state.change === 'padding', 'padded', set({change: 'padding'})) : null,
            fix.swizzle ? pressed(state.change === 'swizzle', 'swizzled', set({change: 'swizzle'})) : null));
    if (request.map)
        tools.append(h('div', {class: 'choice', role: 'group', 'aria-label': 'Rows of the picture'}, pressed(state.view === 'wave', 'by wavefront', set({view: 'wave'})),
            pressed(state.view === 'lane', 'by lane', set({view: 'lane'}))));
    return tools;
}

function drawPicture() {
    const request = requestShown(), site = data.kernels[state.line.kernel].instructions[state.site];
    const box = place.picture;
    if (!request) {
        replace(box, requestSteps(), h('p', {class: 'soft'}, site.not_modelled ? `Not modelled: ${site.not_modelled}.` : ownSite().requests.length ? 'This page had no room for the request.' : 'No request of this instruction was kept, or the model has no figures for it.'));
        return;
    }
    const drawn = request.map ? bankMap(request, state.view) : request.moved !== undefined ? sectorMap(request) : null;
    replace(box, h('div', {class: 'map'}, requestSteps(), mapTools(request), requestWords(request), drawn ? drawn.box : null, drawn ? laneTable(request, drawn.point) : null));
}

/* The cost of the shown request, and its reason if it differs from the one above. */
function requestWords(request) {
    const first = ownSite().requests[0], cost = request.map ? `${plural(request.waves, 'wavefront')} for this request, ideal ${request.ideal}` : '';
    const other = !first || first[0] === null || more.requests[first[0]].why !== request.why;
    return cost === '' || (state.request === 0 && state.change === '') ? null : h('p', {class: 'soft'}, `${cost}${other ? `: ${request.why}` : '.'}`);
}

/* Why the worst request costs what it does with the current layout. */
function reason() {
    const own = ownSite().requests[0];
    const request = own && own[0] !== null ? more.requests[own[0]] : null;
    if (!request)
        return null;
    const costs = request.map ? `${plural(request.waves, 'wavefront')} for one request, ideal ${request.ideal}` : request.moved !== undefined ? `${plural(request.moved, 'sector')} for one request` : '';
    return [h('h3', {}, 'Why'), h('p', {class: 'why'}, capital(request.why)), h('p', {class: 'soft'}, `Its worst request: ${request.words}. ${costs}.`)];
}

const changeNames = {padding: 'Padding', swizzle: 'XOR swizzle', wider: 'Wider access'};

function changeBox(owner, fix, name) {
    const change = fix[name], patch = change.patch || name !== 'wider' && book.findings[fix.same].fix[name].patch, title = changeNames[name];
    return h('div', {class: 'fix'}, h('b', {}, title), `: ${change.words.replace(`${title}: `, '')}`,
        numbersOf(change),
        moreBytes(change.more_bytes),
        !patch ? null : patchBox(`in ${baseName(owner.file)}`, owner.file, patch));
}

/* The better layout, the other one folded, and a wider access. */
function changeBoxes(line, fix, best) {
    const layouts = ['padding', 'swizzle'].filter(name => fix[name]).sort((a, b) => (fix[b] === best) - (fix[a] === best));
    return [layouts.map((name, i) => i === 0 ? changeBox(line, fix, name)
        : h('details', {class: 'more'}, h('summary', {}, `Or: ${changeNames[name]}, ${plural(fix[name].after, 'wavefront')}`), changeBox(line, fix, name))),
        fix.wider ? changeBox(line, fix, 'wider') : null];
}

const isCuda = line => /\.(cu|cuh|h|hpp)$/.test(line.file || '');

function repair(line) {
    const fix = line.fix;
    if (!fix)
        return excess(line.sums) > 0 ? h('p', {class: 'soft'}, 'No padding or XOR swizzle saves 5 % of the wavefronts of this array.')
            : excessSectors(line.sums) > 0 ? h('p', {class: 'soft'}, 'Repairs are searched for shared memory only. For global memory: let neighbouring lanes access neighbouring addresses, or stage the data through shared memory.') : null;
    const array = fix.array === null ? null : data.kernels[line.kernel].arrays[fix.array];
    const best = bestChange(fix);
    return [fix.obstacle ? h('p', {}, `No layout of the array is suggested: ${fix.obstacle}.`) : null, best && helpsLittle(best) ? h('p', {}, `No layout of the array helps much: at best it saves ${savedBy(best)}.`) : null,
        changeBoxes(line, fix, best),
        !fix.padding && !fix.swizzle ? null : h('p', {class: 'soft counted'}, `Computed from the recorded requests${fix.lost ? ' (not all were kept)' : ''} of ${plural(fix.sites, 'instruction')} that use${fix.sites === 1 ? 's' : ''} `,
            array && array.name ? h('code', {}, array.name) : 'the array', isCuda(line) ? ['. This patch was not compiled, and the compiler may merge accesses differently with it: ', h('code', {}, 'smemprobe fix'), ' compiles, runs and compares one.'] : '. It was not compiled.')];
}

function chain(site) {
    if (site.inlined.length < 2)
        return null;
    return h('details', {class: 'more'}, h('summary', {}, `Inlined: ${plural(site.inlined.length - 1, 'level')}`), h('ol', {class: 'chain'},
        site.inlined.map(frame => h('li', {}, h('code', {}, `${frame.file ? baseName(frame.file) : '?'}:${frame.line}`), ' ',
            h('span', {class: 'soft mono'}, (frame.file && lineText(frame.file, frame.line) || '').trim())))));
}

function instructionTable(line) {
    const kernel = data.kernels[line.kernel], number = (value, applies) => h('td', {}, applies === null ? '–' : count(value));
    return scroll(h('table', {}, h('thead', {}, h('tr', {}, h('th', {class: 'text', scope: 'col'}, 'instruction'),
        ['requests', 'wavefronts', 'excess', 'ways', 'sectors', 'excess'].map(name => h('th', {scope: 'col'}, name)))),
    h('tbody', {}, line.sites.map(index => {
        const site = kernel.instructions[index];
        const choose = () => { Object.assign(state, {site: index, request: 0, change: ''}); drawDetail(); };
        return h('tr', {class: 'pick', tabindex: '0', 'aria-selected': index === state.site, onclick: choose, onkeydown: event => event.key === 'Enter' && choose()},
            h('td', {class: 'text'}, h('span', {class: 'soft mono'}, hex(site.offset) + ' '), h('code', {}, opcodeText(line.kernel, index))),
            number(site.requests, 1), number(site.wavefronts, site.wavefronts), number(site.excess, site.wavefronts), number(site.ways, site.ways),
            number(site.sectors, site.sectors), number(site.sectors === null ? null : site.sectors - site.ideal_sectors, site.sectors));
    }))));
}

function sameLine(line) {
    const others = [...book.lines.values()].filter(one => one.file !== null && one.file === line.file && one.line === line.line && one !== line);
    return others.length === 0 ? null : h('p', {class: 'soft'}, 'The same line in ', others.slice(0, 6).map((one, i) => [i > 0 ? ', ' : '',
        h('button', {class: 'button', onclick: () => select(one)}, book.kernels[one.kernel].title)]), others.length > 6 ? ' and others' : '');
}

function arrayText(line) {
    const index = more.kernels[line.kernel].sites[state.site].array;
    if (index === null)
        return null;
    const array = data.kernels[line.kernel].arrays[index];
    return h('p', {class: 'soft'}, 'Array ', h('code', {}, array.name || '?'), `${array.type ? ` of ${array.type}` : ''}, ${array.size_bytes === null ? 'sized at launch' : `${count(array.size_bytes)} bytes`} at byte ${count(array.offset)}.`);
}

function drawDetail() {
    const line = state.line;
    if (!line)
        return;
    const site = data.kernels[line.kernel].instructions[state.site], kernel = data.kernels[line.kernel], fixed = repair(line);
    place.picture = h('div', {});
    replace(place.detail, h('h2', {}, h('code', {}, line.place)), h('p', {class: 'soft', title: kernel.demangled || kernel.name}, `in ${book.kernels[line.kernel].title}, ${launchText(kernel)}`), callersOf(kernel),
        verdict(line), excerpt(line, 3), sameLine(line), changeBlock(line), reason(), fixed ? h('h3', {}, 'Advice') : null, fixed, h('h3', {}, requestsOf(line).length > 1 ? 'Its worst requests' : 'Its worst request'), place.picture, arrayText(line),
        h('h3', {}, 'Machine code of this line'), instructionTable(line), chain(site));
    place.detail.scrollTop = 0;
    drawPicture();
}
