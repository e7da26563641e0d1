/**
 * How many files of src one call crosses, one `tools/call` crosses in the gateway, and one decision
 * crosses on the server: `npm run call-path` (add `-- --list`, `-- --only decision`). Counted by V8: a file counts when at
 * least one of its functions runs each time.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { filesRun } from './call-path/files-run.ts'
import { callPath, decisionPath, mcpPath } from './call-path/paths.ts'

const PATHS = [
  { name: 'call', measure: callPath, goal: 60 },
  { name: 'mcp', measure: mcpPath, goal: 20 },
  { name: 'decision', measure: decisionPath, goal: 45 },
] as const

const { values } = parseArgs({
  options: { list: { type: 'boolean', default: false }, only: { type: 'string' } },
})

/** `base 7, gate 20`, largest room first. */
function rooms(files: readonly string[]): [string, string[]][] {
  const byRoom = Map.groupBy(files, (file) => file.split('/')[0] ?? '')
  return [...byRoom].sort(([, a], [, b]) => b.length - a.length)
}

const folder = mkdtempSync(path.join(tmpdir(), 'countersign-path-'))
const counted = await filesRun()
let isOver = false
for (const { name, measure, goal } of PATHS) {
  if (values.only !== undefined && values.only !== name) continue
  const files = await measure(counted, path.join(folder, `${name}.db`))
  isOver ||= files.length > goal
  const inRooms = rooms(files)
  const summary = inRooms.map(([room, inRoom]) => `${room} ${inRoom.length}`).join(', ')
  process.stdout.write(`${name}: ${files.length} files of src, goal ${goal} (${summary})\n`)
  if (!values.list) continue
  for (const [room, inRoom] of inRooms) {
    process.stdout.write(`\n  ${room} (${inRoom.length})\n`)
    for (const file of inRoom) process.stdout.write(`    ${file}\n`)
  }
  process.stdout.write('\n')
}
rmSync(folder, { recursive: true })
process.exitCode = isOver ? 1 : 0
