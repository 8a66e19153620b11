import { API_SCOPES } from '../applications/application.ts'
import { MOST_REDIRECT_URIS, redirectUriFault } from '../applications/redirect-uri.ts'
import { ENVIRONMENTS } from '../environment.ts'
import { lines, oneOf, onOff, type SettingInput, severalOf, wholeNumber } from './setting-input.ts'

/** In the order in which they are shown. */
export const SUPPORT_SETTINGS = [
  'client-credentials',
  'password-grant',
  'token-authentication',
  'api-scopes',
  'environments',
  'first-party',
  'post-logout-uris',
  'refresh-lifetime',
  'refresh-rotation',
  'refresh-leeway',
  'token-rate',
  'api-rate',
  'webhook-limits',
  'suspension',
] as const

export type SupportSetting = (typeof SUPPORT_SETTINGS)[number]

type Definition = { label: string; about: string; inputs: readonly SettingInput[] }

const DAY = 86_400

/** Each with what it means, and how it is typed and read. */
export const DEFINITIONS: Record<SupportSetting, Definition> = {
  'client-credentials': {
    label: 'Client credentials',
    about: 'Tokens for the application itself, without a person: for back ends that work at night.',
    inputs: [
      onOff(
        { name: 'clientCredentials', label: 'Client credentials' },
        { on: 'The application gets tokens of its own', off: 'Only people’s tokens' },
        { of: (settings) => settings.clientCredentials, as: (clientCredentials) => ({ clientCredentials }) },
      ),
    ],
  },
  'password-grant': {
    label: 'Password grant',
    about: 'People type their password into your application. Only for moving from an older system.',
    inputs: [
      onOff(
        { name: 'passwordGrant', label: 'Password grant' },
        { on: 'Tokens for a user name and password', off: 'People sign in on our pages' },
        { of: (settings) => settings.passwordGrant, as: (passwordGrant) => ({ passwordGrant }) },
      ),
    ],
  },
  'token-authentication': {
    label: 'Authentication at the token endpoint',
    about: 'How the application proves itself when it exchanges codes, passwords and refresh tokens.',
    inputs: [
      oneOf(
        { name: 'tokenEndpointAuthentication', label: 'Authentication at the token endpoint' },
        [
          { value: 'either', label: 'Secret, either way', hint: 'In the header or in the form' },
          { value: 'basic', label: 'Secret in the header', hint: 'HTTP Basic, client_secret_basic' },
          { value: 'post', label: 'Secret in the form', hint: 'client_secret_post' },
          { value: 'none', label: 'No secret', hint: 'For what runs on people’s devices; PKCE is required' },
        ],
        {
          of: (settings) => settings.tokenEndpointAuthentication,
          as: (tokenEndpointAuthentication) => ({ tokenEndpointAuthentication }),
        },
      ),
    ],
  },
  'api-scopes': {
    label: 'API scopes',
    about: 'What the application may do at the public API.',
    inputs: [
      severalOf(
        { name: 'apiScopes', label: 'API scopes' },
        API_SCOPES.map((value) => ({
          value,
          label: value,
          hint: value === 'marketplace:read' ? 'Read webhooks and deliveries' : 'Register and change webhooks',
        })),
        { of: (settings) => settings.apiScopes, as: (apiScopes) => ({ apiScopes }) },
      ),
    ],
  },
  environments: {
    label: 'Environments',
    about: 'Where the application may get tokens for the API.',
    inputs: [
      severalOf(
        { name: 'environments', label: 'Environments' },
        ENVIRONMENTS.map((value) => ({
          value,
          label: value === 'sandbox' ? 'Sandbox' : 'Production',
          hint: value === 'sandbox' ? 'Test data' : 'Real facilities and people',
        })),
        { of: (settings) => settings.environments, as: (environments) => ({ environments }) },
      ),
    ],
  },
  'first-party': {
    label: 'First-party application',
    about: 'For the marketplace’s own applications: people are not asked for their consent.',
    inputs: [
      onOff(
        { name: 'firstParty', label: 'First-party application' },
        { on: 'No consent screen', off: 'People are asked once' },
        { of: (settings) => settings.firstParty, as: (firstParty) => ({ firstParty }) },
      ),
    ],
  },
  'post-logout-uris': {
    label: 'Logout URLs',
    about: 'Where people may be sent after they signed out (post_logout_redirect_uri).',
    inputs: [
      lines(
        {
          name: 'postLogoutRedirectUris',
          label: 'Logout URLs',
          hint: `The whole list, one on each line, at most ${MOST_REDIRECT_URIS}. They are compared to the letter.`,
        },
        {
          of: (settings) => settings.postLogoutRedirectUris,
          as: (postLogoutRedirectUris) => ({ postLogoutRedirectUris }),
          most: MOST_REDIRECT_URIS,
          // Support sees what kind of application it is; a scheme of its own is for native ones.
          faultOf: (uri) => redirectUriFault('native', uri),
        },
      ),
    ],
  },
  'refresh-lifetime': {
    label: 'Lifetime of refresh tokens',
    about: 'How long somebody stays connected without signing in again, counted from the first token.',
    inputs: [
      wholeNumber(
        { name: 'refreshLifetimeDays', label: 'Lifetime' },
        {
          least: 1,
          most: 365,
          unit: 'days',
          of: (settings) => settings.refreshLifetimeSeconds / DAY,
          as: (days) => ({ refreshLifetimeSeconds: days * DAY }),
        },
      ),
    ],
  },
  'refresh-rotation': {
    label: 'Rotation of refresh tokens',
    about: 'Whether each use gives a new token and makes the one before useless.',
    inputs: [
      onOff(
        { name: 'refreshRotating', label: 'Rotation' },
        { on: 'A stolen token is noticed when it is used twice', off: 'The same token until it expires' },
        { of: (settings) => settings.refreshRotating, as: (refreshRotating) => ({ refreshRotating }) },
      ),
    ],
  },
  'refresh-leeway': {
    label: 'Leeway of rotation',
    about: 'How long a repeated refresh gets the same answer, for answers that were lost on the way.',
    inputs: [
      wholeNumber(
        { name: 'refreshLeewaySeconds', label: 'Leeway' },
        {
          least: 0,
          most: 60,
          unit: 'seconds',
          of: (settings) => settings.refreshLeewaySeconds,
          as: (refreshLeewaySeconds) => ({ refreshLeewaySeconds }),
        },
      ),
    ],
  },
  'token-rate': {
    label: 'Rate limit of the token endpoint',
    about: 'How many token requests the application may make.',
    inputs: [
      wholeNumber(
        { name: 'ratePerSecond', label: 'Requests per second' },
        {
          least: 1,
          most: 10_000,
          unit: 'per second',
          of: (settings) => settings.ratePerSecond,
          as: (ratePerSecond) => ({ ratePerSecond }),
        },
      ),
      wholeNumber(
        { name: 'rateBurst', label: 'Burst' },
        {
          least: 1,
          most: 20_000,
          unit: 'at once',
          of: (settings) => settings.rateBurst,
          as: (rateBurst) => ({ rateBurst }),
        },
      ),
    ],
  },
  'api-rate': {
    label: 'Rate limit of the public API',
    about: 'How many calls the application may make, in each environment.',
    inputs: [
      wholeNumber(
        { name: 'apiRatePerSecond', label: 'Calls per second' },
        {
          least: 1,
          most: 10_000,
          unit: 'per second',
          of: (settings) => settings.apiRatePerSecond,
          as: (apiRatePerSecond) => ({ apiRatePerSecond }),
        },
      ),
      wholeNumber(
        { name: 'apiRateBurst', label: 'Burst' },
        {
          least: 1,
          most: 20_000,
          unit: 'at once',
          of: (settings) => settings.apiRateBurst,
          as: (apiRateBurst) => ({ apiRateBurst }),
        },
      ),
    ],
  },
  'webhook-limits': {
    label: 'Number of webhooks',
    about: 'How many webhooks of each kind there may be, in each environment.',
    inputs: [
      wholeNumber(
        { name: 'webhooksPerApplication', label: 'Of the application' },
        {
          least: 0,
          most: 10_000,
          unit: 'for the application',
          of: (settings) => settings.webhooksPerApplication,
          as: (webhooksPerApplication) => ({ webhooksPerApplication }),
        },
      ),
      wholeNumber(
        { name: 'webhooksPerPerson', label: 'Of each person' },
        {
          least: 0,
          most: 1_000,
          unit: 'for each person',
          of: (settings) => settings.webhooksPerPerson,
          as: (webhooksPerPerson) => ({ webhooksPerPerson }),
        },
      ),
    ],
  },
  suspension: {
    label: 'Suspension',
    about: 'A suspended application gets no tokens, and nothing is delivered to it; what comes is held.',
    inputs: [
      oneOf(
        { name: 'suspended', label: 'Suspension' },
        [
          { value: 'active', label: 'Active', hint: 'The application works' },
          { value: 'suspended', label: 'Suspended', hint: 'It gets no tokens and no deliveries' },
        ],
        {
          of: (settings) => (settings.suspended ? 'suspended' : 'active'),
          as: (state) => ({ suspended: state === 'suspended' }),
        },
      ),
    ],
  },
}
