import { CountersignError } from '../base/errors.ts'
import type { KeptServers } from '../chat/kept-servers.ts'
import type { ChatModels } from '../chat/models.ts'
import { personOf, type Route, route } from '../server/http/route.ts'

interface Opened {
  readonly kept: KeptServers | undefined
  readonly models: ChatModels
}

/** Servers of models that admins enter in the inbox. */
export function modelServerRoutes(opened: () => Promise<Opened>): readonly Route[] {
  return [
    route('GET /v1/chat/model-servers', async ({ reply }) => {
      const { kept, models } = await opened()
      const servers = (await kept?.list()) ?? []
      return reply(200, { servers, problems: [...(await models.problems())] })
    }),
    route('PUT /v1/chat/model-servers/:name', async ({ caller, params, body, reply }) => {
      const { kept, models } = await opened()
      if (!kept) throw noKeys()
      await kept.set(params.name, body, personOf(caller).person)
      models.forget()
      return reply(204)
    }),
    route('DELETE /v1/chat/model-servers/:name', async ({ caller, params, reply }) => {
      const { kept, models } = await opened()
      if (!kept) throw noKeys()
      await kept.remove(params.name, personOf(caller).person)
      models.forget()
      return reply(204)
    }),
  ]
}

function noKeys(): CountersignError {
  return new CountersignError('usage', 'this server has no key to seal the keys of models with', {
    hint: 'Start it with keys: keyFolder(path). `countersign start` does.',
  })
}
