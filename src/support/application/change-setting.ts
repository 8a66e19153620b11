import type { FastifyReply } from 'fastify'
import { setBySupport } from '../../domain/support-requests/set-by-support-store.ts'
import { DEFINITIONS, type SupportSetting } from '../../domain/support-requests/setting-definitions.ts'
import type { SupportChange } from '../../domain/support-requests/setting-input.ts'
import { readReason } from '../../domain/support-requests/support-request.ts'
import {
  firstTexts,
  readSetting,
  readWanted,
  settingInWords,
  typedTexts,
} from '../../domain/support-requests/support-setting.ts'
import { parameterOf } from '../../http/path-parameter.ts'
import { notFound } from '../../http/problem.ts'
import { goDone } from '../threshold/done.ts'
import { sendFramed } from '../threshold/frame.ts'
import type { SupportRoute } from '../threshold/hang-routes.ts'
import type { SupportParts } from '../threshold/parts.ts'
import { type ChangeView, changeContent, previewContent } from './change-setting-view.ts'
import { type AtApplication, atApplication } from './in-application.ts'

const PATH = '/applications/:application/settings/:setting'
const SAME = 'It is so already: change something, or leave it.'
const MOVED = 'Somebody changed the setting since you looked at it. This is how it is now.'

/** One setting at a time: filled in with a reason, looked at as before → after, and then done. */
export function changeSettingRoutes(parts: SupportParts): SupportRoute[] {
  async function apply(visit: AtApplication): Promise<FastifyReply> {
    const { application, form, reply, doing } = visit
    const read = readChange(visit)
    if (read.outcome === 'faulty') return show(visit, 400, read.fields)
    const { change } = read
    if (form.get('seen') !== change.before) return preview(visit, 409, change, MOVED)
    const done = await setBySupport(parts.db, { applicationId: application.id, ...change }, doing)
    if (done.outcome === 'no-application') throw notFound()
    return goDone(reply, `/applications/${application.id}`, 'set')
  }

  return [
    {
      method: 'GET',
      path: PATH,
      who: 'staff',
      answer: atApplication(parts, async (visit) => {
        const setting = settingOf(visit)
        return show(visit, 200, { setting, texts: firstTexts(setting, visit.application), reason: '', faults: {} })
      }),
    },
    {
      method: 'POST',
      path: `${PATH}/preview`,
      who: 'staff',
      answer: atApplication(parts, async (visit) => {
        const read = readChange(visit)
        return read.outcome === 'faulty' ? show(visit, 400, read.fields) : preview(visit, 200, read.change, null)
      }),
    },
    { method: 'POST', path: PATH, who: 'staff-sensitive', answer: atApplication(parts, apply) },
  ]
}

type Fields = Pick<ChangeView, 'setting' | 'texts' | 'reason' | 'faults'>

type ReadChange = {
  setting: SupportSetting
  wanted: SupportChange
  reason: string
  before: string
  after: string
}

/** Everything that is wrong at once. */
function readChange(
  visit: AtApplication,
): { outcome: 'faulty'; fields: Fields } | { outcome: 'read'; change: ReadChange } {
  const { application, form } = visit
  const setting = settingOf(visit)
  const texts = typedTexts(setting, form.get)
  const { wanted, faults } = readWanted(setting, texts)
  const { text: reason, fault } = readReason(form.get('reason'), 'Say why; the team reads it.')
  const before = settingInWords(setting, application)
  const after = settingInWords(setting, { ...application, ...wanted })
  const isSame = Object.keys(faults).length === 0 && before === after
  const all = { ...faults, ...(fault !== null && { reason: fault }), ...(isSame && { page: SAME }) }
  if (Object.keys(all).length > 0)
    return { outcome: 'faulty', fields: { setting, texts, reason: form.get('reason') ?? '', faults: all } }
  return { outcome: 'read', change: { setting, wanted, reason, before, after } }
}

function show(visit: AtApplication, status: number, fields: Fields): FastifyReply {
  const { application, browser } = visit
  const content = changeContent({ csrf: browser.csrf, application, ...fields })
  return sendFramed(visit, status, { title: DEFINITIONS[fields.setting].label, place: null, content })
}

function preview(visit: AtApplication, status: number, change: ReadChange, error: string | null): FastifyReply {
  const { application, browser, form } = visit
  const typed = Object.fromEntries(form.names().map((name) => [name, form.get(name) ?? '']))
  const content = previewContent({ csrf: browser.csrf, application, ...change, typed, error })
  return sendFramed(visit, status, { title: DEFINITIONS[change.setting].label, place: null, content })
}

/** Suspending is done from the application's own page. */
function settingOf({ request }: AtApplication): SupportSetting {
  const setting = readSetting(parameterOf(request, 'setting'))
  if (setting === null || setting === 'suspension') throw notFound()
  return setting
}
