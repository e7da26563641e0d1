import { OnCallList } from '../channels/on-call.ts'
import { type Contracts, EMPTY, PEOPLE } from '../contract.ts'
import {
  EndedSessions,
  ErasedPerson,
  MadeToken,
  NewTokenBody,
  PeopleList,
  PersonBody,
  RemovedPerson,
  RolesBody,
  TokenList,
  WireAccount,
} from '../people.ts'
import { about, whole } from '../schema.ts'
import { StandInBody, StandInList, WireStandIn } from '../stand-ins.ts'

/** Turns after it are none that a date can hold. */
const YEAR_9999 = 253_402_300_799_999

/** Who may sign in, who answers for whom, and which agents may ask. */
export const peopleContracts = {
  'GET /v1/people': {
    tag: 'People',
    who: PEOPLE,
    summary: 'All people who may sign in. Admins also see when they came, and who was removed.',
    answer: 'A list of people with their roles and groups.',
    responses: { 200: PeopleList },
  },
  'GET /v1/on-call': {
    tag: 'People',
    who: PEOPLE,
    summary: 'Who is on call in the groups that have a schedule: told first, now or at a time.',
    query: { at: about(whole({ max: YEAR_9999 }), 'Milliseconds since 1970; now unless set.') },
    answer: 'For each group who it is, until when, and who is next.',
    responses: { 200: OnCallList },
  },
  'POST /v1/people': {
    tag: 'People',
    who: ['admin'],
    summary: 'Add a person by an address you vouch for, or change their name and roles.',
    body: PersonBody,
    answer: 'The person.',
    responses: { 201: WireAccount },
    errors: ['person_changed', 'usage'],
  },
  'POST /v1/people/:person': {
    tag: 'People',
    who: ['admin'],
    summary: 'Give a person these roles, and no others.',
    body: RolesBody,
    answer: 'The person.',
    responses: { 200: WireAccount },
    errors: ['person_changed'],
  },
  'DELETE /v1/people/:person': {
    tag: 'People',
    who: ['admin'],
    summary: 'Remove a person, under every login with their address. Earlier yeses stop counting.',
    answer: 'The person, and the pending approvals that the remaining approvers cannot approve.',
    responses: { 200: RemovedPerson },
    errors: ['person_changed'],
  },
  'POST /v1/people/:person/erase': {
    tag: 'People',
    who: ['admin'],
    summary: 'Erase what can be erased of a person, under every login with their address.',
    answer: 'How many pieces of content are gone, and how many stay for now.',
    responses: { 200: ErasedPerson },
    errors: ['on_hold', 'person_changed'],
  },
  'DELETE /v1/people/:person/sessions': {
    tag: 'People',
    who: PEOPLE,
    summary: 'End all sessions of a person: your own, or as an admin those of any person.',
    answer: 'How many there were.',
    responses: { 200: EndedSessions },
  },
  'GET /v1/people/stand-ins': {
    tag: 'People',
    who: PEOPLE,
    summary: 'Who answers for whom, now and later.',
    answer: 'A list of stand-ins.',
    responses: { 200: StandInList },
  },
  'POST /v1/people/stand-ins': {
    tag: 'People',
    who: PEOPLE,
    summary:
      'Let another person answer for you while you are away; admins do it for others as well.',
    body: StandInBody,
    answer: 'The stand-in.',
    responses: { 201: WireStandIn },
  },
  'DELETE /v1/people/stand-ins/:standIn': {
    tag: 'People',
    who: PEOPLE,
    summary: 'End a stand-in now: by either of the two, or an admin. What was said stays said.',
    answer: 'The stand-in that has ended.',
    responses: { 200: WireStandIn },
  },
  'POST /v1/people/stand-ins/:standIn/take-back': {
    tag: 'People',
    who: ['admin'],
    summary: 'End a stand-in as if it had never been: yeses given under it stop counting.',
    answer: 'The stand-in that was taken back.',
    responses: { 200: WireStandIn },
  },
  'GET /v1/tokens': {
    tag: 'People',
    who: ['admin'],
    summary: 'The tokens of agents, without their secrets.',
    answer: 'A list of tokens.',
    responses: { 200: TokenList },
  },
  'POST /v1/tokens': {
    tag: 'People',
    who: ['admin'],
    summary: 'Make a token for an agent.',
    body: NewTokenBody,
    answer: 'The token, shown this once.',
    responses: { 201: MadeToken },
    errors: ['usage'],
  },
  'DELETE /v1/tokens/:prefix': {
    tag: 'People',
    who: ['admin'],
    summary: 'Revoke a token.',
    answer: 'Nothing.',
    responses: { 204: EMPTY },
  },
} as const satisfies Contracts
