import type { Saboteur } from './saboteur.ts'

const CANARY = { tests: ['test/secrets/canary.test.ts'] } as const

/** Places that forget the mask. The canaries must notice each of them. */
export const SECRET_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'a link that signs in as admin is written to the journal',
    file: 'src/cli/commands/start.ts',
    before: 'keepsLog && !options.json ? undefined',
    after: 'keepsLog && options.json === false ? undefined',
    caughtBy: { tests: ['test/cli/start.test.ts'] },
  },
  {
    name: 'a secret that is filled into arguments of a server is not one',
    file: 'src/gateway/upstream/upstream-spec.ts',
    before: 'for (const secret of secretsOf({ [name]: value })) secrets.add(secret)',
    after: 'for (const secret of secretsOf({})) secrets.add(secret)',
    caughtBy: { tests: ['src/gateway/upstream/upstream-spec.test.ts'] },
  },
  {
    name: 'a result that code declares as dropped is sent to the server',
    file: 'src/client/server-backend.ts',
    before: "outcome === 'succeeded' && ended.drop ? { drop: true }",
    after: "outcome === 'succeeded' && name === '' ? { drop: true }",
    caughtBy: { tests: ['test/server/dropped-results.test.ts'] },
  },
  {
    name: 'the question is worded with the arguments themselves',
    file: 'src/policy/evaluate/evaluate.ts',
    before: 'const { value: args } = shownArguments(policy, call, secrecy)',
    after: 'const args = secrecy ? call.args : shownArguments(policy, call, secrecy).value',
    caughtBy: CANARY,
  },
  {
    name: 'the question is about arguments that the caller can still change',
    file: 'src/policy/evaluate/evaluate.ts',
    before: 'args: args as JsonObject }',
    after: 'args: args === undefined ? call.args : call.args }',
    caughtBy: { tests: ['src/policy/evaluate/evaluate-arguments.test.ts'] },
  },
  {
    name: 'the card shows the arguments themselves',
    file: 'src/server/view/asked-call.ts',
    before: 'text: canonicalJson(value),',
    after: 'text: canonicalJson(value === undefined ? value : now.call.args),',
    caughtBy: CANARY,
  },
  {
    name: 'an explanation shows the values a rule saw',
    file: 'src/policy/tooling/explain.ts',
    before: 'value === undefined ? undefined : visible(clause, shown[clause.root])',
    after: 'shown === undefined ? visible(clause, shown[clause.root]) : value',
    caughtBy: CANARY,
  },
  {
    name: 'what only the schema marks is forgotten',
    file: 'src/policy/evaluate/declared.ts',
    before: 'mask(call.args, { ...known, paths:',
    after: 'mask(call.args, { ...known, schema: undefined, paths:',
    caughtBy: CANARY,
  },
  {
    name: 'what the agent says is kept as it is',
    file: 'src/gate/pipeline/ask.ts',
    before: 'context: mask(context, { known }).value }',
    after: 'context: known === undefined ? mask(context).value : context }',
    caughtBy: CANARY,
  },
  {
    name: 'a tool that fails may quote its secrets',
    file: 'src/gate/pipeline/run.ts',
    before: 'const message = maskText(errorText(error), claim.secrets())',
    after: 'const message = claim ? errorText(error) : maskText(errorText(error), [])',
    caughtBy: CANARY,
  },
  {
    name: 'results are shown as they came',
    file: 'src/server/view/card.ts',
    before: 'result: mask(kept.value, { known: shown.hidden }).value }',
    after: 'result: shown === undefined ? mask(kept.value).value : kept.value }',
    caughtBy: CANARY,
  },
  {
    name: 'a secret is shown before it is on record who looked',
    file: 'src/gate/content/reveal.ts',
    before: "await core.store.apply(id, { type: 'reveal', commandId, by, seen, path })",
    after:
      "void core.store.apply(id, { type: 'reveal', commandId, by, seen, path }).catch(() => {})",
    caughtBy: { tests: ['test/server/reveal.test.ts'] },
  },
]
