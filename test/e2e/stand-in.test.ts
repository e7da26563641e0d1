import { expect, vi } from 'vitest'
import { countersign } from '../cli/countersign.ts'
import { violationsOf } from '../support/axe.ts'
import { promise } from '../support/promise.ts'
import { goTo, openCard, readOn, readyButton, realInbox } from './real-inbox.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })

const POLICY = `version: 1
people: { groups: { two: [ana@example.com, bo@example.com] } }
tools:
  both: { risk: L1, approval: { quorum: [{ group: two, n: 2 }] } }
`

const inbox = realInbox(POLICY)

const people = (...args: string[]) => countersign(['people', ...args], { cwd: inbox.server.cwd })

const { seat } = inbox

promise(
  ['CS-STANDIN-7', 'CS-UNREACH-1'],
  'the inbox says for whom somebody decides, and what nobody can approve',
  async () => {
    await people('add', 'ana@example.com', '--name', 'Ana', '--role', 'approver')
    const page = await seat('gus@example.com')
    const { id } = await inbox.server.ask({ tool: 'both', args: { text: 'one' } })
    const set = await people(
      'stand-in',
      'gus@example.com',
      '--for',
      'ana@example.com',
      '--until',
      '5d',
    )
    expect(set.stdout).toMatch(/^Set: /)
    await openCard(page, id)
    await page.getByText('You decide for ana@example.com, who is away.').waitFor()
    expect(await violationsOf(page)).toEqual([])
    await readOn(page)
    await (await readyButton(page)).click()
    await page.getByText('gus@example.com (you) for Ana').waitFor()
    const shown = await countersign(['show', id], { cwd: inbox.server.cwd })
    expect(shown.stdout).toContain('gus@example.com for ana@example.com: approve')
    // Without Ana nobody lends a place, and one of two is left.
    await people('remove', 'ana@example.com')
    const missing = 'Cannot be approved any more: two needs 2, only bo@example.com is left.'
    await page.getByText(missing).waitFor()
    await page.getByRole('button', { name: 'All', exact: true }).click()
    await page.locator(`[data-row="${id}"]`).getByText('Too few approvers').waitFor()
    const after = await countersign(['show', id], { cwd: inbox.server.cwd })
    expect(after.stdout).toContain('cannot be approved any more: two needs 2')
    await goTo(page, `/history/${id}`)
    await page.getByText('gus@example.com for ana@example.com said yes').waitFor()
    await page.getByText('Too few approvers were left').waitFor()
  },
)
