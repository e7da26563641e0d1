import type { Call } from '../../src/base/call.ts'
import { type Random, seeded } from '../lib/random.ts'
import { GOVERNANCE } from './catalogue-governance.ts'
import { FAMILIES } from './catalogue-tools.ts'
import type { Approval, HandWritten, Work } from './work.ts'

/*
 * A large company's catalogue: 1,000 tools (20 areas × 10 verbs × 5 variants) with three ORed
 * groups each, and 40 governance rules, of which two to six concern each tool.
 *
 * The hand-written limit is a fair one: governance is looked up by name beforehand, so a call runs
 * its tool's closure and the few governance closures that concern it. Tools that share a verb share
 * the text of their closure: a thousand different texts would be slower, and nobody writes them.
 */

const AREAS = (
  'ads billing build calendar catalog chat crm data deploy docs ' +
  'files hr iam inventory mail network orders payroll support vault'
).split(' ')
const VARIANTS = ['one', 'many', 'draft', 'async', 'legacy']

export function catalogue(count: number): Work {
  const random = seeded(1_000)
  const tools = AREAS.flatMap((area) =>
    FAMILIES.flatMap((family) =>
      VARIANTS.map((variant) => ({
        name: `${area}.${family.verb}_${variant}`,
        family,
        limit: 1_000 * (1 + random.below(20)),
      })),
    ),
  )
  const owner: { [tool: string]: { approval: Approval } } = {}
  const hand = new Map<string, HandWritten>()
  for (const { name, family, limit } of tools) {
    owner[name] = { approval: { condition: family.groups(limit) } }
    hand.set(name, withGovernance(name, family.hand(limit)))
  }
  const calls = Array.from({ length: count }, (): Call => {
    const { name, family } = tools[random.below(tools.length)] ?? { name: '', family: FAMILIES[0] }
    const args = { ...common(random), ...family?.args(random) }
    return { tool: name, args: JSON.parse(JSON.stringify(args)) }
  })
  return {
    name: '1,000 tools × 3 rules, 40 governance rules',
    owner: { version: 1, tools: owner },
    governance: { version: 1, governance: GOVERNANCE.map(({ entry }) => entry) },
    calls,
    hand,
  }
}

/** Arguments most tools of such a catalogue share; governance reads these. */
function common(random: Random): { readonly [key: string]: unknown } {
  return {
    environment: random.pick(['staging', 'staging', 'dev', 'production']),
    region: random.pick(['eu', 'eu', 'us', 'ap']),
    ...(random.chance(0.97) ? { amount: random.below(1_200) } : {}),
    ...(random.chance(0.5) ? { reason: 'requested by the customer' } : {}),
  }
}

function withGovernance(tool: string, own: HandWritten): HandWritten {
  const rules = GOVERNANCE.filter(({ concerns }) => concerns(tool))
    .toSorted((a, b) => b.level - a.level)
    .map(({ hand }) => hand)
  return (args) => {
    let level = own(args)
    for (const rule of rules) {
      const demanded = rule(args)
      if (demanded > level) level = demanded
    }
    return level
  }
}
