import path from 'node:path'
import { expect } from 'vitest'
import { folder } from '../cli/countersign.ts'
import { promise } from '../support/promise.ts'
import { place, question } from './gateway.ts'
import { HELLO, rawClient } from './raw-client.ts'

const RAW = path.resolve(import.meta.dirname, 'raw-server.ts')
const READ = { name: 'read', arguments: {} }

promise(
  ['CS-MCP-1'],
  'a command does not get what npm told countersign to run, and keeps the rest',
  async () => {
    const at = place('version: 1\nmcp_servers:\n  - { alias: raw, approval: false }\n')
    const client = rawClient(at, {
      args: ['--name', 'raw'],
      command: [process.execPath, RAW, '{"content":[{"type":"text","text":"$ENV"}]}'],
      env: { npm_config_package: 'countersign', npm_command: 'exec', MY_OWN: 'stays' },
    })
    await client.ask(1, 'initialize', HELLO)
    const { result } = JSON.parse(await client.ask(2, 'tools/call', READ))
    const seen = JSON.parse(result.content[0].text)
    expect(seen).toMatchObject({ MY_OWN: 'stays' })
    expect(seen).not.toHaveProperty('npm_config_package')
    expect(seen).not.toHaveProperty('npm_command')
  },
)

promise.each(
  ['CS-MCP-1'],
  'a server whose file says nothing is called after its folder',
  [
    ['node_modules/@acme/teller/dist/index.js', 'teller'],
    ['vault/src/main.ts', 'vault'],
    ['vault/clerk.js', 'clerk'],
  ],
  async (file, alias) => {
    const at = place()
    const started = path.join(folder({ [file]: `await import(${JSON.stringify(RAW)})` }), file)
    const client = rawClient(at, { args: ['--hold', '0'], command: [process.execPath, started] })
    await client.ask(1, 'initialize', HELLO)
    await client.ask(2, 'tools/call', READ)
    expect((await question(at)).call.server).toBe(alias)
  },
)
