/* SPDX-License-Identifier: MIT */
/* The playground: a text or sliders on the left, on the right what the model says of it. All figures come from the
 * program's own C, compiled to WebAssembly (play.c). */
const place = {}, state = {view: 'wave', access: 0, answer: null, fixed: null, ms: 0};
const pressed = (on, text, onclick) => h('button', {'aria-pressed': on, onclick}, text);
let wasm = null;

/* ---- The program ---- */

async function load() {
    const bytes = Uint8Array.from(atob(more.wasm), c => c.charCodeAt(0));
    const module = await WebAssembly.compile(bytes), imports = {};
    for (const {module: room, name} of WebAssembly.Module.imports(module)) {
        imports[room] = imports[room] || {};
        imports[room][name] = () => 52; // what the library of C asks of a system: there is none
    }
    const instance = await WebAssembly.instantiate(module, imports);
    wasm = instance.exports;
    if (wasm._initialize)
        wasm._initialize();
}

/* The JSON text that the program left at this place. */
function parsed(at) {
    const memory = new Uint8Array(wasm.memory.buffer, at);
    return JSON.parse(new TextDecoder().decode(memory.subarray(0, memory.indexOf(0))));
}

function call(name, text, ...rest) {
    const bytes = new TextEncoder().encode(text).slice(0, 65535);
    new Uint8Array(wasm.memory.buffer, wasm.play_text(), bytes.length).set(bytes);
    return parsed(wasm[name](bytes.length, ...rest));
}

const archs = () => parsed(wasm.play_archs());

/* For tests: [min, max, ideal, ways, transactions, bytes] of lines of the batch format. */
function batch(lines, arch) {
    const index = archs().findIndex(one => one.name === arch);
    return lines.map(line => call('play_batch', line, index));
}

/* ---- Texts ---- */

const examples = [
    ['a column of a tile', 'shared float tile[32][32]\nld tile[threadIdx.x][0]'],
    ['the same, padded', 'shared float tile[32][33]\nld tile[threadIdx.x][0]'],
    ['the same, swizzled', 'shared float tile[32][32] : Swizzle<5,0,5>\nld tile[threadIdx.x][0]'],
    ['a transpose', 'shared float tile[32][32]\nblock 32x8\nfor j = 0:32:8\nst tile[threadIdx.y + j][threadIdx.x]\nld tile[threadIdx.x][threadIdx.y + j]'],
    ['sixteen bytes a lane', 'shared float as[8][128]\nblock 16x16\nld *(float4 *)&as[0][threadIdx.y * 8]\nld *(float4 *)&as[0][threadIdx.x * 8]'],
    ['a reduction', 'shared float sum[1024]\nblock 1024\nld sum[(2 * threadIdx.x + 1) % 1024]'],
    ['matrix loads', 'shared half a[16][64]\nldmatrix.x4 &a[laneid % 16][laneid / 16 * 8]'],
    ['bytes, one a lane', 'shared char a[4096]\nld a[threadIdx.x * 4]'],
    ['global memory, strided', 'global float a[65536]\nld a[threadIdx.x * 2]'],
];
const types = [['char', 1], ['short', 2], ['float', 4], ['double', 8], ['float4', 16]];
const sliders = {row: 32, pad: 0, bits: 0, type: 2};

function sliderText() {
    const shift = Math.log2(sliders.row), swizzle = sliders.bits > 0 && Number.isInteger(shift) ? ` : Swizzle<${sliders.bits},0,${Math.max(shift, sliders.bits)}>` : '';
    return `arch ${place.arch.value}\nshared ${types[sliders.type][0]} tile[32][${sliders.row + sliders.pad}]${swizzle}\nld tile[threadIdx.x][0]`;
}

/* ---- What is shown ---- */

function excerptOf(text) {
    return h('div', {class: 'excerpt', tabindex: '0', role: 'group', 'aria-label': 'Code'}, text.replace(/\n$/, '').split('\n').map(line => h('div', {}, '  ', colored(line))));
}

function drawPicture() {
    const access = state.answer.accesses[state.access], request = access && access.worst;
    const drawn = request && request.map ? bankMap(request, state.view) : request && request.moved !== undefined ? sectorMap(request) : null;
    const set = view => () => { state.view = view; drawPicture(); };
    replace(place.picture, request && request.map ? h('div', {class: 'bar-of'}, h('div', {class: 'choice', role: 'group', 'aria-label': 'Lines of the picture'}, pressed(state.view === 'wave', 'by wavefront', set('wave')), pressed(state.view === 'lane', 'by lane', set('lane')))) : null,
        drawn ? [drawn.box, laneTable(request, drawn.point)] : h('p', {class: 'soft'}, access && access.note ? `Not modelled: ${access.note}.` : 'No picture.'));
}

