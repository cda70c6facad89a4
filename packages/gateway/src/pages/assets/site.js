// Conveniences for pages that also work without scripts: copying, colours, search.
const { body, documentElement: root } = document
const say = (word) => body.dataset[word] ?? ''

const createElement = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties)
  element.append(...children)
  return element
}

const copyText = async (button, text) => {
  const label = button.textContent
  try {
    await navigator.clipboard.writeText(await text())
    button.textContent = say('copied')
  } catch {
    button.textContent = say('copyFailed')
  }
  setTimeout(() => {
    button.textContent = label
  }, 1500)
}

const addCopyButtons = () => {
  for (const figure of document.querySelectorAll('.code')) {
    const button = createElement('button', { type: 'button', className: 'copy', textContent: say('copy') })
    button.addEventListener('click', () => copyText(button, () => figure.querySelector('code').textContent))
    figure.append(button)
  }
}

const findAgents = () => document.querySelector('.agents')
const setUpAgents = () => {
  const agents = findAgents()
  if (!agents) return
  const { href } = agents.querySelector('.as-markdown')
  const button = createElement('button', { type: 'button', textContent: say('copyPage') })
  button.addEventListener('click', () => copyText(button, async () => (await fetch(href)).text()))
  agents.querySelector('ul').prepend(createElement('li', {}, button))
  agents.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape') return
    agents.open = false
    agents.querySelector('summary').focus()
  })
}
document.addEventListener('click', ({ target }) => {
  const agents = findAgents()
  if (agents && !agents.contains(target)) agents.open = false
})

const readSetting = (name) => {
  try {
    return localStorage.getItem(name)
  } catch {
    return null
  }
}
const keepSetting = (name, value) => {
  try {
    localStorage.setItem(name, value)
  } catch {
    // The browser refuses storage, so the choice lasts only for this page.
  }
}

// Samples are shown in the language that the reader chose last, on every page that has it.
const findSampleName = (choice) => document.querySelector(`label[for="${choice.id}"]`)?.textContent
const chooseSample = () => {
  const sampleName = readSetting('samples')
  for (const choice of document.querySelectorAll('.samples input')) {
    if (findSampleName(choice) === sampleName) choice.checked = true
    choice.addEventListener('change', () => keepSetting('samples', findSampleName(choice)))
  }
}

// The menu shows the current page, wherever that is in it.
const showCurrent = (menu) => {
  const current = menu?.querySelector('[aria-current]')
  if (!current) return
  const { top, height } = current.getBoundingClientRect()
  const place = menu.getBoundingClientRect()
  if (top < place.top || top + height > place.bottom)
    menu.scrollTop += top - place.top - (menu.clientHeight - height) / 2
}
const setUpMenus = () => {
  showCurrent(document.querySelector('.side'))
  const drawer = document.querySelector('.drawer')
  drawer?.addEventListener('toggle', () => showCurrent(drawer.querySelector('nav')))
}

// Asks whether the page was helpful. The gateway keeps counts only.
let rating
const rate = async (verdict) => {
  // A second click would be a second vote.
  for (const button of rating.querySelectorAll('button')) button.disabled = true
  try {
    const { ok } = await fetch('/feedback', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ page: rating.dataset.page, language: root.lang, verdict }),
    })
    showRating(say(ok ? 'ratingThanks' : 'ratingFailed'))
  } catch {
    showRating(say('ratingFailed'))
  }
}
const showRating = (text, choices = []) => {
  const words = createElement('p', { textContent: text })
  words.setAttribute('role', 'status')
  const buttons = choices.map(([label, onclick]) =>
    createElement('button', { type: 'button', className: 'tool', textContent: label, onclick }),
  )
  const isAsked = rating.contains(document.activeElement)
  rating.replaceChildren(words, ...buttons)
  if (isAsked) buttons[0]?.focus()
}
const setUpRating = () => {
  rating = document.querySelector('.rating')
  if (!rating) return
  const reasons = ['Unclear', 'Incomplete', 'Wrong', 'Other']
  const askWhy = () =>
    showRating(
      say('ratingWhy'),
      reasons.map((reason) => [say(`rating${reason}`), () => rate(reason.toLowerCase())]),
    )
  showRating(say('rating'), [
    [say('ratingYes'), () => rate('helpful')],
    [say('ratingNo'), askWhy],
  ])
}

// In the sandbox, an endpoint can be called from its page. The script for that is loaded when it is asked for.
const setUpRunner = () => {
  const rail = document.querySelector('[data-run]')
  if (!rail) return
  const { script, words } = JSON.parse(rail.dataset.run)
  const button = createElement('button', { type: 'button', className: 'tool run', textContent: words.run })
  button.addEventListener('click', async () => {
    const { openRunner } = await import(script)
    openRunner(rail, button)
  })
  rail.prepend(button)
}

