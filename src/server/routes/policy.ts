import type { PolicyBundle } from '../../api/agent.ts'
import { ruleName } from '../../api/policy/rule-name.ts'
import { CountersignError } from '../../base/errors.ts'
import { recordedOf } from '../../gate/admin/recorded-calls.ts'
import { withCode } from '../../gate/declared/declarations.ts'
import { policyName } from '../../gate/declared/policy-answer.ts'
import { notedTool } from '../../gate/tools/tool-notes.ts'
import { readCall } from '../../policy/call.ts'
import { ANNOTATED } from '../../policy/evaluate/mode.ts'
import { explain } from '../../policy/tooling/explain.ts'
import { inWords } from '../../policy/words/verdict-words.ts'
import { POLICY_RECORD } from '../../store/audit/audited-records.ts'
import { dayOf } from '../../store/statistics/statistics.ts'
import { personOf, type Route, route, routeReading } from '../http/route.ts'
import { draftRule } from '../policy/draft-rule.ts'
import { policyAmendment } from '../policy/policy-amendment.ts'
import { dismissProposal, openProposals } from '../policy/proposals.ts'
import { ruleCounts } from '../policy/rule-counts.ts'
import { saveDraft } from '../policy/save-draft.ts'
import { statusOf } from '../policy/status.ts'
import { policyVersion, policyVersions } from '../policy/versions.ts'
import { knownApproval } from '../read-approvals.ts'
import type { Services } from '../services.ts'

const VALID_FOR = 60_000
const COUNTED_DAYS = 30

/** What is in force, and what it would say. */
export function policyRoutes(services: Services): Route[] {
  const { policyNow, active, demo, store } = services
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
      const rules = explanation.rules.map((one) => ({ ...one, name: ruleName(one.rule) }))
      return reply(200, { ...explanation, rules, ...code, words: inWords(explanation.verdict) })
    }),
    route('GET /v1/policy/counts', async ({ reply }) => {
      const to = dayOf(await store.now())
      const counted = await store.statistics.read({ from: to - COUNTED_DAYS + 1, to })
      return reply(200, ruleCounts(counted, COUNTED_DAYS))
    }),
    route('GET /v1/policy/versions', async ({ reply }) =>
      reply(200, { versions: await policyVersions(services) }),
    ),
    route('GET /v1/policy/versions/:version', async ({ params, reply }) =>
      reply(200, await policyVersion(services, params.version)),
    ),
    route('GET /v1/policy/proposals', async ({ reply }) =>
      reply(200, await openProposals(store, await policyNow())),
    ),
    route('POST /v1/policy/proposals/:proposal/dismiss', async ({ caller, params, reply }) => {
      const policy = await policyNow()
      await dismissProposal(store, policy, params.proposal, personOf(caller).person)
      return reply(200, await openProposals(store, policy))
    }),
    route('POST /v1/policy/rule', async ({ caller, body, reply }) => {
      const approval = await knownApproval(store, body.from, caller)
      const policy = await policyNow()
      const [recorded] = await recordedOf({ store, policy }, [approval])
      if (!recorded) {
        throw new CountersignError('usage', 'the arguments of this call are no longer kept', {
          hint: 'Choose a newer call.',
        })
      }
      return reply(200, await draftRule(services, recorded, body))
    }),
    route('PUT /v1/policy/draft', async ({ caller, body, reply }) =>
      reply(200, await saveDraft(services, personOf(caller).person, body)),
    ),
    route('GET /v1/policy/draft', async ({ reply }) => reply(200, await active.draft())),
    route('POST /v1/policy/apply', async ({ caller, body: { name }, reply }) => {
      const { issuer, subject } = personOf(caller).person
      const draft = await active.apply(name, async (from, { sources }) => {
        const by = { issuer, subject }
        await store.amend(
          await policyAmendment({
            type: 'policy.applied',
            by: { person: by },
            name,
            from,
            files: sources,
            changes: [{ kind: POLICY_RECORD, id: 'applied', value: { name, from, by } }],
          }),
        )
      })
      return reply(200, draft)
    }),
  ]
}
