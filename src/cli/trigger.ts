import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { exampleData } from '../domain/deliveries/example-data.ts'
import { EVENT_MEANINGS } from '../domain/webhooks/event-meanings.ts'
import { ALL_EVENTS, FACILITY_EVENTS } from '../domain/webhooks/event-names.ts'
import { columns } from '../platform/columns.ts'
import type { Command } from '../platform/command.ts'
import { OperatorError } from '../platform/operator-error.ts'
import type { Terminal } from '../platform/terminal.ts'
import { CONNECTION_OPTIONS, type Given, readArguments } from './arguments.ts'
import { awaitReached } from './await-reached.ts'
import { callApi } from './call-api.ts'
import { type Connection, connectionFrom, connectionOptions } from './connection.ts'
import { attemptsInWords, stateInWords } from './delivery.ts'
import { itemsOf, memberOf, numberOf, textOf } from './json-value.ts'
import { harmless, type Output, oneLine, outputFor, readInput } from './output.ts'
import { listWebhooks } from './webhooks.ts'

export const triggerCommand: Command = {
  help: `handover trigger <event> [--facility <id> | --user <id>] [--data <json> | --data-file <file>] [--wait <seconds>]
handover trigger --list

Makes an event happen in the sandbox. It reaches the webhooks of your application that would get it if it had really
happened, and nobody else's; its body says "test": true. What became of it is printed as soon as it is known.

  --facility    where it happens, for shift events: the first facility of a webhook that gets the event, or else the
                first that is connected to the application
  --user        whom it is about, for facility events: the first person who allowed the application
  --data        what is told of it, a JSON object; "-" reads it from standard input. Without it, an example is sent
  --data-file   the same from a file
  --wait        how long to wait for the answers of your receivers: 5 seconds; 0 for not at all
  --list        print the events that there are
  --url, --client-id, --json   as for every command; see "handover login --help"

Examples:
  handover trigger shift.created
  handover trigger shift.cancelled --data '{"shiftId":"4711","reason":"weather"}'
  handover trigger shift.created --json --wait 0`,
  run: async (terminal, args) => {
    const given = readArguments(args, {
      texts: [...CONNECTION_OPTIONS, 'facility', 'user', 'data', 'data-file', 'wait'],
      flags: ['list', 'json'],
    })
    const output = outputFor(terminal, { json: given.flag('json') })
    if (given.flag('list')) return list(output)
    const [type, ...others] = given.words
    if (type === undefined || others.length > 0)
      throw new OperatorError('trigger takes one event, such as shift.created; "handover trigger --list" prints them')
    if (!Object.hasOwn(EVENT_MEANINGS, type))
      throw new OperatorError(`There is no event "${harmless(type)}": "handover trigger --list" prints them.`)
    const data = await readData(terminal, given, type)
    const wait = readSeconds(given.text('wait') ?? '5')
    const connection = await connectionFrom(terminal, connectionOptions(given))
    await trigger(connection, output, { type, given, data, wait })
  },
}

function list(output: Output): void {
  const meanings = Object.entries(EVENT_MEANINGS)
  if (output.isJson) for (const [type, meaning] of meanings) output.record({ type, meaning }, '')
  else output.record(null, columns(meanings))
}

type Asked = { type: string; given: Given; data: string; wait: number }

