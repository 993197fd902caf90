/* SPDX-License-Identifier: MIT */
/* Assembles the page: keys, printing, links. */

const profileKeys = [['j k', 'next, previous line'], ['n p', 'next, previous hot line (source)'], ['1 2 3', 'lines, kernels, source'], ...(isProfile && more.against ? [['4', 'changes']] : []), ['Enter', 'show the selected line in its source'],
    ['/', 'find'], ['[ ]', 'picture: previous, next request'], ['m', 'picture: current, padded, swizzled'], ['t', 'dark or light'], ['?', 'this help']];

function step(by) {
    if (state.tab === 'source') {
        const next = Math.min(place.listed.rows.length - 1, Math.max(0, state.row + by));
        pickRow(next);
        place.table.show(next);
        return;
    }
    const at = place.shown.indexOf(state.line), next = place.shown[Math.min(place.shown.length - 1, Math.max(0, at + by))];
    select(next, {stays: true});
    const node = [...document.querySelectorAll('[data-line]')].find(one => next && one.dataset.line === next.key);
    if (node)
        node.scrollIntoView({block: 'nearest'});
}

function nextChange() {
    const fix = state.line && state.line.fix, names = ['', ...(fix ? ['padding', 'swizzle'].filter(name => fix[name]) : [])];
    state.change = names[(names.indexOf(state.change) + 1) % names.length];
    drawPicture();
}

function search(query, go) {
    state.query = query;
    if (state.tab !== 'source') {
        openTab(state.tab);
        return;
    }
    const hit = index => place.listed.rows[index].text.toLowerCase().includes(query.toLowerCase());
    if (go && query !== '') {
        const length = place.listed.rows.length;
        for (let i = 1; i <= length; i++)
            if (hit((state.row + i) % length)) {
                pickRow((state.row + i) % length);
                place.table.show(state.row);
                break;
            }
    }
    place.table.draw();
}

const actions = {
    j: () => step(1), k: () => step(-1), ArrowDown: () => step(1), ArrowUp: () => step(-1), n: () => state.tab === 'source' && jump(1), p: () => state.tab === 'source' && jump(-1),
    1: () => openTab('lines'), 2: () => openTab('kernels'), 3: () => openTab('source'), 4: () => more.against && openTab('changes'), Enter: () => openTab('source'), m: nextChange, '[': () => stepRequest(-1), ']': () => stepRequest(1), t: nextTheme,
    '/': () => place.top.input.focus(), '?': () => place.top.help.showModal(),
};

function pressKey(event) {
    const action = actions[event.key], target = event.target;
    if (!action || event.ctrlKey || event.metaKey || event.altKey || place.top.help.open || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName))
        return;
    if (event.key === 'Enter' && target.closest('button, tr, summary, a'))
        return;
    event.preventDefault();
    action();
}

/* In print: the worst lines, one below the other. */
function paper() {
    const {line, site, request, change, view} = state;
    place.paper.replaceChildren(...book.findings.slice(0, 20).map((one, i) => {
        Object.assign(state, {line: one, site: one.sites[0], request: 0, change: '', view: 'wave'});
        const asked = requestShown();
        return h('section', {}, h('h2', {}, `${i + 1}. ${one.place} in ${book.kernels[one.kernel].title}`), verdict(one), excerpt(one, 2),
            asked ? h('p', {class: 'why'}, capital(asked.why)) : null, asked && asked.map ? h('div', {class: 'map'}, bankMap(asked, 'wave').box) : null, repair(one));
    }));
    Object.assign(state, {line, site, request, change, view});
}

function fromLink() {
    const wanted = decodeURIComponent(location.hash.slice(1));
    return wanted === '' ? null : [...book.lines.values()].filter(line => line.place === wanted).sort((a, b) => loss(b.sums) - loss(a.sums))[0];
}

/* Left and right move between the tabs. */
function turnTab(event) {
    const by = {ArrowLeft: -1, ArrowRight: 1}[event.key], at = tabs.findIndex(([name]) => name === state.tab);
    if (!by)
        return;
    openTab(tabs[(at + by + tabs.length) % tabs.length][0]);
    document.getElementById(`tab-${state.tab}`).focus();
    event.preventDefault();
}

function startProfile() {
    const command = data.runs[0] && data.runs[0].command || 'profile';
    place.top = topLine(command, profileKeys, search);
    place.tabs = h('div', {class: 'tabs', role: 'tablist', 'aria-label': 'Views', onkeydown: turnTab}, tabs.map(([name, text, number]) => h('button', {role: 'tab', 'data-tab': name, id: `tab-${name}`, 'aria-controls': 'body', onclick: () => openTab(name)},
        text, ' ', h('span', {class: 'count'}, number() === null ? '' : String(number())))));
    place.body = h('div', {class: 'panel', id: 'body', role: 'tabpanel'});
    place.detail = h('section', {class: 'detail', id: 'detail', tabindex: '0', 'aria-label': 'The selected line'}, h('p', {class: 'empty'}, book.lines.size > 0 ? 'Select a line.' : ''));
    place.panes = h('div', {class: 'panes'}, h('div', {class: 'left'}, place.tabs, place.body), place.detail);
    place.paper = h('div', {class: 'paper', 'aria-hidden': 'true'});
    document.body.append(h('main', {}, foundSection(), summary(), place.panes), place.paper);
    document.addEventListener('keydown', pressKey);
    addEventListener('beforeprint', paper);
    root.dataset.kind = 'profile';
    openTab(more.against ? 'changes' : 'lines');
    const changed = more.against && place.shown.find(line => line);
    select(fromLink() || changed || book.findings[0] || data.findings.map(one => placeFound(one).line).find(line => line) || [...book.lines.values()].sort((a, b) => b.sums.wavefronts - a.sums.wavefronts)[0], {silent: true});
    root.dataset.ready = 'yes';
}

if (isProfile)
    startProfile();
else if (data !== null && more !== null)
    startDocument();
else
    document.body.append(h('p', {class: 'plain warning'}, 'This page is incomplete because memory ran out. Write it again.'));
