/**
 * A LangGraph graph with a ToolNode. Two payments in one message: LangGraph runs the whole node
 * again after each pause, and the gate sees to it that nobody is paid twice. Offline with scripted
 * answers; with OPENAI_API_KEY from the model in MODEL.
 */
import assert from 'node:assert/strict'
import { AIMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { END, MemorySaver, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { ToolNode } from '@langchain/langgraph/prebuilt'
import { ChatOpenAI } from '@langchain/openai'
import { createGate, parsePolicy } from 'countersign'
import { guardTools, settleThread } from 'countersign/langgraph'
import { memoryStore } from 'countersign/memory'
import { z } from 'zod'

const gate = createGate({
  policy: parsePolicy({
    owner: { file: 'countersign.yaml', text: 'version: 1\ntools: { pay: { approval: true } }\n' },
  }),
  store: memoryStore(),
  agent: 'biller',
})

const paid: string[] = []
const pay = tool(
  async ({ to }) => {
    paid.push(to)
    return `paid ${to}`
  },
  { name: 'pay', description: 'Pays somebody.', schema: z.object({ to: z.string() }) },
)

const calls = ['Lena', 'Omar'].map((to) => ({ id: `pay-${to}`, name: 'pay', args: { to } }))
const answers = [new AIMessage({ content: '', tool_calls: calls }), new AIMessage('Both are paid.')]

const isReal = process.env.OPENAI_API_KEY !== undefined
const model =
  isReal && new ChatOpenAI({ model: process.env.MODEL ?? 'gpt-5-mini' }).bindTools([pay])

const graph = new StateGraph(MessagesAnnotation)
  .addNode('model', async ({ messages }) => ({
    messages: model ? [await model.invoke(messages)] : answers.splice(0, 1),
  }))
  .addNode('tools', new ToolNode(guardTools(gate, [pay])))
  .addEdge(START, 'model')
  .addConditionalEdges('model', ({ messages }) =>
    (messages.at(-1) as AIMessage).tool_calls?.length ? 'tools' : END,
  )
  .addEdge('tools', 'model')
  .compile({ checkpointer: new MemorySaver() })

const thread = { configurable: { thread_id: 'thread-1' } }
await graph.invoke({ messages: ['Pay Lena and Omar: call the pay tool for both at once.'] }, thread)

// One after the other, and the thread is woken up after each.
for (const { id, digest } of (await gate.approvals.list({ status: ['pending'] })).approvals) {
  await gate.approvals.decide(id, {
    by: {
      issuer: 'example',
      subject: 'ana',
      groups: [],
      roles: ['approver'],
      assurance: 'signed-in',
    },
    verdict: 'approve',
    seen: digest,
  })
  const { command, config } = await settleThread(graph, thread)
  await graph.invoke(command, config)
  console.log('Paid so far:', paid.join(', '))
}

const { values } = await graph.getState(thread)
assert.deepEqual([...paid].sort(), ['Lena', 'Omar'])
console.log('The node ran three times. The model says:', values.messages.at(-1).text)