const setUpPage = () => {
  addCopyButtons()
  setUpAgents()
  chooseSample()
  setUpMenus()
  setUpRating()
  setUpRunner()
}
setUpPage()
document.addEventListener('pagechange', setUpPage)

const tools = document.querySelector('.tools')

// Colours follow the system until the reader chooses.
const dark = matchMedia('(prefers-color-scheme: dark)')
const isDark = () => (root.dataset.theme ? root.dataset.theme === 'dark' : dark.matches)
const theme = createElement('button', { type: 'button', className: 'tool icon' })
const showTheme = () => {
  theme.textContent = isDark() ? '☀' : '☾'
  theme.setAttribute('aria-label', say(isDark() ? 'themeLight' : 'themeDark'))
}
theme.addEventListener('click', () => {
  root.dataset.theme = isDark() ? 'light' : 'dark'
  keepSetting('theme', root.dataset.theme)
  showTheme()
})
dark.addEventListener('change', showTheme)
showTheme()

// The gateway searches; the index stays there.
const opener = createElement(
  'button',
  { type: 'button', className: 'tool' },
  createElement('span', { className: 'label', textContent: say('search') }),
  createElement('kbd', { textContent: '/', ariaHidden: 'true' }),
)
opener.setAttribute('aria-label', say('search'))
const narrow = createElement('span', { textContent: '⌕', ariaHidden: 'true' })
opener.prepend(narrow)
tools.prepend(opener)
tools.append(theme)

const input = createElement('input', {
  type: 'search',
  autocomplete: 'off',
  placeholder: say('searchPlaceholder'),
})
input.setAttribute('aria-label', say('search'))
const close = createElement('button', { type: 'button', className: 'tool', textContent: say('close') })
const list = createElement('ul')
const none = createElement('p', { className: 'none', hidden: true })
none.setAttribute('role', 'status')
const finder = createElement(
  'dialog',
  { className: 'finder' },
  createElement('div', { className: 'ask' }, input, close),
  none,
  list,
)
finder.setAttribute('aria-label', say('search'))
body.append(finder)

const chosenLanguage = new URLSearchParams(location.search).get('lang')
const addLanguage = (href) => {
  if (chosenLanguage === null) return href
  const [path, fragment] = href.split('#')
  return `${path}?lang=${encodeURIComponent(chosenLanguage)}${fragment === undefined ? '' : `#${fragment}`}`
}

const renderFinding = ({ href, title, heading, excerpt }) =>
  createElement(
    'li',
    {},
    createElement(
      'a',
      { href: addLanguage(href) },
      heading === '' ? title : `${title} › ${heading}`,
      createElement('small', { textContent: excerpt }),
    ),
  )

let asking = new AbortController()
const find = async () => {
  asking.abort()
  asking = new AbortController()
  const { signal } = asking
  const asked = input.value.trim()
  list.replaceChildren()
  none.hidden = true
  if (asked === '') return
  try {
    const parameters = new URLSearchParams({ q: asked, lang: root.lang })
    const response = await fetch(`/search.json?${parameters}`, { signal })
    const { data } = await response.json()
    list.replaceChildren(...data.map(renderFinding))
    mark(0)
    none.textContent = say('searchNone')
    none.hidden = data.length > 0
  } catch {
    if (signal.aborted) return
    none.textContent = say('searchFailed')
    none.hidden = false
  }
}

let marked = 0
const mark = (at) => {
  const links = [...list.querySelectorAll('a')]
  marked = Math.max(0, Math.min(at, links.length - 1))
  for (const [place, link] of links.entries()) {
    if (place === marked) link.setAttribute('aria-current', 'true')
    else link.removeAttribute('aria-current')
  }
  links[marked]?.scrollIntoView({ block: 'nearest' })
}

const open = () => {
  if (finder.open) return
  finder.showModal()
  input.select()
}
opener.addEventListener('click', open)
close.addEventListener('click', () => finder.close())
finder.addEventListener('click', (event) => {
  if (event.target === finder) finder.close()
})
input.addEventListener('input', find)
input.addEventListener('keydown', (event) => {
  // These keys choose and end a word of an input method. Safari ends it before the key, whose code is then 229.
  if (event.isComposing || event.keyCode === 229) return
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault()
    mark(marked + (event.key === 'ArrowDown' ? 1 : -1))
  }
  if (event.key === 'Enter') list.querySelectorAll('a')[marked]?.click()
})
document.addEventListener('keydown', (event) => {
  const isTyping = event.target.closest?.('input, textarea, select, [contenteditable]')
  if ((event.key === 'k' && (event.metaKey || event.ctrlKey)) || (event.key === '/' && !isTyping)) {
    event.preventDefault()
    open()
  }
})
