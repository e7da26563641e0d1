import { type Contracts, EMPTY } from '../contract.ts'
import { AcceptInviteBody, InviteBody, InviteList, MadeInvite } from '../people/invites.ts'
import { SignedIn } from '../session.ts'

/** Links that make an account, once. */
export const inviteContracts = {
  'GET /v1/invites': {
    tag: 'People',
    who: ['admin'],
    summary: 'Invitations that are open, and what became of those of the last weeks.',
    answer: 'A list of invitations, without their secrets.',
    responses: { 200: InviteList },
  },
  'POST /v1/invites': {
    tag: 'People',
    who: ['admin'],
    summary:
      'Make a link that signs one person in, once, and makes their account. Roles above viewer wait for another admin.',
    body: InviteBody,
    answer: 'The invitation, and the secret of its link, shown this once.',
    responses: { 201: MadeInvite },
    errors: ['usage'],
  },
  'DELETE /v1/invites/:invite': {
    tag: 'People',
    who: ['admin'],
    summary: 'Revoke an invitation that was not used yet.',
    answer: 'Nothing.',
    responses: { 204: EMPTY },
  },
  'POST /v1/invites/accept': {
    tag: 'Sign-in',
    who: ['anyone'],
    summary: 'Sign in with the secret of an invitation. It makes the account, once.',
    body: AcceptInviteBody,
    answer: 'As `POST /v1/session`.',
    responses: { 200: SignedIn },
    errors: ['signin_expired', 'not_permitted'],
  },
} as const satisfies Contracts
