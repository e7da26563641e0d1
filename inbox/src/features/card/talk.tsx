import { Bot, MessagesSquare } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { ApprovalCard } from '../../../../src/api/approval.ts'
import type { WireRemark } from '../../../../src/api/talk/talk.ts'
import { useComment, useReply } from '../../api/talk/talk.ts'
import { ErrorMessage } from '../../components/error-message.tsx'
import { Avatar, nameOf } from '../../components/person.tsx'
import { UntrustedLines } from '../../components/untrusted-text.tsx'
import { type Message, msg, say, t } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { clock } from '../../lib/time/clock.ts'
import { serverNow } from '../../lib/time/server-time.ts'

/** What was asked, replied and commented. Nothing in it decides. */
export function Talk({ card, isOff }: { card: ApprovalCard; isOff: boolean }) {
  const { talk = [], can, questions = 0 } = card
  const mayReply = can.includes('reply')
  const mayComment = can.includes('comment') && !isOff
  if (talk.length === 0 && !mayComment) return null
  return (
    <section aria-label={t('Questions and comments')} className="frame">
      <header className="flex flex-wrap items-center gap-x-3 border-b border-line px-4 py-2 max-desk:px-3">
        <h3 className="flex items-center gap-[7px]">
          <MessagesSquare size={15} aria-hidden="true" />
          {t('Questions and comments')}
        </h3>
        <span className="text-ink-3">
          {questions > 0
            ? t('The agent has not replied yet. You can decide all the same.')
            : t('Nothing in here decides.')}
        </span>
      </header>
      {talk.length > 0 && (
        <ol className="grid gap-3 px-4 py-3 max-desk:px-3">
          {talk.map((one) => (
            <Remark key={`${one.at} ${one.kind}`} remark={one} agent={card.agent} />
          ))}
        </ol>
      )}
      {mayComment && <Compose card={card} replies={mayReply} />}
    </section>
  )
}

const VERBS: Readonly<Record<WireRemark['kind'], Message>> = {
  question: msg('asked the agent'),
  reply: msg('replied'),
  comment: msg('commented'),
}

/** An agent's words stand in the box of claimed text, as everywhere. */
function Remark({ remark, agent }: { remark: WireRemark; agent: string }) {
  const { by, kind, text, at } = remark
  const isAgent = by === undefined
  return (
    <li className="grid grid-cols-[24px_minmax(0,1fr)] gap-x-2.5">
      {isAgent ? (
        <span className="grid size-6 place-items-center rounded-full bg-claim text-claim-ink">
          <Bot size={14} aria-hidden="true" />
        </span>
      ) : (
        <Avatar person={by} />
      )}
      <div className="min-w-0">
        <p className="text-ink-2">
          <b className="text-ink">{isAgent ? visibleText(agent) : nameOf(by)}</b> {say(VERBS[kind])}
          {isAgent && t(', not checked')}
          <span className="mx-1.5 text-ink-3">·</span>
          <span className="text-ink-3">{clock(at, serverNow(), false)}</span>
        </p>
        {text === undefined ? (
          <p className="text-ink-3">{t('The text is no longer kept.')}</p>
        ) : (
          <blockquote
            className={`mt-1 max-w-[76ch] text-md wrap-anywhere ${isAgent ? 'border-l-2 border-claim-line pl-3' : ''}`}
          >
            <UntrustedLines text={text} />
          </blockquote>
        )}
      </div>
    </li>
  )
}

function Compose({ card, replies }: { card: ApprovalCard; replies: boolean }) {
  const { id } = card
  const comment = useComment(id)
  const reply = useReply(id)
  const [text, setText] = useState('')
  const said = text.trim()
  const send = (write: typeof comment) => write.mutate(said, { onSuccess: () => setText('') })
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (said !== '') send(comment)
  }
  const busy = comment.isPending || reply.isPending
  return (
    <form
      aria-label={t('Comment')}
      className="flex flex-wrap items-center gap-2 border-t border-line px-4 py-2 max-desk:px-3"
      onSubmit={onSubmit}
    >
      <input
        className="field min-w-0 flex-1 basis-52"
        aria-label={replies ? t('Your reply or comment') : t('Your comment, for the other people')}
        placeholder={
          replies ? t('Reply for the agent, or comment') : t('Comment for the other people')
        }
        maxLength={4_000}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      {replies && (
        <button
          type="button"
          className="btn"
          disabled={said === '' || busy}
          onClick={() => send(reply)}
        >
          {t('Reply')}
        </button>
      )}
      <button type="submit" className="btn" disabled={said === '' || busy}>
        {t('Comment')}
      </button>
      <ErrorMessage error={comment.error ?? reply.error} inline />
    </form>
  )
}
