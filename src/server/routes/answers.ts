import { foldAddress } from '../../base/address.ts'
import { CountersignError } from '../../base/errors.ts'
import { createRateLimit } from '../http/rate-limit.ts'
import { agentOf, type Route, route } from '../http/route.ts'
import { readAddress } from '../identity/address.ts'
import { vouchedNow, vouchedPerson } from '../identity/vouched.ts'
import { knownApproval } from '../read-approvals.ts'
import type { Services } from '../services.ts'
import { agentApproval } from '../view/agent-view.ts'

/** More than a person confirms in a chat. */
const MOST_ANSWERS = 60

/**
 * What users answer inside an application that signs them in. It counts for `confirm` alone, for
 * the person the call is made for, and is only as good as the chat it came through.
 */
export function answerRoutes({ gate, store, credentials }: Services): Route[] {
  const answers = createRateLimit({ most: MOST_ANSWERS, windowMs: 60_000, what: 'answers' })

  return [
    route('POST /v1/approvals/:id/answers', async ({ caller, params, body, reply }) => {
      const agent = agentOf(caller)
      const { token } = agent
      if (token.vouches !== true) {
        throw new CountersignError('not_permitted', 'this token does not vouch for its users', {
          hint: 'Make one for the application with `countersign token create --vouch`.',
        })
      }
      const by = readAddress(body.by, 'by')
      const { id, level, call } = await knownApproval(store, params.id, agent)
      answers.take(JSON.stringify([token.prefix, by]))
      if (level !== 'confirm') {
        throw new CountersignError('not_permitted', 'this call needs the approval of others', {
          hint: 'They answer in the inbox, or wherever they sign in themselves.',
        })
      }
      const { email, subject } = call.principal ?? {}
      if (by !== foldAddress(email ?? subject ?? '')) {
        throw new CountersignError('not_permitted', 'the call is not made for this user', {
          hint: 'Ask with the user as its principal, and send their answer only.',
        })
      }
      const accounts = await credentials.accounts.list()
      const person = vouchedPerson(token, by)
      const { reason, payload } = body
      await gate.approvals.decide(id, {
        by: (await vouchedNow(store.records, accounts, person)) ?? { ...person, locked: true },
        verdict: body.approved ? 'approve' : 'deny',
        seen: body.seen,
        ...(reason === undefined ? {} : { reason }),
        ...(payload === undefined ? {} : { payload }),
      })
      return reply(200, await agentApproval(store, await knownApproval(store, id, agent)))
    }),
  ]
}