function accessList() {
    const choose = index => () => { state.access = index; draw(); };
    return state.answer.accesses.length < 2 ? null : h('div', {class: 'scroll'}, h('table', {}, h('thead', {}, h('tr', {}, h('th', {class: 'text', scope: 'col'}, 'access'), ['ways', 'wavefronts', 'excess', 'sectors'].map(name => h('th', {scope: 'col'}, name)))),
        h('tbody', {}, state.answer.accesses.map((one, i) => h('tr', {class: 'pick', tabindex: '0', 'aria-selected': i === state.access, onclick: choose(i), onkeydown: event => event.key === 'Enter' && choose(i)()},
            h('td', {class: 'text'}, h('code', {}, one.text)), h('td', {}, count(one.ways)), h('td', {}, count(one.wavefronts)), h('td', {}, count(one.excess)), h('td', {}, count(one.transactions)))))));
}

function draw() {
    const answer = state.answer;
    if (answer.error) {
        const {line, position, message} = answer.error;
        replace(place.out, h('p', {class: 'warning', role: 'alert'}, line > 0 ? `Line ${line}${position >= 0 ? `, column ${position + 1}` : ''}: ${message}.` : `${message}.`));
        return;
    }
    const access = answer.accesses[state.access = Math.min(state.access, Math.max(0, answer.accesses.length - 1))];
    place.picture = h('div', {class: 'map'});
    if (!access) {
        replace(place.out, h('p', {class: 'soft'}, 'There is no access: add a line such as “ld tile[threadIdx.x][0]”.'));
        return;
    }
    const free = access.ways !== undefined && access.ways <= 1;
    replace(place.out, accessList(), h('div', {class: 'verdict'}, h('span', {class: free ? 'chip good' : access.ways ? 'chip' : 'chip good'}, free ? 'conflict-free' : access.ways ? `${access.ways}-way bank conflict` : 'global memory'),
        h('span', {}, access.wavefronts !== undefined ? `${plural(access.wavefronts, 'wavefront')} for ${plural(access.requests, 'request')}, ${count(access.excess)} of them excess` : `${plural(access.transactions || 0, 'sector')} for ${plural(access.requests, 'request')}`)),
        access.worst ? h('p', {class: 'why'}, capital(access.worst.why)) : null,
        access.worst ? h('p', {class: 'soft'}, `${answer.family} (${answer.arch}); its worst request: ${access.worst.words}.`) : null, place.picture);
    drawPicture();
}

