// Reads vectors, a line each, and answers true or false, a line each. The sample is the class WebhookVerifier beside it.
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Scanner;
import java.util.TreeMap;

public final class Driver {
    public static void main(String[] args) throws Exception {
        Scanner lines = new Scanner(System.in, StandardCharsets.UTF_8);
        while (lines.hasNextLine()) {
            String[] fields = lines.nextLine().split("\t", -1);
            List<String> secrets = new ArrayList<>();
            for (String item : fields[1].split(",")) if (!item.isEmpty()) secrets.add(text(item));
            // As HttpServletRequest.getHeader does it: names are the same in any case.
            Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
            for (String item : fields[2].split(","))
                if (!item.isEmpty()) headers.put(item.substring(0, item.indexOf(':')), text(item));
            Instant now = Instant.ofEpochSecond(Long.parseLong(fields[0]));
            System.out.println(WebhookVerifier.verify(bytes(fields[3]), headers::get, secrets, now));
        }
    }

    private static byte[] bytes(String item) {
        return Base64.getDecoder().decode(item.substring(item.indexOf(':') + 1));
    }

    private static String text(String item) {
        return new String(bytes(item), StandardCharsets.UTF_8);
    }
}
