import { from } from './promised.ts'

/** What our own design adds about secrets, and about what is written down of calls. */
export const COUNTERSIGN_SECRETS = from('Countersign', {
  'CS-SEC-1': {
    area: 'secrets',
    says: 'What the policy, the tool’s schema or its own name calls a secret is hidden whole, whatever its type, everywhere but in the call to the tool.',
    headline: true,
  },
  'CS-SEC-2': {
    area: 'secrets',
    says: 'Tokens, private keys and passwords inside of text are found by their form and replaced; the text around them stays readable.',
  },
  'CS-SEC-3': {
    area: 'secrets',
    says: 'Looking for secrets takes time in proportion to the text, whatever the text is.',
  },
  'CS-SEC-4': {
    area: 'secrets',
    says: 'A masked value is shown only to a signed-in approver or admin who may decide the call, and only after it is on record who looked.',
  },
  'CS-SEC-5': {
    area: 'secrets',
    says: 'An approver writes a new value over a masked one without seeing it; what stays masked stays what it was, to the byte.',
  },
  'CS-SEC-6': {
    area: 'secrets',
    says: 'Where a tool has a JSON Schema, calls and edits are validated against it before a person is asked; mismatches are reported by path and rule, never by value.',
  },
  'CS-DEF-1': {
    area: 'secrets',
    says: 'A call is judged, shown, masked, revealed and edited by the definition it was asked with; what others say of a tool of that name changes nothing.',
  },
  'CS-DEF-2': {
    area: 'secrets',
    says: 'An edit that the tool’s schema completes is refused with the completed arguments, and counts once a person has sent those.',
  },
  'CS-DEF-3': {
    area: 'secrets',
    says: 'Whatever an agent or a server says of a tool, checking by it ends: with an answer, or with an error that names the schema.',
  },
  'CS-SEC-7': {
    area: 'secrets',
    says: 'The server’s log is one masked line for each event, without bodies, addresses or credentials.',
  },
  'CS-SEC-8': {
    area: 'secrets',
    says: 'A secret that goes in by any door is found in no question, card, event, stream, log, metric, error, export or table other than the one that holds the calls.',
  },
  'CS-SEC-10': {
    area: 'secrets',
    says: 'A result that code declares as dropped is neither sent to a server nor kept; the record says that it was dropped.',
  },
  'CS-SEC-9': {
    area: 'secrets',
    says: 'With OpenTelemetry a call is one span and a decision links to it; attributes are names and ids, never arguments, results or words of errors.',
  },
  'CS-SEC-11': {
    area: 'secrets',
    says: 'Every setting that holds a secret may come from a file; one that is missing, empty or given twice starts nothing.',
  },
})
