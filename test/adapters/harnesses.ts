import type { AdapterHarness } from '../../src/testing/adapter-harness.ts'
import { aiSdkHarness } from './ai-sdk-harness.ts'
import { claudeAgentSdkHarness } from './claude-agent-sdk-harness.ts'
import { genkitHarness } from './genkit-harness.ts'
import { googleAdkHarness } from './google-adk-harness.ts'
import { langchainHarness, toolNodeHarness } from './langchain-harness.ts'
import { mastraHarness } from './mastra-harness.ts'
import { openaiAgentsHarness } from './openai-agents-harness.ts'
import { plainHarness } from './plain-harness.ts'
import { strandsHarness } from './strands-harness.ts'
import { voltagentHarness } from './voltagent/harness.ts'
import { workflowAgentHarness } from './workflow-agent-harness.ts'

/** Every adapter there is. Adding one here puts it under all cases, and into the README. */
export const HARNESSES: readonly AdapterHarness[] = [
  plainHarness,
  aiSdkHarness,
  workflowAgentHarness,
  openaiAgentsHarness,
  langchainHarness,
  toolNodeHarness,
  googleAdkHarness,
  mastraHarness,
  genkitHarness,
  strandsHarness,
  voltagentHarness,
  claudeAgentSdkHarness,
]
