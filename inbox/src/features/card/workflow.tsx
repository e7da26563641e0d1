import { Circle, CircleCheck, CircleDot } from 'lucide-react'
import type { WireWorkflow } from '../../../../src/api/form/form.ts'
import { workflowRun } from '../../../../src/base/workflow-run.ts'
import { UntrustedText } from '../../components/untrusted-text.tsx'
import { rich } from '../../lib/language/rich.ts'
import { msg, say, t } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'

const KINDS = {
  done: [msg('done'), CircleCheck, 'text-ink-2'],
  waits: [msg('waits here'), CircleDot, 'font-medium text-ink'],
  next: [msg('next'), Circle, 'text-ink-3'],
} as const

interface WorkflowProps {
  readonly workflow: WireWorkflow
  readonly run: string | undefined
}

/** Where the workflow stands, as it says itself. */
export function Workflow({ workflow: { name, step, done = [], next = [] }, run }: WorkflowProps) {
  const known = workflowRun(run)
  const steps = [
    ...done.map((text) => ({ text, kind: 'done' as const })),
    ...(step === undefined ? [] : [{ text: step, kind: 'waits' as const }]),
    ...next.map((text) => ({ text, kind: 'next' as const })),
  ]
  return (
    <div className="mt-2 max-w-[76ch] border-l-2 border-claim-line pl-3">
      <p className="wrap-anywhere">
        {rich('Workflow {b}', {
          b: (
            <b className="font-medium">
              <UntrustedText text={name} />
            </b>
          ),
        })}
        {known && (
          <span className="text-ink-3">
            {' '}
            {rich('· run {id} on {engine}', {
              id: <code className="text-xs">{visibleText(known.id)}</code>,
              engine: visibleText(known.engine),
            })}
          </span>
        )}
      </p>
      {steps.length > 0 && (
        <ol aria-label={t('Steps of the workflow')} className="mt-1 flex flex-wrap gap-x-4 gap-y-1">
          {steps.map(({ text, kind }, at) => {
            const [words, Icon, look] = KINDS[kind]
            return (
              <li
                key={`${at} ${text}`}
                aria-current={kind === 'waits' ? 'step' : undefined}
                className={`flex min-w-0 items-center gap-1.5 ${look}`}
              >
                <Icon size={14} className="flex-none" aria-hidden="true" />
                <span className="min-w-0 wrap-anywhere">
                  <UntrustedText text={text} />
                </span>
                <span className={kind === 'waits' ? 'text-xs text-ink-3' : 'sr-only'}>
                  {say(words)}
                </span>
              </li>
            )
          })}
        </ol>
      )}
    </div>
  )
}
