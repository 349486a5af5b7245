import Foundation

/// Shared libraries of `Tests/Support/Libraries`, in C. The first test that needs one compiles it, beside the tests.
public enum TestLibrary {
    /// Replaces the wall clock of a program that preloads it.
    public static let clock = compiled("clock.c", to: "libMienTestClock.so")
    /// A PKCS #11 module that fails on purpose.
    public static let token = compiled("token.c", to: "libMienTestToken.so")

    private static func compiled(_ source: String, to name: String) -> URL {
        let library = ProgramRun.builtProgram(name)
        // Several processes test at the same time: none may load what another one is writing.
        let made = library.deletingLastPathComponent().appending(
            path: "\(name).\(ProcessInfo.processInfo.processIdentifier)")
        let compiler = Process()
        compiler.executableURL = URL(filePath: "/bin/sh")
        compiler.arguments = [
            "-c", #"exec "${CC:-$(command -v clang || command -v cc)}" "$@""#, "sh", "-std=gnu11",
            "-O2",
            "-fPIC", "-shared", Repository.file("Tests/Support/Libraries/\(source)").path, "-o",
            made.path, "-ldl",
        ]
        do {
            try compiler.run()
            compiler.waitUntilExit()
            guard compiler.terminationStatus == 0, rename(made.path, library.path) == 0 else {
                fatalError("\(source) does not compile")
            }
        } catch { fatalError("no C compiler: \(error)") }
        return library
    }
}
