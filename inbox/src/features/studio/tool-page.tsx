import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { StudioTool, WireToolSpec } from '../../../../src/api/studio/studio.ts'
import { studioToolQuery, useRemoveTool } from '../../api/studio.ts'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { Loaded, Page } from '../../components/page.tsx'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'
import { ApprovalForm, defaultMode, riskOf, tidy } from './approval-form.tsx'
import { CapabilityForm } from './capability-form.tsx'
import { CodeEditor } from './code-editor.tsx'
import { Parameters } from './parameters.tsx'
import { PublishBar } from './publish-bar.tsx'
import { type Runner, RunPanel } from './run-panel.tsx'
import type { Fault } from './source/fault.ts'
import { Versions } from './versions.tsx'

/** One tool: written on the left and in the middle, run and published on the right. */
export function StudioToolPage({ name }: { name: string }) {
  const { data, error } = useQuery(studioToolQuery(name))
  const remove = useRemoveTool(name)
  const [, navigate] = useLocation()
  return (
    <Page
      title={name}
      says={rich('{link} · clients call it studio_{name}', {
        link: (
          <Link href="/studio" className="link">
            {t('Studio')}
          </Link>
        ),
        name,
      })}
      aside={
        <ConfirmButton
          word={t('Delete')}
          about={name}
          says={t('It is unpublished and its draft is gone. Its versions stay on record.')}
          write={remove}
          onDone={() => navigate('/studio')}
        />
      }
    >
      <Loaded data={data} error={error}>
        {(tool) => <Editor tool={tool} />}
      </Loaded>
    </Page>
  )
}

function Editor({ tool }: { tool: StudioTool }) {
  const [spec, setSpec] = useState<WireToolSpec>(tool.spec)
  const [stored, setStored] = useState(tool.spec)
  const [fault, setFault] = useState<Fault>()
  const runner = useRef<Runner>(null)
  const isDirty = JSON.stringify(spec) !== JSON.stringify(stored)
  const change = (some: Partial<WireToolSpec>) => setSpec(tidy({ ...spec, ...some }))
  /** What it may do decides whether people are asked, until its author says otherwise. */
  const setCapabilities = (capabilities: WireToolSpec['capabilities']) => {
    const before = defaultMode(riskOf(spec).risk)
    const after = defaultMode(riskOf({ ...spec, capabilities }).risk)
    const follows = spec.hitl.mode === before || after === 'REQUIRED'
    const hitl = before !== after && follows ? { ...spec.hitl, mode: after } : spec.hitl
    change({ capabilities, hitl })
  }
  return (
    <div className="grid grid-cols-[minmax(0,340px)_minmax(0,1fr)] items-start gap-3.5 max-wide:grid-cols-1">
      <div className="frame grid gap-4 p-3.5">
        <label className="grid gap-1 text-xs text-ink-3">
          {t('Description, as the model reads it')}
          <textarea
            className="field min-h-16"
            maxLength={2000}
            value={spec.description}
            onChange={({ target }) => change({ description: target.value })}
          />
        </label>
        <Parameters schema={spec.inputSchema} onSchema={(inputSchema) => change({ inputSchema })} />
        <CapabilityForm
          tool={tool}
          capabilities={spec.capabilities}
          onCapabilities={setCapabilities}
        />
        <ApprovalForm spec={spec} onSpec={change} />
      </div>
      <div className="grid min-w-0 gap-3.5">
        <CodeEditor
          value={spec.source}
          fault={fault?.source === spec.source ? fault : undefined}
          onChange={(source) => change({ source })}
          onRun={() => runner.current?.run()}
        />
        <div className="flex flex-wrap items-center gap-3">
          <label className="flex items-center gap-2 text-ink-2">
            {t('Language')}
            <select
              className="field"
              value={spec.language}
              onChange={({ target }) =>
                change({ language: target.value === 'javascript' ? 'javascript' : 'typescript' })
              }
            >
              <option value="typescript">{t('TypeScript')}</option>
              <option value="javascript">{t('JavaScript')}</option>
            </select>
          </label>
          <span className="min-w-40 flex-1 text-xs text-ink-3">
            {rich('Test: {args}', { args: JSON.stringify(spec.test.args) })}
            {spec.test.expect === undefined
              ? t(', any result')
              : ` → ${JSON.stringify(spec.test.expect)}`}
          </span>
        </div>
        <RunPanel
          ref={runner}
          name={tool.name}
          spec={spec}
          onTest={(test) => change({ test })}
          onFault={setFault}
        />
        <PublishBar
          tool={tool}
          spec={spec}
          isDirty={isDirty}
          onSaved={(saved) => setStored(saved.spec)}
          onFault={setFault}
        />
        <Versions tool={tool} spec={spec} />
      </div>
    </div>
  )
}
