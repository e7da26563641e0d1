import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Router } from 'wouter'
import { App } from './app.tsx'
import { BASE_PATH } from './base-path.ts'
import { Broken } from './parts/broken.tsx'
import { client } from './queries.ts'
import { applyTheme } from './settings.ts'
import './styles/main.css'

applyTheme()
const place = document.getElementById('app')
if (place === null) throw new Error('the page has no place for the inbox')
createRoot(place).render(
  <StrictMode>
    <Broken>
      <QueryClientProvider client={client}>
        <Router base={BASE_PATH}>
          <App />
        </Router>
      </QueryClientProvider>
    </Broken>
  </StrictMode>,
)
