import { useQuery } from '@tanstack/react-query'
import { Bot } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { MadeToken, WireToken } from '../../../../src/api/people.ts'
import { tokensQuery, useMakeToken, useRevokeToken } from '../../api/tokens.ts'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { FormActions } from '../../components/form-actions.tsx'
import { Label, Loaded, PartHead } from '../../components/page.tsx'
import { rich } from '../../lib/language/rich.ts'
import { msg, say, t } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { clock, timeLeft } from '../../lib/time/clock.ts'
import { ShownOnce } from './shown-once.tsx'
import { TableHead } from './table-head.tsx'

/** Credentials of agents: they ask, and can never decide. */
export function Tokens() {
  const { data, error } = useQuery(tokensQuery)
  const [making, setMaking] = useState(false)
  return (
    <>
      <PartHead
        title={t('Tokens of agents')}
        says={t('With one an agent can ask, claim and report; never decide.')}
        aside={
          !making && (
            <button type="button" className="btn" onClick={() => setMaking(true)}>
              {t('Make a token…')}
            </button>
          )
        }
      />
      {making && <MakeToken onDone={() => setMaking(false)} />}
      <Loaded data={data} error={error}>
        {({ tokens, now }) =>
          tokens.length === 0 ? (
            <p className="frame px-4 py-3 text-ink-2 max-desk:px-3">
              {t('No tokens. Agents in this process need none.')}
            </p>
          ) : (
            <TokenTable tokens={tokens} now={now} />
          )
        }
      </Loaded>
    </>
  )
}

const CELL =
  'border-t border-line px-2.5 py-2 align-middle first:pl-4 last:pr-4 max-desk:block max-desk:border-0 max-desk:px-0 max-desk:py-0.5 max-desk:first:pl-0 max-desk:last:col-span-2 max-desk:last:pr-0'

function TokenTable({ tokens, now }: { tokens: readonly WireToken[]; now: number }) {
  return (
    <section aria-label={t('Tokens')} className="frame">
      <table className="w-full border-collapse max-desk:block">
        <TableHead
          names={[t('Agent'), t('Token'), t('Works for'), t('Made'), t('Last used'), t('Ends'), '']}
        />
        <tbody className="max-desk:block">
          {tokens.map((token) => (
            <TokenRow key={token.prefix} token={token} now={now} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function TokenRow({ token, now }: { token: WireToken; now: number }) {
  const revoke = useRevokeToken(token.prefix)
  const { prefix, agent, principal, client, createdAt, expiresAt, lastUsedAt } = token
  const worksFor = principal ?? client?.person.subject
  return (
    <tr
      data-token={prefix}
      className="max-desk:grid max-desk:grid-cols-2 max-desk:gap-x-3 max-desk:border-t max-desk:border-line max-desk:px-3 max-desk:py-2.5 max-desk:first:border-t-0"
    >
      <td className={CELL}>
        <span className="flex items-center gap-2">
          <Bot size={16} className="flex-none text-ink-3" aria-hidden="true" />
          <b className="wrap-anywhere">{visibleText(agent)}</b>
        </span>
        {client && (
          <span className="block text-xs wrap-anywhere text-ink-3">
            {t('MCP client, allowed by this person')}
          </span>
        )}
      </td>
      <td className={CELL}>
        <code>cs_{visibleText(prefix)}_…</code>
      </td>
      <td className={`${CELL} wrap-anywhere`}>
        <Label>{t('Works for')}</Label>
        {worksFor === undefined ? (
          <span className="text-ink-3">{t('Not named')}</span>
        ) : (
          visibleText(worksFor)
        )}
      </td>
      <td className={`${CELL} tabular-nums`}>
        <Label>{t('Made')}</Label>
        {clock(createdAt, now, false)}
      </td>
      <td className={`${CELL} tabular-nums`}>
        <Label>{t('Last used')}</Label>
        {lastUsedAt === undefined ? (
          <span className="text-ink-3">{t('Never')}</span>
        ) : (
          clock(lastUsedAt, now, false)
        )}
      </td>
      <td className={`${CELL} tabular-nums`}>
        <Label>{t('Ends')}</Label>
        {expiresAt === undefined ? (
          <span className="text-ink-3">{t('When revoked')}</span>
        ) : (
          t('in {time}', { time: timeLeft(expiresAt - now) })
        )}
      </td>
      <td className={CELL}>
        <span className="flex flex-wrap justify-end gap-1.5 max-desk:justify-start max-desk:pt-1">
          <ConfirmButton
            word={t('Revoke')}
            about={t('the token of {agent}', { agent: visibleText(agent) })}
            says={t('The agent is refused from now on. Its undecided calls stay open.')}
            write={revoke}
          />
        </span>
      </td>
    </tr>
  )
}

const LIVES = [
  ['30', msg('for 30 days')],
  ['90', msg('for 90 days')],
  ['365', msg('for a year')],
  ['', msg('until revoked')],
] as const

function MakeToken({ onDone }: { onDone: () => void }) {
  const make = useMakeToken()
  const [agent, setAgent] = useState('')
  const [principal, setPrincipal] = useState('')
  const [days, setDays] = useState('90')
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    const whose = principal.trim() === '' ? {} : { principal: principal.trim() }
    const life = days === '' ? {} : { days: Number(days) }
    make.mutate({ agent: agent.trim(), ...whose, ...life })
  }
  if (make.data !== undefined) return <Once made={make.data} onDone={onDone} />
  return (
    <form
      aria-label={t('Make a token')}
      className="frame grid gap-2.5 px-4 py-3"
      onSubmit={onSubmit}
    >
      <h3 className="text-md">{t('Make a token')}</h3>
      <div className="flex flex-wrap gap-2">
        <input
          className="field min-w-40 flex-1"
          required
          aria-label={t('Agent')}
          placeholder={t('Agent, as rules see it')}
          pattern="[A-Za-z0-9_.\-]{1,128}"
          title={t('1 to 128 of the characters A-Z a-z 0-9 _ . -')}
          value={agent}
          onChange={({ target }) => setAgent(target.value)}
        />
        <input
          className="field min-w-60 flex-1"
          type="email"
          aria-label={t('The person it works for')}
          placeholder={t('The person it works for, if one')}
          value={principal}
          onChange={({ target }) => setPrincipal(target.value)}
        />
        <select
          className="field"
          aria-label={t('How long it works')}
          value={days}
          onChange={({ target }) => setDays(target.value)}
        >
          {LIVES.map(([value, word]) => (
            <option key={value} value={value}>
              {say(word)}
            </option>
          ))}
        </select>
      </div>
      <FormActions send={t('Make it')} error={make.error} onBack={onDone} />
    </form>
  )
}

function Once({ made: { token, made }, onDone }: { made: MadeToken; onDone: () => void }) {
  return (
    <ShownOnce label={t('The new token')} secret={token} onDone={onDone}>
      {rich('The token of {agent} is shown this once and kept nowhere.', {
        agent: visibleText(made.agent),
      })}
    </ShownOnce>
  )
}
