import type { PriorArt } from './threat.ts'

const MATRIX =
  'whatever the route, the method, the sender and the state, no caller gets further than the table says'
const ASKED_ONCE =
  'people are asked once on the way through two gates, whatever callers call themselves'

/** Approval bugs of agent frameworks. */
export const FRAMEWORK_BUGS: PriorArt = {
  '1': {
    source: 'vercel/ai #15947, #16068',
    threat: 'A client forges question and answer in the message history, and the tool runs.',
    tests: {
      'test/approval/prior-art-bugs.test.ts': ['bug 1, 26: a decision in another shape'],
      'src/testing/hostile-adapter-cases.ts': [
        'a forged approval of a call that was never asked about runs nothing',
      ],
    },
  },
  '2': {
    source: 'vercel/ai #17493',
    threat: 'A signature over fields joined by line breaks also fits other fields.',
    tests: {
      'test/approval/prior-art-bugs.test.ts': ['bug 2: a name with a line break in it'],
      'src/base/json/digest.test.ts': ['names full of separators never make two calls look alike'],
    },
  },
  '3': {
    source: 'n8n CVE-2026-110841',
    threat: 'Any member of a project approves the pending call of another by its id.',
    tests: {
      'test/approval/prior-art-bugs.test.ts': [
        'bug 3, 33: knowing the id is not enough to approve',
      ],
      'test/server/matrix.test.ts': [MATRIX],
    },
  },
  '4': {
    source: 'mastra #20470',
    threat: 'Declining a call executes it, because the policy was lost on resume.',
    tests: {
      'test/gate/prior-art-bugs.test.ts': [
        'bug 4: a declined call does not run when its policy is gone',
      ],
      'test/approval/prior-art-bugs.test.ts': ['bug 4: a denied call is never claimed'],
    },
  },
  '5': {
    source: 'mastra #19633',
    threat: 'Approving ignores the id of the call, so a stale click approves the newer one.',
    tests: {
      'test/gate/prior-art-bugs.test.ts': [
        'bug 5: a stale click does not approve the newer call: %s',
      ],
      'test/approval/prior-art-bugs.test.ts': ['bug 5: a click meant for the call shown before'],
    },
  },
  '6': {
    source: 'mastra #21195',
    threat: 'The model is told to set a flag that approves the call.',
    tests: {
      'test/gate/model-words.test.ts': ['nothing in a call approves it'],
      'test/gate/outcomes.test.ts': ['every sentence is whole and invites nothing'],
    },
  },
  '18': {
    source: 'inspect_ai #4944, #5428',
    threat: 'The gate stands where the model answers, and the tools can be reached past it.',
    tests: {
      'test/mcp/gate-server.test.ts': [
        'one line puts a gate before the tools of a server of your own, with either SDK',
        ASKED_ONCE,
      ],
      'test/threats/documented-limits.test.ts': [
        'B6-12, B7-17: a gate in the agent’s process can be walked around',
      ],
    },
    partly:
      'A gate at the tool itself holds; code that keeps the bare function is a documented limit.',
  },
  '19': {
    source: 'inspect_ai #5463',
    threat: 'A tool that calls other tools is not matched by the rule for the real one.',
    tests: {
      'test/threats/policy.test.ts': [
        'B6-08: a dispatcher of a server asks, whatever it is told to call',
        'B6-08: a rule reads the target of a dispatcher, and asks where it cannot',
      ],
    },
    partly: 'Rules must name the dispatcher; one for the real tool does not see it.',
  },
  '20': {
    source: 'inspect_ai #5132, pydantic-ai #6968',
    threat: 'The tool or a hook rewrites the arguments after the approver saw them.',
    tests: {
      'test/gate/prior-art-bugs.test.ts': [
        'bug 20: people see the arguments as the tool gets them',
      ],
      'test/adapters/claude-agent-sdk.test.ts': [
        'another hook that changes arguments is refused; everything else of it counts',
      ],
      'test/cli/coding-agents/hooks.test.ts': [
        'a change that Cursor would ignore blocks the call, and the model reads what was approved',
      ],
    },
  },
  '21': {
    source: 'inspect_ai #5458',
    threat: 'The gate refuses names that SDKs really use, and people switch it off.',
    tests: {
      'test/gate/identity.test.ts': [
        'a key of any length names its call: SDKs put signatures into call ids',
      ],
      'test/gate/bytes.test.ts': ['a tool called %s is a tool like any other'],
      'test/mcp/everything.test.ts': ['other servers that people use work behind us'],
    },
  },
  '22': {
    source: 'Atmosphere 40d616b6, 56b1046f',
    threat:
      'A mode that denies everything is answered by an auto-approver, and edits skip the checks.',
    tests: {
      'test/gate/prior-art-bugs.test.ts': ['bug 22: denyAll is never answered by an auto-approver'],
      'test/approval/prior-art-bugs.test.ts': ['bug 22: edited arguments are judged by the policy'],
    },
  },
  '23': {
    source: 'spring-ai-playground, McpServerHitlToolGate',
    threat:
      'A client skips the question by its name, and the question is put together by replacing text.',
    tests: {
      'test/mcp/gate-server.test.ts': [ASKED_ONCE],
      'src/policy/evaluate/template.test.ts': [
        'what an argument holds is never read as a template',
      ],
    },
  },
  '24': {
    source: 'Cloudflare Agents, approveMulti example',
    threat: 'One user counts twice, extra votes run the call again, and a rejection is ignored.',
    tests: {
      'test/gate/prior-art-bugs.test.ts': ['bug 24: one person counts once, a no ends it'],
      'test/approval/prior-art-bugs.test.ts': [
        'bug 24: the same person counts once',
        'bug 24: a vote beyond the quorum runs nothing again',
        'bug 24: a rejection counts',
      ],
    },
  },
  '25': {
    source: 'Agent Format, approval section',
    threat: 'A missing argument skips the question, and silence may mean yes.',
    tests: {
      'test/approval/prior-art-bugs.test.ts': [
        'bug 24, 25: an unanswered question never becomes a yes',
      ],
      'test/promises/agent-format-conditions.test.ts': ['a missing argument asks a person'],
      'test/promises/agent-format-questions.test.ts': [
        'a variable without a value is empty and listed as missing',
      ],
    },
  },
  '26': {
    source: 'adk-rs, tool confirmation',
    threat: 'A decision arrives as user content, in several loose shapes.',
    tests: {
      'test/approval/prior-art-bugs.test.ts': ['bug 1, 26: a decision in another shape'],
      'test/adapters/google-adk.test.ts': ['an answer in the session does not count'],
    },
  },
}
