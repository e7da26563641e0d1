/**
 * LangGraph: a node drafts a post, the next one waits for an editor. The first draft is denied with a
 * reason, which goes into the next one; that is approved, with a change by the editor.
 */
import assert from 'node:assert/strict'
import { Annotation, Command, END, MemorySaver, START, StateGraph } from '@langchain/langgraph'
import { createGate, definePolicy } from 'countersign'
import { settleThread } from 'countersign/langgraph'
import { waitForApproval, wakeUps } from 'countersign/langgraph/workflow'
import { memoryStore } from 'countersign/memory'
import { answer } from './people.ts'

const woken: (() => void)[] = []
const gate = createGate({
  policy: definePolicy({ tools: { publish: { approval: { edit: ['text'] } } } }),
  store: memoryStore(),
  agent: 'editorial',
  channels: [wakeUps(() => woken.shift()?.())],
})

const State = Annotation.Root({
  draft: Annotation<string>(),
  remark: Annotation<string | undefined>(),
  published: Annotation<string | undefined>(),
})
const graph = new StateGraph(State)
  .addNode('write', ({ remark }) => ({ draft: remark ? `Q3, audited (${remark})` : 'Q3 results' }))
  .addNode(
    'review',
    async ({ draft }) => {
      const { status, reason, args } = await waitForApproval(gate, {
        name: 'publish',
        title: 'Publish this post?',
        args: { text: draft },
        timeout: '24 hours',
      })
      if (status === 'approved') return { published: String(args.text) }
      return new Command({ goto: 'write', update: { remark: reason ?? status } })
    },
    { ends: ['write'] },
  )
  .addEdge(START, 'write')
  .addEdge('write', 'review')
  .addEdge('review', END)
  .compile({ checkpointer: new MemorySaver() })

const thread = { configurable: { thread_id: 'post-1' }, durability: 'sync' as const }

/** Resolves when the outbox says that the thread has an answer. A queue would do this in production. */
async function decided(work: () => Promise<void>) {
  const told = new Promise<void>((resolve) => woken.push(resolve))
  await work()
  await told
  const { command } = await settleThread(graph, thread)
  return graph.invoke(command, thread)
}

await graph.invoke({ draft: '' }, thread)
await decided(() =>
  answer(gate, 'ana', 'publish', { verdict: 'deny', reason: 'Say that it is audited' }),
)
const { published } = await decided(() =>
  answer(gate, 'bo', 'publish', { verdict: 'approve', args: { text: 'Q3 results, audited' } }),
)

assert.equal(published, 'Q3 results, audited')
await gate.close()
console.log(`Published: ${published}.`)
