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
})
