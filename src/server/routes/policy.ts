import { withCode } from '../../gate/declared/declarations.ts'
import { policyName } from '../../gate/declared/policy-answer.ts'
import { notedTool } from '../../gate/tools/tool-notes.ts'
import { readCall } from '../../policy/call.ts'
import { ANNOTATED } from '../../policy/evaluate/mode.ts'
import { explain } from '../../policy/tooling/explain.ts'
import { POLICY_RECORD } from '../../store/audit/audited-records.ts'
import type { PolicyBundle } from '../../wire/agent.ts'
import { PEOPLE, personOf, type Route, route } from '../http/route.ts'
import { digest, object } from '../http/shape.ts'
import { keeping, textDigests } from '../policy/kept-policy.ts'
import { statusOf } from '../policy/status.ts'
import type { Services } from '../services.ts'
import { inWords } from '../words.ts'

const VALID_FOR = 60_000

const CALL = {
  schema: { type: 'object', required: ['tool', 'args'], description: 'a call; see the reference' },
  read: readCall,
} as const

/** What is in force, and what it would say. */
export function policyRoutes({ policyNow, active, demo, store }: Services): Route[] {
  return [
    route({
      method: 'get',
      path: '/status.json',
      who: PEOPLE,
      summary: 'The active policy as rows, and whether its files have changed since.',
      answer: 'Files, rules, warnings, examples.',
      handle: ({ c }) => c.json({ ...statusOf(active.state().running), demo }),
    }),
    route({
      method: 'get',
      path: '/v1/policy',
      who: [...PEOPLE, 'agent'],
      summary: 'The sources of the active policy, with an ETag.',
      answer:
        'Files to evaluate locally, valid for a minute after each confirmation. Only admins get how servers are reached.',
      async handle({ c, caller }) {
        const policy = await policyNow()
        const name = await policyName(policy)
        // How servers are reached, with their credentials, is for admins: an agent that knew it
        // could go around the gate.
        const isWhole = caller.kind === 'person' && caller.person.roles.includes('admin')
        const etag = isWhole ? `"${name}.files"` : `"${name}"`
        c.header('etag', etag)
        c.header('cache-control', 'private, no-cache')
        if (c.req.header('if-none-match') === etag) return c.body(null, 304)
        const bundle: PolicyBundle = {
          name,
          files: isWhole ? active.state().sources : active.rules(),
          switches: Object.fromEntries(policy.switches),
          validFor: VALID_FOR,
        }
        return c.json(bundle)
      },
    }),
    route({
      method: 'post',
      path: '/v1/policy/explain',
      who: [...PEOPLE, 'agent'],
      summary: 'What the policy says of a call, and why. Asks no question and stores nothing.',
      body: CALL,
      answer: 'The verdict, every rule that was looked at, and the values it saw.',
      async handle({ c, caller, body }) {
        // An agent sees what it noted itself, whichever agent the call names.
        const agent = caller.kind === 'agent' ? caller.token.agent : body.agent
        const noted = await notedTool(store, body, agent)
        const schema = noted?.definition?.inputSchema
        const { policy, code } = withCode(await policyNow(), body, noted?.code)
        const explanation = explain(policy, body, ANNOTATED, { schema })
        return c.json({ ...explanation, ...code, words: inWords(explanation.verdict) })
      },
    }),
    route({
      method: 'get',
      path: '/v1/policy/draft',
      who: ['admin'],
      summary: 'What the policy files say now, beside what is in force.',
      answer: 'The name to apply, and the rules that would come and go; or the mistakes.',
      handle: async ({ c }) => c.json(await active.draft()),
    }),
    route({
      method: 'post',
      path: '/v1/policy/apply',
      who: ['admin'],
      summary: 'Put what the files say into force, if it is still what was looked at.',
      body: object({ name: digest('name of the draft') }),
      answer: 'The draft afterwards: nothing changed any more.',
      async handle({ c, caller, body: { name } }) {
        const { issuer, subject } = personOf(caller).person
        await active.apply(name, async (from, { sources }) => {
          const by = { issuer, subject }
          await store.amend({
            commandId: crypto.randomUUID(),
            event: {
              type: 'policy.applied',
              by: { person: by },
              facts: { policy: name, from, texts: await textDigests(sources) },
            },
            changes: [
              { kind: POLICY_RECORD, id: 'applied', value: { name, from, by } },
              ...(await keeping(name, sources)),
            ],
          })
        })
        return c.json(await active.draft())
      },
    }),
  ]
}
