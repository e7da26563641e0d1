import type { CallContext, WorkflowContext } from '../base/call.ts'
import { canonicalJson, freshParse } from '../base/json/canonical.ts'
import { isPlainObject, type Json } from '../base/json/json.ts'
import type { ValueRange } from '../base/message-parts.ts'
import type {
  AskedContent,
  Assign,
  Claim,
  Command,
  CommandType,
  Comment,
  Decide,
  Edit,
  Escalate,
  Expire,
  Extend,
  Finish,
  GrantUse,
  Holder,
  Invalidate,
  Lift,
  Lost,
  Question,
  Reach,
  Remind,
  Renew,
  Reply,
  Request,
  Resolve,
  Reveal,
  View,
  Withdraw,
} from './command.ts'
import type { Caps } from './commands/caps.ts'
import { amount, newGrant } from './grants/grant-shape.ts'
import type { Person } from './people/person.ts'
import type { Directory, PolicyAnswer } from './people/requirement.ts'
import {
  askedCall,
  digest,
  either,
  flag,
  id,
  list,
  Mismatch,
  members,
  name,
  named,
  oneOf,
  optional,
  path,
  person,
  personName,
  type Reader,
  requirement,
  terms,
  text,
  time,
  whole,
  yes,
} from './shape.ts'
import { LONGEST_REMARK } from './talk.ts'

const MAX_REASON = 4_096
const MAX_CAP = 1_000_000_000
const MAX_TEXT = 16 * 1_048_576
const PAYLOAD_LIMITS = { depth: 64, bytes: 16_384 }

const words = text(MAX_TEXT)
const remark: Reader<string> = (value) => {
  const said = text(LONGEST_REMARK)(value)
  if (said.trim() === '') throw new Mismatch('text with something in it is needed')
  return said
}
const asker = either(
  'agent',
  members<{ readonly agent: string }>({ agent: name }),
  members<{ readonly person: Person }>({ person }),
)
const reason = text(MAX_REASON)
const sent = { commandId: id }
const outcome = oneOf(['succeeded', 'failed'])

/** A copy by way of its canonical text: what is not plain JSON is refused with its own code. */
const payload: Reader<Json> = (value) => freshParse(canonicalJson(value, PAYLOAD_LIMITS))

const answerText: Reader<string> = (value) => {
  const answer = words(value)
  canonicalJson(answer, PAYLOAD_LIMITS)
  return answer
}

const holder: Reader<Holder> = (value) => {
  const read = holderFields(value)
  if (read.instance === undefined && read.lease === undefined) {
    throw new Mismatch('an instance or a lease is needed, to notice when it dies')
  }
  return read
}

const holderFields = members<Holder>({
  claim: id,
  instance: optional(id),
  lease: optional(whole(1_000, 300_000)),
})

const policyAnswer: Reader<PolicyAnswer> = (value) => {
  const read = policyFields(value)
  const asks = read.verdict === 'confirm' || read.verdict === 'review'
  if (asks !== read.requirements.length > 0 || asks !== (read.terms !== undefined)) {
    throw new Mismatch('requirements and terms go with confirm and review')
  }
  return read
}

const policyFields = members<PolicyAnswer>({
  verdict: oneOf(['allow', 'confirm', 'review', 'deny']),
  requirements: list(requirement, 0, 200),
  terms: optional(terms),
  policy: name,
})

// As many as arguments can hold values.
const view = members<View>({ arguments: words, masked: list(list(words, 0, 65), 0, 1_000_000) })

const place = whole(0, MAX_TEXT)
const pair = list(place, 2, 2)
// As many as a policy file has room for variables.
const values = list<ValueRange>((value) => pair(value) as ValueRange, 0, 100_000)

const content = members<AskedContent>({
  arguments: words,
  message: words,
  missing: list(words, 0, 1_000),
  values: optional(values),
  authored: optional(yes),
  context: optional(
    members<CallContext>({
      says: optional(words),
      links: optional(list(words, 0, 1_000)),
      workflow: optional(
        members<WorkflowContext>({
          name,
          step: optional(name),
          done: optional(list(name, 0, 100)),
          next: optional(list(name, 0, 100)),
        }),
      ),
    }),
  ),
  parentInput: optional(words),
  view: optional(view),
  definition: optional(words),
  form: optional(words),
  preview: optional(words),
  trace: optional(text(55, /^[0-9a-f-]{55}$/)),
})

const approvers = list(personName, 0, 100_000)

const directory = members<Directory>({
  groups: named(
    either(
      'claim',
      members<{ readonly claim: string }>({ claim: name }),
      members<{ readonly emails: readonly string[] }>({ emails: list(name, 0, 100_000) }),
    ),
    10_000,
  ),
  approvers: (value) => (value === 'open' ? 'open' : approvers(value)),
})

