import { expect, vi } from 'vitest'
import type { ServerList } from '../../src/api/servers.ts'
import { mcpGateway } from '../../src/app/mcp-gateway.ts'
import { toolStudio } from '../../src/app/studio.ts'
import { memoryKeys } from '../../src/store/audit/key-folder.ts'
import { chatWorld } from '../chat/chat-world.ts'
import { promise } from '../support/promise.ts'
import { SPEC, world } from './world.ts'

const SWITCH = '/v1/servers/studio/tools/add/switch'

promise(
  ['CS-STUDIO-15', 'CS-STUDIO-12'],
  'an admin switches asking on for a tool whose author does not want it; off changes nothing a flag asks',
  async () => {
    const at = await world()
    const admin = await at.signedIn('root@example.com', ['admin'])
    const client = await at.client()
    const saved = await at.save('add', SPEC)
    await at.publish('add', saved)
    const call = () => client.callTool({ name: 'studio_add', arguments: { a: 2, b: 3 } })
    const shown = async () => {
      const { servers, ways } = await admin.get<ServerList>('/v1/servers')
      const studio = servers.find(({ alias }) => alias === 'studio')
      const tool = studio?.tools.find(({ tool: name }) => name === 'add')
      return { studio, tool, ways: ways.filter(({ server }) => server === 'studio') }
    }
    expect(await call()).toMatchObject({ structuredContent: { sum: 5 } })
    expect(await shown()).toMatchObject({
      studio: { hosted: true, answer: { verdict: 'allow' }, switch: { on: { after: 'confirm' } } },
      tool: { answer: { verdict: 'allow', rule: 'studio.humanInTheLoop' } },
      ways: [],
    })
    expect((await shown()).studio).not.toHaveProperty('at')
    expect((await shown()).tool?.switch).not.toHaveProperty('fixed')

    expect((await admin.send('PUT', SWITCH, { on: true })).status).toBe(200)
    const asked = call()
    const question = await at.asked()
    expect(question).toMatchObject({ call: { server: 'studio', tool: 'add' } })
    await at.approve(question.id, question.digest)
    expect(await asked).toMatchObject({ structuredContent: { sum: 5 } })
    expect((await shown()).tool).toMatchObject({
      answer: { verdict: 'confirm', source: 'operator' },
      switch: { set: { on: true, by: { subject: 'root@example.com' } }, clear: { lowers: true } },
    })
    // Less than now needs to be meant, as for every other tool.
    const unmeant = await admin.send('DELETE', SWITCH)
    expect(unmeant.body).toMatchObject({ error: { code: 'lowering_unconfirmed' } })
    expect((await admin.send('DELETE', `${SWITCH}?lowers=true`)).status).toBe(200)
    expect(await call()).toMatchObject({ structuredContent: { sum: 5 } })

    // The whole server: every tool that no author asks about.
    expect((await admin.send('PUT', '/v1/servers/studio/switch', { on: true })).status).toBe(200)
    expect((await shown()).tool?.answer).toMatchObject({ verdict: 'confirm', source: 'operator' })
    await admin.send('DELETE', '/v1/servers/studio/switch?lowers=true')

    // Set while nothing was asked, an off does not outlive the author's change of mind.
    expect((await admin.send('PUT', SWITCH, { on: false })).status).toBe(200)
    const asking = { ...SPEC, hitl: { mode: 'REQUIRED' as const } }
    await at.publish('add', await at.save('add', asking, saved.revision))
    const again = call()
    const second = await at.asked()
    await at.approve(second.id, second.digest)
    expect(await again).toMatchObject({ structuredContent: { sum: 5 } })
    const fixed = await admin.send('PUT', SWITCH, { on: false, lowers: true })
    expect(fixed.body).toMatchObject({
      error: { code: 'switch_fixed', hint: expect.stringContaining('in the studio') },
    })
    expect((await shown()).tool?.switch).toMatchObject({ fixed: { at: 'studio' } })
    expect((await at.author.send('PUT', SWITCH, { on: true })).status).toBe(403)

    const { entries } = await at.store.eventsSince('start', 500)
    const told = entries.map(({ event }) => event).filter(({ type }) => type.startsWith('switch.'))
    expect(told.slice(0, 2)).toMatchObject([
      {
        type: 'switch.set',
        by: { person: { subject: 'root@example.com' } },
        facts: { server: 'studio', tool: 'add', on: true, before: 'allow', after: 'confirm' },
      },
      { type: 'switch.cleared', facts: { tool: 'add', before: 'confirm', after: 'allow' } },
    ])
  },
)

promise(['CS-STUDIO-15'], 'the switch holds in the chat as well', async () => {
  const { signIn } = chatWorld('version: 1\n', {
    keys: memoryKeys(),
    mcp: mcpGateway({ env: {} }),
    studio: toolStudio(),
  })
  const otto = await signIn('otto@example.com', ['author'])
  const { revision } = (await (await otto.put('/v1/studio/tools/add', { spec: SPEC })).json()) as {
    revision: number
  }
  await otto.post('/v1/studio/tools/add/publish', { revision })
  const root = await signIn('root@example.com', ['viewer', 'approver', 'admin'])
  const verdict = async () => {
    const { tools } = (await (await root.get('/v1/chat/tools')).json()) as {
      tools: { name: string; verdict: string }[]
    }
    return tools.find(({ name }) => name === 'studio_add')?.verdict
  }
  await vi.waitFor(async () => expect(await verdict()).toBe('allow'), 10_000)
  expect((await root.put(SWITCH, { on: true })).status).toBe(200)
  expect(await verdict()).toBe('confirm')
  const turn = await root.say(await root.begin(), 'studio_add {"a": 1, "b": 2}')
  const [approval = ''] = await turn.asked()
  expect(await root.card(approval)).toMatchObject({ status: 'pending', tool: 'add' })
  turn.leave()
})
