import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Router } from 'wouter'
import { useHashLocation } from 'wouter/use-hash-location'
import { App } from './app.tsx'
import { Broken } from './parts/broken.tsx'
import { client } from './queries.ts'
import { applyTheme } from './settings.ts'
import './styles/main.css'

applyTheme()
const place = document.getElementById('app')
if (place === null) throw new Error('the page has no place for the inbox')
// Addresses stay behind the #: the server only has one page to serve, and never sees what is open.
createRoot(place).render(
  <StrictMode>
    <Broken>
      <QueryClientProvider client={client}>
        <Router hook={useHashLocation}>
          <App />
        </Router>
      </QueryClientProvider>
    </Broken>
  </StrictMode>,
)
