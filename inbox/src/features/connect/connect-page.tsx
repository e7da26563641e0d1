import { type FormEvent, useState } from 'react'
import type { Me } from '../../../../src/api/approval.ts'
import type { MadeToken } from '../../../../src/api/people.ts'
import { useMakeToken } from '../../api/tokens.ts'
import { ErrorMessage } from '../../components/error-message.tsx'
import { Page } from '../../components/page.tsx'
import { BASE_PATH } from '../../lib/base-path.ts'
import { t } from '../../lib/language/t.ts'
import { FirstCall } from './first-call.tsx'
import { Snippets } from './snippets.tsx'

const NO_TOKEN = 'cs_…'

/** From a running server to a connected agent: a token, a snippet, and the first call. */
export function ConnectPage({ me }: { me: Me }) {
  const [made, setMade] = useState<MadeToken>()
  const mayMake = me.roles.includes('admin')
  return (
    <Page
      title={t('Connect an agent')}
      says={t(
        'Choose how your agent calls tools, copy the snippet, and see its first call arrive.',
      )}
    >
      {mayMake ? (
        <MakeToken made={made} onMade={setMade} />
      ) : (
        <p className="text-ink-2">
          {t('An admin makes the token of an agent. The snippets below show where it goes.')}
        </p>
      )}
      <Snippets
        url={location.origin + BASE_PATH}
        token={made?.token ?? NO_TOKEN}
        agent={made?.made.agent ?? 'my-agent'}
      />
      {made && <FirstCall made={made.made} />}
    </Page>
  )
}

interface MakeProps {
  readonly made: MadeToken | undefined
  readonly onMade: (made: MadeToken) => void
}

function MakeToken({ made, onMade }: MakeProps) {
  const make = useMakeToken()
  const [agent, setAgent] = useState('my-agent')
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    make.mutate({ agent: agent.trim(), days: 90 }, { onSuccess: onMade })
  }
  return (
    <form className="frame flex flex-wrap items-end gap-3 p-4" onSubmit={onSubmit}>
      <label className="grid min-w-0 flex-1 basis-56 gap-1 font-medium">
        {t('Name of the agent')}
        <input
          className="field h-[38px]"
          value={agent}
          maxLength={128}
          required
          onChange={({ target }) => setAgent(target.value)}
        />
      </label>
      <button type="submit" className="btn btn-solid" disabled={make.isPending}>
        {made ? t('Make another token') : t('Make a token')}
      </button>
      <p className="basis-full text-ink-3" role="status">
        {made
          ? t(
              'The token is in the snippets below. It is shown this once; it ends in 90 days and can be revoked under People.',
            )
          : t('With a token an agent can ask, claim and report; never decide.')}
      </p>
      <ErrorMessage error={make.error} />
    </form>
  )
}
