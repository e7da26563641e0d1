import { expect } from 'vitest'
import { createGate } from '../../src/gate/gate.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'

promise(
  ['CS-MCP-77'],
  'a tool that a server named after a read is not judged as one, and does not run',
  async () => {
    const policy = policyOf(
      'version: 1\nmcp_servers: [{ alias: db, server_ref: x, resources: allow, prompts: allow }]\n',
    )
    const gate = createGate({ policy, store: memoryStore(), agent: 'bot', run: 'r' })
    const ran: string[] = []
    for (const tool of ['resources/read', 'resources/subscribe', 'prompts/get']) {
      const call = { tool, server: 'db', args: { drop: 'everything' } }
      const outcome = await gate
        .run(call, { name: tool, run: () => ran.push(tool) })
        .catch((error: { code?: string }) => error)
      expect(outcome).toMatchObject({ code: 'invalid_call' })
    }
    expect(ran).toEqual([])
  },
)
