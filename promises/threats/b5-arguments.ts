import type { Threats } from './threat.ts'

const UNTESTABLE = 'what cannot be tested asks a person'

export const ARGUMENTS: Threats = {
  'B5-01': {
    threat: 'A tool that no rule names, or a missing policy, lets calls run.',
    tests: {
      'test/promises/agent-format-servers.test.ts': [
        'an undeclared server is asked about at least',
      ],
      'test/cli/hook-project.test.ts': [
        'B5-24: without a policy nothing runs, and the hook says what to do',
      ],
    },
    partly:
      'In-process tools that no file names run unless `defaults.undeclared` says `confirm`, `review` or `deny`; the starter policies ask.',
  },
  'B5-02': {
    threat: 'A policy function throws, hangs or answers nonsense, and the call runs.',
    tests: {
      'test/gate/pdp-failures.test.ts': [
        'what is no answer denies, or asks a person where the policy says so',
      ],
      'test/promises/atmosphere-custom.test.ts': [
        'a function that fails means that a person is asked',
        'a function that never answers means that a person is asked, after a second',
      ],
      'test/gate/identity.test.ts': ['a policy that cannot be had means that nothing runs'],
    },
  },
  'B5-03': {
    threat: 'An argument that a condition reads is missing, and the condition counts as not met.',
    tests: {
      'test/promises/agent-format-conditions.test.ts': ['a missing argument asks a person'],
    },
  },
  'B5-04': {
    threat: 'A number arrives as text, in a list or as null, and slips through a limit.',
    tests: {
      'test/promises/agent-format-conditions.test.ts': [UNTESTABLE],
      'test/policy/agreement.test.ts': ['agrees with an evaluator that was written apart'],
    },
  },
  'B5-05': {
    threat: 'Text is compared by its letters where a number is meant.',
    tests: { 'test/promises/agent-format-conditions.test.ts': [UNTESTABLE] },
  },
  'B5-06': {
    threat: 'Numbers that readers disagree on, such as 2^53 + 1, 1e400 or -0, pass.',
    tests: {
      'test/promises/countersign-calls.test.ts': [
        'a number that not every reader keeps is refused',
        '-0 is 0, and the largest safe numbers pass',
      ],
      'src/base/json/strict-json.test.ts': ['a number beyond double'],
    },
  },
  'B5-07': {
    threat: 'An object says a key twice: the policy reads one value, the tool the other.',
    tests: {
      'src/base/json/strict-json.test.ts': ['two equal keys, deep'],
      'test/server/guard.test.ts': ['a key twice'],
      'test/mcp/http.test.ts': ['requests that could be read in two ways are refused'],
      'test/adapters/openai-agents.test.ts': [
        'arguments that are not JSON, or say a thing twice, are told and not run',
      ],
    },
    partly:
      'Where an SDK parses the arguments first, the second key is gone before a gate sees it; policy and tool then read the same one value.',
  },
  'B5-08': {
    threat: 'Keys such as `__proto__` change every object, or a rule reads them.',
    tests: {
      'src/base/json/strict-json.test.ts': ['__proto__ is data and touches no prototype'],
      'test/promises/countersign-files.test.ts': ['a path that cannot be read is refused'],
      'test/gate/bytes.test.ts': ['a tool called %s is a tool like any other'],
    },
  },
  'B5-09': {
    threat: 'A path of a rule reads what is inherited, or the length of a list.',
    tests: {
      'test/promises/countersign-calls.test.ts': [
        'a condition reads only what was sent',
        'additions to every object are no arguments',
      ],
      'src/policy/evaluate/path.test.ts': ['reads %s'],
    },
  },
  'B5-10': {
    threat: 'Arguments are no plain JSON: getters, proxies, dates, `toJSON`.',
    tests: {
      'src/policy/evaluate/evaluate-arguments.test.ts': [
        'arguments that answer every reader otherwise change no answer that is remembered',
      ],
      'src/base/json/canonical-hostile.test.ts': ['toJSON', 'a getter', 'a proxy that throws'],
      'test/gate/bytes.test.ts': ['what JSON cannot hold is refused when asked about: %s'],
    },
  },
  'B5-11': {
    threat: 'A pattern takes exponential time on hostile text.',
    tests: {
      'test/promises/agent-format-conditions.test.ts': ['a hostile pattern is searched in no time'],
      'src/policy/pattern/pattern.test.ts': ['%j is refused: some text would take too long'],
    },
  },
  'B5-12': {
    threat: 'A line break lets text satisfy an anchored pattern.',
    tests: {
      'test/threats/grants.test.ts': [
        'B5-12: one line of several does not satisfy the anchored pattern of a grant',
      ],
      'src/policy/pattern/pattern.test.ts': ['%j searched in %j answers %s'],
    },
  },
  'B5-13': {
    threat: 'Other case, other spaces or letters that look alike pass as an exempt value.',
    tests: {
      'test/threats/policy.test.ts': ['B5-13: text that only looks or folds alike is other text'],
    },
  },
  'B5-14': {
    threat: 'A negated condition exempts what is missing or of another type.',
    tests: {
      'test/promises/agent-format-conditions.test.ts': [
        UNTESTABLE,
        'a missing argument asks a person',
      ],
      'test/promises/countersign-verdicts.test.ts': [
        'unknown counts against the call in every kind of rule',
      ],
    },
  },
  'B5-15': {
    threat: 'A path or an address is written so that a text rule takes it for another.',
    tests: {
      'test/threats/policy.test.ts': [
        'B5-15: an exemption is for exactly its text',
        'B5-15: there is no matcher that compares beginnings or parts of addresses',
      ],
    },
    partly:
      'No matcher understands paths or addresses: a pattern that exempts some of them is its author’s risk; ask by default, and exempt whole values with `in`.',
  },
  'B5-16': {
    threat: 'A shell line that looks harmless runs something else.',
    tests: {
      'test/threats/policy.test.ts': ['B5-16: our policy for a coding agent asks about %j'],
      'src/adapters/claude-code/own-files.test.ts': [
        'B5-16: a shell line that names what decides is denied',
      ],
    },
    partly:
      'The hook keeps plain shell lines from its own files; a name that is computed is not recognised, as a test there says. Ask about the shell, and run the agent as another user.',
  },
  'B5-17': {
    threat: 'Arguments are huge or nested so deeply that the server stops.',
    tests: {
      'test/server/definitions.test.ts': [
        'S2, B10-17: nothing that an agent says of a tool ends or hangs the server',
      ],
      'src/base/json/strict-json.test.ts': [
        'nesting ends at 64',
        'size ends at one megabyte of UTF-8',
        'ten thousand keys are enough',
      ],
      'src/gate/content/arguments.test.ts': [
        'arguments that multiply with every level are refused before they are copied out',
      ],
    },
  },
  'B5-18': {
    threat: 'Half characters make two different texts the same bytes.',
    tests: {
      'src/base/json/strict-json.test.ts': ['an escaped half of a pair', 'overlong UTF-8'],
      'test/server/guard.test.ts': ['half a character'],
    },
  },
  'B5-19': {
    threat: 'Of two policies that disagree the milder one counts.',
    tests: {
      'test/promises/countersign-verdicts.test.ts': [
        'the strictest of owner and governance wins, in every pairing',
      ],
      'test/policy/agreement.test.ts': ['adding a governance rule never loosens a verdict'],
    },
  },
  'B5-20': {
    threat: 'A policy file that is broken, half written or ambiguous is loaded.',
    tests: {
      'test/corpus.test.ts': [
        'every bad file is refused with the sentences written down for it',
        '%s cut off after any byte is read or refused, never a crash',
      ],
      'test/promises/countersign-files.test.ts': ['what readers understand differently is refused'],
      'test/cli/start.test.ts': ['a broken policy does not start'],
    },
    partly:
      'A file that is cut off after a whole line may load as a shorter policy; `countersign policy test` finds that, and a governance file keeps its rules apart.',
  },
  'B5-21': {
    threat: 'The policy becomes stricter while a yes waits, and the old yes is used.',
    tests: {
      'test/gate/claims.test.ts': [
        'what a yes rested on is looked at again',
        'a policy that asks for less changes nothing',
      ],
      'test/approval/prior-art-bugs.test.ts': [
        'a policy that became stricter while the yes waited is obeyed; an unrelated change is not felt',
      ],
    },
  },
  'B5-22': {
    threat: 'A rule or a group is deleted while a question about it waits, and the call runs.',
    tests: {
      'test/gate/loosened.test.ts': [
        'what people denied stays denied under its key when the rules allow it later',
        'what still waits is joined, and runs once when it is approved',
      ],
      'test/gate/claims.test.ts': [
        'someone who left the group no longer counts, before or after the last yes',
      ],
    },
  },
  'B5-23': {
    threat: 'Calls at the same moment exceed a count or a budget.',
    tests: {
      'src/testing/store-cases/grant.ts': [
        'gives the last uses to exactly as many calls, in however many processes',
        'never spends more than the budget, in however many processes',
      ],
      'test/interleavings.test.ts': ['two processes and one grant'],
    },
  },
  'B5-24': {
    threat: 'The agent writes the policy or the settings that it is judged by.',
    tests: {
      'src/adapters/claude-code/own-files.test.ts': ['B5-24: a file that decides is not written'],
      'test/cli/hook-project.test.ts': [
        'B5-24: the policy of the project holds wherever the agent goes',
        'B5-24: a policy in a subfolder loosens nothing',
      ],
      'test/cli/hook-server.test.ts': [
        'B5-24: what is on disk loosens nothing until it is applied, and is stricter at once',
      ],
      'test/cli/coding-agents/hooks.test.ts': [
        'what decides is kept from the agent, with the tools it has',
      ],
      'test/server/policy-apply.test.ts': ['what is on disk is not in force before it is applied'],
    },
  },
  'B5-25': {
    threat: 'A function that changes its mind is asked again and releases the call.',
    tests: {
      'test/gate/claims.test.ts': [
        'a predicate is asked once, and what it says later changes nothing',
      ],
    },
  },
}
