import type { ApiOperation } from './read-reference.ts'

/** A call that can be pasted: addresses and secrets are variables of the shell, named as `data/demo.env` names them. */
export function curlSample({ method, path, body, parameters }: ApiOperation, key: string): string {
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${shellName(name)}`)
  const query = parameters.filter(({ place, required }) => place === 'query' && required).map(({ name }) => `${name}=…`)
  const options = [
    `"$BASE_URL${address}${query.length > 0 ? `?${query.join('&')}` : ''}"`,
    `-H "Authorization: Bearer $${key}"`,
    ...(body === null
      ? []
      : [
          `-H 'Content-Type: application/json'`,
          `-d '${JSON.stringify(body.example).replaceAll("'", String.raw`'\''`)}'`,
        ]),
  ]
  const verb = method === 'GET' || (method === 'POST' && body !== null) ? '' : ` -X ${method}`
  return `curl${verb} ${options.join(' \\\n  ')}`
}

/** `webhookId` is `WEBHOOK_ID`. */
export function shellName(name: string): string {
  return name.replaceAll(/([A-Z])/g, '_$1').toUpperCase()
}
