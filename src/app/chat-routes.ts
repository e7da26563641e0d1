import { CHATTERS } from '../api/routes/chat.ts'
import { lockOnPerson } from '../approval/locks/lock.ts'
import type { Person } from '../approval/people/person.ts'
import { CountersignError } from '../base/errors.ts'
import { ownerOf } from '../chat/conversation.ts'
import { createConversations, type KeptConversation } from '../chat/conversations.ts'
import type { Seat } from '../chat/room.ts'
import type { Gate } from '../gate/gate.ts'
import { personOf, type Route, route } from '../server/http/route.ts'
import type { Caller } from '../server/identity/caller.ts'
import { errorFields } from '../server/log.ts'
import type { Services } from '../server/services.ts'
import type { Store } from '../store/store.ts'
import type { KeyFolder } from '../store/vault.ts'
import { listTools, sampleTools } from './chat-tools.ts'
import type { ChatUpstreams, OpenTools } from './chat-upstreams.ts'
import { modelServerRoutes } from './model-server-routes.ts'
import { words } from './space-separated.ts'

/** The name that rules and people see. */
const CHAT = 'chat'
/** The name its questions are owned by. No token can have it, so no agent is taken for the chat. */
const OWNER = 'countersign/chat'
/** The person sits in front of the dialog: no answer in two minutes is a no. */
const CONFIRM_MS = 120_000

const INSTRUCTIONS =
  'You help the person in front of you and may call the tools you are given. Calls may need the approval of a person. When a call was denied, withdrawn or not answered, it did not run: say so, and do not call it again for this request.'

const NO_TOOLS: OpenTools = { tools: {}, problems: [] }

