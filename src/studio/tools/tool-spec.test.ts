import { expect, test } from 'vitest'
import { checkSpec, type ToolSpec } from './tool-spec.ts'

const spec = (source: string): ToolSpec => ({
  description: 'Adds.',
  language: 'javascript',
  source,
  inputSchema: { type: 'object', properties: {} },
  capabilities: { net: [], write: false, secrets: [], kv: false, irreversible: false },
  hitl: { mode: 'DISABLED' },
  test: { args: {} },
})

test.each([
  ['a line end that no editor shows', '// harmless\u2028steal()', 'line 1', 'U+2028'],
  ['a direction mark', 'export default () => 1\n/* \u202e } */', 'line 2', 'U+202E'],
  ['an isolate', "const admin = 'user\u2066'", 'line 1', 'U+2066'],
])('a source with %s is refused', (_, source, line, name) => {
  expect(() => checkSpec(spec(source))).toThrow(line)
  expect(() => checkSpec(spec(source))).toThrow(name)
})

test('text in any language, and these characters as escapes, are sources', () => {
  for (const source of ["export default () => 'שלום 你好'", "export default () => '\\u202e'"]) {
    expect(() => checkSpec(spec(source))).not.toThrow()
  }
})
