// Reads vectors, a line each, and answers true or false, a line each. The sample is the class WebhookVerifier beside it.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;

public static class Driver
{
    public static void Main()
    {
        string line;
        while ((line = Console.ReadLine()) != null)
        {
            string[] fields = line.Split('\t');
            List<string> secrets = Items(fields[1]).Select(Value).ToList();
            // As IHeaderDictionary does it: names are the same in any case.
            var headers = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase);
            foreach (string item in Items(fields[2])) headers[item.Substring(0, item.IndexOf(':'))] = Value(item);
            Func<string, string> header = name => headers.TryGetValue(name, out string value) ? value : null;
            DateTimeOffset now = DateTimeOffset.FromUnixTimeSeconds(long.Parse(fields[0]));
            Console.WriteLine(WebhookVerifier.Verify(Bytes(fields[3]), header, secrets, now) ? "true" : "false");
        }
    }

    private static IEnumerable<string> Items(string list)
    {
        return list.Split(',').Where(item => item != "");
    }

    private static byte[] Bytes(string item)
    {
        return Convert.FromBase64String(item.Substring(item.IndexOf(':') + 1));
    }

    private static string Value(string item)
    {
        return Encoding.UTF8.GetString(Bytes(item));
    }
}
