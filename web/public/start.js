// Runs before the first paint: marks when the preloader began, sets light or dark, so that neither flashes, asks for the
// messages of the language that src/lib/messages.ts is going to choose and for what a student's screen needs, and shows a
// phone's home its search box and its first books.
performance.mark('preloader')
;(function () {
  // Minimum duration of the preloader (R-SHELL-1), as in app/preloader.ts.
  var PRELOADER_MS = 1200
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

  // If the app's first chunk does not arrive, neither preloader nor early home may promise it.
  function showNotLoaded() {
    ;['preloader', 'early'].forEach(function (id) {
      var shown = document.getElementById(id)
      if (shown) shown.remove()
    })
    document.getElementById('root').append(document.getElementById('not-loaded').content)
  }
  function onNotLoaded(event) {
    if (event.target.type !== 'module') return
    if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', showNotLoaded)
    else showNotLoaded()
  }
  addEventListener('error', onNotLoaded, true)

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
  function preload(href) {
    var link = document.createElement('link')
    var isStyle = href.endsWith('.css')
    link.rel = isStyle ? 'preload' : 'modulepreload'
    // As the chunks ask for them, or the browser loads them twice.
    link.crossOrigin = ''
    if (isStyle) link.as = 'style'
    link.href = href
    document.head.append(link)
  }
  if (!places[language]) language = 'en'
  if (places[language]) preload(places[language])

  // What a student's screen needs besides the first chunk: its files, and its first answers of the server.
  var path = location.pathname.slice('/library/'.length)
  var screens = JSON.parse(places.screens || '{}')
  var at = Object.keys(screens).find(function (address) {
    return path === address || (address.endsWith('/') && path.startsWith(address))
  })
  if (at === undefined || isTooOld()) return
  screens[at].all.concat(screens[at][language]).forEach(function (file) {
    preload('/library/static/' + file)
  })
  // src/api/client.ts takes these answers, each once and soon.
  var session = 'auth/session'
  var calls = [session, 'config']
  var books
  if (at === 'student-home' && location.search === '') {
    var perPage = matchMedia('(max-width: 47.99em)').matches ? 12 : 60
    books = 'books?field=any&sort=popular&limit=' + perPage
    calls.push(books)
  }
  // A student's search box before the app: on a slow line its code takes seconds, and a book can be typed meanwhile.
  function showHome(answer, words) {
    if (!answer.user || answer.user.role !== 'student' || answer.secondFactorMissing) return
    var template = document.getElementById('early-home')
    var root = document.getElementById('root')
    // The app was faster.
    if (!template || !root || root.querySelector('main, p')) return
    root.after(document.importNode(template.content, true))
    var home = document.getElementById('early')
    var box = home.querySelector('input')
    home.lang = language
    home.querySelector('h1').textContent = words[0]
    box.setAttribute('aria-label', words[1])
    box.placeholder = words[2]
    var preloader = document.getElementById('preloader')
    if (preloader) preloader.className = 'below'
  }
  // The first row below the box: links that open their books without the app too.
  function showBooks(answer, words) {
    var list = document.querySelector('#early .books')
    // Letters of twice the size leave them no place.
    if (!list || list.getClientRects().length === 0 || !answer.books || answer.books.length === 0) return
    answer.books.slice(0, 3).forEach(function (book) {
      var card = document.importNode(list.querySelector('template').content, true)
      card.querySelector('img').src = '/library/covers/' + book.id + '.svg'
      var link = card.querySelector('a')
      link.href = '/library/stubook-detail/' + book.id
      link.textContent = book.title
      card.querySelector('p').textContent = book.author || words[3]
      list.append(card)
    })
    document.getElementById('preloader').classList.add('leaving')
  }

  var api = location.origin + '/library/api/v1/'
  window.early = {}
  calls.forEach(function (call) {
    var url = api + call
    window.early[url] = fetch(url, { headers: { 'Library-Background': '1' }, signal: AbortSignal.timeout(20000) })
    window.early[url].catch(function () {
      delete window.early[url]
    })
    setTimeout(function () {
      delete window.early[url]
    }, 20000)
  })
  if (books && matchMedia('(max-width: 40em)').matches) {
    var shown = new Promise(function (resolve) {
      setTimeout(resolve, PRELOADER_MS)
    })
    var answers = [session, books].map(function (call) {
      return window.early[api + call]
        .then(function (response) {
          // The app reads the response itself.
          return response.ok ? response.clone().json() : {}
        })
        .catch(function () {
          // The app asks again and shows what failed.
          return {}
        })
    })
    var words = JSON.parse(places.early)[language]
    Promise.all([answers[0], shown]).then(function (both) {
      showHome(both[0], words)
      answers[1].then(function (answer) {
        showBooks(answer, words)
      })
    })
  }
})()
