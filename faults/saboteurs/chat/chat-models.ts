import type { Saboteur } from '../saboteur.ts'

const MODELS = { tests: ['test/chat/models.test.ts'] } as const
const SERVERS = { tests: ['test/chat/model-servers.test.ts'] } as const

/** What keeps the keys of models where they belong. */
export const CHAT_MODEL_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'error texts of a model server keep the key',
    file: 'src/chat/model-connection.ts',
    before: "text.replaceAll(key, '[key]')",
    after: 'text',
    caughtBy: MODELS,
  },
  {
    name: 'a model server sends the key elsewhere by a redirect',
    file: 'src/chat/model-connection.ts',
    before: "redirect: 'error'",
    after: "redirect: 'follow'",
    caughtBy: MODELS,
  },
  {
    name: 'a model server that falls silent is waited for',
    file: 'src/chat/model-connection.ts',
    before: 'await watched(() => reader.read())',
    after: 'await reader.read()',
    caughtBy: MODELS,
  },
  {
    name: 'an admin enters an address inside the network',
    file: 'src/chat/kept-servers.ts',
    before: "if (refused === undefined) return url.href.replace(/\\/+$/, '')",
    after: "if (refused !== '') return url.href.replace(/\\/+$/, '')",
    caughtBy: SERVERS,
  },
  {
    name: 'a key is kept when its server moves',
    file: 'src/chat/kept-servers.ts',
    before: 'const isSame = before?.wire === given.wire && before.url === given.url',
    after: 'const isSame = before?.wire === given.wire',
    caughtBy: SERVERS,
  },
  {
    name: 'the key of a model server is stored as it is',
    file: 'src/store/secret-box.ts',
    before: "cipher.update(text, 'utf8'), cipher.final()",
    after: "Buffer.from(text, 'utf8')",
    caughtBy: SERVERS,
  },
]
