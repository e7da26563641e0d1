/**
 * What the server says in English, for every other language: refusals by their code, rules and people by
 * what the server sends beside its sentence. English never loads it.
 */
import type { WireTests } from '../../../../src/api/policy/rules.ts'
import type { Tell } from '../../../../src/base/tell.ts'

export { whyNotWords } from '../../../../src/api/words/why-not.ts'

type Said = (tell: Tell) => string

/** What each refusal means. In English the server's own sentence is shown, which may say more. */
export const REFUSALS: ReadonlyMap<string, Said> = new Map<string, Said>([
  ['already_claimed', (tell) => tell.text('The call was already started.')],
  ['already_decided', (tell) => tell.text('It is decided already. Your answer recorded nothing.')],
  ['already_finished', (tell) => tell.text('The call has already finished.')],
  ['approval_not_found', (tell) => tell.text('There is no such call, or it is not for you.')],
  ['assurance_too_low', (tell) => tell.text('A yes to this call needs a stronger sign-in.')],
  ['call_changed', (tell) => tell.text('The call changed since you read it. Read it again.')],
  [
    'content_gone',
    (tell) => tell.text('The arguments are no longer kept, so it cannot be decided.'),
  ],
  [
    'csrf_mismatch',
    (tell) =>
      tell.text('This page no longer belongs to your session. Reload it and sign in again.'),
  ],
  ['denied', (tell) => tell.text('It was denied already.')],
  ['device_unknown', (tell) => tell.text('This device is not known any more.')],
  ['edit_denied', (tell) => tell.text('The rules deny the call with these changes.')],
  ['edit_not_allowed', (tell) => tell.text('This argument may not be changed.')],
  ['expired', (tell) => tell.text('Its time is over. It did not run.')],
  ['extend_too_long', (tell) => tell.text('It cannot be extended that far.')],
  ['grant_ended', (tell) => tell.text('This grant has ended already.')],
  ['grant_not_enough', (tell) => tell.text('Your yes alone is not enough for this grant.')],
  ['grant_not_found', (tell) => tell.text('There is no such grant.')],
  ['internal', (tell) => tell.text('The server made a mistake. Nothing was decided here.')],
  ['invalidated', (tell) => tell.text('The call became invalid meanwhile. It did not run.')],
  ['issuer_unavailable', (tell) => tell.text('The sign-in provider does not answer.')],
  ['link_unknown', (tell) => tell.text('There is no such link, or it was used.')],
  [
    'locked',
    (tell) => tell.text('It is locked. Nothing can be approved until the lock is lifted.'),
  ],
  ['login_unknown', (tell) => tell.text('There is no such sign-in, or it is over.')],
  [
    'lowering_unconfirmed',
    (tell) => tell.text('This asks less than before, and has to be confirmed.'),
  ],
  [
    'no_eligible_approver',
    (tell) => tell.text('The people who are left cannot give the answer that it needs.'),
  ],
  ['not_an_approver', (tell) => tell.text('You are not one of the people who can decide this.')],
  ['not_approved', (tell) => tell.text('It has no approval.')],
  ['not_asked', (tell) => tell.text('Nothing was asked that could be answered.')],
  ['not_denied', (tell) => tell.text('It was not denied.')],
  ['not_due', (tell) => tell.text('It is too early for that.')],
  ['not_found', (tell) => tell.text('The server does not know this.')],
  ['not_grantable', (tell) => tell.text('There can be no grant for this call.')],
  ['not_permitted', (tell) => tell.text('Your roles do not permit this.')],
  ['not_running', (tell) => tell.text('The call does not run.')],
  ['not_signed_in', (tell) => tell.text('Sign in again to decide; your text is kept.')],
  ['not_the_asker', (tell) => tell.text('Only those who asked may do this.')],
  [
    'outcome_unknown',
    (tell) => tell.text('It is not known whether this was saved. Look before you try again.'),
  ],
  [
    'passkey_missing',
    (tell) => tell.text('A yes to this call needs a passkey. Add one under Your passkeys.'),
  ],
  ['passkey_refused', (tell) => tell.text('The passkey was not accepted. Nothing was decided.')],
  ['payload_invalid', (tell) => tell.text('An answer in the form is not right.')],
  ['payload_required', (tell) => tell.text('The form has to be filled in.')],
  ['person_changed', (tell) => tell.text('This person was changed meanwhile. Look again.')],
  ['policy_changed', (tell) => tell.text('The policy changed meanwhile. Look again.')],
  ['push_failed', (tell) => tell.text('The message could not be sent to the device.')],
  ['push_off', (tell) => tell.text('This server sends no notifications to devices.')],
  [
    'quarantined',
    (tell) => tell.text('The definition of the tool changed. An admin has to accept it first.'),
  ],
  ['reason_required', (tell) => tell.text('Write a reason first.')],
  [
    'self_approval',
    (tell) =>
      tell.text('Another person must approve this: you asked for it, or the agent works for you.'),
  ],
  ['server_busy', (tell) => tell.text('The server is busy. Nothing was decided; try again.')],
  ['signin_expired', (tell) => tell.text('Your sign-in is over. Sign in again.')],
  ['signin_refused', (tell) => tell.text('The sign-in was refused.')],
  ['signin_too_old', (tell) => tell.text('Your sign-in is too old for this. Sign in again.')],
  ['store_busy', (tell) => tell.text('The server is busy. Nothing was decided; try again.')],
  [
    'store_unavailable',
    (tell) => tell.text('The database does not answer. Nothing was decided; try again.'),
  ],
  ['switch_fixed', (tell) => tell.text('Governance fixes this. It cannot be switched here.')],
  ['too_large', (tell) => tell.text('That is too much text.')],
  ['too_many_requests', (tell) => tell.text('Too many attempts. Wait a moment.')],
  ['too_much_said', (tell) => tell.text('Enough was said about this call.')],
  ['withdrawn', (tell) => tell.text('The agent took it back. It did not run.')],
])

