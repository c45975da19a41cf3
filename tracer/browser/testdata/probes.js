// What a page can see of fetch and EventSource, as text. The test compares it between pages with the script and without.
async function outcome(f) {
  try {
    return await f()
  } catch (e) {
    return `${e?.constructor?.name} ${e?.name}: ${e?.message ?? e}`
  }
}

const post = (body, more) => fetch('/probe/echo', { method: 'POST', body, ...more }).then(r => r.text())

const probes = {
  'shape': () => `${fetch.name} ${fetch.length} ${typeof fetch} ${EventSource.name} ${EventSource.OPEN} ${fetch.call.name}`,
  'text': () => post('hello'),
  'header': () => post('hello', { headers: { 'X-Own': 'a', Traceparent: '00-0102030405060708090a0b0c0d0e0f10-1112131415161718-01' } }),
  'header list': () => post('x', { headers: [['X-Own', 'a'], ['X-Own', 'b']] }),
  'parameters': () => post(new URLSearchParams({ a: 'ü b' })),
  'form': async () => (await post(Object.entries({ a: 1 }).reduce((f, [k, v]) => (f.append(k, v), f), new FormData()))).replace(/Boundary\w+/g, 'B'),
  'blob': () => post(new Blob(['blob'], { type: 'text/x' })),
  'request': () => fetch(new Request('/probe/echo', { method: 'PUT', body: 'r', headers: { 'X-Own': 'r' } })).then(r => r.text()),
  'request and init': () => fetch(new Request('/probe/echo', { method: 'PUT', body: 'r' }), { method: 'POST', body: 'i' }).then(r => r.text()),
  'used request': async () => {
    const r = new Request('/probe/echo', { method: 'POST', body: 'r' })
    await fetch(r)
    return `${r.bodyUsed} ` + await outcome(() => fetch(r))
  },
  'URL': () => fetch(new URL('/probe/echo', location)).then(r => r.text()),
  'response': () => fetch('/probe/echo?a=%20#f').then(r => `${r.constructor.name} ${r.type} ${r.status} ${new URL(r.url).pathname}${new URL(r.url).search} ${r.redirected} ${r.bodyUsed}`),
  'status': () => fetch('/probe/echo?status=204').then(r => `${r.ok} ${r.status} ${r.body}`),
  'stream': async () => {
    const reader = (await fetch('/probe/stream')).body.getReader()
    let n = 0
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return n
      n += value.length
    }
  },
  'cancelled stream': async () => {
    const reader = (await fetch('/probe/stream')).body.getReader()
    await reader.read()
    await reader.cancel('enough')
    return (await reader.read()).done
  },
  'aborted before': () => fetch('/probe/echo', { signal: AbortSignal.abort() }),
  'aborted for a reason': () => fetch('/probe/echo', { signal: AbortSignal.abort(new RangeError('mine')) }),
  'aborted in the stream': async () => {
    const c = new AbortController()
    const reader = (await fetch('/probe/hang?begun', { signal: c.signal })).body.getReader()
    await reader.read()
    c.abort(new RangeError('mine'))
    return (await reader.read()).done
  },
  'timed out': () => fetch('/probe/hang', { signal: AbortSignal.timeout(50) }),
  'cut off': () => fetch('/probe/cut'),
  'cut in the stream': () => fetch('/probe/cut?late').then(r => r.text()),
  'no body allowed': () => fetch('/probe/echo', { method: 'GET', body: 'x' }),
  'no method': () => fetch('/probe/echo', { method: ' ' }),
  'no URL': () => fetch('http://['),
  'nothing': () => fetch(),
  'null': () => fetch(null).then(r => r.status),
  'a promise': () => `${fetch('/probe/echo') instanceof Promise}`,
  'JSON': () => fetch('/probe/echo').then(r => r.json()),
  'event source': () => new Promise(done => {
    const s = new EventSource('/probe/events?a=%20b')
    s.addEventListener('end', e => {
      s.close()
      done(`${e.data} ${s.readyState} ${s instanceof EventSource} ${s.constructor === EventSource} ${s.withCredentials}`)
    })
  }),
  'event source with credentials': () => {
    const s = new EventSource('/probe/events', { withCredentials: true })
    s.close()
    return `${s.withCredentials} ${s.readyState}`
  },
  'own event source': () => {
    class Own extends EventSource { mine() { return 'mine' } }
    const s = new Own('/probe/events')
    s.close()
    return s.mine()
  },
  'event source of no URL': () => new EventSource('http://['),
  'event source as a function': () => EventSource('/probe/events'),
}

window.probe = async () => {
  const seen = {}
  for (const name in probes) seen[name] = String(await outcome(probes[name]))
  return seen
}
