// Mails about what support was asked for. Words that anybody typed are not in them: they are read on the page, after sign-in.

type SupportMail = { to: string; subject: string; text: string }

/** `setting` is our own name for it. */
export function requestAnsweredMail(
  to: string,
  { setting, verdict, link }: { setting: string; verdict: 'approved' | 'denied'; link: string },
): SupportMail {
  const outcome = verdict === 'approved' ? 'approved. It holds from now on' : 'not approved'
  return {
    to,
    subject: `Support ${verdict === 'approved' ? 'approved' : 'answered'} your request: ${setting}`,
    text: `Hello,

Your request about “${setting}” was ${outcome}. What support wrote is here:

${link}

Handover
`,
  }
}

/** Support ended the password; the owner chooses another one. `again` is where another link is asked for. */
export function passwordEndedMail(to: string, link: string, again: string): SupportMail {
  return {
    to,
    subject: 'Choose a new password for Handover',
    text: `Hello,

Support has reset the password of your account. The one you had works no more, and you are signed out everywhere. Choose
another one here:

${link}

The link works once and for 15 minutes. After that, ask for another one here:

${again}

Nobody from Handover will ever ask you for your password.

Handover
`,
  }
}

/** `reset` is where a new password is asked for. */
export function secondFactorRemovedMail(to: string, reset: string): SupportMail {
  return {
    to,
    subject: 'Two-factor sign-in of your account with Handover',
    text: `Hello,

Support has removed the second factor of your account. Your password alone is enough to sign in now; turn two-factor sign-in
on again as soon as you have your new phone.

If you did not ask for it, somebody else pretended to be you. Choose another password at once:

${reset}

Handover
`,
  }
}
