/* SPDX-License-Identifier: MIT */
/* The playground: text and sliders on the left, the model's answer on the right. All figures come from the
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
        imports[room][name] = () => 52; // the C library's system calls fail: there is no system
    }
    const instance = await WebAssembly.instantiate(module, imports);
    wasm = instance.exports;
    if (wasm._initialize)
        wasm._initialize();
}

/* Parses the JSON text that the program left at this address. */
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
    ['sixteen bytes per lane', 'shared float as[8][128]\nblock 16x16\nld *(float4 *)&as[0][threadIdx.y * 8]\nld *(float4 *)&as[0][threadIdx.x * 8]'],
    ['a reduction', 'shared float sum[1024]\nblock 1024\nld sum[(2 * threadIdx.x + 1) % 1024]'],
    ['matrix loads', 'shared half a[16][64]\nldmatrix.x4 &a[laneid % 16][laneid / 16 * 8]'],
    ['bytes, one per lane', 'shared char a[4096]\nld a[threadIdx.x * 4]'],
    ['global memory, strided', 'global float a[65536]\nld a[threadIdx.x * 2]'],
];
/* The sliders change the last extent, the type and the swizzle of the first shared array. */
const types = [['char', 1], ['short', 2], ['float', 4], ['double', 8], ['float4', 16]];
const bytesOf = Object.fromEntries([
    [1, 'char bool uchar int8_t uint8_t'], [2, 'short ushort half __half __nv_bfloat16 int16_t uint16_t char2 uchar2'],
    [4, 'float int unsigned uint int32_t uint32_t half2 __half2 short2 ushort2 char4 uchar4'],
    [8, 'double long float2 int2 uint2 int64_t uint64_t size_t short4 ushort4'], [16, 'float4 int4 uint4 double2 long2 ulong2'],
].flatMap(([bytes, names]) => names.split(' ').map(name => [name, bytes])));
const declared = /^(\s*shared\s+)((?:unsigned\s+)?\w+)(\s+(\w+)\s*(?:\[[^\]\n]*\])*)\[\s*(\d+)\s*\](?:\s*:\s*Swizzle<(\d+),(\d+),(-?\d+)>)?(?=\s*(?:#|\/\/|$))/m;
const sliders = {row: 32, pad: 0, bits: 0, type: 2, element: ''};

/* Sets the sliders from the text; false if it has no array for them. Only the sliders know how an extent splits into row and padding. */
function readSliders(text) {
    const found = declared.exec(text);
    if (!found)
        return false;
    const last = Number(found[5]), bytes = bytesOf[found[2].replace(/^unsigned\s+/, '')];
    if (sliders.row + sliders.pad !== last)
        Object.assign(sliders, {row: last, pad: 0});
    sliders.bits = Number(found[6] || 0);
    if (bytes)
        sliders.type = types.findIndex(([, size]) => size === bytes);
    sliders.element = bytes ? `${found[2]}, ${bytes} byte${bytes > 1 ? 's' : ''}` : found[2];
    sliders.name = found[4];
    return true;
}

function writeSliders(text, changed) {
    const shift = Math.log2(sliders.row), swizzle = sliders.bits > 0 && Number.isInteger(shift) ? ` : Swizzle<${sliders.bits},0,${Math.max(shift, sliders.bits)}>` : '';
    return text.replace(declared, (whole, begin, type, name, _, last, bits, base, by) => {
        const kept = changed === 'bits' || changed === 'row' || bits === undefined ? swizzle : ` : Swizzle<${bits},${base},${by}>`;
        return `${begin}${changed === 'type' ? types[sliders.type][0] : type}${name}[${sliders.row + sliders.pad}]${kept}`;
    });
}

/* ---- What is shown ---- */

function drawPicture() {
    const access = state.answer.accesses[state.access], request = access && access.worst;
    const drawn = request && request.map ? bankMap(request, state.view) : request && request.moved !== undefined ? sectorMap(request) : null;
    const set = view => () => { state.view = view; drawPicture(); };
    replace(place.picture, request && request.map ? h('div', {class: 'bar-of'}, h('div', {class: 'choice', role: 'group', 'aria-label': 'Rows of the picture'}, pressed(state.view === 'wave', 'by wavefront', set('wave')), pressed(state.view === 'lane', 'by lane', set('lane')))) : null,
        drawn ? [drawn.box, laneTable(request, drawn.point)] : h('p', {class: 'soft'}, access && access.note ? `Not modelled: ${access.note}.` : 'No picture.'));
}

function accessList() {
    const choose = index => () => { state.access = index; draw(); };
    return state.answer.accesses.length < 2 ? null : scroll(h('table', {}, h('thead', {}, h('tr', {}, h('th', {class: 'text', scope: 'col'}, 'access'), ['ways', 'wavefronts', 'excess', 'sectors'].map(name => h('th', {scope: 'col'}, name)))),
        h('tbody', {}, state.answer.accesses.map((one, i) => h('tr', {class: 'pick', tabindex: '0', 'aria-selected': i === state.access, onclick: choose(i), onkeydown: event => event.key === 'Enter' && choose(i)()},
            h('td', {class: 'text'}, h('code', {}, one.text)), h('td', {}, count(one.ways)), h('td', {}, count(one.wavefronts)), h('td', {}, count(one.excess)), h('td', {}, count(one.transactions)))))));
}

function draw() {
    const answer = state.answer;
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

const statements = layout => layout.split('\n').filter(line => !/^(#|expect )/.test(line)).join('\n');

function drawFix() {
    const fixed = state.fixed, text = place.text.value;
    if (!fixed || fixed.error || !fixed.needed) {
        replace(place.fix);
        return;
    }
    if (!fixed.better) {
        replace(place.fix, h('h2', {}, 'Repair'), h('p', {class: 'soft'}, 'No layout was found that costs less.'));
        return;
    }
    const repaired = statements(fixed.layout);
    state.patch = unifiedDiff('layout.smp', text, repaired);
    replace(place.fix, h('h2', {}, 'Repair'),
        h('p', {}, `${plural(fixed.excess_before, 'excess wavefront')} become `, h('span', {class: 'better'}, count(fixed.excess_after)), fixed.bytes_before === fixed.bytes_after ? ', in the same memory. ' : `, ${count(fixed.bytes_before)} bytes become ${count(fixed.bytes_after)}. `,
            h('button', {class: 'button', id: 'use', onclick: () => setText(repaired)}, 'Apply')),
        patchBox('Patch for this text', 'layout.smp', state.patch), codeText('As CUDA', fixed.cuda), codeText('As CuTe', fixed.cute));
}

/* The command that gives the same answer in a terminal. */
function drawAgain() {
    const text = place.text.value.replace(/\n*$/, '\n');
    replace(place.again, codeText('The same in a terminal', `smemprobe predict - <<'END'\n${text}END\n`), h('p', {class: 'tools'}, copyButton('Copy link', () => location.href)));
}

/* ---- The text and its history ---- */

const past = {texts: [], at: -1, since: 0};

/* Changes from one source (typing, a slider) within a second form one undo step. */
function keepStep(hand) {
    const text = place.text.value, now = performance.now();
    if (past.texts[past.at] === text)
        return;
    if (hand && hand === past.hand && now - past.since < 1000 && past.at > 0)
        past.at--;
    past.texts.splice(++past.at, Infinity, text);
    Object.assign(past, {hand, since: now});
    markSteps();
}

function markSteps() {
    place.undo.disabled = past.at <= 0;
    place.redo.disabled = past.at >= past.texts.length - 1;
}

function stepBy(by) {
    const text = past.texts[past.at + by];
    if (text === undefined)
        return;
    past.at += by;
    past.hand = null;
    place.text.value = text;
    markSteps();
    ask();
}

function setText(text, hand) {
    place.text.value = text;
    keepStep(hand);
    ask();
}

/* ---- Asking ---- */

let waiting = 0;

/* Marks the error in a copy behind the text, with the message below it. */
function drawError(error) {
    const lines = place.text.value.split('\n'), number = error ? error.line : 0, text = lines[number - 1] || '';
    const at = !error || error.position < 0 ? 0 : Math.min(error.position, text.length), rest = error && error.position >= 0 ? /^\w*/.exec(text.slice(at))[0].length || 1 : text.length;
    const above = number > 1 ? lines.slice(0, number - 1).join('\n') + '\n' : '';
    replace(place.marks, number < 1 ? null : [above + text.slice(0, at), h('mark', {}, text.slice(at, at + rest) || ' '), text.slice(at + rest)], '\n');
    place.marks.scrollTop = place.text.scrollTop;
    place.marks.scrollLeft = place.text.scrollLeft;
    place.text.setAttribute('aria-invalid', Boolean(error));
    replace(place.said, !error ? null : number > 0 ? `Line ${number}${error.position >= 0 ? `, column ${error.position + 1}` : ''}: ${error.message}.` : `${error.message}.`);
    place.detail.classList.toggle('is-old', Boolean(error));
    replace(place.old, !error ? null : state.answer ? 'The answer before the error:' : 'The answer appears here once the text has no error.');
}

function ask() {
    const text = place.text.value, began = performance.now(), before = state.answer ? state.answer.accesses.length : 0;
    const answer = call('play_layout', text);
    state.ms = performance.now() - began;
    drawError(answer.error);
    drawSliders(text);
    clearTimeout(waiting);
    if (answer.error) { // the last answer stays
        place.time.textContent = '';
        waiting = setTimeout(() => keepLink(text), 150);
        return;
    }
    state.answer = answer;
    if (answer.accesses.length !== before)
        state.access = answer.accesses.reduce((worst, one, i) => (one.excess || 0) > (answer.accesses[worst].excess || 0) ? i : worst, 0);
    draw();
    place.time.textContent = `answered in ${state.ms < 0.1 ? 'under 0.1' : state.ms.toFixed(1)} ms`;
    waiting = setTimeout(() => { keepLink(text); state.fixed = call('play_fix', text); drawFix(); drawAgain(); }, 150);
}

/* The link holds the text. Setting it is slow, so it is not done in every frame. */
function keepLink(text) {
    try { history.replaceState(null, '', '#' + encodeURIComponent(text)); } catch { /* a place without history */ }
}

function setArch() {
    const text = place.text.value, line = `arch ${place.arch.value}`;
    setText(/^arch .*$/m.test(text) ? text.replace(/^arch .*$/m, line) : `${line}\n${text}`);
}

function slider(name, label, from, to, show) {
    const value = h('output', {});
    const input = h('input', {type: 'range', min: from, max: to, id: `slider-${name}`, 'aria-label': label, oninput: () => {
        sliders[name] = Number(input.value);
        setText(writeSliders(place.text.value, name), `slider-${name}`);
    }});
    place.sliders.push(() => {
        input.max = Math.max(to, sliders[name]);
        input.value = sliders[name];
        value.textContent = show(sliders[name]);
    });
    return h('label', {class: 'slider'}, h('span', {}, label), input, value);
}

function drawSliders(text) {
    const isThere = readSliders(text);
    place.range.disabled = !isThere;
    place.of.textContent = isThere ? `Change ${sliders.name}` : 'Change the first shared array: it needs a number in its last brackets';
    place.sliders.forEach(one => one());
}

function editor() {
    place.text = h('textarea', {id: 'text', rows: '9', wrap: 'off', spellcheck: 'false', autocomplete: 'off', autocapitalize: 'off', 'aria-label': 'Declarations and accesses', 'aria-describedby': 'said',
        oninput: () => { keepStep('typed'); ask(); }, onscroll: () => { place.marks.scrollTop = place.text.scrollTop; place.marks.scrollLeft = place.text.scrollLeft; }});
    place.marks = h('div', {class: 'marks', 'aria-hidden': true});
    place.said = h('p', {class: 'warning', id: 'said', role: 'alert'});
    return [h('div', {class: 'editor'}, place.marks, place.text), place.said];
}

function build() {
    const families = archs().filter((one, i, all) => all.findIndex(other => other.family === one.family) === i || one.name === 'sm_90');
    const step = (id, sign, label, by) => h('button', {class: 'button', id, title: label, 'aria-label': label, disabled: true, onclick: () => stepBy(by)}, sign);
    place.arch = h('select', {id: 'arch', 'aria-label': 'Generation', onchange: setArch}, families.map(one => h('option', {value: one.name, selected: one.name === 'sm_90'}, `${one.family} (${one.name})`)));
    place.time = h('span', {class: 'soft', id: 'time'});
    place.undo = step('undo', '↶', 'Undo (Ctrl Z)', -1);
    place.redo = step('redo', '↷', 'Redo (Ctrl Shift Z)', 1);
    place.sliders = [];
    place.of = h('legend', {});
    const presets = h('select', {id: 'preset', 'aria-label': 'Examples', onchange: () => setText(`arch ${place.arch.value}\n${examples[Number(presets.value)][1]}`)}, examples.map(([name], i) => h('option', {value: i}, name)));
    place.out = h('div', {id: 'out'});
    place.fix = h('div', {id: 'fix'});
    place.again = h('div', {id: 'again'});
    place.range = h('fieldset', {}, place.of, slider('row', 'elements per row', 1, 64, String), slider('pad', 'padding', 0, 8, value => `+ ${value}`), slider('bits', 'swizzle bits', 0, 5, value => !value ? 'none' : sliders.row & sliders.row - 1 ? 'for rows of 2ⁿ only' : `Swizzle<${value},0,…>`),
        slider('type', 'element', 0, 4, () => sliders.element));
    place.old = h('p', {class: 'old'});
    place.detail = h('section', {class: 'detail', id: 'detail', tabindex: '0', 'aria-label': 'Cost'}, place.old, place.out);
    document.body.append(h('main', {}, h('div', {class: 'panes play'}, h('div', {class: 'left'}, h('div', {class: 'panel sheet'},
        h('h1', {}, 'What does this shared memory access cost?'), h('p', {class: 'soft'}, 'Change a slider or the text, and the map, the reason and the repair follow. The page runs smemprobe itself and sends nothing.'),
        h('div', {class: 'tools'}, presets, place.arch, h('span', {class: 'fill'}), place.undo, place.redo, copyButton('Copy', () => place.text.value)), editor(), place.range, h('p', {}, place.time), place.fix, place.again)), place.detail)));
}

async function start() {
    const {help} = topLine('playground', [['Ctrl Z', 'undo'], ['Ctrl Shift Z', 'redo'], ['t', 'dark or light'], ['?', 'this help']], null);
    await load();
    build();
    const linked = () => location.hash.length > 1 ? decodeURIComponent(location.hash.slice(1)) : `arch sm_90\n${examples[0][1]}`;
    place.text.value = linked();
    const named = /^arch (\S+)/m.exec(place.text.value);
    if (named && [...place.arch.options].some(option => option.value === named[1]))
        place.arch.value = named[1];
    keepStep();
    ask();
    addEventListener('hashchange', () => linked() === place.text.value || setText(linked()));
    document.addEventListener('keydown', event => {
        const by = !event.ctrlKey && !event.metaKey || event.altKey ? 0 : /^z$/i.test(event.key) ? event.shiftKey ? 1 : -1 : event.key === 'y' ? 1 : 0;
        if (by !== 0) {
            event.preventDefault();
            stepBy(by);
        }
        const action = {t: nextTheme, '?': () => help.showModal()}[event.key];
        if (action && !event.ctrlKey && !event.metaKey && !event.altKey && !help.open && !/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName))
            action();
    });
    window.smemprobe = {batch, layout: text => call('play_layout', text), fix: text => call('play_fix', text), patch: () => state.patch};
    root.dataset.ready = 'yes';
}

start().catch(problem => document.body.append(h('p', {class: 'plain warning'}, `This browser could not start the program: ${problem.message}`)));
