import { OPERATOR } from '../../src/approval/transition.ts'
import { createMembership } from '../../src/server/identity/membership.ts'
import type { OidcOptions } from '../../src/server/identity/oidc.ts'
import type { Store } from '../../src/store/store.ts'
import { CLIENT } from '../support/issuer.ts'

export const CIBA_POLICY = `version: 1
people: { groups: { finance: [fay@example.com, finn@example.com] } }
tools:
  note: { risk: L2, secrets: [card], approval: { message_template: "Note {{tool_args.text}}?", approvers: [fay@example.com] } }
  pay: { risk: L3, approval: { approvers: [fay@example.com] } }
  unrated: { approval: { approvers: [fay@example.com] } }
  both: { risk: L1, approval: { quorum: [{ group: finance, n: 2 }], edit: [text] } }
  strict: { risk: L2, approval: { approvers: [fay@example.com], min_assurance: passkey } }
  why: { risk: L2, approval: { approvers: [fay@example.com], reason: required } }
  slow: { risk: L2, approval: { approvers: [fay@example.com], remind_after: 1h, decide_by: 8h } }
  a_tool_whose_name_is_much_too_long_for_the_screen_of_a_phone: { risk: L1, approval: { approvers: [fay@example.com] } }
`

/** What the server is told of the provider, for sign-in and for questions. */
export function oidcOptions(url: URL): OidcOptions {
  return { issuer: url, clientId: CLIENT.id, clientSecret: CLIENT.secret }
}

/** A person who signed in here with the provider before. */
export async function signedInBefore(store: Store, issuer: string, subject: string) {
  const email = `${subject}@example.com`
  const account = { issuer, subject, email, emailVerified: true, roles: ['approver'] as const }
  await createMembership(store).set(OPERATOR, account)
  return { issuer, subject }
}
