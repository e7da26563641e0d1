import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Bot, Copy, TriangleAlert } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { MadeToken, WireToken } from '../../../src/api/people.ts'
import { getTokens, makeToken, revokeToken, sentenceOf } from '../api.ts'
import { clock, timeLeft } from '../text/clock.ts'
import { visibleText } from '../text/unseen.ts'
import { FormEnd } from './form-end.tsx'
import { Label, Loaded, PartHead } from './page.tsx'
import { Sure } from './sure.tsx'

/** Credentials of agents: they ask, and can never decide. */
export function Tokens() {
  const { data, error } = useQuery({
    queryKey: ['tokens'],
    queryFn: getTokens,
    refetchInterval: 30_000,
  })
  const [making, setMaking] = useState(false)
  return (
    <>
      <PartHead
        title="Tokens of agents"
        says="With one an agent can ask, claim and report; never decide."
        aside={
          !making && (
            <button type="button" className="btn" onClick={() => setMaking(true)}>
              Make a token…
            </button>
          )
        }
      />
      {making && <MakeToken onDone={() => setMaking(false)} />}
      <Loaded data={data} error={error}>
        {({ tokens, now }) =>
          tokens.length === 0 ? (
            <p className="text-ink-2">No tokens. Agents in this process need none.</p>
          ) : (
            <TokenTable tokens={tokens} now={now} />
          )
        }
      </Loaded>
    </>
  )
}

const CELL =
  'border-t border-line px-2.5 py-2 align-middle first:pl-4 last:pr-4 max-desk:block max-desk:border-0 max-desk:px-0 max-desk:py-0.5 max-desk:first:pl-0 max-desk:last:pr-0'

