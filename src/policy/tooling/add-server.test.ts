import { expect, test } from 'vitest'
import { entryLines, type ServerEntry } from '../../api/mcp/server-entry.ts'
import { withServer } from './add-server.ts'

const FILES: ServerEntry = { alias: 'files', url: 'https://mcp.example.com/mcp' }
const item = entryLines(FILES)
const LINES = ['- alias: "files"', '  url: "https://mcp.example.com/mcp"', '  approval: true']

test.each([
  ['a file without servers', 'version: 1\n# end\n', 'version: 1\n# end\nmcp_servers:\n  ITEM\n'],
  ['a file without a last line break', 'version: 1', 'version: 1\nmcp_servers:\n  ITEM\n'],
  [
    'the last item of a list, before what follows',
    'mcp_servers: # ours\n  - alias: a\n    url: https://a.example # the old one\n\n# tools\nversion: 1\n',
    'mcp_servers: # ours\n  - alias: a\n    url: https://a.example # the old one\n  ITEM\n\n# tools\nversion: 1\n',
  ],
  [
    'a list at the margin',
    'version: 1\nmcp_servers:\n- alias: a\n  url: https://a.example\n',
    'version: 1\nmcp_servers:\n- alias: a\n  url: https://a.example\nITEM\n',
  ],
  [
    'an item that ends in a block of text',
    'version: 1\nmcp_servers:\n  - alias: a\n    description: |\n      one - two\n      three\ntests: []\n',
    'version: 1\nmcp_servers:\n  - alias: a\n    description: |\n      one - two\n      three\n  ITEM\ntests: []\n',
  ],
])('%s gets the lines and keeps every other character', (_, before, after) => {
  const indent = /( *)ITEM/.exec(after)?.[1] ?? ''
  expect(withServer(before, item)).toBe(
    after.replace(/ *ITEM/, LINES.map((line) => indent + line).join('\n')),
  )
})

test('line breaks stay those of the file', () => {
  const before = 'version: 1\r\nmcp_servers:\r\n  - alias: a\r\n    url: https://a.example\r\n'
  expect(withServer(before, item)).toBe(`${before}${LINES.map((line) => `  ${line}\r\n`).join('')}`)
})

test.each([
  ['a list in brackets', 'version: 1\nmcp_servers: [{ alias: a, url: "https://a.example" }]\n'],
  ['a list that holds nothing', 'version: 1\nmcp_servers:\n'],
  ['an Agent Format file', 'version: 1\naction_space:\n  mcp_servers: []\n'],
  ['JSON', '{"version": 1}'],
  ['what is no YAML', 'version: [1\n'],
  // Its blank lines belong to the text: lines put before them would change it.
  [
    'a text that keeps its end',
    'mcp_servers:\n  - alias: a\n    url: |+\n      https://a.example\n\n\n',
  ],
])('%s is left to people', (_, text) => {
  expect(() => withServer(text, item)).toThrow('not written in a way this can add to')
})

test('lines that would say more than one item are refused', () => {
  const sly = ['- alias: "x"', 'tools: []']
  expect(() => withServer('version: 1\n', sly)).toThrow('not written in a way')
})
