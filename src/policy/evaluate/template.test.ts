import { expect, test } from 'vitest'
import { DEFAULT_TEMPLATE, parsePrompt, parseTemplate, render, type Scope } from './template.ts'

const scope: Scope = {
  tool_name: 'pay',
  tool_args: { amount: 150.25, to: 'Ana', note: null, 'a.b': 1, deep: { list: [2, 1] } },
  agent_alias: 'clerk',
  agent_id: undefined,
  skill_id: undefined,
  skill_args: undefined,
  mcp_server_alias: undefined,
  remote_agent_alias: undefined,
  'parent.input': { action: 'trade' },
}

function rendered(text: string, read = parseTemplate) {
  const template = read(text)
  if (!template.ok) throw new Error(template.problem)
  return render(template.value, scope)
}

test.each([
  ['plain text', 'Really?', 'Really?'],
  ['an empty text', '', ''],
  ['a variable', '{{tool_name}}', 'pay'],
  ['spaces inside the braces', '{{ tool_name }}', 'pay'],
  ['a dollar sign before', `\${{tool_args.amount}}`, '$150.25'],
  ['text as it is', 'To {{tool_args.to}}.', 'To Ana.'],
  ['null as null', '{{tool_args.note}}', 'null'],
  ['lists as JSON', '{{tool_args.deep.list}}', '[2,1]'],
  [
    'objects as canonical JSON',
    '{{tool_args}}',
    '{"a.b":1,"amount":150.25,"deep":{"list":[2,1]},"note":null,"to":"Ana"}',
  ],
  ['a key with a dot', '{{tool_args.a\\.b}}', '1'],
  ['the same variable twice', '{{tool_name}}{{tool_name}}', 'paypay'],
  ['the input of the parent', '{{parent.input.action}}', 'trade'],
  ['single braces as text', '{toolName} {args}', '{toolName} {args}'],
  ['closing braces as text', '}} {{tool_name}} }}', '}} pay }}'],
])('renders %s', (_, text, message) => {
  expect(rendered(text)).toMatchObject({ message, missing: [] })
})

test.each([
  ['a key that is not there', 'Pay {{tool_args.fee}}!', 'Pay !', ['tool_args.fee']],
  ['a variable this call does not have', '{{skill_id}}', '', ['skill_id']],
  ['a path into text', '{{tool_args.to.length}}', '', ['tool_args.to.length']],
  ['a path into a list', '{{tool_args.deep.list.0}}', '', ['tool_args.deep.list.0']],
  ['an inherited name', '{{tool_args.toString}}', '', ['tool_args.toString']],
  [
    'each once, as written, in order',
    '{{tool_args.z}}{{ agent_id }}{{tool_args.z}}{{tool_args.a}}',
    '',
    ['tool_args.z', 'agent_id', 'tool_args.a'],
  ],
])('leaves empty and lists %s', (_, text, message, missing) => {
  expect(rendered(text)).toMatchObject({ message, missing })
})

test('what an argument holds is never read as a template', () => {
  const template = parseTemplate('{{tool_args.to}} {{tool_name}}')
  if (!template.ok) throw new Error(template.problem)
  const to = '{{tool_name}} {{tool_args.amount}} $& $1'
  const { message } = render(template.value, { ...scope, tool_args: { to } })
  expect(message).toBe(`${to} pay`)
})

test.each([
  ['{{', 'never closed'],
  ['Pay {{tool_args.amount}', 'never closed'],
  ['{{tool_name}} {{', 'never closed'],
  ['{{}}', 'empty parts'],
  ['{{ }}', 'empty parts'],
  ['{{amount}}', 'is not a variable; use one of tool_name'],
  ['{{constructor}}', 'never read'],
  ['{{tool_args.__proto__}}', 'never read'],
  ['{{toString}}', 'is not a variable'],
  ['{{tool_args.}}', 'empty parts'],
  ['{{tool_args..a}}', 'empty parts'],
  ['{{tool_args.a\\x}}', 'not an escape'],
  ['{{tool_name.length}}', 'tool_name has no parts'],
  ['{{agent_alias.x}}', 'agent_alias has no parts'],
  ['{{parent}}', 'is not a variable'],
  ['{{parent.output.x}}', 'is not a variable'],
  ['{{parent.input}}', 'needs a name after it'],
  ['{{#if tool_args.a}}yes{{/if}}', 'is not a variable'],
  ['{{> partial}}', 'is not a variable'],
  ['{{{tool_name}}}', 'is not a variable'],
  ['{{& tool_name}}', 'is not a variable'],
  ['{{! comment }}', 'is not a variable'],
  ['{{Tool_name}}', 'is not a variable'],
])('refuses %s', (text, problem) => {
  expect(parseTemplate(text)).toEqual({ ok: false, problem: expect.stringContaining(problem) })
})

test.each([
  [
    'short names',
    'Run {toolName} with {args}?',
    'Run pay with {"a.b":1,"amount":150.25,"deep":{"list":[2,1]},"note":null,"to":"Ana"}?',
  ],
  ['both spellings', '{toolName} {{tool_args.to}}', 'pay Ana'],
  ['other single braces as text', '{name} { args } {}', '{name} { args } {}'],
])('a prompt knows %s', (_, text, message) => {
  expect(rendered(text, parsePrompt)).toMatchObject({ message, missing: [] })
})

test('the default question names the tool and its arguments', () => {
  const { message } = render(DEFAULT_TEMPLATE, { ...scope, tool_args: { b: 1, a: 'x' } })
  expect(message).toBe(`Run 'pay' with arguments {"a":"x","b":1}?`)
})
