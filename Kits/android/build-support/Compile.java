import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jetbrains.kotlin.cli.common.ExitCode;
import org.jetbrains.kotlin.cli.jvm.K2JVMCompiler;

/** Runs the Kotlin compiler several times in one process, which is warm after the first: `Compile ARGUMENTS -- ARGUMENTS`. */
public final class Compile {
    public static void main(String[] arguments) {
        List<String> round = new ArrayList<>();
        for (String argument : Arrays.asList(arguments)) {
            if (!argument.equals("--")) { round.add(argument); continue; }
            run(round);
            round.clear();
        }
        run(round);
    }

    private static void run(List<String> arguments) {
        ExitCode code = new K2JVMCompiler().exec(System.err, arguments.toArray(new String[0]));
        if (code != ExitCode.OK) System.exit(code.getCode());
    }
}
