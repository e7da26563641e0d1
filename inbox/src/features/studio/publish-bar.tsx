import { useState } from 'react'
import type { StudioTool, WireToolSpec } from '../../../../src/api/studio/studio.ts'
import { usePublishTool, useSaveTool, useUnpublishTool } from '../../api/studio.ts'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { ErrorMessage } from '../../components/error-message.tsx'
import { RiskBadge } from '../../components/risk.tsx'
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
    <section aria-label="Publish" className="frame grid gap-3 p-3.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <RiskBadge risk={risk} />
        <span className="min-w-40 flex-1 text-ink-2">
          {why.charAt(0).toUpperCase() + why.slice(1)}. People are{' '}
          {isAsked ? 'asked before each call' : 'not asked'}.{' '}
          {tool.live === undefined ? 'It cannot be called yet.' : `Version ${tool.live} is served.`}
        </span>
        <button
          type="button"
          className="btn"
          disabled={!isDirty || isBusy}
          onClick={() => void saved().catch(() => {})}
        >
          Save draft
        </button>
        <button type="button" className="btn btn-solid" disabled={isBusy} onClick={wanted}>
          Test and publish
        </button>
        {tool.live !== undefined && (
          <ConfirmButton
            word="Unpublish"
            about={tool.name}
            says="Clients no longer see it, and open questions about it end."
            write={unpublish}
          />
        )}
      </div>
      {isLowering && (
        <fieldset className="grid gap-2 rounded-md border border-warn-line bg-warn-soft p-2.5">
          <legend className="sr-only">Reduce human oversight?</legend>
          <span className="text-warn">
            Reduce human oversight? It is {risk}, and calls to {tool.name} will run without asking.
          </span>
          <span className="flex flex-wrap gap-2">
            <button type="button" className="btn btn-small" onClick={() => setLowering(false)}>
              Keep asking
            </button>
            <button
              type="button"
              className="btn btn-small"
              onClick={() => void go(true).catch(() => {})}
            >
              Publish without asking
            </button>
          </span>
        </fieldset>
      )}
      <ErrorMessage error={save.error ?? publish.error} />
      {data && (
        <div role="status" className="grid gap-2">
          <p className={data.version === undefined ? 'text-bad' : 'text-good'}>
            {data.version === undefined
              ? `Not published: ${data.why}.`
              : `Its test passed. Version ${data.version} is served at /mcp as studio_${tool.name}.`}
          </p>
          {data.version === undefined && <RunResult run={data.run} />}
        </div>
      )}
    </section>
  )
}
