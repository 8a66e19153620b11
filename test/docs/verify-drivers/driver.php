<?php
// Reads vectors, a line each, and answers true or false, a line each. The sample stands beside it as sample.php.
require __DIR__ . '/sample.php';

function items(string $list): array
{
    return array_filter(explode(',', $list), fn ($item) => $item !== '');
}

function value(string $item): string
{
    return base64_decode(substr($item, strpos($item, ':') + 1), true);
}

foreach (explode("\n", rtrim(stream_get_contents(STDIN), "\n")) as $line) {
    [$now, $secrets, $headers, $body] = explode("\t", $line);
    $named = [];
    foreach (items($headers) as $item) {
        $named[strstr($item, ':', true)] = value($item);
    }
    $known = array_map('value', array_values(items($secrets)));
    echo verify_webhook(value($body), $named, $known, (int) $now) ? "true\n" : "false\n";
}
