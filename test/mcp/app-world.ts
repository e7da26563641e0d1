import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { vi } from 'vitest'
import { folder } from '../cli/countersign.ts'
import { BANK } from './gateway.ts'
import { type Gateway, gateway } from './http-gateway.ts'

export const URI = 'ui://countersign/approval.html'
export const APPS = {
  extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
}
const PAGES = path.resolve(import.meta.dirname, 'page-upstream.ts')

/** A bank whose calls ask, before clients that are not kept waiting. */
export async function bankBehind({ fakesPage = false } = {}) {
  const witness = path.join(folder(), 'witness')
  const bank = `{ alias: bank, command: ${process.execPath}, args: [${BANK}], env: { WITNESS: ${witness} }, approval: true }`
  const pages = `{ alias: pages, command: ${process.execPath}, args: [${PAGES}] }`
  const servers = fakesPage ? [bank, pages] : [bank]
  const at = await gateway(
    `version: 1\nmcp_servers:\n${servers.map((one) => `  - ${one}\n`).join('')}`,
    { hold: 1 },
  )
  return { at, ran: () => (existsSync(witness) ? readFileSync(witness, 'utf8') : '') }
}

/** The approval that a call waits for. Clients of the newer era are not answered before people are. */
export async function askedBy(
  { store }: Pick<Gateway, 'store'>,
  client: { callTool(params: never): Promise<unknown> },
  params: object,
): Promise<string> {
  // Whatever becomes of it: the client leaves while it waits.
  void client.callTool(params as never).catch(() => {})
  return vi.waitFor(
    async () => {
      const [one] = (await store.list({ status: ['pending'] })).approvals
      if (!one) throw new Error('nothing is asked')
      return one.id
    },
    { timeout: 20_000, interval: 20 },
  )
}
