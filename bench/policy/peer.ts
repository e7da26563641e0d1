import { LogicEngine } from 'json-logic-engine'
import type { Call } from '../../src/base/call.ts'
import { globMatches } from '../../src/policy/glob.ts'
import type { Approval, GovernanceEntry, Group, Matcher, Operators, Work } from './work.ts'

/*
 * The best peer of the comparison: json-logic-engine, compiled, with the same answers. It has no
 * notion of "cannot be tested", so type guards are added as operators of its own, and the rules of
 * a tool are looked up by name outside of it, governance included.
 */

type Logic = { readonly [operator: string]: unknown }

export function jsonLogic(work: Work): (call: Call) => number {
  const engine = new LogicEngine()
  engine.addMethod('is', ([value, type]: [unknown, string]) => typeof value === type)
  engine.addMethod('matches', ([value, regex]: [string, RegExp]) => regex.test(value))
  const rules = new Map<string, (args: unknown) => number>()
  for (const [tool, { approval }] of Object.entries(work.owner.tools)) {
    const concerned = (work.governance?.governance ?? []).filter(({ match }) =>
      globMatches(match.tool, tool),
    )
    const levels = [owned(approval), ...concerned.map(governed)]
    rules.set(tool, engine.build({ max: levels }) as (args: unknown) => number)
  }
  return ({ tool, args }) => rules.get(tool)?.(args) ?? 0
}

function owned({ condition }: Approval): Logic {
  const groups = Array.isArray(condition) ? condition : [condition as Group]
  return { if: [{ or: groups.map(holds) }, 1, 0] }
}

function governed({ condition, deny, approval }: GovernanceEntry): Logic {
  const level = deny !== undefined ? 3 : typeof approval === 'object' ? 2 : 1
  return { if: [holds(condition), level, 0] }
}

/** Not refuted: no test of the group is definitely no. */
function holds({ args_match }: Group): Logic {
  return {
    and: Object.entries(args_match).flatMap(([path, matcher]) =>
      refutations({ var: path }, matcher).map((no) => ({ '!': [no] })),
    ),
  }
}

function refutations(value: Logic, matcher: Matcher): Logic[] {
  if (typeof matcher !== 'object') {
    return [{ and: [{ is: [value, typeof matcher] }, { '!==': [value, matcher] }] }]
  }
  return Object.entries(matcher as Operators).map(([op, want]): Logic => {
    switch (op) {
      case 'gt':
        return { and: [{ is: [value, 'number'] }, { '<=': [value, want] }] }
      case 'gte':
        return { and: [{ is: [value, 'number'] }, { '<': [value, want] }] }
      case 'lt':
        return { and: [{ is: [value, 'number'] }, { '>=': [value, want] }] }
      case 'lte':
        return { and: [{ is: [value, 'number'] }, { '>': [value, want] }] }
      case 'ne':
        return { '===': [value, want] }
      case 'in':
        return {
          and: [
            { is: [value, typeof (want as unknown[])[0]] },
            { '!': [{ in: [value, { preserve: want }] }] },
          ],
        }
      case 'not_in':
        return { in: [value, { preserve: want }] }
      default:
        return {
          and: [
            { is: [value, 'string'] },
            { '!': [{ matches: [value, { preserve: new RegExp(String(want)) }] }] },
          ],
        }
    }
  })
}
