/** Every way Countersign can refuse, and what each edge reports for it. */
export const ERRORS = {
  invalid_call: { http: 400, exit: 2 },
  invalid_json: { http: 400, exit: 2 },
  duplicate_key: { http: 400, exit: 2 },
  invalid_value: { http: 400, exit: 2 },
  invalid_unicode: { http: 400, exit: 2 },
  unsafe_number: { http: 400, exit: 2 },
  too_deep: { http: 400, exit: 2 },
  too_large: { http: 413, exit: 2 },
  // what an approval refuses
  approval_not_found: { http: 404, exit: 4 },
  invalid_command: { http: 400, exit: 2 },
  invalid_approval: { http: 500, exit: 70 },
  key_reused: { http: 409, exit: 5 },
  not_joinable: { http: 409, exit: 5 },
  no_eligible_approver: { http: 409, exit: 5 },
  not_an_approver: { http: 403, exit: 6 },
  self_approval: { http: 403, exit: 6 },
  not_the_asker: { http: 403, exit: 6 },
  not_permitted: { http: 403, exit: 6 },
  assurance_too_low: { http: 403, exit: 6 },
  reason_required: { http: 422, exit: 2 },
  payload_required: { http: 422, exit: 2 },
  payload_invalid: { http: 422, exit: 2 },
  edit_not_allowed: { http: 403, exit: 6 },
  edit_denied: { http: 403, exit: 6 },
  edit_completed: { http: 409, exit: 5 },
  extend_too_long: { http: 422, exit: 2 },
  grant_not_enough: { http: 403, exit: 6 },
  grant_ended: { http: 410, exit: 5 },
  grant_not_found: { http: 404, exit: 4 },
  not_grantable: { http: 403, exit: 6 },
  call_changed: { http: 409, exit: 5 },
  content_gone: { http: 410, exit: 5 },
  on_hold: { http: 409, exit: 5 },
  not_denied: { http: 409, exit: 5 },
  not_asked: { http: 409, exit: 5 },
  too_much_said: { http: 409, exit: 5 },
  not_due: { http: 409, exit: 5 },
  not_approved: { http: 409, exit: 5 },
  already_decided: { http: 409, exit: 5 },
  already_claimed: { http: 409, exit: 5 },
  already_finished: { http: 409, exit: 5 },
  not_running: { http: 409, exit: 5 },
  not_the_claimer: { http: 403, exit: 6 },
  denied: { http: 409, exit: 5 },
  expired: { http: 410, exit: 5 },
  withdrawn: { http: 410, exit: 5 },
  invalidated: { http: 410, exit: 5 },
  clock_behind: { http: 503, exit: 7 },
  // what a gate refuses
  denied_by_policy: { http: 403, exit: 6 },
  denied_by_mode: { http: 403, exit: 6 },
  locked: { http: 423, exit: 6 },
  not_started: { http: 409, exit: 5 },
  quarantined: { http: 423, exit: 6 },
  tool_unknown: { http: 404, exit: 4 },
  schema_unusable: { http: 422, exit: 2 },
  form_unusable: { http: 422, exit: 2 },
  too_many_pending: { http: 429, exit: 5 },
  pending: { http: 409, exit: 5 },
  // what a store refuses
  store_busy: { http: 503, exit: 7 },
  store_closed: { http: 503, exit: 7 },
  store_damaged: { http: 500, exit: 7 },
  store_newer: { http: 503, exit: 7 },
  store_outdated: { http: 503, exit: 7 },
  store_replaced: { http: 503, exit: 7 },
  store_unavailable: { http: 503, exit: 7 },
  store_unsafe: { http: 500, exit: 7 },
  outcome_unknown: { http: 503, exit: 7 },
  cursor_unknown: { http: 410, exit: 5 },
  key_unusable: { http: 500, exit: 2 },
  peer_missing: { http: 500, exit: 2 },
  policy_invalid: { http: 422, exit: 2 },
  policy_unreadable: { http: 422, exit: 2 },
  person_changed: { http: 409, exit: 5 },
  policy_changed: { http: 409, exit: 5 },
  policy_test_failed: { http: 422, exit: 1 },
  switch_fixed: { http: 409, exit: 5 },
  lowering_unconfirmed: { http: 409, exit: 5 },
  mode_refused: { http: 500, exit: 2 },
  usage: { http: 400, exit: 2 },
  file_exists: { http: 409, exit: 2 },
  address_in_use: { http: 409, exit: 2 },
  // what a server refuses
  wrong_host: { http: 403, exit: 6 },
  wrong_origin: { http: 403, exit: 6 },
  wrong_type: { http: 415, exit: 2 },
  not_found: { http: 404, exit: 4 },
  conversation_busy: { http: 409, exit: 5 },
  not_signed_in: { http: 401, exit: 6 },
  signin_expired: { http: 401, exit: 6 },
  signin_refused: { http: 401, exit: 6 },
  signin_too_old: { http: 403, exit: 6 },
  passkey_missing: { http: 403, exit: 6 },
  passkey_needs_name: { http: 409, exit: 2 },
  passkey_refused: { http: 403, exit: 6 },
  login_unknown: { http: 404, exit: 4 },
  link_unknown: { http: 404, exit: 4 },
  not_linked: { http: 403, exit: 6 },
  signature_refused: { http: 401, exit: 6 },
  device_unknown: { http: 404, exit: 4 },
  push_off: { http: 404, exit: 4 },
  push_failed: { http: 502, exit: 7 },
  issuer_unavailable: { http: 503, exit: 7 },
  token_unknown: { http: 401, exit: 6 },
  principal_unproved: { http: 403, exit: 6 },
  csrf_mismatch: { http: 403, exit: 6 },
  too_many_requests: { http: 429, exit: 5 },
  // what a client of one finds
  server_unreachable: { http: 503, exit: 7 },
  server_sign_in: { http: 502, exit: 7 },
  server_busy: { http: 503, exit: 7 },
  internal: { http: 500, exit: 70 },
} as const

export type ErrorCode = keyof typeof ERRORS

// Symbol.for, so a second copy of the package in node_modules still recognises the error.
const brand = Symbol.for('countersign.error')

export interface ErrorOptions {
  /** What to do next, as one sentence. */
  readonly hint?: string
  readonly details?: Readonly<Record<string, unknown>>
  readonly cause?: unknown
}

/** The one error class. Branch on `code`; `message` is for people and may be reworded. */
export class CountersignError extends Error {
  readonly [brand] = true
  override readonly name: string = 'CountersignError'
  readonly code: ErrorCode
  readonly hint: string | undefined
  readonly details: Readonly<Record<string, unknown>>

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.code = code
    this.hint = options.hint
    this.details = options.details ?? {}
  }
}

export function isCountersignError(value: unknown, code?: ErrorCode): value is CountersignError {
  if (typeof value !== 'object' || value === null || !(brand in value)) return false
  return code === undefined || (value as CountersignError).code === code
}
