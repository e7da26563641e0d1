import type { GovernanceRule, Place, PolicyTest } from '../document.ts'
import { ALWAYS } from '../evaluate/condition.ts'
import type { GovernanceFile } from '../grammar/grammar.ts'
import type { RuleSection } from '../grammar/grammar-governance.ts'
import type { Placed } from '../read/read-shape.ts'
import { type Around, askOf, dropUndefined } from './load-approval.ts'

type Rules = GovernanceFile['values']['governance']
type Tests = GovernanceFile['values']['tests']

export function governanceOf(rules: Rules, around: Around): GovernanceRule[] {
  return (rules ?? []).flatMap((rule) => ruleOf(rule, around) ?? [])
}

function ruleOf(
  { value: section, place, path }: Placed<RuleSection>,
  around: Around,
): GovernanceRule | undefined {
  const { values, places } = section
  const says = ['deny', 'approval'].filter((word) => places.has(word))
  if (says.length !== 1) {
    const problem =
      says.length === 0
        ? 'the rule says nothing; add `deny: why`, or `approval: true`'
        : 'a rule either denies or asks; keep one of `deny` and `approval`'
    around.report.mistake(place, path, says.length === 0 ? 'missing_key' : 'both_keys', problem)
  }
  const { id } = values
  if (id === undefined) return undefined
  const rule = `governance.${id}`
  const then = thenOf(section, rule, place, around)
  const match = values.match?.values ?? {}
  return (
    then &&
    dropUndefined({
      id,
      rule,
      tool: match.tool,
      server: match.server,
      agent: match.agent,
      risk: match.risk,
      condition: values.condition ?? ALWAYS,
      then,
      place,
    })
  )
}

function thenOf(
  { values }: RuleSection,
  rule: string,
  place: Place,
  around: Around,
): GovernanceRule['then'] | undefined {
  if (values.deny !== undefined) return { deny: values.deny }
  if (values.approval === undefined) return undefined
  return { ask: askOf(values.approval, rule, place, 'governance', around) }
}

export function testsOf(tests: Tests): PolicyTest[] {
  return (tests ?? []).flatMap(({ value: { values }, place }) => {
    const { name, call, expect, message, missing, told: way } = values
    if (name === undefined || call === undefined || expect === undefined) return []
    const listed = missing?.map(({ value }) => value)
    const told =
      way &&
      dropUndefined({
        group: way.values.group,
        by: way.values.by?.map(({ value }) => value),
        atOnce: way.values.at_once,
      })
    return [dropUndefined({ name, call, expect, message, missing: listed, told, place })]
  })
}
