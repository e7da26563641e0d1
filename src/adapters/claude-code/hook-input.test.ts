import { expect, test } from 'vitest'
import { readHookInput } from './hook-input.ts'

const told = {
  session_id: 's1',
  cwd: '/srv/app',
  hook_event_name: 'PreToolUse',
  tool_name: 'Bash',
  tool_input: { command: 'ls' },
  tool_use_id: 'toolu_1',
}

const read = (more: object) => readHookInput(Buffer.from(JSON.stringify({ ...told, ...more })))

test.each([
  ['a tool of its own', 'Bash', undefined, { tool: 'Bash' }],
  ['an MCP tool', 'mcp__bank__pay', undefined, { server: 'bank', tool: 'pay' }],
  [
    'underscores in the tool',
    'mcp__bank__pay__now',
    undefined,
    { server: 'bank', tool: 'pay__now' },
  ],
  [
    'a server with underscores',
    'mcp__my__bank__pay',
    'my__bank',
    { server: 'my__bank', tool: 'pay' },
  ],
  ['a server with a space', 'mcp__my_bank__pay', 'my bank', { server: 'my bank', tool: 'pay' }],
  ['a server that is not in the name', 'mcp__bank__pay', 'other', { server: 'bank', tool: 'pay' }],
])('names are understood: %s', (_, tool_name, server, expected) => {
  const input = read({ tool_name, ...(server ? { mcp_server: { name: server } } : {}) })
  expect({ tool: input.tool, ...(input.server ? { server: input.server } : {}) }).toEqual(expected)
})

test.each([
  ['another event', { hook_event_name: 'Stop' }],
  ['no event', { hook_event_name: undefined }],
  ['arguments that are a list', { tool_input: [] }],
  ['no arguments', { tool_input: undefined }],
  ['no session', { session_id: '' }],
  ['a name that is a number', { tool_name: 7 }],
  ['a server without a tool', { tool_name: 'mcp__bank' }],
  ['no name of the attempt', { tool_use_id: undefined }],
])('what is not exactly understood is refused: %s', (_, more) => {
  expect(() => read(more)).toThrow(/not understood/)
})

test.each([
  ['nothing', ''],
  ['half of it', '{"session_id":"s1",'],
  ['one key twice', '{"tool_name":"Read","tool_name":"Bash"}'],
  ['a list', '[]'],
])('input that is no such object is refused: %s', (_, text) => {
  expect(() => readHookInput(Buffer.from(text))).toThrow()
})
