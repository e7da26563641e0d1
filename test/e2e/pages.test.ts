import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test, vi } from 'vitest'
import { barriers } from '../../inbox/test/browser-page.ts'
import { promise } from '../support/promise.ts'
import { goTo, openCard, readOn, readyButton, realInbox } from './real-inbox.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })

const POLICY = `version: 1
tools:
  refund: { risk: L2, approval: { approvers: ["*"], grants: true } }
`

const inbox = realInbox(POLICY)

const { seat } = inbox

test('a grant is made with its exact rule on screen, lets like calls through, and is revoked', async () => {
  const refund = (amount: number, run = 'run-1') =>
    inbox.server.ask({ tool: 'refund', run, args: { amount, order: `A-${amount}` } })
  const { id } = await refund(30)
  const page = await seat('ana@example.com')
  await openCard(page, id)
  await readOn(page)
  await readyButton(page)
  await page.keyboard.press('g')
  const rule = page.getByRole('region', { name: 'This exact rule is saved' })
  await rule.getByText('exactly those of').waitFor()
  await page
    .locator('label', { hasText: /^amount/ })
    .getByRole('combobox')
    .selectOption('most')
  await page.locator('label', { hasText: 'order' }).getByRole('combobox').selectOption('any')
  await rule.getByText('amount from 0 to 30').waitFor()
  await rule.getByText('Condition as JSON').click()
  await rule.getByText('{"args_match":{"amount":{"gte":0,"lte":30}}}').waitFor()
  expect(await barriers(page)).toEqual([])
  await (await readyButton(page)).click()
  await expect.poll(() => inbox.server.statusOf(id)).toBe('approved')

  expect(
    await inbox.server.ask({ tool: 'refund', run: 'run-1', args: { amount: 10, order: 'B' } }),
  ).toMatchObject({
    status: 'approved',
  })
  expect(await refund(31)).toMatchObject({ status: 'pending' })

  await goTo(page, '/grants')
  const card = page.getByRole('region', { name: 'Grant for refund' })
  await card.getByText('of 10').waitFor()
  expect(await barriers(page)).toEqual([])
  await card.getByRole('button', { name: 'Revoke…' }).click()
  await card.getByRole('button', { name: 'Revoke', exact: true }).click()
  await page.getByText('No grants. You can make one while deciding.').waitFor()
  expect(await refund(11)).toMatchObject({ status: 'pending' })
})

test('a policy that changed on disk is shown as not active, and applied as it was looked at', async () => {
  const file = path.join(inbox.server.cwd, 'countersign.yaml')
  const page = await seat('ana@example.com')
  writeFileSync(file, `${POLICY}  wipe: { approval: true }\n`)
  await goTo(page, '/policy')
  const draft = page.getByRole('region', { name: 'Changed on disk' })
  await draft.getByText('wipe').first().waitFor()
  expect(await barriers(page)).toEqual([])
  await draft.getByRole('button', { name: 'Apply…' }).click()
  await draft.getByRole('button', { name: 'Apply exactly this' }).click()
  await draft.waitFor({ state: 'detached' })
  expect(await inbox.server.ask({ tool: 'wipe', args: {} })).toMatchObject({ status: 'pending' })

  writeFileSync(file, 'version: 2\n')
  await page.reload()
  await draft.getByText('What is in force stays in force.').waitFor()
  expect(await draft.getByRole('button', { name: 'Apply…' }).count()).toBe(0)
  writeFileSync(file, POLICY)
})

promise(
  ['CS-INBOX-9'],
  'everything is stopped in two steps, says so on every page, and goes on',
  async () => {
    const { id } = await inbox.server.ask({ tool: 'refund', args: { amount: 77, order: 'Z' } })
    const page = await seat('ana@example.com')
    await goTo(page, '/locks')
    await page.getByRole('button', { name: 'Stop everything…' }).click()
    const now = page.getByRole('button', { name: 'Stop everything now' })
    expect(await now.isDisabled()).toBe(true)
    await page.getByLabel('Why everything stops').fill('An agent <b>misbehaves</b>')
    await now.click()
    const banner = page.getByRole('alert').filter({ hasText: 'Everything is stopped.' })
    await banner.getByText('An agent <b>misbehaves</b>').waitFor()
    expect(await barriers(page)).toEqual([])
    await goTo(page, '/history')
    await banner.waitFor()
    await expect(
      inbox.server.ask({ tool: 'refund', args: { amount: 78, order: 'Z' } }),
    ).resolves.toMatchObject({
      status: 'blocked',
      code: 'locked',
    })
    await goTo(page, '/locks')
    const lock = page.locator('section', { hasText: 'misbehaves' }).last()
    await lock.getByRole('button', { name: 'Lift…' }).click()
    await lock.getByRole('button', { name: 'Lift', exact: true }).click()
    await page.getByText('Nothing is locked.').waitFor()
    expect(await inbox.server.statusOf(id)).toBe('pending')

    await page.getByLabel('Its name').fill('bot')
    await page.getByLabel('Why it is locked').fill('Looking into it')
    await page.getByRole('button', { name: 'Lock', exact: true }).click()
    await page.getByText('Looking into it').waitFor()
    expect(
      await inbox.server.ask({ tool: 'refund', args: { amount: 79, order: 'Z' } }),
    ).toMatchObject({
      status: 'blocked',
      code: 'locked',
    })
    await page.getByRole('button', { name: 'Lift…' }).click()
    await page.getByRole('button', { name: 'Lift', exact: true }).click()
    await page.getByText('Nothing is locked.').waitFor()
  },
)
