import { createInterface } from 'node:readline'

// A server whose answers to calls are written by hand: `$ID` in its first argument is the id.
const [, , written = ''] = process.argv
const tools = ['open', 'shut'].map((name) => ({ name, inputSchema: { type: 'object' } }))

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) continue
  const say = (result: object) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }))
  if (method === 'initialize') {
    const { protocolVersion } = params
    const serverInfo = { name: 'odd', version: '1' }
    say({ protocolVersion, serverInfo, capabilities: { tools: {} } })
  } else if (method === 'tools/list') say({ tools })
  else console.log(written.replace('$ID', JSON.stringify(id)))
}
