import type { ApplicationType } from '../../domain/applications/application.ts'

/** Each type as its makers would say it, and what it means for them. */
const WORDS: Record<ApplicationType, { label: string; about: string; means: readonly string[] }> = {
  web: {
    label: 'Web application',
    about: 'People sign in on our pages, and your back end gets their tokens.',
    means: [
      'It has a client secret, which only your back end knows.',
      'People come back to a redirect URI of yours with a code, which your back end exchanges for tokens.',
      'It stays signed in for people who are away, when it asks for offline_access.',
    ],
  },
  spa: {
    label: 'Single-page application',
    about: 'People sign in on our pages, and the page in their browser gets their tokens.',
    means: [
      'It has no client secret: everybody can read what a browser runs. PKCE protects the code instead.',
      'People come back to a redirect URI of yours with a code, which the page exchanges for tokens.',
      'Its web origins have to be registered, or the browser does not let the page call us.',
    ],
  },
  native: {
    label: 'App on a phone or computer',
    about: 'People sign in on our pages in their browser, and the app gets their tokens.',
    means: [
      'It has no client secret: everybody can take an app apart. PKCE protects the code instead.',
      'People come back by https, by a loopback address of any port, or by a scheme of your own such as com.example.app:',
      'People are asked every time whether they allow it, unless it comes back by https.',
    ],
  },
  machine: {
    label: 'Machine-to-machine application',
    about: 'Your back end acts for itself, and nobody signs in.',
    means: [
      'It has a client secret, which only your back end knows.',
      'It gets tokens by client credentials. Support turns that on: you can ask for it as soon as the application is made.',
      'It sees the facilities that are connected to it, and no person’s.',
    ],
  },
}

export function typeInWords(type: ApplicationType): string {
  return WORDS[type].label
}

export function typeAbout(type: ApplicationType): string {
  return WORDS[type].about
}

export function typeMeans(type: ApplicationType): readonly string[] {
  return WORDS[type].means
}
