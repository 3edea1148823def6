// Runs before the first paint: marks when the preloader began, sets light or dark, so that neither flashes, and asks for
// the messages of the language that src/lib/messages.ts is going to choose.
performance.mark('preloader')
;(function () {
  function stored(key) {
    try {
      return localStorage.getItem(key)
    } catch {
      // Storage may be blocked: follow the system.
      return null
    }
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
