import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect } from 'vitest'
import { promise } from '../../../test/support/promise.ts'
import type { HookInput } from './hook-input.ts'
import { touchesOwnFiles } from './own-files.ts'

const cwd = mkdtempSync(path.join(tmpdir(), 'countersign-own-'))
mkdirSync(path.join(cwd, '.countersign'))
symlinkSync('.countersign', path.join(cwd, 'notes'))
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

const own = { paths: [path.join(cwd, '.countersign'), path.join(cwd, 'countersign.yaml')] }

function touches(tool: string, args: HookInput['args'], server?: string): boolean {
  const input: HookInput = {
    event: 'PreToolUse',
    session: 's',
    cwd,
    tool,
    ...(server === undefined ? {} : { server }),
    args,
    attempt: 'a',
  }
  return touchesOwnFiles(input, own) !== undefined
}

promise.each(
  ['CS-HOOK-3'],
  'kept away',
  [
    ['a command of ours', 'Bash', { command: 'npx countersign approve abc' }],
    ['the same in quotes', 'Bash', { command: 'npx "counter"sign approve abc' }],
    ['our database in a shell', 'Bash', { command: 'sqlite3 .countersign/approvals.db' }],
    ['the settings in a shell', 'Bash', { command: 'rm .claude/settings.json' }],
    ['the policy', 'Write', { file_path: 'countersign.yaml', content: '' }],
    ['the policy, the long way', 'Edit', { file_path: './x/../countersign.yaml' }],
    ['our state', 'Write', { file_path: '.countersign/server.json', content: '' }],
    ['our state through a link', 'Write', { file_path: 'notes/keys/new.json', content: '' }],
    ['the settings', 'Edit', { file_path: '.claude/settings.local.json' }],
    ['the settings at home', 'Write', { file_path: '~/.claude/settings.json' }],
    ['a path inside a list', 'MultiEdit', { edits: [{ path: 'countersign.yaml' }] }],
  ] as const,
  (_, tool, args) => {
    expect(touches(tool, args as unknown as HookInput['args'])).toBe(true)
  },
)

promise(['CS-HOOK-3'], 'an MCP server that writes files is kept away as well', () => {
  expect(touches('write_file', { path: 'countersign.yaml' }, 'files')).toBe(true)
})

promise.each(
  ['CS-HOOK-3'],
  'left alone',
  [
    ['other commands', 'Bash', { command: 'git status' }],
    ['other files', 'Write', { file_path: 'src/main.ts', content: 'about countersign.yaml' }],
    ['reading the policy', 'Read', { file_path: 'countersign.yaml' }],
    ['a folder with a longer name', 'Write', { file_path: '.countersign-notes/a.txt' }],
  ] as const,
  (_, tool, args) => {
    expect(touches(tool, args as unknown as HookInput['args'])).toBe(false)
  },
)
