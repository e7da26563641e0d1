import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import { folder } from '../cli/countersign.ts'
import { program } from '../support/make.ts'
import { promise } from '../support/promise.ts'
import { suite, withCredentials } from './conformance.ts'
import { gateway } from './http-gateway.ts'

/** Each session of the suite starts both servers: they compile once. */
const CACHE = process.env.NODE_COMPILE_CACHE ?? ''
const here = (file: string) => path.join(import.meta.dirname, file)
const server = async (alias: string, file: string) =>
  `  - { alias: ${alias}, approval: false, command: ${process.execPath}, args: [${await program(here(file), { whole: true })}], env: { NODE_COMPILE_CACHE: "${CACHE}" } }\n`

/** The rows of one table of the docs, as `name: passed`. */
function documented(heading: string): string[] {
  const page = readFileSync(here('../../docs/mcp-conformance.md'), 'utf8')
  const [, part = ''] = page.split(`## ${heading}\n`)
  const rows = (part.split('\n## ')[0] ?? '').matchAll(/^\| `([^`]+)` \| (\d+) of (\d+)/gm)
  return [...rows].map(([, name, passed, all]) => `${name}: ${passed} of ${all}`)
}

promise(
  ['CS-MCP-27'],
  'the conformance suite for servers passes at /mcp, as the docs say',
  async () => {
    const policy = `version: 1\nmcp_servers:\n${await server('test', 'conformance-upstream.ts')}${await server('json', 'schema-upstream.ts')}`
    const at = await gateway(policy)
    const url = await withCredentials(at.url, await at.agent('suite'))
    const said = await suite(['server', '--url', url.href, '--suite', 'all'], folder())
    const found = [...said.matchAll(/^[✓✗] (\S+): (\d+) passed, (\d+) failed/gm)]
    const rows = found.map(
      ([, name, passed, failed]) => `${name}: ${passed} of ${Number(passed) + Number(failed)}`,
    )
    expect(rows.sort()).toEqual(documented('As a server, at `/mcp`').sort())
    expect(rows.length).toBe(32)
  },
  120_000,
)

promise(
  ['CS-MCP-27'],
  'the conformance suite for clients passes for what speaks to servers',
  async () => {
    const scenarios = [
      'initialize',
      'tools_call',
      'elicitation-sep1034-client-defaults',
      'sse-retry',
    ]
    const command = `${process.execPath} ${here('conformance-client.ts')}`
    const expected = documented('As a client of servers')
    const play = async (scenario: string) => {
      const said = await suite(['client', '--command', command, '--scenario', scenario], folder())
      const [, passed, all] = /Passed: (\d+)\/(\d+)/.exec(said) ?? []
      return `${scenario}: ${passed} of ${all}`
    }
    const rows: string[] = []
    for (const scenario of scenarios) {
      let row = await play(scenario)
      // It measures when the client comes again, to fractions of a second: a busy machine is late.
      for (let again = 0; scenario === 'sse-retry' && again < 2; again += 1) {
        if (!expected.includes(row)) row = await play(scenario)
      }
      rows.push(row)
    }
    expect(rows).toEqual(expected)
  },
  120_000,
)
