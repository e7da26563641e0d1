import type { Saboteur } from './saboteur.ts'

const WORKFLOW = { tests: ['test/adapters/workflow-agent.test.ts'] } as const

export const AI_SDK_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'AI SDK: sub-agents of one chat share its run',
    file: 'src/adapters/ai-sdk/subagent.ts',
    before: "digestOf('subagent', [run, toolCallId])",
    after: "digestOf('subagent', [run])",
    caughtBy: { tests: ['test/adapters/ai-sdk-subagents.test.ts'] },
  },
  {
    name: 'WorkflowAgent: a tool that the step does not guard runs',
    file: 'src/adapters/ai-sdk/workflow/answer-step.ts',
    before: 'if (!tool || !guarded) {',
    after: 'if (!tool) {',
    caughtBy: WORKFLOW,
  },
  {
    name: 'WorkflowAgent: a step that answers something else lets the call run',
    file: 'src/adapters/ai-sdk/workflow/step-tools.ts',
    before: "if (reply.is !== 'pause') throw unexpected(reply)",
    after: "if (reply.is !== 'pause') return false",
    caughtBy: WORKFLOW,
  },
  {
    name: 'AI SDK: a question of the SDK alone is answered with a yes',
    file: 'src/adapters/ai-sdk/resume-turn.ts',
    before: 'if (!answer?.approved) return ownAnswer(request)',
    after: 'if (!answer?.approved) return yesTo(approvalId)',
    caughtBy: {
      tests: [
        'test/adapters/ai-sdk-approval.test.ts',
        'test/adapters/ai-sdk-approval-attacks.test.ts',
      ],
    },
  },
  {
    name: 'AI SDK: looking at a chat asks people, whose yes then stands for the chat’s',
    file: 'src/adapters/ai-sdk/guarded-tool.ts',
    before: 'return tool.gate[internals].asked(',
    after: 'return tool.gate.check(',
    caughtBy: {
      tests: [
        'test/adapters/ai-sdk-approval.test.ts',
        'test/adapters/ai-sdk-approval-attacks.test.ts',
      ],
    },
  },
  {
    name: 'AI SDK: a no in the chat is overruled by a yes elsewhere',
    file: 'src/adapters/ai-sdk/resume-turn.ts',
    before: 'if (answer?.approved === false) return answer',
    after: '',
    caughtBy: {
      tests: [
        'test/adapters/ai-sdk-approval.test.ts',
        'test/adapters/ai-sdk-approval-attacks.test.ts',
      ],
    },
  },
  {
    name: 'AI SDK: needsApproval is asked without the history',
    file: 'src/adapters/ai-sdk/guarded-tool.ts',
    before: 'const options = { toolCallId, messages, context: context as never }',
    after:
      'const options = { toolCallId, messages: messages.slice(0, 0), context: context as never }',
    caughtBy: { tests: ['test/adapters/ai-sdk-declared.test.ts'] },
  },
  {
    name: 'AI SDK: needsApproval is not asked where the call would run',
    file: 'src/adapters/ai-sdk/guard-tools.ts',
    before: 'const declared = await declaredFor(own, input, options as Given)',
    after: 'const declared = false ? await declaredFor(own, input, options as Given) : undefined',
    caughtBy: { tests: ['test/adapters/ai-sdk-declared.test.ts'] },
  },
  {
    name: 'AI SDK: tools guarded again stay bound to the first chat',
    file: 'src/adapters/ai-sdk/guard-tools.ts',
    before: 'const own = before?.tool ?? (tool as Tool)',
    after: 'if (before) return [name, tool] as const; const own = tool as Tool',
    caughtBy: { tests: ['test/adapters/ai-sdk-rebind.test.ts'] },
  },
  {
    name: 'AI SDK: tools guarded again lose their server',
    file: 'src/adapters/ai-sdk/guard-tools.ts',
    before: 'const server = asking.server ?? before?.asking.server',
    after: 'const server = before ? asking.server : asking.server',
    caughtBy: { tests: ['test/adapters/ai-sdk-mcp.test.ts'] },
  },
  {
    name: 'AI SDK: needsApproval is asked without its tool',
    file: 'src/adapters/ai-sdk/guarded-tool.ts',
    before: 'needsApproval.call(tool, input as never, options)',
    after: 'needsApproval(input as never, options)',
    caughtBy: { tests: ['test/adapters/ai-sdk-declared.test.ts'] },
  },
  {
    name: 'AI SDK: the server of a tool is forgotten',
    file: 'src/adapters/ai-sdk/guarded-tool.ts',
    before: '...(server === undefined ? {} : { server }),',
    after: '...(server === undefined ? {} : {}),',
    caughtBy: { tests: ['test/adapters/ai-sdk-mcp.test.ts'] },
  },
  {
    name: 'AI SDK: an answer in the chat counts for whatever the question is now',
    file: 'src/adapters/ai-sdk/resume-turn.ts',
    before: 'const digest = seen ? shownIn(seen, toolCallId) : askedDigestOf(now)',
    after: 'const digest = (await approvals.get(id))?.approval.digest',
    caughtBy: { tests: ['test/adapters/ai-sdk.test.ts', 'test/adapters/ai-sdk-page.test.ts'] },
  },
  {
    name: 'AI SDK: a refusal is given as the tool’s output',
    file: 'src/adapters/ai-sdk/guard-tools.ts',
    before: 'default:\n      throw new CallBlocked(outcome)',
    after: 'default:\n      return outcome.modelMessage',
    caughtBy: { tests: ['test/adapters/ai-sdk-output.test.ts'] },
  },
  {
    name: 'AI SDK: pages and stored chats are not told how questions were answered',
    file: 'src/adapters/ai-sdk/answers.ts',
    before: 'if (!isTold) for (const answer of answers)',
    after: 'if (isTold) for (const answer of answers)',
    caughtBy: { tests: ['test/adapters/ai-sdk-chat.test.ts'] },
  },
  {
    name: 'AI SDK: the model is not told that a person changed the call',
    file: 'src/adapters/ai-sdk/guard-tools.ts',
    before: 'if (modelMessage !== undefined) notes.add(toolCallId, modelMessage)',
    after: '',
    caughtBy: { tests: ['test/adapters/ai-sdk-output.test.ts'] },
  },
  {
    name: 'AI SDK: an edit that does not fit is written down as a failure of the tool',
    file: 'src/adapters/ai-sdk/tool-words.ts',
    before: 'throw new NotStarted(',
    after: 'throw new Error(',
    caughtBy: { tests: ['test/adapters/ai-sdk-output.test.ts'] },
  },
  {
    name: 'AI SDK: steps before a pause are not counted',
    file: 'src/adapters/ai-sdk/turn-steps.ts',
    before: 'before + steps.length >= count',
    after: 'steps.length >= Math.max(count, before * 0)',
    caughtBy: { tests: ['test/adapters/ai-sdk.test.ts', 'test/adapters/ai-sdk-page.test.ts'] },
  },
  {
    name: 'AI SDK: an old yes answers the application under a repeated id',
    file: 'src/adapters/ai-sdk/resume-turn.ts',
    before: 'isRepeated && !answer',
    after: 'isRepeated && answer',
    caughtBy: {
      tests: [
        'test/adapters/ai-sdk-approval.test.ts',
        'test/adapters/ai-sdk-approval-attacks.test.ts',
      ],
    },
  },
  {
    name: 'AI SDK: a call that a page ended is waited for all the same',
    file: 'src/adapters/ai-sdk/open-requests.ts',
    before: '.filter(({ isDone }) => !isDone)',
    after: '.filter(({ isDone }) => !isDone || isDone)',
    caughtBy: { tests: ['test/adapters/ai-sdk.test.ts', 'test/adapters/ai-sdk-page.test.ts'] },
  },
  {
    name: 'AI SDK: an answer counts whatever the card showed',
    file: 'src/adapters/ai-sdk/resume-turn.ts',
    before: 'const digest = seen ? shownIn(seen, toolCallId) : askedDigestOf(now)',
    after:
      'const digest = seen ? (shownIn(seen, toolCallId) ?? askedDigestOf(now)) && askedDigestOf(now) : askedDigestOf(now)',
    caughtBy: {
      tests: [
        'test/adapters/ai-sdk.test.ts',
        'test/adapters/ai-sdk-page.test.ts',
        'test/adapters/chat-card.test.ts',
      ],
    },
  },
]
