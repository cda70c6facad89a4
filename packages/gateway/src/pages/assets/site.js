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

for (const figure of document.querySelectorAll('.code')) {
  const button = createElement('button', { type: 'button', className: 'copy', textContent: say('copy') })
  button.addEventListener('click', () => copyText(button, () => figure.querySelector('code').textContent))
  figure.append(button)
}

const markdown = document.querySelector('.as-markdown')
if (markdown) {
  const button = createElement('button', { type: 'button', textContent: say('copyPage') })
  button.addEventListener('click', () => copyText(button, async () => (await fetch(markdown.href)).text()))
  markdown.after(' ', button)
}

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
  try {
    localStorage.setItem('theme', root.dataset.theme)
  } catch {
    // The browser refuses storage, so the choice lasts only for this page.
  }
  showTheme()
})
dark.addEventListener('change', showTheme)
showTheme()

// Search uses one index per language, which is fetched when it is first needed.
const mostResults = 12
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

let index
const loadIndex = async () => {
  index ??= await (await fetch(say('index'))).json()
  return index
}

/**
 * Splits a text into lower-case words. Han and Hangul are split into pairs of neighbouring characters, because spaces
 * do not separate their words.
 */
const splitTerms = (text) =>
  (text.toLowerCase().match(/[\p{sc=Han}]+|[\p{sc=Hangul}]+|[\p{L}\p{N}_]+/gu) ?? []).flatMap((run) =>
    /[\p{sc=Han}\p{sc=Hangul}]/u.test(run) && run.length > 2
      ? Array.from({ length: run.length - 1 }, (_, at) => run.slice(at, at + 2))
      : [run],
  )

const computeScore = (page, query, terms) => {
  const title = page.t.toLowerCase()
  // The larger the part of a title that the query matches, the more the page is about it.
  let score = title === query ? 200 : title.includes(query) ? 60 + (80 * query.length) / title.length : 0
  const summary = page.s.toLowerCase()
  if (page.k.includes(query)) score += 60
  if (summary.includes(query)) score += 50
  for (const term of terms) {
    if (title.includes(term)) score += 20
    if (page.h.includes(term)) score += 10
    if (summary.includes(term)) score += 12
    if (page.k.includes(term)) score += 8
    if (page.w.includes(term)) score += 3
    else if (!title.includes(term) && !page.k.includes(term) && !page.h.includes(term)) return 0
  }
  // The home page mentions every topic briefly, so it counts less.
  return page.p === '/' ? score / 4 : score
}

const query = new URLSearchParams(location.search).get('lang')
const find = async () => {
  const asked = input.value.trim().toLowerCase()
  const terms = splitTerms(asked)
  list.replaceChildren()
  none.hidden = true
  if (terms.length === 0) return
  let pages
  try {
    pages = await loadIndex()
  } catch {
    none.textContent = say('searchFailed')
    none.hidden = false
    return
  }
  if (input.value.trim().toLowerCase() !== asked) return
  const found = pages
    .map((page) => ({ page, score: computeScore(page, asked, terms) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, mostResults)
  for (const { page } of found) {
    const href = query === null ? page.p : `${page.p}?lang=${encodeURIComponent(query)}`
    list.append(
      createElement(
        'li',
        {},
        createElement('a', { href }, page.t, createElement('small', { textContent: page.s })),
      ),
    )
  }
  mark(0)
  none.textContent = say('searchNone')
  none.hidden = found.length > 0
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
  loadIndex().catch(() => {})
}
opener.addEventListener('click', open)
close.addEventListener('click', () => finder.close())
finder.addEventListener('click', (event) => {
  if (event.target === finder) finder.close()
})
input.addEventListener('input', find)
input.addEventListener('keydown', (event) => {
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
