// Calls the endpoint of a page in the sandbox. The token is a variable of this module and is stored nowhere, so the
// module takes over the links between endpoints: a new document would forget it.
const maxShownCharacters = 20_000
const maxListed = 20
const patienceMs = 60_000

/** `{ token, name }` of the sign-in; undefined before it. */
let session
/** The values of the variables that the reader entered, by name. They last as long as the sign-in. */
const values = new Map()
let numbers = 0

const createElement = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties)
  element.append(...children.filter((child) => child !== undefined))
  return element
}

const fillText = (text, words) => text.replace(/\{(\w+)\}/g, (_whole, name) => String(words[name] ?? ''))

const send = async (path, { method = 'GET', body, token, key } = {}) => {
  const headers = { Accept: 'application/json', 'Accept-Language': document.documentElement.lang }
  if (body !== undefined) headers['Content-Type'] = 'application/json'
  if (token !== undefined) headers.Authorization = `Bearer ${token}`
  if (key !== undefined) headers['Idempotency-Key'] = key
  const response = await fetch(path, { method, headers, body, signal: AbortSignal.timeout(patienceMs) })
  return { response, text: await response.text() }
}

/** Creates a field with its label. */
const createField = (label, control) => {
  numbers += 1
  control.id = `run-${numbers}`
  return createElement(
    'div',
    { className: 'run-field' },
    createElement('label', { htmlFor: control.id, textContent: label }),
    control,
  )
}

/** Opens the runner below the button of a page. */
export const openRunner = (rail, button) => {
  const { style, ...page } = JSON.parse(rail.dataset.run)
  if (!document.querySelector(`link[href="${style}"]`))
    document.head.append(createElement('link', { rel: 'stylesheet', href: style }))
  button.hidden = true
  const panel = createElement('section', { className: 'runner' })
  panel.setAttribute('aria-label', page.words.run)
  button.after(panel)
  const close = () => {
    panel.remove()
    button.hidden = false
    button.focus()
  }
  show({ ...page, rail, panel, close })
}

const show = (view) => {
  fillSamples(view)
  view.panel.replaceChildren(...(session ? renderCall(view) : renderSignIn(view)))
  view.panel.querySelector('input, textarea, button')?.focus()
}

const renderSignIn = (view) => {
  const { words } = view
  const kind = createElement(
    'select',
    {},
    createElement('option', { value: 'oms', textContent: words.run_kind_oms }),
    createElement('option', { value: 'channel', textContent: words.run_kind_channel }),
  )
  const name = createElement('input', { autocomplete: 'off', spellcheck: false, required: true })
  const secret = createElement('input', { type: 'password', autocomplete: 'off', required: true })
  const [nameField, secretField] = [createField('', name), createField('', secret)]
  const label = () => {
    const isChannel = kind.value === 'channel'
    nameField.firstChild.textContent = words[isChannel ? 'run_client_id' : 'run_username']
    secretField.firstChild.textContent = words[isChannel ? 'run_client_secret' : 'run_password']
  }
  kind.addEventListener('change', label)
  label()
  const result = createResult()
  const form = createElement(
    'form',
    {},
    ...renderVisit(view, (perform) => performOnce(form, result, words, () => perform(result))),
    createElement('p', { textContent: words.run_sign_in_text }),
    createField(words.run_kind, kind),
    nameField,
    secretField,
    renderButtons(words.run_sign_in, view),
    result,
  )
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const credentials =
      kind.value === 'channel'
        ? { client_id: name.value, client_secret: secret.value }
        : { grant_type: 'password', username: name.value, password: secret.value }
    await performOnce(form, result, words, () => signIn(view, name.value, credentials, result))
  })
  return [form]
}

/** Renders the way in without an account, for a call that a visitor may make. */
const renderVisit = (view, perform) => {
  const { words, visitor } = view
  if (visitor === undefined) return []
  const button = createElement('button', {
    type: 'button',
    className: 'tool',
    textContent: words.run_visit,
  })
  button.addEventListener('click', () =>
    perform((result) => openSession(view, { path: visitor, name: words.run_visitor }, result)),
  )
  return [createElement('p', { textContent: words.run_visit_text }), createElement('p', {}, button)]
}

const signIn = (view, name, credentials, result) =>
  openSession(view, { path: '/api/v1/auth/token', name, body: JSON.stringify(credentials) }, result)

const openSession = async (view, { path, name, body: sent }, result) => {
  const { response, text } = await send(path, { method: 'POST', body: sent })
  const body = readJson(text)
  if (!response.ok) {
    result.textContent = body?.error?.message ?? view.words.run_refused
    return
  }
  session = { token: (body.data ?? body).access_token, name }
  show(view)
}

