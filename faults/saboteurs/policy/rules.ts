import type { Saboteur } from '../saboteur.ts'

const rules = { tests: ['test/server/rules.test.ts'] } as const
const written = { tests: ['src/policy/rules/write-rule.test.ts'] } as const
const proposals = { tests: ['test/server/proposals.test.ts'] } as const
const relax = { tests: ['src/gate/proposals/relax.test.ts'] } as const
const versions = { tests: ['test/server/policy-versions.test.ts'] } as const

export const RULE_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'A draft says what is hidden while it is tried',
    file: 'src/gate/admin/policy-replay.ts',
    before: 'const reading = { store, policy: before }',
    after: 'const reading = { store, policy: after }',
    caughtBy: rules,
  },
  {
    name: 'The builder offers hidden arguments',
    file: 'src/server/policy/rule-view.ts',
    before: '.filter(({ keys }) => !isHidden(keys))',
    after: '.filter(({ keys }) => keys.length > 0)',
    caughtBy: rules,
  },
  {
    name: 'A draft overwrites a file that changed meanwhile',
    file: 'src/server/policy/save-draft.ts',
    before: "if ((await sha256(before ?? '')) !== base) throw changed()",
    after: 'if (base === undefined) throw changed()',
    caughtBy: rules,
  },
  {
    name: 'A draft names a program to start',
    file: 'src/server/policy/ways-out.ts',
    before: 'if (!found) return\n',
    after: 'if (!found || after.servers.size > 0) return\n',
    caughtBy: rules,
  },
  {
    name: 'An edited version rolls back as if it had been in force',
    file: 'src/server/policy/save-draft.ts',
    before: 'if (!(await wasInForce(store, text))) {',
    after: 'if (!(await wasInForce(store, text.trimEnd() + "\\n"))) {',
    caughtBy: versions,
  },
  {
    name: 'A condition inside a rule outlives the form',
    file: 'src/policy/rules/write-rule.ts',
    before: "  map.delete('condition')\n",
    after: '',
    caughtBy: written,
  },
  {
    name: 'The people of a group change unseen',
    file: 'src/server/policy/draft-difference.ts',
    before: 'return [...rules, ...groups, ...notify]',
    after: 'return groups.length < 0 ? groups : [...rules, ...notify]',
    caughtBy: { tests: ['test/server/policy-apply.test.ts'] },
  },
  {
    name: 'Tests are made from calls with hidden values',
    file: 'src/server/policy/example-tests.ts',
    before: 'return masked.length === 0 && text.length <= LONGEST',
    after: 'return masked.length < 100 && text.length <= LONGEST',
    caughtBy: rules,
  },
  {
    name: 'A text from a call is written without quotation marks',
    file: 'src/policy/rules/policy-text.ts',
    before: 'scalar.type = Scalar.QUOTE_DOUBLE',
    after: 'scalar.type = Scalar.PLAIN',
    caughtBy: written,
  },
  {
    name: 'A rule about other calls loses its name to a new one',
    file: 'src/policy/rules/write-rule.ts',
    before: 'if (isSame && !isNarrower) return',
    after: 'if (isSame || !isNarrower) return',
    caughtBy: written,
  },
  {
    name: 'A version is shown without comparing it with the record',
    file: 'src/server/policy/versions.ts',
    before: 'if ((await sha256(text)) !== digest) {',
    after: "if (text === '') {",
    caughtBy: versions,
  },
  {
    name: 'A dismissed proposal comes again',
    file: 'src/server/policy/proposals.ts',
    before: 'found.filter((_, nth) => known[nth] === undefined)',
    after: 'found.filter((_, nth) => known[nth] !== null)',
    caughtBy: proposals,
  },
  {
    name: 'A limit is proposed below what people let through',
    file: 'src/gate/proposals/tighten.ts',
    before: 'numbers.filter(({ value }) => value > highest)',
    after: 'numbers.filter(({ one }) => isRefusedAt(one, path))',
    caughtBy: proposals,
  },
  {
    name: 'A grant is proposed for a risky tool',
    file: 'src/gate/proposals/relax.ts',
    before: 'risk !== undefined && riskRank(risk) <= riskRank(RELAX_RISK)',
    after: 'risk !== undefined && riskRank(risk) >= 0',
    caughtBy: relax,
  },
  {
    name: 'A grant is proposed where governance asks',
    file: 'src/gate/proposals/relax.ts',
    before: "source !== 'governance' && answer === 'yes'",
    after: "answer === 'yes' || source === 'mode'",
    caughtBy: relax,
  },
  {
    name: 'Hasty answers count for a grant',
    file: 'src/gate/proposals/relax.ts',
    before: 'calls.filter(({ isHasty }) => !isHasty)',
    after: 'calls.filter(({ isSound }) => isSound)',
    caughtBy: relax,
  },
]
