import {
  type LoginHint,
  NotAsked,
  type SignInProvider,
} from '../../gate/notify/sign-in-provider.ts'
import { declaredRisk } from '../../policy/evaluate/declared.ts'
import type { Policy } from '../../policy/policy.ts'
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

/**
 * People are known by what the provider's ID tokens name them, so an answer that comes through it
 * needs no link: it is theirs if its token names the account that was asked.
 */
export function signInProvider(oidc: Oidc, parts: ProviderParts): SignInProvider {
  const { gate, accounts, membership, policy } = parts
  const { backchannel, options } = oidc
  const { able, card } = answering(parts)
  const signing = { accounts, membership, options, isNamed: namedBy(policy) }

  async function accountOf(subject: string): Promise<Account | undefined> {
    return accounts.get({ issuer: await backchannel.issuer(), subject })
  }

  return {
    issuer: backchannel.issuer,
    poll: backchannel.poll,
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
    async approve(claims, assurance, { approval, seen }) {
      // A yes makes no account: only a person who signed in before was asked.
      await able(await accounts.get(claims), assurance)
      const by = await able(await oidcAccount(claims as Claims, signing), assurance)
      return gate.approvals.decide(approval, { by, verdict: 'approve', seen })
    },
    async deny(subject, { approval, seen }) {
      const by = await able(await accountOf(subject), 'chat')
      return gate.approvals.decide(approval, { by, verdict: 'deny', seen })
    },
  }
}

function hintOf(
  { issuer, subject, email, emailVerified }: Account,
  hint: LoginHint,
): string | undefined {
  if (hint === 'email') return emailVerified ? email : undefined
  return hint === 'sub' ? subject : JSON.stringify({ format: 'iss_sub', iss: issuer, sub: subject })
}
