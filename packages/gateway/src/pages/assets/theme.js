// Applies the colours that the reader chose, before the first paint.
try {
  const chosen = localStorage.getItem('theme')
  if (chosen === 'dark' || chosen === 'light') document.documentElement.dataset.theme = chosen
} catch {
  // The browser refuses storage, so the system's colours apply.
}
