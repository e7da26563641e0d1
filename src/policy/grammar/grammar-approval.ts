import { key, object, required, type Section } from '../read/read-object.ts'
import { booleanHint, choice, flag, named, refuse, type Shape } from '../read/read-shape.ts'
import type { Tree } from '../read/read-tree.ts'
import { condition } from './grammar-condition.ts'
import { verdictHint } from './grammar-hints.ts'
import {
  approvers,
  assurance,
  duration,
  edit,
  escalate,
  memory,
  prompt,
  quorum,
  reasonRule,
  reasons,
  template,
} from './grammar-values.ts'

/** The keys of an `approval` map. `delegation`: may its condition read the parent's input? */
export function approvalMap(delegation: boolean) {
  return object(
    'approval',
    {
      message_template: key(
        template,
        'What the approver reads. {{tool_args.amount}} and other variables are filled in; there is no logic.',
      ),
      condition: key(
        condition(delegation),
        'Ask only when this holds, or when it cannot be told. Entries of one args_match must all match; of a list of maps, one.',
      ),
      approvers: key(approvers, 'Who may approve. Defaults to defaults.approvers.'),
      quorum: key(quorum, 'How many different people of which groups must all say yes.'),
      decide_by: key(
        duration,
        'How long the question stays open. Without an answer it expires, and nothing runs.',
      ),
      use_by: key(duration, 'How long a yes may be used.'),
      remind_after: key(duration, 'When to remind those who have not decided.'),
      escalate: key(escalate, 'Who else is asked when no decision is made.'),
      reason: key(
        reasonRule,
        'Whether a decision needs words: required is for a no, required_always for both.',
      ),
      reasons: key(reasons, 'Reasons to choose from; people may always write their own.'),
      edit: key(edit, 'Whether an approver may change arguments, or which.'),
      min_assurance: key(assurance, 'How surely an approver must be known.'),
      remember_no: key(memory, 'How long a no answers equal calls: call, run, or a duration.'),
      grants: key(flag, 'Whether an approver may turn a yes into a standing permission.'),
    },
    {
      hints: {
        message: 'did you mean `message_template`?',
        prompt: 'did you mean `message_template`?',
        prompttemplate: 'did you mean `message_template`?',
        when: 'did you mean `condition`?',
        if: 'did you mean `condition`?',
        argsmatch: 'it belongs in `condition`',
        who: 'did you mean `approvers`?',
        users: 'did you mean `approvers`?',
        groups: 'write approvers: [{ group: name }]',
        group: 'write approvers: [{ group: name }]',
        required: 'write `approval: true`',
        enabled: 'write `approval: true` or `approval: false`',
        mode: 'it belongs in humanInTheLoop',
        remind: 'did you mean `remind_after`?',
        assurance: 'did you mean `min_assurance`?',
        n: 'it belongs in a part of `quorum`',
        minapprovals: 'write quorum: [{ group: name, n: 2 }]',
        waitfor: 'it belongs in defaults: a caller waits, not a question',
      },
    },
  )
}

export type ApprovalMap = Section<ReturnType<typeof approvalMap>['keys']>
export type Approval = boolean | ApprovalMap

const WANTS = 'true, false, or a map with keys such as condition and approvers'

export function approval(delegation: boolean): Shape<Approval> {
  const map = named('approval', approvalMap(delegation))
  return {
    wants: WANTS,
    read(tree, at) {
      if (tree.kind === 'scalar' && typeof tree.value === 'boolean') return tree.value
      if (tree.kind === 'map') return map.read(tree, at)
      return refuse(tree, at, wantsInstead(tree, WANTS))
    },
    schema: (defs) => ({ anyOf: [{ type: 'boolean' }, map.schema(defs)] }),
  }
}

function wantsInstead(tree: Tree, wants: string): string {
  const word = tree.kind === 'scalar' && typeof tree.value === 'string' ? tree.value : ''
  return booleanHint(tree) ?? `${wants}${verdictHint(word)}`
}

/** In governance there is nothing to exempt from: it can only tighten. */
export const governanceApproval: Shape<true | ApprovalMap> = {
  wants: 'true, or a map with keys such as condition and approvers',
  read(tree, at) {
    if (tree.kind === 'scalar' && tree.value === true) return true
    if (tree.kind === 'map') return governanceMap.read(tree, at)
    if (tree.kind === 'scalar' && tree.value === false) {
      const problem =
        'governance can only tighten; `approval: false` says nothing here, remove the rule'
      at.report.mistake(tree.place, at.path, 'loosens', problem)
      return undefined
    }
    return refuse(tree, at, wantsInstead(tree, governanceApproval.wants))
  },
  schema: (defs) => ({ anyOf: [{ const: true }, governanceMap.schema(defs)] }),
}

const governanceMap = named('approval', approvalMap(true))

export const humanInTheLoop = object(
  'humanInTheLoop',
  {
    mode: required(
      choice(['REQUIRED', 'DISABLED']),
      'REQUIRED asks each time, DISABLED never (like approval: false).',
      'mode: REQUIRED',
    ),
    promptTemplate: key(
      prompt,
      'What the approver reads. {toolName} and {args} are filled in, too.',
    ),
  },
  {
    hints: {
      messagetemplate: 'did you mean `promptTemplate`?',
      prompt: 'did you mean `promptTemplate`?',
      condition: 'write `approval: { condition: … }` instead of humanInTheLoop',
    },
  },
)

export type HumanInTheLoop = Section<(typeof humanInTheLoop)['keys']>

/** Two spellings of one thing; together they could disagree. */
export const ONE_SPELLING = { not: { required: ['approval', 'humanInTheLoop'] } } as const
