import * as v from 'valibot'
import { AuditPage, ChainState } from '../audit.ts'
import { type Contracts, PEOPLE, raw } from '../contract.ts'
import { NoticePage, Retried } from '../notice.ts'
import { about, oneOf, whole } from '../schema.ts'
import { Health, HookHello, KeySet, Readiness, StartedDemo } from '../system.ts'

const READERS = ['viewer', 'admin'] as const

/** The record of everything, events, health, numbers and keys. */
export const operationContracts = {
  'GET /v1/audit': {
    tag: 'Audit',
    who: READERS,
    summary: 'A page of the record. To verify it without this server, use `countersign audit`.',
    query: {
      after: about(v.string(), '`next` of the page before, in the same order.'),
      order: about(oneOf('oldest', 'newest'), 'oldest unless set.'),
      limit: about(whole({ min: 1, max: 500 }), '100 unless set.'),
      type: v.array(v.string()),
      approval: v.string(),
      person: about(v.string(), 'Subject of the person who did it.'),
      agent: v.string(),
      tool: about(v.string(), 'Of the call that it is about.'),
      since: about(whole(), 'Milliseconds since 1970.'),
      until: whole(),
    },
    answer: 'Entries as in the exported file, whom and what they name, and the next page.',
    responses: { 200: AuditPage },
    errors: ['cursor_unknown'],
  },
  'GET /v1/audit/chain': {
    tag: 'Audit',
    who: READERS,
    summary: 'What the last check of the whole record found.',
    answer: 'A report, where there was a check.',
    responses: { 200: ChainState },
  },
  'POST /v1/audit/chain': {
    tag: 'Audit',
    who: READERS,
    summary: 'Check the whole record now: every hash, chain, link and signed checkpoint.',
    answer: 'A report.',
    responses: { 200: ChainState },
  },
  'GET /v1/audit/export': {
    tag: 'Audit',
    who: READERS,
    summary: 'The record of this tenant as a file that anyone can verify; without content.',
    answer: 'JSON Lines.',
    responses: { 200: raw('application/x-ndjson') },
  },
  'GET /v1/notices': {
    tag: 'Operation',
    who: ['admin'],
    summary: 'Notices that wait to be sent or are stuck, by channel.',
    answer: 'Counts, channels, and the oldest hundred notices.',
    responses: { 200: NoticePage },
  },
  'POST /v1/notices/retry': {
    tag: 'Operation',
    who: ['admin'],
    summary: 'Try everything that is stuck once more.',
    answer: 'How many that are.',
    responses: { 200: Retried },
  },
  'GET /v1/events': {
    tag: 'Approvals',
    who: PEOPLE,
    // EventSource sends no headers. Hints name approvals and say nothing of them.
    isOpen: true,
    summary: 'Server-sent events: hints that something changed.',
    answer: 'event: hint with id, revision and status; event: reset to look at everything again.',
    responses: { 200: raw('text/event-stream') },
  },
  'POST /v1/demo': {
    tag: 'Operation',
    who: ['admin'],
    summary: 'Start the sample agent: three harmless calls through the real gate.',
    answer: 'The run its calls belong to.',
    responses: { 200: StartedDemo },
  },
  'GET /v1/hook': {
    tag: 'Operation',
    who: ['anyone'],
    summary: 'Prove to a hook on this machine that this is the server that wrote server.json.',
    answer: 'version, and a proof over the nonce.',
    responses: { 200: HookHello },
    errors: ['invalid_value'],
  },
  'POST /v1/hook/ask': {
    tag: 'Operation',
    who: ['anyone'],
    summary: 'What the hook of a coding agent answers. For callers that can read server.json.',
    answer: 'An answer for the agent, or that a person has not decided yet; with a proof.',
    responses: { 200: raw('application/json') },
    errors: ['invalid_value', 'not_permitted'],
  },
  'GET /healthz': {
    tag: 'Operation',
    who: ['anyone'],
    summary: 'Whether the process answers.',
    answer: 'ok',
    responses: { 200: Health },
  },
  'GET /readyz': {
    tag: 'Operation',
    who: ['anyone'],
    summary: 'Whether the database takes writes, and is the one that was opened.',
    answer: 'ok',
    responses: { 200: Readiness },
  },
  'GET /metrics': {
    tag: 'Operation',
    who: ['anyone'],
    provesItself: true,
    summary: 'Metrics for Prometheus: with the metrics token, or on this machine.',
    answer: 'Text.',
    responses: { 200: raw('text/plain') },
    errors: ['token_unknown'],
  },
  'GET /.well-known/jwks.json': {
    tag: 'Operation',
    who: ['anyone'],
    summary: 'Public keys whose signatures count here.',
    answer: 'A JSON Web Key Set.',
    responses: { 200: KeySet },
  },
  'GET /openapi.json': {
    tag: 'Operation',
    who: ['anyone'],
    summary: 'This description.',
    query: {
      version: about(oneOf('3.1', '3.0'), '3.1 unless set; 3.0 is for generators that need it.'),
    },
    answer: 'OpenAPI.',
    responses: { 200: raw('application/json') },
  },
} as const satisfies Contracts