function drawFix() {
    const fixed = state.fixed;
    if (!fixed || fixed.error || !fixed.needed) {
        replace(place.fix);
        return;
    }
    replace(place.fix, h('h2', {}, 'Repair'), !fixed.better ? h('p', {class: 'soft'}, 'No layout was found that costs less.') :
        [h('p', {}, `${plural(fixed.excess_before, 'excess wavefront')} become `, h('span', {class: 'better'}, count(fixed.excess_after)), `, ${count(fixed.bytes_before)} bytes become ${count(fixed.bytes_after)}. `,
            h('button', {class: 'button', id: 'use', onclick: () => { place.text.value = fixed.layout.split('\n').filter(line => !/^(#|expect )/.test(line)).join('\n'); ask(); }}, 'Use it')),
        fixed.cuda ? [h('p', {class: 'soft'}, 'as CUDA'), excerptOf(fixed.cuda)] : null, fixed.cute ? [h('p', {class: 'soft'}, 'as CuTe'), excerptOf(fixed.cute)] : null]);
}

/* ---- Asking ---- */

let waiting = 0;

function ask() {
    const text = place.text.value, began = performance.now(), before = state.answer && state.answer.accesses ? state.answer.accesses.length : 0;
    state.answer = call('play_layout', text);
    state.ms = performance.now() - began;
    const accesses = state.answer.accesses || [];
    if (accesses.length !== before)
        state.access = accesses.reduce((worst, one, i) => (one.excess || 0) > (accesses[worst].excess || 0) ? i : worst, 0);
    draw();
    place.time.textContent = `answered in ${state.ms < 0.1 ? 'under 0.1' : state.ms.toFixed(1)} ms`;
    clearTimeout(waiting);
    waiting = setTimeout(() => { keepLink(text); state.fixed = state.answer.error ? null : call('play_fix', text); drawFix(); }, 150);
}

/* The link holds the state. It is as slow to set as all else together: not within a frame. */
function keepLink(text) {
    try { history.replaceState(null, '', '#' + encodeURIComponent(text)); } catch { /* a place without history */ }
}

function setArch() {
    const text = place.text.value, line = `arch ${place.arch.value}`;
    place.text.value = /^arch .*$/m.test(text) ? text.replace(/^arch .*$/m, line) : `${line}\n${text}`;
    ask();
}

function slider(name, label, from, to, show) {
    const value = h('output', {}, show(sliders[name]));
    const input = h('input', {type: 'range', min: from, max: to, value: sliders[name], id: `slider-${name}`, 'aria-label': label, oninput: () => {
        sliders[name] = Number(input.value);
        value.textContent = show(sliders[name]);
        place.text.value = sliderText();
        ask();
    }});
    return h('label', {class: 'slider'}, h('span', {}, label), input, value);
}

function build() {
    const families = archs().filter((one, i, all) => all.findIndex(other => other.family === one.family) === i || one.name === 'sm_90');
    place.arch = h('select', {id: 'arch', 'aria-label': 'Generation', onchange: setArch}, families.map(one => h('option', {value: one.name, selected: one.name === 'sm_90'}, `${one.family} (${one.name})`)));
    place.text = h('textarea', {id: 'text', rows: '9', spellcheck: 'false', autocomplete: 'off', 'aria-label': 'Declarations and accesses', oninput: ask});
    place.time = h('span', {class: 'soft', id: 'time'});
    const presets = h('select', {id: 'preset', 'aria-label': 'Examples', onchange: () => { place.text.value = `arch ${place.arch.value}\n${examples[Number(presets.value)][1]}`; ask(); }}, examples.map(([name], i) => h('option', {value: i}, name)));
    place.out = h('div', {id: 'out'});
    place.fix = h('div', {id: 'fix'});
    document.body.append(h('main', {}, h('div', {class: 'panes play'}, h('div', {class: 'left'}, h('div', {class: 'panel sheet'},
        h('h1', {}, 'What does this access of shared memory cost?'), h('p', {class: 'soft'}, 'Change a slider or the text: the map, the reason and the repair follow. The page runs smemprobe itself and sends nothing.'),
        h('div', {class: 'tools'}, presets, place.arch), place.text,
        h('h2', {}, 'Lane n reads the first element of row n'), slider('row', 'elements a row', 1, 64, String), slider('pad', 'padding', 0, 8, value => `+ ${value}`), slider('bits', 'swizzle bits', 0, 5, value => !value ? 'none' : sliders.row & sliders.row - 1 ? 'for rows of 2ⁿ only' : `Swizzle<${value},0,…>`),
        slider('type', 'element', 0, 4, value => `${types[value][0]}, ${types[value][1]} byte${types[value][1] > 1 ? 's' : ''}`), h('p', {}, place.time), place.fix)),
    h('section', {class: 'detail', id: 'detail', tabindex: '0', 'aria-label': 'What it costs'}, place.out))));
}

async function start() {
    const {help} = topLine('playground', [['t', 'dark or light'], ['?', 'this help']], null);
    await load();
    build();
    place.text.value = location.hash.length > 1 ? decodeURIComponent(location.hash.slice(1)) : `arch sm_90\n${examples[0][1]}`;
    const named = /^arch (\S+)/m.exec(place.text.value);
    if (named && [...place.arch.options].some(option => option.value === named[1]))
        place.arch.value = named[1];
    ask();
    addEventListener('hashchange', () => { place.text.value = decodeURIComponent(location.hash.slice(1)); ask(); });
    document.addEventListener('keydown', event => {
        const action = {t: nextTheme, '?': () => help.showModal()}[event.key];
        if (action && !event.ctrlKey && !event.metaKey && !event.altKey && !help.open && !/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName))
            action();
    });
    window.smemprobe = {batch, layout: text => call('play_layout', text), fix: text => call('play_fix', text)};
    root.dataset.ready = 'yes';
}

start().catch(problem => document.body.append(h('p', {class: 'plain warning'}, `This browser could not start the program: ${problem.message}`)));
