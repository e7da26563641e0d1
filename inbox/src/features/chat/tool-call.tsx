import {
  Ban,
  Check,
  ChevronRight,
  CircleHelp,
  Clock,
  LoaderCircle,
  TriangleAlert,
} from 'lucide-react'
import { Link } from 'wouter'
import { Chip, type Tone } from '../../components/chip.tsx'
import { UntrustedText } from '../../components/untrusted-text.tsx'
import { rich } from '../../lib/language/rich.ts'
import { type Message, msg, say, t } from '../../lib/language/t.ts'
import { type AskedCall, stageOf, type ToolPart, toolName } from './parts.ts'
import { Review } from './review.tsx'
import { Lines } from './safe-text.tsx'

const LOOKS = {
  running: { word: msg('Running'), tone: 'plain', icon: LoaderCircle },
  waiting: { word: msg('Waiting'), tone: 'open', icon: Clock },
  lost: { word: msg('Not known yet'), tone: 'plain', icon: CircleHelp },
  ran: { word: msg('Ran'), tone: 'good', icon: Check },
  'not-run': { word: msg('Not run'), tone: 'warn', icon: Ban },
  failed: { word: msg('Failed'), tone: 'bad', icon: TriangleAlert },
} as const satisfies Record<string, { word: Message; tone: Tone; icon: typeof Check }>

interface ToolCallProps {
  readonly part: ToolPart
  readonly asked: AskedCall | undefined
  /** The connection is gone: an open call may have ended meanwhile. */
  readonly isLost: boolean
}

/** One call of the model, closed until a person wants to see what went in and what came out. */
export function ToolCall({ part, asked, isLost }: ToolCallProps) {
  const stage = isLost && isOpen(stageOf(part)) ? 'lost' : stageOf(part)
  const { word, tone, icon } = LOOKS[stage]
  const reason = part.state === 'output-denied' ? part.approval?.reason : part.errorText
  return (
    <div className="frame">
      <details className="group">
        <summary className="flex min-h-10 cursor-default items-center gap-2 px-3 py-1.5 hover:bg-hover max-desk:min-h-11">
          <ChevronRight
            size={14}
            aria-hidden="true"
            className="flex-none text-ink-3 group-open:rotate-90"
          />
          <code className="min-w-0 flex-1 truncate font-medium text-ink">
            <UntrustedText text={toolName(part)} />
          </code>
          <Chip tone={tone} icon={icon}>
            {say(word)}
          </Chip>
        </summary>
        <div className="grid gap-2.5 border-t border-line px-3 py-2.5">
          <Data title={t('Arguments')} value={part.input} />
          {part.state === 'output-available' && <Data title={t('Result')} value={part.output} />}
          {asked && (
            <p className="text-xs text-ink-3">
              {rich('Recorded as {link}', {
                link: (
                  <Link href={`/history/${encodeURIComponent(asked.approval)}`} className="link">
                    <code>{asked.approval}</code>
                  </Link>
                ),
              })}
            </p>
          )}
        </div>
      </details>
      {stage === 'waiting' && asked?.level === 'review' && <Review id={asked.approval} />}
      {reason !== undefined && (
        <p
          className={`border-t border-line px-3 py-1.5 wrap-anywhere ${stage === 'failed' ? 'bg-bad-soft text-bad' : 'bg-warn-soft text-warn'}`}
        >
          <UntrustedText text={reason} />
        </p>
      )}
    </div>
  )
}

const isOpen = (stage: string) => stage === 'waiting' || stage === 'running'

function Data({ title, value }: { title: string; value: unknown }) {
  const text = typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? '')
  return (
    <div className="grid gap-1">
      <h3 className="text-xs font-medium text-ink-3">{title}</h3>
      <pre className="rounded-md bg-sunken px-2.5 py-1.5 font-mono text-code wrap-anywhere whitespace-pre-wrap">
        <Lines text={text.slice(0, MOST)} />
        {text.length > MOST && `\n… ${text.length - MOST} more characters`}
      </pre>
    </div>
  )
}

const MOST = 20_000
