import { createHash } from 'node:crypto'
import { APP_SCRIPT } from './page-script.ts'

const STYLE = `
:root { color-scheme: light dark; font: 14px/1.45 var(--font-sans, system-ui, sans-serif) }
body { margin: 0; padding: 12px; color: var(--color-text-primary, light-dark(#1a1a1a, #f2f2f2)) }
h1 { margin: 0 0 8px; font-size: 15px }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 12px; margin: 0 0 8px }
dt { color: var(--color-text-secondary, light-dark(#555, #b5b5b5)) }
dd { margin: 0; overflow-wrap: anywhere }
ul { margin: 0 0 8px; padding: 8px; list-style: none; border: 1px solid light-dark(#ddd, #444); border-radius: 6px }
li { font-family: var(--font-mono, ui-monospace, monospace); font-size: 12px; overflow-wrap: anywhere; white-space: pre-wrap; unicode-bidi: isolate }
button { font: inherit; padding: 4px 10px; margin-right: 8px }
p { margin: 8px 0 0; color: var(--color-text-secondary, light-dark(#555, #b5b5b5)); overflow-wrap: anywhere }
[hidden] { display: none }
`

function sourceOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

/** Runs this script and no other, loads nothing, and sends nothing anywhere. */
const POLICY = [
  "default-src 'none'",
  `script-src ${sourceOf(APP_SCRIPT)}`,
  `style-src ${sourceOf(STYLE)}`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>Countersign</title>
<style>${STYLE}</style>
</head>
<body>
<h1 id="title">Countersign: waiting for an answer</h1>
<dl id="facts"></dl>
<ul id="rows" hidden></ul>
<p id="more" hidden></p>
<button id="open" type="button" hidden>Open in the inbox</button>
<button id="again" type="button" hidden>Look again</button>
<p id="address" hidden></p>
<p>This card only tells. People decide in the inbox.</p>
<script>${APP_SCRIPT}</script>
</body>
</html>
`

/** The same bytes for every client: nothing of a call is in it. */
export function approvalPage(): string {
  return PAGE
}
