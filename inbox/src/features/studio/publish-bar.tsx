import { useState } from 'react'
import type { StudioTool, WireToolSpec } from '../../../../src/api/studio/studio.ts'
import { usePublishTool, useSaveTool, useUnpublishTool } from '../../api/studio.ts'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { ErrorMessage } from '../../components/error-message.tsx'
import { RiskBadge } from '../../components/risk.tsx'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'
import { defaultMode, riskOf } from './approval-form.tsx'
import { RunResult } from './run-panel.tsx'
import { type Fault, faultOf } from './source/fault.ts'

interface PublishBarProps {
  readonly tool: StudioTool
  readonly spec: WireToolSpec
  readonly isDirty: boolean
  readonly onSaved: (tool: StudioTool) => void
  readonly onFault: (fault: Fault | undefined) => void
}

/** What it is now, and the two steps on: saved for its authors, published for everyone. */
export function PublishBar({ tool, spec, isDirty, onSaved, onFault }: PublishBarProps) {
  const save = useSaveTool()
  const publish = usePublishTool(tool.name)
  const unpublish = useUnpublishTool(tool.name)
  const [isLowering, setLowering] = useState(false)
  const { risk, why } = riskOf(spec)
  const isAsked = spec.hitl.mode === 'REQUIRED'
  const asksLess = !isAsked && defaultMode(risk) === 'REQUIRED'
  const isBusy = save.isPending || publish.isPending

  async function saved(): Promise<StudioTool> {
    if (!isDirty) return tool
    const body = { spec, revision: tool.revision }
    const done = await save.mutateAsync({ name: tool.name, body })
    onSaved(done)
    return done
  }
  async function go(lowers: boolean) {
    setLowering(false)
    const { revision } = await saved()
    const { run } = await publish.mutateAsync(lowers ? { revision, lowers } : { revision })
    onFault(faultOf(spec.source, run))
  }
  const wanted = () => (asksLess ? setLowering(true) : void go(false).catch(() => {}))
  const { data } = publish
  return (
    <section aria-label={t('Publish')} className="frame grid gap-3 p-3.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <RiskBadge risk={risk} />
        <span className="min-w-40 flex-1 text-ink-2">
          {rich('{value}. People are {part}. {part2}', {
            value: why.charAt(0).toUpperCase() + why.slice(1),
            part: isAsked ? t('asked before each call') : t('not asked'),
            part2:
              tool.live === undefined
                ? t('It cannot be called yet.')
                : t('Version {live} is served.', { live: tool.live }),
          })}
        </span>
        <button
          type="button"
          className="btn"
          disabled={!isDirty || isBusy}
          onClick={() => void saved().catch(() => {})}
        >
          {t('Save draft')}
        </button>
        <button type="button" className="btn btn-solid" disabled={isBusy} onClick={wanted}>
          {t('Test and publish')}
        </button>
        {tool.live !== undefined && (
          <ConfirmButton
            word={t('Unpublish')}
            about={tool.name}
            says={t('Clients no longer see it, and open questions about it end.')}
            write={unpublish}
          />
        )}
      </div>
      {isLowering && (
        <fieldset className="grid gap-2 rounded-md border border-warn-line bg-warn-soft p-2.5">
          <legend className="sr-only">{t('Reduce human oversight?')}</legend>
          <span className="text-warn">
            {rich(
              'Reduce human oversight? It is {risk}, and calls to {name} will run without asking.',
              { risk, name: tool.name },
            )}
          </span>
          <span className="flex flex-wrap gap-2">
            <button type="button" className="btn btn-small" onClick={() => setLowering(false)}>
              {t('Keep asking')}
            </button>
            <button
              type="button"
              className="btn btn-small"
              onClick={() => void go(true).catch(() => {})}
            >
              {t('Publish without asking')}
            </button>
          </span>
        </fieldset>
      )}
      <ErrorMessage error={save.error ?? publish.error} />
      {data && (
        <div role="status" className="grid gap-2">
          <p className={data.version === undefined ? 'text-bad' : 'text-good'}>
            {data.version === undefined
              ? t('Not published: {why}.', { why: data.why ?? '' })
              : t('Its test passed. Version {version} is served at /mcp as studio_{name}.', {
                  version: data.version,
                  name: tool.name,
                })}
          </p>
          {data.version === undefined && <RunResult run={data.run} />}
        </div>
      )}
    </section>
  )
}
