import { createInterface } from 'node:readline'

// A server whose results are written by hand: the text of its first argument, to the letter.
const [, , written = '{}'] = process.argv

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) continue
  const say = (result: string) =>
    process.stdout.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}\n`)
  if (method === 'initialize') {
    const { protocolVersion } = params
    const serverInfo = { name: 'raw', version: '1' }
    const capabilities = { tools: {}, resources: {} }
    say(JSON.stringify({ protocolVersion, serverInfo, capabilities }))
  } else if (method === 'tools/list') {
    say('{"tools":[{"name":"read","inputSchema":{"type":"object"}}]}')
  } else say(written.replaceAll('$ENV', JSON.stringify(JSON.stringify(process.env)).slice(1, -1)))
}
