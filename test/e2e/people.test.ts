import { expect, vi } from 'vitest'
import { barriers } from '../../inbox/test/browser-page.ts'
import { countersign } from '../cli/countersign.ts'
import { promise } from '../support/promise.ts'
import { goTo, realInbox } from './real-inbox.ts'

vi.setConfig({ testTimeout: 90_000, hookTimeout: 120_000 })

const POLICY = `version: 1
people: { groups: { finance: [bo@example.com] } }
tools:
  pay: { approval: { quorum: [{ group: finance, n: 1 }] } }
`

const inbox = realInbox(POLICY)

async function seat(email: string, ...roles: string[]) {
  const page = await inbox.seat(email)
  if (roles.length > 0) {
    await countersign(['people', 'role', email, ...roles], { cwd: inbox.server.cwd })
    await page.reload()
    await page.getByRole('link', { name: 'History' }).first().waitFor()
  }
  return page
}

promise(
  ['CS-INBOX-14'],
  'an admin adds, changes, signs out and removes somebody, and reads what that does',
  async () => {
    const page = await seat('ana@example.com')
    await goTo(page, '/people')
    await page.getByRole('button', { name: 'Add a person…' }).click()
    await page.getByLabel('Address').fill('bo@example.com')
    await page.getByLabel('Name, as others see it').fill('Bo')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByText('countersign open --as bo@example.com').waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    const row = page.locator('[data-person]', { hasText: 'bo@example.com' })
    await expect.poll(() => row.innerText()).toMatch(/viewer, approver[\s\S]*finance[\s\S]*Never/)

    // Nobody does it to themselves.
    const own = page.locator('[data-person]', { hasText: '(you)' })
    expect(await own.getByRole('button', { name: 'Remove' }).count()).toBe(0)
    expect(await own.getByRole('button', { name: 'Roles' }).count()).toBe(0)

    await row.getByRole('button', { name: 'Roles' }).click()
    await row.getByLabel('viewer').uncheck()
    await row.getByRole('button', { name: 'Save roles' }).click()
    await expect.poll(() => row.innerText()).not.toContain('viewer')

    const bo = await seat('bo@example.com', 'approver')
    await page.reload()
    await row.getByText('1 open session').waitFor()
    await row.getByRole('button', { name: 'End sessions' }).click()
    await page.keyboard.press('Tab')
    await page.locator(':focus[aria-disabled="false"]').waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(() => row.innerText()).not.toContain('open session')
    await bo.reload()
    await bo.getByRole('heading', { name: 'Sign in to decide' }).waitFor()

    const { id } = await inbox.server.ask({ tool: 'pay', args: { amount: 3 } })
    await row.getByRole('button', { name: 'Remove' }).click()
    await row.getByText('Their yes stops counting at once', { exact: false }).waitFor()
    const focused = () => page.evaluate(() => document.activeElement?.textContent)
    await expect.poll(focused).toBe('Keep')
    await page.keyboard.press('Tab')
    await page.locator(':focus[aria-disabled="false"]').waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: id }).waitFor()
    await page.getByText('Removed, and kept out until they are added again').waitFor()
    await row.waitFor({ state: 'detached' })
    expect(await barriers(page)).toEqual([])
  },
)

promise(
  ['CS-INBOX-14'],
  'a token is seen once, works, and is worth nothing when revoked',
  async () => {
    const page = await seat('ana@example.com')
    await goTo(page, '/people')
    await page.getByRole('button', { name: 'Make a token…' }).click()
    await page.getByLabel('Agent', { exact: true }).fill('mailer')
    await page.getByLabel('How long it works').selectOption('30')
    await page.getByRole('button', { name: 'Make it' }).click()
    const token = await page.locator('[data-secret]').innerText()
    const row = page.locator('[data-token]', { hasText: 'mailer' })
    await expect.poll(() => row.innerText()).toMatch(/Never[\s\S]*in 30 d|Never[\s\S]*in 29 d/)
    await page.getByRole('button', { name: 'I have it' }).click()
    expect(await page.content()).not.toContain(token)

    await inbox.server.ask({ tool: 'read', args: {} }, token)
    await page.reload()
    await row.waitFor()
    expect(await row.innerText()).not.toContain('Never')
    expect(await page.content()).not.toContain(token)
    await row.getByRole('button', { name: 'Revoke' }).click()
    await row.getByRole('button', { name: 'Revoke', exact: true }).click()
    await expect.poll(() => row.count()).toBe(0)
    await expect(inbox.server.ask({ tool: 'read', args: {} }, token)).rejects.toThrow(
      'token_unknown',
    )
  },
)

promise(
  ['CS-INBOX-17'],
  'a stand-in is named and ended on the page, and the card knows',
  async () => {
    await countersign(['people', 'add', 'bo@example.com', '--name', 'Bo'], {
      cwd: inbox.server.cwd,
    })
    const cy = await seat('cy@example.com', 'viewer')
    const page = await seat('ana@example.com')
    await goTo(page, '/people')
    await page.getByText('No stand-ins.').waitFor()
    await page.getByRole('button', { name: 'Name a stand-in…' }).click()
    await page.getByLabel('Who is away').selectOption({ label: 'Bo' })
    await page.getByLabel('Who stands in').selectOption({ label: 'cy@example.com' })
    await page.getByRole('button', { name: 'Name them' }).click()
    const row = page.locator('[data-stand-in]', { hasText: 'cy@example.com for Bo' })
    await row.waitFor()
    expect(await barriers(page)).toEqual([])

    const { id } = await inbox.server.ask({ tool: 'pay', run: 'stand-in', args: { amount: 9 } })
    await goTo(cy, `/approvals/${id}`)
    await cy.locator('[data-approve]').waitFor()

    await row.getByRole('button', { name: 'End' }).click()
    await row.getByRole('button', { name: 'End', exact: true }).click()
    await expect.poll(() => row.count()).toBe(0)
  },
)

promise(['CS-INBOX-14'], 'whoever may only look sees who decides, and no tokens', async () => {
  const page = await seat('vic@example.com', 'viewer')
  await goTo(page, '/people')
  await page.locator('[data-person]', { hasText: 'ana@example.com' }).waitFor()
  await page.getByText('Admins add people, change roles and make tokens for agents.').waitFor()
  expect(await page.getByText('Tokens of agents').count()).toBe(0)
  expect(await page.getByText('Last sign-in').count()).toBe(0)
  await expect
    .poll(() => page.locator('main button').allInnerTexts())
    .toEqual([expect.stringContaining('Sign out everywhere'), 'Name a stand-in…'])
})
