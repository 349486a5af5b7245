internal import MienAccess
internal import MienCore

/// One setting of the server: a key of the file, an environment variable, a meaning.
public struct ServerSetting: Sendable {
    public enum Kind: Sendable {
        case text
        case path
        case integer(ClosedRange<Int>)
        case number(ClosedRange<Double>)
        case flag
        case choice([String])
        /// In a file a list, in the environment separated by commas.
        case list
    }

    /// As in the file, sections separated by dots: `tls.certificate`.
    public let key: String
    public let kind: Kind
    /// As it would be written; empty for none.
    public let standard: String
    public let isSecret: Bool
    public let meaning: String

    /// `MIEN_TLS_CERTIFICATE` of `tls.certificate`.
    public var variable: String { "MIEN_" + key.uppercased().replacing(".", with: "_") }

    init(_ key: String, _ kind: Kind, _ standard: String, secret: Bool = false, _ meaning: String) {
        (self.key, self.kind, self.standard, isSecret, self.meaning) = (
            key, kind, standard, secret, meaning
        )
    }

    /// All there are, in the order of the printed configuration and the docs.
    public static let all: [ServerSetting] = [
        .init(
            "data", .path, "",
            "Folder of the database, the master key and the mail outbox; default: server in MIEN_HOME."
        ),
        .init("packs", .path, "", "Folder of the model packs; default: packs in MIEN_HOME."),
        .init("host", .text, "127.0.0.1", "Address to listen on."),
        .init("port", .integer(0...65_535), "8080", "Port to listen on; 0 takes any free one."),
        .init(
            "public_url", .text, "",
            "How clients reach this server; issuer of its tokens. Default: http://host:port."),
        .init(
            "tls.certificate", .path, "",
            "PEM file with the certificate chain; with tls.key the server speaks https."),
        .init("tls.key", .path, "", "PEM file with the private key."),
        .init(
            "admin.listen", .text, "127.0.0.1:8081",
            "Address and port of the admin API and metrics. Addresses other than loopback require tls.certificate and tls.key."
        ),
        .init(
            "log.level", .choice(["trace", "debug", "info", "notice", "warning", "error"]), "info",
            "Least level that is logged."),
        .init("log.json", .flag, "false", "One JSON object a line."),
        .init(
            "fresh_seconds", .integer(ChangeRule.freshRange), "300",
            "How old a sign-in may be to add or remove authenticators, in seconds."),
        .init(
            "shutdown_seconds", .integer(0...300), "10",
            "How long requests under way may take when the server stops."),
        .init("face.pack", .text, "mien-default-1", "Model pack."),
        .init("face.workers", .integer(1...64), "2", "Photos looked at at once."),
        .init(
            "face.precision", .choice(["auto", "f32", "bf16"]), "auto",
            "Arithmetic of the face networks; bf16 takes less time where the processor has it, else it is f32: auto takes what is faster."
        ),
        .init(
            "face.threshold", .number(24...72), "48",
            "Least match score: 48 is a false-match rate of 1 in 10,000."),
        .init("face.quality", .integer(0...100), "48", "Least quality of a selfie."),
        .init(
            "face.liveness.mode", .choice(LivenessPolicy.Mode.allCases.map(\.rawValue)),
            "liveness_active",
            "What captures have to show where an app does not say: image lets photos pass."),
        .init(
            "face.liveness.threshold", .integer(0...100), "0",
            "Larger: a longer still phase, every check of liveness stricter."),
        .init(
            "face.liveness.timeout_seconds", .integer(5...600), "60",
            "How long a live capture may take from its start."),
        .init(
            "face.liveness.replay_days", .integer(0...90), "7",
            "How long live captures are known again; 0: not at all."),
        .init(
            "face.liveness.presentation_attack", .flag, "false",
            "Ask the model pack's network for presentation attacks about every frame of live captures. The default pack brings none."
        ),
        .init("capture.seconds", .integer(10...3600), "120", "How long a capture session is open."),
        .init(
            "capture.frames", .integer(1...1000), "60",
            "Pictures a capture session takes, including those that cannot be used."),
        .init("capture.live_frames", .integer(50...10_000), "900", "Frames a live capture takes."),
        .init(
            "capture.live_sessions", .integer(1...10_000), "20",
            "Live captures at once, at ten frames a second each: ten for each of face.workers can be served; more would make all of them late."
        ),
        .init(
            "capture.max_bytes", .integer(10_000...50_000_000), "5242880",
            "Bytes of a request with frames: one picture, or one batch of a live capture."),
        .init(
            "password.minimum_length", .integer(8...64), "8",
            "Least length of a new password, in characters."),
        .init("password.memory_kib", .integer(8_192...4_194_304), "19456", "Argon2id's memory."),
        .init("password.passes", .integer(1...100), "2", "Argon2id's passes."),
        .init("password.workers", .integer(1...64), "2", "Passwords hashed at once."),
        .init(
            "mail.outbox", .path, "",
            "Folder mails are written to when no relay is set; default: outbox in the data folder."),
        .init("mail.host", .text, "", "SMTP relay."),
        .init("mail.port", .integer(1...65_535), "587", "Its port."),
        .init(
            "mail.security", .choice(["starttls", "tls", "none"]), "starttls",
            "How the relay is spoken to; none only on this machine."),
        .init(
            "mail.ca", .path, "",
            "PEM file with the authorities trusted for the relay's certificate; default: the system's."
        ),
        .init("mail.user", .text, "", "To log in at the relay."),
        .init("mail.password", .text, "", secret: true, "To log in at the relay."),
        .init("mail.from", .text, "mien@localhost", "Sender."),
        .init("webhook.hosts", .list, "", "Hosts journeys may call, exactly; none by default."),
        .init(
            "webhook.allow_private", .flag, "false",
            "Whether they may be on private networks or this machine."),
        .init(
            "webhook.secret", .text, "", secret: true,
            "Signs calls; 32 characters or more, known to the hosts as well."),
        .init(
            "webhook.ca", .path, "",
            "PEM file with the authorities trusted for their certificates; default: the system's."),
        .init("limit.body_bytes", .integer(1_000...10_000_000), "262144", "Bytes of a JSON body."),
        .init(
            "limit.starts_per_minute", .integer(1...1_000_000), "600",
            "Journeys one address may start a minute."),
        .init(
            "limit.live_captures_per_minute", .integer(1...100_000), "30",
            "Live captures one address may begin a minute."),
        .init(
            "limit.requests_per_minute", .integer(1...1_000_000), "6000",
            "Requests one address may make a minute."),
        .init(
            "limit.guesses_per_minute", .integer(1...100_000), "30",
            "Guesses at one user name, address or id a minute, whatever their outcome; known and unknown names alike."
        ),
        .init(
            "limit.connections", .integer(1...1_000_000), "4096", "Connections at once; more wait."),
        .init(
            "limit.connections_per_address", .integer(1...1_000_000), "512",
            "Of those, connections of one address; more are refused. Without effect with trust_proxy."
        ),
        .init(
            "limit.request_seconds", .integer(1...600), "30",
            "How long a client may take to send a request."),
        .init(
            "limit.queue_wait_seconds", .integer(1...60), "5",
            "How long a request may wait for a password to be hashed, a picture to be analyzed, or an RSA signature to be verified; then it gets 503."
        ),
        .init(
            "trust_proxy", .flag, "false",
            "Take the client's address from X-Forwarded-For: only behind a proxy that sets it."),
        .init(
            "authentication.identities", .list, "biometric,passkey",
            "Ways to log in besides journeys: biometric, a key of the user's device; passkey, WebAuthn; or none."
        ),
        .init(
            "identity.biometric.list_enabled", .flag, "false",
            "Whether users see the list of their devices' keys."),
        .init(
            "attestation.roots", .path, "",
            "PEM file with further roots that may attest devices' keys; Google's and Apple's are built in."
        ),
        .init(
            "attestation.revoked", .path, "",
            "Copy of Google's list of attestation keys that leaked, read again when it changes; default: none is looked up."
        ),
        .init(
            "webauthn.rp_id", .text, "",
            "Domain that passkeys belong to: the host of public_url, or one it is in. Default: the host."
        ),
        .init(
            "webauthn.origins", .list, "",
            "Pages and apps that use passkeys besides those at public_url: https://app.example.org."
        ),
        .init(
            "recovery.hold_hours", .integer(RecoveryPolicy.holdHoursRange), "24",
            "Hours before recovery by an e-mail code or a face alone takes effect; known devices can cancel it until then."
        ),
        .init(
            "token.rotate_days", .integer(1...365), "30",
            "Days a key signs tokens before the next one does."),
        .init(
            "audit.clients", .flag, "false",
            "Note in the audit log which address a request came from; an address stays there when its user is deleted."
        ),
        .init(
            "audit.retention_days", .integer(0...36_500), "0",
            "Days until entries of the audit log are removed, exported or not; 0 keeps them until mien admin audit prune."
        ),
    ]

    static let byKey = Dictionary(uniqueKeysWithValues: all.map { ($0.key, $0) })
}
