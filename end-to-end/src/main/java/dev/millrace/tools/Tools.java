package dev.millrace.tools;

import dev.millrace.tools.bench.Bench;
import dev.millrace.tools.demo.Demo;
import java.util.Arrays;

/** Entry point of the tools' jar: {@code demo ..} or {@code bench ..}. */
public final class Tools {

  private Tools() {}

  public static void main(String[] args) throws Exception {
    String[] rest = args.length == 0 ? args : Arrays.copyOfRange(args, 1, args.length);
    switch (args.length == 0 ? "" : args[0]) {
      case "demo" -> System.exit(Demo.run(rest));
      case "bench" -> System.exit(Bench.run(rest));
      default -> {
        System.err.println("usage: demo [--once] | bench [--json FILE] [WORKLOAD ..]");
        System.exit(2);
      }
    }
  }
}