function TokenTable({ tokens, now }: { tokens: readonly WireToken[]; now: number }) {
  return (
    <section aria-label="Tokens" className="frame">
      <table className="w-full border-collapse max-desk:block">
        <thead className="max-desk:hidden">
          <tr>
            {['Agent', 'Token', 'Works for', 'Made', 'Last used', 'Ends', ''].map((name) => (
              <th
                key={name}
                scope="col"
                className="px-2.5 py-[7px] text-left text-xs font-medium whitespace-nowrap text-ink-3 first:pl-4"
              >
                {name === '' ? <span className="sr-only">What can be done</span> : name}
              </th>
            ))}
          </tr>
        </thead>
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
  const queries = useQueryClient()
  const { prefix, agent, principal, createdAt, expiresAt, lastUsedAt } = token
  return (
    <tr
      data-token={prefix}
      className="max-desk:block max-desk:border-t max-desk:border-line max-desk:px-3 max-desk:py-2.5 max-desk:first:border-t-0"
    >
      <td className={CELL}>
        <span className="flex items-center gap-2">
          <Bot size={16} className="flex-none text-ink-3" aria-hidden="true" />
          <b className="wrap-anywhere">{visibleText(agent)}</b>
        </span>
      </td>
      <td className={CELL}>
        <code>cs_{visibleText(prefix)}_…</code>
      </td>
      <td className={`${CELL} wrap-anywhere`}>
        {principal === undefined ? (
          <span className="text-ink-3">Not named</span>
        ) : (
          visibleText(principal)
        )}
      </td>
      <td className={`${CELL} tabular-nums`}>
        <Label>Made</Label>
        {clock(createdAt, now, false)}
      </td>
      <td className={`${CELL} tabular-nums`}>
        <Label>Last used</Label>
        {lastUsedAt === undefined ? (
          <span className="text-ink-3">Never</span>
        ) : (
          clock(lastUsedAt, now, false)
        )}
      </td>
      <td className={`${CELL} tabular-nums`}>
        <Label>Ends</Label>
        {expiresAt === undefined ? (
          <span className="text-ink-3">When revoked</span>
        ) : (
          `in ${timeLeft(expiresAt - now)}`
        )}
      </td>
      <td className={CELL}>
        <span className="flex flex-wrap justify-end gap-1.5 max-desk:justify-start max-desk:pt-1">
          <Sure
            word="Revoke"
            about={`the token of ${visibleText(agent)}`}
            says="The agent is refused from now on. Its undecided calls stay open."
            act={async () => {
              await revokeToken(prefix)
              await queries.invalidateQueries({ queryKey: ['tokens'] })
            }}
          />
        </span>
      </td>
    </tr>
  )
}

const LIVES = [
  ['30', 'for 30 days'],
  ['90', 'for 90 days'],
  ['365', 'for a year'],
  ['', 'until revoked'],
] as const

function MakeToken({ onDone }: { onDone: () => void }) {
  const queries = useQueryClient()
  const [agent, setAgent] = useState('')
  const [principal, setPrincipal] = useState('')
  const [days, setDays] = useState('90')
  const [made, setMade] = useState<MadeToken>()
  const [problem, setProblem] = useState('')
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault()
    setProblem('')
    try {
      const whose = principal.trim() === '' ? {} : { principal: principal.trim() }
      const life = days === '' ? {} : { days: Number(days) }
      setMade(await makeToken({ agent: agent.trim(), ...whose, ...life }))
      await queries.invalidateQueries({ queryKey: ['tokens'] })
    } catch (error) {
      setProblem(sentenceOf(error))
    }
  }
  if (made !== undefined) return <Once made={made} onDone={onDone} />
  return (
    <form
      aria-label="Make a token"
      className="frame grid gap-2.5 px-4 py-3"
      onSubmit={(event) => void onSubmit(event)}
    >
      <h3 className="text-md">Make a token</h3>
      <div className="flex flex-wrap gap-2">
        <input
          className="field min-w-40 flex-1"
          required
          aria-label="Agent"
          placeholder="Agent, as rules see it"
          pattern="[A-Za-z0-9_.\-]{1,128}"
          title="1 to 128 of the characters A-Z a-z 0-9 _ . -"
          value={agent}
          onChange={({ target }) => setAgent(target.value)}
        />
        <input
          className="field min-w-60 flex-1"
          type="email"
          aria-label="The person it works for"
          placeholder="The person it works for, if one"
          value={principal}
          onChange={({ target }) => setPrincipal(target.value)}
        />
        <select
          className="field"
          aria-label="How long it works"
          value={days}
          onChange={({ target }) => setDays(target.value)}
        >
          {LIVES.map(([value, word]) => (
            <option key={word} value={value}>
              {word}
            </option>
          ))}
        </select>
      </div>
      <FormEnd send="Make it" problem={problem} onBack={onDone} />
    </form>
  )
}

/** The secret, shown once: only this component holds it. */
function Once({ made: { token, made }, onDone }: { made: MadeToken; onDone: () => void }) {
  const [copied, setCopied] = useState(false)
  return (
    <section aria-label="The new token" className="frame grid gap-2.5 border-warn-line px-4 py-3">
      <p className="flex items-start gap-2">
        <TriangleAlert size={16} className="mt-0.5 flex-none text-warn" aria-hidden="true" />
        <span>
          <b>Copy it now.</b> The token of {visibleText(made.agent)} is shown this once and kept
          nowhere.
        </span>
      </p>
      <code data-secret="" className="rounded-md bg-sunken px-3 py-2 wrap-anywhere select-all">
        {token}
      </code>
      <span className="flex flex-wrap gap-2">
        <button
          type="button"
          className="btn"
          onClick={() => {
            void navigator.clipboard
              ?.writeText(token)
              .then(() => setCopied(true))
              .catch(() => {})
          }}
        >
          <Copy size={14} aria-hidden="true" /> {copied ? 'Copied' : 'Copy'}
        </button>
        <button type="button" className="btn btn-solid" onClick={onDone}>
          I have it
        </button>
      </span>
    </section>
  )
}
