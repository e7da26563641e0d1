import { spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { promise } from '../support/promise.ts'
import { BIN, cleanEnv, countersign, folder } from './countersign.ts'
import { signIn, start } from './started.ts'

promise(
  ['CS-SIGN-7'],
  'a terminal elsewhere is signed in by a person, and acts as them',
  async () => {
    const { url } = await start(folder())
    const server = new URL('/', url).href
    const headers = { ...(await signIn(url)), 'content-type': 'application/json' }
    // Another home and no database: nothing but the address is known there.
    const home = folder()
    const child = spawn(process.execPath, [BIN, 'login', server], {
      cwd: home,
      env: { ...cleanEnv(), HOME: home, COUNTERSIGN_TOKEN: 'cs_is_not_read' },
    })
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
    let text = ''
    const code = await new Promise<string>((resolve, reject) => {
      child.stderr.on('data', (chunk) => reject(new Error(String(chunk))))
      child.stdout.on('data', (chunk) => {
        text += chunk
        const [found] = /[B-Z]{4}-[B-Z]{4}/.exec(text) ?? []
        if (found !== undefined) resolve(found)
      })
    })
    const confirm = (typed: string) =>
      fetch(new URL('/v1/login/confirm', url), {
        method: 'POST',
        headers,
        body: JSON.stringify({ code: typed }),
      })
    expect((await confirm('BBBB-BBBB')).status).toBe(404)
    expect((await confirm(code)).status).toBe(204)
    expect((await confirm(code)).status).toBe(404)
    expect(await ended).toBe(0)
    expect(text).toContain('Signed in as')
    const kept = path.join(home, '.countersign', 'logins.json')
    expect(statSync(kept).mode & 0o777).toBe(0o600)

    const listed = await countersign(['list'], {
      cwd: home,
      env: { HOME: home, COUNTERSIGN_URL: server },
    })
    expect(listed).toMatchObject({ code: 0, stdout: 'Nothing is waiting.\n' })
  },
)

test('a server that does not answer is named, and nothing is to be started here', async () => {
  const ran = await countersign(['login', 'http://127.0.0.1:9/'], { cwd: folder() })
  expect(ran).toMatchObject({
    code: 7,
    stderr: expect.stringMatching(
      /^server_unreachable: no Countersign answers at http:\/\/127\.0\.0\.1:9\//,
    ),
  })
  expect(ran.stderr).not.toContain('countersign start')
})
