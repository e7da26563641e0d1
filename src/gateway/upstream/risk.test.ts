import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { assessRisk } from './risk.ts'

test.each([
  ['list_files', {}, undefined, 'L0'],
  ['fetch_page', {}, undefined, 'L1'],
  ['search', { inputSchema: { properties: { url: {} } } }, undefined, 'L1'],
  ['createIssue', {}, undefined, 'L2'],
  ['send_mail', {}, undefined, 'L3'],
  ['delete_file', {}, undefined, 'L4'],
  ['look', { inputSchema: { properties: { command: {} } } }, undefined, 'L4'],
  ['dropTable', {}, undefined, 'L5'],
  ['look', { annotations: { destructiveHint: true } }, undefined, 'L4'],
  // What a server says of itself never lowers anything, and nothing lowers the operator's word.
  ['delete_file', { annotations: { readOnlyHint: true, destructiveHint: false } }, undefined, 'L4'],
  ['list_files', {}, 'L3', 'L3'],
  ['drop_table', {}, 'L1', 'L5'],
  ['constructor', { inputSchema: 'none', annotations: [] }, undefined, 'L0'],
  ['undeleted', {}, undefined, 'L0'],
] as const)('%s %j, said to be %s, is %s', (tool, definition, said, risk) => {
  expect(assessRisk(tool, JSON.parse(JSON.stringify(definition)), said).risk).toBe(risk)
})

test.each([
  ['drop_table', {}, 'L1', { from: 'name', sign: 'drop' }],
  ['look', { inputSchema: { properties: { command: {} } } }, undefined, { from: 'schema' }],
  ['look', { annotations: { destructiveHint: true } }, undefined, { from: 'annotations' }],
  ['delete_file', {}, 'L4', { from: 'operator' }],
  ['look', {}, undefined, { from: 'nothing' }],
] as const)('%s %j, said to be %s, is so because of %j', (tool, definition, said, why) => {
  expect(assessRisk(tool, JSON.parse(JSON.stringify(definition)), said)).toMatchObject(why)
})

const GUIDE = path.resolve(import.meta.dirname, '../../../docs/guides/mcp.md')
const ROWS = [...readFileSync(GUIDE, 'utf8').matchAll(/^\| (L\d) \|(.*)\|(.*)\|(.*)\|$/gm)]

test('the guide has a row for each risk that is told from something', () => {
  expect(ROWS.map(([, risk]) => risk)).toEqual(['L5', 'L4', 'L3', 'L2', 'L1'])
})

test.each(ROWS.map(([, risk = '', ...columns]) => [risk, columns] as const))(
  'what the guide says is %s is so',
  (risk, columns) => {
    const [names = [], members = [], hints = []] = columns.map((text) => text.match(/\w+/g) ?? [])
    const found = [
      ...names.map((name) => assessRisk(`my_${name}`, {}, undefined)),
      ...members.map((one) =>
        assessRisk('look', { inputSchema: { properties: { [one]: {} } } }, undefined),
      ),
      ...hints.map((hint) => assessRisk('look', { annotations: { [hint]: true } }, undefined)),
    ]
    const signs = [...names, ...members, ...hints]
    expect(found.map(({ risk: is, sign }) => [is, sign])).toEqual(signs.map((one) => [risk, one]))
  },
)
