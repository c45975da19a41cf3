// The session is the page's: loading it again begins a new one.
const session = Math.random().toString(36).slice(2)
const form = document.querySelector('form')
const input = form.querySelector('input')

function paragraph(kind, text) {
  const p = document.createElement('p')
  p.className = kind
  p.textContent = text
  document.querySelector('main').append(p)
  return p
}

form.addEventListener('submit', async event => {
  event.preventDefault()
  const question = input.value
  input.value = ''
  paragraph('asked', question)
  const answer = paragraph('answer', '')
  try {
    const response = await fetch('/ask', { method: 'POST', body: JSON.stringify({ question, session }) })
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    for (let piece; !(piece = await reader.read()).done;) answer.append(piece.value)
  } catch (error) {
    answer.append(` (the answer broke off: ${error.message})`)
  }
})
