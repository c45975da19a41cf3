// Everything works without this script. It adds exact figures on hover and focus, arrow keys in the chart, zooming by dragging,
// a span's attributes in place, and questions as they come.
'use strict';
(() => {
  const tip = document.createElement('div');
  tip.id = 'tip';
  tip.hidden = true;
  document.body.append(tip);

  // Titles become labels, so that the browser's own tooltip does not cover ours.
  function adopt(root) {
    for (const title of root.querySelectorAll('.bars title, .overview title, .stacks title')) {
      title.parentNode.setAttribute('aria-label', title.textContent);
      title.remove();
    }
    if (matchMedia('(max-width: 700px)').matches) for (const d of root.querySelectorAll('details.advice')) d.open = false;
    const first = root.querySelector('.bars a');
    if (first) first.setAttribute('tabindex', '0');
  }
  adopt(document);

  function show(at) {
    const label = at.getAttribute('aria-label');
    tip.textContent = label;
    tip.hidden = false;
    const box = at.getBoundingClientRect(), width = tip.offsetWidth, height = tip.offsetHeight;
    tip.style.left = Math.max(4, Math.min(box.right + 6, innerWidth - width - 4)) + 'px';
    tip.style.top = Math.max(4, Math.min(box.top + 20, innerHeight - height - 4)) + 'px';
  }
  const labelled = e => e.target.closest && e.target.closest('.bars a, .bars g, .overview a, .stacks g');
  for (const kind of ['pointerover', 'focusin']) {
    document.addEventListener(kind, e => { const at = labelled(e); if (at) show(at); else tip.hidden = true; });
  }
  document.addEventListener('focusout', () => { tip.hidden = true; });

  // One bar is in the tab order; the arrow keys go on from it.
  document.addEventListener('keydown', e => {
    if (e.key === 'Escape') { tip.hidden = true; return; }
    const bar = e.target.closest && e.target.closest('.bars a');
    if (bar) {
      const bars = [...bar.parentNode.querySelectorAll('a')];
      const to = { ArrowRight: 1, ArrowLeft: -1, Home: -bars.length, End: bars.length }[e.key];
      if (!to) return;
      e.preventDefault();
      const next = bars[Math.max(0, Math.min(bars.length - 1, bars.indexOf(bar) + to))];
      bar.setAttribute('tabindex', '-1');
      next.setAttribute('tabindex', '0');
      next.focus();
      return;
    }
    if (e.altKey || e.ctrlKey || e.metaKey || e.target.closest('input, select, .scroll')) return;
    const go = { ArrowLeft: 'previous', ArrowRight: 'next' }[e.key];
    const link = go && document.getElementById(go);
    if (link) link.click();
  });

  // Dragging over bars zooms to them.
  let from = null;
  const places = () => [...document.querySelectorAll('.bars a')];
  const nearest = x => {
    let best = 0, distance = Infinity;
    places().forEach((bar, i) => {
      const box = bar.querySelector('.hit').getBoundingClientRect(), d = Math.abs((box.left + box.right) / 2 - x);
      if (d < distance) { best = i; distance = d; }
    });
    return best;
  };
  document.addEventListener('pointerdown', e => {
    if (e.button === 0 && e.pointerType === 'mouse' && e.target.closest && e.target.closest('.bars')) from = e.clientX;
  });
  document.addEventListener('dragstart', e => { if (from !== null) e.preventDefault(); });
  document.addEventListener('pointerup', e => {
    const start = from;
    from = null;
    if (start === null || Math.abs(e.clientX - start) < 25) return;
    const a = nearest(Math.min(start, e.clientX)), b = nearest(Math.max(start, e.clientX));
    const chart = document.querySelector('[data-first]');
    if (!chart || b - a < 1) return;
    addEventListener('click', c => { c.preventDefault(); c.stopPropagation(); }, { capture: true, once: true });
    const url = new URL(location);
    url.searchParams.set('first', Number(chart.dataset.first) + a);
    url.searchParams.set('show', b - a + 1);
    location.assign(url);
  });

  // What a span says, below its row.
  const fall = document.getElementById('fall');
  if (fall) fall.addEventListener('click', async e => {
    const link = e.target.closest('li > a');
    if (!link || e.ctrlKey || e.metaKey || e.shiftKey || e.button) return;
    e.preventDefault();
    const row = link.parentNode, open = row.querySelector('.more');
    if (open) { open.remove(); link.setAttribute('aria-expanded', 'false'); return; }
    try {
      const answer = await fetch(link.href, { headers: { Accept: 'text/html' } });
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
      const more = document.createElement('div');
      more.className = 'more';
      more.append(...(page.getElementById('span') || page.getElementById('main')).childNodes);
      row.append(more);
      link.setAttribute('aria-expanded', 'true');
    } catch { location.assign(link.href); }
  });

  // Questions as they come.
  const parts = () => [...document.querySelectorAll('[data-live]')];
  if (!parts().length || !window.EventSource) return;
  const box = document.getElementById('live'), state = document.getElementById('live-state');
  if (box) box.closest('.live').hidden = false;
  let source = null, known = null, busy = false, again = false;
  const say = text => { if (state) state.textContent = text; };

  async function renew(count) {
    if (busy) { again = true; return; }
    busy = true;
    try {
      const answer = await fetch(location.href, { headers: { Accept: 'text/html' } });
      if (!answer.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
      const fresh = [...page.querySelectorAll('[data-live]')], old = parts();
      if (fresh.length !== old.length) { location.reload(); return; }
      const focused = document.activeElement && document.activeElement.closest('.bars a'), href = focused && focused.getAttribute('href');
      const scrolled = old.map(part => [...part.querySelectorAll('.scroll')].map(s => s.scrollLeft));
      const closed = old.map(part => [...part.querySelectorAll('details')].map(d => d.open));
      fresh.forEach((part, i) => {
        part.querySelectorAll('details').forEach((d, j) => { if (closed[i][j] !== undefined) d.open = closed[i][j]; });
        old[i].replaceWith(part);
        part.querySelectorAll('.scroll').forEach((s, j) => { s.scrollLeft = scrolled[i][j] || 0; });
        adopt(part);
      });
      if (href) { const bar = [...document.querySelectorAll('.bars a')].find(a => a.getAttribute('href') === href); if (bar) bar.focus(); }
      if (known !== null && count > known) say(count - known === 1 ? '1 new question' : count - known + ' new questions');
      known = count;
    } finally {
      busy = false;
      if (again) { again = false; renew(count); }
    }
  }
  function start() {
    let first = true;
    source = new EventSource('/events');
    source.addEventListener('questions', e => {
      const count = Number(e.data);
      if (first && document.querySelector('[data-version="' + CSS.escape(e.lastEventId) + '"]')) { known = count; first = false; say('waiting for questions'); return; }
      first = false;
      renew(count);
    });
    source.onerror = () => say('the server does not answer; trying again');
  }
  function stop() { if (source) source.close(); source = null; say('paused'); }
  if (box) box.addEventListener('change', () => box.checked ? start() : stop());
  start();
})();
