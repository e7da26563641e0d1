import { expect } from 'vitest'
import type { PolicyVersion, PolicyVersions, RuleCounts } from '../../src/api/policy/versions.ts'
import { promise } from '../support/promise.ts'
import { POLICY, running } from './harness.ts'

promise(
  ['CS-RULES-4'],
  'every policy that was in force can be read, and goes back into the file as a draft',
  async () => {
    const file = { text: POLICY }
    const { send, person } = running({ file })
    const admin = await person('root@example.com', ['viewer', 'admin'])
    const viewer = await person('vi@example.com', ['viewer'])
    const apply = async () => {
      const name = (await send('/v1/policy/draft', { as: admin })).at('name')
      expect((await send('/v1/policy/apply', { as: admin, body: { name } })).status).toBe(200)
    }
    const next = POLICY.replace('gt: 100', 'gt: 200')
    file.text = next
    await apply()
    file.text = POLICY.replace('gt: 100', 'gt: 300')
    await apply()
    const list = async () =>
      ((await send('/v1/policy/versions', { as: admin })).body as PolicyVersions).versions
    const [newest, older] = await list()
    expect(newest).toMatchObject({ active: true, by: { email: 'root@example.com' } })
    expect(older).toMatchObject({ active: false })
    const read = async (id = '') =>
      (await send(`/v1/policy/versions/${id}`, { as: admin })).body as PolicyVersion
    const version = await read(older?.id)
    expect(version.files).toMatchObject([{ role: 'owner', text: next }])
    expect(version.disk).toBe(file.text)
    const body = { text: version.files[0]?.text, base: version.base }
    const saved = await send('/v1/policy/draft', { as: admin, method: 'PUT', body })
    expect(saved).toMatchObject({ status: 200, body: { changed: true } })
    expect(file.text).toBe(next)
    // A draft: what is in force stays in force, and on record.
    expect((await list()).map(({ active }) => active)).toEqual([true, false])
    await apply()
    expect((await list())[0]).toMatchObject({ active: true, name: older?.name })
    for (const path of ['/v1/policy/versions', `/v1/policy/versions/${newest?.id}`]) {
      expect((await send(path, { as: viewer })).status).toBe(403)
    }
    expect((await send(`/v1/policy/versions/${'0'.repeat(64)}`, { as: admin })).status).toBe(404)
  },
)

promise(['CS-RULES-4'], 'a version goes back into the file with the servers it had', async () => {
  const served = `${POLICY}mcp_servers: [{ alias: bank, url: "https://bank.example.com/mcp" }]\n`
  const file = { text: served }
  const { send, person } = running({ file, policy: POLICY })
  const admin = await person('root@example.com', ['viewer', 'admin'])
  const name = (await send('/v1/policy/draft', { as: admin })).at('name')
  expect((await send('/v1/policy/apply', { as: admin, body: { name } })).status).toBe(200)
  file.text = POLICY
  const { versions } = (await send('/v1/policy/versions', { as: admin })).body as PolicyVersions
  const { base, files } = (await send(`/v1/policy/versions/${versions[0]?.id}`, { as: admin }))
    .body as PolicyVersion
  const put = (text = '') =>
    send('/v1/policy/draft', { as: admin, method: 'PUT', body: { text, base } })
  // One character more, and it was never in force.
  expect((await put(`${files[0]?.text}\n`)).at('error.code')).toBe('usage')
  expect((await put(files[0]?.text)).status).toBe(200)
  expect(file.text).toBe(served)
})

promise(['CS-RULES-4'], 'a text that was changed in the database is not shown', async () => {
  const file = { text: POLICY.replace('gt: 100', 'gt: 200') }
  const { send, person, store } = running({ file, policy: POLICY })
  const admin = await person('root@example.com', ['viewer', 'admin'])
  const name = (await send('/v1/policy/draft', { as: admin })).at('name')
  await send('/v1/policy/apply', { as: admin, body: { name } })
  const [newest] = ((await send('/v1/policy/versions', { as: admin })).body as PolicyVersions)
    .versions
  const digest = (
    (await send(`/v1/policy/versions/${newest?.id}`, { as: admin })).body as PolicyVersion
  ).files[0]?.digest
  await store.amend({
    commandId: crypto.randomUUID(),
    event: { type: 'policy.drafted', by: { system: 'operator' }, facts: {} },
    changes: [{ kind: 'policy-text', id: `${digest}/0`, value: 'version: 1\n' }],
  })
  const refused = await send(`/v1/policy/versions/${newest?.id}`, { as: admin })
  expect(refused.at('error.code')).toBe('store_damaged')
})

promise(['CS-RULES-4'], 'a rule is counted with all groups of its condition', async () => {
  const { send, person, agent, store } = running({})
  const bot = await agent('bot')
  const vi = await person('vi@example.com', ['viewer'])
  for (const amount of [150, 160]) {
    await send('/v1/calls', { as: bot, body: { tool: 'pay', args: { amount, to: 'Bo' } } })
  }
  await send('/v1/calls', { as: bot, body: { tool: 'note', args: { text: 'x' } } })
  while (await store.statistics.step());
  const { rules, days } = (await send('/v1/policy/counts', { as: vi })).body as RuleCounts
  expect(days).toBe(30)
  const counted = Object.fromEntries(rules.map(({ rule, asked }) => [rule, asked]))
  expect(counted).toMatchObject({ 'tools.pay.approval': 2, 'tools.note.approval': 1 })
  const status = await send('/status.json', { as: vi })
  const pay = (status.body as { rules: { name: string; names: string[] }[] }).rules.find(
    ({ name }) => name === 'pay',
  )
  expect(pay?.names).toContain('tools.pay.approval')
})
