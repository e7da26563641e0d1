import { FlaskConical, LoaderCircle } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { WireServerTool } from '../../../../src/api/servers.ts'
import { useMe } from '../../api/session/session.ts'
import { ValueField } from '../../components/value-field.tsx'
import type { Json } from '../../lib/arguments/values.ts'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { ElicitationCard } from './elicitation-card.tsx'
import { fillForm, type TryField, tryFields } from './try-form.ts'
import { TryResult } from './try-result.tsx'
import { type Trying, useToolCall } from './use-tool-call.ts'

/** Calls a tool through the gate as a client would, and shows what that client would be shown. */
export function TryTool({ server, tool }: { server: string; tool: WireServerTool }) {
  const fields = tryFields(tool.inputSchema)
  const [asJson, setAsJson] = useState(fields === undefined)
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({})
  const [json, setJson] = useState('{}')
  const { state, call, cancel } = useToolCall(server, tool.tool)
  const { data: me } = useMe(true)
  const filled = asJson ? readArguments(json) : fillForm(fields ?? [], typed)
  const isBusy = state.kind === 'calling' || state.kind === 'asked'
  const isReady = !isBusy && Object.keys(filled.wrong).length === 0
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (isReady) void call(filled.arguments)
  }
  return (
    <section
      aria-label={t('Try {tool}', { tool: visibleText(tool.tool) })}
      className="grid gap-3 rounded-lg border border-frame p-3.5"
    >
      <header className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
        <h3 className="flex items-center gap-[7px]">
          <FlaskConical size={15} className="text-accent" aria-hidden="true" />
          {t('Try it')}
        </h3>
        <span className="text-ink-3">
          {rich('A real call through the gate, as a client makes it, acting for {email}.', {
            email: visibleText(me?.person.email ?? me?.person.subject ?? t('you')),
          })}
        </span>
      </header>
      <form
        className="grid gap-3"
        aria-label={t('Arguments of {tool}', { tool: visibleText(tool.tool) })}
        onSubmit={onSubmit}
      >
        {asJson || fields === undefined ? (
          <label className="grid gap-1 text-xs text-ink-3">
            {t('Arguments as JSON')}
            <textarea
              className="field min-h-24 font-mono text-code"
              value={json}
              aria-invalid={filled.wrong[''] !== undefined}
              onChange={({ target }) => setJson(target.value)}
            />
            {filled.wrong[''] !== undefined && <span className="text-bad">{filled.wrong['']}</span>}
          </label>
        ) : (
          <Form fields={fields} typed={typed} wrong={filled.wrong} onType={setTyped} />
        )}
        <div className="flex flex-wrap items-center gap-2">
          <button type="submit" className="btn btn-solid" disabled={!isReady}>
            {rich('Call {tool}', { tool: visibleText(tool.tool) })}
          </button>
          {isBusy && (
            <button type="button" className="btn" onClick={cancel}>
              {t('Cancel the call')}
            </button>
          )}
          {fields !== undefined && !isBusy && (
            <button
              type="button"
              className="btn btn-quiet"
              aria-pressed={asJson}
              onClick={() => {
                if (!asJson) setJson(JSON.stringify(filled.arguments, null, 2))
                setAsJson(!asJson)
              }}
            >
              {asJson ? t('As a form') : t('As JSON')}
            </button>
          )}
        </div>
      </form>
      <Outcome state={state} />
    </section>
  )
}

interface FormProps {
  readonly fields: readonly TryField[]
  readonly typed: Readonly<Record<string, string>>
  readonly wrong: Readonly<Record<string, string>>
  readonly onType: (typed: Readonly<Record<string, string>>) => void
}

function Form({ fields, typed, wrong, onType }: FormProps) {
  if (fields.length === 0) return <p className="text-ink-2">{t('It takes no arguments.')}</p>
  return (
    <div className="grid grid-cols-2 gap-3.5 max-desk:grid-cols-1">
      {fields.map(({ field, name, start }) => (
        <ValueField
          key={name}
          field={field}
          text={typed[name] ?? start}
          change={undefined}
          // A field that was never edited is missing, not wrong.
          why={typed[name] === undefined ? undefined : wrong[name]}
          onText={(text) => onType({ ...typed, [name]: text })}
        />
      ))}
    </div>
  )
}

function Outcome({ state }: { state: Trying }) {
  switch (state.kind) {
    case 'idle':
      return null
    case 'calling':
      return (
        <p role="status" className="flex items-center gap-2 text-ink-2">
          <LoaderCircle size={15} className="motion-safe:animate-spin" aria-hidden="true" />
          {state.waits === '' ? t('Calling…') : `${visibleText(state.waits)}…`}
        </p>
      )
    case 'asked':
      return <ElicitationCard key={state.message} message={state.message} onAnswer={state.answer} />
    case 'failed':
      return (
        <p role="alert" className="rounded-md bg-bad-soft px-3 py-1.5 wrap-anywhere text-bad">
          {visibleText(state.problem)}
        </p>
      )
    case 'done':
      return <TryResult result={state.result} />
  }
}

function readArguments(text: string): {
  readonly arguments: Json
  readonly wrong: Readonly<Record<string, string>>
} {
  try {
    const value = JSON.parse(text) as Json
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return { arguments: value, wrong: {} }
    }
  } catch {
    return { arguments: {}, wrong: { '': t('This is not JSON.') } }
  }
  return {
    arguments: {},
    wrong: { '': t('Arguments are an object: {shape}.', { shape: '{ … }' }) },
  }
}
