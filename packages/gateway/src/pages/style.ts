/** The one style sheet: system fonts per language, light and dark, nothing loaded from elsewhere. */
export const style = `
:root {
  color-scheme: light dark;
  --ink: #1a1c1e; --soft: #5b6166; --paper: #fdfcfa; --line: #e2dfd9; --accent: #0b5a6b; --panel: #f4f1ec;
  --sans: "Inter", "Segoe UI", system-ui, -apple-system, "Noto Sans", sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Code", "Noto Sans Mono", Menlo, monospace;
}
:root:lang(zh) { --sans: "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", "Noto Sans SC", system-ui, sans-serif; }
:root:lang(ko) { --sans: "Apple SD Gothic Neo", "Malgun Gothic", "Noto Sans CJK KR", "Noto Sans KR", system-ui, sans-serif; word-break: keep-all; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e9e6e1; --soft: #a3a8ab; --paper: #15181a; --line: #2c3134; --accent: #6cc5d6; --panel: #1d2123; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.65 var(--sans); }
header { display: flex; flex-wrap: wrap; justify-content: space-between; gap: .5rem 1.5rem; max-width: 60rem; margin: 0 auto; padding: 1.25rem 1.5rem; }
header a { color: var(--soft); text-decoration: none; }
header > a { color: var(--ink); font-weight: 650; letter-spacing: -.01em; }
header nav { display: flex; gap: 1rem; font-size: .9rem; }
header [aria-current] { color: var(--accent); }
main { max-width: 60rem; margin: 0 auto; padding: 1rem 1.5rem 5rem; }
h1 { font-size: clamp(1.6rem, 4vw, 2.25rem); line-height: 1.2; letter-spacing: -.02em; margin: 1.5rem 0 1rem; overflow-wrap: anywhere; }
h2 { font-size: 1.05rem; margin: 2rem 0 .4rem; }
p { margin: .4rem 0; max-width: 44rem; }
a { color: var(--accent); text-underline-offset: .2em; }
a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
ul { padding-left: 1.2rem; }
.scroll { overflow-x: auto; margin: 1.5rem 0; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
th { text-align: left; color: var(--soft); font-weight: 550; }
th, td { padding: .5rem 1rem .5rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td:first-child { font-family: var(--mono); font-size: .85rem; white-space: nowrap; }
pre { background: var(--panel); border-radius: .5rem; padding: 1rem; overflow-x: auto; font: .85rem/1.6 var(--mono); }
`