async function trigger(connection: Connection, output: Output, { type, given, data, wait }: Asked): Promise<void> {
  const { name, value } = await subjectOf(connection, type, given)
  // Put together as text, so that the data arrives as it was given, to the byte.
  const bodyText = `{"type":${JSON.stringify(type)},"${name}":${JSON.stringify(value)},"data":${data}}`
  const answer = await callApi(connection, {
    method: 'POST',
    path: '/sandbox/events',
    bodyText,
    headers: { 'idempotency-key': randomUUID() },
  })
  const event = memberOf(answer, 'data')
  const eventId = textOf(event, 'id') ?? ''
  const count = numberOf(event, 'deliveries') ?? 0
  const { paint } = output
  if (!output.isJson)
    output.record(
      null,
      `${paint.bold(type)}  ${oneLine(eventId)}  ${name === 'facilityId' ? 'at' : 'about'} ${oneLine(value)}`,
    )
  if (count === 0)
    output.say('No webhook of this application gets it: register one, or "handover listen", and trigger it again.')
  else output.progress(`Waiting for ${count} ${count === 1 ? 'receiver' : 'receivers'} …`)
  const reached = await awaitReached(connection, { type, eventId, count, wait })
  if (output.isJson) {
    const deliveries = reached.map(({ webhook, delivery }) => ({
      webhookId: webhook.id,
      url: webhook.url,
      delivery: delivery.told,
    }))
    return output.record({ id: eventId, type, [name]: value, reached: count, deliveries }, '')
  }
  for (const { webhook, delivery } of reached)
    output.record(
      null,
      `  → ${oneLine(webhook.url)}  ${delivery.id}  ${stateInWords(delivery, paint)}  ${paint.faint(attemptsInWords(delivery.attempts))}`,
    )
}

type Subject = { name: 'facilityId' | 'userId'; value: string }

/** What was said, or else whatever makes it reach a webhook. */
async function subjectOf(connection: Connection, type: string, given: Given): Promise<Subject> {
  const isShift = FACILITY_EVENTS.some((each) => each === type)
  const name = isShift ? 'facilityId' : 'userId'
  const [own, other] = isShift ? ['facility', 'user'] : ['user', 'facility']
  if (given.text(other) !== undefined)
    throw new OperatorError(`${type} is about a ${isShift ? 'facility' : 'person'}: give --${own}, not --${other}.`)
  const value =
    given.text(own) ?? (isShift ? await facilityFor(connection, type) : null) ?? (await firstSubject(connection, own))
  if (value === null)
    throw new OperatorError(
      isShift
        ? 'No facility is connected to this application in the sandbox: connect one, or give --facility.'
        : 'Nobody has allowed this application in the sandbox: sign in to it as its test person (portal, Overview), or give --user.',
    )
  return { name, value }
}

async function facilityFor(connection: Connection, type: string): Promise<string | null> {
  const webhooks = await listWebhooks(connection)
  const getting = webhooks.filter(({ events }) => events.includes(type) || events.includes(ALL_EVENTS))
  const [first] = getting.toSorted((one, two) => Number(two.isEnabled) - Number(one.isEnabled))
  return first?.facilities[0] ?? null
}

async function firstSubject(connection: Connection, kind: string): Promise<string | null> {
  const answer = await callApi(connection, { method: 'GET', path: '/sandbox/subjects' })
  const [first] = itemsOf(memberOf(answer, 'data'), kind === 'facility' ? 'facilities' : 'users')
  return typeof first === 'string' ? first : null
}

async function readData(terminal: Terminal, given: Given, type: string): Promise<string> {
  const [text, file] = [given.text('data'), given.text('data-file')]
  if (text !== undefined && file !== undefined) throw new OperatorError('Give --data or --data-file, not both.')
  if (text === undefined && file === undefined) return exampleData(type)
  const raw =
    file !== undefined
      ? await readText(file)
      : text === '-'
        ? (await readInput(terminal, 'the data')).toString('utf8')
        : (text ?? '')
  try {
    JSON.parse(raw)
  } catch (error) {
    throw new OperatorError(`The data is not JSON: ${harmless(error instanceof Error ? error.message : '')}`)
  }
  return raw.trim()
}

async function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    throw new OperatorError(`${file} cannot be read.`, { cause: error })
  })
}

const LONGEST_WAIT = 600

function readSeconds(text: string): number {
  const seconds = Number(text)
  if (/^\d+(?:\.\d+)?$/.test(text) && seconds <= LONGEST_WAIT) return seconds
  throw new OperatorError(`--wait takes seconds, from 0 to ${LONGEST_WAIT}`)
}
