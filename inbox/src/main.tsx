import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Router } from 'wouter'
import { queryClient } from './api/query-client.ts'
import { ErrorBoundary } from './components/error-boundary.tsx'
import { BASE_PATH } from './lib/base-path.ts'
import { speak } from './lib/language/language.ts'
import { applyTheme, settings } from './lib/settings.ts'
import { App } from './routes/app.tsx'
import { InLanguage } from './routes/in-language.tsx'
import './styles/main.css'

applyTheme()
const place = document.getElementById('app')
if (place === null) throw new Error('the page has no place for the inbox')
// Before anything is drawn: a page in two languages, one after the other, is read by no one.
await speak(settings().language)
createRoot(place).render(
  <StrictMode>
    <ErrorBoundary>
      <QueryClientProvider client={queryClient}>
        <Router base={BASE_PATH}>
          <InLanguage>
            <App />
          </InLanguage>
        </Router>
      </QueryClientProvider>
    </ErrorBoundary>
  </StrictMode>,
)
