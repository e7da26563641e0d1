import type { Saboteur } from './saboteur.ts'

const SANDBOX = { tests: ['test/studio/sandbox.test.ts'] } as const
const PUBLISH = { tests: ['test/studio/publish.test.ts'] } as const

/** Walls of the sandbox, and what stands between a draft and its callers. */
export const STUDIO_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'a tool reaches hosts it does not name',
    file: 'src/studio/sandbox/capabilities.ts',
    before: "if (!isNamed && !net.includes('*'))",
    after: "if (!isNamed && net.includes('*'))",
    caughtBy: SANDBOX,
  },
  {
    name: 'a secret goes to hosts it was not given for',
    file: 'src/studio/sandbox/secrets.ts',
    before: 'if (!secret.hosts.includes(url.host) && !secret.hosts.includes(url.hostname))',
    after: 'if (secret.hosts.length === 0)',
    caughtBy: SANDBOX,
  },
  {
    name: 'array buffers are not counted',
    file: 'src/studio/sandbox/child.ts',
    before: 'PAGES_AT_START + Math.ceil(limits.memory / PAGE_BYTES)',
    after: '32_768',
    caughtBy: SANDBOX,
  },
  {
    name: 'a chain of promises is never interrupted',
    file: 'src/studio/sandbox/child.ts',
    before: 'while (runtime.hasPendingJob() && !clock.isOver())',
    after: 'while (runtime.hasPendingJob())',
    caughtBy: SANDBOX,
  },
  {
    name: 'answers show the secret that was sent',
    file: 'src/studio/sandbox/run-tool.ts',
    before: 'reply({ value: hide(JSON.stringify(await perform(what, JSON.parse(body)))) })',
    after: 'reply({ value: JSON.stringify(await perform(what, JSON.parse(body))) })',
    caughtBy: SANDBOX,
  },
  {
    name: 'a tool is published although its test failed',
    file: 'src/studio/studio.ts',
    before: 'if (why !== undefined) return { run: tested, why }',
    after: "if (why === '') return { run: tested, why }",
    caughtBy: PUBLISH,
  },
  {
    name: 'asking less needs no confirmation',
    file: 'src/studio/studio.ts',
    before: 'if (lowers && options.lowers !== true)',
    after: 'if (lowers && options.lowers === false)',
    caughtBy: PUBLISH,
  },
  {
    name: 'a mark of a secret counts wherever it comes from',
    file: 'src/studio/sandbox/secrets.ts',
    before: 'if (said !== word) return mark',
    after: "if (said === '') return mark",
    caughtBy: SANDBOX,
  },
  {
    name: 'a command is started that was not confirmed',
    file: 'src/app/add-server-routes.ts',
    before: 'if (runs !== commandText(entry))',
    after: 'if (runs === commandText({ alias: runs }))',
    caughtBy: { tests: ['test/studio/add-server.test.ts'] },
  },
  {
    name: 'commands are started where the operator did not allow it',
    file: 'src/app/add-server-routes.ts',
    before: 'if (command !== undefined && !commands)',
    after: 'if (command !== undefined && commands === undefined)',
    caughtBy: { tests: ['test/studio/add-server.test.ts'] },
  },
  {
    name: 'an added server may change other lines of the policy file',
    file: 'src/policy/tooling/add-server.ts',
    before: 'if (!isSame(kept, rest) || !isSame(wanted, has)) throw byHand()',
    after: 'void [kept, rest, wanted, has]',
    caughtBy: { tests: ['src/policy/tooling/add-server.test.ts'] },
  },
  {
    name: 'a switch asks no more about a tool of the studio than its author',
    file: 'src/app/studio-rules.ts',
    before: "if (flag.asks === 'never') return said === undefined ? {} : { approval: said }",
    after: "if (flag.asks === 'never') return { approval: said ?? flag }",
    caughtBy: { tests: ['test/studio/switch.test.ts'] },
  },
  {
    name: 'a switch set earlier frees a tool that its author wants asked about now',
    file: 'src/app/studio-rules.ts',
    before: 'if (said === undefined) return { approval: flag }',
    after: 'if (said === undefined) return {}',
    caughtBy: { tests: ['test/studio/switch.test.ts'] },
  },
  {
    name: 'a key that one database cannot hold is sent to it',
    file: 'src/store/records.ts',
    before: "return text.isWellFormed() && !text.includes('\\0')",
    after: 'return text.length >= 0',
    caughtBy: { tests: ['test/studio/stores.test.ts'] },
  },
  {
    name: 'doctor runs tests that may change things elsewhere',
    file: 'src/cli/doctor/studio.ts',
    before: 'return write || irreversible',
    after: 'return irreversible',
    caughtBy: { tests: ['test/cli/doctor.test.ts'] },
  },
  {
    name: 'a stored test passes again whatever it gives',
    file: 'src/studio/studio.ts',
    before: 'return { run: tested, ...(why === undefined ? {} : { why }) }',
    after: 'return { run: tested, ...(why === undefined ? { why } : {}) }',
    caughtBy: { tests: ['test/cli/doctor.test.ts'] },
  },
]
