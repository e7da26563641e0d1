import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { changedLines } from '../../../../src/api/arguments/line-diff.ts'
import type { StudioTool, WireToolSpec } from '../../../../src/api/studio/studio.ts'
import { studioVersionQuery } from '../../api/studio.ts'
import { DiffLines } from '../../components/diff-lines.tsx'
import { Loaded } from '../../components/page.tsx'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'
import { clock } from '../../lib/time/clock.ts'
import { serverNow } from '../../lib/time/server-time.ts'

/** What was published, each beside what is written now. */
export function Versions({ tool, spec }: { tool: StudioTool; spec: WireToolSpec }) {
  const [version, setVersion] = useState<number>()
  const { latest } = tool
  if (latest === undefined) return null
  const all = Array.from({ length: Math.min(latest, 20) }, (_, at) => latest - at)
  return (
    <section aria-label={t('Versions')} className="frame grid gap-2.5 p-3.5">
      <h2 className="text-md">{t('Versions')}</h2>
      <span className="flex flex-wrap gap-2">
        {all.map((one) => (
          <button
            key={one}
            type="button"
            className="btn btn-small"
            aria-pressed={version === one}
            onClick={() => setVersion(version === one ? undefined : one)}
          >
            {rich('Version {one}', { one })}
            {tool.live === one && ` ${t('(served)')}`}
          </button>
        ))}
      </span>
      {version !== undefined && <Difference name={tool.name} version={version} spec={spec} />}
    </section>
  )
}

function Difference({
  name,
  version,
  spec,
}: {
  name: string
  version: number
  spec: WireToolSpec
}) {
  const { data, error } = useQuery(studioVersionQuery(name, version))
  return (
    <Loaded data={data} error={error}>
      {({ spec: before, by, at, testMs }) => {
        const lines = changedLines(textOf(before), textOf(spec))
        const isSame = lines.every(({ kind }) => kind === 'same')
        return (
          <>
            <p className="text-ink-2">
              {rich('Published by {subject} {time}; its test took {testMs} ms. {part}', {
                subject: by.subject,
                time: clock(at, serverNow(), false),
                testMs,
                part: isSame ? t('The draft is the same.') : t('What the draft changes:'),
              })}
            </p>
            {!isSame && (
              <div className="max-h-96 overflow-auto rounded-md bg-sunken py-2 font-mono text-code">
                <DiffLines lines={lines} className="px-2" />
              </div>
            )}
          </>
        )
      }}
    </Loaded>
  )
}

/** Everything of a specification, the source as it is written. */
function textOf({ source, ...rest }: WireToolSpec): string {
  return `${JSON.stringify(rest, null, 2)}\n\n${source}`
}
