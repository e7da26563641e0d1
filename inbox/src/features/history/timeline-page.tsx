import { useQuery } from '@tanstack/react-query'
import { ChevronRight, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import type { ApprovalCard, Me, WireEvent } from '../../../../src/api/approval.ts'
import { Refused } from '../../../../src/api/client.ts'
import { questionOf } from '../../../../src/api/question.ts'
import { eventsQuery, useCard } from '../../api/approvals.ts'
import { errorMessage } from '../../api/errors.ts'
import { Answers } from '../../components/answers.tsx'
import { Chip } from '../../components/chip.tsx'
import { eventLook, systemName } from '../../components/event-look.ts'
import { OUTCOME_LOOKS } from '../../components/outcome-look.ts'
import { nameOf } from '../../components/person.tsx'
import { Question } from '../../components/question.tsx'
import { RiskBadge } from '../../components/risk.tsx'
import { TONE_CLASSES } from '../../components/tone.ts'
import { UntrustedLines } from '../../components/untrusted-text.tsx'
import { doorWords } from '../../lib/approval/door-words.ts'
import { OUTCOME_WORDS, outcomeKind } from '../../lib/approval/outcome-kind.ts'
import { ruleAddress } from '../../lib/approval/rule-address.ts'
import { shortDigest } from '../../lib/arguments/digest.ts'
import { andList } from '../../lib/language/language.ts'
import { type Message, msg, plural, say, t, tell } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { day, exact } from '../../lib/time/clock.ts'
import { AnswerForm } from '../card/answer-form.tsx'
import { Claimed } from '../card/claimed.tsx'
import { Computed } from '../card/computed.tsx'
import { OutcomeBar } from '../decide/outcome-bar.tsx'
import { ResolvePanel } from '../decide/resolve-panel.tsx'
import { useDecide } from '../decide/use-decide.ts'
import { bylineOf, EventFacts, votesAt } from './event-facts.tsx'

export function TimelinePage({ id, me }: { id: string; me: Me }) {
  const { data: card, error } = useCard(id)
  const { data: events, error: eventsError } = useQuery(eventsQuery(id))
  useEffect(() => {
    document.title = `${card ? `${visibleText(card.tool)} · ` : ''}${t('History')} · Countersign`
  }, [card])
  if (card === undefined) {
    const words =
      error instanceof Refused && error.status === 404
        ? t('There is no such call.')
        : errorMessage(error)
    return (
      <main className="grid place-content-center px-6 text-ink-2">
        {error ? words : t('Loading the call.')}
      </main>
    )
  }
  return (
    <main className="relative min-w-0 overflow-auto bg-canvas">
      <div className="mx-auto grid max-w-[1240px] grid-cols-[minmax(0,1fr)] content-start gap-3.5 px-8 pt-5 pb-10 max-desk:px-3 max-desk:pt-3.5">
        <Head card={card} count={events?.length} isAdmin={me.roles.includes('admin')} />
        <Ending card={card} me={me} />
        <div className="grid grid-cols-[minmax(0,1fr)_300px] items-start gap-3.5 max-wide:grid-cols-1">
          <section className="frame">
            <h2 className="sr-only">{t('What happened')}</h2>
            {events === undefined ? (
              <p className="px-4 py-3 text-ink-2">
                {eventsError ? errorMessage(eventsError) : t('Loading what happened.')}
              </p>
            ) : (
              <ol className="py-1.5">
                {events.map((event, at) => (
                  <Happened
                    key={`${event.writer} ${event.seq}`}
                    event={event}
                    card={card}
                    me={me}
                    votes={votesAt(events, at)}
                  />
                ))}
              </ol>
            )}
          </section>
          <Bound card={card} tenant={me.tenant} />
        </div>
        <Computed card={card} me={me.person} />
        <Claimed card={card} />
        <AnswerForm card={card} filling={undefined} />
      </div>
    </main>
  )
}

interface HeadProps {
  readonly card: ApprovalCard
  readonly count: number | undefined
  readonly isAdmin: boolean
}

function Head({ card, count, isAdmin }: HeadProps) {
  const kind = outcomeKind(card)
  const { tone, icon } = OUTCOME_LOOKS[kind]
  return (
    <header className="grid gap-1">
      <p className="flex items-center gap-1 text-ink-3">
        <Link href="/history" className="rounded-xs hover:underline max-desk:py-2">
          {t('History')}
        </Link>
        <ChevronRight size={12} aria-hidden="true" />
        <code className="min-w-0 wrap-anywhere">{visibleText(card.id)}</code>
      </p>
      <div className="flex flex-wrap items-center gap-2">
        <h1 className="min-w-0 flex-1 text-xl max-desk:basis-full tracking-tight wrap-anywhere">
          <Question parts={questionOf(card, tell)} />
        </h1>
        <RiskBadge risk={card.risk} guessed={card.riskGuessed} />
        <Chip tone={tone} icon={icon}>
          {say(OUTCOME_WORDS[kind])}
        </Chip>
        {isAdmin && (
          <Link href={ruleAddress(card.id)} className="btn btn-small">
            {t('Make a rule')}
          </Link>
        )}
        {card.status === 'pending' && (
          <Link href={`/approvals/${encodeURIComponent(card.id)}`} className="btn btn-small">
            {t('Decide')}
          </Link>
        )}
      </div>
      <p className="text-ink-2">
        <code>
          {card.server !== undefined && `${visibleText(card.server)}/`}
          {visibleText(card.tool)}
        </code>
        <span className="mx-1.5 text-ink-3">·</span>
        {day(card.askedAt)}
        {count !== undefined && (
          <>
            <span className="mx-1.5 text-ink-3">·</span>
            {plural(count, '{n} event', '{n} events')}
          </>
        )}
      </p>
    </header>
  )
}

/** Events name people by issuer and subject; those on the card have names. */
function actorOf(event: WireEvent, card: ApprovalCard, me: Me): string {
  const { decisions, outcome, talk = [] } = card
  const { by } = event
  const people = [
    me.person,
    ...decisions.map((one) => one.by),
    ...(outcome?.resolvedBy ? [outcome.resolvedBy] : []),
    ...talk.flatMap((one) => one.by ?? []),
  ]
  const found = people.find(({ issuer, subject }) => `${issuer}/${subject}` === by)
  const actor = found === undefined ? (systemName(by) ?? visibleText(by)) : nameOf(found)
  const absent = decisions.flatMap((one) => one.for ?? [])
  const names = event.for?.map((subject) => {
    const away = absent.find((one) => one.subject === subject)
    return away ? nameOf(away) : visibleText(subject)
  })
  return names === undefined ? actor : t('{actor} for {names}', { actor, names: andList(names) })
}

/** What a person did, in their name. */
function titleOf({ type, code }: WireEvent, actor: string): string | undefined {
  if (type === 'decided')
    return code === 'deny' ? t('{actor} said no', { actor }) : t('{actor} said yes', { actor })
  if (type === 'edited') return t('{actor} edited the call and said yes', { actor })
  if (type === 'denied') return t('{actor} denied it', { actor })
  if (type === 'finished') return endedAs(code)
  if (type === 'resolved')
    return t('{actor} wrote down: {outcome}', { actor, outcome: endedAs(code) })
  return undefined
}

/** What came with this answer, while the record still holds it. */
function answersIn({ type, by, at }: WireEvent, { decisions }: ApprovalCard): unknown {
  if (type !== 'decided' && type !== 'edited') return undefined
  return decisions.find((one) => one.at === at && `${one.by.issuer}/${one.by.subject}` === by)
    ?.payload
}

/** How a call ended; a code of a newer server is shown as it is. */
function endedAs(code = ''): string {
  if (code === 'succeeded') return t('It succeeded')
  if (code === 'failed') return t('It failed')
  return code === '' ? t('It ended') : t('It ended: {code}', { code: visibleText(code) })
}

const REMARKS: Readonly<Record<string, string>> = {
  questioned: 'question',
  replied: 'reply',
  commented: 'comment',
}

/** What was said then, while the record still holds it. */
function remarkIn({ type, at }: WireEvent, { talk = [] }: ApprovalCard): string | undefined {
  const kind = Object.hasOwn(REMARKS, type) ? REMARKS[type] : undefined
  return talk.find((one) => one.kind === kind && one.at === at)?.text
}

const WHY: Readonly<Record<string, Message>> = {
  undecided: msg('not decided in time'),
  unused: msg('the yes was not used in time'),
  policy: msg('the policy became stricter'),
  tool: msg('the tool changed'),
  voter: msg('a voter lost the right to decide'),
  restored: msg('the database was restored or copied'),
  edit_refused: msg('the edited call was refused'),
  revoked: msg('the yes was taken back'),
}

function whyOf(code = ''): string {
  const why = Object.hasOwn(WHY, code) ? WHY[code] : undefined
  return why === undefined ? '' : ` · ${say(why)}`
}

interface HappenedProps {
  readonly event: WireEvent
  readonly card: ApprovalCard
  readonly me: Me
  /** How many had said yes with it. */
  readonly votes: number
}

function Happened({ event, card, me, votes }: HappenedProps) {
  const [Icon, tone, words] = eventLook(event.type)
  const bad = event.code === 'failed' && (event.type === 'finished' || event.type === 'resolved')
  const actor = actorOf(event, card, me)
  const title = titleOf(event, actor) ?? words
  const answered = answersIn(event, card)
  const said = remarkIn(event, card)
  return (
    <li className="relative grid grid-cols-[28px_minmax(0,1fr)_auto] gap-x-3 px-4 py-2 not-last:after:absolute not-last:after:top-[38px] not-last:after:-bottom-2 not-last:after:left-[29.5px] not-last:after:border-l not-last:after:border-frame max-desk:gap-x-2.5 max-desk:px-3 max-desk:not-last:after:left-[25.5px]">
      <span
        className={`z-[1] grid size-7 place-items-center rounded-full ${TONE_CLASSES[bad ? 'bad' : tone]}`}
      >
        {bad ? <X size={15} aria-hidden="true" /> : <Icon size={15} aria-hidden="true" />}
      </span>
      <div className="min-w-0">
        <h3 className="leading-[19px]">{title}</h3>
        <p className="leading-[19px] wrap-anywhere text-ink-2">
          {bylineOf(event, { actor, title, said: votes, need: card.met.need })}
          {event.type === 'requested' && `, ${doorWords(card.door)}`}
          {whyOf(event.code)}
        </p>
      </div>
      <div className="grid content-start justify-items-end leading-[19px] text-ink-2 tabular-nums">
        <time dateTime={new Date(event.at).toISOString()}>{exact(event.at)}</time>
        <span className="text-xs leading-[19px] text-ink-3">
          #{event.seq} <code className="text-xs">{shortDigest(event.hash).slice(0, 9)}</code>
        </span>
      </div>
      <div className="col-span-2 col-start-2 min-w-0">
        <EventFacts event={event} card={card} />
        {said !== undefined && (
          <blockquote className="mt-1 border-l-2 border-claim-line pl-2.5 wrap-anywhere">
            <UntrustedLines text={said} />
          </blockquote>
        )}
        {answered !== undefined && (
          <div className="claimed mt-1 rounded-md px-2.5 py-1.5 text-xs leading-[18px]">
            <Answers form={card.form} payload={answered} />
          </div>
        )}
      </div>
    </li>
  )
}

function Bound({ card, tenant }: { card: ApprovalCard; tenant: string }) {
  const facts: readonly (readonly [string, string])[] = [
    [t('Tenant'), tenant],
    [t('Door'), doorWords(card.door)],
    [t('Agent'), visibleText(card.agent)],
    ...(card.principal === undefined
      ? []
      : [[t('Acting for'), visibleText(card.principal)] as const]),
    ...(card.run === undefined ? [] : [[t('Run'), visibleText(card.run)] as const]),
    ...(card.key === undefined ? [] : [[t('Key'), visibleText(card.key)] as const]),
    [t('Arguments'), plural(card.bytes, '{n} byte', '{n} bytes')],
    [t('Digest'), shortDigest(card.digest)],
    ...(card.askedDigest === card.digest
      ? []
      : [[t('As asked'), shortDigest(card.askedDigest)] as const]),
  ]
  return (
    <section className="frame grid gap-2 px-4 pt-3 pb-3.5">
      <h2 className="text-sm">{t('What was decided about')}</h2>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 text-xs leading-[18px]">
        {facts.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-ink-3">{name}</dt>
            <dd className="text-right wrap-anywhere text-ink-2">{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

/** How it ended, and what is left to do: an outcome to write down, or a yes to take back. */
function Ending({ card, me }: { card: ApprovalCard; me: Me }) {
  const [writing, setWriting] = useState(false)
  const deciding = useDecide(card)
  if (card.status === 'pending') return null
  return (
    // A part of the page here, and not the foot that it is on a card.
    <div className="frame *:max-h-none *:*:max-w-none">
      <h2 className="sr-only">{t('Outcome')}</h2>
      {writing && card.can.includes('resolve') ? (
        <ResolvePanel card={card} onBack={() => setWriting(false)} />
      ) : (
        <OutcomeBar
          card={card}
          me={me.person}
          deciding={deciding}
          onResolve={() => setWriting(true)}
          withLink={false}
        />
      )}
    </div>
  )
}
