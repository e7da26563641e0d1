import { setTimeout as pause } from 'node:timers/promises'
import { expect, vi } from 'vitest'
import { promise } from '../support/promise.ts'
import { answer, BANK, place } from './gateway.ts'
import { rawClient } from './raw-client.ts'

const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
const SOON = { timeout: 20_000, interval: 50 }

promise(
  ['CS-TASK-4'],
  'a task of `countersign mcp` takes the answer of its user, and outlives the process',
  async () => {
    const at = place()
    const command = [process.execPath, BANK]
    const begin = (elicitation: object) => {
      const client = rawClient(at, { command })
      const capabilities = { ...TASKS, ...elicitation }
      let id = 0
      return async (method: string, params: object) => {
        const line = await client.ask(++id, method, {
          ...params,
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': capabilities,
          },
        })
        return JSON.parse(line).result
      }
    }
    const [name, form] = ['pay', { elicitation: { form: {} } }]
    const first = begin(form)
    const { taskId: one } = await first('tools/call', { name, arguments: { to: 'Bo', amount: 1 } })
    const { inputRequests } = await vi.waitFor(async () => {
      const task = await first('tasks/get', { taskId: one })
      expect(task.status).toBe('input_required')
      return task
    }, SOON)
    await pause(900)
    const yes = { action: 'accept', content: { decision: 'approve' } }
    const inputResponses = { [Object.keys(inputRequests)[0] ?? '']: yes }
    await first('tasks/update', { taskId: one, inputResponses })
    await vi.waitFor(async () => {
      expect(await first('tasks/get', { taskId: one })).toMatchObject({ status: 'completed' })
    }, SOON)
    expect(at.witnessed()).toEqual(['pay 1 Bo'])
    const second = begin({})
    const { taskId: two } = await second('tools/call', {
      name,
      arguments: { to: 'Lena', amount: 5 },
    })
    const third = begin({})
    expect(await third('tasks/get', { taskId: two })).toMatchObject({ status: 'working' })
    await answer(at, 'approve')
    await vi.waitFor(async () => {
      expect(await third('tasks/get', { taskId: two })).toMatchObject({
        status: 'completed',
        result: { content: [{ text: 'paid 5 to Lena' }] },
      })
    }, SOON)
    expect(at.witnessed()).toEqual(['pay 1 Bo', 'pay 5 Lena'])
  },
)
