import { CircleCheck, LoaderCircle } from 'lucide-react'
import { type Message, msg, say } from '../../lib/language/t.ts'
import type { Recovery } from './use-recovery.ts'

const WORDS: Record<Exclude<Recovery, 'none'>, Message> = {
  looking: msg(
    'The connection to the server is lost. A call that waited for your answer does not run without it. This page looks up what happened as soon as the server answers.',
  ),
  elsewhere: msg(
    'The server answers again, and this conversation is still under way there. What happened appears here when that is done.',
  ),
  told: msg(
    'The connection was lost for a moment. What you see above is what the server has on record.',
  ),
  unsent: msg(
    'The connection was lost, and your last message did not arrive. It is in the field below: send it again if you still want it.',
  ),
}

interface LostConnectionProps {
  readonly recovery: Recovery
  /** The person ended the answer: there is nothing to explain. */
  readonly isStopped: boolean
}

/** Says what a page knows about calls whose stream broke off. */
export function LostConnection({ recovery, isStopped }: LostConnectionProps) {
  if (recovery === 'none' || (isStopped && recovery === 'told')) return null
  const isOver = recovery === 'told' || recovery === 'unsent'
  const Icon = isOver ? CircleCheck : LoaderCircle
  return (
    <div className="mx-auto w-full max-w-[808px] px-6 pb-3 max-desk:px-3">
      <p
        role="status"
        className="frame flex items-start gap-2 bg-warn-soft px-3 py-2 text-ink wrap-anywhere"
      >
        <Icon size={14} aria-hidden="true" className="mt-[3px] flex-none text-warn" />
        {say(WORDS[recovery])}
      </p>
    </div>
  )
}
