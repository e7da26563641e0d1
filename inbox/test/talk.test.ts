import { expect } from 'vitest'
import { promise } from '../../test/support/promise.ts'
import { seededInbox } from './seeded-inbox.ts'

const BO = 'bo@example.com'
const inbox = seededInbox()

promise(
  ['CS-TALK-1', 'CS-TALK-6', 'CS-TALK-7'],
  'a person asks, comments and assigns on the card, and sees who else reads it',
  async () => {
    const server = await inbox.start()
    const scribe = await server.agent('scribe')
    const call = { tool: 'refund', args: { amount: 5 }, run: 'chat' }
    const { id } = await scribe.send<{ id: string }>('POST', '/v1/calls', call)
    const page = await inbox.open(`/approvals/${id}`)
    await page.getByRole('heading', { name: 'Computed by Countersign' }).waitFor()
    await page.keyboard.press('q')
    await page.getByLabel('Your question to the agent').fill('What is <b>it</b> for?')
    await page.getByRole('button', { name: 'Ask', exact: true }).click()
    const talk = page.getByRole('region', { name: 'Questions and comments' })
    await talk.getByText('What is <b>it</b> for?').waitFor()
    await talk.getByText('The agent has not replied yet.').waitFor()
    // It can still be decided.
    await page.getByRole('button', { name: 'Deny', exact: true }).waitFor()
    await scribe.send('POST', `/v1/approvals/${id}/replies`, { text: 'Approved by <i>Ana</i>.' })
    await talk.getByText('Approved by <i>Ana</i>.').waitFor()
    await talk.getByText('replied, not checked').waitFor()
    await talk.getByLabel('Your comment, for the other people').fill('Looks fine')
    await talk.getByRole('button', { name: 'Comment' }).click()
    await talk.getByText('Looks fine').waitFor()
    const bo = await server.person(BO, { roles: ['viewer', 'approver'] })
    await bo.send('POST', `/v1/approvals/${id}/reading`)
    await page.getByText(/ is reading this$/).waitFor()
    await page.locator('article').getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Assign…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: /bo/i }).first().click()
    await page.getByText(/^Assigned to /).waitFor()
    // Gone within 15 seconds after they left.
    await page.getByText(/ is reading this$/).waitFor({ state: 'detached', timeout: 15_000 })
    expect((await server.card(id)).status).toBe('pending')
    expect(inbox.opened.problems).toEqual([])
  },
  60_000,
)
