import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDatabaseAway } from './database-away.ts'

const coded = (code: string, more: object = {}) => Object.assign(new Error('it failed'), { code, ...more })

const away: Array<[string, unknown]> = [
  ['the server starts or stops', coded('57P03')],
  ['an administrator ended the connection', coded('57P01')],
  ['it crashed', coded('57P02')],
  ['the disk is full', coded('53100')],
  ['there are too many connections', coded('53300')],
  ['a statement took too long', coded('57014')],
  ['a standby was asked to write', coded('25006')],
  ['we were silent in a transaction', coded('25P03')],
  ['PgBouncer has no server', coded('08P01')],
  ['a deadlock', coded('40P01')],
  ['nobody listens', coded('ECONNREFUSED')],
  ['the socket of a server on this machine is gone', coded('ENOENT', { syscall: 'connect' })],
  ['no host takes writes', coded('NO_PRIMARY')],
  ['several addresses, none answers', new AggregateError([coded('ECONNREFUSED'), coded('ETIMEDOUT')])],
]
for (const [what, error] of away) test(`away: ${what}`, () => assert.equal(isDatabaseAway(error), true))

const others: Array<[string, unknown]> = [
  ['a table that is missing', coded('42P01')],
  ['a value that does not fit', coded('22001')],
  ['a row that is there twice', coded('23505')],
  ['a password that is wrong', coded('28P01')],
  ['a file that is missing', coded('ENOENT', { syscall: 'open' })],
  ['an error without a code', new Error('it failed')],
  ['what is no error', 'ECONNREFUSED'],
  ['nothing', undefined],
]
for (const [what, error] of others) test(`not away: ${what}`, () => assert.equal(isDatabaseAway(error), false))
