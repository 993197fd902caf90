/* SPDX-License-Identifier: MIT */
/* What all pages have in common: their data, nodes, numbers, colours by day and night, the help.
 * Whatever comes from the data becomes a node of text, never markup. */
const root = document.documentElement;
const read = id => JSON.parse(document.getElementById(id).textContent);
const data = read('data'), more = read('more');

/* h('td', {class: 'text', onclick: f}, 'words', node, ...) */
const h = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);
const svg = (name, attributes, ...children) =>
    fill(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);

function fill(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) {
        if (name.startsWith('on'))
            node.addEventListener(name.slice(2), value);
        else if (name.startsWith('aria-') && value !== null)
            node.setAttribute(name, String(value));
        else if (value !== null && value !== undefined && value !== false)
            node.setAttribute(name, value === true ? '' : value);
    }
    return put(node, ...children);
}

/* Characters that turn the direction of others would let a text show what it does not hold: they are named instead. */
const turners = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const visible = text => text.replace(turners, c => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

/* Appends what is there: texts and nodes, in lists of any depth. */
function put(node, ...children) {
    for (const child of children.flat(Infinity))
        if (child !== null && child !== undefined && child !== false)
            node.append(typeof child === 'string' ? visible(child) : child);
    return node;
}
function replace(node, ...children) {
    node.replaceChildren();
    return put(node, ...children);
}

const count = value => value === null || value === undefined ? '–' : value.toLocaleString('en-US');
const plural = (value, word) => `${count(value)} ${word}${value === 1 ? '' : 's'}`;
const percent = (part, whole) => {
    if (!(whole > 0))
        return '0 %';
    const value = part * 100 / whole;
    return part > 0 && value < 1 ? 'under 1 %' : part < whole && value > 99 ? 'over 99 %' : `${Math.round(value)} %`;
};
const capital = text => text.charAt(0).toUpperCase() + text.slice(1);
const baseName = path => path.slice(path.lastIndexOf('/') + 1);
const hex = value => '+0x' + value.toString(16);

/* A bar of two parts, as wide as `share` of its place. */
function bar(good, bad, whole) {
    const part = (value, name) => {
        const piece = h('i', {class: name});
        piece.style.width = `${whole > 0 ? value * 100 / whole : 0}%`;
        return value > 0 ? piece : null;
    };
    return h('div', {class: 'bar', 'aria-hidden': 'true'}, part(good, 'good'), part(bad, 'bad'));
}

/* ---- Source text ---- */

const tokens = new RegExp([
    '(?<c>//.*|/\\*.*?(?:\\*/|$))', '(?<s>"(?:[^"\\\\]|\\\\.)*"?|\'(?:[^\'\\\\]|\\\\.)+\')', '(?<n>\\b\\d[\\w.]*)',
    '(?<k>\\b(?:__\\w+__|alignas|auto|bool|break|case|char|class|const|constexpr|continue|def|default|do|double|else|enum|extern|' +
        'float\\d?|for|half2?|if|import|inline|int\\d?|long|namespace|nullptr|operator|return|short|signed|sizeof|static|struct|' +
        'switch|template|typedef|typename|unsigned|using|void|volatile|while)\\b)',
].join('|'), 'g');

function colored(text) {
    const nodes = [];
    let last = 0;
    if (text.length > 400)
        return [text];
    for (const match of text.matchAll(tokens)) {
        const kind = Object.keys(match.groups).find(name => match.groups[name] !== undefined);
        nodes.push(text.slice(last, match.index), h('span', {class: kind}, match[0]));
        last = match.index + match[0].length;
    }
    nodes.push(text.slice(last));
    return nodes;
}

/* ---- Day and night ---- */

const kept = {
    get: name => { try { return localStorage.getItem(name); } catch { return null; } },
    set: (name, value) => { try { localStorage.setItem(name, value); } catch { /* a file without storage */ } },
};
const night = matchMedia('(prefers-color-scheme: dark)');
let theme = kept.get('smemprobe-theme') || 'auto';

function applyTheme() {
    root.dataset.theme = theme === 'auto' ? (night.matches ? 'dark' : 'light') : theme;
}
function nextTheme() {
    theme = root.dataset.theme === 'dark' ? 'light' : 'dark';
    kept.set('smemprobe-theme', theme);
    applyTheme();
}
night.addEventListener('change', applyTheme);
applyTheme();
/* Paper is white. */
addEventListener('beforeprint', () => { root.dataset.theme = 'light'; });
addEventListener('afterprint', applyTheme);

/* ---- Help ---- */

const words = [
    ['request', 'one memory instruction, executed by the 32 lanes of a warp together'],
    ['bank', 'shared memory is 32 columns of 4 bytes; in one pass each delivers one word'],
    ['wavefront', 'one pass; a request takes as many as the busiest bank has different words to deliver'],
    ['excess', 'wavefronts, or sectors, beyond what as many bytes need at best: what a better layout saves'],
    ['n-way', 'the most words that lanes served together want of one bank; 1 is free of conflicts'],
    ['sector', '32 aligned bytes of global memory, always moved as a whole'],
];

function helpDialog(keys) {
    const list = rows => h('dl', {}, rows.map(([term, text]) => [h('dt', {}, term), h('dd', {}, text)]));
    return h('dialog', {id: 'help', 'aria-label': 'Help'}, h('h2', {}, 'Keys'),
        list(keys.map(([key, text]) => [h('span', {}, key.split(' ').map(one => [h('kbd', {}, one), ' '])), text])),
        h('h2', {}, 'Words'), list(words),
        h('form', {method: 'dialog'}, h('button', {class: 'button', onclick: event => {
            event.preventDefault();
            document.getElementById('help').close();
        }}, 'Close')));
}

/* The line on top. `search` is told what is typed, and Enter. */
function topLine(what, keys, search) {
    const input = h('input', {type: 'search', id: 'search', placeholder: 'Find   /', 'aria-label': 'Find a line, file or kernel',
        oninput: () => search(input.value, false),
        onkeydown: event => {
            if (event.key === 'Enter')
                search(input.value, true);
            if (event.key === 'Escape') {
                input.value = '';
                search('', false);
                input.blur();
            }
            event.stopPropagation();
        }});
    const help = helpDialog(keys);
    document.body.append(h('header', {class: 'top'}, h('span', {class: 'name'}, 'smemprobe'), h('span', {class: 'of mono', title: what}, what),
        search ? input : null,
        h('button', {class: 'button', id: 'theme', title: 'Dark or light (t)', 'aria-label': 'Dark or light', onclick: nextTheme}, '◐'),
        h('button', {class: 'button', id: 'ask', title: 'Keys and words (?)', 'aria-label': 'Keys and words', onclick: () => help.showModal()}, '?')), help);
    return {input, help};
}
