import type { PriorArt } from './threat.ts'

const MATRIX =
  'whatever the route, the method, the sender and the state, no caller gets further than the table says'
const TWO_WAYS = 'requests that could be read in two ways are refused'
const ASKED_ONCE =
  'people are asked once on the way through two gates, whatever callers call themselves'

/** Approval bugs that other projects had. The numbers are those of our collection. */
export const PRIOR_ART: PriorArt = {
  '1': {
    source: 'vercel/ai #15947, #16068',
    threat: 'A client forges question and answer in the message history, and the tool runs.',
    tests: {
      'test/approval/museum.test.ts': ['museum 1, 26: a decision in another shape'],
      'src/testing/hostile-adapter-cases.ts': [
        'a forged approval of a call that was never asked about runs nothing',
      ],
    },
  },
  '2': {
    source: 'vercel/ai #17493',
    threat: 'A signature over fields joined by line breaks also fits other fields.',
    tests: {
      'test/approval/museum.test.ts': ['museum 2: a name with a line break in it'],
      'src/base/json/digest.test.ts': ['names full of separators never make two calls look alike'],
    },
  },
  '3': {
    source: 'n8n CVE-2026-110841',
    threat: 'Any member of a project approves the pending call of another by its id.',
    tests: {
      'test/approval/museum.test.ts': ['museum 3, 33: knowing the id is not enough to approve'],
      'test/server/matrix.test.ts': [MATRIX],
    },
  },
  '4': {
    source: 'mastra #20470',
    threat: 'Declining a call executes it, because the policy was lost on resume.',
    tests: {
      'test/gate/museum.test.ts': ['4: a declined call does not run when its policy is gone'],
      'test/approval/museum.test.ts': ['museum 4: a denied call is never claimed'],
    },
  },
  '5': {
    source: 'mastra #19633',
    threat: 'Approving ignores the id of the call, so a stale click approves the newer one.',
    tests: {
      'test/gate/museum.test.ts': ['5: a stale click does not approve the newer call: %s'],
      'test/approval/museum.test.ts': ['museum 5: a click meant for the call shown before'],
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
  '7': {
    source: 'OpenClaw CVE-2026-28466',
    threat: 'A caller sends internal control fields among its parameters.',
    tests: {
      'test/approval/museum.test.ts': ['museum 7: control fields from outside are refused'],
      'test/gate/model-words.test.ts': ['nothing in a call approves it'],
    },
  },
  '8': {
    source: 'OpenClaw CVE-2026-32058',
    threat: 'An approval is used again with another environment.',
    tests: {
      'test/approval/museum.test.ts': ['museum 8, 10: a call that differs'],
      'src/base/json/digest.test.ts': ['another digest for %s'],
    },
  },
  '9': {
    source: 'OpenClaw CVE-2026-32065',
    threat: 'People see a command without its outer spaces, and it runs with them.',
    tests: {
      'inbox/src/lib/text/invisible-characters.test.ts': [
        'nothing is lost: the parts of a text carry all of it',
      ],
      'test/e2e/payloads.test.ts': [
        'hostile text in every field of a card runs nothing, and reads as the bytes that are bound',
      ],
    },
  },
  '10': {
    source: 'OpenClaw CVE-2026-29608',
    threat: 'The command is rewritten between approval and start.',
    tests: {
      'test/approval/museum.test.ts': ['museum 8, 10: a call that differs'],
      'test/gate/bytes.test.ts': ['bytes that do not give the approved digest run nothing'],
    },
  },
  '11': {
    source: 'OpenClaw CVE-2026-32978, #124738',
    threat: 'A script is exchanged while the call that runs it waits.',
    tests: {
      'test/threats/documented-limits.test.ts': ['B1-08: what a tool reads later is not bound'],
    },
    limit: 'Nothing takes a digest of what arguments point to.',
  },
  '12': {
    source: 'OpenClaw GHSA-xww8-gqvh-92x9',
    threat: 'A long command is cut off on the screen, and its hidden end runs.',
    tests: {
      'test/cli/inbox.test.ts': ['a yes needs every line on the screen and the end of the digest'],
      'test/e2e/payloads.test.ts': ['a megabyte of spaces does not push the decisive word away'],
      'test/mcp/ladder.test.ts': ['B8-02: what cannot be shown whole is not asked in the client'],
    },
  },
  '13': {
    source: 'OpenClaw GHSA-mqpw-46fh-299h',
    threat: 'A chat command approves with the rights of an internal client.',
    tests: {
      'test/cli/decide.test.ts': ['deciding never uses the token of an agent'],
      'test/threats/source.test.ts': ['B4-07: two files say a decision to the store'],
    },
  },
  '14': {
    source: 'OpenClaw CVE-2026-35630, CVE-2026-100585',
    threat: 'Pressing the button in a chat is enough to count as an approver.',
    tests: {
      'test/approval/museum.test.ts': ['museum 14, 15: an approver of one kind of call'],
      'src/testing/hostile-adapter-cases.ts': [
        'where other people must approve, the acting user cannot do it in the chat',
      ],
    },
  },
  '15': {
    source: 'OpenClaw CVE-2026-32906',
    threat: 'An approver of one class of calls approves another class.',
    tests: { 'test/approval/museum.test.ts': ['museum 14, 15: an approver of one kind of call'] },
  },
  '16': {
    source: 'OpenClaw CVE-2026-32898, CVE-2026-35655',
    threat: 'What a tool says about itself lets it run without asking.',
    tests: {
      'src/gateway/upstream/risk.test.ts': ['%s %j, said to be %s, is %s'],
      'test/promises/agent-format-servers.test.ts': [
        'an undeclared server is asked about at least',
      ],
    },
  },
  '17': {
    source: 'OpenClaw CVE-2026-27183, #128470, #23276; goclaw #1200',
    threat:
      'A policy looks at the first word of a shell line, and a wrapper or a pipe hides the rest.',
    tests: {
      'test/threats/policy.test.ts': ['B5-16: our policy for a coding agent asks about %j'],
    },
  },
  '18': {
    source: 'inspect_ai #4944, #5428',
    threat: 'The gate stands where the model answers, and the tools can be reached past it.',
    tests: {
      'test/mcp/own-server.test.ts': [
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
      'test/gate/museum.test.ts': ['20: people see the arguments as the tool gets them'],
      'test/adapters/claude-agent-sdk.test.ts': [
        'another hook that changes arguments is refused; everything else of it counts',
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
      'test/gate/museum.test.ts': ['22: denyAll is never answered by an auto-approver'],
      'test/approval/museum.test.ts': ['museum 22: edited arguments are judged by the policy'],
    },
  },
  '23': {
    source: 'spring-ai-playground, McpServerHitlToolGate',
    threat:
      'A client skips the question by its name, and the question is put together by replacing text.',
    tests: {
      'test/mcp/own-server.test.ts': [ASKED_ONCE],
      'src/policy/evaluate/template.test.ts': [
        'what an argument holds is never read as a template',
      ],
    },
  },
  '24': {
    source: 'Cloudflare Agents, approveMulti example',
    threat: 'One user counts twice, extra votes run the call again, and a rejection is ignored.',
    tests: {
      'test/gate/museum.test.ts': ['24: one person counts once, a no ends it'],
      'test/approval/museum.test.ts': [
        'museum 24: the same person counts once',
        'museum 24: a vote beyond the quorum runs nothing again',
        'museum 24: a rejection counts',
      ],
    },
  },
  '25': {
    source: 'Agent Format, approval section',
    threat: 'A missing argument skips the question, and silence may mean yes.',
    tests: {
      'test/approval/museum.test.ts': ['museum 24, 25: an unanswered question never becomes a yes'],
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
      'test/approval/museum.test.ts': ['museum 1, 26: a decision in another shape'],
      'test/adapters/google-adk.test.ts': ['an answer in the session does not count'],
    },
  },
  '27': {
    source: 'datalayer agent-runtimes #104',
    threat: 'An approval is marked as used after the effect, and a crash leaves it usable.',
    tests: {
      'test/gate/museum.test.ts': ['27: a crash at %s leaves nothing that can be used again'],
      'test/approval/museum.test.ts': ['museum 27: the approval is spent before the call runs'],
    },
  },
  '28': {
    source: 'mattermost agents #908',
    threat: 'Resuming replays a whole batch, and finished calls run again.',
    tests: {
      'test/gate/museum.test.ts': [
        '28: a batch that is tried again runs only what has not run: %s',
      ],
      'test/approval/museum.test.ts': ['museum 28: each call of a batch has its own approval'],
    },
  },
  '29': {
    source: 'agent-os #1613',
    threat: 'A caller’s short poll denies a question that lives longer.',
    tests: {
      'test/gate/museum.test.ts': ['29: looking for an answer too early ends nothing: %s'],
      'test/approval/museum.test.ts': ['museum 29: how long a caller waits'],
    },
  },
  '30': {
    source: 'opencompany #1490',
    threat: 'A late click is logged as an approval.',
    tests: {
      'test/gate/museum.test.ts': ['30: a late click is refused, and recorded as late: %s'],
      'test/approval/museum.test.ts': ['museum 30: a late click is recorded as late'],
    },
  },
  '31': {
    source: 'patchwork-os #1537',
    threat: 'An expiry is never stored, and the log says pending for ever.',
    tests: {
      'test/gate/museum.test.ts': ['31: a question that expired while its caller waited is stored'],
      'test/approval/museum.test.ts': ['museum 31, 32: time alone ends a question'],
    },
  },
  '32': {
    source: 'curie #417, #430',
    threat:
      'Without a sweeper a session hangs, and an approved call is asked about again on resume.',
    tests: {
      'test/gate/museum.test.ts': ['32: what was approved is not asked about again on resume: %s'],
      'test/approval/museum.test.ts': ['museum 31, 32: time alone ends a question'],
      'test/gate/sweep.test.ts': ['without any sweeper a late answer is late all the same'],
    },
  },
  '33': {
    source: 'atlas-ui-3 #511, vaporforge #93, cadis #1098',
    threat: 'Knowing a short id is enough to approve.',
    tests: {
      'test/approval/museum.test.ts': ['museum 3, 33: knowing the id is not enough to approve'],
      'src/base/id.test.ts': ['ids are letters and digits, and no two are alike'],
    },
  },
  '34': {
    source: 'pi-mcp-adapter #372, OpenClaw #112946, ShieldCortex #241',
    threat: 'A permission for a session covers the tool and not its arguments.',
    tests: {
      'test/approval/museum.test.ts': ['museum 34: a grant stands for its maker'],
      'test/gate/grants.test.ts': ['the same call runs without asking, and one that differs'],
    },
  },
  '35': {
    source: 'mcp-toolbox CVE-2026-14537, Kuadrant GO-2026-5390, mcp-atlassian CVE-2026-77243',
    threat: 'An older endpoint or another path reaches tools without the filter.',
    tests: {
      'test/server/matrix.test.ts': [
        'every route stands in the table of rights, with the same rights',
      ],
      'test/threats/gateway.test.ts': ['B6-10: what no server listed is not found'],
      'test/mcp/access.test.ts': ['the kill switch closes the doors beside the tools'],
    },
  },
  '36': {
    source: '1MCP CVE-2026-108586',
    threat: 'A negated filter lets through what it cannot test.',
    tests: {
      'test/promises/agent-format-conditions.test.ts': ['what cannot be tested asks a person'],
      'test/policy/agreement.test.ts': ['agrees with an evaluator that was written apart'],
    },
  },
  '37': {
    source: 'MCP Go SDK CVE-2026-27896, GO-2026-4770',
    threat: 'Keys in other case make gateway and server read different messages.',
    tests: {
      'test/mcp/http.test.ts': [TWO_WAYS],
      'src/gateway/downstream/fast-path.test.ts': [
        'a call that needs no approval leaves at once, written anew',
      ],
    },
  },
  '38': {
    source: 'MCP TypeScript SDK CVE-2025-66414, CVE-2026-25536',
    threat: 'Names can be rebound to the server, and clients get each other’s replies.',
    tests: {
      'test/server/guard.test.ts': ['a request from %s is refused, with or without a session'],
      'test/mcp/http.test.ts': [TWO_WAYS, 'a hundred clients at once each get their own answers'],
    },
  },
  '39': {
    source: 'mcp-remote CVE-2025-6514, MCP Inspector CVE-2025-49596, mcp-router CVE-2026-81094',
    threat: 'An address reaches a shell, and a proxy starts processes for anyone on the network.',
    tests: {
      'test/threats/source.test.ts': [
        'B7-08: outside of Windows nothing is handed to a shell, and one file starts processes',
      ],
      'test/cli/start.test.ts': ['%j is refused'],
      'test/mcp/http.test.ts': [TWO_WAYS],
    },
  },
  '40': {
    source: 'Cursor CVE-2025-54136',
    threat: 'A server changes its definition after it was approved.',
    tests: {
      'test/approval/museum.test.ts': ['museum 40: a tool whose definition changed after the yes'],
      'test/mcp/faults.test.ts': [
        'a tool that changes is held back until a person accepts the change',
      ],
    },
  },
  '41': {
    source: 'Copilot CVE-2025-53773; Claude Code GHSA-mmgp-wc2j-qcv7, CVE-2026-25725',
    threat: 'The agent, or a repository, edits the settings of approval.',
    tests: {
      'src/adapters/claude-code/own-files.test.ts': ['B5-24: a file that decides is not written'],
      'test/cli/hook-project.test.ts': ['B5-24: a policy in a subfolder loosens nothing'],
    },
  },
  '42': {
    source: 'Claude Code CVE-2025-54795, CVE-2025-58764, CVE-2025-66032',
    threat: 'A list of safe commands is read differently than the shell reads it.',
    tests: {
      'test/threats/policy.test.ts': ['B5-16: our policy for a coding agent asks about %j'],
      'src/adapters/claude-code/own-files.test.ts': [
        'B5-16: a shell line that names what decides is denied',
      ],
    },
  },
  '43': {
    source: 'Server Fault 1120740',
    threat: 'A mail scanner opens the link in a mail, and that approves.',
    tests: { 'test/server/matrix.test.ts': [MATRIX] },
  },
  '44': {
    source: 'Checkmarx, Lies-in-the-Loop; arXiv 2606.02668',
    threat: 'The agent words its own question, with padding, markup and a false summary.',
    tests: {
      'test/server/declared.test.ts': [
        'B8-01: an agent’s template never replaces the question of the policy',
      ],
      'test/e2e/payloads.test.ts': [
        'hostile text in every field of a card runs nothing, and reads as the bytes that are bound',
      ],
      'inbox/src/lib/text/invisible-characters.test.ts': [
        'blank lines that push text away are counted, and can be opened',
      ],
    },
  },
  '45': {
    source: 'Anthropic on approval fatigue',
    threat: 'People accept nearly every question.',
    tests: {
      'inbox/src/features/batch/selection.test.ts': [
        'a yes is preset only after everything was shown, and never for a repetition',
      ],
      'test/threats/documented-limits.test.ts': ['B12-03: a tired person approves a faithful card'],
    },
    partly:
      'Grants and conditions lower the number of questions; how people decide is not measured.',
  },
}
