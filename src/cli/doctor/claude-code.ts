import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { openDoors, startedFiles, startsNpx } from '../../adapters/claude-code/settings.ts'
import { isPlainObject, type JsonObject } from '../../base/json/json.ts'
import { parseStrict } from '../../base/json/strict-json.ts'
import { findPolicy, POLICY_FILE } from '../files.ts'
import { type Finding, note, ok, problem } from './finding.ts'

const CHECK = 'Claude Code'
const NAMES = ['settings.json', 'settings.local.json']

/** Settings that should make Claude Code ask, and would let calls through all the same. */
export function claudeCodeFindings(cwd: string): Finding[] {
  const found = NAMES.map((name) => path.join(cwd, '.claude', name)).filter(existsSync)
  const read = found.map((file) => ({ file, text: readFileSync(file, 'utf8') }))
  // A user who never installed our hooks has none that could be wrong.
  if (!read.some(({ text }) => text.includes('countersign'))) return []
  const settings: JsonObject[] = []
  for (const { file, text } of read) {
    const value = parsed(text)
    if (value === undefined) {
      const says = `${path.relative(cwd, file)} is not a JSON object, so Claude Code runs without it`
      return [problem(CHECK, says, 'Mend the file, then run `countersign init claude-code`.')]
    }
    settings.push(value)
  }
  const off = settings.some(({ disableAllHooks }) => disableAllHooks === true)
  const hooked =
    settings.find((one) => JSON.stringify(one.hooks ?? {}).includes('countersign')) ?? {}
  const doors = openDoors({ ...hooked, ...(off ? { disableAllHooks: true } : {}) })
  const problems = [...doors.map((door) => problem(CHECK, door, AGAIN)), ...blocked(cwd, hooked)]
  return [
    ...(problems.length === 0
      ? [ok(CHECK, 'every call goes through the hook, and failures block')]
      : problems),
    ...(startsNpx(hooked)
      ? [
          note(
            CHECK,
            'the hook starts through npx, which takes about a second for every call',
            FASTER,
          ),
        ]
      : []),
  ]
}

const AGAIN = 'Run `countersign init claude-code` again.'
const FASTER = 'Run `npm install --save-dev countersign`, then `npx countersign init claude-code`.'

/** What makes the hook refuse every call. */
function blocked(cwd: string, settings: JsonObject): Finding[] {
  const missing = startedFiles(settings).filter((file) => !existsSync(path.resolve(cwd, file)))
  return [
    ...missing.map((file) =>
      problem(
        CHECK,
        `the hook starts ${file}, which is not there, so no call runs`,
        `Run \`npm install\`, or: ${AGAIN}`,
      ),
    ),
    ...(findPolicy(cwd) === undefined
      ? [
          problem(
            CHECK,
            `there is no ${POLICY_FILE} in this folder or above it, so no call runs`,
            AGAIN,
          ),
        ]
      : []),
  ]
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value = parseStrict(text)
    return isPlainObject(value) ? (value as JsonObject) : undefined
  } catch {
    return undefined
  }
}
