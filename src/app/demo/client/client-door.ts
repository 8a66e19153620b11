import type { FastifyReply, FastifyRequest } from 'fastify'
import { cookieJar } from '../../../http/cookies.ts'
import type { Door } from '../../../http/door.ts'
import { type Form, parseForm, takeFormsOnly } from '../../../http/form.ts'
import { sendPage } from '../../../http/page.ts'
import { postedForm } from '../../../http/posted-form.ts'
import { Problem } from '../../../http/problem.ts'
import { queryOf } from '../../../http/query.ts'
import { errorPage } from '../../../ui/error-page.ts'
import { discover } from './discovery.ts'
import { type ClientValues, FLOWS, type Flow, type FlowName, flowsOf } from './flow.ts'
import { fragmentPage } from './fragment-view.ts'
import { startPage } from './start-view.ts'
import { type Arrival, takeAnswer } from './take-answer.ts'
import { askUserinfo, exchangeCode, renewTokens } from './take-steps.ts'
import { newAsked, newWalk, type Standing, type Walk } from './walk.ts'
import { walkPage } from './walk-view.ts'
import { createWalks, LONGEST_WALK_SECONDS } from './walks.ts'

const COOKIE = 'demo-client'
const AT = '/demo/client'

/**
 * Somebody else's application in small: it signs people in with nothing but what an integrator has, and shows how (decision
 * A4). In demo mode only. The guard of what comes to a redirect URI is `state`, as it is for everybody.
 */
export function clientDoor(values: ClientValues): Door {
  const issuer = `${values.AUTH_URL}/oidc`
  const home = values.AUTH_URL + AT
  const flows = flowsOf(values)
  const walks = createWalks()
  const cookies = cookieJar(values.AUTH_URL.startsWith('https:'))

  const walkOf = (request: FastifyRequest) => walks.find(cookies.read(request, COOKIE))

  function start(reply: FastifyReply, said: { kind: 'error' | 'done'; text: string } | null): FastifyReply {
    return sendPage(reply, 200, startPage({ issuer, flows, notice: said }))
  }

  /** Another walk in this browser takes the place of the one before. */
  async function begin(request: FastifyRequest, reply: FastifyReply, flow: Flow, standing: Standing): Promise<Walk> {
    const found = await discover(issuer)
    if (found === null)
      throw new Problem(502, 'no_discovery', 'Nobody answers', `There is no discovery document at ${issuer}.`)
    const walk = newWalk(flow, found.discovery, found.step, standing)
    walks.forget(cookies.read(request, COOKIE))
    cookies.set(reply, COOKIE, walks.keep(walk), LONGEST_WALK_SECONDS)
    return walk
  }

  /** An answer that this browser waits for; or any other, which begins a walk of its own. */
  async function arrive(request: FastifyRequest, reply: FastifyReply, flow: Flow, arrival: Arrival) {
    const known = walkOf(request)
    if (known?.standing.at === 'asking' && known.flow.application === flow.application) {
      const { asked } = known.standing
      // At once, or a second answer could come in between.
      known.standing = { at: 'busy' }
      await takeAnswer(known, asked, arrival)
    } else await takeAnswer(await begin(request, reply, flow, { at: 'busy' }), null, arrival)
    return goOn(reply)
  }

  async function takeStep(request: FastifyRequest, reply: FastifyReply, step: (walk: Walk) => Promise<void>) {
    const walk = walkOf(request)
    if (walk !== null) {
      if (postedForm(request).get('csrf') !== walk.csrf)
        throw new Problem(403, 'form_expired', 'This form is out of date', 'Go back, reload the page and try again.')
      await step(walk)
    }
    return goOn(reply)
  }

  return {
    name: 'demo',
    prefix: AT,
    routes: (app) => {
      takeFormsOnly(app)

      app.get('', async (request, reply) => {
        // A cookie of 127.0.0.1 would not come back with an answer to localhost.
        if (`${request.protocol}://${request.host}` !== values.AUTH_URL) return reply.redirect(home, 302)
        const state = fieldsIn(queryOf(request))['state']
        const walk = walkOf(request)
        if (state === undefined || walk?.standing.at !== 'signed-in') return start(reply, null)
        if (state !== walk.standing.logoutState)
          return start(reply, { kind: 'error', text: 'The state is not the one that this browser was sent away with.' })
        walks.forget(cookies.read(request, COOKIE))
        return start(reply, {
          kind: 'done',
          text: 'Signed out, here and at the identity server. The state that came back is the one that was sent.',
        })
      })

      app.post('/start', async (request, reply) => {
        const flow = flows[flowName(postedForm(request))]
        await begin(request, reply, flow, { at: 'asking', asked: newAsked(flow) })
        return goOn(reply, 'next')
      })

      app.get('/walk', async (request, reply) => {
        const walk = walkOf(request)
        if (walk !== null) return sendPage(reply, 200, walkPage({ walk, person: values.NURSE_EMAIL, home }))
        return start(reply, {
          kind: 'error',
          text: 'There is no walk under way in this browser: it ended, or it is more than an hour old.',
        })
      })

      app.get('/callback', (request, reply) => {
        const answer = fieldsIn(queryOf(request))
        const at = flows.secret.application.redirectUri
        return arrive(request, reply, flows.secret, { method: 'GET', at, fragment: false, answer })
      })

      app.get('/spa', async (request, reply) => {
        const answer = fieldsIn(queryOf(request))
        const at = flows.pkce.application.redirectUri
        if (Object.keys(answer).length === 0) return sendPage(reply, 200, fragmentPage())
        return arrive(request, reply, flows.pkce, { method: 'GET', at, fragment: false, answer })
      })

      app.post('/spa', (request, reply) => {
        const answer = fieldsOf(postedForm(request))
        const at = flows['form-post'].application.redirectUri
        return arrive(request, reply, flows['form-post'], { method: 'POST', at, fragment: false, answer })
      })

      app.post('/fragment', (request, reply) => {
        const answer = fieldsIn((postedForm(request).get('fragment') ?? '').trim().replace(/^[^#]*#/, ''))
        const at = flows.fragment.application.redirectUri
        return arrive(request, reply, flows.fragment, { method: 'GET', at, fragment: true, answer })
      })

      app.post('/exchange', (request, reply) => takeStep(request, reply, exchangeCode))
      app.post('/userinfo', (request, reply) => takeStep(request, reply, askUserinfo))
      app.post('/refresh', (request, reply) => takeStep(request, reply, renewTokens))
    },
    answer: (problem, request, reply) =>
      sendPage(reply.headers(problem.headers), problem.status, errorPage(problem, request.id)),
  }
}

/** To the page with everything so far. What was posted, or stood in the address, stays behind. */
function goOn(reply: FastifyReply, place: 'now' | 'next' = 'now'): FastifyReply {
  return reply.redirect(`${AT}/walk#${place}`, 303)
}

function flowName(form: Form): FlowName {
  const asked = form.get('flow')
  return FLOWS.find((name) => name === asked) ?? 'pkce'
}

/** Nothing for what cannot be read, and nothing that came twice. */
function fieldsIn(text: string): Record<string, string> {
  const outcome = parseForm(text)
  return outcome.kind === 'form' && outcome.repeated.length === 0 ? fieldsOf(outcome.form) : {}
}

function fieldsOf(form: Form): Record<string, string> {
  return Object.fromEntries(form.names().flatMap((name) => (form.has(name) ? [[name, form.get(name) ?? '']] : [])))
}
