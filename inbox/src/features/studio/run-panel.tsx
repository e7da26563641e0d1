import { useMutation } from '@tanstack/react-query'
import { LoaderCircle } from 'lucide-react'
import { type FormEvent, type Ref, useImperativeHandle, useState } from 'react'
import type { WireToolRun, WireToolSpec } from '../../../../src/api/studio/studio.ts'
import { runDraft } from '../../api/studio.ts'
import { ErrorMessage } from '../../components/error-message.tsx'
import { UntrustedText } from '../../components/untrusted-text.tsx'
import { ValueField } from '../../components/value-field.tsx'
import type { Json } from '../../lib/arguments/values.ts'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'
import { fillForm, tryFields } from '../try-tool/try-form.ts'
import { type Fault, faultOf } from './source/fault.ts'

export interface Runner {
  run(): void
}

interface RunPanelProps {
  readonly name: string
  readonly spec: WireToolSpec
  readonly onTest: (test: WireToolSpec['test']) => void
  readonly onFault: (fault: Fault | undefined) => void
  readonly ref: Ref<Runner>
}

/** Runs what is written now, for its author alone, and keeps a run as the test if wanted. */
export function RunPanel({ name, spec, onTest, onFault, ref }: RunPanelProps) {
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({})
  const fields = tryFields(spec.inputSchema) ?? []
  const starts = spec.test.args as Readonly<Record<string, Json>>
  const texts = Object.fromEntries(
    fields.map((one) => [one.name, typed[one.name] ?? startOf(starts[one.name], one.start)]),
  )
  const filled = fillForm(fields, texts)
  const run = useMutation({
    mutationFn: async () => {
      const args = filled.arguments as WireToolSpec['test']['args']
      return { args, source: spec.source, run: await runDraft(name, spec, args) }
    },
    onSuccess: ({ source, run: done }) => onFault(faultOf(source, done)),
  })
  const isReady = !run.isPending && Object.keys(filled.wrong).length === 0
  useImperativeHandle(ref, () => ({ run: () => isReady && run.mutate() }))
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (isReady) run.mutate()
  }
  return (
    <section aria-label={t('Run the draft')} className="frame grid gap-3 p-3.5">
      <form
        className="grid gap-3"
        onSubmit={onSubmit}
        aria-label={t('Arguments of {name}', { name })}
      >
        {fields.length > 0 && (
          <div className="grid grid-cols-2 gap-3 max-desk:grid-cols-1">
            {fields.map((one) => (
              <ValueField
                key={one.name}
                field={one.field}
                text={texts[one.name] ?? ''}
                change={undefined}
                why={typed[one.name] === undefined ? undefined : filled.wrong[one.name]}
                onText={(text) => setTyped({ ...typed, [one.name]: text })}
              />
            ))}
          </div>
        )}
        <span className="flex flex-wrap items-center gap-2">
          <button type="submit" className="btn" disabled={!isReady}>
            {t('Run')}
          </button>
          <span className="text-xs text-ink-3">
            {t('The draft, in the sandbox, for you alone.')}
          </span>
        </span>
      </form>
      {run.isPending && (
        <p role="status" className="flex items-center gap-2 text-ink-2">
          <LoaderCircle size={15} className="motion-safe:animate-spin" aria-hidden="true" />
          {t('Running…')}
        </p>
      )}
      <ErrorMessage error={run.error} />
      {run.data && !run.isPending && (
        <>
          <RunResult run={run.data.run} />
          {run.data.run.error === undefined && (
            <button
              type="button"
              className="btn btn-small justify-self-start"
              onClick={() => onTest(testOf(run.data))}
            >
              {t('Keep this run as the test')}
            </button>
          )}
        </>
      )}
    </section>
  )
}

function testOf({ args, run }: { args: WireToolSpec['test']['args']; run: WireToolRun }) {
  return { args, expect: run.result ?? null }
}

function startOf(value: Json | undefined, start: string): string {
  if (value === undefined) return start
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Its log, how long it took, and its result or why there is none. */
export function RunResult({ run: { logs, ms, result, error } }: { run: WireToolRun }) {
  return (
    <div className="grid gap-2" role="status" aria-label={t('Result of the run')}>
      {logs.length > 0 && (
        <ol
          className="max-h-48 overflow-auto rounded-md bg-sunken px-3 py-2 font-mono text-code"
          aria-label={t('Log')}
        >
          {logs.map(({ level, text }, at) => (
            <li key={at} className={`wrap-anywhere whitespace-pre-wrap ${LEVELS[level]}`}>
              <Lines text={text} />
            </li>
          ))}
        </ol>
      )}
      {error ? (
        <p className="rounded-md bg-bad-soft px-3 py-1.5 wrap-anywhere text-bad">
          <UntrustedText text={error.message} />
          {error.at !== undefined && ` (${lineOf(error.at)})`}
        </p>
      ) : (
        <pre className="max-h-64 overflow-auto rounded-md bg-good-soft px-3 py-2 font-mono text-code wrap-anywhere whitespace-pre-wrap">
          <Lines text={JSON.stringify(result, null, 2) ?? 'null'} />
        </pre>
      )}
      <p className="text-xs text-ink-3">{rich('{ms} ms', { ms })}</p>
    </div>
  )
}

/** Line by line: a line break is none of the characters that are shown by name. */
function Lines({ text }: { text: string }) {
  return text.split('\n').map((line, at) => (
    <span key={at} className="block min-h-5">
      <UntrustedText text={line} />
    </span>
  ))
}

/** `tool.js:3:15` → `line 3`. */
function lineOf(at: string): string {
  return at.replace(/^tool\.js:(\d+).*$/, 'line $1')
}

const LEVELS = { info: '', warn: 'text-warn', error: 'text-bad' } as const
