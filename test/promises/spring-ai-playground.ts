import { from } from './promised.ts'

/** What the page about human-in-the-loop approval says, as far as the policy itself keeps it. */
export const SPRING_AI_PLAYGROUND = from('Spring AI Playground', {
  'SP-3': {
    area: 'asking',
    says: 'A tool has one declaration: `humanInTheLoop` beside `approval` is refused.',
  },
  'SP-4': {
    area: 'asking',
    says: '`humanInTheLoop` holds a `mode`, `REQUIRED` or `DISABLED`, and optionally a `promptTemplate`.',
  },
  'SP-5': {
    area: 'asking',
    says: '`humanInTheLoop` may be left out, and then it asks for nothing.',
  },
  'SP-6': {
    area: 'asking',
    says: '`mode: REQUIRED` asks about every call, in-process and over MCP alike.',
  },
  'SP-7': {
    area: 'asking',
    says: '`mode: DISABLED` asks about no call, in-process and over MCP alike, unless governance does.',
    differs:
      'In Spring AI Playground DISABLED is final; here it is the owner’s word, and governance stands above it.',
  },
  'SP-8': {
    area: 'asking',
    says: 'Any other `mode` is refused when the file loads.',
    differs: 'In Spring AI Playground any other value silently means that nobody is asked.',
  },
  'SP-9': {
    area: 'questions',
    says: 'In a `promptTemplate`, `{toolName}` and `{args}` are filled in at call time; nowhere else do single braces mean anything.',
  },
  'SP-10': {
    area: 'questions',
    says: "The default question is `Run '{{tool_name}}' with arguments {{tool_args}}?` at every door.",
  },
  'SP-22': {
    area: 'servers',
    says: 'Nothing is expected of a foreign server: its tools are asked about until the owner says otherwise.',
    differs:
      'In Spring AI Playground a foreign tool is asked about only after somebody ticked a box.',
  },
  'SP-24': {
    area: 'servers',
    says: 'The inbox switch of a tool turns asking on or off for that tool of that server.',
  },
  'SP-26': {
    area: 'servers',
    says: 'A tool of a foreign server follows the same declarations, with the same meaning, as a tool of your own.',
  },
  'SP-30': {
    area: 'servers',
    says: 'Rules are found by the exact name of the tool, and a tool in-process and one of a server never share a rule.',
  },
  'SP-55': {
    area: 'risk',
    says: 'A tool with a risk and no declaration runs freely at L0 and is asked about above L0.',
  },
  'SP-57': {
    area: 'risk',
    says: 'Asking about a tool never lowers its risk.',
    differs:
      'Spring AI Playground shows one level less once a person is asked; a risk that a tick can lower is no measure of what a tool can do.',
  },
  'SP-58': {
    area: 'risk',
    says: 'Risk is advice: a declaration outranks it in the owner’s file, while governance may match on it.',
  },
})