const renderCall = (view) => {
  const { words, request, sources } = view
  const isRead = request.method === 'GET'
  const inputs = listVariables(request).map((name) => renderVariable(name, sources[name], isRead))
  const body =
    request.body === undefined
      ? undefined
      : createElement('textarea', {
          spellcheck: false,
          rows: Math.min(16, JSON.stringify(request.body, null, 2).split('\n').length),
          value: JSON.stringify(request.body, null, 2),
        })
  const signOut = createElement('button', {
    type: 'button',
    className: 'run-link',
    textContent: words.run_sign_out,
  })
  signOut.addEventListener('click', () => {
    session = undefined
    values.clear()
    show(view)
  })
  const result = createResult()
  const form = createElement(
    'form',
    {},
    createElement('p', {}, fillText(words.run_signed_in, session), ' ', signOut),
    isRead ? undefined : createElement('p', { textContent: words.run_write.replaceAll('`', '') }),
    ...inputs,
    body && createField(words.run_body, body),
    renderButtons(words.run_send, view),
    result,
  )
  form.addEventListener('input', () => {
    for (const input of form.querySelectorAll('[data-name]')) values.set(input.dataset.name, input.value)
    fillSamples(view)
  })
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    await performOnce(form, result, words, () => run(view, body?.value, result))
  })
  return [form]
}

/** The variables of the request that the reader fills in: `ORDER_ID`. */
const listVariables = ({ path, query, body }) => {
  const text = JSON.stringify([path, query, body])
  return [...new Set([...text.matchAll(/\$([A-Z][A-Z_]*)/g)].map(([, name]) => name))]
}

/**
 * Renders the input of a variable, with the reader's newest values to choose from. Only a read is filled in: what is
 * changed or ended, the reader chooses.
 */
const renderVariable = (name, source, isRead) => {
  const input = createElement('input', {
    required: true,
    autocomplete: 'off',
    spellcheck: false,
    value: values.get(name) ?? '',
  })
  input.dataset.name = name
  const field = createField(name, input)
  if (source) void listChoices(input, field, source, isRead)
  return field
}

const listChoices = async (input, field, { path, field: member }, isRead) => {
  try {
    const { text } = await send(path, { token: session?.token })
    const found = (readJson(text)?.data ?? []).slice(0, maxListed).map((row) => row[member])
    const list = createElement(
      'datalist',
      { id: `${input.id}-list` },
      ...found.map((value) => createElement('option', { value })),
    )
    field.append(list)
    input.setAttribute('list', list.id)
    if (!isRead || input.value !== '' || found.length === 0) return
    input.value = found[0]
    input.dispatchEvent(new Event('input', { bubbles: true }))
  } catch {
    // Without suggestions, the reader types the value.
  }
}

const run = async ({ words, request, ...view }, bodyText, result) => {
  const body = bodyText === undefined ? undefined : fillVariables(bodyText)
  if (body !== undefined && readJson(body) === undefined) {
    result.textContent = words.run_bad_body
    return
  }
  const pairs = Object.entries(request.query).map(([name, value]) => [name, fillVariables(value)])
  const query = pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : ''
  const path = request.path.replace(/\$([A-Z][A-Z_]*)/g, (_whole, name) =>
    encodeURIComponent(values.get(name) ?? ''),
  )
  const key = request.method === 'GET' ? undefined : generateKey()
  const { response, text } = await send(path + query, {
    method: request.method,
    body,
    token: session?.token,
    key,
  })
  result.replaceChildren(...renderResponse(response, text, words))
  if (response.status === 401) {
    session = undefined
    fillSamples(view)
  }
}

/** `crypto.randomUUID` is not there in a page that came over HTTP from another machine. */
const generateKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )

const fillVariables = (text) => text.replace(/\$([A-Z][A-Z_]*)/g, (whole, name) => values.get(name) ?? whole)

const renderResponse = (response, text, words) => {
  const cost = response.headers.get('ratelimit-cost')
  const left = response.headers.get('ratelimit-remaining')
  const facts = [
    [words.status, `${response.status} ${response.statusText}`],
    ...(cost === null ? [] : [[words.points, fillText(words.run_left, { cost, left })]]),
    [words.run_request_id, response.headers.get('x-request-id') ?? ''],
  ]
  const body = readJson(text)
  const shown = body === undefined ? text : JSON.stringify(body, null, 2)
  const code = createElement(
    'pre',
    { tabIndex: 0 },
    createElement('code', { textContent: shown.slice(0, maxShownCharacters) }),
  )
  return [
    createElement(
      'dl',
      { className: response.ok ? 'run-facts' : 'run-facts is-failed' },
      ...facts.map(([name, value]) =>
        createElement(
          'div',
          {},
          createElement('dt', { textContent: name }),
          createElement('dd', { textContent: value }),
        ),
      ),
    ),
    createElement('figure', { className: 'code' }, code),
    shown.length > maxShownCharacters ? createElement('p', { textContent: words.run_cut }) : '',
  ]
}

