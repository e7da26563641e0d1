import { spawn } from 'node:child_process'
import { expect, onTestFinished, vi } from 'vitest'
import { ensureInbox } from '../../inbox/build.ts'
import { barriers } from '../../inbox/test/browser-page.ts'
import { BIN, cleanEnv, countersign } from '../cli/countersign.ts'
import { runServer } from '../cli/running-server.ts'
import { guarded, hostOf, issuer, knownTo } from '../mcp/sign-in-world.ts'
import { launchBrowser } from '../support/browser.ts'
import { promise } from '../support/promise.ts'

vi.setConfig({ testTimeout: 120_000 })

/** `countersign mcp login`: the link it prints, and how it ended. */
function login(cwd: string) {
  const child = spawn(process.execPath, [BIN, 'mcp', 'login', 'guarded'], { cwd, env: cleanEnv() })
  onTestFinished(() => void child.kill())
  let said = ''
  const link = new Promise<string>((resolve, reject) => {
    child.stderr.on('data', (chunk) => reject(new Error(String(chunk))))
    child.stdout.on('data', (chunk) => {
      said += chunk
      const [found] = /http\S+/.exec(said) ?? []
      if (found !== undefined) resolve(found)
    })
  })
  const ended = new Promise<string>((resolve) =>
    child.on('close', (code) => resolve(`${code} ${said}`)),
  )
  return { link, ended }
}

promise(
  ['CS-SIGNIN-1', 'CS-SIGNIN-9'],
  'a person at a terminal signs in at a server in the browser, and sees where before they go',
  async () => {
    await ensureInbox()
    const at = await issuer()
    const upstream = await guarded(knownTo(at), [at.origin])
    const policy = `version: 1\nmcp_servers: [{ alias: guarded, url: "${upstream.url}", approval: true }]\n`
    const server = await runServer(policy, ['--mcp-allow', hostOf(at.origin)])
    onTestFinished(server.remove)
    const browser = await launchBrowser()
    onTestFinished(() => browser.close())
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    const { link, ended } = login(server.cwd)
    await page.goto(await link)
    await page.getByRole('button', { name: 'Sign in at guarded' }).click()
    const there = page.getByRole('group', { name: 'Sign in at guarded' })
    await there.getByText(hostOf(at.origin)).first().waitFor()
    expect(await there.textContent()).toContain('use offline_access')
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      expect(await barriers(page)).toEqual([])
    }
    await there.getByRole('button', { name: `Continue to ${hostOf(at.origin)}` }).click()

    // The pages of the authorization server.
    await page.locator('input[name=login]').fill('ana')
    await page.locator('input[name=password]').fill('x')
    await page.locator('button[type=submit]').click()
    await page.locator('input[name=prompt][value=consent]').waitFor({ state: 'attached' })
    await page.locator('button[type=submit]').click()

    await page.getByText('Its tools can be called now.').waitFor()
    // The code stands in no history.
    expect(new URL(page.url()).search).toBe('')
    expect(await ended).toMatch(/^0 [\s\S]*Signed in at guarded/)
    await page.getByRole('link', { name: 'Back to the tools' }).click()
    await page.getByRole('button', { name: 'look', exact: true }).waitFor()
    const region = page.getByRole('region', { name: 'Server guarded' })
    await region.getByText('Signed in at').waitFor()
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      expect(await barriers(page)).toEqual([])
    }
    const out = await countersign(['mcp', 'logout', 'guarded'], { cwd: server.cwd })
    expect(out).toMatchObject({ code: 0, stdout: 'Signed out of guarded.\n' })
    const unknown = await countersign(['mcp', 'login', 'nothing'], { cwd: server.cwd })
    expect(unknown).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Use one of: guarded'),
    })
  },
)
