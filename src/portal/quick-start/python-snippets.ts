import { codeQuoted } from './quoted.ts'
import type { QuickValues } from './values.ts'

/** The standard library alone. */
export function pythonApi({ application, issuer, apiUrl, audience, environment }: QuickValues): string {
  const asPost = application.tokenEndpointAuthentication === 'post'
  const id = codeQuoted(application.id)
  const proof = asPost
    ? `form = {
    "grant_type": "client_credentials",
    "audience": ${codeQuoted(audience)},
    "client_id": ${id},
    "client_secret": os.environ["CLIENT_SECRET"],
}
tokens = call(${codeQuoted(`${issuer}/oauth/token`)}, urllib.parse.urlencode(form).encode(), {})`
    : `basic = base64.b64encode((${id} + ":" + os.environ["CLIENT_SECRET"]).encode()).decode()
form = {"grant_type": "client_credentials", "audience": ${codeQuoted(audience)}}
tokens = call(
    ${codeQuoted(`${issuer}/oauth/token`)},
    urllib.parse.urlencode(form).encode(),
    {"Authorization": "Basic " + basic},
)`
  const token = application.clientCredentials
    ? `${proof}
token = tokens["access_token"]`
    : `# From a sign-in, as above.
token = os.environ["ACCESS_TOKEN"]`
  const event =
    environment === 'sandbox'
      ? `

# In sandbox you can make an event happen.
event = {"type": "shift.created", "facilityId": webhook["facilities"][0], "data": {"shiftId": "4711"}}
print(call(API + "/sandbox/events", json.dumps(event).encode(), headers)["data"])`
      : ''
  return `import base64, json, os, urllib.parse, urllib.request

API = ${codeQuoted(apiUrl)}


def call(url, body, headers):
    request = urllib.request.Request(url, body, headers, method="POST")
    with urllib.request.urlopen(request) as response:
        return json.load(response)


${token}
headers = {"Authorization": "Bearer " + token, "Content-Type": "application/json"}

wanted = {
    "url": os.environ.get("WEBHOOK_URL", "https://example.com/handover"),
    "events": ["shift.created"],
    "facilities": [],
    "secrets": [],
}
webhook = call(API + "/webhooks/facility", json.dumps(wanted).encode(), headers)["data"]
print("registered", webhook["id"])  # webhook["secrets"][0] is what you verify with: keep it${event}`
}

export const PYTHON_RECEIVER = `import base64, hashlib, hmac, http.server, json, os, time

# The part after whsec_ is base64 of the key.
KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))


def verify(headers, body):
    if abs(time.time() - int(headers["webhook-timestamp"])) > 300:
        raise ValueError("too old")
    # The body as it came. Parsed and written again it is another text, and the signature does not fit.
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest()).decode()
    if not any(hmac.compare_digest(expected, given) for given in headers["webhook-signature"].split(" ")):
        raise ValueError("wrong signature")
    return json.loads(body)


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        try:
            event = verify(self.headers, body)
            print(event["type"], event["id"], flush=True)
            self.send_response(204)
        except (KeyError, TypeError, ValueError):
            self.send_response(400)
        self.end_headers()


http.server.HTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8080"))), Receiver).serve_forever()`
