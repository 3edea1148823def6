import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { render } from '@testing-library/react'
import { createMemoryRouter, RouterProvider, type RouteObject } from 'react-router'
import { routes as everyRoute } from '../app/router'
import { BASE_PATH } from '../lib/paths'
import { queryClient } from '../api/queryClient'
import { cssVariables, themeIn } from '../theme/theme'

/** Renders the whole app at an address below the base path. */
export const renderApp = (at: string) => renderRoutes(everyRoute, at)

/** Renders routes as the app does, at an address below the base path. */
export function renderRoutes(routes: RouteObject[], at: string) {
  queryClient.clear()
  const router = createMemoryRouter(routes, { basename: BASE_PATH, initialEntries: [BASE_PATH + at] })
  const view = render(
    <MantineProvider theme={themeIn()} cssVariablesResolver={cssVariables} env="test">
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>,
  )
  return { router, ...view }
}
