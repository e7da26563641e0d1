import { readFileSync } from 'node:fs'
import type { Hono } from 'hono'

const HTML = 'text/html; charset=utf-8'
const CSS = 'text/css; charset=utf-8'
const SCRIPT = 'text/javascript; charset=utf-8'
const SVG = 'image/svg+xml'

/** The start page: each address, its type and its files. Nothing outside this list is ever read. */
const ADDRESSES = [
  ['/', HTML, [new URL('./page/index.html', import.meta.url)]],
  [
    '/app.css',
    CSS,
    [
      new URL('./page/tokens.css', import.meta.url),
      new URL('./page/base.css', import.meta.url),
      new URL('./page/form.css', import.meta.url),
      new URL('./page/answer.css', import.meta.url),
      new URL('./page/rules.css', import.meta.url),
    ],
  ],
  ['/mark.svg', SVG, [new URL('./page/mark.svg', import.meta.url)]],
  ['/app.js', SCRIPT, [new URL('./page/app.js', import.meta.url)]],
  ['/dom.js', SCRIPT, [new URL('./page/dom.js', import.meta.url)]],
  ['/unseen.js', SCRIPT, [new URL('./page/unseen.js', import.meta.url)]],
  ['/show-status.js', SCRIPT, [new URL('./page/show-status.js', import.meta.url)]],
  ['/show-answer.js', SCRIPT, [new URL('./page/show-answer.js', import.meta.url)]],
] as const

export function addPage(app: Hono): void {
  for (const [path, type, files] of ADDRESSES) {
    const body = files.map((file) => readFileSync(file, 'utf8')).join('\n')
    app.get(path, (c) => c.body(body, 200, { 'content-type': type, 'cache-control': 'no-cache' }))
  }
}
