import type { Threats } from './threat.ts'

export const TOOLS: Threats = {
  'B6-01': {
    threat: 'A tool is named so that it looks like another, and its rules are missed.',
    tests: {
      'test/threats/gateway.test.ts': ['B6-01: a listed name that is not plain is left out'],
      'test/promises/countersign-calls.test.ts': ['what is no call is refused'],
      'test/promises/spring-ai-playground.test.ts': [
        'rules are found by exact name, and doors do not share them',
      ],
    },
    partly:
      'Plain names that look alike, such as `pay_l` and `pay_1`, are not pointed out; `defaults.undeclared: deny` refuses the one that no rule names.',
  },
  'B6-02': {
    threat: 'Two servers offer a tool under one name, and the last one wins.',
    tests: {
      'test/threats/gateway.test.ts': [
        'B6-02: of two tools that clients would call by one name neither is offered',
      ],
      'test/promises/countersign-files.test.ts': ['two tools of one alias'],
    },
  },
  'B6-03': {
    threat: 'A server is exchanged under its old alias.',
    tests: {
      'test/threats/gateway.test.ts': [
        'B6-03: an alias that leads to another address keeps none of its pins',
      ],
    },
    partly:
      'The first listing at a new address is taken as it is, because the operator’s file names the address; look at *Tools* after changing it.',
  },
  'B6-04': {
    threat: 'A tool changes its definition after it was accepted or approved.',
    tests: {
      'test/mcp/faults.test.ts': [
        'a tool that changes is held back until a person accepts the change',
        'a yes to a tool that changed meanwhile runs nothing',
        'a tool that changes behind our back while people decide does not run on their yes',
      ],
      'test/approval/prior-art-bugs.test.ts': [
        'bug 40: a tool whose definition changed after the yes does not run',
      ],
    },
  },
  'B6-05': {
    threat: 'A tool does something else now, and still says the same of itself.',
    tests: {
      'test/threats/documented-limits.test.ts': [
        'B6-05: SECURITY.md says that a definition is compared, and not what a tool does',
      ],
    },
    limit: 'Nothing can notice it.',
  },
  'B6-06': {
    threat: 'A server calls its tool harmless, and it runs without asking.',
    tests: {
      'src/gateway/upstream/risk.test.ts': ['%s %j, said to be %s, is %s'],
      'test/mcp/stdio.test.ts': [
        'a server is listed under its own names, and nothing runs before a yes',
      ],
    },
  },
  'B6-07': {
    threat: 'A description or a schema holds instructions for the model or deceives people.',
    tests: {
      'test/threats/definitions.test.ts': ['B6-07: what a tool says of itself steers no terminal'],
    },
    partly:
      'The terminal is tried, the tools page is not; nothing looks for instructions to the model, so read what a new server says of its tools.',
  },
  'B6-08': {
    threat: 'A tool that calls other tools hides which one it calls.',
    tests: {
      'test/threats/policy.test.ts': [
        'B6-08: a dispatcher of a server asks, whatever it is told to call',
        'B6-08: a rule reads the target of a dispatcher, and asks where it cannot',
      ],
    },
    partly:
      'A rule for the real tool does not see calls through a dispatcher: write the rule for the dispatcher, with a condition on the argument that names the tool.',
  },
  'B6-09': {
    threat: 'A cached list of tools reaches another user.',
    tests: {
      'test/threats/gateway.test.ts': [
        'B6-09: lists and resources are for one client, whatever a server says about keeping them',
      ],
    },
    partly:
      'That clients are told to keep no list is tested; two users with different lists behind one client that keeps them all the same are not.',
  },
  'B6-10': {
    threat: 'A client calls a tool that its server never listed.',
    tests: {
      'test/threats/gateway.test.ts': ['B6-10: what no server listed is not found'],
      'test/promises/agent-format-servers.test.ts': [
        'what is not in the list of allowed tools or skills is denied',
      ],
    },
  },
  'B6-11': {
    threat: 'A tool that was found before its rule existed goes on without it.',
    tests: {
      'test/gate/switches.test.ts': [
        'a tool that is switched on asks from the next call on, and is allowed again afterwards',
      ],
      'test/server/policy-apply.test.ts': ['what is on disk is not in force before it is applied'],
    },
  },
  'B6-12': {
    threat:
      'Code keeps the bare function of a tool, or registers one after the others were guarded.',
    tests: {
      'test/threats/documented-limits.test.ts': [
        'B6-12, B7-17: a gate in the agent’s process can be walked around',
      ],
    },
    limit: 'No lint rule and no check finds a tool that is not guarded.',
  },
  'B6-13': {
    threat: 'A sub-agent or a handoff loses the gate.',
    tests: {
      'src/testing/adapter-cases.ts': ['what a sub-agent calls is asked about like any other call'],
      'test/adapters/google-adk-agents.test.ts': ['an agent as a tool does not bypass the gate'],
      'test/adapters/openai-agents.test.ts': ['a handoff is asked about: %s'],
    },
    partly:
      'Each SDK is tried with one level of sub-agents; deeper ones take the same path and are not tried.',
  },
  'B6-14': {
    threat: 'A tool that runs at the provider never reaches the gate.',
    tests: {
      'test/adapters/ai-sdk.test.ts': ['a tool without execute passes only where it is allowed'],
      'test/adapters/langchain-tools.test.ts': [
        'what runs at the provider is refused unless policy allows it',
      ],
      'test/adapters/mastra.test.ts': [
        'a tool that runs elsewhere is refused unless policy allows it',
      ],
      'test/adapters/google-adk-agents.test.ts': [
        'a tool that runs at the provider passes only where all is allowed',
      ],
      'test/threats/definitions.test.ts': [
        'B6-14: a hosted tool of the OpenAI Agents SDK passes only where it is allowed',
      ],
    },
  },
}
