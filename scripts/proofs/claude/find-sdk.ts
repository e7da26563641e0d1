/** Loaded before a program that imports the SDK by its name: this checkout does not have it. */
import { registerHooks } from 'node:module'

registerHooks({
  resolve(specifier, context, next) {
    const isSdk = specifier === '@anthropic-ai/claude-agent-sdk'
    return next(isSdk ? (process.env.CLAUDE_SDK ?? specifier) : specifier, context)
  },
})
