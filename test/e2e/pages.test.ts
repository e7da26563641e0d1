import { writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { ensureInbox } from '../../inbox/build.ts'
import { barriers } from '../../inbox/test/browser-page.ts'
import { type RunningServer, runServer } from '../cli/running-server.ts'
import { launchBrowser } from '../support/browser.ts'
import { goTo, openCard, readOn, readyButton, takeSeat } from './real-inbox.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })

const POLICY = `version: 1
tools:
  refund: { risk: L2, approval: { approvers: ["*"], grants: true } }
`

let server: RunningServer
let browser: Browser

beforeAll(async () => {
  await ensureInbox()
  server = await runServer(POLICY)
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser?.close()
  await server?.remove()
})

async function seat(email: string) {
  const taken = await takeSeat(browser, server, email)
  onTestFinished(async () => {
    await taken.close()
    expect(taken.problems).toEqual([])
  })
  return taken.page
}

test('a grant is made with its exact rule on screen, lets like calls through, and is revoked', async () => {
  const refund = (amount: number, run = 'run-1') =>
    server.ask({ tool: 'refund', run, args: { amount, order: `A-${amount}` } })
  const { id } = await refund(30)
  const page = await seat('ana@example.com')
  await openCard(page, id)
  await readOn(page)
  await readyButton(page)
  await page.keyboard.press('g')
  const rule = page.getByRole('region', { name: 'This exact rule is saved' })
  await rule.getByText('exactly those of').waitFor()
  await page.locator('label', { hasText: 'amount' }).getByRole('combobox').selectOption('most')
  await page.locator('label', { hasText: 'order' }).getByRole('combobox').selectOption('any')
  await rule.getByText('{"args_match":{"amount":{"gte":0,"lte":30}}}').waitFor()
  expect(await barriers(page)).toEqual([])
  await (await readyButton(page)).click()
  await expect.poll(() => server.statusOf(id)).toBe('approved')

  expect(
    await server.ask({ tool: 'refund', run: 'run-1', args: { amount: 10, order: 'B' } }),
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
  const file = path.join(server.cwd, 'countersign.yaml')
  const page = await seat('ana@example.com')
  writeFileSync(file, `${POLICY}  wipe: { approval: true }\n`)
  await goTo(page, '/policy')
  const draft = page.getByRole('region', { name: 'Changed on disk' })
  await draft.getByText('wipe').first().waitFor()
  expect(await barriers(page)).toEqual([])
  await draft.getByRole('button', { name: 'Apply…' }).click()
  await draft.getByRole('button', { name: 'Apply exactly this' }).click()
  await draft.waitFor({ state: 'detached' })
  expect(await server.ask({ tool: 'wipe', args: {} })).toMatchObject({ status: 'pending' })

  writeFileSync(file, 'version: 2\n')
  await page.reload()
  await draft.getByText('What is in force stays in force.').waitFor()
  expect(await draft.getByRole('button', { name: 'Apply…' }).count()).toBe(0)
  writeFileSync(file, POLICY)
})
