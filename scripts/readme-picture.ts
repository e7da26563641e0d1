/**
 * `npm run picture`: runs the program of the README against a real server, approves its call in the
 * real inbox, and writes what happened as docs/images/ask-decide-run-{light,dark}.png.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify, stripVTControlCharacters } from 'node:util'
import type { Browser } from 'playwright-core'
import { ensureInbox } from '../inbox/build.ts'
import { readToEnd } from '../inbox/test/browser-page.ts'
import { launchBrowser } from '../test/support/browser.ts'
import { root } from './tool.ts'

const IMAGES = path.join(root, 'docs', 'images')
const CLI = path.join(root, 'bin', 'countersign.js')
const DATABASE = ['--db', 'sqlite:countersign.db']
const WIDTH = 720

const readme = readFileSync(path.join(root, 'README.md'), 'utf8')

function block(language: string): string {
  return readme.split(`\`\`\`${language}\n`)[1]?.split('```')[0] ?? ''
}

interface Shown {
  readonly card: Buffer
  /** What the program printed before the decision, and after it. */
  readonly before: string
  readonly after: string
}

/** One run of the program, from the call to its result, as a person sees it. */
async function runOnce(browser: Browser, colorScheme: 'light' | 'dark'): Promise<Shown> {
  const cwd = mkdtempSync(path.join(root, '.dist-picture-'))
  const started: ChildProcess[] = []
  const start = (args: readonly string[]) => {
    const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
    started.push(child)
    return child
  }
  try {
    const bank =
      "const bank = { transfer: async ({ amount, to }) => ['sent', amount, 'to', to].join(' ') }\n"
    const program = block('ts').replace(
      /^await transfer\((.*)\)$/m,
      'console.log(await transfer($1))',
    )
    writeFileSync(path.join(cwd, 'agent.mjs'), bank + program)
    writeFileSync(path.join(cwd, 'countersign.yaml'), block('yaml'))
    await line(start([CLI, 'start', '--json', ...DATABASE]))

    const agent = start(['--conditions=countersign-source', 'agent.mjs'])
    const before = await line(agent)
    const link = (await run(['open', '--as', 'ana@example.com', ...DATABASE], cwd)).trim()
    const context = await browser.newContext({
      viewport: { width: WIDTH, height: 840 },
      deviceScaleFactor: 2,
      colorScheme,
    })
    const page = await context.newPage()
    await page.goto(link)
    await page.locator('[data-row]').first().click()
    await readToEnd(page)
    await page.locator('[data-approve]:not([disabled])').waitFor()
    await page.mouse.move(WIDTH / 2, 300)
    await page.mouse.wheel(0, -5_000)
    await page.waitForTimeout(500)
    const card = await page.screenshot()
    await page.locator('[data-approve]').click()
    const after = await line(agent)
    await context.close()
    return { card, before, after }
  } finally {
    for (const child of started) child.kill('SIGKILL')
    rmSync(cwd, { recursive: true, force: true })
  }
}

/** The next thing it prints. */
function line(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const heard = (chunk: Buffer) => resolve(stripVTControlCharacters(chunk.toString()).trim())
    child.stdout?.once('data', heard)
    child.stderr?.once('data', heard)
    child.once('exit', (code) => reject(new Error(`it ended with ${code} and printed nothing`)))
  })
}

async function run(args: readonly string[], cwd: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [CLI, ...args], { cwd })
  return stdout
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

function composed({ card, before, after }: Shown, isDark: boolean): string {
  const [ground, panel, edge, text, dim, accent] = isDark
    ? ['#0d1418', '#111b21', '#26343d', '#dfe8ec', '#8ba0ab', '#5fc3e8']
    : ['#f4f7f8', '#ffffff', '#d5dfe4', '#15242c', '#5b707b', '#0b5a78']
  return `<!doctype html><meta charset="utf-8"><style>
    * { box-sizing: border-box; margin: 0 }
    body { width: 1240px; padding: 36px; background: ${ground}; color: ${text};
      font: 17px/1.5 system-ui, 'Open Sans', sans-serif;
      display: grid; grid-template-columns: 420px 1fr; gap: 28px; align-items: stretch }
    section { display: flex; flex-direction: column; gap: 14px }
    h2 { font-size: 17px; font-weight: 600; color: ${accent} }
    pre { padding: 20px; border: 1px solid ${edge}; border-radius: 12px; background: ${panel};
      font: 14.5px/1.6 ui-monospace, 'DejaVu Sans Mono', monospace; white-space: pre-wrap;
      overflow-wrap: anywhere }
    pre i { font-style: normal; color: ${dim} }
    img { width: 100%; display: block; border: 1px solid ${edge}; border-radius: 12px }
  </style>
  <section>
    <h2>1. The agent calls a tool, and waits</h2>
    <pre><i>// called like the tool itself</i>\nawait transfer({\n  amount: 18_400,\n  currency: 'USD',\n  to: 'Northwind',\n})\n\n<i>${escaped(before)}</i></pre>
    <h2 style="margin-top: auto">3. It runs once, with what was shown</h2>
    <pre>${escaped(after)}</pre>
  </section>
  <section>
    <h2>2. A person sees exactly what will run, and decides</h2>
    <img src="data:image/png;base64,${card.toString('base64')}" alt="">
  </section>`
}

mkdirSync(IMAGES, { recursive: true })
await ensureInbox()
const browser = await launchBrowser()
try {
  for (const colorScheme of ['light', 'dark'] as const) {
    const shown = await runOnce(browser, colorScheme)
    const page = await browser.newPage({ viewport: { width: 1240, height: 400 } })
    await page.setContent(composed(shown, colorScheme === 'dark'))
    const file = path.join(IMAGES, `ask-decide-run-${colorScheme}.png`)
    await page.screenshot({ path: file, fullPage: true })
    await page.close()
    process.stdout.write(`${path.relative(root, file)} written\n`)
  }
} finally {
  await browser.close()
}
