import { useQuery } from '@tanstack/react-query'
import { Lightbulb } from 'lucide-react'
import { Link, useLocation } from 'wouter'
import type { Proposal } from '../../../../src/api/policy/proposals.ts'
import { proposalsQuery, useAcceptGrant, useDismiss } from '../../api/policy.ts'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { ErrorMessage } from '../../components/error-message.tsx'
import { UntrustedText } from '../../components/untrusted-text.tsx'
import { ruleAddress } from '../../lib/approval/rule-address.ts'
import { rich } from '../../lib/language/rich.ts'
import { type Message, msg, plural, say, t } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'

/** Changes that recorded answers speak for. Each is accepted by a person, and none by itself. */
export function PolicyProposals({ isAdmin }: { isAdmin: boolean }) {
  const { data, error } = useQuery(proposalsQuery)
  if (error) return <ErrorMessage error={error} />
  if (data === undefined || data.proposals.length === 0) return null
  return (
    <section className="frame" aria-labelledby="proposals">
      <header className="border-b border-line px-4 py-2.5">
        <h2 id="proposals" className="flex items-center gap-2 text-md">
          <Lightbulb size={16} className="flex-none text-accent" aria-hidden="true" />
          {t('Proposals')}
        </h2>
        <p className="text-ink-2">
          {rich(
            'From people’s own answers of the last {days} days. Nothing is applied by itself.',
            { days: data.days },
          )}
          {data.dismissed > 0 &&
            ` ${t('{proposals} dismissed.', { proposals: plural(data.dismissed, '{n} proposal', '{n} proposals') })}`}
        </p>
      </header>
      <ul>
        {data.proposals.map((one) => (
          <li
            key={one.id}
            className="flex flex-wrap items-start gap-x-4 gap-y-2 border-b border-line px-4 py-2.5 last:border-b-0"
          >
            <div className="min-w-0 flex-1 basis-80">
              <Wish proposal={one} />
              <Evidence proposal={one} />
            </div>
            <span className="flex flex-wrap gap-2">
              {one.kind === 'tighten' ? (
                isAdmin && <MakeRule proposal={one} />
              ) : (
                <MakeGrant proposal={one} />
              )}
              {isAdmin && <Dismiss proposal={one} />}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

type Tighten = Extract<Proposal, { kind: 'tighten' }>
type Relax = Extract<Proposal, { kind: 'relax' }>

const OPERATORS: Readonly<Record<string, Message>> = {
  eq: msg('is'),
  in: msg('is one of'),
  gte: msg('is at least'),
}

const operatorWords = (op: string): string => {
  const known = Object.hasOwn(OPERATORS, op) ? OPERATORS[op] : undefined
  return known === undefined ? op : say(known)
}

/** Values come from calls, so each is boxed: an agent chose them. */
export function Wish({ proposal }: { proposal: Proposal }) {
  const name = (
    <code className="wrap-anywhere">
      {proposal.server !== undefined && `${visibleText(proposal.server)}/`}
      {visibleText(proposal.tool)}
    </code>
  )
  if (proposal.kind === 'relax') {
    return (
      <p className="font-medium">
        {rich('Grant one exact call of {name} to {agent}, at most {uses} times within {for}', {
          name,
          agent: <code>{visibleText(proposal.agent)}</code>,
          uses: proposal.uses,
          for: proposal.for,
        })}
      </p>
    )
  }
  return (
    <p className="font-medium wrap-anywhere">
      {rich('Deny {name}', { name })}
      {proposal.values.map(({ path, op, value }) => (
        <span key={path}>
          {' '}
          {rich('when {path} {operator} {value}', {
            path: <code>{visibleText(path)}</code>,
            operator: operatorWords(op),
            value: value.map((one) => (
              <code key={one} className="from-call mr-1">
                <UntrustedText text={one} edges />
              </code>
            )),
          })}
        </span>
      ))}
    </p>
  )
}

export function Evidence({ proposal }: { proposal: Proposal }) {
  const { calls, of, people, examples } = proposal
  return (
    <p className="text-xs leading-[18px] text-ink-3">
      {proposal.kind === 'tighten'
        ? t(
            '{people} people refused {calls} of {of} answered calls as asked: {denied} denied, {edited} edited. An admin accepts it as a rule.',
            { people, calls, of, denied: proposal.denied, edited: proposal.edited },
          )
        : t(
            '{people} people approved it {calls} times; it was never denied, edited or failed. A person who may approve it accepts it.',
            { people, calls },
          )}{' '}
      {examples.map((id, at) => (
        <Link key={id} href={`/history/${encodeURIComponent(id)}`} className="link mr-1.5">
          {rich('Call {value}', { value: at + 1 })}
        </Link>
      ))}
    </p>
  )
}

/** Opens the builder with the rule in it: tried on recorded calls, saved as a draft. */
function MakeRule({ proposal: { examples, rule } }: { proposal: Tighten }) {
  const [, navigate] = useLocation()
  return (
    <button
      type="button"
      className="btn btn-small"
      onClick={() => navigate(ruleAddress(examples[0] ?? ''), { state: { rule } })}
    >
      {t('Look at the rule')}
    </button>
  )
}

export function MakeGrant({ proposal }: { proposal: Relax }) {
  const write = useAcceptGrant(proposal)
  return (
    <ConfirmButton
      word={t('Grant')}
      about={t('this exact call')}
      says={t(
        'It runs without asking, at most {uses} times within {for}. Each use is recorded, and the grant can be revoked.',
        { uses: proposal.uses, for: proposal.for },
      )}
      keep={t('Go back')}
      write={write}
    />
  )
}

function Dismiss({ proposal: { id } }: { proposal: Proposal }) {
  const write = useDismiss(id)
  return (
    <ConfirmButton
      word={t('Dismiss')}
      about={t('this proposal')}
      says={t('It is not made again. The audit has who dismissed it.')}
      keep={t('Go back')}
      write={write}
    />
  )
}
