import path from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Page } from 'playwright-core'
import { expect, onTestFinished, vi } from 'vitest'
import { barriers } from '../../inbox/test/browser-page.ts'
import { promise } from '../support/promise.ts'
import { goTo, readOn, readyButton, realInbox } from './real-inbox.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const inbox = realInbox('version: 1\n')

/** With SCREENSHOTS=folder, what a person sees is kept there. */
async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS
  if (folder !== undefined) {
    await page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: true })
  }
}

async function clientAt(url: string): Promise<Client> {
  const client = new Client({ name: 'e2e', version: '1' })
  const headers = { authorization: `Bearer ${inbox.server.token}` }
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', url), {
    requestInit: { headers },
  })
  await client.connect(transport as never)
  onTestFinished(() => client.close())
  return client
}

promise(
  ['CS-STUDIO-10', 'CS-STUDIO-6', 'CS-STUDIO-8', 'SP-21', 'SP-59'],
  'a person writes a tool, runs the draft, publishes it, and a client is asked about it',
  async () => {
    const page = await inbox.seat('ana@example.com')
    const client = await clientAt(page.url())
    await goTo(page, '/studio')
    await page.getByText('No tools yet').waitFor()
    await page.getByRole('button', { name: 'New tool' }).click()
    expect(await barriers(page)).toEqual([])
    await picture(page, 'samples')
    await page.getByRole('button', { name: /^pay/ }).click()

    // Its risk is computed while it is written.
    const publish = page.getByRole('region', { name: 'Publish' })
    await publish.getByText('L5 Critical').waitFor()
    await page.getByRole('checkbox', { name: /Cannot be undone/ }).uncheck()
    await publish.getByText('L0 Harmless').waitFor()
    await page.getByLabel('Hosts it may reach').fill('bank.example.com')
    await publish.getByText('It can reach bank.example.com').waitFor()
    const asks = page.getByRole('switch', { name: 'Ask a person before each call' })
    expect(await asks.getAttribute('aria-checked')).toBe('true')

    // The draft runs, with its log and its result.
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    const result = page.getByRole('status', { name: 'Result of the run' })
    await result.getByText('would pay 1 to Northwind').waitFor()
    await result.getByText(/"paid": 1/).waitFor()
    expect(await barriers(page)).toEqual([])

    // No pass, no publish.
    const source = page.getByLabel('Source')
    const written = await source.inputValue()
    await source.fill(written.replace('paid: amount', 'paid: amount + 1'))
    await page.getByRole('button', { name: 'Test and publish' }).click()
    await page.getByText('Not published: its test gave another result than expected.').waitFor()
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('studio_pay')
    await picture(page, 'refused')

    await source.fill(written)
    await page.getByRole('button', { name: 'Test and publish' }).click()
    await page.getByText('Its test passed. Version 1 is served').waitFor()
    await picture(page, 'published')
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('studio_pay')

    // A client is asked, and the tool runs once a person said yes.
    const called = client.callTool({
      name: 'studio_pay',
      arguments: { to: 'Northwind', amount: 500 },
    })
    // The only card opens by itself.
    await page.getByRole('link', { name: 'Inbox' }).first().click()
    await page.getByText('Pay 500 to Northwind?').first().waitFor()
    await readOn(page)
    await (await readyButton(page)).click()
    // Its name looks like money, so a yes takes two steps.
    await (await readyButton(page)).click()
    expect(await called).toMatchObject({ structuredContent: { paid: 500, to: 'Northwind' } })

    // Asking less than by default takes a second step.
    await goTo(page, '/studio/pay')
    await asks.click()
    await page.getByRole('button', { name: 'Test and publish' }).click()
    await page.getByText('Reduce human oversight?').first().waitFor()
    expect(await barriers(page)).toEqual([])
    await page.getByRole('button', { name: 'Keep asking' }).click()
    await page.getByRole('button', { name: 'Version 1 (served)' }).click()
    await page.getByText('What the draft changes:').waitFor()
    await picture(page, 'difference')
  },
)

promise(['CS-STUDIO-10'], 'the studio works on a phone and in the dark', async () => {
  for (const [width, colorScheme] of [
    [390, 'dark'],
    [390, 'light'],
    [820, 'light'],
    [1440, 'dark'],
  ] as const) {
    const page = await inbox.seat('ana@example.com', { width, colorScheme })
    await goTo(page, '/studio')
    await page.getByRole('link', { name: 'pay' }).waitFor()
    await picture(page, `list-${width}-${colorScheme}`)
    await goTo(page, '/studio/pay')
    await page.getByRole('button', { name: 'Test and publish' }).waitFor()
    const wide = () => page.evaluate(() => document.documentElement.scrollWidth)
    expect(await wide()).toBeLessThanOrEqual(width)
    expect(await barriers(page)).toEqual([])
    await picture(page, `tool-${width}-${colorScheme}`)
  }
})
