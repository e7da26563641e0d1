import { from } from '../promised.ts'

/** What people who allow MCP clients can rely on. */
export const COUNTERSIGN_OAUTH = from('Countersign', {
  'CS-OA-1': {
    area: 'oauth',
    says: 'A client without a token is told at `/mcp` where to get one, by 401 with `resource_metadata` and the metadata of RFC 9728 and RFC 8414.',
  },
  'CS-OA-2': {
    area: 'oauth',
    says: 'A client of the MCP SDK connects by its metadata document, after a person who is signed in allows it in the browser.',
  },
  'CS-OA-3': {
    area: 'oauth',
    says: 'A client is known by the host of its metadata document; one that is private, redirects, is too large, is not JSON or names another client is refused.',
  },
  'CS-OA-4': {
    area: 'oauth',
    says: 'A browser is sent only to a redirect address of the client’s document, letter by letter; on the machine of the person any port will do.',
  },
  'CS-OA-5': {
    area: 'oauth',
    says: 'A code works once, within a minute, for the client, redirect address, resource and PKCE verifier (S256) it was made for; one that comes twice ends the connection.',
  },
  'CS-OA-6': {
    area: 'oauth',
    says: 'Access tokens live for 15 minutes, and a refresh token works once; one that comes twice ends the connection.',
  },
  'CS-OA-7': {
    area: 'oauth',
    says: 'A token that a client got by OAuth is good at `/mcp` alone; neither the token nor an answer that the client gives to a question decides.',
  },
  'CS-OA-8': {
    area: 'oauth',
    says: 'A client acts as the agent `oauth.HOST` for the person who allowed it; those who may not approve their own calls may not approve its calls.',
  },
  'CS-OA-9': {
    area: 'oauth',
    says: 'Only the session that was asked can allow a client, once, with the key of its page; viewers and locked people cannot.',
  },
  'CS-OA-10': {
    area: 'oauth',
    says: 'A connection ends with its person, who is removed, locked or left with no role beyond viewer; a person who is added again has none.',
  },
  'CS-OA-11': {
    area: 'oauth',
    says: 'People list and end their connected clients, and admins those of all; allowing, refusing, making and revoking are on record.',
  },
  'CS-OA-12': {
    area: 'oauth',
    says: 'Allowed once, a client with a web address of its own is not asked about again there for as long as was allowed; a program on a machine is, as any program can listen there.',
  },
})
