import { createHash, createSign, generateKeyPairSync, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export const CLIENT = 'library'
export const SECRET = 'a secret of the tests'

const encoded = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url')

/** A college's sign-in provider (OpenID Connect): one page with a button that signs in the user chosen by the test. */
export class Provider {
  readonly #server: Server
  readonly #key = generateKeyPairSync('rsa', { modulusLength: 2048 })
  readonly #codes = new Map<string, { nonce: string; challenge: string }>()
  /** Claims of its tokens. */
  claims: Record<string, unknown> = {}

  private constructor(server: Server) {
    this.#server = server
  }

  static async start(): Promise<Provider> {
    const server = createServer()
    const provider = new Provider(server)
    server.on('request', (request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const [kind, body] = provider.#answer(
          new URL(request.url ?? '/', provider.url),
          Buffer.concat(chunks).toString(),
        )
        response.writeHead(kind === '' ? 404 : 200, { 'Content-Type': kind }).end(body)
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return provider
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Options of a library that signs in with this provider. */
  get options(): string[] {
    return [
      `--oidc-issuer=${this.url}`,
      `--oidc-client-id=${CLIENT}`,
      '--oidc-label=College account',
      '--oidc-email-domains=college.test,demo.library',
    ]
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #answer({ pathname, searchParams }: URL, body: string): [kind: string, body: string] {
    const json = (value: object): [string, string] => ['application/json', JSON.stringify(value)]
    switch (pathname) {
      case '/.well-known/openid-configuration':
        return json({
          issuer: this.url,
          authorization_endpoint: `${this.url}/authorize`,
          token_endpoint: `${this.url}/token`,
          jwks_uri: `${this.url}/keys`,
        })
      case '/keys':
        return json({
          keys: [{ ...this.#key.publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' }],
        })
      case '/authorize':
        return ['text/html; charset=utf-8', this.#page(searchParams)]
      case '/token':
        return json(this.#token(new URLSearchParams(body)))
      default:
        return ['', '']
    }
  }

  #page(asked: URLSearchParams): string {
    const [code, back] = [randomUUID(), new URL(asked.get('redirect_uri') ?? '')]
    this.#codes.set(code, { nonce: asked.get('nonce') ?? '', challenge: asked.get('code_challenge') ?? '' })
    const state = asked.get('state') ?? ''
    const link = (parameters: Record<string, string>) =>
      `${back.href}?${new URLSearchParams({ state, ...parameters }).toString().replaceAll('&', '&amp;')}`
    return `<!doctype html><html lang="en"><title>College</title><link rel="icon" href="data:,"><h1>College</h1>
      <a href="${link({ code })}">Go on</a> <a href="${link({ error: 'access_denied' })}">Give up</a>`
  }

  #token(form: URLSearchParams): object {
    const code = this.#codes.get(form.get('code') ?? '')
    this.#codes.delete(form.get('code') ?? '')
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (code?.challenge !== challenge) return { error: 'invalid_grant' }
    const now = Math.floor(Date.now() / 1000)
    const claims = { iss: this.url, aud: CLIENT, iat: now, exp: now + 300, nonce: code.nonce, ...this.claims }
    const signed = `${encoded({ alg: 'RS256', kid: 'one' })}.${encoded(claims)}`
    const signature = createSign('sha256').update(signed).sign(this.#key.privateKey, 'base64url')
    return { access_token: 'a', token_type: 'Bearer', id_token: `${signed}.${signature}` }
  }
}