const createResult = () => {
  const result = createElement('div', { className: 'run-result' })
  result.setAttribute('role', 'status')
  return result
}

const renderButtons = (label, { words, close }) => {
  const cancel = createElement('button', { type: 'button', className: 'tool', textContent: words.close })
  cancel.addEventListener('click', close)
  return createElement(
    'p',
    { className: 'run-buttons' },
    createElement('button', { className: 'tool run', textContent: label }),
    cancel,
  )
}

/** Performs what a form asks for, once at a time, and says what happens. */
const performOnce = async (form, result, words, perform) => {
  const button = form.querySelector('button.run')
  if (button.disabled) return
  button.disabled = true
  result.textContent = words.run_sending
  try {
    await perform()
  } catch {
    result.textContent = words.run_failed
  } finally {
    button.disabled = false
  }
}

const readJson = (text) => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The texts of the samples as they were printed. */
const printed = new WeakMap()

/** Writes the address, the token and the reader's values into the samples of the page. */
const fillSamples = ({ rail }) => {
  const known = new Map(session ? [...values, ['BASE', location.origin], ['TOKEN', session.token]] : [])
  for (const code of rail.querySelectorAll('.samples code')) {
    let before = ''
    const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (!printed.has(node)) printed.set(node, node.data)
      const text = printed.get(node)
      node.data = fillNode(text, before, known)
      before = (before + text).slice(-100)
    }
  }
}

/** Fills `$TOKEN` of the shell, and `TOKEN = ''` of TypeScript, where the quotes are a node of their own. */
const fillNode = (text, before, known) => {
  const name = /(\w+) = $/.exec(before)?.[1]
  if (text.startsWith("''") && known.get(name)) return `'${known.get(name)}'${text.slice(2)}`
  const inline = text.replace(/\b([A-Z][A-Z_]*) = ''/g, (whole, each) =>
    known.get(each) ? `${each} = '${known.get(each)}'` : whole,
  )
  return inline.replace(/\$([A-Z][A-Z_]*)/g, (whole, each) => known.get(each) || whole)
}

const isEndpointLink = (link) =>
  link.origin === location.origin &&
  link.pathname.startsWith('/reference/') &&
  !link.target &&
  !link.hasAttribute('download')

const readPlace = () => location.pathname + location.search
/** The page that this document shows, without a fragment. */
let place = readPlace()

/** Shows another endpoint in this document, so that the sign-in lasts. Returns whether it could. */
const showPage = async (address) => {
  const response = await fetch(address, {
    headers: { Accept: 'text/html' },
    signal: AbortSignal.timeout(patienceMs),
  })
  if (!response.ok) return false
  const next = new DOMParser().parseFromString(await response.text(), 'text/html')
  for (const part of ['.languages', '.drawer', '.frame']) {
    const [present, found] = [document.querySelector(part), next.querySelector(part)]
    if (!present || !found) return false
    present.replaceWith(document.adoptNode(found))
  }
  document.title = next.title
  document.dispatchEvent(new Event('pagechange'))
  const rail = document.querySelector('[data-run]')
  if (rail) fillSamples({ rail })
  return true
}

document.addEventListener('click', async (event) => {
  const link = event.target.closest?.('a[href]')
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
  if (!session || !link || !isPlain || event.defaultPrevented || !isEndpointLink(link)) return
  if (link.pathname === location.pathname && link.hash) return
  event.preventDefault()
  const { href, hash } = link
  const isShown = await showPage(href).catch(() => false)
  if (!isShown) return location.assign(href)
  history.pushState({}, '', href)
  place = readPlace()
  document.getElementById(hash.slice(1) || 'content')?.focus()
  scrollTo({ top: 0, behavior: 'instant' })
})
addEventListener('popstate', async () => {
  // A link to a part of the same page.
  if (readPlace() === place) return
  if (!session || !location.pathname.startsWith('/reference/')) return location.reload()
  place = readPlace()
  const isShown = await showPage(location.href).catch(() => false)
  if (!isShown) location.reload()
})