const OPERATORS: Readonly<Record<WireTests[number]['op'], Said>> = {
  eq: (tell) => tell.text('is'),
  ne: (tell) => tell.text('is not'),
  gt: (tell) => tell.text('is over'),
  gte: (tell) => tell.text('is at least'),
  lt: (tell) => tell.text('is under'),
  lte: (tell) => tell.text('is at most'),
  in: (tell) => tell.text('is one of'),
  not_in: (tell) => tell.text('is none of'),
  pattern: (tell) => tell.text('matches'),
}

/** `is over 10,000 and is at most 50,000` */
export function testsWords(tests: WireTests, tell: Tell, tag: string): string {
  if (tests.length === 0) return tell.text('is anything')
  const words = (value: string | number | boolean) => valueWords(value, tag)
  return tests
    .map(({ op, values }) => {
      const listed = values.map(op === 'pattern' ? patternWords : words).join(', ')
      return `${OPERATORS[op](tell)} ${listed}`
    })
    .join(` ${tell.text('and')} `)
}

/** Texts in quotation marks, so that `"10"` does not read like `10`. */
function valueWords(value: string | number | boolean, tag: string): string {
  if (typeof value !== 'number') return JSON.stringify(value)
  // Years and ports stay as people write them, and no digit is rounded away.
  const isLong = Number.isSafeInteger(value) && Math.abs(value) >= 10_000
  return isLong ? value.toLocaleString(tag) : String(value)
}

/** Spaces and commas would read as the rest of the sentence. */
function patternWords(pattern: string | number | boolean): string {
  const text = String(pattern)
  return /^[^\s,"]+$/u.test(text) ? text : JSON.stringify(text)
}

/** What the server says of rules that no file words. */
const FIXED: ReadonlyMap<string, Said> = new Map<string, Said>([
  ['always asks', (tell) => tell.text('always asks')],
  [
    'asks because an operator switched it on',
    (tell) => tell.text('asks because an operator switched it on'),
  ],
  ['asks because no rule names it', (tell) => tell.text('asks because no rule names it')],
  ['asks because of its risk', (tell) => tell.text('asks because of its risk')],
  [
    'asks because of the mode the gate runs in',
    (tell) => tell.text('asks because of the mode the gate runs in'),
  ],
  [
    'asks because its definition changed',
    (tell) => tell.text('asks because its definition changed'),
  ],
])

/** A rule in words: those of a file stay as the server puts them. */
export const ruleWords = (says: string, tell: Tell): string => FIXED.get(says)?.(tell) ?? says

/** `group finance`; an address stays as it is: it has no space. */
export function approverWords(approver: string, tell: Tell): string {
  if (approver === 'anyone with the approver role') {
    return tell.text('anyone with the approver role')
  }
  if (approver === 'the person the agent works for') {
    return tell.text('the person the agent works for')
  }
  const [, group] = /^group (.+)$/su.exec(approver) ?? []
  return group === undefined ? approver : tell.text('group {group}', { group })
}
