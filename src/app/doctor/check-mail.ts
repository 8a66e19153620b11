import { mailServerFault, smtpMailer } from '../../platform/mail.ts'
import { type Finding, ok, warning, wrong } from './finding.ts'
import type { Asked, Patient } from './patient.ts'

/** Without `--mail-to` the server is greeted and signed in to, and no mail is sent. */
export async function checkMail({ config }: Patient, { mailTo }: Asked): Promise<Finding[]> {
  const { mail, demo } = config
  if (mail === null) {
    if (demo) return [ok('mail', 'demo mode keeps mails at /demo/mailbox')]
    const says =
      'there is no mail server: nobody can sign up or reset a password, and no owner hears of a failing webhook'
    return [warning('mail', says, 'Set HANDOVER_SMTP_URL and HANDOVER_MAIL_FROM.')]
  }
  const { hostname } = new URL(mail.smtpUrl)
  const fault = await mailServerFault(mail.smtpUrl)
  if (fault !== null) return [wrong('mail', `${hostname} refuses us: ${fault}`, adviceOn(fault))]
  if (mailTo === null) return [ok('mail', `${hostname} takes us; "--mail-to" sends a mail to be sure`)]
  return [await sendOne(mail, mailTo, hostname)]
}

async function sendOne(mail: { smtpUrl: string; from: string }, to: string, hostname: string): Promise<Finding> {
  try {
    await smtpMailer(mail.smtpUrl, mail.from).send({
      to,
      subject: 'Handover can send mail',
      text: 'Somebody ran "handover doctor --mail-to" with this address. There is nothing to do.',
    })
    return ok('mail', `${hostname} took a mail for ${to}; see whether it arrives`)
  } catch (error) {
    const says = error instanceof Error ? error.message : 'The mail server did not take a mail'
    return wrong('mail', says, 'See whether the server lets HANDOVER_MAIL_FROM send to that address.')
  }
}

function adviceOn(fault: string): string {
  if (fault.startsWith('EAUTH')) return 'Correct user and password in HANDOVER_SMTP_URL.'
  if (fault.startsWith('ETLS')) return 'Use smtps://, or let the server offer STARTTLS with a certificate for its name.'
  return 'Correct host and port in HANDOVER_SMTP_URL, and see whether a firewall stands between.'
}
