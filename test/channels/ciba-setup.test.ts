import { expect, onTestFinished, test, vi } from 'vitest'
import { checkSetup } from '../../src/channels/ciba/ciba-setup.ts'
import { readCiba } from '../../src/cli/options/ciba-options.ts'
import type { Shell } from '../../src/cli/shell.ts'
import { createBackchannel } from '../../src/server/identity/backchannel.ts'
import { createDiscovery } from '../../src/server/identity/oidc-client.ts'
import { startIssuer } from '../support/issuer.ts'
import { promise } from '../support/promise.ts'
import { oidcOptions } from './ciba-people.ts'
import { cibaWorld, started } from './ciba-world.ts'
import { deviceIssuer } from './device-issuer.ts'

function setUp(url: URL, clientSecret?: string) {
  const lines: string[] = []
  const options = { ...oidcOptions(url), ...(clientSecret ? { clientSecret } : {}) }
  const backchannel = createBackchannel(createDiscovery(options))
  const run = (tries?: string) =>
    checkSetup(
      { backchannel, acr: [], ...(tries === undefined ? {} : { tries }) },
      ({ ok, says }) => lines.push(`${ok ? 'ok' : 'no'} ${says}`),
    )
  return { lines, run }
}

test('the provider is checked, and one person is asked', async () => {
  const issuer = await started(deviceIssuer())
  const { lines, run } = setUp(issuer.url)
  expect(await run()).toBe(true)
  const running = run('fay@example.com')
  await issuer.yes(await issuer.shown('countersign-setup'), { acr: 'mfa' })
  expect(await running).toBe(true)
  expect(lines.at(-1)).toBe('ok The answer is yes, of subject fay, with acr mfa.')
  const refused = run('finn')
  await vi.waitFor(() => expect(issuer.asked).toHaveLength(2), 5_000)
  await issuer.no(await issuer.shown('countersign-setup', 'finn'))
  expect(await refused).toBe(true)
  expect(lines.at(-1)).toBe('ok The answer is no.')
  expect(lines.filter((line) => line.startsWith('no'))).toEqual([])
})

test('says what is wrong', async () => {
  const plain = await startIssuer({}, [])
  onTestFinished(() => plain.stop())
  const without = setUp(plain.url)
  expect(await without.run()).toBe(false)
  expect(without.lines.at(-1)).toMatch(/^no It names no backchannel_authentication_endpoint/)
  const issuer = await started(deviceIssuer())
  const unknown = setUp(issuer.url)
  expect(await unknown.run('eve')).toBe(false)
  expect(unknown.lines.at(-1)).toBe('no the sign-in provider answers unknown_user_id.')
  const secret = setUp(issuer.url, 'another-secret')
  expect(await secret.run('fay')).toBe(false)
  expect(secret.lines.at(-1)).toMatch(/^no the sign-in provider answers (?:invalid_client|401)\.$/)
  await issuer.stop()
  const away = setUp(issuer.url)
  expect(await away.run()).toBe(false)
  expect(away.lines.at(-1)).toBe('no the sign-in provider does not answer.')
})

promise(
  ['CS-CIBA-2', 'CS-CIBA-3'],
  'flags of the command line: off unless asked for, and every mistake is told',
  async () => {
    const shell = (env: Record<string, string> = {}) => ({ env }) as unknown as Shell
    const oidcIssuer = 'https://id.example.com'
    expect(await readCiba({ oidcIssuer }, shell())).toEqual([])
    expect(await readCiba({ oidcIssuer }, shell({ COUNTERSIGN_CIBA: '0' }))).toEqual([])
    const [channel] = await readCiba(
      { oidcIssuer, cibaAcr: ['urn:example:acr=phr=passkey'] },
      shell({ COUNTERSIGN_CIBA: '1', COUNTERSIGN_CIBA_RISK: 'L1' }),
    )
    expect(channel).toMatchObject({ name: 'ciba', share: 'name' })
    const wrong = [
      readCiba({ ciba: true }, shell()),
      readCiba({ cibaRisk: 'L2', oidcIssuer }, shell()),
      readCiba({ ciba: true, oidcIssuer, cibaRisk: 'high' }, shell()),
      readCiba({ ciba: true, oidcIssuer, cibaLoginHint: 'phone' }, shell()),
      readCiba({ ciba: true, oidcIssuer, cibaAcr: ['phr'] }, shell()),
      readCiba({ ciba: true, oidcIssuer, cibaAcr: ['phr=root'] }, shell()),
    ]
    for (const one of wrong) await expect(one).rejects.toMatchObject({ code: 'usage' })
  },
)

test('without the provider that people sign in with, the server does not start', async () => {
  const { ciba } = await import('../../src/channels/ciba/ciba.ts')
  const { running } = await import('../server/harness.ts')
  expect(() => running({ channels: [ciba()] })).toThrow(/CIBA needs the OpenID provider/)
  expect(() => ciba({ expiry: 5 })).toThrow(/10 to 3600 seconds/)
})

test('people are named as the provider knows them', async () => {
  const issuer = await started(deviceIssuer())
  for (const [loginHint, hint] of [
    ['email', 'fay@example.com'],
    ['iss_sub', JSON.stringify({ format: 'iss_sub', iss: issuer.url.origin, sub: 'fay' })],
  ] as const) {
    const { ask } = await cibaWorld(issuer.url, { loginHint })
    const { short } = await ask('note', { args: { text: loginHint } })
    expect((await issuer.shown(short)).params.login_hint).toBe(hint)
  }
})
