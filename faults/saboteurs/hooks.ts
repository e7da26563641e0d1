import type { Saboteur } from './saboteur.ts'

export const HOOK_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'of two policies that are equally strict, one counts',
    file: 'src/app/hook/strictest.ts',
    before: 'if (others.length === 0) return best',
    after: 'if (others.length >= 0) return best',
    caughtBy: { tests: ['test/cli/hook-strictest.test.ts'] },
  },
  {
    name: 'a running server answers where another policy asks for more people',
    file: 'src/app/hook/strictest.ts',
    before: 'return further === 3 || demandOf(served, input) !== demandOf(other, input)',
    after: 'return further > inForce',
    caughtBy: { tests: ['test/cli/hook-strictest.test.ts'] },
  },
  {
    name: 'a server of another database or tenant is asked',
    file: 'src/cli/state/server-file.ts',
    before: 'found?.serves === servedName(place, tenant) ? found : undefined',
    after: 'servedName(place, tenant) ? found : undefined',
    caughtBy: { tests: ['test/cli/hook-server.test.ts'] },
  },
  {
    name: 'the hook of a project without a policy lets calls run',
    file: 'src/cli/hook/project.ts',
    before: 'if (owner === undefined && governance.length === 0) throw noPolicy(root)',
    after: 'if (root === undefined) throw noPolicy(root)',
    caughtBy: { tests: ['test/cli/hook-project.test.ts'] },
  },
  {
    name: 'the hook goes by the policy of the folder the agent is in',
    file: 'src/cli/hook/project.ts',
    before: 'const roots = [...new Set(named)]',
    after: 'const roots = [...new Set(named)].map(() => here)',
    caughtBy: { tests: ['test/cli/hook-project.test.ts'] },
  },
  {
    name: 'a looser policy of a subfolder counts in the hook',
    file: 'src/app/hook/strictest.ts',
    before: 'strictness(other.policy, input) > strictness(one.policy, input) ? other : one,',
    after: 'strictness(other.policy, input) < strictness(one.policy, input) ? other : one,',
    caughtBy: { tests: ['test/cli/hook-project.test.ts'] },
  },
  {
    name: 'a stricter policy on disk does not count while a server runs',
    file: 'src/app/hook/routes.ts',
    before: 'if (others.some((texts) => addsTo(served, load(texts), input))) {',
    after: 'if (others.length < 0) {',
    caughtBy: { tests: ['test/cli/hook-server.test.ts'] },
  },
  {
    name: 'only the policy in force is kept from the agent',
    file: 'src/adapters/claude-code/own-names.ts',
    before: 'POLICY.test(part) ||',
    after: '',
    caughtBy: { tests: ['src/adapters/claude-code/own-files.test.ts'] },
  },
  {
    name: 'only the state folder in use is kept from the agent',
    file: 'src/adapters/claude-code/own-names.ts',
    before: 'STATE.test(part) ||',
    after: '',
    caughtBy: { tests: ['src/adapters/claude-code/own-files.test.ts'] },
  },
  {
    name: 'the hook takes any program for its server',
    file: 'src/cli/hook/ask-server.ts',
    before:
      "if (!isProof(said?.proof, proofOf(key, 'hello', nonce, String(said?.version)))) return false",
    after: '',
    caughtBy: { tests: ['test/cli/hook-server.test.ts'] },
  },
  {
    name: 'the hook believes an answer without a proof',
    file: 'src/cli/hook/ask-server.ts',
    before: "const reply = isProof(heard.proof, proofOf(key, 'answer', nonce, heard.text))",
    after: 'const reply = heard.text !== undefined',
    caughtBy: { tests: ['test/cli/hook-server.test.ts'] },
  },
  {
    name: 'the server answers hooks that prove nothing',
    file: 'src/app/hook/routes.ts',
    before: "if (!isProof(c.req.header(PROOF_HEADER), proofOf(key, 'ask', nonce, text))) {",
    after: 'if (text === undefined) {',
    caughtBy: { tests: ['test/cli/hook-server.test.ts'] },
  },
]
