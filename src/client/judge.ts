import type { Call } from '../base/call.ts'
import { CountersignError, isCountersignError } from '../base/errors.ts'
import type { Approver } from '../base/oversight.ts'
import type { Refused } from '../gate/backend.ts'
import { type Snapshot, snapshot } from '../gate/content/arguments.ts'
import { boundedKey, isLongKey } from '../gate/content/binding.ts'
import {
  type CallDeclaration,
  type Declarations,
  wordsOfCalled,
} from '../gate/declared/declarations.ts'
import { type Blocked, blocked, refusedBy } from '../gate/outcome.ts'
import { deniedBy } from '../gate/pipeline/judge.ts'
import { allRelease, settleMode } from '../gate/pipeline/resolve-mode.ts'
import type { ToolDefinition } from '../gate/tool.ts'
import { readCall } from '../policy/call.ts'
import { evaluate, verdictWord } from '../policy/evaluate/evaluate.ts'
import { ANNOTATED, type CustomAnswer, type Mode } from '../policy/evaluate/mode.ts'
import type { ApproverWords } from '../policy/grammar/approval-words.ts'
import type { Policy } from '../policy/policy.ts'
import type { Definitions } from './definitions.ts'
import type { RemoteLocks } from './lock-copy.ts'
import type { PolicyCopy } from './policy-bundle.ts'
import type { ServerCall } from './server-backend.ts'

/** Who a gate over a server speaks for. The agent is that of its token. */
export interface RemoteCaller {
  readonly run: string | undefined
  readonly principal: string | undefined
  readonly mode: Mode
}

/** What the server confirmed, and what code declares: a call is judged by these. */
export interface Rules {
  readonly policy: PolicyCopy
  readonly locks: RemoteLocks
  readonly declarations: Declarations
  readonly definitions: Definitions
}

export interface RemoteGiven {
  readonly call: Call
  readonly key: string | undefined
  readonly tool: { readonly definition?: ToolDefinition | undefined }
  readonly join?: 'digest' | undefined
  readonly declared: CallDeclaration | undefined
}

/**
 * What the server is asked with; or a refusal, where the call or the mode of the gate leaves the
 * server nothing to say. Throws where a mode has to know the policy and the server is away.
 */
export async function preparedCall(
  { policy, declarations, definitions }: Rules,
  caller: RemoteCaller,
  { call: given, key, join, tool, declared: called }: RemoteGiven,
): Promise<ServerCall | (Refused & { read?: ServerCall })> {
  const { mode } = caller
  const { call, bytes, isNamed } = await readOnce(given, { key, join }, caller)
  const { tool: name } = call
  if (mode.kind === 'denyAll') return { refused: deniedBy('', mode, name) }
  const definition = tool.definition ?? definitions.of(call)
  const code = await declaredFor(declarations, call, called)
  const drop = dropsResult(code.words)
  const read = { call, bytes, definition, isAllowed: false, isNamed, drop }
  if (mode.kind !== 'custom') {
    const observe = mode.kind === 'observe'
    return { ...read, declared: code.words, observe, byFunction: code.byFunction }
  }
  const coded = declarations.over(
    await policy.current(),
    called && { tool: name, declared: called },
  )
  const demand = await demandedBy(mode, coded, call)
  if ('refused' in demand) {
    const asked = { ...read, declared: code.words }
    return { ...demand, ...(isNamed ? { read: asked } : {}) }
  }
  // Even an empty demand travels: the function may have demanded more before, and the server knows.
  return { ...read, declared: [...code.words, demand.words], byFunction: true }
}

/** What the server's policy allows without asking is decided here; everything else by the server. */
export async function judgeRemote(
  rules: Rules,
  caller: RemoteCaller,
  given: RemoteGiven,
): Promise<ServerCall | Refused> {
  const { policy, locks, declarations, definitions } = rules
  const { declared: called } = given
  const { tool } = given.call
  try {
    const prepared = await preparedCall(rules, caller, given)
    if ('refused' in prepared) return prepared
    const { call, byFunction } = prepared
    const isFree = caller.mode.kind === 'allowAll'
    const mode = isFree ? caller.mode : ANNOTATED
    const coded = (current: Policy) =>
      declarations.over(current, called && { tool: call.tool, declared: called })
    // Where a function was asked, it may have said otherwise before: only the server knows.
    const allows = (current: Policy) =>
      (isFree || !byFunction) &&
      // Only the server asks a decision point.
      current.pdps.length === 0 &&
      [current, coded(current)].every((one) => evaluate(one, call, mode).verdict === 'allow')
    const first = await policy.current()
    const looksAllowed = allows(first)
    // What needs a person is checked by the server; what does not is checked here.
    const reason = looksAllowed ? await locks.on(call) : undefined
    // An admin may have applied another policy, or switched a tool, since ours was confirmed.
    const isAllowed = looksAllowed && allows(await policy.current(locks.policy()))
    if (reason !== undefined) {
      const read = given.key === undefined && given.call.key === undefined ? {} : { read: prepared }
      return { refused: blocked('locked', { tool: call.tool, reason }), ...read }
    }
    const verdict = evaluate(coded(first), call)
    const waitFor = 'terms' in verdict ? verdict.terms.waitFor : undefined
    const wasAsked = isAllowed && prepared.isNamed === true && (await locks.wasAsked(call))
    // Known for a resume that brings a function alone.
    if (!isAllowed && prepared.definition) definitions.note(call, prepared.definition)
    return { ...prepared, isAllowed, wasAsked, waitFor }
  } catch (error) {
    const name = String(tool)
    // A mistake in the program's own mode; its code tells its author where to look.
    if (isCountersignError(error, 'mode_refused')) {
      return { refused: blocked(error.code, { tool: name, as: 'unavailable' }) }
    }
    return { refused: refusedBy(error, name) }
  }
}

