import { type ChildProcess, spawn } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { launchBrowser } from '../support/browser.ts'

vi.setConfig({ testTimeout: 60_000 })

const BIN = path.resolve(import.meta.dirname, '../../bin/countersign.js')

const POLICY = `version: 1
people: { groups: { finance: [ana@example.com, bo@example.com] } }
tools:
  pay:
    risk: L4
    approval:
      message_template: "Pay {{tool_args.amount}} to {{tool_args.to}}?"
      condition: [{ args_match: { amount: { gt: 100 } } }, { args_match: { to: stranger } }]
      quorum: [{ group: finance, n: 2 }]
  wipe: { risk: L4, approval: false }
mcp_servers:
  - { alias: files, command: npx, allowed_tools: [read_file, { name: list, approval: false }] }
local_agents:
  - { alias: researcher, approval: { condition: { args_match: { parent.input.topic: secret } } } }
governance:
  - { id: no-deletes, match: { tool: "delete_*" }, deny: "Nothing is <b>deleted</b> here." }
tests:
  - { name: large payments need two, call: { tool: pay, args: { amount: "500" } }, expect: approve }
  - { name: deleting is off, call: { tool: delete_all, args: {} }, expect: deny }
  - { name: odd text is shown, call: { tool: pay, args: { amount: 500, to: "a\\u202Eb<img src=x>" } }, expect: approve }
`

let browser: Browser
let server: ChildProcess
let url: string
const folder = mkdtempSync(path.join(tmpdir(), 'countersign-start-'))
const policy = path.join(folder, 'countersign.yaml')

beforeAll(async () => {
  writeFileSync(policy, POLICY)
  server = spawn(process.execPath, [BIN, 'start', '--port', '0'], { cwd: folder })
  url = await new Promise((resolve, reject) => {
    server.stderr?.on('data', (chunk) => reject(new Error(String(chunk))))
    server.stdout?.on('data', (chunk) => {
      const [address] = /http:\S+/.exec(String(chunk)) ?? []
      if (address !== undefined) resolve(address)
    })
  })
  browser = await launchBrowser()
}, 60_000)

afterAll(async () => {
  await browser?.close()
  server?.kill()
  rmSync(folder, { recursive: true, force: true })
})

/** The start page with its first answer, and everything that went wrong on it. */
async function open(options: { width?: number; colorScheme?: 'light' | 'dark' } = {}) {
  const { width = 1280, colorScheme = 'light' } = options
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme })
  const page = await context.newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text())
  })
  await page.goto(url)
  await page.locator('.answer').waitFor()
  return { page, problems, close: () => context.close() }
}

async function answer(page: Page): Promise<string> {
  return (await page.locator('#answer').innerText()).replace(/\s+/g, ' ')
}

test('the page says what is running and explains the first test of the policy', async () => {
  const { page, problems, close } = await open()
  expect(await page.title()).toBe('Policy · Countersign')
  expect(await page.locator('#loaded').innerText()).toContain('countersign.yaml')
  expect(await page.locator('#counts').innerText()).toMatch(
    /Tools\s+2\s+Servers\s+1\s+Agents\s+1\s+Governance\s+1/,
  )
  expect(await page.locator('#notes').innerText()).toContain('risk L4')
  const text = await answer(page)
  expect(text).toContain('approve Pay 500 to ?')
  expect(text).toContain('{{tool_args.to}} has no value')
  expect(text).toContain('A yes from 2 of group finance, 2 different people.')
  expect(text).toContain('amount wants { gt: 100 }, saw "500" unknown')
  expect(text).toContain('1 governance rule does not concern this call.')
  expect(problems).toEqual([])
  await close()
})

test('a call can be typed and explained by keyboard alone', async () => {
  const { page, close } = await open()
  await page.getByLabel('Tool', { exact: true }).fill('list')
  await page.keyboard.press('Tab')
  await page.keyboard.type('files')
  await page.getByLabel('Arguments, as JSON').fill('{ "path": "." }')
  await page.keyboard.press('Control+Enter')
  await page.getByText('Runs without asking anyone.', { exact: true }).waitFor()
  expect(await answer(page)).toContain('mcp_servers.files.allowed_tools.list.approval')
  await close()
})

test('a rule and a test of the policy are one click from their answer', async () => {
  const { page, close } = await open()
  await page.getByRole('button', { name: 'deleting is off' }).click()
  await page.locator('.v-deny', { hasText: 'deny' }).first().waitFor()
  await page.getByRole('button', { name: /researcher/ }).click()
  await page.getByText('local_agents.researcher.approval').waitFor()
  await page.getByLabel('Input of the delegating agent, as JSON').fill('{"topic":"weather"}')
  await page.getByRole('button', { name: 'Explain', exact: true }).click()
  await page.getByText('Runs without asking anyone.', { exact: true }).waitFor()
  await close()
})

test('text from policies and calls is only ever text', async () => {
  const { page, problems, close } = await open()
  await page.getByRole('button', { name: 'odd text is shown' }).click()
  await page.getByText('⟦U+202E⟧').first().waitFor()
  expect(await answer(page)).toContain('Pay 500 to a⟦U+202E⟧b<img src=x>?')
  expect(await page.getByLabel('Arguments, as JSON').inputValue()).toContain('a\\u202eb')
  await page.getByRole('button', { name: 'deleting is off' }).click()
  await page.getByText('Nothing is <b>deleted</b> here.').first().waitFor()
  expect(await page.locator('#answer img, #answer p b').count()).toBe(0)
  expect(problems).toEqual([])
  await close()
})

test('what the server refuses is said with its code', async () => {
  const { page, close } = await open()
  await page.getByLabel('Arguments, as JSON').fill('{"a":1,"a":2}')
  await page.getByRole('button', { name: 'Explain', exact: true }).click()
  await page.getByText('duplicate_key').waitFor()
  await close()
})

test.each([
  ['light', 1280],
  ['dark', 1280],
  ['light', 390],
  ['dark', 390],
] as const)('anyone can use the page: %s, %i px wide', async (colorScheme, width) => {
  const { page, close } = await open({ colorScheme, width })
  const { violations } = await new AxeBuilder({ page }).analyze()
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([])
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  expect(overflow).toBeLessThanOrEqual(0)
  await close()
})

// Last: it changes the file that the server runs on.
test('a policy that changed on disk is shown as not active', async () => {
  const { page, close } = await open()
  appendFileSync(policy, '# changed\n')
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
  await page.getByText('Not active: restart to apply.').waitFor()
  server.kill()
  await new Promise((resolve) => server.once('close', resolve))
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
  await page.getByText('Not connected').waitFor()
  await close()
})
