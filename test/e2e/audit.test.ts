import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, vi } from 'vitest'
import { barriers } from '../../inbox/test/browser-page.ts'
import { countersign } from '../cli/countersign.ts'
import { promise } from '../support/promise.ts'
import { goTo, realInbox } from './real-inbox.ts'

vi.setConfig({ testTimeout: 90_000, hookTimeout: 120_000 })

const POLICY = `version: 1
tools:
  pay: { approval: { approvers: ["*"] } }
  mail: { approval: { approvers: ["*"] } }
`

const inbox = realInbox(POLICY)

async function seat(email: string) {
  const page = await inbox.seat(email)
  await goTo(page, '/audit')
  await page.locator('[data-entry]').first().waitFor()
  return page
}

promise(
  ['CS-INBOX-15'],
  'the record is shown newest first, is filtered, and leads to the call; it holds no arguments',
  async () => {
    const pay = await inbox.server.ask({ tool: 'pay', args: { to: 'only-in-arguments' } })
    const mail = await inbox.server.ask({ tool: 'mail', args: { to: 'only-in-arguments' } })
    await inbox.server.ask({ tool: 'mail', run: 'x', args: { to: 'another' } })
    const page = await seat('ana@example.com')
    const types = () =>
      page
        .locator('[data-entry]')
        .evaluateAll((all) => all.map((one) => one.getAttribute('data-entry')))
    await expect.poll(async () => (await types())[0]).toBe('session.started')
    await expect.poll(async () => (await types()).at(-1)).toBe('chain.started')

    await page.getByLabel('Tool').fill('mail')
    await expect.poll(types).toEqual(['requested', 'requested'])
    await page.getByLabel('Approval’s id').fill(mail.id)
    await expect.poll(types).toEqual(['requested'])
    await page.getByLabel('Tool').fill('')
    await page.getByLabel('Approval’s id').fill('')
    await page.getByLabel('Kind').selectOption('People and sessions')
    await page.getByLabel('Person').selectOption('ana@example.com')
    await expect.poll(async () => new Set(await types())).toEqual(new Set(['session.started']))
    await page.getByLabel('Kind').selectOption('Tokens')
    await page.getByText('No entry matches.').waitFor()
    await page.getByRole('button', { name: 'Clear the filters' }).click()

    await page.getByLabel('Approval’s id').fill(pay.id)
    await expect.poll(types).toEqual(['requested'])
    await page.locator('[data-entry] button').focus()
    await page.keyboard.press('Enter')
    await page.locator('dl', { hasText: 'Before it' }).getByText(pay.digest).first().waitFor()
    expect(await page.content()).not.toContain('only-in-arguments')
    expect(await barriers(page)).toEqual([])
    await page.getByRole('link', { name: 'Everything about this call' }).click()
    await page.waitForURL(`**/history/${pay.id}`)
  },
)

promise(
  ['CS-INBOX-16'],
  'the page checks the chain for real, and its export verifies without the server',
  async () => {
    await inbox.server.ask({ tool: 'pay', run: 'chain', args: { to: 'secret-argument' } })
    const page = await seat('ana@example.com')
    await page.getByText('Not checked since the server started').waitFor()
    await page.getByRole('button', { name: 'Check now' }).click()
    await page.getByText('The chain holds').waitFor()
    await page.getByText(/^Verified: all \d+ entries/).waitFor()

    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export the record' }).click()
    const file = path.join(inbox.server.cwd, 'audit.jsonl')
    await (await download).saveAs(file)
    expect(readFileSync(file, 'utf8')).not.toContain('secret-argument')
    const intact = await countersign(['audit', 'verify', 'audit.jsonl', '--json'], {
      cwd: inbox.server.cwd,
    })
    expect(JSON.parse(intact.stdout)).toMatchObject({ ok: true })
    writeFileSync(file, readFileSync(file, 'utf8').replace('"requested"', '"reqvested"'))
    const forged = await countersign(['audit', 'verify', 'audit.jsonl'], { cwd: inbox.server.cwd })
    expect(forged.code).toBe(1)

    // Somebody with the database changes one entry.
    const db = new DatabaseSync(path.join(inbox.server.cwd, '.countersign', 'approvals.db'))
    const triggers = db
      .prepare("select name from sqlite_schema where type = 'trigger' and tbl_name = 'events'")
      .all()
    for (const { name } of triggers) db.exec(`drop trigger ${name}`)
    const change = 'update events set body = replace(body, \'"at":1\', \'"at":2\') where seq = 2'
    const { changes } = db.prepare(change).run()
    db.close()
    expect(Number(changes)).toBeGreaterThan(0)
    await page.getByRole('button', { name: 'Check again' }).click()
    await page.getByText('The chain is broken').waitFor()
    await page.getByText(/entry 2 of writer/).waitFor()
  },
)
