import { t } from '../../lib/language/t.ts'

export interface Snippet {
  readonly id: string
  readonly title: string
  /** What it is for, in one sentence. */
  readonly says: string
  readonly code: string
}

interface Filled {
  /** Where this server is, without a slash at its end. */
  readonly url: string
  readonly token: string
  readonly agent: string
}

/** Every way in, filled with the address of this server and a token. */
export function snippetsFor({ url, token, agent }: Filled): Snippet[] {
  const gate = `import { remoteGate } from 'countersign/client'

const gate = remoteGate({ url: '${url}', token: process.env.COUNTERSIGN_TOKEN })`
  const sdk = (id: string, title: string, install: string, use: string): Snippet => ({
    id,
    title,
    says: t('Calls of your agent go through this server; its approvals wait in this inbox.'),
    code: `# ${install}
# COUNTERSIGN_TOKEN=${token}

${gate}

${use}`.replaceAll(/^# /gm, '// '),
  })
  return [
    {
      id: 'mcp',
      title: t('MCP client'),
      says: t(
        'The MCP servers of the policy and the tools of the studio, behind the gate, for any client that takes a URL.',
      ),
      code: JSON.stringify(
        {
          mcpServers: {
            countersign: {
              type: 'http',
              url: `${url}/mcp`,
              headers: { Authorization: `Bearer ${token}` },
            },
          },
        },
        undefined,
        2,
      ),
    },
    {
      id: 'http',
      title: 'HTTP',
      says: t('From any language: ask, wait, claim, run, report. This sends the first question.'),
      code: `curl -s '${url}/v1/calls' \\
  -H 'authorization: Bearer ${token}' \\
  -H 'content-type: application/json' \\
  -d '{"tool":"send_mail","run":"${agent}-1","key":"1","args":{"to":"ana@example.com"}}'`,
    },
    sdk(
      'ai-sdk',
      'AI SDK',
      'npm i countersign ai',
      `import { guardTools } from 'countersign/ai-sdk'

const tools = guardTools(gate, { pay, read }, { run: chatId })`,
    ),
    sdk(
      'openai-agents',
      'OpenAI Agents',
      'npm i countersign @openai/agents',
      `import { guardTools } from 'countersign/openai-agents'

const agent = new Agent({ name: 'Biller', tools: guardTools(gate, [pay, read], { run: threadId }) })`,
    ),
    sdk(
      'langchain',
      'LangChain',
      'npm i countersign langchain @langchain/langgraph',
      `import { guardMiddleware } from 'countersign/langchain'

const agent = createAgent({ model, tools, checkpointer, middleware: [guardMiddleware(gate)] })`,
    ),
    sdk(
      'google-adk',
      'Google ADK',
      'npm i countersign @google/adk',
      `import { guardAgent } from 'countersign/google-adk'

const root = guardAgent(gate, new LlmAgent({ name: 'biller', model, tools: [pay, read] }))`,
    ),
    sdk(
      'mastra',
      'Mastra',
      'npm i countersign @mastra/core',
      `import { guardTools } from 'countersign/mastra'

const agent = new Agent({ id: 'biller', name: 'Biller', model, instructions, tools: guardTools(gate, { pay, read }) })`,
    ),
    sdk(
      'claude-agent-sdk',
      'Claude Agent SDK',
      'npm i countersign @anthropic-ai/claude-agent-sdk',
      `import { query } from '@anthropic-ai/claude-agent-sdk'
import { t } from '../../lib/language/t.ts'
import { guardQuery } from 'countersign/claude-agent-sdk'

const ask = guardQuery(gate, query)`,
    ),
    {
      id: 'hook',
      title: 'Claude Code',
      says: t(
        'In the project, on the machine of this server: the hook finds the server by itself and needs no token.',
      ),
      code: `npm install --save-dev countersign
npx countersign init claude-code
npx countersign start`,
    },
  ]
}
