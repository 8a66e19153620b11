import assert from 'node:assert/strict'
import { test } from 'node:test'
import { html } from './html.ts'

test('what is filled in is text, whatever it looks like', () => {
  const hostile = `<script>alert("1")</script>&'`
  assert.equal(html`<p>${hostile}</p>`.toString(), '<p>&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;</p>')
})

test('markup inside markup stays markup, lists are joined, nothing is nothing', () => {
  const items = ['a', 'b<'].map((item) => html`<li>${item}</li>`)
  assert.equal(html`<ul>${items}</ul>${null}${false}${0}`.toString(), '<ul><li>a</li><li>b&lt;</li></ul>0')
})

test('a backslash in the template is taken as it stands in the file', () => {
  assert.equal(html`a\u0041${'\\'}`.toString(), 'aA\\')
})
