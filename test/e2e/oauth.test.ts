import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, vi } from 'vitest'
import { ensureInbox } from '../../inbox/build.ts'
import { barriers } from '../../inbox/test/browser-page.ts'
import { type RunningServer, runServer } from '../cli/running-server.ts'
import { BANK } from '../mcp/gateway.ts'
import { borrowBrowser, giveBack } from '../support/browser.ts'
import { promise } from '../support/promise.ts'
import { selfSigned } from '../support/self-signed.ts'
import { goTo, takeSeat } from './real-inbox.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })

const folder = mkdtempSync(path.join(tmpdir(), 'countersign-oauth-'))
const POLICY = `version: 1
mcp_servers:
  - { alias: bank, command: ${process.execPath}, args: [${BANK}], approval: true }
`

let server: RunningServer
let browser: Awaited<ReturnType<typeof borrowBrowser>>
let documents: ReturnType<typeof createTlsServer>
let clientId: string

/** The document of the client, as its makers publish it: over TLS, at the address that is its id. */
const publish: RequestListener = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(
    JSON.stringify({
      client_id: clientId,
      client_name: 'Claude, approved by your company',
      redirect_uris: ['http://127.0.0.1/callback'],
      token_endpoint_auth_method: 'none',
    }),
  )
}

beforeAll(async () => {
  await ensureInbox()
  const { key, cert } = selfSigned()
  const authority = path.join(folder, 'authority.pem')
  writeFileSync(authority, cert)
  documents = createTlsServer({ key, cert }, publish)
  await new Promise<void>((resolve) => documents.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(documents.address() as AddressInfo).port}`
  clientId = `https://${host}/client.json`
  server = await runServer(POLICY, ['--oauth-allow', host], { NODE_EXTRA_CA_CERTS: authority })
  browser = await borrowBrowser()
})

afterAll(async () => {
  await giveBack(browser)
  await server?.remove()
  documents?.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Where a client on somebody's machine waits for the browser, on a port it was given. */
async function listening() {
  let arrived: (query: URLSearchParams) => void = () => {}
  const query = new Promise<URLSearchParams>((resolve) => {
    arrived = resolve
  })
  const listener = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://127.0.0.1')
    response.end('You can close this page.')
    if (url.pathname === '/callback') arrived(url.searchParams)
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void listener.close())
  const { port } = listener.address() as AddressInfo
  return { redirectUrl: `http://127.0.0.1:${port}/callback`, query }
}

type Found<K extends 'clientInformation' | 'tokens'> = Awaited<ReturnType<OAuthClientProvider[K]>>
type Discovered = Parameters<NonNullable<OAuthClientProvider['saveDiscoveryState']>>[0]

interface Kept {
  client?: Found<'clientInformation'>
  tokens?: Found<'tokens'>
  discovered?: Discovered
  verifier?: string
  opened?: URL
}

/** A client of the SDK: discovery, PKCE, resource and `iss` are its own code, not ours. */
function provider(redirectUrl: string, kept: Kept): OAuthClientProvider {
  const keep = (more: Kept) => void Object.assign(kept, more)
  return {
    redirectUrl,
    clientMetadataUrl: clientId,
    clientMetadata: { redirect_uris: [redirectUrl] },
    state: () => 'a state',
    clientInformation: () => kept.client,
    saveClientInformation: (client) => keep({ client }),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => keep({ tokens }),
    discoveryState: () => kept.discovered,
    saveDiscoveryState: (discovered) => keep({ discovered }),
    redirectToAuthorization: (url) => keep({ opened: url }),
    saveCodeVerifier: (verifier) => keep({ verifier }),
    codeVerifier: () => kept.verifier ?? '',
  }
}

async function opened(page: Page, url: URL | undefined): Promise<void> {
  const response = await page.goto(url?.href ?? '')
  const headers = response?.headers() ?? {}
  expect(headers['x-frame-options']).toBe('DENY')
  expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
  await page.getByRole('heading', { name: /^Let a client of 127\.0\.0\.1/ }).waitFor()
}

promise(
  ['CS-OA-2', 'CS-OA-1', 'CS-OA-8', 'CS-OA-11'],
  'a client of the SDK comes in through the browser of a person, and leaves when they say so',
  async () => {
    const { page, problems, close } = await takeSeat(browser, server, 'ana@example.com')
    onTestFinished(close)
    const kept: Kept = {}
    const { redirectUrl, query } = await listening()
    const url = new URL('mcp', server.url)
    const authProvider = provider(redirectUrl, kept)
    const transport = new StreamableHTTPClientTransport(url, { authProvider })
    const client = new Client({ name: 'sdk', version: '1' })
    await expect(client.connect(transport)).rejects.toThrow()
    expect(kept.opened?.pathname).toBe('/oauth/authorize')

    await opened(page, kept.opened)
    expect(await barriers(page)).toEqual([])
    await page.getByText('Claude, approved by your company').waitFor()
    await page.getByText('a program on your own machine').waitFor()
    await page.getByRole('button', { name: 'Allow' }).click()
    const callback = await query
    expect(callback.get('iss')).toBe(server.url.replace(/\/$/, ''))
    await transport.finishAuth(callback)
    const again = new Client({ name: 'sdk', version: '1' })
    await again.connect(new StreamableHTTPClientTransport(url, { authProvider }))
    onTestFinished(() => again.close())
    const { tools } = await again.listTools()
    expect(tools.map(({ name }) => name)).toContain('bank_pay')

    await page.goto(server.url)
    await page.getByRole('link', { name: 'History' }).first().waitFor()
    await goTo(page, '/clients')
    await page.getByText('127.0.0.1').first().waitFor()
    expect(await barriers(page)).toEqual([])
    await page.getByRole('button', { name: 'End…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'End', exact: true }).click()
    await page.getByText('No client is connected.').waitFor()
    delete kept.tokens
    delete kept.opened
    await expect(again.listTools()).rejects.toThrow()
    expect(kept.opened).toBeDefined()
    expect(problems).toEqual([])
  },
)

promise(['CS-OA-9'], 'a person who refuses in the browser sends the client away', async () => {
  const { page, problems, close } = await takeSeat(browser, server, 'bo@example.com')
  onTestFinished(close)
  const kept: Kept = {}
  const { redirectUrl, query } = await listening()
  const authProvider = provider(redirectUrl, kept)
  const transport = new StreamableHTTPClientTransport(new URL('mcp', server.url), { authProvider })
  await expect(new Client({ name: 'sdk', version: '1' }).connect(transport)).rejects.toThrow()
  await opened(page, kept.opened)
  await page.getByRole('button', { name: 'Refuse' }).click()
  const callback = await query
  expect(callback.get('error')).toBe('access_denied')
  await expect(transport.finishAuth(callback)).rejects.toThrow()
  expect(kept.tokens).toBeUndefined()
  expect(problems).toEqual([])
})
