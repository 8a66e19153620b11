# Reads vectors, a line each, and answers true or false, a line each. The sample stands beside it as sample.rb.
require_relative "sample"

def part(item)
  name, encoded = item.split(":", 2)
  [name, encoded.unpack1("m0").force_encoding("UTF-8")]
end

def items(list)
  list.split(",").reject(&:empty?).map { |item| part(item) }
end

$stdin.read.chomp.split("\n").each do |line|
  now, secrets, headers, body = line.split("\t", -1)
  puts verify_webhook(part(body).last, items(headers).to_h, items(secrets).map(&:last), now: Time.at(now.to_i))
end
