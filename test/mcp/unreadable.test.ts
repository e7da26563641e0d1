import { expect } from 'vitest'
import { promise } from '../support/promise.ts'
import { BANK, place } from './gateway.ts'
import { gateway } from './http-gateway.ts'
import { rawClient } from './raw-client.ts'

const deep = `${'['.repeat(80)}${']'.repeat(80)}`
const call = (args: string, id = '7') =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"pay","arguments":${args}}}`

const UNREADABLE: [string, string, string | number | null, string][] = [
  ['a number beyond 2^53', call('{"n":12345678901234567890}'), 7, 'unsafe_number'],
  ['half of a surrogate pair', call('{"s":"\\ud83d"}', '"x"'), 'x', 'invalid_unicode'],
  ['a key twice', call('{"to":"a","to":"b"}'), 7, 'duplicate_key'],
  ['80 levels', call(`{"a":${deep}}`), 7, 'too_deep'],
  ['an unknown member', '{"jsonrpc":"2.0","id":7,"method":"ping","Method":"x"}', 7, 'JSON-RPC'],
  ['two ids', '{"jsonrpc":"2.0","id":7,"method":"ping","id":8}', null, 'duplicate_key'],
  ['an answer', '{"jsonrpc":"2.0","id":7,"result":{"n":1e400}}', null, 'unsafe_number'],
]

promise.each(
  ['CS-MCP-41'],
  'over stdio, a request that cannot be read is answered under its id',
  UNREADABLE,
  async (_, line, id, why) => {
    const client = rawClient(place(), { command: [process.execPath, BANK] })
    client.send(line)
    expect(JSON.parse(await client.next())).toMatchObject({
      id,
      error: { message: expect.stringContaining(why) },
    })
  },
)

promise(
  ['CS-MCP-41'],
  'over HTTP, a request that cannot be read is answered under its id',
  async () => {
    const at = await gateway('version: 1\n')
    const headers = {
      ...(await at.agent('a')),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    }
    for (const [, body, id, why] of UNREADABLE) {
      const answer = await fetch(at.url, { method: 'POST', headers, body })
      expect(answer.status).toBe(400)
      const error = { message: expect.stringContaining(why) }
      expect(await answer.json()).toMatchObject({ id, error })
    }
    const early = { jsonrpc: '2.0', id: 'early', method: 'tools/list' }
    const refused = await fetch(at.url, { method: 'POST', headers, body: JSON.stringify(early) })
    expect(await refused.json()).toMatchObject({ id: 'early' })
  },
)
