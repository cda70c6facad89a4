// Shows the gateway's own contract in Swagger UI. Nothing is requested from any other host.
const place = document.getElementById('swagger-ui')
window.SwaggerUIBundle({
  url: place.dataset.contract,
  domNode: place,
  docExpansion: 'none',
  validatorUrl: null,
  deepLinking: true,
  filter: true,
  persistAuthorization: false,
  tryItOutEnabled: false,
  presets: [window.SwaggerUIBundle.presets.apis],
  layout: 'BaseLayout',
  // The contract names the gateway's public address; the page's own address is the one that this browser reaches.
  requestInterceptor(request) {
    const { pathname, search } = new URL(request.url, location.href)
    request.url = location.origin + pathname + search
    return request
  },
})
