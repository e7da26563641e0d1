import { LogicEngine } from 'json-logic-engine'
import { globMatches } from '../../src/policy/evaluate/glob.ts'
import type { Args, Group, HandWritten, Literal, Matcher, Operators, Work } from './work.ts'

/**
 * The same policies for json-logic-engine, compiled: one rule for each tool, with the governance
 * that concerns it. The engine coerces types, so each comparison is guarded; a guard and a regular
 * expression are methods of one line, which is how the engine is meant to be extended.
 */
export function jsonLogic(work: Work): ReadonlyMap<string, HandWritten> {
  const engine = new LogicEngine()
  const fast = { deterministic: true, optimizeUnary: true }
  engine.addMethod('is_text', (value: unknown) => typeof value === 'string', fast)
  engine.addMethod('is_number', (value: unknown) => typeof value === 'number', fast)
  const patterns = new Map<string, string>()

  function patternMethod(pattern: string): string {
    const name = patterns.get(pattern) ?? `matches_${patterns.size}`
    // Without the leading `.*`, which would make the language's engine try every start.
    const regex = new RegExp(pattern.replace(/^\.\*/, ''))
    if (!patterns.has(pattern)) engine.addMethod(name, (value: string) => regex.test(value), fast)
    patterns.set(pattern, name)
    return name
  }

  /** Rules that are true when the value is known not to match. */
  function refutations(path: string, matcher: Matcher): Rule[] {
    const value = { var: path }
    if (typeof matcher !== 'object') return [isOther(value, matcher)]
    const guarded = (guard: string, rule: Rule): Rule => ({ and: [{ [guard]: value }, rule] })
    const rules: { [name in keyof Operators]-?: (operand: never) => Rule } = {
      gt: (limit: number) => guarded('is_number', { '<=': [value, limit] }),
      gte: (limit: number) => guarded('is_number', { '<': [value, limit] }),
      lt: (limit: number) => guarded('is_number', { '>=': [value, limit] }),
      lte: (limit: number) => guarded('is_number', { '>': [value, limit] }),
      ne: (other: Literal) => ({ '===': [value, other] }),
      in: (list: readonly Literal[]) => guarded('is_text', { '!': { in: [value, list] } }),
      not_in: (list: readonly Literal[]) => ({ in: [value, list] }),
      pattern: (text: string) => guarded('is_text', { '!': { [patternMethod(text)]: value } }),
    }
    return Object.entries(matcher).map(([name, operand]) =>
      rules[name as keyof Operators](operand as never),
    )
  }

  const holds = ({ args_match }: Group): Rule => ({
    '!': { or: Object.entries(args_match).flatMap(([path, one]) => refutations(path, one)) },
  })

  return new Map(
    Object.entries(work.owner.tools).map(([tool, { approval }]) => {
      const own = Array.isArray(approval.condition) ? approval.condition : [approval.condition]
      const concerned = (work.governance?.governance ?? []).filter(({ match }) =>
        globMatches(match.tool, tool),
      )
      const denies = concerned.filter(({ deny }) => deny !== undefined)
      const asks = concerned.filter(({ approval: asked }) => asked !== undefined)
      const steps: Rule[] = [
        ...(denies.length > 0 ? [anyOf(denies.map(({ condition }) => holds(condition))), 3] : []),
        ...(asks.length > 0 ? [anyOf(asks.map(({ condition }) => holds(condition))), 2] : []),
        anyOf(own.map(holds)),
        1,
        0,
      ]
      return [tool, engine.build({ if: steps }) as (args: Args) => ReturnType<HandWritten>] as const
    }),
  )
}

type Rule = unknown

function anyOf(rules: readonly Rule[]): Rule {
  return rules.length === 1 ? rules[0] : { or: rules }
}

function isOther(value: Rule, literal: Literal): Rule {
  if (typeof literal === 'boolean') return { '===': [value, !literal] }
  const guard = typeof literal === 'string' ? 'is_text' : 'is_number'
  return { and: [{ [guard]: value }, { '!==': [value, literal] }] }
}
