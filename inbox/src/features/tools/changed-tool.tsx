import { ArrowRight, Lock, TriangleAlert } from 'lucide-react'
import { changedLines } from '../../../../src/api/arguments/line-diff.ts'
import type { ToolChange, WireServerTool } from '../../../../src/api/servers.ts'
import type { useAcceptTool } from '../../api/servers.ts'
import { Chip } from '../../components/chip.tsx'
import { DiffLines } from '../../components/diff-lines.tsx'
import { TwoSteps } from '../../components/two-steps.tsx'
import { shortDigest } from '../../lib/arguments/digest.ts'
import { plural, t } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'

interface ChangedToolProps {
  readonly server: string
  readonly tool: WireServerTool
  readonly change: ToolChange
  readonly mayAccept: boolean
  readonly accept: ReturnType<typeof useAcceptTool>
}

/** A tool that is not what it was: what it said, what it says, and the one way to let it run. */
export function ChangedTool({ server, tool, change, mayAccept, accept }: ChangedToolProps) {
  const name = `${visibleText(server)}/${visibleText(tool.tool)}`
  const isNew = tool.state === 'new'
  return (
    <section className="frame border-warn-line" aria-label={t('{name} is held back', { name })}>
      <header className="flex flex-wrap items-center gap-x-2.5 gap-y-1.5 border-b border-line px-4 py-2.5 max-desk:px-3">
        <TriangleAlert size={16} className="flex-none text-warn" aria-hidden="true" />
        <h2 className="text-sm wrap-anywhere">
          {isNew ? t('{name} is new', { name }) : t('{name} changed', { name })}
        </h2>
        <span className="flex-1" />
        <Chip tone="warn" icon={Lock}>
          {t('In quarantine')}
        </Chip>
      </header>
      <Difference change={change} />
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 border-t border-line px-4 py-2.5 max-desk:px-3">
        <p className="min-w-60 flex-1 text-ink-2">
          {isNew
            ? t(
                'It was added after the server was first seen, and its calls would run without asking. They are refused.',
              )
            : t('Calls are refused, and questions that were open are void.')}
          <span className="flex flex-wrap items-center gap-1.5 pt-0.5 font-mono text-xs text-ink-3">
            {change.from !== '' && (
              <>
                {shortDigest(change.from)} <ArrowRight size={12} aria-label={t('becomes')} />
              </>
            )}
            {shortDigest(change.to)}
          </span>
        </p>
        {!mayAccept && <p className="text-ink-3">{t('An admin can accept it.')}</p>}
        {mayAccept && (
          <TwoSteps
            first={isNew ? t('Accept the tool') : t('Accept the change')}
            question={t('Accept this?')}
            says={t('It is offered to agents again, exactly as shown.')}
            keep={t('Keep blocked')}
            deed={t('Accept')}
            busy={accept.isPending}
            onDeed={(close) => {
              const { id, to: digest } = change
              accept.mutate({ id, digest }, { onSettled: close })
            }}
          />
        )}
      </div>
    </section>
  )
}

function Difference({ change: { before, after } }: { change: ToolChange }) {
  if (after === undefined) {
    return (
      <p className="px-4 py-2.5 text-warn">
        {t('What it says now is too large to keep and cannot be shown. Look at the server itself.')}
      </p>
    )
  }
  const lines = changedLines(brokenAtLineEnds(before ?? ''), brokenAtLineEnds(after))
  const count = (kind: string) => lines.filter((line) => line.kind === kind).length
  return (
    <div className="bg-sunken py-2 font-mono text-code">
      <p className="px-4 pb-1 font-sans text-xs text-ink-3 max-desk:px-3">
        {t('{removed}, {added}, all shown', {
          removed: plural(count('removed'), '{n} line removed', '{n} lines removed'),
          added: plural(count('added'), '{n} line added', '{n} lines added'),
        })}
      </p>
      <DiffLines lines={lines} className="px-4 max-desk:px-3" />
    </div>
  )
}

/** A long description is one line of JSON: only where it is broken can what changed be seen. */
function brokenAtLineEnds(json: string): string {
  return json.replaceAll(/(?<!\\)((?:\\\\)*\\n)/g, '$1\n')
}
