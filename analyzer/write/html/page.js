/* SPDX-License-Identifier: MIT */
/* Shared by all pages: data, nodes, numbers, light and dark colours, the help.
 * Data become text nodes, never markup. */
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

/* Characters that change text direction could disguise a text, so they are shown by number. */
const turners = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const visible = text => text.replace(turners, c => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

/* Appends texts and nodes, in lists of any depth; skips null and false. */
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
    return part > 0 && value < 1 ? 'under 1 %' : part < whole && value > 99 ? 'over 99 %' : `${count(Math.round(value))} %`;
};
const capital = text => text.charAt(0).toUpperCase() + text.slice(1);
const baseName = path => path.slice(path.lastIndexOf('/') + 1);
const hex = value => '+0x' + value.toString(16);

/* Scrolls on its own where it is wider than a phone, also by keys. */
const scroll = (...children) => h('div', {class: 'scroll', tabindex: '0', role: 'group', 'aria-label': 'Table'}, children);

/* A bar of two parts, good and bad, as shares of `whole`. */
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

/* ---- Code to copy ---- */

/* A page opened from a file may have no access to the clipboard; then it copies a selection. */
async function copyText(text) {
    try {
        await navigator.clipboard.writeText(text);
        return true;
    } catch {
        const box = h('textarea', {class: 'aloud', 'aria-hidden': true}), held = document.activeElement;
        box.value = text;
        document.body.append(box);
        box.select();
        const isDone = document.execCommand('copy');
        box.remove();
        held.focus();
        return isDone;
    }
}

function copyButton(label, text) {
    const button = h('button', {class: 'button copy', onclick: async () => {
        button.textContent = await copyText(text()) ? 'Copied' : 'Not allowed here';
        setTimeout(() => { button.textContent = label; }, 1500);
    }}, label);
    return button;
}

/* `tools` are buttons beside the title. */
function codeBox(title, lines, text, ...tools) {
    return h('div', {class: 'code'}, h('div', {class: 'code-top'}, h('span', {class: 'soft'}, title), copyButton('Copy', () => text), tools),
        h('div', {class: 'excerpt', tabindex: '0', role: 'group', 'aria-label': title}, lines));
}

const codeText = (title, text) => !text ? null : codeBox(title, linesOf(text).map(line => h('div', {}, '  ', colored(line))), text);

/* A unified diff with buttons to copy and to download it. */
function patchBox(title, name, patch) {
    const save = h('a', {class: 'button', download: `${baseName(name)}.patch`, href: URL.createObjectURL(new Blob([patch], {type: 'text/x-diff'}))}, 'Download .patch');
    const rows = linesOf(patch).filter(line => !/^(---|\+\+\+) /.test(line)).map(line => h('div', {class: {'+': 'new', '-': 'gone'}[line[0]] || (line[0] === '@' ? 'at' : null)},
        line[0] === '@' ? line : [h('span', {class: 'sign'}, line[0].replace('-', '−')), colored(line.slice(1))]));
    return codeBox(title, rows, patch, save);
}

const linesOf = text => text.replace(/\n$/, '').split('\n');

/* The longest common subsequence of lines: [[i, j], ...]. */
function commonLines(a, b) {
    const length = Array.from({length: a.length + 1}, () => new Uint16Array(b.length + 1)), pairs = [];
    for (let i = a.length - 1; i >= 0; i--)
        for (let j = b.length - 1; j >= 0; j--)
            length[i][j] = a[i] === b[j] ? length[i + 1][j + 1] + 1 : Math.max(length[i + 1][j], length[i][j + 1]);
    for (let i = 0, j = 0; i < a.length && j < b.length;)
        if (a[i] === b[j])
            pairs.push([i++, j++]);
        else if (length[i + 1][j] >= length[i][j + 1])
            i++;
        else
            j++;
    return pairs;
}

/* A diff for patch(1), with three lines of context. Texts are short: layouts, or a few lines of a source. */
function unifiedDiff(name, before, after) {
    const [a, b] = [linesOf(before), linesOf(after)], rows = [], hunks = [];
    let [i, j] = [0, 0];
    for (const [to, into] of [...commonLines(a, b), [a.length, b.length]]) {
        while (i < to)
            rows.push(['-', a[i++], i, j + 1]);
        while (j < into)
            rows.push(['+', b[j++], i + 1, j]);
        if (i < a.length)
            rows.push([' ', a[i], ++i, ++j]);
    }
    rows.forEach(([sign], at) => {
        const last = hunks[hunks.length - 1];
        if (sign === ' ')
            return;
        if (last && at - last[1] <= 6)
            last[1] = at;
        else
            hunks.push([at, at]);
    });
    return `--- a/${name}\n+++ b/${name}\n` + hunks.map(([from, to]) => {
        const part = rows.slice(Math.max(0, from - 3), to + 4), lines = sign => part.filter(([own]) => own !== sign).length;
        const first = (at, number) => number === 0 ? part[0][at] - 1 : part[0][at];
        return `@@ -${first(2, lines('+'))},${lines('+')} +${first(3, lines('-'))},${lines('-')} @@\n${part.map(([sign, text]) => `${sign}${text}\n`).join('')}`;
    }).join('');
}

const moreBytes = bytes => !bytes ? null : h('p', {class: 'soft'}, `needs ${count(bytes)} more bytes of shared memory`);

/* Before and after, as bars and figures. */
function numbersOf({before, after}) {
    const line = (label, value) => [h('span', {class: 'soft'}, label), bar(label === 'after' ? value : 0, label === 'after' ? 0 : value, before), h('span', {}, plural(value, 'wavefront'))];
    return h('div', {class: 'numbers'}, line('before', before), line('after', after));
}

/* ---- The page ---- */

const againBox = () => !more.command ? null : h('section', {class: 'again', 'aria-label': 'How to reproduce this page'}, codeText('To reproduce this page', more.command));

/* Where the detail is below the list, a tap scrolls to it; a button leads back. */
function showDetail(detail, isFirst) {
    if (isFirst || !detail || !matchMedia('(max-width: 1000px)').matches)
        return;
    const back = h('button', {class: 'button back', onclick: () => { scrollTo({top: from}); back.remove(); }}, '↑ Back to the list'), from = scrollY;
    document.querySelectorAll('.back').forEach(one => one.remove());
    document.body.append(back);
    requestAnimationFrame(() => detail.scrollIntoView());
}

/* ---- Light and dark ---- */

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
/* Print in light colours. */
addEventListener('beforeprint', () => { root.dataset.theme = 'light'; });
addEventListener('afterprint', applyTheme);

/* ---- Help ---- */

const words = [
    ['request', 'one memory instruction, executed by the 32 lanes of a warp together'],
    ['bank', 'shared memory is 32 columns of 4 bytes; in one pass each delivers one word'],
    ['wavefront', 'one pass; a request takes as many as its busiest bank has different words to deliver'],
    ['excess', 'wavefronts or sectors beyond the ideal, the fewest that so many bytes need: what a better layout can save'],
    ['n-way', 'the most different words that lanes served together access in one bank; 1 is conflict-free'],
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

/* The top line. `search(text, isEnter)` is called while typing and on Enter. */
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
