import { writeFileSync } from 'node:fs'
import path from 'node:path'
import type { World } from './world.ts'

/** The last one that npm has with its program inside. It knows OpenAPI 3.0. */
const GENERATOR = '@openapitools/openapi-generator-cli@1.0.18-5.0.0-beta2'

const PROGRAM = `
import sys
from countersign_client import ApiClient, ApiException, Configuration, CallsApi, ApprovalsApi
from countersign_client import AskBody, ClaimBody, ResultBody

url, token = sys.argv[1:3]

def client(secret):
    own = Configuration(host=url)
    own.access_token = secret
    return ApiClient(own)

api = client(token)
calls, approvals = CallsApi(api), ApprovalsApi(api)

free = calls.post_calls(AskBody(tool='read', args={'path': 'a'}))
assert free.status == 'allowed' and free.args == {'path': 'a'}, free
no = calls.post_calls(AskBody(tool='wipe', args={}))
assert no.status == 'blocked' and 'Nothing is wiped here' in no.model_message, no

def settled(key):
    asked = calls.post_calls(AskBody(tool='pay', args={'amount': 5}, run='r', key=key))
    assert asked.status == 'pending', asked
    again = calls.post_calls(AskBody(tool='pay', args={'amount': 5}, run='r', key=key))
    assert again.id == asked.id, again
    now = asked
    while now.status == 'pending':
        now = approvals.get_approvals_by_id(asked.id, wait='10s')
    return asked, now

asked, now = settled('k1')
assert now.status == 'approved', now
claim = calls.post_approvals_by_id_claim(asked.id, ClaimBody(digest=asked.digest))
assert claim.args == {'amount': 5} and claim.start_within > 0, claim
done = ResultBody(claim=claim.claim, outcome='succeeded', result={'paid': True})
assert calls.post_approvals_by_id_result(asked.id, done).execution == 'succeeded'
assert approvals.get_approvals_by_id(asked.id).result == {'paid': True}
try:
    calls.post_approvals_by_id_claim(asked.id, ClaimBody(digest=asked.digest))
    raise AssertionError('claimed twice')
except ApiException as error:
    assert error.status == 409 and 'already_claimed' in error.body, error

asked, now = settled('k2')
assert now.status == 'denied' and 'not today' in now.model_message, now
try:
    CallsApi(client('cs_wrong')).post_calls(AskBody(tool='read', args={}))
    raise AssertionError('a wrong token was taken')
except ApiException as error:
    assert error.status == 401 and 'token_unknown' in error.body, error
print('a Python client of OpenAPI Generator asked, waited, claimed and reported')
`

/** A Python client of OpenAPI Generator, from the description in 3.0. */
export async function provePython({ folder, run, describe, story }: World): Promise<void> {
  await run('java', ['-version'])
  // What every client of this generator needs.
  await run('python3', ['-c', 'import urllib3, six, dateutil, certifi'])
  await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', GENERATOR])
  const jar = 'node_modules/@openapitools/openapi-generator-cli/bin/openapi-generator.jar'
  await describe('3.0')
  const wanted = ['-g', 'python', '--package-name', 'countersign_client']
  await run('java', ['-jar', jar, 'generate', '-i', 'openapi.json', '-o', 'client', ...wanted])
  writeFileSync(path.join(folder, 'client/story.py'), PROGRAM)
  await story('python3', ['story.py'], 'client')
}
