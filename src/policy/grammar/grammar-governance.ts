import { RISKS, type Risk } from '../../base/call.ts'
import { NAME } from '../call.ts'
import type { RiskMatch } from '../document.ts'
import { key, object, required, type Section } from '../read/read-object.ts'
import { list, refuse, type Shape, text } from '../read/read-shape.ts'
import { governanceApproval } from './grammar-approval.ts'
import { condition } from './grammar-condition.ts'
import { peerGlob, risk, sentence, toolGlob } from './grammar-values.ts'

const levels = list(risk, { wants: 'a list of levels such as [L4, L5]', name: (one) => one })

const LEVEL_KEYS = {
  gt: key(risk, 'Above this level.'),
  gte: key(risk, 'This level or above.'),
  lt: key(risk, 'Below this level.'),
  lte: key(risk, 'This level or below.'),
  ne: key(risk, 'Any level but this.'),
  in: key(levels, 'One of these levels.'),
  not_in: key(levels, 'None of these levels.'),
} as const

const levelMap = object('risk', LEVEL_KEYS, { schema: { minProperties: 1 } })
const ONE = ['gt', 'gte', 'lt', 'lte', 'ne'] as const
const SEVERAL = ['in', 'not_in'] as const

const RISK_WANTS = `a level from ${RISKS[0]} to ${RISKS[5]}, or a map such as { gte: L3 }`

/** A level, or operators over levels, all of which must hold. */
export const riskMatch: Shape<readonly RiskMatch[]> = {
  wants: RISK_WANTS,
  read(tree, at) {
    if (tree.kind === 'scalar' && typeof tree.value === 'string') {
      const level = risk.read(tree, at)
      return level && [{ op: 'eq', risks: [level] }]
    }
    if (tree.kind === 'list') return refuse(tree, at, '{ in: [...] } for any of several levels')
    if (tree.kind !== 'map') return refuse(tree, at, RISK_WANTS)
    if (tree.entries.length === 0) {
      at.report.mistake(tree.place, at.path, 'empty_map', `the map is empty; write ${RISK_WANTS}`)
    }
    const values = levelMap.read(tree, at)?.values ?? {}
    const several = (op: (typeof SEVERAL)[number]): RiskMatch[] => {
      const risks: readonly Risk[] | undefined = values[op]?.map(({ value }) => value)
      return risks ? [{ op, risks }] : []
    }
    const single = (op: (typeof ONE)[number]): RiskMatch[] => {
      const level = values[op]
      return level ? [{ op, risks: [level] }] : []
    }
    return [...ONE.flatMap(single), ...SEVERAL.flatMap(several)]
  },
  schema: (defs) => ({ anyOf: [risk.schema(defs), levelMap.schema(defs)] }),
}

const GLOB_ABOUT = 'All names it stands for; * is any run of letters.'

const match = object(
  'match',
  {
    tool: key(toolGlob, `The tool, sub-agent or skill. ${GLOB_ABOUT}`),
    server: key(
      peerGlob,
      `The server or remote agent; only * matches a call without one. ${GLOB_ABOUT}`,
    ),
    agent: key(peerGlob, `The agent that makes the call. ${GLOB_ABOUT}`),
    risk: key(riskMatch, 'The level of the call; a call of unknown risk matches.'),
  },
  {
    hints: {
      tools: 'did you mean `tool`?',
      args: 'arguments belong in `condition: { args_match: … }`',
      argsmatch: 'arguments belong in `condition: { args_match: … }`',
      name: 'did you mean `tool`?',
      alias: 'did you mean `server` or `agent`?',
    },
  },
)

const id: Shape<string> = text('a name such as no-deletes', {
  pattern: NAME,
  problem: 'an id is 1 to 128 letters, digits, _ . or -',
})

const rule = object(
  'a governance rule',
  {
    id: required(id, 'Names the rule in reasons and records.', 'id: no-deletes'),
    match: key(match, 'The calls this is about; absent: every call.'),
    condition: key(condition(true), 'The rule applies only when this holds, or cannot be told.'),
    deny: key(sentence, 'Such calls never run; this is what the agent is told.'),
    approval: key(governanceApproval, 'true, or a map: people are asked, whatever the owner says.'),
  },
  {
    hints: {
      name: 'did you mean `id`?',
      tool: 'it belongs in `match`',
      tools: 'write match: { tool: name }',
      server: 'it belongs in `match`',
      agent: 'it belongs in `match`',
      risk: 'it belongs in `match`',
      allow: 'governance can only tighten',
      action: 'write `deny: why`, or `approval`',
      effect: 'write `deny: why`, or `approval`',
      argsmatch: 'it belongs in `condition`',
      when: 'did you mean `condition`?',
    },
    schema: { oneOf: [{ required: ['deny'] }, { required: ['approval'] }] },
  },
)

export type RuleSection = Section<(typeof rule)['keys']>

export const governance = list(rule, {
  wants: 'a list of rules such as [{ id: no-deletes, match: { tool: "delete_*" }, deny: why }]',
  min: 0,
  name: ({ values }) => values.id,
})

export const GOVERNANCE_PARTS = [rule, match] as const
