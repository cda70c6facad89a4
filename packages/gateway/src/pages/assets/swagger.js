// Swagger UI over our own contract: nothing is asked of any other host.
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
})
