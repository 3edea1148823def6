// Runs before the first paint: marks when the preloader began, sets light or dark, so that neither flashes, and asks for
// the messages of the language that src/lib/messages.ts is going to choose.
performance.mark('preloader')
;(function () {
  function stored(key) {
    try {
      return localStorage.getItem(key)
    } catch (error) {
      // Storage may be blocked: follow the system.
      return null
    }
  }
  // What the oldest browsers of vite.config.ts have and those before them do not. Whoever has one of those is told; what of
  // the page works there may still be used. This file itself runs in browsers of any age.
  function isTooOld() {
    return !(
      typeof URL.canParse === 'function' &&
      typeof Array.prototype.toSorted === 'function' &&
      typeof AbortSignal.any === 'function' &&
      window.CSS &&
      CSS.supports('selector(:has(a))') &&
      CSS.supports('grid-template-columns', 'subgrid')
    )
  }
  if (isTooOld()) {
    document.addEventListener('DOMContentLoaded', function () {
      document.body.insertBefore(
        document.importNode(document.getElementById('too-old').content, true),
        document.body.firstChild,
      )
    })
  }

  var scheme = stored('colorScheme')
  if (scheme !== 'light' && scheme !== 'dark') {
    scheme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
  }
  document.documentElement.setAttribute('data-mantine-color-scheme', scheme)

  var places = document.currentScript.dataset
  var languages = [new URLSearchParams(location.search).get('lang'), stored('language')].concat(
    navigator.languages.map(function (tag) {
      return tag.slice(0, 2)
    }),
  )
  var language = languages.find(function (name) {
    return places[name]
  })
  if (places[language || 'en']) {
    var link = document.createElement('link')
    link.rel = 'modulepreload'
    link.href = places[language || 'en']
    document.head.append(link)
  }
})()
