import { once } from 'node:events'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'

/** An SMTP server that keeps all mails, or refuses all recipients. */
export class MailServer {
  readonly #server: Server
  readonly #received: string[] = []
  /** Answer to every recipient, in place of Ok. */
  refuse: string | null = null

  private constructor() {
    this.#server = createServer((socket) => this.#converse(socket))
  }

  static async start(): Promise<MailServer> {
    const it = new MailServer()
    it.#server.listen(0, '127.0.0.1')
    await once(it.#server, 'listening')
    return it
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  stop(): void {
    this.#server.close()
  }

  /** Waits for a mail with a link to a new password and returns the link. */
  link(): Promise<string> {
    const last = () => /http:\/\/\S+\/library\/reset#[\w-]+/.exec(this.#texts().at(-1) ?? '')?.[0]
    return arrived('a link to a new password', last)
  }

  /** Waits for mail number `count` that asks to confirm an address and returns its link. */
  confirmation(address: string, count: number): Promise<string> {
    const links = () =>
      this.#texts()
        .filter((text) => text.includes(`To: ${address}\r\n`))
        .map((text) => /http:\/\/\S+\/library\/confirm\/[\w-]+/.exec(text)?.[0])
        .filter((link) => link !== undefined)
    return arrived(`link ${count} to confirm ${address}`, () => links()[count - 1])
  }

  /** Waits for the mail with a sign-in code to this address and returns the code. */
  code(address: string): Promise<string> {
    const mail = () =>
      this.#texts().find((text) => text.includes(`To: ${address}\r\n`) && text.includes('Code: ')) ?? ''
    return arrived(`a sign-in code for ${address}`, () => /^Code: (\S+)/m.exec(mail())?.[1])
  }

  /** Waits for a mail with these words and returns its address that ends such mails. */
  unsubscribe(words: string): Promise<string> {
    const mail = () => this.#texts().find((text) => text.includes(words)) ?? ''
    return arrived(words, () => /List-Unsubscribe: <([^>]+)>/.exec(mail())?.[1])
  }

  /** Mails so far, without the line breaks of quoted-printable text and of long headers. */
  #texts(): string[] {
    return this.#received.map((mail) =>
      mail
        .replaceAll('=\r\n', '')
        .replaceAll(/\r\n[ \t]/g, ' ')
        .replaceAll('=3D', '='),
    )
  }

  #converse(socket: Socket): void {
    let rest = ''
    let mail: string | null = null
    const say = (line: string) => socket.write(`${line}\r\n`)
    socket.on('error', () => socket.destroy())
    say('220 test ESMTP')
    socket.setEncoding('utf8').on('data', (text: string) => {
      rest += text
      for (let end = rest.indexOf('\r\n'); end >= 0; end = rest.indexOf('\r\n')) {
        const line = rest.slice(0, end)
        rest = rest.slice(end + 2)
        if (mail !== null && line !== '.') mail += `${line}\r\n`
        else if (mail !== null) {
          this.#received.push(mail)
          mail = null
          say('250 2.0.0 Queued')
        } else if (line === 'DATA') {
          mail = ''
          say('354 Go on')
        } else if (line.startsWith('RCPT')) say(this.refuse ?? '250 2.1.5 Ok')
        else say(line === 'QUIT' ? '221 2.0.0 Bye' : '250 2.0.0 Ok')
      }
    })
  }
}

async function arrived(what: string, find: () => string | undefined): Promise<string> {
  for (let tries = 0; tries < 300; tries += 1) {
    const found = find()
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`no mail with ${what} arrived`)
}
