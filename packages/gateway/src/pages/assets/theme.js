// Before the first paint: the colours that the reader chose, if any.
try {
  const chosen = localStorage.getItem('theme')
  if (chosen === 'dark' || chosen === 'light') document.documentElement.dataset.theme = chosen
} catch {
  // Storage is refused: the system's colours hold.
}
