//! Looks at a page that find what a person would stumble over. Each is an expression whose value is the list of what was found.

/// Elements that lie over each other, and whether the page is wider than its window.
pub const OVERLAPS: &str = "(() => {
    const shown = '#head button, #head h1, #left button, #left dd, #left dt, .player, #board svg, #right button, #right input, \
        #right select, #right textarea, #right h2, #right .graph-svg, #right td';
    const inDialog = '#dialog button, #dialog input, #dialog select, #dialog textarea, #dialog h2, #dialog td, #dialog svg.board';
    const open = document.querySelector('#dialog[open]');
    // What is scrolled out of a dialog lies over nothing.
    const shownPart = (e) => {
        const [box, window] = [e.getBoundingClientRect(), e.closest('.dialog-body')?.getBoundingClientRect()];
        if (!window) return box;
        const [top, bottom] = [Math.max(box.top, window.top), Math.min(box.bottom, window.bottom)];
        return { left: box.left, right: box.right, top, bottom, width: box.width, height: bottom - top };
    };
    const all = [...document.querySelectorAll(open ? inDialog : shown)]
        .filter((e) => e.checkVisibility() && !e.closest('.menu-list'))
        .map((e) => [e, shownPart(e)]).filter(([, box]) => box.width > 1 && box.height > 1);
    const found = [];
    all.forEach(([a, one], i) => all.slice(i + 1).forEach(([b, other]) => {
        if (a.contains(b) || b.contains(a)) return;
        const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left);
        const high = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
        if (wide > 2 && high > 2) found.push(`${a.outerHTML.slice(0, 120)} | ${b.outerHTML.slice(0, 120)}`);
    }));
    for (const [place, name] of [[document.documentElement, 'the page'], [open?.querySelector('.dialog-body'), 'the dialog']])
        if (place && place.scrollWidth > place.clientWidth + 1) found.push(`${name} is wider than its window: ${place.scrollWidth}`);
    return found;
})()";

/// Colours and places are what they will be: nothing is on its way.
pub const SETTLED: &str =
    "document.getAnimations().every((one) => one.playState !== 'running' && !one.pending)";

/// Texts that are hard to read: below 4.5 to 1, or 3 to 1 where they are large.
pub const FAINT: &str = "(() => {
    const numbers = (colour) => {
        const canvas = new OffscreenCanvas(1, 1).getContext('2d');
        canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
        .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
    const behind = (e) => {
        for (let at = e; at; at = at.parentElement) {
            const colour = getComputedStyle(at).backgroundColor;
            if (numbers(colour)[3] === 255) return numbers(colour);
        }
        return [255, 255, 255, 255];
    };
    const found = [];
    for (const e of document.querySelectorAll('#head *, #left > div:not(#board) *, #right *, #dialog *')) {
        const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
        if (!own || !e.checkVisibility() || e.closest('svg, .off-screen, :disabled, [aria-disabled=true], option')) continue;
        const style = getComputedStyle(e);
        const [a, b] = [light(numbers(style.color)), light(behind(e))];
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        const size = parseFloat(style.fontSize);
        const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
        if (ratio < (large ? 3 : 4.5)) found.push(`${ratio.toFixed(2)} ${e.outerHTML.slice(0, 120)}`);
    }
    return found;
})()";

/// What a reader of screens could not make sense of.
pub const UNNAMED_OR_BROKEN: &str = "(() => {
    const found = [];
    const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);
    ids.forEach((id, i) => ids.indexOf(id) !== i && found.push(`two elements have the id ${id}`));
    for (const name of ['aria-labelledby', 'aria-controls', 'aria-describedby', 'for']) {
        for (const e of document.querySelectorAll(`[${name}]`))
            for (const id of e.checkVisibility() ? e.getAttribute(name).split(' ') : []) if (!document.getElementById(id)) found.push(`${name}=${id}`);
    }
    if (document.querySelectorAll('h1').length !== 1) found.push('h1');
    if (!document.querySelector('main')) found.push('main');
    for (const e of document.querySelectorAll('td, th')) if (!e.closest('table')) found.push('a cell without a table');
    for (const e of document.querySelectorAll('th')) if (!e.textContent.trim()) found.push('an empty header');
    return found;
})()";

/// Roles of what a person uses, which needs a name.
pub const NAMED_ROLES: [&str; 16] = [
    "button",
    "checkbox",
    "slider",
    "tab",
    "menuitem",
    "menuitemcheckbox",
    "combobox",
    "textbox",
    "searchbox",
    "radio",
    "gridcell",
    "link",
    "spinbutton",
    "dialog",
    "grid",
    "tabpanel",
];