/** Whether no call of this tool needs an approval, as far as is known here. */
export function allowsEvery(
  { policy, declarations }: Rules,
  mode: Mode,
  tool: string,
  called: CallDeclaration | undefined,
): boolean {
  const known = policy.last()
  if (known === undefined || mode.kind === 'custom' || known.pdps.length > 0) return false
  const coded = declarations.over(known, called && { tool, declared: called })
  return [known, coded].every((one) => verdictWord(one, { tool, args: {} }, mode) === 'allow')
}

/**
 * What a custom mode demands of a call, in the words of a declaration: so it only tightens. A `no`
 * of the function leaves the call to the server's policy, which no client may loosen.
 */
async function demandedBy(
  mode: Mode,
  policy: Policy,
  call: Call,
): Promise<{ readonly words: object } | { readonly refused: Blocked }> {
  const settled = await settleMode(mode, policy, call)
  const answer: CustomAnswer = settled.kind === 'answered' ? settled.answer : true
  const { approvers = ['*'] } = policy.owner.defaults
  switch (answer) {
    case 'deny': {
      const verdict = evaluate(policy, call, settled)
      const message = verdict.verdict === 'deny' ? verdict.message : ''
      return { refused: deniedBy(message, mode, call.tool) }
    }
    case 'review':
      return { words: { approval: { approvers: approvers.map(approverWords) } } }
    case 'confirm':
      return { words: { approval: true } }
    case true:
      // As declared, where something is.
      return { words: verdictWord(policy, call) === 'allow' ? { approval: true } : {} }
    default:
      return { words: {} }
  }
}

/** As policy files name an approver. */
function approverWords(approver: Approver): ApproverWords {
  return typeof approver === 'object' && 'email' in approver ? approver.email : approver
}

/** What code says of this call. Functions are asked here: the server cannot. */
async function declaredFor(
  declarations: Declarations,
  { kind = 'tool', server, tool, args }: Call,
  called: CallDeclaration | undefined,
): Promise<{ readonly words: readonly object[]; readonly byFunction: boolean }> {
  const isOwn = kind === 'tool' && server === undefined
  const predicates = isOwn ? declarations.predicatesOf(tool) : []
  const released = predicates.length > 0 && (await allRelease(predicates, args))
  const byName = isOwn ? declarations.wordsOf(tool, released) : []
  return {
    words: [...byName, ...(called ? [wordsOfCalled(called)] : [])],
    byFunction: predicates.length > 0 || called?.byFunction === true,
  }
}

/** Code says that what the tool returns is not to be kept: then it is not sent either. */
export function dropsResult(words: readonly object[]): boolean {
  return words.some((one) => (one as { result?: unknown }).result === 'drop')
}

/**
 * The call as it is at this moment, under a key: asking again after a lost answer must not become
 * a second question. `isNamed`: the key is the caller's own, so the call may have been made before.
 */
async function readOnce(
  call: Call,
  { key, join }: Pick<RemoteGiven, 'key' | 'join'>,
  { run, principal = call.principal }: RemoteCaller,
): Promise<{ readonly call: Call; readonly bytes: Snapshot; readonly isNamed: boolean }> {
  const { args, key: own, ...rest } = call
  if (call.principal !== undefined && call.principal !== principal) {
    throw new CountersignError('invalid_call', 'the call names another principal than its gate')
  }
  const isNamed = (own ?? key) !== undefined
  // Without a key the server takes equal calls that are under way for one, as this caller wants.
  const joins = join === 'digest' && !isNamed
  const named = own ?? key ?? (joins ? undefined : crypto.randomUUID())
  const isLong = isLongKey(named)
  const bytes = snapshot(args)
  const read = readCall({
    ...rest,
    ...(principal === undefined ? {} : { principal }),
    args: bytes.args,
    ...inRun(rest.run ?? run ?? (joins ? undefined : crypto.randomUUID())),
    ...(isLong || named === undefined ? {} : { key: named }),
  })
  return { call: isLong ? { ...read, key: await boundedKey(named) } : read, bytes, isNamed }
}

function inRun(run: string | undefined): { readonly run?: string } {
  return run === undefined ? {} : { run }
}
