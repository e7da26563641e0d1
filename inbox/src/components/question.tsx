import type { MessagePart } from '../../../src/base/message-parts.ts'
import { UntrustedLines, UntrustedText } from './untrusted-text.tsx'

/** A question of the policy. Values from the call are boxed: they never speak in our voice. */
export function Question({ parts }: { parts: readonly MessagePart[] }) {
  return parts.map(({ text, quoted }, at) =>
    quoted ? (
      <code key={at} data-value="" className="from-call">
        <Lines text={text} />
      </code>
    ) : (
      <Lines key={at} text={text} />
    ),
  )
}

function Lines({ text }: { text: string }) {
  return text.includes('\n') ? <UntrustedLines text={text} /> : <UntrustedText text={text} />
}

/** The same on one line, for a list. It may be cut: nothing is decided there. */
export function QuestionLine({ parts }: { parts: readonly MessagePart[] }) {
  return parts.map(({ text, quoted }, at) =>
    quoted ? (
      <code key={at} data-value="" className="from-call whitespace-pre!">
        <UntrustedText text={text} />
      </code>
    ) : (
      <UntrustedText key={at} text={text} />
    ),
  )
}
