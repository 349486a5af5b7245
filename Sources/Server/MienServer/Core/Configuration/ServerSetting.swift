internal import MienAPI
internal import MienCore
internal import MienIdentity

/// A server setting: its key in the file, its environment variable, and its meaning.
public struct ServerSetting: Sendable {
    public enum Kind: Sendable {
        case text
        case path
        case integer(ClosedRange<Int>)
        case number(ClosedRange<Double>)
        case flag
        case choice([String])
        /// A YAML list in the file, separated by commas in the environment.
        case list
    }

    /// The key in the file, with its sections separated by dots: `tls.certificate`.
    public let key: String
    public let kind: Kind
    /// The default value as the file would have it; empty if there is none.
    public let standard: String
    public let isSecret: Bool
    public let meaning: String

    /// The environment variable, such as `MIEN_TLS_CERTIFICATE` for `tls.certificate`.
    public var variable: String { "MIEN_" + key.uppercased().replacing(".", with: "_") }

    init(_ key: String, _ kind: Kind, _ standard: String, secret: Bool = false, _ meaning: String) {
        (self.key, self.kind, self.standard, isSecret, self.meaning) = (
            key, kind, standard, secret, meaning
        )
    }

    /// All settings, in the order of the printed configuration and the docs.
    public static let all: [ServerSetting] = [
        .init(
            "data", .path, "",
            "Folder for the database, the master key, and the mail outbox; default: server in MIEN_HOME."
        ),
        .init(
            "store.url", .text, "",
            "PostgreSQL database for the server's records, like postgresql://mien@db.example/mien, which several servers can share; without it, they are in a file in data. Without a password; hosts other than this machine require TLS with a verified certificate."
        ),
        .init(
            "store.password_file", .path, "",
            "File with the password for store.url, with mode 0600; default: as libpq finds it, such as PGPASSFILE."
        ),
        .init(
            "store.connections", .integer(3...100), "9",
            "Connections to PostgreSQL that read and write; two more wait for notifications and clean up after deletions."
        ),
        .init(
            "key.source", .choice(KeySettings.Source.allCases.map(\.rawValue)), "file",
            "What protects the master keys. file: nothing but the mode of their file. credential: a credential of systemd wraps them. pkcs11: a key in a token wraps them. mien master-key move changes it."
        ),
        .init(
            "key.path", .path, "", "File with the master keys; default: master.key in data."),
        .init(
            "key.credential", .text, "mien.master-key",
            "Name of the credential of systemd that wraps the master keys: 32 to 1,024 random bytes."
        ),
        .init(
            "key.pkcs11.module", .path, "",
            "PKCS #11 module of the token, such as /usr/lib/softhsm/libsofthsm2.so."),
        .init("key.pkcs11.token", .text, "", "Label of the token."),
        .init(
            "key.pkcs11.key", .text, "mien",
            "Label of the key in the token: an AES key, or an RSA key pair of at least 2,048 bits."),
        .init(
            "key.pkcs11.pin_file", .path, "",
            "File with the PIN of the token's user, which only the server's user can read."),
        .init(
            "key.pkcs11.pin_credential", .text, "",
            "Name of a credential of systemd with the PIN, instead of a file."),
        .init(
            "packs", .path, "",
            "Folder for model packs; default: packs in MIEN_HOME. All commands read MIEN_PACKS, too."
        ),
        .init("host", .text, "127.0.0.1", "Address to listen on."),
        .init("port", .integer(0...65_535), "8080", "Port to listen on; 0 picks a free port."),
        .init(
            "public_url", .text, "",
            "URL at which clients reach this server, and the issuer of its tokens: scheme, host, and port, without a path; default: http://host:port."
        ),
        .init(
            "tls.certificate", .path, "",
            "PEM file with the certificate chain; with tls.key, the server uses HTTPS."),
        .init("tls.key", .path, "", "PEM file with the private key."),
        .init(
            "admin.listen", .text, "127.0.0.1:8081",
            "Address and port of the admin API and metrics. Addresses other than loopback require tls.certificate and tls.key."
        ),
        .init(
            "admin.url", .text, "",
            "URL at which browsers reach the admin portal, and the origin of administrators' passkeys; default: http://localhost and the port if admin.listen is loopback, or else https, the host of public_url, and the port."
        ),
        .init(
            "admin.hosts", .list, "",
            "Names, besides localhost and the host of admin.url, under which programs reach the admin API and metrics, such as the name by which monitoring finds this server. Requests to other names are refused, because pages of other sites could send them; IP addresses are always accepted."
        ),
        .init(
            "admin.trust_proxy", .flag, "false",
            "Take the address of callers of the admin API from X-Forwarded-For. Use this only if everything that connects to admin.listen is a proxy that sets it; trust_proxy does not apply there."
        ),
        .init(
            "cluster.listen", .text, "",
            "Address and port for requests of other servers that share the database, over mutual TLS; all settings of cluster are set together. Requests about a live capture are passed on to the server that has it, and searches for duplicate faces to those that have the faces in memory."
        ),
        .init(
            "cluster.address", .text, "",
            "Host and port at which the other servers reach cluster.listen; the host is in the certificate."
        ),
        .init(
            "cluster.certificate", .path, "",
            "PEM file with the certificate chain for cluster.listen and for requests to other servers."
        ),
        .init("cluster.key", .path, "", "PEM file with its private key."),
        .init(
            "cluster.ca", .path, "",
            "PEM file with the authorities of the servers' certificates. A client with a certificate of theirs is taken for a server: use authorities that issue no others."
        ),
        .init(
            "log.level", .choice(["trace", "debug", "info", "notice", "warning", "error"]), "info",
            "Minimum log level."),
        .init("log.json", .flag, "false", "Log one JSON object per line."),
        .init(
            "fresh_seconds", .integer(ChangeRule.freshRange), "300",
            "Maximum age of a sign-in for adding or removing authenticators, in seconds."),
        .init(
            "shutdown_seconds", .integer(0...300), "10",
            "Seconds that pending requests may take when the server stops."),
        .init(
            "face.pack", .text, "",
            "Model pack. By default mien-default-2 if it is installed, or else mien-basic-1; but a server that other machines can reach does not choose mien-basic-1 by itself. People enrolled with another pack keep signing in with that one until they are migrated, so it must stay installed."
        ),
        .init(
            "face.missing_packs", .flag, "false",
            "Start although a model pack with which people are enrolled cannot be loaded. They cannot sign in with their faces then and have to register them again."
        ),
        .init(
            "face.cache", .path, "",
            "Folder for networks compiled for this machine, which shortens starts; default: networks in data. Servers of one account can share it."
        ),
        .init("face.workers", .integer(1...64), "2", "Photos analyzed at the same time."),
        .init(
            "face.gallery_mib", .integer(0...1_048_576), "512",
            "Memory in MiB for the faces that searches for duplicates compare; 512 hold about 450,000 faces with mien-default-2. Faces that do not fit are read from the database at each search; 0 reads all of them from there."
        ),
        .init(
            "face.precision", .choice(["auto", "f32", "bf16", "int8"]), "auto",
            "Arithmetic of the face networks. bf16 is faster on some processors that support it, slower on others, and falls back to f32 elsewhere; auto measures at the start which is faster. int8 needs a model pack with such networks."
        ),
        .init(
            "face.threshold", .number(24...72), "48",
            "Minimum match score; 48 is a false match rate (FMR) of 1 in 10,000."),
        .init(
            "face.shadow.pack", .text, "",
            "A second model pack that judges every face login without deciding it, to compare it with face.pack in the metrics. It keeps templates of its own, which are deleted when it is no longer named. None by default."
        ),
        .init(
            "face.shadow.threshold", .number(0...72), "0",
            "A second minimum match score, which judges without deciding; 0 for none."),
        .init(
            "face.shadow.presentation", .choice(PresentationMode.allCases.map(\.rawValue)), "off",
            "A second mode of the presentation check, which judges live captures without deciding; off for none. Needs a model pack with networks against prints and screens."
        ),
        .init(
            "face.shadow.presentation_threshold", .number(0...1), "0.5",
            "Minimum probability of a face, at which face.shadow.presentation accepts. face.presentation has 0.5, or up to 0.7 with face.liveness.threshold."
        ),
        .init("face.quality", .integer(0...100), "48", "Minimum quality of a selfie."),
        .init(
            "face.liveness.mode", .choice(LivenessPolicy.Mode.allCases.map(\.rawValue)),
            "liveness_active",
            "What captures must show unless an app sets its own mode; image accepts photos. Sign-ins use liveness_active instead of liveness_passive unless face.presentation is require."
        ),
        .init(
            "face.liveness.threshold", .integer(0...100), "0",
            "Higher values lengthen the still phase and make every liveness check stricter."),
        .init(
            "face.liveness.timeout_seconds", .integer(5...600), "60",
            "Seconds that a live capture may take from its start."),
        .init(
            "face.liveness.replay_days", .integer(0...90), "7",
            "Days for which replays of a live capture are recognized; 0 turns this off."),
        .init(
            "face.presentation", .choice(["auto"] + PresentationMode.allCases.map(\.rawValue)),
            "auto",
            "Judge live captures with the model pack's network against prints and screens; observe measures without refusing. auto is off if the pack has none, otherwise require."
        ),
        .init(
            "capture.seconds", .integer(10...3600), "120",
            "Seconds that a capture session stays open."),
        .init(
            "capture.frames", .integer(1...1000), "60",
            "Maximum number of pictures in a capture session, including unusable ones."),
        .init(
            "capture.live_frames", .integer(50...10_000), "900",
            "Maximum number of frames in a live capture."),
        .init(
            "capture.live_sessions", .integer(1...10_000), "20",
            "Maximum number of concurrent live captures, at ten frames per second each. Each of face.workers can serve ten; with more, all of them fall behind."
        ),
        .init(
            "capture.max_bytes", .integer(10_000...50_000_000), "16777216",
            "Maximum size in bytes of a request with frames: one picture, or one batch of a live capture."
        ),
        .init(
            "password.minimum_length", .integer(8...64), "8",
            "Minimum length of a new password, in characters."),
        .init(
            "password.memory_kib", .integer(8_192...4_194_304), "19456", "Argon2id memory, in KiB."),
        .init("password.passes", .integer(1...100), "2", "Argon2id passes."),
        .init("password.workers", .integer(1...64), "2", "Passwords hashed at the same time."),
        .init(
            "mail.outbox", .path, "",
            "Folder that mails are written to if no relay is set; default: outbox in the data folder."
        ),
        .init("mail.host", .text, "", "Host of the SMTP relay."),
        .init("mail.port", .integer(1...65_535), "587", "Port of the SMTP relay."),
        .init(
            "mail.security", .choice(["starttls", "tls", "none"]), "starttls",
            "Security of the connection to the relay; none is allowed only for a relay on this machine."
        ),
        .init(
            "mail.ca", .path, "",
            "PEM file with the certificate authorities trusted for the relay; default: those of the system."
        ),
        .init("mail.user", .text, "", "User name for the relay."),
        .init("mail.password", .text, "", secret: true, "Password for the relay."),
        .init(
            "mail.token_file", .path, "",
            "File with an OAuth access token for the relay instead of a password (XOAUTH2, OAUTHBEARER). It is read at each login; another program renews it."
        ),
        .init("mail.from", .text, "mien@localhost", "Sender address of mails."),
        .init(
            "mail.from_name", .text, "",
            "Sender's name, which mail programs show beside the address."),
        .init(
            "mail.ehlo_name", .text, "",
            "Name of this server in EHLO, such as mail.example.org; default: its address."),
        .init(
            "webhook.hosts", .list, "",
            "Exact host names that journeys and logout notices may call; none by default."),
        .init(
            "webhook.allow_private", .flag, "false",
            "Whether these hosts may be on private networks or this machine."),
        .init(
            "webhook.secret", .text, "", secret: true,
            "Secret that signs calls, shared with the hosts; at least 32 characters."),
        .init(
            "webhook.former_secret", .text, "", secret: true,
            "Secret that signs the calls as well while receivers change to webhook.secret; at least 32 characters, empty afterwards."
        ),
        .init(
            "webhook.ca", .path, "",
            "PEM file with the certificate authorities trusted for these hosts; default: those of the system."
        ),
        .init(
            "limit.body_bytes", .integer(1_000...10_000_000), "262144",
            "Maximum size of a JSON body, in bytes."),
        .init(
            "limit.starts_per_minute", .integer(1...1_000_000), "600",
            "Journeys that one address may start per minute."),
        .init(
            "limit.live_captures_per_minute", .integer(1...100_000), "30",
            "Live captures that one address may begin per minute."),
        .init(
            "limit.requests_per_minute", .integer(1...1_000_000), "6000",
            "Requests that one address may make per minute."),
        .init(
            "limit.guesses_per_minute", .integer(1...100_000), "30",
            "Guesses per minute at one user name, address, or ID, known or unknown, whatever the outcome."
        ),
        .init(
            "limit.connections", .integer(1...1_000_000), "4096",
            "Maximum number of open connections; further ones wait."),
        .init(
            "limit.connections_per_address", .integer(1...1_000_000), "512",
            "Maximum number of open connections per address; further ones are refused. Has no effect with trust_proxy."
        ),
        .init(
            "limit.verifications_per_address", .integer(1...10_000), "200",
            "Verification sessions of journeys that one IPv4 address, or one IPv6 /48, may have open, in all apps."
        ),
        .init(
            "limit.verification_mib", .integer(16...1_048_576), "1024",
            "Memory for pictures in verification sessions that have not ended and belong to no account, in MiB: once for those of journeys and once for those of apps. One app has half of it, one IPv4 address or IPv6 /48 a sixteenth."
        ),
        .init(
            "limit.request_seconds", .integer(1...600), "30",
            "Seconds that a client may take to send a request."),
        .init(
            "limit.queue_wait_seconds", .integer(1...60), "5",
            "Seconds that a request may wait for a password hash, a picture analysis, or an RSA signature check before it gets 503."
        ),
        .init(
            "trust_proxy", .flag, "false",
            "Take the client's address from the last entry of X-Forwarded-For, with or without a port. Use this only behind a proxy that sets it. The admin API has admin.trust_proxy."
        ),
        .init(
            "authentication.identities", .list, "biometric,passkey",
            "Ways to log in besides journeys: biometric (a key on the user's device), passkey (WebAuthn), or none."
        ),
        .init(
            "apps.registration", .flag, "false",
            "Let programs register apps of their own at /oauth2/register, with an initial access token that an administrator has made (RFC 7591)."
        ),
        .init(
            "identity.biometric.list_enabled", .flag, "false",
            "Whether users can list the keys of their devices."),
        .init(
            "identity.sources", .list, "",
            "Sources that identities are verified with: registry (people imported with mien admin registry import), http (a service, see identity.http), or simulator (for tests; its results are marked); none by default."
        ),
        .init(
            "identity.required", .choice(VerificationMethod.allCases.map(\.rawValue)),
            VerificationMethod.knowledgeOfPII.rawValue,
            "Level of identity verification that users must reach unless an app sets its own."),
        .init(
            "identity.countries", .list, "",
            "Countries whose personal data is verified, such as DE,US; by default all that are supported."
        ),
        .init(
            "identity.pii_attempts", .integer(VerificationPolicy.attemptRange), "3",
            "Attempts with personal data that a user has."),
        .init(
            "identity.document_attempts", .integer(VerificationPolicy.attemptRange), "5",
            "Attempts with documents that a user has. The first 10 that cannot be read are not counted."
        ),
        .init(
            "identity.documents", .list, "",
            "Documents that identities are verified with: passport, idCard, driverLicense; none by default."
        ),
        .init(
            "identity.issuers", .list, "",
            "Countries and organizations whose documents are accepted, such as PL,UN,XOM; by default identity.countries, or all that are supported."
        ),
        .init(
            "identity.face_image", .flag, "true",
            "Whether a picture of the face, or a live capture, belongs to each document and is compared with its portrait. Without it, anybody who holds a document can send it."
        ),
        .init(
            "identity.portrait_threshold", .number(24...72), "46",
            "Minimum match score of a face and a document's portrait; below 24 it is another person, and in between a person decides."
        ),
        .init(
            "identity.copy_checks", .flag, "true",
            "Whether a document with signs of a black-and-white copy, a screen, or a halftone print leads to a review. Some originals have them, too."
        ),
        .init(
            "identity.document_workers", .integer(1...16), "2",
            "Documents read at the same time, with about 60 MB each."),
        .init(
            "identity.minimum_age", .integer(0...120), "0",
            "Minimum age in years of people whose identity is verified."),
        .init(
            "identity.retention_days", .integer(IdentitySettings.retentionRange), "90",
            "Days for which personal data and pictures of documents are kept, sealed."),
        .init(
            "identity.result_retention_days", .integer(IdentitySettings.retentionRange), "90",
            "Days for which the records of verification sessions are kept, with results and hashes of pictures; never fewer than identity.retention_days."
        ),
        .init(
            "identity.document_queue", .integer(1...10_000), "200",
            "Documents that may wait for their judgment; more get 503 and use up no attempt."),
        .init(
            "identity.document_wait_seconds", .integer(0...60), "5",
            "Seconds that a request waits for the judgment of its document before it answers pending."
        ),
        .init(
            "identity.consent", .flag, "true",
            "Whether verifying an identity needs the user's consent."),
        .init(
            "identity.consent_text", .path, "",
            "Text file with your own text for the consent; by default the server has one in English."
        ),
        .init(
            "identity.second_reviewer", .flag, "false",
            "Whether two people must accept an unclear identity, or decide that faces that look alike belong to different people."
        ),
        .init(
            "identity.rules", .path, "",
            "JSON file with the rules that turn the results of checks into a recommendation."),
        .init(
            "identity.short_names", .path, "",
            "Text file with given names and their short forms, such as Robert: Bob, Rob; a person decides whether they are the same. By default the server has a table."
        ),
        .init(
            "identity.http.url", .text, "",
            "URL of the service that the source http asks about personal data."),
        .init(
            "identity.http.mapping", .path, "",
            "JSON file that says where each field goes in the request, and what the response means."
        ),
        .init(
            "identity.http.secret", .text, "", secret: true,
            "Secret that signs the requests, shared with the service; at least 32 characters."),
        .init(
            "identity.http.former_secret", .text, "", secret: true,
            "Secret that signs the requests as well while the service changes to identity.http.secret; at least 32 characters, empty afterwards."
        ),
        .init(
            "identity.http.timeout_seconds", .integer(1...60), "10",
            "Seconds until the last byte of the service's response."),
        .init(
            "identity.http.allow_private", .flag, "false",
            "Whether the service may be on a private network or this machine, and use http."),
        .init(
            "identity.http.ca", .path, "",
            "PEM file with the certificate authorities trusted for the service; default: those of the system."
        ),
        .init(
            "attestation.roots", .path, "",
            "PEM file with additional roots that may attest device keys; Google's and Apple's are built in."
        ),
        .init(
            "attestation.revoked", .path, "",
            "Copy of Google's list of leaked attestation keys, reloaded when it changes; by default no list is checked."
        ),
        .init(
            "webauthn.rp_id", .text, "",
            "Relying party ID of passkeys: the host of public_url or a parent domain; default: the host."
        ),
        .init(
            "webauthn.origins", .list, "",
            "Origins of pages and apps besides public_url that use passkeys, such as https://app.example.org."
        ),
        .init(
            "recovery.hold_hours", .integer(RecoveryPolicy.holdHoursRange), "24",
            "Hours before a recovery by only an email code or only a face takes effect; known devices can cancel it until then."
        ),
        .init(
            "token.rotate_days", .integer(1...365), "30",
            "Days for which a key signs tokens before the next key takes over."),
        .init(
            "audit.clients", .flag, "false",
            "Record in the audit log which address a request came from. The address stays there if the user is deleted."
        ),
        .init(
            "audit.retention_days", .integer(0...36_500), "0",
            "Days until audit log entries are removed, exported or not; 0 keeps them until mien admin audit prune."
        ),
    ]

    static let byKey = Dictionary(uniqueKeysWithValues: all.map { ($0.key, $0) })
}
