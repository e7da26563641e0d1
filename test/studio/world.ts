import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { onTestFinished, vi } from 'vitest'
import type { PublishAnswer, StudioTool, WireToolSpec } from '../../src/api/studio/studio.ts'
import { composeCountersign } from '../../src/app/create-countersign.ts'
import { mcpGateway } from '../../src/app/mcp-gateway.ts'
import { toolStudio } from '../../src/app/studio.ts'
import { setAccount } from '../../src/server/identity/people.ts'
import { serve } from '../../src/server/serve.ts'
import { memoryKeys } from '../../src/store/audit/key-folder.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { signedIn } from '../mcp/signed-in.ts'
import { loadPolicyText } from './policy-text.ts'

export const SPEC: WireToolSpec = {
  description: 'Adds two numbers.',
  language: 'typescript',
  source: 'export default ({ a, b }: { a: number; b: number }) => ({ sum: a + b })',
  inputSchema: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
  },
  capabilities: { net: [], write: false, secrets: [], kv: false, irreversible: false },
  hitl: { mode: 'DISABLED' },
  test: { args: { a: 1, b: 2 }, expect: { sum: 3 } },
}

/** A bank that notes what it is told, for tools of the studio to call. */
export async function witness() {
  const heard: { url: string; authorization: string | undefined }[] = []
  const server = createServer((request, response) => {
    heard.push({ url: request.url ?? '', authorization: request.headers.authorization })
    response.end('{"ok":true}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { heard, host: `127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** The whole server on a socket, with a studio. */
export async function world(policy = 'version: 1\n', allowHosts: readonly string[] = []) {
  const store = memoryStore()
  const env: Record<string, string> = {}
  const { countersign, internals } = composeCountersign({
    store,
    policy: loadPolicyText(policy),
    keys: memoryKeys(),
    mcp: mcpGateway({ env, hold: 20_000 }),
    studio: toolStudio({ allowHosts }),
    publicUrl: 'http://127.0.0.1:1/',
  })
  await countersign.ready()
  const serving = await serve(countersign, { host: '127.0.0.1', port: 0 })
  const { server } = internals()
  onTestFinished(async () => {
    await countersign.close()
    await serving.close()
    await store.close()
  })
  const url = new URL('mcp', serving.url)
  const at = { url, store } as never
  const ana = { issuer: 'local', subject: 'ana@example.com', roles: ['approver'] as const }
  await setAccount(store.records, ana)
  const author = await signedIn(at, 'otto@example.com', ['author'])

  return {
    store,
    env,
    server,
    author,
    url,
    signedIn: (email: string, roles: Parameters<typeof signedIn>[2]) => signedIn(at, email, roles),
    async save(name: string, spec: WireToolSpec, revision?: number): Promise<StudioTool> {
      const body = { spec, ...(revision === undefined ? {} : { revision }) }
      const answer = await author.send('PUT', `/v1/studio/tools/${name}`, body)
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
      return answer.body as StudioTool
    },
    async publish(name: string, { revision, lowers }: { revision: number; lowers?: boolean }) {
      const body = { revision, ...(lowers === undefined ? {} : { lowers }) }
      const answer = await author.send('POST', `/v1/studio/tools/${name}/publish`, body)
      return { status: answer.status, body: answer.body as PublishAnswer }
    },
    /** A real client of `/mcp`, with a token of its own. */
    async client(): Promise<Client> {
      const { token } = await server.credentials.tokens.create({ agent: 'bot' })
      const client = new Client({ name: 'test', version: '1' })
      const headers = { authorization: `Bearer ${token}` }
      await client.connect(
        new StreamableHTTPClientTransport(url, { requestInit: { headers } }) as never,
      )
      onTestFinished(() => client.close())
      return client
    },
    async asked() {
      return vi.waitFor(
        async () => {
          const [one] = (await store.list({ status: ['pending'] })).approvals
          if (!one) throw new Error('nothing is asked')
          return one
        },
        { timeout: 20_000, interval: 20 },
      )
    },
    async approve(id: string, digest: string) {
      const by = server.credentials.accounts.person(ana, 'signed-in')
      await server.gate.approvals.decide(id, { by, verdict: 'approve', seen: digest })
    },
  }
}
