import { LinkCode, LinkCodeBody, LinkList, WireLink } from '../channels/links.ts'
import { type Contracts, EMPTY, PEOPLE, raw } from '../contract.ts'

/** Accounts of chats that answer for people, and what chats send. */
export const channelContracts = {
  'POST /v1/channels/:name': {
    tag: 'Operation',
    who: ['anyone'],
    provesItself: true,
    summary: 'What the provider of a channel sends: read as it came, and refused unless signed.',
    answer: 'What the provider expects.',
    responses: { 200: raw('application/json') },
    errors: ['signature_refused'],
  },
  'GET /v1/channel-links': {
    tag: 'People',
    who: PEOPLE,
    summary: 'Accounts of chats that answer for you, and those that ask to.',
    answer: 'Channels, links, and accounts to confirm.',
    responses: { 200: LinkList },
  },
  'POST /v1/channel-links/codes': {
    tag: 'People',
    who: PEOPLE,
    summary: 'Make a code that links the account it is sent from, within ten minutes, once.',
    body: LinkCodeBody,
    answer: 'The code, shown this once.',
    responses: { 201: LinkCode },
    errors: ['signin_too_old'],
  },
  'POST /v1/channel-links/:link/confirm': {
    tag: 'People',
    who: PEOPLE,
    summary: 'Let an account that sent your code answer for you, for 90 days.',
    answer: 'The link.',
    responses: { 201: WireLink },
    errors: ['link_unknown', 'signin_too_old', 'usage'],
  },
  'DELETE /v1/channel-links/:link': {
    tag: 'People',
    who: PEOPLE,
    summary: 'End a link, or decline an account; admins end those of others as well.',
    answer: 'Nothing.',
    responses: { 204: EMPTY },
    errors: ['link_unknown'],
  },
} as const satisfies Contracts
