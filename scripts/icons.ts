/** `npm run icons`: draws inbox/public/icons from inbox/src/mark.svg, for phones that take no SVG. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { launchBrowser } from '../test/support/browser.ts'
import { root } from './tool.ts'

const OUT = path.join(root, 'inbox', 'public', 'icons')
const mark = readFileSync(path.join(root, 'inbox', 'src', 'mark.svg'), 'utf8')
const colour = /fill="(#[0-9a-f]{6})"/.exec(mark)?.[1] ?? ''
/** The two ticks alone. */
const ticks = mark.replace(/<rect[^>]*>/, '')

interface Icon {
  readonly name: string
  readonly size: number
  readonly svg: string
  /** How much of the side the drawing takes. */
  readonly part: number
  readonly background?: string
}

const ICONS: readonly Icon[] = [
  { name: 'icon-192', size: 192, svg: mark, part: 1 },
  { name: 'icon-512', size: 512, svg: mark, part: 1 },
  // Systems cut these to a shape of their own: 80 % in the middle is certain to be seen.
  { name: 'maskable-512', size: 512, svg: ticks, part: 0.78, background: colour },
  { name: 'apple-touch-icon', size: 180, svg: ticks, part: 0.9, background: colour },
  // Android shows the shape alone, in a colour of its own.
  { name: 'badge-96', size: 96, svg: ticks.replaceAll(' stroke-opacity=".55"', ''), part: 1 },
]

mkdirSync(OUT, { recursive: true })
const browser = await launchBrowser()
for (const { name, size, svg, part, background = 'transparent' } of ICONS) {
  const page = await browser.newPage({ viewport: { width: size, height: size } })
  const side = Math.round(size * part)
  await page.setContent(
    `<style>html,body{margin:0;height:100%;background:${background}}body{display:grid;place-items:center}svg{width:${side}px;height:${side}px}</style>${svg}`,
  )
  writeFileSync(path.join(OUT, `${name}.png`), await page.screenshot({ omitBackground: true }))
  await page.close()
}
await browser.close()
