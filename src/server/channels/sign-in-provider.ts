import {
  type LoginHint,
  NotAsked,
  type SignInProvider,
} from '../../gate/notify/sign-in-provider.ts'
import { declaredRisk } from '../../policy/evaluate/declared.ts'
import type { Policy } from '../../policy/policy.ts'
import { GATE } from '../http/attempt.ts'
import type { Membership } from '../identity/membership.ts'
import { namedBy } from '../identity/named-by-policy.ts'
import type { Claims, Oidc } from '../identity/oidc.ts'
import { oidcAccount } from '../identity/oidc-account.ts'
import type { Account } from '../identity/people.ts'
import { type AnsweringParts, answering } from './answering.ts'

export interface ProviderParts extends AnsweringParts {
  readonly membership: Membership
  readonly policy: () => Policy
}

/** Where refused answers were given, in the record. */
const AT = 'the sign-in provider'

/**
 * People are known by what the provider's ID tokens name them, so an answer that comes through it
 * needs no link: it is theirs if its token names the account that was asked.
 */
export function signInProvider(oidc: Oidc, parts: ProviderParts): SignInProvider {
  const { accounts, membership, policy, attempts } = parts
  const { backchannel, options } = oidc
  const { able, card, decide } = answering(parts)
  const signing = { accounts, membership, options, isNamed: namedBy(policy) }

  async function accountOf(subject: string): Promise<Account | undefined> {
    return accounts.get({ issuer: await backchannel.issuer(), subject })
  }

  return {
    issuer: backchannel.issuer,
    async poll(request) {
      const answer = await backchannel.poll(request)
      // A token that is not this person's answer proves nothing about who sent it.
      if (answer.state === 'refused') attempts.note({ code: 'signin_refused', by: GATE, at: AT })
      return answer
    },
    async begin(subject, hint, ask) {
      const account = await accountOf(subject)
      const name = account && hintOf(account, hint)
      if (name === undefined) {
        const says = 'the sign-in provider knows no address of this person'
        throw new NotAsked(says, { isCertain: true, gone: true })
      }
      return backchannel.begin(name, ask)
    },
    async card(subject, id) {
      const shown = await card(await able(await accountOf(subject), 'signed-in'), id)
      const { kind, tool, server } = shown.approval.call
      const named = { kind, tool, args: {}, ...(server === undefined ? {} : { server }) }
      return { ...shown, rated: declaredRisk(policy(), named) }
    },
    approve: (claims, assurance, answer) =>
      decide(AT, { ...answer, verdict: 'approve' }, async () => {
        // A yes makes no account: only a person who signed in before was asked.
        await able(await accounts.get(claims), assurance)
        return able(await oidcAccount(claims as Claims, signing), assurance)
      }),
    deny: (subject, answer) =>
      decide(AT, { ...answer, verdict: 'deny' }, async () =>
        able(await accountOf(subject), 'chat'),
      ),
  }
}

function hintOf(
  { issuer, subject, email, emailVerified }: Account,
  hint: LoginHint,
): string | undefined {
  if (hint === 'email') return emailVerified ? email : undefined
  return hint === 'sub' ? subject : JSON.stringify({ format: 'iss_sub', iss: issuer, sub: subject })
}
