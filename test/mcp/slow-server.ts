import { existsSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'

// Says nothing to the method of its second argument until the file of its first one is there, or
// answers it with an error where that file is called `never`.
// It writes the file of its third argument when that begins.
const [, , file = '', slow = 'initialize', began] = process.argv

async function result(method: string, params: { protocolVersion?: string }): Promise<object> {
  if (method === slow && began !== undefined) writeFileSync(began, '')
  while (method === slow && !existsSync(file)) {
    if (file.endsWith('never')) throw new Error('the licence has expired')
    await pause(20)
  }
  if (method === 'initialize') {
    const serverInfo = { name: 'slow', version: '1' }
    const capabilities = { tools: {}, prompts: {}, resources: {} }
    return { protocolVersion: params.protocolVersion, serverInfo, capabilities }
  }
  if (method === 'tools/list') {
    return { tools: [{ name: 'crawl', inputSchema: { type: 'object' } }] }
  }
  if (!/^(?:tools\/call|(?:prompts|resources)\/list)$/.test(method)) throw new Error('unknown')
  return { content: [{ type: 'text', text: 'there' }], prompts: [], resources: [] }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line)
  if (id === undefined) continue
  result(method, params).then(
    (said) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result: said })),
    ({ message }) =>
      console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_050, message } })),
  )
}
