import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Page } from 'playwright-core'
import { expect, onTestFinished, vi } from 'vitest'
import { barriers } from '../../inbox/test/browser-page.ts'
import { promise } from '../support/promise.ts'
import { goTo, readOn, readyButton, realInbox } from './real-inbox.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const inbox = realInbox('version: 1\n# kept as it is\n', ['--mcp-commands'])

const BANK = path.join(import.meta.dirname, '../mcp/bank-server.ts')

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
  ['CS-STUDIO-10', 'CS-STUDIO-6', 'CS-STUDIO-8', 'CS-CHAT-9', 'SP-21', 'SP-59'],
  'a person writes a tool, runs the draft, publishes it, and a client is asked about it',
  async () => {
    const page = await inbox.seat('ana@example.com')
    const client = await clientAt(page.url())
    // Without the demo there are no sample tools, so nothing is suggested that would call one.
    await goTo(page, '/chat')
    await page.getByText('There are no tools yet, so the model can only talk.').waitFor()
    expect(await page.getByText('Northwind').count()).toBe(0)
    expect(await barriers(page)).toEqual([])
    await picture(page, 'chat-without-tools')
    await page.getByRole('link', { name: 'Write a tool' }).click()
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

    // The chat offers it as well, and says what a call gets.
    await goTo(page, '/chat')
    const offered = page.getByRole('region', { name: 'Tools of this chat' })
    await expect
      .poll(() => offered.getByRole('listitem').allInnerTexts())
      .toEqual([expect.stringMatching(/^studio_pay\s+Pays an invoice.*\s+confirm$/s)])
    expect(await page.getByRole('list', { name: 'Examples' }).count()).toBe(0)
    await picture(page, 'chat-with-a-tool')

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

promise(
  ['CS-STUDIO-17', 'CS-STUDIO-10'],
  'the editor indents, pairs brackets, undoes, marks the line that failed, and lets the keyboard leave',
  async () => {
    const page = await inbox.seat('ana@example.com', { width: 390, height: 844 })
    await goTo(page, '/studio')
    await page.getByRole('button', { name: 'New tool' }).click()
    await page.getByRole('button', { name: /^current_time/ }).click()
    const source = page.getByLabel('Source')
    // Below 16 pixels a phone zooms in when the field gets the focus.
    expect(await source.evaluate((field) => getComputedStyle(field).fontSize)).toBe('16px')
    await source.press('ControlOrMeta+a')
    await source.pressSequentially(
      'export default () => {\nif (true) {\nthrow new Error("no")\n}\n}',
    )
    const typed = 'export default () => {\n  if (true) {\n    throw new Error("no")\n  }\n}'
    expect(await source.inputValue()).toBe(typed)
    const colours = page.locator('.editor pre')
    await expect.poll(async () => (await colours.textContent())?.trimEnd()).toBe(typed)
    const pairs = colours.locator('.editor-pair')
    await expect.poll(() => pairs.allTextContents()).toEqual(['{', '}'])
    await source.press('Tab')
    expect(await source.inputValue()).toBe(`${typed} `)
    await source.press('ControlOrMeta+z')
    expect(await source.inputValue()).toBe(typed)

    await source.press('ControlOrMeta+Enter')
    await page.getByRole('button', { name: 'Line 3' }).click()
    const faults = page.locator('.editor-gutter [data-fault]')
    await expect.poll(() => faults.allTextContents()).toEqual(['3'])
    const selected = () => page.evaluate(() => getSelection()?.toString())
    await expect.poll(selected).toBe('    throw new Error("no")')
    await expect.poll(() => source.getAttribute('aria-invalid')).toBe('true')
    expect(await barriers(page)).toEqual([])
    await picture(page, 'editor-fault')

    // What types are not stripped from has its line as well, and a change takes the mark away.
    await source.fill('const a: number = 1\nenum B { A }\nexport default () => a')
    await expect.poll(() => page.locator('.editor-gutter [data-fault]').count()).toBe(0)
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByRole('button', { name: 'Line 2' }).waitFor()

    await source.focus()
    await source.press('Escape')
    await page.keyboard.press('Tab')
    expect(await source.evaluate((field) => field === document.activeElement)).toBe(false)
  },
)

promise(
  ['CS-ADD-1', 'CS-ADD-2', 'SP-24', 'SP-60'],
  'a server is added: its command is confirmed, its tools are chosen, and an admin applies the draft',
  async () => {
    const page = await inbox.seat('ana@example.com')
    await goTo(page, '/tools')
    await page.getByRole('button', { name: 'Add a server' }).click()
    const form = page.getByRole('region', { name: 'Add a server' })
    await form.getByLabel('Alias').fill('bank')
    await form.getByLabel('Reached by').selectOption('command')
    await form.getByRole('textbox', { name: 'Command' }).fill(`"${process.execPath}" "${BANK}"`)
    await form.getByRole('button', { name: 'Test connection' }).click()
    const confirm = form.getByRole('group', { name: 'Run this on the server’s machine?' })
    await confirm.getByText(BANK, { exact: true }).waitFor()
    expect(await barriers(page)).toEqual([])
    await picture(page, 'add-confirm')
    await confirm.getByRole('button', { name: 'Run exactly this' }).click()
    const tools = form.getByRole('list', { name: 'Its tools' })
    await tools.getByRole('checkbox', { name: 'Approval for look' }).uncheck()
    await tools.getByRole('checkbox', { name: 'crash', exact: true }).uncheck()
    await form.getByRole('button', { name: 'Write the draft' }).click()
    await form.getByText('Written into the policy file, and not in force.').waitFor()
    expect(await barriers(page)).toEqual([])
    await picture(page, 'add-drafted')
    const file = readFileSync(path.join(inbox.server.cwd, 'countersign.yaml'), 'utf8')
    expect(file.startsWith('version: 1\n# kept as it is\nmcp_servers:\n')).toBe(true)

    await form.getByRole('link', { name: 'Look at the difference and apply it' }).click()
    const draft = page.getByRole('region', { name: 'Changed on disk' })
    await draft.getByText('pay', { exact: false }).first().waitFor()
    await picture(page, 'add-difference')
    await draft.getByRole('button', { name: 'Apply…' }).click()
    await draft.getByRole('button', { name: 'Apply exactly this' }).click()
    await draft.waitFor({ state: 'detached' })
    await goTo(page, '/tools')
    const bank = page.getByRole('region', { name: 'Server bank' })
    await bank
      .getByRole('button', { name: /^pay/ })
      .or(bank.getByText('pay', { exact: true }))
      .first()
      .waitFor()
    expect(await bank.getByText('crash', { exact: true }).count()).toBe(0)
  },
)

promise(['CS-STUDIO-10'], 'the studio works on a phone and in the dark', async () => {
  const page = await inbox.seat('ana@example.com')
  for (const to of ['/studio', '/studio/pay']) {
    await goTo(page, to)
    await page
      .getByRole('link', { name: 'pay' })
      .or(page.getByRole('button', { name: 'Test and publish' }))
      .first()
      .waitFor()
    for (const [width, colorScheme] of [
      [390, 'dark'],
      [390, 'light'],
      [820, 'light'],
      [1440, 'dark'],
    ] as const) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme })
      const wide = () => page.evaluate(() => document.documentElement.scrollWidth)
      expect(await wide()).toBeLessThanOrEqual(width)
      if (to !== '/studio') expect(await barriers(page)).toEqual([])
      await picture(page, `${to.slice(1).replace('/', '-')}-${width}-${colorScheme}`)
    }
  }
})