/** The chat of the inbox: a conversation loop on the server, with every tool behind the gate. */
export function chatRoutes(
  services: Services,
  upstreams: ChatUpstreams | undefined,
  keys: KeyFolder | undefined,
): readonly Route[] {
  const { gate, store, credentials, stopping, log, demo } = services
  const conversations = createConversations(store)
  let opening: ReturnType<typeof open> | undefined

  /** The AI SDK is loaded with the first message: a server that chats with no one needs none of it. */
  async function open() {
    const [{ createRoom }, { createModels }, { modelFailure }, { createUIMessageStreamResponse }] =
      await loaded()
    const failed = (error: unknown) => {
      log.write('warn', 'chat', errorFields(error))
      return modelFailure(error)
    }
    const parts = { store, conversations, instructions: INSTRUCTIONS, stopping, failed }
    const env = globalThis.process?.env ?? {}
    const kept = keys && (await openKept(store, keys, words(env.COUNTERSIGN_CHAT_ALLOW)))
    return {
      room: createRoom(parts),
      kept,
      models: createModels(env, { kept }),
      respond: createUIMessageStreamResponse,
    }
  }

  function opened() {
    opening ??= open().catch((error: unknown) => {
      opening = undefined
      throw error
    })
    return opening
  }

  async function mayChat(person: Person): Promise<boolean> {
    const account = await credentials.accounts.get(person)
    const lock = lockOnPerson(await gate.admin.locks.list(), person, await store.now())
    const chatters: readonly string[] = CHATTERS
    const isRight = account?.roles.some((role) => chatters.includes(role)) === true
    return isRight && !account?.locked && !lock
  }

  async function toolsOf(owner: string, own: Gate, run: string): Promise<OpenTools> {
    const samples = demo ? await sampleTools(own, run) : {}
    const { tools, problems } = (await upstreams?.open(owner, own, run)) ?? NO_TOOLS
    // A server that calls its tool like one of ours does not take its place.
    return { tools: { ...tools, ...samples }, problems }
  }

  function openFor(person: Person, run: string) {
    const { issuer, subject } = person
    const own = gate.with({
      door: CHAT,
      agent: { alias: CHAT, id: OWNER },
      principal: { issuer, subject },
      run,
      confirmWithin: CONFIRM_MS,
      isValid: () => mayChat(person),
    })
    let opened: Promise<OpenTools> | undefined
    const open = () => {
      opened ??= toolsOf(ownerOf(person), own, run)
      return opened
    }
    return { gate: own, open, tools: async () => (await open()).tools }
  }

  function seatOf(caller: Caller): Seat {
    const { person } = personOf(caller)
    return {
      owner: ownerOf(person),
      agent: OWNER,
      isThere: () => mayChat(person),
      at: (run) => openFor(person, run),
    }
  }

  /**
   * The answer holds the request until it is over: a signal keeps nothing alive that it follows, and a
   * request that is collected meanwhile would never tell that its page is gone.
   */
  async function stream(
    request: Request,
    begin: (signal: AbortSignal) => Promise<ReadableStream>,
  ): Promise<Response> {
    const left = new AbortController()
    const leave = () => left.abort()
    if (request.signal.aborted) leave()
    else request.signal.addEventListener('abort', leave, { once: true })
    const { respond } = await opened()
    const said = await begin(left.signal)
    const cancelled = () => {
      request.signal.removeEventListener('abort', leave)
      leave()
    }
    return respond({ stream: untilCancelled(said, cancelled), keepAliveMs: 10_000 })
  }

  return [
    ...modelServerRoutes(opened),
    route('GET /v1/chat', async ({ caller, reply }) => {
      const { models } = await opened()
      const owner = ownerOf(personOf(caller).person)
      return reply(200, {
        models: await models.list(),
        problems: [...(await models.problems())],
        conversations: await conversations.list(owner),
      })
    }),
    route('GET /v1/chat/tools', async ({ caller, reply }) => {
      await opened()
      const { tools, problems } = await openFor(personOf(caller).person, 'chat-tools').open()
      const listed = await listTools(tools, await services.policyNow(), CHAT)
      return reply(200, { tools: listed, problems })
    }),
    route('POST /v1/chat/conversations', async ({ caller, body, reply }) => {
      const { models } = await opened()
      const [first] = await models.list()
      const model = body.model ?? first?.id ?? ''
      const owner = ownerOf(personOf(caller).person)
      const made = await conversations.create(owner, { title: 'New conversation', model })
      return reply(201, viewOf({ ...made, state: 'idle' }))
    }),
    route('GET /v1/chat/conversations/:id', async ({ caller, params: { id }, reply }) => {
      const { room } = await opened()
      await room.known(ownerOf(personOf(caller).person), id)
      return reply(200, viewOf(await room.view(seatOf(caller), id)))
    }),
    route('DELETE /v1/chat/conversations/:id', async ({ caller, params: { id }, reply }) => {
      const { room } = await opened()
      await room.remove(seatOf(caller), id)
      return reply(204)
    }),
    route('POST /v1/chat/conversations/:id/messages', async ({ c, caller, params, body, raw }) => {
      const { room, models } = await opened()
      const { id } = params
      const owner = ownerOf(personOf(caller).person)
      const { model } = await room.known(owner, id)
      const chosen = body.model ?? model
      const seat = seatOf(caller)
      const from = { id: chosen, open: () => models.open(chosen) }
      return raw(await stream(c.req.raw, (gone) => room.say(seat, id, body, from, gone)))
    }),
    route('POST /v1/chat/conversations/:id/continue', async ({ c, caller, params, raw }) => {
      const { room, models } = await opened()
      const { id } = params
      await room.known(ownerOf(personOf(caller).person), id)
      const seat = seatOf(caller)
      return raw(await stream(c.req.raw, (gone) => room.goOn(seat, id, models.open, gone)))
    }),
    route('POST /v1/chat/conversations/:id/stop', async ({ caller, params: { id }, reply }) => {
      const { room } = await opened()
      await room.stop(ownerOf(personOf(caller).person), id)
      return reply(204)
    }),
  ]
}

async function loaded() {
  try {
    return await Promise.all([
      import('../chat/room.ts'),
      import('../chat/models.ts'),
      import('../chat/model-failure.ts'),
      import('ai'),
    ])
  } catch (cause) {
    throw new CountersignError('peer_missing', 'the chat needs the package ai', {
      hint: 'Install it beside countersign: npm i ai',
      cause,
    })
  }
}

async function openKept(store: Store, keys: KeyFolder, allowHosts: readonly string[]) {
  const [{ createKeptServers }, { createSecretBox }] = await Promise.all([
    import('../chat/kept-servers.ts'),
    import('../store/secret-box.ts'),
  ])
  return createKeptServers({ store, box: createSecretBox(keys, 'chat model keys'), allowHosts })
}

type View = KeptConversation & { readonly state: 'idle' | 'running' | 'waiting' }

function viewOf({ id, title, model, at, state, messages }: View) {
  return { id, title, model, at, state, messages }
}

/** Not every host says that the reader went away; one that cancels the body does. */
function untilCancelled<T>(stream: ReadableStream<T>, left: () => void): ReadableStream<T> {
  const reader = stream.getReader()
  return new ReadableStream<T>({
    async pull(controller) {
      const { done, value } = await reader.read()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      left()
      // The loop still has to write down how it ended, so it is read to its end.
      while (!(await reader.read()).done);
    },
  })
}
