/** LangGraph with its Postgres checkpointer: a node that interrupts, resumed by a command. */
import { Annotation, Command, END, interrupt, START, StateGraph } from '@langchain/langgraph'
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres'
import pg from 'pg'
import { ARGS, RESULT } from './args.mjs'

export async function open(url) {
  const pool = new pg.Pool({ connectionString: url, max: 32 })
  const checkpointer = new PostgresSaver(pool)
  await checkpointer.setup()
  const woken = new Map()
  const State = Annotation.Root({ args: Annotation(), result: Annotation() })
  const graph = new StateGraph(State)
    .addNode('transfer', ({ args }, { configurable }) => {
      if (interrupt({ args }) !== true) throw new Error('not approved')
      woken.get(configurable.thread_id)?.()
      return { result: RESULT }
    })
    .addEdge(START, 'transfer')
    .addEdge('transfer', END)
    .compile({ checkpointer })
  return {
    async cycle() {
      const thread_id = crypto.randomUUID()
      let at = Number.NaN
      woken.set(thread_id, () => {
        at = performance.now()
      })
      const config = { configurable: { thread_id }, durability: 'sync' }
      await graph.invoke({ args: ARGS }, config)
      const sent = performance.now()
      await graph.invoke(new Command({ resume: true }), config)
      woken.delete(thread_id)
      return { wake: at - sent }
    },
    close: () => pool.end(),
  }
}
