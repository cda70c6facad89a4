import './nonce.ts'
import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import '@mantine/spotlight/styles.css'
import './shell/console.css'
import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useMemo } from 'react'
import { createRoot } from 'react-dom/client'
import { ApiError } from './api/client.ts'
import { styleNonce } from './nonce.ts'
import { router } from './router.tsx'
import { readLanguage } from './texts/language.ts'
import { useTexts } from './texts/texts.ts'
import { cssVariables, toTheme } from './theme.ts'

const maxRetries = 2
const staleMs = 5_000

// Without it, a call of an offline browser would wait and be made later, even after the operator cancelled or locked.
const networkMode = 'always'

const queries = new QueryClient({
  defaultOptions: {
    mutations: { networkMode },
    queries: {
      networkMode,
      staleTime: staleMs,
      // A refusal stays one; only a gateway that was not reached, or failed inside, is called again.
      retry: (failures, error) =>
        failures < maxRetries && error instanceof ApiError && (error.status === 0 || error.status >= 500),
    },
  },
})

document.documentElement.lang = readLanguage()

function Console() {
  const close = useTexts()('close')
  const theme = useMemo(() => toTheme(close), [close])
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => styleNonce}
    >
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  )
}

const root = document.getElementById('root')
if (root) createRoot(root).render(<Console />)
