import { useState } from 'react'
import type { WireToolSpec } from '../../../../src/api/studio/studio.ts'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'

type Schema = WireToolSpec['inputSchema']

const TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object'] as const

interface Parameter {
  readonly name: string
  readonly type: string
  readonly description: string
  readonly isRequired: boolean
}

/** The arguments of a tool, one row each; what rows cannot say is written as JSON Schema. */
export function Parameters({
  schema,
  onSchema,
}: {
  schema: Schema
  onSchema: (schema: Schema) => void
}) {
  const rows = rowsOf(schema)
  const [asJson, setAsJson] = useState(rows === undefined)
  const [text, setText] = useState(() => JSON.stringify(schema, null, 2))
  const wrong = asJson && readSchema(text) === undefined
  const change = (next: readonly Parameter[]) => onSchema(schemaOf(next))
  return (
    <fieldset className="grid min-w-0 gap-2">
      <legend className="mb-1.5 text-md font-semibold">{t('Arguments')}</legend>
      {asJson || rows === undefined ? (
        <label className="grid gap-1 text-xs text-ink-3">
          {t('JSON Schema')}
          <textarea
            className="field min-h-40 font-mono text-code"
            aria-invalid={wrong}
            value={text}
            onChange={({ target }) => {
              setText(target.value)
              const read = readSchema(target.value)
              if (read) onSchema(read)
            }}
          />
          {wrong && <span className="text-bad">{t('This is no JSON Schema of an object.')}</span>}
        </label>
      ) : (
        rows.map((row, at) => (
          <Row
            key={at}
            row={row}
            onRow={(next) => change(rows.map((one, place) => (place === at ? next : one)))}
            onRemove={() => change(rows.filter((_, place) => place !== at))}
          />
        ))
      )}
      <span className="flex flex-wrap gap-2">
        {!asJson && rows !== undefined && (
          <button
            type="button"
            className="btn btn-small"
            onClick={() => change([...rows, { ...EMPTY, name: freeName(rows) }])}
          >
            {t('Add argument')}
          </button>
        )}
        {rows !== undefined && (
          <button
            type="button"
            className="btn btn-small btn-quiet"
            onClick={() => {
              setText(JSON.stringify(schema, null, 2))
              setAsJson(!asJson)
            }}
          >
            {asJson ? t('As rows') : t('As JSON Schema')}
          </button>
        )}
      </span>
    </fieldset>
  )
}

const EMPTY: Parameter = { name: '', type: 'string', description: '', isRequired: true }

function Row({
  row,
  onRow,
  onRemove,
}: {
  row: Parameter
  onRow: (row: Parameter) => void
  onRemove: () => void
}) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_100px] gap-1.5 rounded-md bg-sunken p-2">
      <input
        className="field font-mono text-code"
        aria-label={t('Name of the argument')}
        value={row.name}
        onChange={({ target }) => onRow({ ...row, name: target.value })}
      />
      <select
        className="field"
        aria-label={t('Type of {name}', { name: row.name })}
        value={row.type}
        onChange={({ target }) => onRow({ ...row, type: target.value })}
      >
        {TYPES.map((type) => (
          <option key={type}>{type}</option>
        ))}
      </select>
      <input
        className="field col-span-full"
        aria-label={t('What {name} means', { name: row.name })}
        placeholder={t('What it means')}
        value={row.description}
        onChange={({ target }) => onRow({ ...row, description: target.value })}
      />
      <label className="flex min-h-6 items-center gap-2">
        <input
          type="checkbox"
          className="size-4"
          checked={row.isRequired}
          onChange={({ target }) => onRow({ ...row, isRequired: target.checked })}
        />
        {t('required')}
      </label>
      <button type="button" className="btn btn-small btn-quiet" onClick={onRemove}>
        {rich('Remove {name}', { name: <span className="sr-only">{row.name}</span> })}
      </button>
    </div>
  )
}

function freeName(rows: readonly Parameter[]): string {
  let at = rows.length + 1
  while (rows.some(({ name }) => name === `argument_${at}`)) at++
  return `argument_${at}`
}

function schemaOf(rows: readonly Parameter[]): Schema {
  const named = rows.map(({ name, type, description }) => [
    name,
    { type, ...(description === '' ? {} : { description }) },
  ])
  const required = rows.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  return { type: 'object', properties: Object.fromEntries(named), required } as Schema
}

/** Undefined where rows could not show all of it. */
function rowsOf({ type, properties, required, ...rest }: Schema): readonly Parameter[] | undefined {
  const isPlain = Object.keys(rest).length === 0 && type === 'object' && isObject(properties ?? {})
  if (!isPlain) return undefined
  const needed = Array.isArray(required) ? required : []
  const rows = Object.entries((properties ?? {}) as Record<string, unknown>).map(
    ([name, value]) => {
      if (!isObject(value)) return undefined
      const { type: kind, description = '', ...more } = value
      const isKnown = TYPES.some((one) => one === kind) && typeof description === 'string'
      if (!isKnown || Object.keys(more).length > 0) return undefined
      return { name, type: String(kind), description, isRequired: needed.includes(name) }
    },
  )
  return rows.every((row) => row !== undefined) ? rows : undefined
}

function readSchema(text: string): Schema | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) && value.type === 'object' ? (value as Schema) : undefined
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
