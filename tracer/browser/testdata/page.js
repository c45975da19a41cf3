// A page that takes 300 ms before it asks, and 200 ms after the last byte before it shows the last text. In window.truth it
// keeps its own marks of the last question, and in window.done how many were answered.
const form = document.querySelector('form')
const wait = ms => new Promise(done => setTimeout(done, ms))
window.done = 0

form.addEventListener('submit', async event => {
  const truth = { entered: performance.now() }
  event.preventDefault()
  const asked = document.createElement('p')
  asked.textContent = 'You: ' + form.q.value
  const answer = document.createElement('p')
  answer.className = 'answer'
  document.querySelector('main').append(asked, answer)
  await wait(300)
  truth.sent = performance.now()
  const show = text => {
    truth.first ??= performance.now()
    answer.append(text)
  }
  const stream = new URLSearchParams(location.search).has('events') ? events : fetched
  await stream('/ask?q=' + encodeURIComponent(form.q.value), show)
  truth.received = performance.now()
  await wait(200)
  show('the end')
  truth.painted = performance.now()
  window.truth = truth
  window.done++
})

async function fetched(url, show) {
  const response = await fetch(url, { method: 'POST' })
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    show(value)
  }
}

function events(url, show) {
  return new Promise(done => {
    const source = new EventSource(url)
    source.onmessage = event => show(event.data)
    source.addEventListener('end', () => {
      source.close()
      done()
    })
  })
}
