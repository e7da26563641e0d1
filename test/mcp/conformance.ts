import { spawn } from 'node:child_process'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { cleanEnv } from '../cli/countersign.ts'
import { credentialsProxy } from './credentials-proxy.ts'

const SUITE = path.resolve(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/conformance/dist/index.js',
)

/** `/mcp` for the suite, which brings no credentials. Closed after the test. */
export async function withCredentials(
  target: URL,
  headers: Readonly<Record<string, string>>,
): Promise<URL> {
  const { url, close } = await credentialsProxy(target, headers)
  onTestFinished(close)
  return url
}

/** Everything the suite prints. */
export function suite(args: readonly string[], cwd: string): Promise<string> {
  const child = spawn(process.execPath, [SUITE, ...args], {
    cwd,
    env: cleanEnv(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', () => resolve(said))
  })
}
