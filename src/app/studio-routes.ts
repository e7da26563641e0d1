import { computedRisk } from '../api/studio/risk.ts'
import type { StudioRow, StudioTool } from '../api/studio/studio.ts'
import type { PersonId } from '../approval/people/person.ts'
import { CountersignError } from '../base/errors.ts'
import { canonicalJson } from '../base/json/canonical.ts'
import { personOf, type Route, route } from '../server/http/route.ts'
import type { Caller } from '../server/identity/caller.ts'
import type { Services } from '../server/services.ts'
import type { Draft, Published, Studio, Version } from '../studio/studio.ts'
import { specRisk } from '../studio/tools/tool-spec.ts'
import { STUDIO } from './studio-rules.ts'

/** The studio over HTTP, for authors and admins. */
export function studioRoutes(studio: Studio, { gate, store }: Services): readonly Route[] {
  const { kept, secrets } = studio
  const by = (caller: Caller): PersonId => personOf(caller).person

  async function found(name: string): Promise<Draft> {
    const draft = await kept.draft(name)
    if (draft) return draft
    throw new CountersignError(
      'not_found',
      `there is no tool ${JSON.stringify(name)} in the studio`,
    )
  }

  async function shown(draft: Draft): Promise<StudioTool> {
    const { name, spec, revision, at } = draft
    const [state, known] = await Promise.all([stateOf(draft), secrets.list(name)])
    return { name, spec, revision, at, ...state, secrets: known }
  }

  async function stateOf({ name, spec }: Draft) {
    const published: Published | undefined = await kept.publishedTool(name)
    const { live, latest } = published ?? {}
    const version: Version | undefined =
      live === undefined ? undefined : await kept.version(name, live)
    const { hitl } = version?.spec ?? spec
    const { risk: computed, why } = computedRisk(spec.capabilities)
    const risk = specRisk(spec)
    return {
      risk,
      why: risk === computed ? why : 'its author says so',
      asks: hitl.mode === 'REQUIRED',
      ...(live === undefined ? {} : { live }),
      ...(latest === undefined ? {} : { latest }),
      changed: !version || canonicalJson(version.spec) !== canonicalJson(spec),
    }
  }

  /** A yes to the version before is no yes to this one. A claim would find out; people should, too. */
  async function invalidate(tool: string): Promise<void> {
    const filter = { status: ['pending', 'approved'], server: STUDIO, tool } as const
    let after: string | undefined
    do {
      const page = await store.list(filter, after === undefined ? {} : { after })
      for (const { id } of page.approvals) {
        await gate.approvals.invalidate(id, { reason: 'tool' }).catch(() => {})
      }
      after = page.next
    } while (after !== undefined)
  }

  return [
    route('GET /v1/studio/tools', async ({ reply }) => {
      const drafts = await kept.drafts()
      const tools = await Promise.all(
        drafts.map(async (draft): Promise<StudioRow> => {
          const { name, at, spec } = draft
          return { name, description: spec.description, ...(await stateOf(draft)), at }
        }),
      )
      return reply(200, { tools })
    }),
    route('GET /v1/studio/tools/:name', async ({ params, reply }) =>
      reply(200, await shown(await found(params.name))),
    ),
    route('PUT /v1/studio/tools/:name', async ({ caller, params, body, reply }) => {
      const { spec, revision = 'absent' } = body
      return reply(
        200,
        await shown(await studio.saveDraft(params.name, spec, by(caller), revision)),
      )
    }),
    route('DELETE /v1/studio/tools/:name', async ({ caller, params: { name }, reply }) => {
      await found(name)
      await studio.unpublish(name, by(caller))
      await invalidate(name)
      await studio.forget(name, by(caller))
      return reply(204)
    }),
    route('POST /v1/studio/tools/:name/run', async ({ c, caller, params, body, reply }) => {
      const { spec, args } = body
      const who = { by: by(caller), signal: c.req.raw.signal }
      return reply(200, await studio.runDraft(params.name, spec, args, who))
    }),
    route('POST /v1/studio/tools/:name/publish', async ({ caller, params, body, reply }) => {
      const done = await studio.publish(params.name, by(caller), body)
      if (done.version !== undefined) await invalidate(params.name)
      return reply(200, done)
    }),
    route('POST /v1/studio/tools/:name/unpublish', async ({ caller, params, reply }) => {
      await studio.unpublish(params.name, by(caller))
      await invalidate(params.name)
      return reply(204)
    }),
    route('GET /v1/studio/tools/:name/versions/:version', async ({ params, reply }) => {
      const version = await kept.version(params.name, Number(params.version))
      if (!version) throw new CountersignError('not_found', 'there is no such version')
      const { name: _, ...rest } = version
      return reply(200, rest)
    }),
    route('PUT /v1/studio/tools/:name/secrets/:secret', async ({ caller, params, body, reply }) => {
      const { spec, revision } = await found(params.name)
      // Another author may have named another host since: the value is for those that were shown.
      if (revision !== body.revision) {
        throw new CountersignError('call_changed', 'this draft was changed meanwhile', {
          hint: 'Load it again and look at its hosts.',
        })
      }
      const { net } = spec.capabilities
      await secrets.set(params.name, params.secret, body.value, net, by(caller))
      return reply(204)
    }),
    route('DELETE /v1/studio/tools/:name/secrets/:secret', async ({ caller, params, reply }) => {
      await secrets.remove(params.name, params.secret, by(caller))
      return reply(204)
    }),
  ]
}
