import type { Page } from 'playwright-core'
import { expect, vi } from 'vitest'
import { barriers } from '../../inbox/test/browser-page.ts'
import { promise } from '../support/promise.ts'
import { goTo, openCard, readOn, readyButton, realInbox } from './real-inbox.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })

const POLICY = `version: 1
tools:
  wire: { risk: L3, approval: { approvers: ["*"], min_assurance: passkey } }
`

const inbox = realInbox(POLICY)

const seat = (host: string) => inbox.seat('ana@example.com', { host })

/** A passkey of Chromium's own, which answers by itself. */
async function withAuthenticator(page: Page) {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    recognises: (isUserVerified: boolean) =>
      session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
  }
}

promise(
  ['CS-PASSKEY-1', 'CS-PASSKEY-3'],
  'in a browser: add a passkey, approve with it, and not without it',
  async () => {
    const { id } = await inbox.server.ask({
      tool: 'wire',
      run: 'r',
      key: '1',
      args: { to: 'Lena' },
    })
    const page = await seat('localhost')
    const passkey = await withAuthenticator(page)
    await openCard(page, id)
    await readOn(page)
    await (await readyButton(page)).click()
    await page.getByText('you have no passkey here').waitFor()

    await page.getByRole('button', { name: /Settings/ }).click()
    await page.getByRole('menuitem', { name: 'Passkeys' }).click()
    await page.getByLabel('What you call it').fill('Laptop')
    await page.getByRole('button', { name: 'Add…' }).click()
    await page.getByRole('region', { name: 'Passkey Laptop' }).waitFor()
    expect(await barriers(page)).toEqual([])

    await goTo(page, `/approvals/${id}`)
    await passkey.recognises(false)
    await readOn(page)
    await (await readyButton(page)).click()
    await page.getByText('No passkey answered').waitFor()
    expect(await inbox.server.statusOf(id)).toBe('pending')

    await passkey.recognises(true)
    await (await readyButton(page)).click()
    await expect.poll(() => inbox.server.statusOf(id)).toBe('approved')
  },
)

promise(['CS-PASSKEY-3'], 'by number, the page says which name to open instead', async () => {
  const page = await seat('127.0.0.1')
  await goTo(page, '/passkeys')
  await page.getByLabel('What you call it').fill('Laptop')
  await page.getByRole('button', { name: 'Add…' }).click()
  await page.getByText('http://localhost:').waitFor()
})
