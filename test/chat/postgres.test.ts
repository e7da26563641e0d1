import { expect } from 'vitest'
import type { PublishAnswer, StudioTool, WireToolSpec } from '../../src/api/studio/studio.ts'
import { mcpGateway } from '../../src/app/mcp-gateway.ts'
import { toolStudio } from '../../src/app/studio.ts'
import { memoryKeys } from '../../src/store/audit/key-folder.ts'
import { postgresStore } from '../../src/store/postgres/index.ts'
import { SPEC, witness } from '../studio/world.ts'
import { freshDatabase } from '../support/postgres.ts'
import { promise } from '../support/promise.ts'
import { chatWorld, textOf } from './chat-world.ts'

promise(
  ['CS-CHAT-8', 'CS-STUDIO-14', 'CS-STUDIO-13', 'SP-12'],
  'on Postgres, a tool published at one server is asked about in the chat of another, and answered at either',
  async () => {
    const bank = await witness()
    const url = await freshDatabase()
    const keys = memoryKeys()
    const server = () =>
      chatWorld('version: 1\n', {
        store: postgresStore(url),
        keys,
        mcp: mcpGateway({ env: {} }),
        studio: toolStudio({ allowHosts: [bank.host] }),
      })
    const [here, there] = [server(), server()]
    await here.countersign.ready()
    await there.countersign.ready()

    const otto = await here.signIn('otto@example.com', ['author'])
    const pay: WireToolSpec = {
      ...SPEC,
      language: 'javascript',
      source: `export default async ({ a }, { fetch, isTest, kv, secrets }) => {
        if (isTest) return { paid: a }
        await kv.set('paid', ((await kv.get('paid')) ?? 0) + a)
        await fetch('http://${bank.host}/pay?amount=' + a, {
          method: 'POST', headers: { authorization: secrets.BANK_KEY },
        })
        return { paid: a, total: await kv.get('paid') }
      }`,
      capabilities: {
        ...SPEC.capabilities,
        ...{ net: [bank.host], write: true, kv: true, secrets: ['BANK_KEY'] },
      },
      hitl: { mode: 'REQUIRED' },
      test: { args: { a: 1, b: 0 } },
    }
    const tool = '/v1/studio/tools/pay'
    const { revision } = (await (await otto.put(tool, { spec: pay })).json()) as StudioTool
    const secret = { value: 'the-key-of-the-bank', revision }
    expect((await otto.put(`${tool}/secrets/BANK_KEY`, secret)).status).toBe(204)
    const done = await otto.post(`${tool}/publish`, { revision })
    expect(((await done.json()) as PublishAnswer).version).toBe(1)

    const ana = await there.signIn('ana@example.com')
    const anaHere = await here.signIn('ana@example.com')
    const offered = async () => {
      const { tools } = (await (await ana.get('/v1/chat/tools')).json()) as {
        tools: { name: string }[]
      }
      return tools.map(({ name }) => name)
    }
    await expect.poll(offered, { timeout: 15_000 }).toContain('studio_pay')
    const id = await ana.begin()
    for (const total of [7, 14]) {
      const turn = await ana.say(id, 'studio_pay {"a": 7, "b": 0}')
      const [approval = ''] = (await turn.asked()).slice(-1)
      expect(await anaHere.card(approval)).toMatchObject({ status: 'pending', server: 'studio' })
      expect((await anaHere.decide(approval, 'approve')).status).toBe(200)
      await turn.ended()
      expect(textOf((await anaHere.read(id)).last)).toContain(`"total": ${total}`)
    }
    expect(bank.heard.map(({ url, authorization }) => [url, authorization])).toEqual([
      ['/pay?amount=7', 'the-key-of-the-bank'],
      ['/pay?amount=7', 'the-key-of-the-bank'],
    ])

    // The server that waits goes away: the other one reads that nothing ran.
    const lost = await ana.say(id, 'studio_pay {"a": 9, "b": 0}')
    const [last = ''] = (await lost.asked()).slice(-1)
    there.countersign.drain()
    await lost.ended()
    const left = await anaHere.read(id)
    expect(left.state).toBe('idle')
    expect(left.last.find(({ type }) => type === 'dynamic-tool')).toMatchObject({
      state: 'output-denied',
    })
    expect((await anaHere.card(last)).status).toBe('withdrawn')
    expect(bank.heard).toHaveLength(2)
    expect(JSON.stringify(left)).not.toContain('the-key-of-the-bank')
  },
  90_000,
)
