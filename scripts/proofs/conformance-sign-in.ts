/**
 * The scenarios of MCP's conformance suite for clients that sign in, with Countersign before the
 * suite's server, compared with docs/mcp-conformance.md.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '../..')
const suite = path.join(root, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
const client = path.join(root, 'test/mcp/conformance-sign-in-client.ts')
const page = readFileSync(path.join(root, 'docs/mcp-conformance.md'), 'utf8')
const [, part = ''] = page.split('\n## Signing in at servers\n')
const rows = [...(part.split('\n## ')[0] ?? '').matchAll(/^\| `(auth\/[^`]+)` \| (\d+) of (\d+)/gm)]
const cwd = mkdtempSync(path.join(tmpdir(), 'countersign-conformance-'))
let different = rows.length === 0 ? 1 : 0
for (const [, scenario = '', passed, all] of rows) {
  const args = [suite, 'client', '--command', `${process.execPath} ${client}`]
  const { stdout, stderr } = spawnSync(process.execPath, [...args, '--scenario', scenario], {
    cwd,
    encoding: 'utf8',
  })
  const [, found, of] = /Passed: (\d+)\/(\d+)/.exec(`${stdout}${stderr}`) ?? []
  const isSame = found === passed && of === all
  if (!isSame) different += 1
  process.stdout.write(`${isSame ? 'same  ' : 'OTHER '} ${scenario}: ${found} of ${of}\n`)
}
rmSync(cwd, { recursive: true, force: true })
process.exitCode = different === 0 ? 0 : 1
