import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, vi } from 'vitest'
import { ensureInbox } from '../../inbox/build.ts'
import { BIN } from '../cli/countersign.ts'
import { borrowBrowser, giveBack } from '../support/browser.ts'
import { freePorts } from '../support/free-ports.ts'
import { CLIENT, type Issuer, startIssuer } from '../support/issuer.ts'
import { promise } from '../support/promise.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })

const folder = mkdtempSync(path.join(tmpdir(), 'countersign-oidc-'))

let issuer: Issuer
let server: ChildProcess | undefined
let url: string

beforeAll(async () => {
  await ensureInbox()
  writeFileSync(path.join(folder, 'countersign.yaml'), 'version: 1\n')
  // The redirect address is registered before the server runs, so its port must be known.
  const [port] = await freePorts(1)
  url = `http://127.0.0.1:${port}`
  const people = { ana: { email: 'ana@example.com', email_verified: true, groups: ['ops'] } }
  issuer = await startIssuer(people, [`${url}/sign-in/callback`])
  const provider = ['--oidc-issuer', issuer.url.origin, '--oidc-client-id', CLIENT.id]
  const args = [...provider, '--oidc-name', 'Example', '--oidc-approver-group', 'ops']
  const child = spawn(process.execPath, [BIN, 'start', '--port', String(port), ...args], {
    cwd: folder,
    env: { ...process.env, COUNTERSIGN_OIDC_CLIENT_SECRET: CLIENT.secret },
  })
  server = child
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk) => reject(new Error(String(chunk))))
    child.stdout.on('data', () => resolve())
  })
})

afterAll(async () => {
  server?.kill()
  await issuer?.stop()
  rmSync(folder, { recursive: true, force: true })
})

promise(
  ['CS-SIGN-1'],
  'a person signs in with a real provider in a real browser, and out again',
  async () => {
    const browser = await borrowBrowser()
    try {
      const page = await browser.newPage()
      const problems: string[] = []
      page.on('pageerror', (error) => problems.push(error.message))
      await page.goto(`${url}/history`)
      await page.getByRole('button', { name: 'Sign in with Example' }).click()
      await page.locator('input[name=login]').fill('ana')
      await page.locator('input[name=password]').fill('anything')
      await page.locator('button[type=submit]').click()
      await page.locator('button[type=submit]').click()
      // Back where they began, with nothing of the answer left in the address.
      await page.getByRole('link', { name: 'History' }).first().waitFor()
      await expect.poll(() => page.url()).toBe(`${url}/history`)
      const cookies = await page.context().cookies(url)
      const own = cookies.filter(({ name }) => name.startsWith('countersign'))
      expect(own).toMatchObject([{ httpOnly: true, sameSite: 'Strict' }])
      const left = await page.evaluate(`JSON.stringify({ ...sessionStorage }) + location.hash`)
      expect(left).not.toMatch(/code=|oidc/)
      await page.getByRole('button', { name: /ana/i }).first().click()
      await page.getByText('Sign out').click()
      await page.getByRole('button', { name: 'Sign in with Example' }).waitFor()
      expect(problems).toEqual([])
    } finally {
      await giveBack(browser)
    }
  },
)
