/* SPDX-License-Identifier: MIT */
/* A table of equally high rows, of which only the visible ones exist. */
const ROW = 21, SPARE = 12;

/* make(index) returns a row's node. */
function lineTable(label, head, make) {
    const layer = h('div', {class: 'window', role: 'rowgroup'}), space = h('div', {class: 'space', role: 'presentation'}, layer);
    const box = h('div', {class: 'rows', role: 'table', tabindex: '0', 'aria-label': label, onscroll: () => draw(false)}, space);
    const outer = h('div', {class: 'panel'}, head, box);
    let length = 0, first = -1, last = -1;
    function draw(anew) {
        const top = Math.max(0, Math.floor(box.scrollTop / ROW) - SPARE);
        const end = Math.min(length, Math.ceil((box.scrollTop + box.clientHeight) / ROW) + SPARE);
        if (!anew && top === first && end === last)
            return;
        [first, last] = [top, end];
        layer.style.transform = `translateY(${top * ROW}px)`;
        layer.replaceChildren(...Array.from({length: Math.max(0, end - top)}, (_, i) => make(top + i)));
    }
    addEventListener('resize', () => draw(true));
    return {
        outer, box, draw: () => draw(true),
        set(rows) {
            length = rows;
            space.style.height = `${rows * ROW}px`;
            box.setAttribute('aria-rowcount', rows);
            draw(true);
        },
        show(index) {
            const at = index * ROW;
            if (at < box.scrollTop + ROW * 2 || at > box.scrollTop + box.clientHeight - ROW * 3)
                box.scrollTop = Math.max(0, at - box.clientHeight / 3);
            draw(true);
        },
    };
}
