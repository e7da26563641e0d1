import path from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { build } from 'esbuild'
import type { Browser, FrameLocator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, vi } from 'vitest'
import { APPS, askedBy, bankBehind, URI } from '../mcp/app-world.ts'
import { launchBrowser } from '../support/browser.ts'
import { promise } from '../support/promise.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })

let browser: Browser
let host = ''
beforeAll(async () => {
  browser = await launchBrowser()
  const entry = path.resolve(import.meta.dirname, '../mcp/app-host.ts')
  const made = await build({ entryPoints: [entry], bundle: true, write: false, format: 'esm' })
  host = made.outputFiles[0]?.text ?? ''
})
afterAll(() => browser.close())

const HOSTILE = {
  to: '<img src=x onerror="parent.postMessage({hacked:1},\'*\')"><script>document.title="hacked"</script>',
  amount: 5,
}

/** The card of a real call, in a real host. */
async function shownCard(args: object): Promise<{ page: Page; card: FrameLocator; id: string }> {
  const { at } = await bankBehind()
  const client = new Client(
    { name: 'a-host', version: '1' },
    { capabilities: APPS, versionNegotiation: { mode: { pin: '2026-07-28' } } },
  )
  await client.connect(
    new StreamableHTTPClientTransport(at.url, { requestInit: { headers: await at.agent('bot') } }),
  )
  onTestFinished(() => client.close())
  const id = await askedBy(at, client, { name: 'bank_pay', arguments: args })
  const look = { name: 'countersign_status', arguments: { id } }
  const before = await client.callTool(look)
  const { contents } = await client.readResource({ uri: URI })
  await at.answer('deny')
  const after = await client.callTool(look)
  const page = await browser.newPage()
  onTestFinished(() => page.close())
  await page.goto('about:blank')
  await page.addScriptTag({ content: host, type: 'module' })
  await page.waitForFunction(() => 'show' in globalThis)
  const html = (contents[0] as { text: string }).text
  await page.evaluate(
    (asked) => (globalThis as never as { show(of: object): Promise<void> }).show(asked),
    {
      html,
      results: [before, after],
    },
  )
  return { page, card: page.frameLocator('iframe'), id }
}

promise(
  ['CS-MCPAPP-3'],
  'in a host with the extension’s own bridge the card shows a hostile call as text, and runs nothing of it',
  async () => {
    const { page, card, id } = await shownCard(HOSTILE)
    await card.getByText('Waits for people to decide').waitFor()
    const rows = await card.locator('li').allInnerTexts()
    expect(rows.join('\n')).toContain('<img src=x onerror=')
    expect(await card.locator('img, li script, a, form, input').count()).toBe(0)
    expect(await page.title()).not.toContain('hacked')
    // Two buttons, and neither decides.
    expect(await card.locator('button').allInnerTexts()).toEqual([
      'Open in the inbox',
      'Look again',
    ])

    await card.getByText('Open in the inbox').click()
    await expect.poll(() => page.evaluate('opened')).toEqual([`http://127.0.0.1/approvals/${id}`])
    await card.getByText('Look again').click()
    await card.getByText('Denied: it did not run').waitFor()
    expect(await page.evaluate('called')).toEqual([
      { name: 'countersign_status', arguments: { id } },
    ])
    await expect.poll(() => page.evaluate('sizes.length')).toBeGreaterThan(0)
  },
)

promise(
  ['CS-MCPAPP-3'],
  'a result that a host was handed from elsewhere writes no markup and opens no other kind of address',
  async () => {
    const { card, page } = await shownCard({ to: 'Lena', amount: 5 })
    await card.getByText('Waits for people to decide').waitFor()
    const forged = {
      content: [],
      structuredContent: {
        id: '<b>x</b>',
        status: '__proto__',
        tool: ['<b>'],
        rows: ['<b>r</b>', { toString: 'x' }],
        more: '<b>9</b>',
        card: 'javascript:parent.document.title="hacked"',
      },
    }
    await page.evaluate((result) => {
      const frame = document.querySelector('iframe')
      const message = { jsonrpc: '2.0', method: 'ui/notifications/tool-result', params: result }
      frame?.contentWindow?.postMessage(message, '*')
    }, forged)
    await card.getByText('<b>x</b>').waitFor()
    expect(await card.locator('b, i').count()).toBe(0)
    expect(await card.getByText('Open in the inbox').isVisible()).toBe(false)
    expect(await page.title()).not.toContain('hacked')
  },
)