const edit = members<Edit>({
  digest,
  arguments: words,
  changed: list(path, 1, 10_000),
  answer: policyAnswer,
  message: words,
  missing: list(words, 0, 1_000),
  values: optional(values),
  authored: optional(yes),
  view: optional(view),
})

const decideFields = members<Decide>({
  ...sent,
  type: oneOf(['decide']),
  by: person,
  verdict: oneOf(['approve', 'deny']),
  seen: digest,
  reason: optional(reason),
  payload: optional(payload),
  answers: optional(digest),
  answer: optional(answerText),
  edit: optional(edit),
  voters: optional(list(person, 0, 1_000)),
  grant: optional(newGrant),
})

const decide: Reader<Decide> = (value) => {
  const read = decideFields(value)
  const { verdict } = read
  const stray =
    verdict === 'deny' ? (['edit', 'payload', 'answers', 'grant'] as const) : (['answer'] as const)
  const found = stray.find((member) => read[member] !== undefined)
  if (found) throw new Mismatch(`${found} does not go with ${verdict}`)
  return read
}

const READERS: { readonly [T in CommandType]: Reader<Extract<Command, { type: T }>> } = {
  request: members<Request>({
    ...sent,
    type: oneOf(['request']),
    id,
    tenant: id,
    call: askedCall,
    digest,
    requirements: list(requirement, 1, 200),
    terms,
    policy: name,
    caps: optional(
      members<Caps>({
        pending: optional(whole(1, MAX_CAP)),
        perMinute: optional(whole(1, MAX_CAP)),
      }),
    ),
    directory,
    content,
    grant: optional(
      members<GrantUse>({
        id,
        minter: person,
        covered: optional(flag),
        amount: optional(amount),
        holder: optional(holder),
        countersignature: optional(id),
      }),
    ),
  }),
  decide,
  lift: members<Lift>({ ...sent, type: oneOf(['lift']), by: person }),
  extend: members<Extend>({ ...sent, type: oneOf(['extend']), by: person, until: time }),
  remind: members<Remind>({ ...sent, type: oneOf(['remind']), by: optional(person) }),
  escalate: members<Escalate>({ ...sent, type: oneOf(['escalate']), by: optional(person) }),
  reach: members<Reach>({ ...sent, type: oneOf(['reach']), directory }),
  expire: members<Expire>({ ...sent, type: oneOf(['expire']) }),
  withdraw: members<Withdraw>({
    ...sent,
    type: oneOf(['withdraw']),
    by: asker,
  }),
  invalidate: members<Invalidate>({
    ...sent,
    type: oneOf(['invalidate']),
    reason: oneOf(['policy', 'tool', 'voter', 'restored', 'edit_refused']),
    by: optional(person),
  }),
  claim: members<Claim>({
    ...sent,
    type: oneOf(['claim']),
    agent: name,
    digest,
    holder,
    definition: digest,
    answer: policyAnswer,
    voters: list(person, 0, 1_000),
    countersignature: optional(id),
    grant: optional(id),
  }),
  renew: members<Renew>({
    ...sent,
    type: oneOf(['renew']),
    claim: id,
    lease: whole(1_000, 300_000),
  }),
  finish: members<Finish>({
    ...sent,
    type: oneOf(['finish']),
    claim: id,
    outcome,
    // Read later, where a result that cannot be kept does not cost the outcome.
    result: optional((value) => value as Json),
    drop: optional(flag),
  }),
  lost: members<Lost>({
    ...sent,
    type: oneOf(['lost']),
    claim: optional(id),
    lastSeen: optional(time),
  }),
  resolve: members<Resolve>({
    ...sent,
    type: oneOf(['resolve']),
    by: person,
    outcome,
    reason: optional(reason),
  }),
  reveal: members<Reveal>({ ...sent, type: oneOf(['reveal']), by: person, seen: digest, path }),
  question: members<Question>({
    ...sent,
    type: oneOf(['question']),
    by: person,
    text: remark,
    until: optional(time),
  }),
  reply: members<Reply>({ ...sent, type: oneOf(['reply']), by: asker, text: remark }),
  comment: members<Comment>({ ...sent, type: oneOf(['comment']), by: person, text: remark }),
  assign: members<Assign>({ ...sent, type: oneOf(['assign']), by: person, to: optional(person) }),
}

/** Any value, as a command that is whole and shares nothing with it. */
export function readCommand(value: unknown): Command {
  const type = isPlainObject(value) ? value.type : undefined
  if (typeof type !== 'string' || !Object.hasOwn(READERS, type)) {
    throw new Mismatch(`a command is one of ${Object.keys(READERS).join(', ')}`)
  }
  return READERS[type as CommandType](value)
}
