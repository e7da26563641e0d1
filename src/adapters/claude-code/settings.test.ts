import { expect } from 'vitest'
import { promise } from '../../../test/support/promise.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { openDoors, startedFiles, startsNpx, withHooks } from './settings.ts'

const other = { matcher: 'Bash', hooks: [{ type: 'command', command: 'lint' }] }

promise(['CS-HOOK-4'], 'our hooks are added once, and everything else stays', () => {
  const before = { model: 'x', hooks: { PreToolUse: [other], Stop: [other] } }
  const starter = { by: 'npx' } as const
  const after = withHooks(before, starter)
  expect(withHooks(after, starter)).toEqual(after)
  expect(after).toMatchObject({ model: 'x', hooks: { Stop: [other] } })
  const { PreToolUse } = after.hooks as { PreToolUse: JsonObject[] }
  expect(PreToolUse[0]).toEqual(other)
  expect(PreToolUse).toHaveLength(2)
  expect(openDoors(after)).toEqual([])
  expect(startsNpx(after)).toBe(true)
  expect(startedFiles(after)).toEqual([])
})

promise.each(
  ['CS-HOOK-4'],
  'an installed package is started without npx',
  [
    ['in the project', 'node_modules/countersign/bin/countersign.js'],
    ['in the workspace above', '../../node_modules/countersign/bin/countersign.js'],
  ] as const,
  (_, file) => {
    const after = withHooks(withHooks({}, { by: 'npx' }), { by: 'node', file })
    expect(openDoors(after)).toEqual([])
    expect(startsNpx(after)).toBe(false)
    expect(startedFiles(after)).toEqual([file])
    expect(JSON.stringify(after)).not.toContain('npx')
  },
)

function hooked(hook: JsonObject, matcher: string | undefined = '*'): JsonObject {
  const command = 'npx countersign hook claude-code --project "$CLAUDE_PROJECT_DIR" || exit 2'
  const entry = { type: 'command', command, timeout: 3_600, onFailure: 'block', ...hook }
  const group = { ...(matcher === undefined ? {} : { matcher }), hooks: [entry] }
  return { hooks: { PreToolUse: [group] } }
}

promise.each(
  ['CS-HOOK-4'],
  'settings that let calls through are found',
  [
    ['no hooks at all', {}, /no PreToolUse hook/],
    ['hooks of others only', { hooks: { PreToolUse: [other] } }, /no PreToolUse hook/],
    ['hooks that are off', { ...hooked({}), disableAllHooks: true }, /disableAllHooks/],
    ['some tools only', hooked({}, 'Bash|Edit'), /not every tool/],
    [
      'a failure that lets run',
      hooked({ command: 'countersign hook claude-code', onFailure: 'allow' }),
      /set onFailure to block/,
    ],
    [
      'a hook that waits longer than Claude Code',
      hooked({ command: 'countersign hook claude-code --wait 2h', timeout: 3_600 }),
      /waits 7200 s but Claude Code only 3600 s/,
    ],
    [
      'a hook that does not name the project',
      hooked({ command: 'npx countersign hook claude-code || exit 2' }),
      /--project "\$CLAUDE_PROJECT_DIR"/,
    ],
    [
      'a project that is written out',
      hooked({ command: 'countersign hook claude-code --project /srv/app || exit 2' }),
      /the folder of the agent decides/,
    ],
    ['a timeout that is shorter than the wait', hooked({ timeout: 60 }), /only 60 s/],
  ] as const,
  (_, settings, expected) => {
    expect(openDoors(settings as unknown as JsonObject).join('\n')).toMatch(expected)
  },
)

promise(['CS-HOOK-4'], 'settings that fail closed have nothing to mend', () => {
  expect(openDoors(hooked({}))).toEqual([])
  expect(openDoors(hooked({}, undefined))).toEqual([])
})
