import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { RE2JS } from 're2js'
import { canonicalJson, freshParse } from '../base/canonical.ts'
import { CountersignError } from '../base/errors.ts'
import { isDeepFrozen } from '../base/freeze.ts'
import { isPlainObject, type Json, type JsonObject } from '../base/json.ts'
import { compilePattern } from '../policy/pattern.ts'
import type { Validate, Validated } from './core.ts'

/*
 * Schemas come from tools, and tools come from anywhere. So they are bounded before they are
 * compiled, refer to nothing outside of themselves, and search with an engine that is linear.
 * Why Ajv: docs/decisions/json-schema.md.
 */

const SCHEMA_LIMITS = { depth: 48, bytes: 131_072, keys: 4_000 }
const REMEMBERED = 200

/** Checks arguments against JSON Schema (draft 7 and 2020-12) and fills in its defaults. */
export function jsonSchema(): Validate {
  const compiled = new Map<string, Checker>()
  // Schemas that can never change again need not be read again.
  const frozen = new WeakMap<object, Checker>()

  function checkerFor(schema: Json): Checker {
    if (typeof schema !== 'object' || schema === null) return checkerByText(schema)
    const known = frozen.get(schema)
    if (known) return known
    const checker = checkerByText(schema)
    if (isDeepFrozen(schema)) frozen.set(schema, checker)
    return checker
  }

  function checkerByText(schema: Json): Checker {
    const text = boundedText(schema)
    const checker = compiled.get(text) ?? {
      check: compile(freshParse(text)),
      fills: MAY_FILL.test(text),
    }
    compiled.delete(text)
    compiled.set(text, checker)
    const [oldest] = compiled.keys()
    if (compiled.size > REMEMBERED && oldest !== undefined) compiled.delete(oldest)
    return checker
  }

  function validate(schema: Json, args: JsonObject): Validated {
    const { check } = checkerFor(schema)
    // A copy, because defaults are written into it.
    const filled = freshParse(canonicalJson(args))
    if (check(filled)) return { ok: true, args: filled }
    return wrongWith(check.errors?.[0])
  }

  function fill(schema: Json, args: JsonObject): JsonObject | undefined {
    const { check, fills } = checkerFor(schema)
    const filled = fills ? (freshParse(JSON.stringify(args)) as JsonObject) : args
    return check(filled) ? filled : undefined
  }

  return Object.assign(validate, { fill })
}

// Its own defaults, or those of a schema that Ajv brings along.
const MAY_FILL = /"default"|"\$(?:r|dynamicR)ef":"[^#]/

interface Checker {
  readonly check: ValidateFunction
  /** Whether it may write defaults into what it checks. */
  readonly fills: boolean
}

function boundedText(schema: Json): string {
  try {
    return canonicalJson(schema, SCHEMA_LIMITS)
  } catch (error) {
    throw unusable(error instanceof Error ? error.message : 'it is not JSON', error)
  }
}

const OPTIONS: Options = {
  // Words we do not know are for others: `x-secret`, `title`, what an editor needs.
  strict: false,
  ownProperties: true,
  useDefaults: true,
  // One mistake is enough to refuse, and looking for all can take a sender's choice of time.
  allErrors: false,
  // Every reference becomes one function, however often it is used.
  inlineRefs: false,
  logger: false,
  code: { regExp: Object.assign(linear, { code: 'linear' }) },
}

function compile(schema: Json): ValidateFunction {
  const draft = isPlainObject(schema) ? schema.$schema : undefined
  const isOld = typeof draft === 'string' && /draft-0[4-7]/.test(draft)
  // One for each schema: names inside of one must not meet those of another.
  const ajv = isOld ? new Ajv(OPTIONS) : new Ajv2020(OPTIONS)
  formats.default(ajv, { mode: 'fast' })
  try {
    const { $schema: _, ...rest } = isPlainObject(schema) ? schema : {}
    return ajv.compile(typeof schema === 'boolean' ? schema : rest)
  } catch (error) {
    throw unusable(error instanceof Error ? error.message : 'it does not compile', error)
  }
}

/** Ajv keeps patterns apart by their text: without it all of them would be the first one. */
function linear(source: string, flags: string) {
  const pattern = compilePattern(RE2JS.translateRegExp(source))
  if (!pattern.ok) throw new Error(`pattern ${JSON.stringify(source)}: ${pattern.problem}`)
  return { test: pattern.value.test, toString: () => `/${source}/${flags}` }
}

function unusable(why: string, cause: unknown): CountersignError {
  return new CountersignError('schema_unusable', `the tool’s schema cannot be used: ${why}`, {
    hint: 'Correct the JSON Schema of the tool; it must hold everything it refers to.',
    cause,
  })
}

/** The place and the rule, never the value: it may be a secret. */
function wrongWith(error: ErrorObject | undefined) {
  const at = (error?.instancePath ?? '')
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  const { missingProperty, additionalProperty } = error?.params ?? {}
  const further = [missingProperty ?? additionalProperty].filter((key) => typeof key === 'string')
  const place = at.length === 0 ? 'the arguments' : at.join('.')
  const extra = additionalProperty === undefined ? '' : `: ${further.join('')}`
  return {
    ok: false,
    problem: `${place} ${error?.message ?? 'do not fit the schema'}${extra}`,
    at: [...at, ...further],
  } as const
}
