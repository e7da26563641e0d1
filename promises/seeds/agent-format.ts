import { from } from '../promised.ts'

/** What the approval chapter of Agent Format says, and what it leaves open (`!`). */
export const AGENT_FORMAT = from('Agent Format', {
  'AF-1': {
    area: 'asking',
    says: '`approval` is `true`, `false` or an object, and anything else is refused when the file loads.',
  },
  'AF-2': {
    area: 'asking',
    says: 'With `approval: true` a person is asked about every call, in words we choose when the author chose none.',
    differs:
      'An approver may answer equal calls in advance with a grant; `grants: false` forbids that.',
  },
  'AF-3': {
    area: 'asking',
    says: '`approval: false` takes a tool out of what it would inherit from its server, its risk or the defaults.',
  },
  'AF-4': {
    area: 'asking',
    says: 'An `approval` object may hold a question, a condition, both or neither.',
  },
  'AF-5': {
    area: 'asking',
    says: 'A tool that says nothing about approval runs in-process, unless risk, a default or governance asks about it.',
    differs:
      'Agent Format also runs tools of MCP servers that declare no approval; a foreign tool has no one to vouch for it, so `defaults.gateway` decides, and it asks unless the owner changes it.',
  },
  'AF-6': {
    area: 'asking',
    says: '`approval: {}` asks exactly as `approval: true` does.',
  },
  'AF-7': {
    area: 'asking',
    says: 'An `approval` object with nothing but a question asks that question about every call.',
  },
  'AF-8': {
    area: 'asking',
    says: 'An `approval` object with nothing but a condition asks the default question, and only when the condition does not answer `no`.',
  },
  'AF-9': {
    area: 'files',
    says: 'A mistake in a declaration is reported when the file loads, with its line, its column and the nearest word we know.',
  },
  'AF-10': {
    area: 'questions',
    says: 'Every `{{…}}` in a question is filled in from the call that is being asked about.',
  },
  'AF-11': {
    area: 'questions',
    says: '`{{tool_name}}` is the name the tool was called by.',
  },
  'AF-12': {
    area: 'questions',
    says: '`{{tool_args.<key>}}` is the value of that argument, text without quotes.',
  },
  'AF-13': {
    area: 'questions',
    says: '`{{tool_args}}` is all arguments as JSON, the same bytes whatever order the keys came in.',
  },
  'AF-14': {
    area: 'questions',
    says: '`{{agent_alias}}` is the alias of the agent that calls.',
  },
  'AF-15': {
    area: 'questions',
    says: '`{{agent_id}}` is the id of the calling agent, or else `metadata.id` of the Agent Format file.',
  },
  'AF-16': {
    area: 'questions',
    says: '`{{skill_id}}`, `{{skill_args}}` and `{{skill_args.<key>}}` describe the skill that is called.',
  },
  'AF-17': {
    area: 'questions',
    says: 'A variable without a value is empty in the question, and its name is listed as missing.',
    differs:
      'Agent Format stops at the empty text; `Approve transfer of $?` hides what the approver needs, so every surface is told what was missing.',
  },
  'AF-18': {
    area: 'questions',
    says: 'A variable reaches into nested arguments: `{{tool_args.order.details.amount}}`.',
  },
  'AF-19': {
    area: 'questions',
    says: 'A question holds no logic: sections, helpers and anything else in braces that is not a variable are refused when the file loads.',
  },
  'AF-20': {
    area: 'questions',
    says: 'Characters around a variable are plain text, a `$` before it too.',
  },
  'AF-21': {
    area: 'questions',
    says: 'Where no question is written, the default one names the tool and shows its arguments.',
  },
  'AF-22': {
    area: 'conditions',
    says: 'A condition is answered from the arguments of each call, at the time of the call.',
  },
  'AF-23': {
    area: 'conditions',
    says: 'All keys of one `args_match` must hold.',
  },
  'AF-24': {
    area: 'conditions',
    says: 'Of a list of condition groups, one that holds is enough.',
  },
  'AF-25': {
    area: 'conditions',
    says: 'A literal matches the same value of the same type and no other.',
  },
  'AF-26': {
    area: 'conditions',
    says: '`gt` holds for numbers above the limit, not for the limit itself.',
  },
  'AF-27': { area: 'conditions', says: '`gte` holds for the limit and for numbers above it.' },
  'AF-28': {
    area: 'conditions',
    says: '`lt` holds for numbers below the limit, not for the limit itself.',
  },
  'AF-29': { area: 'conditions', says: '`lte` holds for the limit and for numbers below it.' },
  'AF-30': {
    area: 'conditions',
    says: '`ne` compares text, numbers and booleans, each with its own kind.',
  },
  'AF-31': {
    area: 'conditions',
    says: '`pattern` is a regular expression over text, and one that does not parse is refused when the file loads.',
  },
  'AF-32': { area: 'conditions', says: '`in` holds for the values of its list.' },
  'AF-33': { area: 'conditions', says: '`not_in` holds for values that are not in its list.' },
  'AF-34': {
    area: 'conditions',
    says: '`pattern` searches anywhere in the text unless it anchors itself with `^` or `$`.',
  },
  'AF-35': {
    area: 'servers',
    says: '`approval` on a server covers every tool of that server.',
  },
  'AF-36': {
    area: 'servers',
    says: 'An entry of `allowed_tools` is a name, or an object with a name and what is said about it.',
  },
  'AF-37': {
    area: 'servers',
    says: 'A plain name in `allowed_tools` inherits what its server says.',
    differs:
      'Where the server says nothing either, Agent Format runs the tool and we ask, unless `defaults.gateway` says otherwise: a name in a list is no statement about approval.',
  },
  'AF-38': {
    area: 'servers',
    says: '`approval` on an entry of `allowed_tools` replaces what the server says, for that tool.',
  },
  'AF-39': {
    area: 'servers',
    says: '`approval: false` on an entry of `allowed_tools` exempts that tool from the blanket of its server, and no other tool.',
  },
  'AF-40': {
    area: 'servers',
    says: 'An entry of `allowed_tools` without `approval` inherits what its server says.',
  },
  'AF-41': {
    area: 'governance',
    says: 'Governance can ask about any tool of any server, whatever the entry or the server says.',
  },
  'AF-42': {
    area: 'governance',
    says: 'The owner and governance write in separate files, and neither needs the other.',
  },
  'AF-43': {
    area: 'governance',
    says: 'If any source asks, the call waits for a person.',
    headline: true,
  },
  'AF-44': {
    area: 'governance',
    says: 'A call runs freely only where the owner does not ask and governance does not either.',
  },
  'AF-45': {
    area: 'governance',
    says: '`approval: false` is a preference of the owner and never answers for governance.',
  },
  'AF-46': {
    area: 'governance',
    says: 'Adding a governance rule never makes a verdict milder.',
  },
  'AF-47': {
    area: 'delegation',
    says: '`approval` on a local or remote agent asks before anything is delegated to it.',
  },
  'AF-48': {
    area: 'delegation',
    says: 'Asking about a delegation and asking about the tools a sub-agent calls are independent of each other.',
  },
  'AF-49': {
    area: 'delegation',
    says: 'Conditions and questions about a delegation read what the delegating agent was given, as `parent.input.<key>`; where the application does not say what that was, they ask.',
  },
  'AF-50': {
    area: 'delegation',
    says: 'Skills of a remote agent are asked about like tools of a server: by blanket, by entry, with exemptions.',
  },
  'AF-51': {
    area: 'terms',
    says: 'A rule says what needs a person and never how that person is reached: keys about delivery are refused in approvals, defaults and governance.',
  },
  'AF-52': {
    area: 'terms',
    says: 'Governance can shorten the time the owner gives a question and never lengthen it.',
  },
  'AF-53': {
    area: 'terms',
    says: 'A question without an answer never becomes an approval: a key that would approve on timeout is refused with that reason.',
    differs:
      'Agent Format lets a runtime approve when time runs out; silence is not consent, so the only ways left are to expire or to ask more people.',
    headline: true,
  },
  'AF-54': {
    area: 'calls',
    says: 'What an agent adds in `context` is never read by a rule and changes no verdict.',
  },
  'AF-55': {
    area: 'terms',
    says: 'An approver may change only the arguments that every source asking allows to be changed.',
  },
  'AF!1': {
    area: 'files',
    says: 'A misspelt key is refused wherever it stands; it never switches asking off.',
    differs:
      'The published schema of Agent Format accepts unknown keys, so that `aproval: true` validates and never asks.',
  },
  'AF!3': {
    area: 'governance',
    says: 'A file cannot switch off the rule that binds it: `tighten_only_invariant: false` and `approval: false` in governance are refused.',
    differs: 'Agent Format lets the governed file set the switch that protects it.',
  },
  'AF!4': {
    area: 'conditions',
    says: 'An argument that is missing or of another type cannot slip past a condition: a person is asked.',
    differs: 'Agent Format does not say what `"10001"` or nothing at all means for `gt: 10000`.',
    headline: true,
  },
  'AF!6': {
    area: 'conditions',
    says: 'A pattern takes time in proportion to the text it searches, whatever the pattern and the text are.',
    differs:
      'Agent Format leaves dialect and cost open; ours is RE2, and texts beyond 8,192 characters are left to a person.',
  },
})
