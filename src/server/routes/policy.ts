import type { PolicyBundle } from '../../api/agent.ts'
import { withCode } from '../../gate/declared/declarations.ts'
import { policyName } from '../../gate/declared/policy-answer.ts'
import { notedTool } from '../../gate/tools/tool-notes.ts'
import { readCall } from '../../policy/call.ts'
import { ANNOTATED } from '../../policy/evaluate/mode.ts'
import { explain } from '../../policy/tooling/explain.ts'
import { POLICY_RECORD } from '../../store/audit/audited-records.ts'
import { personOf, type Route, route, routeReading } from '../http/route.ts'
import { keeping, textDigests } from '../policy/kept-policy.ts'
import { statusOf } from '../policy/status.ts'
import type { Services } from '../services.ts'
import { inWords } from '../words.ts'

const VALID_FOR = 60_000

/** What is in force, and what it would say. */
export function policyRoutes({ policyNow, active, demo, store }: Services): Route[] {
  return [
    route('GET /status.json', ({ reply }) =>
      reply(200, { ...statusOf(active.state().running), demo }),
    ),
    route('GET /v1/policy', async ({ c, caller, reply }) => {
      const policy = await policyNow()
      const name = await policyName(policy)
      // How servers are reached, with their credentials, is for admins: an agent that knew it
      // could go around the gate.
      const isWhole = caller.kind === 'person' && caller.person.roles.includes('admin')
      const etag = isWhole ? `"${name}.files"` : `"${name}"`
      c.header('etag', etag)
      c.header('cache-control', 'private, no-cache')
      if (c.req.header('if-none-match') === etag) return reply(304)
      const bundle: PolicyBundle = {
        name,
        files: isWhole ? active.state().sources : active.rules(),
        switches: Object.fromEntries(policy.switches),
        validFor: VALID_FOR,
      }
      return reply(200, bundle)
    }),
    routeReading('POST /v1/policy/explain', readCall, async ({ caller, body, reply }) => {
      // An agent sees what it noted itself, whichever agent the call names.
      const agent = caller.kind === 'agent' ? caller.token.agent : body.agent
      const noted = await notedTool(store, body, agent)
      const schema = noted?.definition?.inputSchema
      const { policy, code } = withCode(await policyNow(), body, noted?.code)
      const explanation = explain(policy, body, ANNOTATED, { schema })
      return reply(200, { ...explanation, ...code, words: inWords(explanation.verdict) })
    }),
    route('GET /v1/policy/draft', async ({ reply }) => reply(200, await active.draft())),
    route('POST /v1/policy/apply', async ({ caller, body: { name }, reply }) => {
      const { issuer, subject } = personOf(caller).person
      const draft = await active.apply(name, async (from, { sources }) => {
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
      return reply(200, draft)
    }),
  ]
}
