import { ArrowRight, Lock, TriangleAlert } from 'lucide-react'
import { changedLines } from '../../../../src/api/arguments/line-diff.ts'
import type { ToolChange, WireServerTool } from '../../../../src/api/servers.ts'
import type { useAcceptTool } from '../../api/servers.ts'
import { Chip } from '../../components/chip.tsx'
import { DiffLines } from '../../components/diff-lines.tsx'
import { TwoSteps } from '../../components/two-steps.tsx'
import { shortDigest } from '../../lib/arguments/digest.ts'
import { plural } from '../../lib/arguments/values.ts'
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
    <section className="frame border-warn-line" aria-label={`${name} is held back`}>
      <header className="flex flex-wrap items-center gap-x-2.5 gap-y-1.5 border-b border-line px-4 py-2.5 max-desk:px-3">
        <TriangleAlert size={16} className="flex-none text-warn" aria-hidden="true" />
        <h2 className="text-sm wrap-anywhere">
          {name} {isNew ? 'is new' : 'changed'}
        </h2>
        <span className="flex-1" />
        <Chip tone="warn" icon={Lock}>
          In quarantine
        </Chip>
      </header>
      <Difference change={change} />
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 border-t border-line px-4 py-2.5 max-desk:px-3">
        <p className="min-w-60 flex-1 text-ink-2">
          {isNew
            ? 'It was added after the server was first seen, and its calls would run without asking. They are refused.'
            : 'Calls are refused, and questions that were open are void.'}
          <span className="flex flex-wrap items-center gap-1.5 pt-0.5 font-mono text-xs text-ink-3">
            {change.from !== '' && (
              <>
                {shortDigest(change.from)} <ArrowRight size={12} aria-label="becomes" />
              </>
            )}
            {shortDigest(change.to)}
          </span>
        </p>
        {!mayAccept && <p className="text-ink-3">An admin can accept it.</p>}
        {mayAccept && (
          <TwoSteps
            first={isNew ? 'Accept the tool' : 'Accept the change'}
            question="Accept this?"
            says="It is offered to agents again, exactly as shown."
            keep="Keep blocked"
            deed="Accept"
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
        What it says now is too large to keep and cannot be shown. Look at the server itself.
      </p>
    )
  }
  const lines = changedLines(brokenAtLineEnds(before ?? ''), brokenAtLineEnds(after))
  const count = (kind: string) => lines.filter((line) => line.kind === kind).length
  return (
    <div className="bg-sunken py-2 font-mono text-code">
      <p className="px-4 pb-1 font-sans text-xs text-ink-3 max-desk:px-3">
        {plural(count('removed'), 'line')} removed, {plural(count('added'), 'line')} added, all
        shown
      </p>
      <DiffLines lines={lines} className="px-4 max-desk:px-3" />
    </div>
  )
}

/** A long description is one line of JSON: only where it is broken can what changed be seen. */
function brokenAtLineEnds(json: string): string {
  return json.replaceAll(/(?<!\\)((?:\\\\)*\\n)/g, '$1\n')
}
