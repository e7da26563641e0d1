import { from } from './promised.ts'

/** What our own design adds. */
export const COUNTERSIGN = from('Countersign', {
  'CS-POLICY-1': {
    area: 'governance',
    says: 'The strictest answer of all sources wins: `deny` over `review` over `confirm` over `allow`.',
  },
  'CS-POLICY-2': {
    area: 'governance',
    says: 'The order of rules, keys and files never changes a verdict.',
  },
  'CS-POLICY-3': {
    area: 'conditions',
    says: 'Conditions answer `yes`, `no` or `unknown`, and `unknown` counts against the call in every rule, denials too.',
  },
  'CS-POLICY-4': {
    area: 'asking',
    says: 'Asking means `confirm`, and it means `review` where the declaration or the defaults of the same file name people.',
  },
  'CS-POLICY-5': {
    area: 'asking',
    says: 'The first source that is present answers for the owner, whatever it answers.',
  },
  'CS-POLICY-6': {
    area: 'asking',
    says: 'A tool declared both in code and in the file is asked about if either asks, at the stricter level.',
  },
  'CS-POLICY-7': {
    area: 'servers',
    says: 'A call to an undeclared server asks at least, even where `defaults.gateway` is `allow`.',
    headline: true,
  },
  'CS-POLICY-8': {
    area: 'servers',
    says: 'Where `allowed_tools` or `allowed_skills` is given, what it does not name is denied.',
  },
  'CS-POLICY-9': {
    area: 'servers',
    says: 'An inbox switch never overrides what a file says about that same tool or server.',
  },
  'CS-POLICY-10': {
    area: 'governance',
    says: 'A governance rule about risk also applies where the risk is unknown.',
  },
  'CS-POLICY-11': {
    area: 'governance',
    says: 'The owner cannot redefine a group that governance defines.',
  },
  'CS-POLICY-12': {
    area: 'governance',
    says: 'Every verdict above `allow` names each source that objected, strictest first, by the name of its rule.',
  },
  'CS-POLICY-13': {
    area: 'terms',
    says: 'Each source that asks keeps its own people and quorum, and all of them must be satisfied.',
  },
  'CS-POLICY-14': {
    area: 'terms',
    says: 'Terms are the strictest of all sources: the shortest clocks, the highest assurance, the strictest reason, grants only if no source forbids them.',
  },
  'CS-POLICY-15': {
    area: 'terms',
    says: 'A quorum that no set of different people can fill is refused before anyone is asked.',
  },
  'CS-POLICY-16': {
    area: 'calls',
    says: 'The same call gets the same answer however often it is evaluated, and evaluating changes nothing.',
  },
  'CS-POLICY-17': {
    area: 'calls',
    says: 'Evaluating never throws: arguments that cannot be shown to a person are denied, not skipped.',
  },
  'CS-POLICY-18': {
    area: 'calls',
    says: 'An explanation gives the verdict that evaluating gives, with every rule it looked at and the values it saw.',
  },
  'CS-POLICY-19': {
    area: 'risk',
    says: 'A risk that a call claims can bring it under a governance rule and never out of one: a tool the policy does not rate stays unrated, whatever the call says.',
  },
  'CS-POLICY-20': {
    area: 'terms',
    says: 'A call of risk L5 cannot be covered by a grant.',
  },
  'CS-MODE-1': {
    area: 'modes',
    says: 'No mode loosens what governance demands.',
  },
  'CS-MODE-2': {
    area: 'modes',
    says: 'A function that throws, rejects, takes longer than a second or answers something else means that a person is asked.',
  },
  'CS-MODE-3': {
    area: 'modes',
    says: 'A member injected into `Object.prototype` sets no mode, strategy, entry point, declaration, edit or grant; one named like a part of a call blocks every call.',
  },
  'CS-CALL-1': {
    area: 'calls',
    says: 'A call with a number that not every reader keeps exactly is refused, and `-0` is `0`.',
  },
  'CS-CALL-2': {
    area: 'calls',
    says: 'A call with a key we do not know, or a name that is no name, is refused and never evaluated.',
  },
  'CS-CALL-3': {
    area: 'calls',
    says: 'A condition reads only what was sent: never what an object inherits, nor the inside of a list.',
  },
  'CS-MESSAGE-1': {
    area: 'questions',
    says: 'What a tool lists under `secrets` never appears in a question or an explanation.',
  },
  'CS-MESSAGE-2': {
    area: 'questions',
    says: 'A question is filled in once: braces inside an argument stay what they are.',
  },
  'CS-FILE-1': {
    area: 'files',
    says: 'All mistakes of a file are reported together, each with file, line and column.',
  },
  'CS-FILE-2': {
    area: 'files',
    says: 'No file, however broken, makes the loader throw.',
  },
  'CS-FILE-3': {
    area: 'files',
    says: 'What YAML readers understand differently is refused: duplicate keys, merge keys, aliases, tags, empty values.',
  },
  'CS-FILE-4': {
    area: 'files',
    says: 'A path never names `__proto__`, `constructor` or `prototype`, and a broken path is refused when the file loads.',
  },
  'CS-FILE-5': {
    area: 'files',
    says: 'Policy tests stand in the policy’s own file, and a failure shows the values each rule saw.',
  },
  'CS-FILE-6': {
    area: 'files',
    says: 'A duration has a unit, is longer than zero and at most one year.',
  },
  'CS-FILE-7': {
    area: 'files',
    says: 'Nothing in a policy is ever turned into code and run.',
  },
  'CS-FILE-8': {
    area: 'files',
    says: 'The old verdict `approve` is refused wherever a verdict can stand, in files, code, calls over HTTP and countersignatures; in files and code with the new word `review`.',
  },
})
