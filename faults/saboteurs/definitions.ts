import type { Saboteur } from './saboteur.ts'

const GATE = { tests: ['test/gate/definitions.test.ts'] } as const
const SERVER = { tests: ['test/server/definitions.test.ts'] } as const
const STEPS = { tests: ['src/gate/schema/schema-steps.test.ts'] } as const

/** What tools say of themselves: whose it is, and what it may cost. */
export const DEFINITION_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'a definition that was not bound is used all the same',
    file: 'src/gate/content/binding.ts',
    before: 'if ((await digestDefinition(kept)) !== digest) return { isKnown: false }',
    after: "if (digest === '') return { isKnown: false }",
    caughtBy: SERVER,
  },
  {
    name: 'where the definition is not known nothing is hidden',
    file: 'src/gate/content/binding.ts',
    before: 'bound.isKnown ? bound.definition?.inputSchema : HIDES_ALL',
    after: 'bound.isKnown ? bound.definition?.inputSchema : undefined && HIDES_ALL',
    caughtBy: SERVER,
  },
  {
    name: 'the definition is not kept with the question',
    file: 'src/gate/pipeline/ask.ts',
    before: '...(kept === undefined ? {} : { definition: kept }),',
    after: '...(kept === undefined ? {} : {}),',
    caughtBy: GATE,
  },
  {
    name: 'agents of one process share what they register',
    file: 'src/gate/tools/registry.ts',
    before: 'return JSON.stringify([ownerOf(agent), kind,',
    after: 'return JSON.stringify([ownerOf(agent) && null, kind,',
    caughtBy: GATE,
  },
  {
    name: 'agents on one store share what they noted',
    file: 'src/gate/tools/tool-notes.ts',
    before: "return digestOf('tool', [owner, kind,",
    after: "return digestOf('tool', [owner && null, kind,",
    caughtBy: GATE,
  },
  {
    name: 'an agent speaks for tools of a server',
    file: 'src/server/routes/calls.ts',
    before: "checked.status !== 'allowed' && !isServed",
    after: "checked.status !== 'allowed' && isServed !== undefined",
    caughtBy: SERVER,
  },
  {
    name: 'an agent may have any number of tools noted',
    file: 'src/gate/tools/tool-notes.ts',
    before: 'ids.splice(0, Math.max(0, ids.length - TOOLS_PER_AGENT))',
    after: 'ids.splice(0, 0 * TOOLS_PER_AGENT)',
    caughtBy: SERVER,
  },
  {
    name: 'what a schema adds to an edit counts at once',
    file: 'src/gate/content/edit.ts',
    before: 'if (filled.text === bytes.text) return bytes',
    after: 'if (filled.text !== undefined) return filled',
    caughtBy: SERVER,
  },
  {
    name: 'what a validator makes of a secret is shown',
    file: 'src/gate/content/completed-edit.ts',
    before: 'was !== undefined && isHidden(keys) ? MASK : now',
    after: 'was === undefined && isHidden(keys) ? MASK : now',
    caughtBy: GATE,
  },
  {
    name: 'a schema may answer later',
    file: 'src/gate/schema/schema-parts.ts',
    before: "if ('$async' in schema) throw",
    after: "if ('$never' in schema) throw",
    caughtBy: STEPS,
  },
  {
    name: 'defaults cost nothing',
    file: 'src/gate/schema/schema-keywords.ts',
    before: 'run.spend(text.length)\n        // Not by',
    after: '// Not by',
    caughtBy: STEPS,
  },
  {
    name: 'reading a pattern costs nothing',
    file: 'src/gate/schema/schema-read.ts',
    before: 'if (this.#patterns > MAX_PATTERNS) throw',
    after: 'if (this.#patterns > 100 * MAX_PATTERNS) throw',
    caughtBy: STEPS,
  },
  {
    name: 'what the schemas of one agent cost is nobody’s account',
    file: 'src/server/validation-meter.ts',
    before: 'if (account.left <= 0) {',
    after: 'if (account.left <= -AT_ONCE * 1_000) {',
    caughtBy: SERVER,
  },
  {
    name: 'what a schema cannot say in time is shown',
    file: 'src/base/secrets/secret-schema.ts',
    before: 'left <= 0 || schemas.some(isMarked)',
    after: 'schemas.some(isMarked)',
    caughtBy: { tests: ['src/base/secrets/mask.test.ts'] },
  },
  {
    name: 'a rejection nobody heard ends the server',
    file: 'src/cli/mishaps.ts',
    before: "process.on('unhandledRejection', heard)",
    after: '',
    caughtBy: { tests: ['test/cli/mishaps.test.ts'] },
  },
]
