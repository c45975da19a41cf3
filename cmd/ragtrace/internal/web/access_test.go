package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/web"
)

// audit finds what a person with a screen reader, without a mouse, or with weak eyes would stumble over. It gives a list of
// complaints.
const audit = `(() => {
	const bad = [], all = s => [...document.querySelectorAll(s)];
	const say = (what, e) => bad.push(what + ': ' + (e ? e.outerHTML.slice(0, 120) : ''));
	if (!document.documentElement.lang) say('no language');
	if (!document.title) say('no title');
	if (all('main').length !== 1) say('not one main');
	if (all('h1').length !== 1) say('not one h1');
	let last = 0;
	for (const h of all('h1,h2,h3,h4')) { const n = +h.tagName[1]; if (n > last + 1) say('a heading skips a level', h); last = n; }
	const ids = all('[id]').map(e => e.id);
	for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) say('id twice ' + id);
	for (const e of all('[aria-labelledby]')) if (!document.getElementById(e.getAttribute('aria-labelledby'))) say('labelled by nothing', e);
	for (const e of all('input,select,textarea')) if (!(e.labels && e.labels.length && e.labels[0].textContent.trim()) && !e.getAttribute('aria-label')) say('no label', e);
	for (const e of all('a[href],button,summary')) if (!e.textContent.trim() && !e.getAttribute('aria-label')) say('no name', e);
	for (const e of all('svg')) if (!e.parentNode.closest('svg') && e.getAttribute('aria-hidden') !== 'true' && !e.getAttribute('aria-label')) say('a picture without a name', e);
	for (const e of all('[role=region],section,nav')) if (!e.getAttribute('aria-label') && !e.getAttribute('aria-labelledby') && !e.querySelector('h2')) say('a region without a name', e);
	for (const t of all('thead th')) if (!t.getAttribute('scope')) say('a head without a scope', t);
	for (const e of all('[tabindex]')) if (e.tabIndex > 0) say('a tab order of its own', e);
	for (const e of all('.scroll')) if (e.scrollWidth > e.clientWidth && e.tabIndex < 0) say('scrolls, but not by keyboard', e);

	// Contrast of all texts with what is behind them.
	const rgb = c => { const m = c.match(/rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)/); return m && [+m[1], +m[2], +m[3], m[4] === undefined ? 1 : +m[4]]; };
	const light = c => { const [r, g, b] = c.map(v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
	const behind = e => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c && c[3] === 1) return c; } return [255, 255, 255]; };
	const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	for (let n = walk.nextNode(); n; n = walk.nextNode()) {
		const e = n.parentElement;
		if (!n.textContent.trim() || e.closest('script,title,datalist,option,[hidden]') || !e.getClientRects().length) continue;
		const style = getComputedStyle(e), c = rgb(e.closest('svg') ? style.fill : style.color), b = behind(e);
		if (!c) continue;
		const x = light(c.slice(0, 3)), y = light(b.slice(0, 3)), ratio = (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
		if (ratio < 4.5) say('contrast ' + ratio.toFixed(2), e);
	}

	// Contrast of shapes, by their colour or by their edge. Colours that were mixed are told as shares of one.
	const mixed = c => { const m = c.match(/color\(srgb ([\d.e-]+) ([\d.e-]+) ([\d.e-]+)\)/); return m && m.slice(1).map(v => v * 255); };
	for (const e of all('main svg rect, main svg path, main svg line')) {
		if (e.matches('.hit,.rim,.part,.run,.grid,.dx') || !e.getClientRects().length) continue;
		const style = getComputedStyle(e), y = light(behind(e.closest('svg').parentElement).slice(0, 3));
		if (style.fill.startsWith('url')) continue; // on top of a shape
		let best = 0;
		for (const c of [style.fill, style.stroke]) {
			const seen = rgb(c), own = mixed(c) || (seen && seen[3] === 1 ? seen.slice(0, 3) : []);
			if (own.length !== 3) continue;
			const x = light(own);
			best = Math.max(best, (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05));
		}
		if (best < 3) say('contrast of a shape ' + best.toFixed(2), e);
	}
	return bad.slice(0, 10).join('\n');
})()`

func TestNobodyStumblesInABrowser(t *testing.T) {
	b := newBrowser(t)
	s := &shelf{}
	for _, name := range []string{"07-cold-mix-seed1", "20-failed-mixed-in-seed1", "27a-openinference-seed1"} {
		s.add(verdictCase(t, name)...)
	}
	s.add(ten()...)
	full, empty := start(t, s, web.Options{JaegerURL: "http://127.0.0.1:16686"}), start(t, &shelf{}, web.Options{})
	one := "/q/" + traceID(1).String() + "/1"
	t.Run("the audit finds what it looks for", func(t *testing.T) {
		tab := b.open(t, full.URL, 1440, false)
		tab.visit(one)
		eval[int](tab, `(() => { document.querySelector('h2').style.color = '#999'; document.querySelector('h1').outerHTML = '<h4>x</h4><input>';
			document.querySelector('#fall .v').style = 'fill: #56b4e9; stroke: none'; return 1; })()`)
		bad := eval[string](tab, audit)
		for _, want := range []string{"contrast 2.8", "contrast of a shape 2.3", "not one h1", "no label", "skips a level"} {
			if !strings.Contains(bad, want) {
				t.Errorf("it does not find %q:\n%s", want, bad)
			}
		}
	})
	for _, width := range []int64{1440, 360} {
		for _, dark := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d, dark %v", width, dark), func(t *testing.T) {
				tab := b.open(t, full.URL, width, dark)
				for _, path := range []string{"/", "/?show=10&first=3", "/?session=nobody", one, "/q/" + traceID(1).String() + "/s/0000000000000003", "/compare", "/numbers", "/nowhere"} {
					tab.visit(path)
					if bad := eval[string](tab, audit); bad != "" {
						t.Errorf("%s:\n%s", path, bad)
					}
				}
				tab = b.open(t, empty.URL, width, dark)
				for _, path := range []string{"/", "/compare", "/numbers"} {
					tab.visit(path)
					if bad := eval[string](tab, audit); bad != "" {
						t.Errorf("%s, empty:\n%s", path, bad)
					}
					if over := eval[int](tab, "document.documentElement.scrollWidth - innerWidth"); over > 0 {
						t.Errorf("%s, empty, is %d pixels too wide", path, over)
					}
				}
				tab.shoot(fmt.Sprintf("empty-%d-dark-%v", width, dark))
			})
		}
	}
}
