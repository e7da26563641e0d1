import { useQuery } from '@tanstack/react-query'
import { SquareTerminal } from 'lucide-react'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { Refused } from '../../../../src/api/client.ts'
import type { StudioRow } from '../../../../src/api/studio/studio.ts'
import { studioQuery, useSaveTool } from '../../api/studio.ts'
import { EmptyState } from '../../components/empty/empty-state.tsx'
import { ErrorMessage } from '../../components/error-message.tsx'
import { Label, Loaded, Page } from '../../components/page.tsx'
import { RiskText } from '../../components/risk.tsx'
import { rich } from '../../lib/language/rich.ts'
import { say, t } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { SAMPLES, type Sample } from './samples.ts'

/** Every tool that is written here, and samples to begin another one with. */
export function StudioPage() {
  const { data, error } = useQuery(studioQuery)
  const [isAdding, setAdding] = useState(false)
  const isAbsent = error instanceof Refused && error.status === 404
  return (
    <Page
      title={t('Studio')}
      says={t('Tools you write here run in a sandbox and are served at /mcp, behind the gate.')}
      aside={
        !isAbsent && (
          <button
            type="button"
            className="btn btn-solid"
            aria-expanded={isAdding}
            onClick={() => setAdding(!isAdding)}
          >
            {t('New tool')}
          </button>
        )
      }
    >
      {isAdding && <Samples taken={data?.tools.map(({ name }) => name) ?? []} />}
      {isAbsent ? (
        <EmptyState icon={SquareTerminal} title={t('This server has no studio.')}>
          <p>
            {rich(
              'Its operator adds one with {code} where the server is mounted; {command} has it by itself.',
              { code: <code>studio: toolStudio()</code>, command: <code>countersign start</code> },
            )}
          </p>
          <Link className="link" href="/tools">
            {t('Tools of other servers')}
          </Link>
        </EmptyState>
      ) : (
        <Loaded data={data} error={error}>
          {({ tools }) =>
            tools.length > 0 ? <List tools={tools} /> : isAdding ? null : <Nothing />
          }
        </Loaded>
      )}
    </Page>
  )
}

function Nothing() {
  return (
    <EmptyState icon={SquareTerminal} title={t('No tools yet.')}>
      <p>{t('Press New tool and begin with a sample: write it, run it, publish it.')}</p>
    </EmptyState>
  )
}

function List({ tools }: { tools: readonly StudioRow[] }) {
  return (
    <ul className="frame" aria-label={t('Tools of the studio')}>
      {tools.map((tool) => (
        <li
          key={tool.name}
          className="grid grid-cols-[minmax(0,1fr)_150px_150px_170px] items-center gap-x-4 gap-y-1 border-b border-line px-4 py-2.5 last:border-b-0 max-desk:grid-cols-1 max-desk:px-3"
        >
          <span className="min-w-0">
            <Link href={`/studio/${tool.name}`} className="link font-mono">
              {tool.name}
            </Link>
            <span className="block truncate text-ink-2">{visibleText(tool.description)}</span>
          </span>
          <RiskText risk={tool.risk} />
          <span>
            <Label>{t('People are asked')}</Label>
            {tool.asks ? t('Asked about') : t('Runs without asking')}
          </span>
          <span>{stateWords(tool)}</span>
        </li>
      ))}
    </ul>
  )
}

function stateWords({ live, changed }: StudioRow): string {
  if (live === undefined) return t('Draft, cannot be called')
  return changed ? t('Version {live}, draft differs', { live }) : t('Version {live}', { live })
}

function Samples({ taken }: { taken: readonly string[] }) {
  const save = useSaveTool()
  const [, navigate] = useLocation()
  const begin = ({ name, spec }: Sample) => {
    const own = freeName(name, taken)
    save.mutate({ name: own, body: { spec } }, { onSuccess: () => navigate(`/studio/${own}`) })
  }
  return (
    <section aria-label={t('Begin with a sample')} className="frame grid gap-2.5 px-4 py-3">
      <h2 className="text-md">{t('Begin with a sample')}</h2>
      <ul className="grid grid-cols-3 gap-2 max-wide:grid-cols-2 max-desk:grid-cols-1">
        {SAMPLES.map((sample) => (
          <li key={sample.name}>
            <button
              type="button"
              className="grid w-full gap-0.5 rounded-md border border-control bg-surface px-3 py-2 text-left hover:bg-hover"
              disabled={save.isPending}
              onClick={() => begin(sample)}
            >
              <code>{sample.name}</code>
              <span className="text-xs text-ink-2">{say(sample.says)}</span>
            </button>
          </li>
        ))}
      </ul>
      <ErrorMessage error={save.error} inline />
    </section>
  )
}

function freeName(name: string, taken: readonly string[]): string {
  if (!taken.includes(name)) return name
  let at = 2
  while (taken.includes(`${name}_${at}`)) at++
  return `${name}_${at}`
}
