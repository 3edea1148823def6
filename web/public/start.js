// Runs before the first paint: marks when the preloader began and sets light or dark, so that neither flashes.
performance.mark('preloader')
;(function () {
  var scheme = null
  try {
    scheme = localStorage.getItem('colorScheme')
  } catch {
    // Storage may be blocked: follow the system.
  }
  if (scheme !== 'light' && scheme !== 'dark') {
    scheme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
  }
  document.documentElement.setAttribute('data-mantine-color-scheme', scheme)
})()
