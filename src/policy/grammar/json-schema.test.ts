import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { governanceSchema, policySchema } from './json-schema.ts'

const corpus = path.resolve(import.meta.dirname, '../../../test/corpus')
const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false })
const owner = ajv.compile(policySchema())
const governance = ajv.compile(governanceSchema())

function ours(folder: string): string[] {
  return readdirSync(path.join(corpus, folder)).filter((name) => !name.endsWith('.agf.yaml'))
}

/** Undefined for files that are no YAML at all: there a schema has nothing to say. */
function accepts(folder: string, name: string): boolean | undefined {
  const text = readFileSync(path.join(corpus, folder, name), 'utf8')
  let value: unknown
  try {
    value = parse(text, { logLevel: 'error' })
  } catch {
    return undefined
  }
  return name.endsWith('.governance.yaml') ? governance(value) : owner(value)
}

test.each(ours('good'))('editors accept %s', (name) => {
  expect(accepts('good', name)).toBe(true)
})

// What a schema cannot see: other places in the file, the text before it is parsed, small languages.
const BEYOND_A_SCHEMA = [
  'alias-of-server-and-agent.yaml',
  'alias-twice.yaml',
  'allowed-tool-twice.yaml',
  'anchor-and-alias.yaml',
  'approvers-twice.yaml',
  'bell-inside.yaml',
  'boolean-as-key.yaml',
  'default-approvers-unknown-group.yaml',
  'direction-override-inside.yaml',
  'directive.yaml',
  'duration-order.yaml',
  'duration-too-long.yaml',
  'duration-zero.yaml',
  'email-twice.yaml',
  'escalate-after-the-end.yaml',
  'escalate-for-other-group.yaml',
  'escalate-for-without-quorum.yaml',
  'escalate-to-unknown-group.yaml',
  'escape-character-inside.yaml',
  'governance-unsatisfiable.governance.yaml',
  'hitl-prompt-unknown-variable.yaml',
  'line-separator-inside.yaml',
  'lone-surrogate.yaml',
  'matcher-gt-too-large.yaml',
  'matcher-hex.yaml',
  'matcher-leading-zero.yaml',
  'matcher-octal.yaml',
  'nested-too-deep.yaml',
  'not-utf8.yaml',
  'nul-inside.yaml',
  'number-as-key.yaml',
  'parent-input-on-server.yaml',
  'parent-input-on-tool.yaml',
  'parent-input-without-field.yaml',
  'path-into-prototype.yaml',
  'pattern-backreference.yaml',
  'pattern-invalid.yaml',
  'pattern-lookahead.yaml',
  'pdp-http.yaml',
  'pdp-timeout.yaml',
  'quorum-larger-than-group.yaml',
  'quorum-same-person-twice.yaml',
  'quorum-unknown-group.yaml',
  'rule-id-twice.yaml',
  'secrets-into-prototype.yaml',
  'skill-parent-input.yaml',
  'tag-custom.yaml',
  'tag-directive.yaml',
  'tag-on-key.yaml',
  'tag-str.yaml',
  'template-logic.yaml',
  'template-parts-of-name.yaml',
  'template-unclosed.yaml',
  'template-unknown-variable.yaml',
  'test-argument-infinite.yaml',
  'test-argument-nothing.yaml',
  'test-name-twice.yaml',
  'unknown-group.yaml',
  'url-with-password.yaml',
  'version-hex.yaml',
]

test('editors refuse the bad files, except where a schema cannot tell', () => {
  const accepted = ours('bad').filter((name) => accepts('bad', name) === true)
  expect(accepted).toEqual(BEYOND_A_SCHEMA)
})

test('every key has a description, and every map is closed', () => {
  const visit = (value: unknown, at: string): void => {
    if (typeof value !== 'object' || value === null) return
    if ('properties' in value) {
      expect(value, at).toMatchObject({ additionalProperties: false })
      for (const [key, schema] of Object.entries(value.properties as object)) {
        expect(schema, `${at}.${key}`).toMatchObject({ description: expect.stringMatching(/\.$/) })
      }
    }
    for (const [key, inner] of Object.entries(value)) visit(inner, `${at}.${key}`)
  }
  visit(policySchema(), 'policy')
  visit(governanceSchema(), 'governance')
})

test('the schema is JSON', () => {
  expect(JSON.parse(JSON.stringify(policySchema()))).toEqual(policySchema())
})
