/** Mail as plain text; what it says is the sender's business. */
export type Mail = { to: string; subject: string; text: string }

export type Mailer = { send: (mail: Mail) => Promise<void> }
