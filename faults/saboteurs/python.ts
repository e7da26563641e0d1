import type { Saboteur } from './saboteur.ts'

const gate = { tests: ['test/clients/python.test.ts'] } as const

/** What would make the Python client run a call twice, unasked or unproved. */
export const PYTHON_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'Python starts a call that was claimed too long ago',
    file: 'clients/python/src/countersign/pipeline.py',
    before: 'if is_cancelled or not claimed.may_start():',
    after: 'if is_cancelled:',
    caughtBy: gate,
  },
  {
    name: 'Python runs other arguments than it asked about',
    file: 'clients/python/src/countersign/pipeline.py',
    before: 'canonical(answer["args"]) != canonical(call.args):',
    after: 'False:',
    caughtBy: gate,
  },
  {
    name: 'a mode of a Python gate can be replaced by a weaker one',
    file: 'clients/python/src/countersign/core.py',
    before: 'stricter = mode is not None and self._pipeline.mode.kind == "annotated"',
    after: 'stricter = mode is not None',
    caughtBy: gate,
  },
  {
    name: 'the verifier in Python takes any signature',
    file: 'clients/python/src/countersign/verify/ed25519.py',
    before: 'return _encoded(expected) == signature[:32]',
    after: 'return True',
    caughtBy: { tests: ['test/clients/verifier.test.ts'] },
  },
]
