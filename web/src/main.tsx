import './theme/styles'
import { DirectionProvider, localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { setNonce } from 'get-nonce'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createBrowserRouter } from 'react-router'
import { RouterProvider } from 'react-router/dom'
import { loadChunk } from './lib/chunks'
import { whenIdle } from './lib/idle'
import { BASE_PATH, belowBase, type CameFrom } from './lib/paths'
import { paths } from './screens'
import { startMessages, useLocale } from './lib/messages'
import { finishPreloader } from './app/preloader'
import { clearPerson } from './api/account'
import { onSignedOut } from './api/client'
import { queryClient } from './api/queryClient'
import { routes } from './app/router'
import { cssVariables, themeIn } from './theme/theme'

// Style elements created at run time need the nonce of this response; browsers hide the attribute after parsing.
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''
setNonce(nonce)

const router = createBrowserRouter(routes, { basename: BASE_PATH })

onSignedOut(() => {
  const { pathname, search } = router.state.location
  const here = belowBase(pathname)
  if (here === paths.login()) return
  const state: CameFrom = { sessionEnded: true }
  void router.navigate(paths.login(here + search), { state }).then(() => clearPerson(queryClient))
})

const colorScheme = localStorageColorSchemeManager({ key: 'colorScheme' })

const root = document.getElementById('root')!

/** Remounts everything when the language changes; drafts keep the input. */
function App() {
  const locale = useLocale()
  // Contains translated texts, so it is created for each language.
  const theme = themeIn()
  return (
    <DirectionProvider>
      <MantineProvider
        key={locale}
        theme={theme}
        cssVariablesResolver={cssVariables}
        colorSchemeManager={colorScheme}
        defaultColorScheme="auto"
        // All variables are written here: Mantine's sheet of defaults would add 4 KiB to the first load.
        deduplicateCssVariables={false}
        getStyleNonce={() => nonce}
      >
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>
    </DirectionProvider>
  )
}

startMessages().then(
  () =>
    createRoot(root).render(
      <StrictMode>
        <App />
      </StrictMode>,
    ),
  (error: unknown) => {
    console.error(error)
    const words = document.querySelector<HTMLTemplateElement>('#not-loaded')
    if (words) root.replaceChildren(words.content)
    finishPreloader()
  },
)

// Loaded after the first paint; a failure does not matter.
whenIdle(() => {
  loadChunk('vitals', () => import('./app/vitals')).catch((error: unknown) => console.warn(error))
})
