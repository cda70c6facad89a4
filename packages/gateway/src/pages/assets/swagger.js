// Shows the gateway's own contract in Swagger UI. Nothing is requested from any other host.
const place = document.getElementById('swagger-ui')

/** A path is no link of its own: it is inside the button that opens the call, which sets the address already. */
const plainPaths = ({ React }) => ({
  wrapComponents: { DeepLink: () => (props) => React.createElement('span', null, props.text) },
})

/** Gives controls the names, and texts that scroll the place in the order of the keyboard, that Swagger UI leaves out. */
function completeControls() {
  for (const close of place.querySelectorAll('.close-modal')) close.setAttribute('aria-label', 'Close')
  for (const choice of place.querySelectorAll('.examples-select-element'))
    choice.setAttribute('aria-label', 'Example')
  for (const body of place.querySelectorAll('textarea')) body.setAttribute('aria-label', 'Request body')
  for (const text of place.querySelectorAll('pre')) text.tabIndex = 0
  // Its button "Authorize" has another name for screen readers than for eyes.
  for (const button of place.querySelectorAll('.modal-ux [type=submit]')) button.removeAttribute('aria-label')
}

/** Signs a visitor of the sandbox in, and opens the first group. The token is in the memory of Swagger UI only. */
async function startVisit() {
  const [first] = place.querySelectorAll('.opblock-tag')
  if (location.hash === '') first?.click()
  const response = await fetch(visitor, { method: 'POST' })
  if (response.ok) swagger.preauthorizeApiKey('bearer', (await response.json()).data.access_token)
}

new MutationObserver(completeControls).observe(place, { childList: true, subtree: true })

const { contract, visitor } = place.dataset

const swagger = window.SwaggerUIBundle({
  url: contract,
  domNode: place,
  docExpansion: 'none',
  validatorUrl: null,
  deepLinking: true,
  filter: true,
  persistAuthorization: false,
  tryItOutEnabled: visitor !== undefined,
  // Its colours for code are for a dark panel only.
  syntaxHighlight: false,
  presets: [window.SwaggerUIBundle.presets.apis],
  plugins: [plainPaths],
  layout: 'BaseLayout',
  onComplete: visitor && startVisit,
  // The contract names the gateway's public address; the page's own address is the one that this browser reaches.
  requestInterceptor(request) {
    const { pathname, search } = new URL(request.url, location.href)
    request.url = location.origin + pathname + search
    return request
  },
})
