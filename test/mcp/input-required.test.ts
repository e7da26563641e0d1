import path from 'node:path'
import { expect } from 'vitest'
import { promise } from '../support/promise.ts'
import { gateway } from './http-gateway.ts'
import { type ModernRequest, modernRequest } from './modern-wire.ts'

const program = (alias: string, file: string, approval: boolean) =>
  `  - { alias: ${alias}, approval: ${approval}, command: ${process.execPath}, args: [${path.join(import.meta.dirname, file)}] }\n`

async function started(approval = false) {
  const at = await gateway(
    `version: 1\nmcp_servers:\n${program('test_input', 'input-upstream.ts', approval)}${program('test_missing', 'capability-upstream.ts', false)}`,
    { hold: 200 },
  )
  const agent = await at.agent('a')
  const send = (request: ModernRequest) => modernRequest(at.url, agent, request)
  const ALL = { elicitation: {}, sampling: {}, roots: {} }
  const call = (tool: string, more: object = {}, capabilities: object = ALL) =>
    send({
      method: 'tools/call',
      params: { name: `test_input_required_result_${tool}`, arguments: {}, ...more },
      capabilities,
    })
  return { at, send, call }
}

const NAMED = { user_name: { action: 'accept', content: { name: 'Alice' } } }

promise(
  ['CS-MCP-56'],
  'SEP-2322: a server’s question reaches the client under its own key, and the answer the server',
  async () => {
    const { call } = await started()
    const { result } = await call('elicitation')
    expect(result).toMatchObject({
      resultType: 'input_required',
      inputRequests: {
        user_name: {
          method: 'elicitation/create',
          params: { message: expect.stringContaining('What is your name?') },
        },
      },
    })
    const { requestState } = result
    const { result: done } = await call('elicitation', { requestState, inputResponses: NAMED })
    expect(done).toMatchObject({ resultType: 'complete' })
    expect(done.content[0].text).toContain('"name":"Alice"')
  },
)

promise(['CS-MCP-56'], 'SEP-2322: an answer belongs to one call, and is used once', async () => {
  const { call } = await started()
  const { result } = await call('elicitation')
  const { requestState } = result
  const answer = { requestState, inputResponses: NAMED }
  const other = await call('request_state', answer)
  expect(other.error?.code).toBe(-32_602)
  expect((await call('elicitation', answer)).result).toMatchObject({ resultType: 'complete' })
  expect((await call('elicitation', answer)).error?.code).toBe(-32_602)
})

promise(
  ['CS-MCP-56'],
  'SEP-2322: an answer to a question that was not asked is none, so the question is asked',
  async () => {
    const { call } = await started()
    const early = await call('elicitation', { inputResponses: NAMED })
    expect(early.result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { user_name: {} },
    })
  },
)

promise(
  ['CS-MCP-56'],
  'SEP-2322: a question whose answer is missing is asked again at once',
  async () => {
    const { call } = await started()
    const { result } = await call('elicitation')
    const inputResponses = { wrong: { action: 'accept', content: {} } }
    const { requestState } = result
    const again = await call('elicitation', { requestState, inputResponses })
    expect(again.result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { user_name: {} },
    })
    expect(again.result.requestState).not.toBe(requestState)
  },
  20_000,
)

promise(
  ['CS-MCP-56'],
  'SEP-2322: an answer to a server’s question is no yes to its call',
  async () => {
    const { at, call } = await started(true)
    const asking = call('elicitation', { inputResponses: NAMED })
    await at.answer('approve')
    const { result: asked } = await asking
    expect(asked.inputRequests).toMatchObject({ user_name: {} })
    const { requestState } = asked
    const { result: done } = await call('elicitation', { requestState, inputResponses: NAMED })
    expect(done.content[0].text).toContain('Alice')
    // The yes was for one call.
    const next = call('elicitation', { inputResponses: NAMED })
    await at.answer('deny')
    expect((await next).result).toMatchObject({ resultType: 'complete', isError: true })
  },
)

promise(
  ['CS-MCP-57'],
  'a client is not asked for what it did not declare; the call ends with what it lacks',
  async () => {
    const { call } = await started()
    const rows: [string, object, object][] = [
      ['elicitation', { sampling: {} }, { elicitation: {} }],
      ['elicitation', { elicitation: { url: {} } }, { elicitation: { form: {} } }],
      ['sampling', { elicitation: {} }, { sampling: {} }],
      ['list_roots', {}, { roots: {} }],
    ]
    for (const [tool, capabilities, requiredCapabilities] of rows) {
      expect(await call(tool, {}, capabilities)).toMatchObject({
        status: 400,
        error: { code: -32_021, data: { requiredCapabilities } },
      })
    }
  },
)

promise(
  ['CS-MCP-57'],
  'a server that misses a capability of the client says so with status 400',
  async () => {
    const { send } = await started()
    const params = { name: 'test_missing_capability', arguments: {} }
    expect(await send({ method: 'tools/call', params })).toMatchObject({
      status: 400,
      error: { code: -32_021, data: { requiredCapabilities: { sampling: {} } } },
    })
    const able = await send({ method: 'tools/call', params, capabilities: { sampling: {} } })
    expect(able).toMatchObject({ status: 200, result: { resultType: 'complete' } })
  },
)
