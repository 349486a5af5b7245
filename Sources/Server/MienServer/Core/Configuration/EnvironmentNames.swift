internal import MienCore

/// The environment variables that begin with `MIEN_`. A server refuses to start with an unknown
/// one, because it is probably a misspelled setting that would silently have no effect.
enum EnvironmentNames {
    /// Variables that are not settings of the server, but that its environment may contain.
    static let others: Set<String> = programs.union(development)

    /// Variables of the command line.
    private static let programs: Set = [
        "MIEN_HOME", "MIEN_MODEL_FILES", "MIEN_ADMIN_SERVER", "MIEN_ADMIN_CREDENTIAL",
        "MIEN_SERVER", "MIEN_TPM",
        "MIEN_INTEGRITY", "MIEN_OTP_CRYPTOGRAM", "MIEN_OTP_PIN", "MIEN_OTP_SECRET",
    ]

    /// Variables of the scripts and tests in this repository, which start servers.
    private static let development: Set = [
        "MIEN_API_EXAMPLES", "MIEN_API_SECONDS", "MIEN_API_SEED", "MIEN_ATTACKERS", "MIEN_BUILD",
        "MIEN_CONNECT_AFTER", "MIEN_CONNECT_LAYER", "MIEN_CONNECT_WORKERS",
        "MIEN_CREDENTIAL", "MIEN_EXAMPLES", "MIEN_FORMER_PROGRAM", "MIEN_FUZZ_JOBS",
        "MIEN_FUZZ_SEED", "MIEN_HISTORIES", "MIEN_KILLS", "MIEN_KITS", "MIEN_MANY_KILLS",
        "MIEN_MEASURE", "MIEN_MODEL_MIRRORS",
        "MIEN_PACK", "MIEN_PACK_ARCHIVE", "MIEN_PAUSE", "MIEN_PROGRAM", "MIEN_PROVE",
        "MIEN_SECONDS", "MIEN_SEED", "MIEN_SHARED", "MIEN_SHOWN", "MIEN_STRIP",
        "MIEN_SYSTEM_ROOT",
        "MIEN_TEST_AGAIN", "MIEN_QUICK_BUILD", "MIEN_TEST_OPERATE", "MIEN_TEST_SETUP_BOUNDED",
        "MIEN_TEST_TIMEOUT", "MIEN_TEST_TOKEN", "MIEN_TEXT_COST", "MIEN_TRIES", "MIEN_UPDATE",
        "MIEN_WEB_SCRIPT", "MIEN_WEB_SECONDS", "MIEN_WEB_TESTS", "MIEN_WRITE_VECTORS",
    ]

    /// Returns a problem for each unknown variable. The value is not repeated: it may be a secret.
    static func problems(_ environment: [String: String]) -> [String] {
        let settings = ServerSetting.all.map(\.variable)
        let known = others.union(settings)
        return environment.keys.filter { $0.hasPrefix("MIEN_") && !known.contains($0) }.sorted()
            .map {
                "unknown environment variable \($0)\(Suggestion.text(for: $0, among: settings)); "
                    + "unset it, or run mien serve --print-config to see all settings"
            }
    }
}
