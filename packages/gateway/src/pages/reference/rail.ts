import type { Language } from '../../contract/language.ts'
import type { DocumentedEndpoint } from '../../endpoint.ts'
import { renderCodeBlock } from '../docs/markdown.ts'
import { type Html, html } from '../html.ts'
import { fenceCode, formatSiteText, type Piece } from '../page.ts'
import { toCli } from './cli-sample.ts'
import { renderInlineCode } from './inline-code.ts'
import { renderRunnerData } from './runner-data.ts'
import { type EndpointSample, toCurl, toMcpCall, toSample } from './samples.ts'
import { toSdk } from './sdk-sample.ts'

/** A sample in one language. */
export interface Pane {
  readonly title: 'curl' | 'TypeScript' | 'CLI' | 'MCP'
  readonly code: string
  readonly lang: string
}

/**
 * Builds the samples of an endpoint and the response that they get. They follow the description on a phone, and stand
 * beside the page on a wide screen.
 */
export function buildRail(endpoint: DocumentedEndpoint, language: Language): Piece {
  const sample = toSample(endpoint)
  const panes = listPanes(endpoint, sample)
  const heading = formatSiteText(language, 'samples')
  const lead = formatSiteText(language, 'samples_lead')
  const response = sample.response && JSON.stringify(sample.response.body, null, 2)
  const caption =
    sample.response &&
    `${formatSiteText(language, 'answer')} ${formatSiteText(language, 'answer_status', { status: sample.response.status })}`
  const parts = [
    `## ${heading}`,
    lead,
    ...panes.map(({ title, code, lang }) => `**${title}**\n\n${fenceCode(code, lang)}`),
    ...(response === undefined ? [] : [`**${caption}**`, fenceCode(response, 'json')]),
  ]
  return {
    markdown: parts.join('\n\n'),
    brief: '',
    html: (_link, view) =>
      html`<section class="rail" aria-label="${heading}"${view.isSandbox ? renderRunnerData(endpoint, sample, view) : undefined}>${renderTabs(panes, heading)}${response === undefined ? undefined : renderCodeBlock(response, 'json', caption)}<p class="rail-note">${renderInlineCode(lead)}</p></section>`,
  }
}

/** Lists the samples that the page of an endpoint prints. */
export function listPanes(endpoint: DocumentedEndpoint, sample: EndpointSample): Pane[] {
  const found = [
    { title: 'curl', code: toCurl(sample), lang: 'sh' },
    { title: 'TypeScript', code: toSdk(endpoint, sample), lang: 'ts' },
    { title: 'CLI', code: toCli(endpoint, sample), lang: 'sh' },
    { title: 'MCP', code: toMcpCall(sample), lang: 'json' },
  ] as const
  return found.flatMap(({ code, ...pane }) => (code === undefined ? [] : [{ ...pane, code }]))
}

/** Renders tabs without scripts. Without style sheets, all panes are shown one below the other. */
function renderTabs(panes: readonly Pane[], legend: string): Html {
  const choices = panes.map(
    ({ title }, index) =>
      html`<input type="radio" name="sample" id="sample-${index}"${index === 0 ? html` checked` : undefined}><label for="sample-${index}">${title}</label>`,
  )
  const bodies = panes.map(({ code, lang }) => html`<div class="pane">${renderCodeBlock(code, lang)}</div>`)
  return html`<fieldset class="samples"><legend>${legend}</legend>${choices}<div class="panes">${bodies}</div></fieldset>`
}
