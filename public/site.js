// Makes pages quicker to use. Every page does all of its work without it (decision E2), and no text ever becomes markup here:
// the policy of our pages refuses that (Trusted Types, decision record 81).

const all = (selector) => document.querySelectorAll(selector)

// What was done, for those who do not see it.
const said = document.createElement('p')
said.className = 'unseen'
said.setAttribute('role', 'status')
document.body.append(said)

// <code data-copy="client id">…</code>: a button behind it that copies it. Only where the browser lets a page do so.
if (navigator.clipboard) {
  for (const place of all('[data-copy]')) {
    const button = document.createElement('button')
    const name = place.dataset.copy
    button.type = 'button'
    button.className = 'quiet copy-button'
    button.textContent = 'Copy'
    if (name) button.setAttribute('aria-label', `Copy ${name}`)
    button.addEventListener('click', async () => {
      try {
        await navigator.clipboard.writeText((place.value ?? place.textContent).trim())
        button.textContent = 'Copied'
        said.textContent = name ? `Copied ${name}` : 'Copied'
      } catch {
        getSelection().selectAllChildren(place)
        said.textContent = 'Selected; copy it with your keyboard'
      }
      setTimeout(() => {
        button.textContent = 'Copy'
        said.textContent = ''
      }, 2_000)
    })
    place.after(button)
  }
}

// Times in the reader's own zone; what the page said stays in the tooltip.
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric' })
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZoneName: 'short' })
for (const time of all('time[data-local]')) {
  const moment = new Date(time.dateTime)
  time.title = time.textContent
  time.textContent = `${day.format(moment)}, ${clock.format(moment)}`
}

// A list that was opened closes again by Escape or by a click elsewhere.
const close = (list) => {
  list.open = false
  list.querySelector('summary').focus()
}
document.addEventListener('keydown', ({ key }) => {
  if (key === 'Escape') all('details.switch[open]').forEach(close)
})
document.addEventListener('click', ({ target }) => {
  for (const list of all('details.switch[open]')) if (!list.contains(target)) list.open = false
})

// A second press does not send a form a second time; going back to the page, or waiting, makes it fresh.
const SENT_MS = 8_000
document.addEventListener('submit', (event) => {
  const { target: form } = event
  if (event.defaultPrevented || form.method !== 'post') return
  if (form.ariaBusy === 'true') return event.preventDefault()
  form.ariaBusy = 'true'
  setTimeout(() => {
    form.ariaBusy = null
  }, SENT_MS)
})
addEventListener('pageshow', () => {
  for (const form of all('form[aria-busy]')) form.ariaBusy = null
})

// <textarea data-fragment>: what stands behind the # of the address, which no server sees. It does not stay there.
for (const place of all('[data-fragment]')) {
  if (location.hash.length < 2) continue
  place.value = location.hash.slice(1)
  history.replaceState(null, '', location.pathname)
}

// <button data-passkey hidden>: shown where the browser knows passkeys. What the authenticator says goes along with the form.
// The options stand at the button, or are asked for at the address that stands there.
const Passkey = globalThis.PublicKeyCredential
if (Passkey?.parseRequestOptionsFromJSON) {
  for (const button of all('button[data-passkey]')) {
    button.hidden = false
    button.addEventListener('click', async (event) => {
      event.preventDefault()
      const faults = [...button.form.querySelectorAll('[data-fault]')]
      for (const fault of faults) fault.hidden = true
      button.disabled = true
      try {
        const credential = document.createElement('input')
        credential.type = 'hidden'
        credential.name = 'credential'
        credential.value = JSON.stringify(await askAuthenticator(button))
        button.disabled = false
        button.form.append(credential)
        button.form.requestSubmit(button)
      } catch ({ name }) {
        button.disabled = false
        const fault = faults.find((each) => each.dataset.fault === name) ?? faults[0]
        if (fault) fault.hidden = false
      }
    })
  }
}

async function askAuthenticator({ dataset, form }) {
  if (dataset.passkey === 'create')
    return navigator.credentials.create({
      publicKey: Passkey.parseCreationOptionsFromJSON(JSON.parse(dataset.options)),
    })
  const body = new URLSearchParams({ csrf: form.elements.csrf.value })
  const answer = await fetch(dataset.begin, { method: 'POST', body })
  const options = await answer.json()
  return navigator.credentials.get({ publicKey: Passkey.parseRequestOptionsFromJSON(options) })
}
