// see ragtrace's package tracer/browser
(() => {
	const data = document.currentScript.dataset, { answer } = data
	const now = () => performance.now()
	const safe = f => (...args) => { try { return f(...args) } catch {} }
	const on = (type, f) => addEventListener(type, safe(f), true)
	const hex = n => crypto.getRandomValues(new Uint8Array(n)).reduce((s, b) => s + (b + 256).toString(16).slice(1), '')

	let pressed // when; clicks and new lines undo it
	const enter = () => { pressed = now() }
	window.ragtrace = { enter }
	on('keydown', e => {
		if (e.key === 'Enter' && !(e.isComposing || e.shiftKey || e.repeat) &&
			e.target.matches('input,textarea,[contenteditable]')) enter()
	})
	on('submit', () => { now() - pressed < 1e3 || enter() })
	on('pointerdown', () => { pressed = NaN })
	on('click', e => e.target.matches(':focus') && (pressed = NaN))
	on('input', e => { if (/^insert[LP]/.test(e.inputType)) pressed = NaN })

	let asked = 0 // its times are ms since it was sent
	const ask = to => {
		const url = new URL(to, document.baseURI)
		if (url.origin + url.pathname !== location.origin + data.ask) return
		report(asked)
		const page = hex(8), sent = now(), headers = { traceparent: `00-${hex(16)}-${page}-01`, 'ragtrace-page': page }
		if (pressed) headers['ragtrace-enter'] = (sent - pressed).toFixed(1)
		if (data.session) headers['ragtrace-session'] = data.session
		pressed = NaN
		return asked = { page, sent, headers, url }
	}
	const since = q => now() - q.sent
	const began = q => {
		q.begin ??= since(q)
		if (answer) paints.observe(document, { subtree: true, childList: true, characterData: true })
	}
	const ended = (q, ms = since(q)) => { q.end ??= ms; settle(q) }
	const settle = q => { // over when nothing was painted for a second
		clearTimeout(q.timer)
		if (q.end) q.timer = setTimeout(report, answer ? Math.min(1e3, q.end + 8e3 - since(q)) : 0, q)
	}
	const report = safe(q => {
		if (q !== asked) return
		asked = 0
		paints.disconnect()
		if (q.end ?? q.last) navigator.sendBeacon(data.paint ?? '/.ragtrace/paint', JSON.stringify({
			page: q.page, first_byte_ms: q.begin, first_paint_ms: q.first, last_byte_ms: q.end, last_paint_ms: q.last }))
	})
	on('pagehide', () => report(asked))

	const shows = n => {
		const e = n.closest ? n : n.parentElement
		return (e?.closest(answer) ? n : e === n && n.querySelector(answer))?.textContent?.trim()
	}
	const paints = new MutationObserver(safe(records => {
		const q = asked
		if (q.drawn || !records.some(r => (r.addedNodes[0] ? [...r.addedNodes] : [r.target]).some(shows))) return
		const painted = () => setTimeout(() => {
			q.drawn = 0
			q.last = since(q)
			q.first ??= q.last
			settle(q)
		})
		q.drawn = document.hidden ? painted() : requestAnimationFrame(painted)
	}))
	new PerformanceObserver(list => list.getEntries().forEach(e => {
		const q = asked
		if (e.name !== q.url?.href || e.startTime < q.sent - 1) return
		q.begin = e.responseStart - q.sent
		ended(q, e.responseEnd - q.sent)
	})).observe({ type: 'resource' })

	fetch = new Proxy(fetch, {
		apply(f, self, args) {
			let q
			safe(() => {
				q = ask(args[0].url ?? args[0])
				const h = new Headers(q.headers) // throws first
				const r = new Request(...args)
				h.forEach((v, k) => r.headers.has(k) || r.headers.set(k, v))
				args = [r]
			})()
			const p = Reflect.apply(f, self, args)
			if (q) p.then(() => began(q), () => { if (q === asked) asked = 0 })
			return p
		}
	})
	EventSource = new Proxy(EventSource, {
		construct(f, args, self) {
			let q
			safe(() => {
				q = ask(args[0])
				q.url.search += (q.url.search && '&') + new URLSearchParams(q.headers)
				args = [q.url.href, args[1]]
			})()
			const es = Reflect.construct(f, args, self)
			if (q) {
				const close = es.close
				es.close = () => { ended(q); close.call(es) }
				es.addEventListener('open', () => began(q))
				es.addEventListener('error', () => q.begin && ended(q))
			}
			return es
		}
	})
	EventSource.prototype.constructor = EventSource
})()
