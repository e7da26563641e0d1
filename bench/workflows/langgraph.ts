/** LangGraph with its Postgres checkpointer: a node that interrupts, resumed by a command. */
import { createRequire } from 'node:module'
import {
  Annotation,
  type BaseCheckpointSaver,
  Command,
  END,
  getConfig,
  interrupt,
  START,
  StateGraph,
} from '@langchain/langgraph'
import { settleThread } from '../../src/adapters/langchain/settle-thread.ts'
import { openPostgres } from '../../src/store/postgres/open-store.ts'
import { requireApproval, wakeUps } from '../../src/workflows/langgraph/index.ts'
import { ARGS, type Cycles } from '../cycle/contestant.ts'
import { askingGate, RESULT, requestOf, wakes } from './asking-gate.ts'
import { plainTable } from './plain-table.ts'

const { woken, take } = wakes()

interface Saver extends BaseCheckpointSaver {
  setup(): Promise<void>
}

interface Savers {
  readonly PostgresSaver: { fromConnString(url: string): Saver }
}

async function saverOn(url: string): Promise<Saver> {
  const peers = createRequire(new URL('../peers/package.json', import.meta.url))
  const file = peers.resolve('@langchain/langgraph-checkpoint-postgres')
  const { PostgresSaver } = (await import(file)) as Savers
  const saver = PostgresSaver.fromConnString(url)
  await saver.setup()
  return saver
}

const State = Annotation.Root({ args: Annotation<typeof ARGS>(), result: Annotation<unknown>() })

async function graphOn(url: string, wait: (id: string) => Promise<void>) {
  return new StateGraph(State)
    .addNode('transfer', async () => {
      const id = String(getConfig()?.configurable?.thread_id)
      await wait(id)
      woken(id)
      return { result: RESULT }
    })
    .addEdge(START, 'transfer')
    .addEdge('transfer', END)
    .compile({ checkpointer: await saverOn(url) })
}

const configOf = (id: string) => ({
  configurable: { thread_id: id },
  durability: 'sync' as const,
})

export async function own(url: string): Promise<Cycles> {
  const graph = await graphOn(url, async () => {
    if (interrupt({ args: ARGS }) !== true) throw new Error('not approved')
  })
  return {
    async cycle() {
      const id = crypto.randomUUID()
      await graph.invoke({ args: ARGS }, configOf(id))
      const sent = performance.now()
      await graph.invoke(new Command({ resume: true }), configOf(id))
      return take(id, sent)
    },
    async close() {},
  }
}

export async function plain(url: string): Promise<Cycles> {
  const table = await plainTable(url)
  const graph = await graphOn(url, async (id) => {
    // Runs again when the node is resumed, and changes nothing then.
    await table.ask(id)
    interrupt({ args: ARGS })
    await table.take(id)
  })
  return {
    async cycle() {
      const id = crypto.randomUUID()
      await graph.invoke({ args: ARGS }, configOf(id))
      const sent = performance.now()
      await table.decide(id)
      await graph.invoke(new Command({ resume: true }), configOf(id))
      return take(id, sent)
    },
    close: () => table.close(),
  }
}

export async function countersign(url: string): Promise<Cycles> {
  const waiting = new Map<string, () => void>()
  const channel = wakeUps((thread) => waiting.get(thread)?.())
  const { gate, asked, approve, close } = askingGate(await openPostgres(url), [channel])
  const graph = await graphOn(url, async (id) => {
    await requireApproval(gate, requestOf(id))
  })
  return {
    async cycle() {
      const id = crypto.randomUUID()
      const question = asked(id)
      const told = new Promise<void>((resolve) => waiting.set(id, resolve))
      await graph.invoke({ args: ARGS }, configOf(id))
      const stored = await question
      const sent = performance.now()
      await approve(stored)
      await told
      waiting.delete(id)
      const { command } = await settleThread(graph, configOf(id))
      const { result } = await graph.invoke(command, configOf(id))
      if (!result) throw new Error('it still waits')
      return take(id, sent)
    },
    close,
  }
}
