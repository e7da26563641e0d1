/**
 * Loaded before the AI SDK, whose schemas try out `new Function` once. The page's rules refuse that,
 * as they should, and would report it as an attack.
 */
import { config } from 'zod/v4/core'

config({ jitless: true })
