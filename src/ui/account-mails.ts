// Mails about an account, of a person or an integrator alike; the addresses in them are the door's to say.
// What strangers typed is never repeated in a mail, or we would carry their words to anybody's mailbox.

/** Plain text, and whom it is for. */
type AccountMail = { to: string; subject: string; text: string }

const FAREWELL = 'Handover'

/** The six digits stand on a line of their own, where people and mail programs find them. */
export function codeMail(to: string, code: string): AccountMail {
  return {
    to,
    subject: `${code} is your code for Handover`,
    text: `Hello,

To create your account, type this code in the browser in which you began:

${code}

It is good for 15 minutes. Nobody from Handover will ever ask you for it.
If it was not you, do nothing: without the code there will be no account.

${FAREWELL}
`,
  }
}

/** In place of a code, so that only the owner of the address learns that it has an account (decision B22). */
export function addressKnownMail(to: string, resetUrl: string): AccountMail {
  return {
    to,
    subject: 'You already have an account with Handover',
    text: `Hello,

Somebody tried to create an account with this e-mail address. It has one already, so nothing was changed.

If it was you, sign in with the password you have, or choose a new one:

${resetUrl}

If it was not you, you need not do anything.

${FAREWELL}
`,
  }
}

export function resetMail(to: string, link: string): AccountMail {
  return {
    to,
    subject: 'Choose a new password for Handover',
    text: `Hello,

Somebody, probably you, asked for a new password. Choose it here:

${link}

The link works once and for 15 minutes.
If it was not you, do nothing: your password stays as it is.

${FAREWELL}
`,
  }
}

const TWO_FACTOR = {
  on: 'Two-factor sign-in was turned on for your account. From now on you are asked for a code after your password.',
  off: 'Two-factor sign-in was turned off for your account. Your password alone is enough to sign in now.',
  'new-codes': 'New recovery codes were made for your account. The ones before stopped working.',
}

export function twoFactorMail(to: string, resetUrl: string, what: keyof typeof TWO_FACTOR): AccountMail {
  return {
    to,
    subject: 'Two-factor sign-in of your account with Handover',
    text: `Hello,

${TWO_FACTOR[what]}

If it was not you, somebody else knows your password. Choose another at once:

${resetUrl}

${FAREWELL}
`,
  }
}

const PASSKEY = {
  added: 'A passkey was added to your account. Whoever has it can sign in with it, without a password or a code.',
  removed: 'A passkey was removed from your account. Nobody can sign in with it any more.',
}

export function passkeyMail(to: string, passkeysUrl: string, what: keyof typeof PASSKEY): AccountMail {
  return {
    to,
    subject: 'Passkeys of your account with Handover',
    text: `Hello,

${PASSKEY[what]}

If it was not you, somebody else is in your account. Look through your passkeys, and change your password at once:

${passkeysUrl}

${FAREWELL}
`,
  }
}

/** `passkeys` is how many there are: a new password does not end them, and whoever got in may have added one. */
export function passwordChangedMail(to: string, resetUrl: string, signedOut: string, passkeys = 0): AccountMail {
  return {
    to,
    subject: 'Your password for Handover was changed',
    text: `Hello,

The password of your account was changed just now. ${signedOut} were signed out.${passkeys > 0 ? '\nYour passkeys go on working: remove any that you do not know.' : ''}

If it was not you, somebody else may be in your account or read your mail. Choose another password at once:

${resetUrl}

${FAREWELL}
`,
  }
}
