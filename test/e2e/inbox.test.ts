import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { ensureInbox } from '../../inbox/build.ts'
import { BIN } from '../cli/countersign.ts'
import { borrowBrowser, giveBack } from '../support/browser.ts'
import { promise } from '../support/promise.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })

const POLICY = `version: 1
people: { groups: { finance: [fay@example.com, finn@example.com] } }
tools:
  note: { approval: true }
  pay:
    risk: L3
    approval:
      message_template: "Pay {{tool_args.amount}} to {{tool_args.to}}?"
      quorum: [{ group: finance, n: 2 }]
`

let browser: Browser
let server: ChildProcess | undefined
let link: string
const folder = mkdtempSync(path.join(tmpdir(), 'countersign-inbox-'))

/** `countersign …`, as a person types it. */
function command(...args: string[]): Promise<string> {
  const child = spawn(process.execPath, [BIN, ...args], { cwd: folder })
  let text = ''
  child.stdout.on('data', (chunk) => {
    text += chunk
  })
  child.stderr.on('data', (chunk) => {
    text += chunk
  })
  return new Promise((resolve, reject) =>
    child.on('close', (code) => (code === 0 ? resolve(text.trim()) : reject(new Error(text)))),
  )
}

beforeAll(async () => {
  await ensureInbox()
  writeFileSync(path.join(folder, 'countersign.yaml'), POLICY)
  const child = spawn(process.execPath, [BIN, 'start', '--demo', '--port', '0'], { cwd: folder })
  server = child
  link = await new Promise((resolve, reject) => {
    child.stderr.on('data', (chunk) => reject(new Error(String(chunk))))
    child.stdout.on('data', (chunk) => {
      const [address] = /http:\S+/.exec(String(chunk)) ?? []
      if (address !== undefined) resolve(address)
    })
  })
  browser = await borrowBrowser()
})

afterAll(async () => {
  await giveBack(browser)
  server?.kill()
  rmSync(folder, { recursive: true, force: true })
})

/** The inbox of somebody who followed their link, and everything that went wrong on it. */
async function open(address: string) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  const page = await context.newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => {
    // Asking who one is before signing in is answered with 401, which browsers complain of.
    if (message.type() === 'error' && !message.text().includes('401')) problems.push(message.text())
  })
  await page.goto(address)
  const rail = page.getByRole('link', { name: 'History' }).first()
  await rail.waitFor().catch(async (cause: unknown) => {
    const text = await page.locator('body').innerText()
    throw new Error(`not signed in: ${text} ${problems.join()}`, { cause })
  })
  return { page, problems, close: () => context.close() }
}

const api = (at: string) => new URL(at, link).href

async function ask(token: string, body: object): Promise<{ id: string; digest: string }> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const sent = { method: 'POST', headers, body: JSON.stringify(body) }
  return (await fetch(api('/v1/calls'), sent)).json() as Promise<{ id: string; digest: string }>
}

async function approve(page: Page): Promise<void> {
  // A card is armed a moment after it was shown whole.
  const button = page.getByRole('button', { name: /^Approve/ }).last()
  await expect.poll(() => button.isEnabled()).toBe(true)
  await button.click()
}

test('from the printed link to a decided call, without reading anything else', async () => {
  const { page, problems, close } = await open(link)
  expect(page.url()).not.toContain('signin')
  await page.getByRole('button', { name: /demo agent/ }).click()
  await page.getByText("Send 'Planning on Thursday at 10:00'").first().click()
  await approve(page)
  await expect
    .poll(() =>
      page.evaluate(() =>
        fetch('/v1/approvals?status=approved', {
          headers: { 'x-countersign-csrf': localStorage.getItem('countersign.key') ?? '' },
        }).then((response) => response.text()),
      ),
    )
    .toContain('"execution":"succeeded"')
  await page.getByRole('link', { name: 'History' }).first().click()
  await page.locator('table').getByText('sample_send_mail').first().waitFor()
  // Every page has an address that can be opened again.
  await page.reload()
  await page.locator('table').getByText('sample_send_mail').first().waitFor()
  expect(problems).toEqual([])
  await close()
})

test('the link was used up', async () => {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(link)
  await page.getByText('countersign open').first().waitFor()
  expect(await page.getByRole('link', { name: 'History' }).count()).toBe(0)
  await context.close()
})

test('two people in two browsers approve one call, and the agent that waits is told', async () => {
  const token = await command('token', 'create', '--agent', 'bot')
  const fay = await open(await command('open', '--as', 'fay@example.com'))
  const finn = await open(await command('open', '--as', 'finn@example.com'))
  const asked = await ask(token, { tool: 'pay', args: { amount: 900, to: 'Lena' } })
  const waiting = fetch(api(`/v1/approvals/${asked.id}?wait=50s`), {
    headers: { authorization: `Bearer ${token}` },
  })
  for (const { page } of [fay, finn]) {
    // Nobody reloads: the list is live.
    await page.getByText('Pay 900 to Lena?').first().click()
    await approve(page)
    await page
      .getByText(/said yes|Approved|approved/)
      .first()
      .waitFor()
  }
  expect(await (await waiting).json()).toMatchObject({ status: 'approved' })
  expect([...fay.problems, ...finn.problems]).toEqual([])
  await Promise.all([fay.close(), finn.close()])
})

test('what somebody else denied is no longer in the list of the others', async () => {
  const token = await command('token', 'create', '--agent', 'bot')
  const fay = await open(await command('open', '--as', 'fay@example.com'))
  const asked = await ask(token, { tool: 'note', run: 'r', args: { text: 'hello' } })
  const row = fay.page.locator(`[data-row="${asked.id}"]`)
  await row.waitFor()
  const finn = await open(await command('open', '--as', 'finn@example.com'))
  await finn.page.evaluate(async ({ id, digest }) => {
    const csrf = localStorage.getItem('countersign.key') ?? ''
    await fetch(`/v1/approvals/${id}/decisions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-countersign-csrf': csrf },
      body: JSON.stringify({ verdict: 'deny', digest, reason: 'Not now' }),
    })
  }, asked)
  await fay.page.goto(api('/'))
  await fay.page.getByRole('link', { name: 'History' }).first().waitFor()
  await row.waitFor({ state: 'detached' })
  await Promise.all([fay.close(), finn.close()])
})

promise(
  ['CS-SEC-4', 'CS-SEC-8'],
  'a secret is not on the page until somebody looks at it',
  async () => {
    const token = await command('token', 'create', '--agent', 'bot')
    const { page, problems, close } = await open(await command('open', '--as', 'fay@example.com'))
    const asked = await ask(token, {
      tool: 'note',
      args: { api_key: 'CANARY-name', command: 'deploy --token CANARY-flag --to production' },
    })
    await page.locator(`[data-row="${asked.id}"]`).click()
    const shown = () => page.content()
    await page.getByText('deploy --token [secret] --to production').first().waitFor()
    expect(await shown()).not.toContain('CANARY')
    await page.getByRole('button', { name: 'Show api_key' }).click()
    await page.getByText('CANARY-name').waitFor()
    expect(await shown()).not.toContain('CANARY-flag')
    await page.getByRole('button', { name: 'Hide' }).click()
    await page.getByText('CANARY-name').waitFor({ state: 'detached' })
    expect(await shown()).not.toContain('CANARY')
    expect(problems).toEqual([])
    await close()
  },
)
