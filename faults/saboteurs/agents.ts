import type { Saboteur } from './saboteur.ts'

const verdicts = { tests: ['test/promises/countersign-verdicts.test.ts'] } as const
const declared = { tests: ['test/server/declared.test.ts'] } as const

const principals = { tests: ['test/server/principals.test.ts'] } as const

const answers = { tests: ['test/server/answers.test.ts'] } as const

/** What a remote agent could gain by what it says of itself, its calls and its user. */
export const AGENT_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'an agent’s terms take the place of the owner’s defaults',
    file: 'src/policy/evaluate/merge.ts',
    before: 'asking.some((one) => isOwners(one) && one.worded === undefined)',
    after: "asking.some(({ layer }) => layer === 'owner')",
    caughtBy: { tests: ['test/server/agent-declared.test.ts'] },
  },
  {
    name: 'an agent’s declaration puts the owner’s defaults beside a rule that says otherwise',
    file: 'src/policy/evaluate/merge.ts',
    before: "layer === 'owner' && (worded !== 'agent' || agentAlone)",
    after: "layer === 'owner' && (worded !== 'agent' || agentAlone || true)",
    caughtBy: { tests: ['test/server/agent-declared.test.ts'] },
  },
  {
    name: 'a claimed risk rates an unrated tool',
    file: 'src/policy/evaluate/judge.ts',
    before: 'riskMatches(rule.risk, rated, call.risk)',
    after: 'riskMatches(rule.risk, higherRisk(rated, call.risk))',
    caughtBy: verdicts,
  },
  {
    name: 'the fast path lets a higher claim escape a rule',
    file: 'src/policy/compiled/fast-path.ts',
    before: `risk && !riskMatches(risk, rated)
        ? RISKS.filter((claimed) => !riskMatches(risk, rated, claimed))`,
    after: 'risk ? RISKS.filter((claimed) => !riskMatches(risk, claimed))',
    caughtBy: verdicts,
  },
  {
    name: 'a remote agent words the question',
    file: 'src/policy/evaluate/judge.ts',
    before: ", worded: 'agent' }",
    after: ' }',
    caughtBy: declared,
  },
  {
    name: 'the declaration of a remote agent replaces the rules of the policy',
    file: 'src/policy/evaluate/judge.ts',
    before: '...judgeOwner(policy, call, mode),',
    after: '...(agents ? [] : judgeOwner(policy, call, mode)),',
    caughtBy: declared,
  },
  {
    name: 'any token names whom it works for',
    file: 'src/server/routes/calls.ts',
    before: 'if (token.principal === undefined && token.vouches !== true) {',
    after: 'if (token.prefix === undefined) {',
    caughtBy: principals,
  },
  {
    name: 'calls: whom an agent works for is not looked at where the rules allow the call',
    file: 'src/server/routes/calls.ts',
    before: 'Object.keys(asked).length > 1 || call.principal !== undefined',
    after: 'Object.keys(asked).length > 1',
    caughtBy: { tests: ['test/server/allowed-calls.test.ts'] },
  },
  {
    name: 'calls: the schema of a registered tool is not applied where the rules allow the call',
    file: 'src/gate/pipeline/fast-path-bytes.ts',
    before: 'if (definition === undefined && registry.definitionOf(caller, call)) return undefined',
    after: '',
    caughtBy: { tests: ['test/server/allowed-calls.test.ts'] },
  },
  {
    name: 'a token that was verified once vouches for every other under its name',
    file: 'src/server/identity/tokens.ts',
    before: 'if (known && sameText(known.token, token)) return known.hash',
    after: 'if (known) return known.hash',
    caughtBy: { tests: ['src/server/identity/tokens.test.ts'] },
  },
  {
    name: 'a body counts as whole when its beginning is there',
    file: 'src/base/net/request-body.ts',
    before: "headers['content-length'] !== ",
    after: "headers['content-length'] === ",
    caughtBy: { tests: ['test/server/request-body.test.ts'] },
  },
  {
    name: 'tokens of one agent reach the calls of all its people',
    file: 'src/server/read-approvals.ts',
    before: 'return vouches === true || named === (principal && foldAddress(principal))',
    after: 'return vouches !== false || named === (principal && foldAddress(principal))',
    caughtBy: principals,
  },
  {
    name: 'an address of the ID token is verified by the user info',
    file: 'src/server/identity/oidc-client.ts',
    before: '...addressIn(claims, more),',
    after: '',
    caughtBy: { tests: ['test/server/oidc-liar.test.ts'] },
  },
  {
    name: 'addresses are folded by the rules of Unicode',
    file: 'src/base/address.ts',
    before: 'text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())',
    after: 'text.toLowerCase()',
    caughtBy: { tests: ['src/base/address.test.ts', 'test/server/oidc-liar.test.ts'] },
  },
  {
    name: 'agents get how servers are reached',
    file: 'src/policy/tooling/rules-text.ts',
    before: 'kept ? tree.entries.filter(({ key }) => kept.has(key)) : tree.entries',
    after: 'tree.entries',
    caughtBy: { tests: ['test/server/policy-text.test.ts'] },
  },
  {
    name: 'a passkey does not sign the grant',
    file: 'src/server/routes/decision-body.ts',
    before: 'Object.keys(DECISION).flatMap((name) => {',
    after: "['verdict', 'digest', 'edit'].flatMap((name) => {",
    caughtBy: { tests: ['test/server/passkeys.test.ts'] },
  },
  {
    name: 'audit verify believes a row whose seal fits its text',
    file: 'src/gate/audit/audit-rows.ts',
    before: "if (!isLeft || (row.of !== 'record' && row.seal !== known.state)) {",
    after: "if (row.of !== 'approval' && !isLeft) {",
    caughtBy: { tests: ['test/audit.test.ts'] },
  },
  {
    name: 'audit verify does not miss a row',
    file: 'src/gate/audit/audit-rows.ts',
    before: 'if (table.waiting > 0) throw',
    after: 'if (table.waiting > 1_000) throw',
    caughtBy: { tests: ['test/audit.test.ts'] },
  },
  {
    name: 'a token that vouches reaches calls of a token bound to a person',
    file: 'src/server/read-approvals.ts',
    before: ' || (call.door === VOUCHED_DOOR) !== (vouches === true)',
    after: '',
    caughtBy: { tests: ['test/server/answers.test.ts'] },
  },
  {
    name: 'a call of a token that vouches is joined to that of another token',
    file: 'src/server/routes/calls.ts',
    before: '...(vouches ? { door: VOUCHED_DOOR } : {}),',
    after: '',
    caughtBy: { tests: ['test/server/answers.test.ts'] },
  },
  {
    name: 'a chat approves what needs other people',
    file: 'src/server/routes/answers.ts',
    before: "if (level !== 'confirm') {",
    after: 'if (level === undefined) {',
    caughtBy: answers,
  },
  {
    name: 'an application confirms for users of others',
    file: 'src/server/routes/answers.ts',
    before: "if (by !== foldAddress(email ?? subject ?? '')) {",
    after: "if (by === '') {",
    caughtBy: answers,
  },
  {
    name: 'every token vouches for users',
    file: 'src/server/routes/answers.ts',
    before: 'if (token.vouches !== true) {',
    after: "if (token.prefix === '') {",
    caughtBy: answers,
  },
  {
    name: 'a yes from a chat outlives the token that vouched for it',
    file: 'src/server/identity/vouched.ts',
    before: 'if (token?.vouches !== true) return undefined',
    after:
      "if (token?.vouches !== true) return { issuer, subject, email: subject, emailVerified: true, groups: [], roles: [], assurance: 'chat' }",
    caughtBy: answers,
  },
]
